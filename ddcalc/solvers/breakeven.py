"""How many workers until communication outlasts computation?"""

from ddcalc.algebra import Boundary, Least, Rel
from ddcalc.problem import Equations, Problem
from ddcalc.quantity import choice, derived, duration


class Breakeven(Problem):
    """How many workers until communication outlasts computation?

    On a synchronous parameter server, sending the model and the gradients and adding one gradient
    after the other counts as communication; it grows with the workers, their computation does not.
    """

    group = "epoch and step timing"
    terms = ("parameter server", "data parallelism", "ring all-reduce")
    source = (
        "a worked exam sheet on a parameter server; communication grows linearly with the workers,"
        " so one division solves it"
    )

    download = duration("t_down", "model, server to worker", example="1.5 s")
    compute = duration("t_comp", "gradient of one mini-batch", example="4 s")
    upload = duration("t_up", "gradient, worker to server", example="1.5 s")
    aggregate = duration("t_agg", "aggregation of one gradient", example="15 ms")

    relation = choice(
        "what overtaking means",
        exceeds="communication must exceed computation",
        reaches="communication must reach computation",
    )

    balance = derived(
        "m_eq", "Communication overtakes computation when", "only aggregation grows with m"
    )
    workers = derived("m", "Workers come in whole numbers", "the first one beyond the boundary")

    def equations(self) -> Equations:
        overtakes = self._overtakes()
        yield self.balance, Boundary(self.workers, overtakes)
        yield (
            self.workers,
            Least(
                overtakes,
                self.balance,
                first="one worker is enough",
                never="no worker count does it: aggregation takes no time, so nothing grows",
            ),
        )

    def _overtakes(self) -> Rel:
        communication = self.download + self.upload + self.workers * self.aggregate
        relation = (
            communication > self.compute
            if self.relation == "exceeds"
            else communication >= self.compute
        )
        assert isinstance(relation, Rel)
        return relation
