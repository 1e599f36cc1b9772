"""How many workers until communication outlasts computation?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import Boundary, Least, Rel
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Equations, Problem
from ddcalc.problem.quantity import choice, derived, duration


class Breakeven(Problem):
    """How many workers until communication outlasts computation?

    On a synchronous parameter server, sending the model and the gradients and adding one gradient
    after the other counts as communication. Adding grows with the workers; what a worker computes
    does not. Where all share the server's link, they share it fairly: m transfers at the same time
    take m times as long each, and no computation overlaps with any of them. That communication
    lasts longer does not make the server the bottleneck: it is that only where adding the gradients
    outlasts a worker's whole trip.
    """

    terms = ("parameter server", "data parallelism", "ring all-reduce")
    source = (
        "a worked exam sheet on a parameter server; communication grows linearly with the workers,"
        " so one division solves it"
    )

    download = duration("t_down", "model, server to worker", example="1.5 s")
    compute = duration("t_comp", "gradient of one mini-batch", example="4 s")
    upload = duration("t_up", "gradient, worker to server", example="1.5 s")
    aggregate = duration("t_agg", "aggregation of one gradient", example="15 ms")

    server_link = choice(
        "the links between the server and the workers",
        one_each="each worker has its own link to the server",
        shared="all workers share the server's link",
    )
    relation = choice(
        "what overtaking means",
        exceeds="communication must exceed computation",
        reaches="communication must reach computation",
    )

    balance = derived(
        "m_eq", "Communication overtakes computation when", "communication grows with m",
        noun="workers at which both last equally long",
    )  # fmt: skip
    workers = derived(
        "m", "Workers come in whole numbers", "the first one beyond the boundary",
        noun="the least number of workers", least=1,
    )  # fmt: skip

    def laws(self) -> Iterator[Law]:
        yield Rises("workers", "compute", "it takes more to outlast a longer computation")
        for name in ("download", "upload", "aggregate"):
            yield Falls("workers", name, "more communication overtakes computation sooner")
        bounds = self.workers >= self.balance, self.workers - 1 <= self.balance
        yield Holds(bounds[0], "with fewer workers than at the balance computation lasts longer")
        yield Holds(bounds[1], "one worker fewer is not enough", when=self.workers > 1)

    def equations(self) -> Equations:
        overtakes, shared = self._overtakes(), self.server_link == "shared"
        why = "transfers and aggregation grow with m" if shared else "only aggregation grows with m"
        idle = "transfers and aggregation take" if shared else "aggregation takes"
        yield self.balance, Boundary(self.workers, overtakes), why
        first = "one worker is enough"
        never = f"no worker count does it: {idle} no time, so nothing grows"
        yield self.workers, Least(overtakes, self.balance, first=first, never=never)

    def _overtakes(self) -> Rel:
        if self.server_link == "shared":
            communication = self.workers * (self.download + self.upload + self.aggregate)
        else:
            communication = self.download + self.upload + self.workers * self.aggregate
        if self.relation == "exceeds":
            return communication > self.compute
        return communication >= self.compute
