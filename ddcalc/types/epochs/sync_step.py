"""How long is a synchronous step, and who is waited for?"""

from collections.abc import Iterator
from itertools import combinations

from ddcalc.formula.algebra import Expr, Rel, floor, largest, position_of_largest, same, smallest
from ddcalc.formula.algebra import total as total_of
from ddcalc.problem.laws import Holds, Law, Rises
from ddcalc.problem.problem import Alternatives, Equations, Problem
from ddcalc.problem.quantity import derived, duration, elapsed
from ddcalc.problem.sentences import First, Premise, Said, Sentence

LISTED = 8  # workers whose waiting is listed
FEW = 20  # workers up to which the second slowest is looked for


class SyncStep(Problem):
    """How long is a synchronous step, and who is waited for?

    A step is only as fast as its slowest worker, however fast the others are: the server waits for
    the last gradient. Only then are all gradients aggregated and the model updated, one after the
    other; meanwhile no worker computes.
    """

    answer = "total"
    keywords = "slowest worker; straggler; time of one synchronous step; barrier"
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

    slowest = elapsed("t_slow", "The last gradient is ready", "the server waits for all of them")
    straggler = derived(
        "j", "The straggler", "the worker whose gradient comes last; of several the first", least=1
    )
    idle = elapsed(
        "w", "Waiting for the straggler", "from its own gradient to the last one", many="finish"
    )
    total = elapsed(
        "T",
        "The whole step",
        "aggregation begins when the last gradient is ready, the update after it",
    )

    def laws(self) -> Iterator[Law]:
        for ready in self.finish:
            yield Holds(self.total >= ready, "nobody's gradient is used before it is ready")
        yield Rises("total", "aggregate", "the step ends behind the aggregation")
        yield Rises("total", "update", "the step ends behind the update")

    def conclusion(self) -> Iterator[Said]:
        rest = "; then aggregation takes {aggregate} and the update {update}."
        begin = "The step takes {total}: "
        if len(self.finish) == 1:
            yield f"{begin}its only worker is ready after {{slowest}}{rest}"
            return
        late = self._late
        yield First(
            Sentence(f"{begin}all are ready at once, after {{slowest}}{rest}", self._all_alike),
            Sentence(
                f"{begin}everybody waits for worker {{straggler}}, the straggler, who is ready"
                f" after {{slowest}}{rest}",
                same(late, 1),
            ),
            Sentence(
                f"{begin}everybody waits for {{late worker}} (the first is number {{straggler}}),"
                f" ready after {{slowest}}{rest}",
                late=late,
            ),
        )

        if len(self.finish) <= LISTED:
            yield First(*self._waits())

    def _waits(self) -> Iterator[Said]:
        """How long the others wait, if there is one straggler."""
        for late in range(len(self.finish)):
            numbers = [i for i in range(len(self.finish)) if i != late]
            names = [f"worker {i + 1} {{wait_{i}}}" for i in numbers]
            listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
            listed = listed.replace("{", "waits {", 1)
            alone = tuple(self.idle[i] > 0 for i in numbers)
            yield Sentence(
                f"Until then {listed}.",
                (same(self.straggler, late + 1), *alone),
                **{f"wait_{i}": self.idle[i] for i in numbers},
            )
        longest = largest(*self.idle)
        if len(self.finish) > 1:
            yield Sentence(
                "Until then the other one waits {longest}.",
                same(self._late, len(self.finish) - 1),
                longest=longest,
            )
        yield Sentence("Until then the others wait up to {longest}.", longest > 0, longest=longest)

    def alternatives(self) -> Alternatives:
        return Alternatives(
            "Each worker",
            "worker",
            {"finish": "ready", "idle": "waits for the straggler"},
            position_of_largest(*self.idle),
            {"straggler": [same(wait, 0) for wait in self.idle]},
            ("straggler",),
        )

    def insights(self) -> Iterator[Said]:
        if len(self.finish) == 1:
            return
        if len(self.finish) <= FEW:
            second = largest(*(smallest(*pair) for pair in combinations(self.finish, 2)))
            yield Sentence(
                "Without worker {straggler} it would take {next}: the next one is ready after"
                " {second}.",
                second < self.slowest,
                next=second + self.aggregate + self.update,
                second=second,
            )
        workers, busy = len(self.finish), total_of(self.finish)
        waiting = workers * self.slowest - busy
        server = workers * (self.aggregate + self.update)
        parts = {
            "part": busy / (workers * self.total),
            "waiting": waiting / (workers * self.total),
        }
        begin = "The workers compute {part %} of the step on average"
        yield First(
            Sentence(
                f"{begin} and wait {{waiting %}} of it for the last gradient; the rest is waiting"
                " for the server.",
                (waiting > 0, server > 0),
                **parts,
            ),
            Sentence(f"{begin}; the rest is waiting for the last gradient.", waiting > 0, **parts),
            Sentence(f"{begin}; the rest is waiting for the server.", server > 0, **parts),
        )

    def premises(self) -> Iterator[Premise]:
        yield Premise("all workers begin at the same time")
        yield Premise("the server waits for every gradient", "backup-workers")
        yield Premise("aggregation takes as long for any number of gradients", "epoch-time")

    @property
    def _late(self) -> Expr:
        """How many workers are as late as the last one, if that is later than 0 s."""
        return total_of(floor(ready / self.slowest) for ready in self.finish)

    @property
    def _all_alike(self) -> Rel:
        return same(smallest(*self.finish), self.slowest)

    def equations(self) -> Equations:
        yield self.slowest, largest(*self.finish)
        yield self.straggler, position_of_largest(*self.finish)
        yield self.idle, [self.slowest - ready for ready in self.finish]
        yield self.total, self.slowest + self.aggregate + self.update
