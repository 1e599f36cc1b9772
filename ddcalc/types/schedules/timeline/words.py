"""What is said of one workload under all schemes, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ddcalc.formula.expression import Expr, Num
from ddcalc.problem.play import Says
from ddcalc.problem.sentences import Said, Sentence
from ddcalc.types.schedules._tables import is_steady
from ddcalc.types.schedules._workload import Run
from ddcalc.types.schedules.timeline.question import Question
from ddcalc.types.schedules.timeline.run_words import capital, listed, premises

NAMES = {  # of schemes, by their short names
    "sync": "synchronous training",
    "ssp": "stale-synchronous training",
    "async": "asynchronous training",
    "local": "local SGD",
}


class AllWords:
    """What is said of *runs* of one workload under all schemes, of which *best* uses the most."""

    def __init__(self, question: Question, runs: Sequence[Run], best: Run) -> None:
        self.question, self.runs, self.best = question, runs, best
        self.used = [run.counted.used for run in runs]

    def says(self) -> Says:
        """All of it."""
        return Says(
            mechanism=(
                "The workers and their times are the same under each scheme. Schemes differ in who"
                " waits before the next gradient, and in which parameters it is computed on:"
                " waiting costs time, going on at once makes gradients stale."
            ),
            conclusion=tuple(self.conclusion()),
            insights=tuple(self.insights()),
            premises=tuple(premises(self.best)),
        )

    def conclusion(self) -> Iterator[Said]:
        """Which scheme uses the most gradients, and what the others do."""
        names = [_name(run) for run in self.runs]
        most = max(self.used)
        slots: dict[str, Expr] = {f"u{i}": Num(n) for i, n in enumerate(self.used)}
        if not most:
            yield Sentence("In {ended} no scheme makes an update.")
            return
        if len(set(self.used)) == 1:
            idle = not any(run.waiting for run in self.runs)
            nobody = ", and nobody waits" if idle else ""
            yield Sentence(
                f"In {{ended}} every scheme uses {{u0 gradient}}{nobody}.", None, **slots
            )
            return
        slots |= {f"w{i}": Num(run.waiting) for i, run in enumerate(self.runs)}
        order = sorted(range(len(names)), key=lambda i: -self.used[i])
        parts = [f"{names[i]} {{u{i}}} ({{w{i} %}})" for i in order]
        first = order[0]
        parts[0] = f"{names[first]} uses {{u{first} gradient}} ({{w{first} %}} of the time waiting)"
        yield Sentence(capital(f"in {{ended}} {listed(parts)}."), None, **slots)
        if stale := self.best.stalest:
            assert self.best.staleness is not None
            yield Sentence(
                "But with {best} a gradient is {mean update} stale on average, {most} at most, and"
                " may be worth less.".replace("{best}", _name(self.best)),
                mean=Num(self.best.staleness), most=Num(stale),
            )  # fmt: skip

    def insights(self) -> Iterator[Said]:
        """What each way of waiting less gains, where that holds for ever."""
        by_name = {run.scheme.short: run for run in self.runs}
        waiting, bounded = by_name.get("sync"), by_name.get("ssp")
        local, free = by_name.get("local"), by_name.get("async")
        workload = self.question.workload
        workers = workload.workers
        steady = is_steady(workload.times) and not workload.queues and not any(workload.starts)
        if waiting and bounded and bounded.scheme.bound is not None and steady and workers > 1:
            bound = bounded.scheme.bound
            gain = bounded.counted.used - waiting.counted.used
            if gain > 0:
                yield Sentence(
                    "Stale-synchronous gains {gain gradient} over synchronous here and never more"
                    " than {most}, (n − 1)(s + 1), however long the run: a worker can finish at"
                    " most {lead} more than the slowest, then it has to keep its pace.",
                    gain=Num(gain), most=Num((workers - 1) * (bound + 1)), lead=Num(bound + 1),
                )  # fmt: skip
        if (
            workers > 1
            and waiting
            and local
            and 0 < local.counted.updates < waiting.counted.updates
        ):
            yield Sentence(
                "Local SGD exchanges {few time} where synchronous training exchanges {many},"
                + (
                    " but waits as long: the same worker is the slowest in every step."
                    if steady and 0 < local.waiting == waiting.waiting
                    else " so it needs fewer messages."
                ),
                few=Num(local.counted.updates), many=Num(waiting.counted.updates),
            )  # fmt: skip
        if free and workers > 1:
            yield from _of_the_fast(free)


def _of_the_fast(free: Run) -> Iterator[Sentence]:
    """Whose gradients are most of all, where nobody waits."""
    clocks = [day.clocks for day in free.counted.days]
    most = max(clocks)
    if clocks.count(most) == 1 and most < sum(clocks):
        yield Sentence(
            "With asynchronous training {most} of the {all gradient} computed come from worker"
            " {fast}: its data count most.",
            most=Num(most), all=Num(sum(clocks)), fast=Num(clocks.index(most) + 1),
        )  # fmt: skip


def _name(run: Run) -> str:
    """The scheme of *run* in words."""
    known = NAMES.get(run.scheme.short)
    if run.scheme.wait_for == 1:
        return known or "waiting for the first gradient only"
    workers = run.workload.workers
    return known or f"waiting for the first {run.scheme.wait_for} of {workers} workers"
