"""How long is a synchronous step, and who is waited for?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import largest, position_of_largest
from ddcalc.problem.laws import Holds, Law, Rises
from ddcalc.problem.problem import Equations, Problem
from ddcalc.problem.quantity import derived, duration, elapsed


class SyncStep(Problem):
    """How long is a synchronous step, and who is waited for?

    The server waits until the last gradient is ready, then aggregates all of them and updates the
    model. The step ends for everybody when the slowest worker's gradient has been used.
    """

    answer = "total"
    terms = ("synchronous", "straggler")
    source = (
        "a worked exam sheet on a synchronous step; compare Chen et al., Revisiting Distributed"
        " Synchronous SGD, arXiv:1604.00981"
    )

    finish = duration(
        "f",
        "when each worker's gradient is ready",
        many="list",
        of="worker",
        group="the slowest gradient",
        example="0.15 s, 0.2 s, 0.25 s, 0.5 s",
    )
    aggregate = duration(
        "t_agg", "aggregation of all gradients", group="aggregation", example="0.3 s"
    )
    update = duration("t_upd", "update of the model", group="update", example="0.25 s")

    slowest = elapsed("t_slow", "The slowest gradient", "a synchronous step waits for all")
    straggler = derived("j", "Who is waited for", "the first whose gradient comes last", least=1)
    idle = elapsed("w", "Idle until then", "ready, but waiting for the straggler", many="finish")
    total = elapsed("T", "Total", "aggregation and update come after the last gradient")

    def laws(self) -> Iterator[Law]:
        for ready in self.finish:
            yield Holds(self.total >= ready, "nobody's gradient is used before it is ready")
        yield Rises("total", "aggregate", "the step ends behind the aggregation")
        yield Rises("total", "update", "the step ends behind the update")

    def equations(self) -> Equations:
        yield self.slowest, largest(*self.finish)
        yield self.straggler, position_of_largest(*self.finish)
        yield self.idle, [self.slowest - ready for ready in self.finish]
        yield self.total, self.slowest + self.aggregate + self.update
