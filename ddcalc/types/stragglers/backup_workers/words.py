"""What is said of rounds with stragglers: who waits for whom, what it costs, and how that grows."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from ddcalc.formula.algebra import Expr, Num, Sym, same, total
from ddcalc.numbers.number import Number
from ddcalc.problem.play import Says
from ddcalc.problem.sentences import Crosscheck, First, Premise, Said, Sentence
from ddcalc.types.stragglers.backup_workers.model import (
    ExponentialTimes,
    Measured,
    Normal,
    Rounds,
    Simulated,
)
from ddcalc.types.stragglers.backup_workers.question import Straggling

WAIT, LAST, LENGTH = Sym("E_k"), Sym("E_last"), Sym("T")
ROUND = 100  # the largest denominator in a sum that is written out
WRITTEN = 6  # terms of a sum that is written out
FEW = 256  # workers whose number is doubled to see what that costs
NEAR = Fraction(95, 100)  # of the best rate


class Telling:
    """The sentences on *question*, whose *rounds* have been worked out and, if it asks for that,
    *drawn*."""

    def __init__(self, question: Straggling, rounds: Rounds, drawn: Simulated | None) -> None:
        self.question, self.rounds, self.drawn = question, rounds, drawn
        self.k, self.n, self.waits = question.wait_for, question.workers, rounds.waits

    def says(self) -> Says:
        """All that is said."""
        return Says(
            mechanism=self._mechanism(),
            conclusion=tuple(self._conclusion()),
            insights=tuple(self._insights()),
            crosschecks=tuple(self._crosschecks()),
            premises=tuple(self._premises()),
        )

    def _mechanism(self) -> str:
        if self.n == 1:
            return (
                "One worker computes a gradient in every round, for a random time. Nobody waits for"
                " anybody, so the round lasts as long as that."
            )
        idea = (
            "In every round all workers compute one gradient each, at the same time and for random"
            " times."
        )
        if self._memoryless:
            idea = (
                "Exponential times have no memory: while i of the workers that began the round"
                " together are still computing, the next one is done after the mean over i on"
                " average, whatever has happened before."
            )
        if self.k == self.n:
            return f"{idea} The round ends only when the slowest is done, and all begin afresh."
        return (
            f"{idea} The round ends as soon as enough of them are done, whoever they are; the"
            " others, the stragglers, are interrupted, and all begin afresh."
        )

    @property
    def _memoryless(self) -> bool:
        """Whether all workers have exponential times of one mean."""
        times = self.question.times
        return isinstance(times, ExponentialTimes) and len(times.kinds) == 1

    # The answer

    def _waited(self) -> Said:
        """How long the round waits, and for whom."""
        k, n = self.k, self.n
        slots: dict[str, Any] = {"k": Num(k), "n": Num(n)}
        if n == 1:
            return "The one worker is done after {wait} on average."
        if k == n:
            return Sentence(
                "A round waits {wait} on average for the slowest of its {n worker}.", **slots
            )
        if k == 1:
            return Sentence(
                "The fastest of {n worker} is done after {wait} on average, which is when the round"
                " ends for all.",
                **slots,
            )
        return Sentence(
            "A round waits {wait} on average for the {k} fastest of its {n worker}.", **slots
        )

    def _taken(self) -> Said:
        """How long a round takes, and for whom it waits in it."""
        if self.n == 1:
            return (
                "A round takes {round_time} on average: {wait} until the one worker is done, and"
                " {fixed} besides."
            )
        whom = "the {k} fastest of {n worker} are" if self.k < self.n else "all {n worker} are"
        if self.k == 1:
            whom = "the fastest of {n worker} is"
        return Sentence(
            f"A round takes {{round_time}} on average: {{wait}} until {whom} done, and"
            " {fixed} besides.",
            k=Num(self.k),
            n=Num(self.n),
        )

    def _conclusion(self) -> Iterator[Said]:
        yield self._taken() if self.rounds.fixed else self._waited()
        if self.k < self.n:
            yield Sentence(
                "Of {n} gradients that are begun {lost} {lost|is|are} thrown away, {part %}.",
                n=Num(self.n),
                lost=Num(self.n - self.k),
                part=Num(Fraction(self.n - self.k, self.n)),
            )
        if self.question.limit is not None:
            late = Sym("P")
            yield First(
                Sentence("A round never takes longer than {longer_than}.", same(late, 0)),
                Sentence("A round always takes longer than {longer_than}.", same(late, 1)),
                Sentence(
                    "A round takes longer than {longer_than} with a probability below 0.01 %.",
                    late < Num(Fraction(1, 10_000)),
                ),
                Sentence(
                    "A round takes longer than {longer_than} with a probability above 99.99 %.",
                    late > Num(Fraction(9_999, 10_000)),
                ),
                "A round takes longer than {longer_than} with a probability of {late_chance}.",
            )
        if self.rounds.fixed:
            yield self._best()
        if self.drawn:
            scatter = (
                "; its variance is infinite, so there is no standard error"
                if self.drawn.error is None
                else ", with a standard error of {standard_error}"
            )
            yield Sentence(
                "In {runs round} that were drawn the wait was {simulated} on average"
                f"{scatter}.",
                runs=Num(self.drawn.runs),
            )

    # What it means

    def _insights(self) -> Iterator[Said]:
        if self.n > 1:
            yield self._slowest()
        if self.rounds.fixed and self.n > 1:
            yield from self._why_best()
        yield from self._growth()

    def _slowest(self) -> Said:
        """What waiting for the slowest costs, or what it would."""
        n, k = self.n, self.k
        last = self.waits[-1]
        if k < n and self.rounds.fixed:
            return Sentence(
                "A round that waits for all {n} would take {all} on average, {times} times as"
                " long.",
                (WAIT > 0, LAST > WAIT),
                n=Num(n),
                all=LENGTH * Num(self._length(n) / self._length(k)),
                times=Num(self._length(n) / self._length(k)),
            )
        if k < n:
            return Sentence(
                "Waiting for all {n} would take {last}, {times} times as long.",
                (WAIT > 0, LAST > WAIT),
                n=Num(n),
                times=LAST / WAIT,
            )
        before = self._seconds(self.waits[-2])
        fastest = "the faster one" if n == 2 else "the {others} fastest"
        return Sentence(
            f"The slowest one alone costs {{more}}: for {fastest} a round would wait"
            " {less}, {part %} less.",
            Num(last) > Num(self.waits[-2]),
            more=WAIT - before,
            less=before,
            others=Num(n - 1),
            part=1 - before / WAIT,
        )

    def _length(self, k: int) -> Fraction:
        """The expected time of a round that waits for *k* (s)."""
        return Fraction(self.rounds.length(k))

    def _best(self) -> Said:
        """For how many it is best to wait, and what that gives."""
        rates, best = self.rounds.rates, self.rounds.best[0]
        if self.n == 1:
            return "That gives {gradient_rate gradient} a second."
        if self.k in self.rounds.best and len(self.rounds.best) > 1:
            *most, last = map(str, self.rounds.best)
            return Sentence(
                f"To wait for {', '.join(most)} or {last} gives equally many gradients a second,"
                " {mine}, the most there is.",
                mine=Num(rates[self.k - 1]),
            )
        if self.k in self.rounds.best:
            whom = "all" if self.k == self.n else "{k}"
            return Sentence(
                f"To wait for {whom} gives the most gradients a second, {{mine}}.",
                k=Num(self.k),
                mine=Num(rates[self.k - 1]),
            )
        return Sentence(
            "To wait for {best} gives the most gradients, {most} a second against {mine} with {k}.",
            best=Num(best),
            most=Num(rates[best - 1]),
            mine=Num(rates[self.k - 1]),
            k=Num(self.k),
        )

    def _why_best(self) -> Iterator[Said]:
        """Why no other k is better, how much it matters, and what it does to the gradient."""
        rates, best = self.rounds.rates, self.rounds.best[0]
        shares = [Fraction(rate) / Fraction(rates[best - 1]) for rate in rates]
        near = [k for k, share in enumerate(shares, 1) if share >= NEAR]
        slots: dict[str, Any] = {"best": Num(best), "k": Num(self.k), "next": Num(best + 1)}
        share = self._length(best) / best
        gap = Fraction(self.waits[best]) - Fraction(self.waits[best - 1]) if best < self.n else 0
        if gap > share:
            slots |= {
                "gap": self._seconds(gap),
                "part": self._seconds(share),
            }
            one = "the first has cost {part}"
            cost = one if best == 1 else "each of the {best} has cost {part}"
            yield Sentence(
                "Going on from {best} to {next} would take {gap} for one gradient more, while"
                f" {cost}.",
                **slots,
            )
        if best < self.k:
            those = "one" if best == 1 else "the mean of {best}"
            yield Sentence(
                f"But if gradients are independent, {those} has {{times}} times the variance of"
                " the mean of {k}: gradients a second are not yet progress.",
                times=Num(Fraction(self.k, best)),
                **slots,
            )
        elif len(near) > len(self.rounds.best) and near == list(range(near[0], near[-1] + 1)):
            yield Sentence(
                "Each k from {low} to {high} gives at least {least gradient} a second, which is"
                " {part %} of the most, {most}.",
                low=Num(near[0]),
                high=Num(near[-1]),
                least=Num(min(Fraction(rates[k - 1]) for k in near)),
                part=Num(min(shares[k - 1] for k in near)),
                most=Num(rates[best - 1]),
            )

    def _growth(self) -> Iterator[Said]:
        """How the wait grows with the workers, and against a round without chance."""
        times, n, k = self.question.times, self.n, self.k
        alike = isinstance(times, ExponentialTimes) and len(times.kinds) == 1
        if alike and 1 < n == k <= FEW:
            more = sum((Fraction(1, i) for i in range(n + 1, 2 * n + 1)), start=Fraction(0))
            mean = self.question.means[0]
            yield Sentence(
                "Twice as many workers would wait only {more} longer: the wait for the slowest"
                " grows like the logarithm of their number.",
                more=self._seconds(more * mean),
            )
        if isinstance(times, ExponentialTimes) and not self.rounds.fixed and n > 1:
            yield (
                "Each further finish takes longer than the one before, so without a fixed cost of"
                " a round, to wait for fewer of them always gives more gradients a second."
            )
        elif n > 1 and self.question.means and len(set(self.question.means)) == 1 and k == n:
            mean = self.question.means[0]
            yield Sentence(
                "If all took their mean time, {mean}, a round would wait {part %} less.",
                Num(self.waits[-1]) > Num(mean),
                mean=self._seconds(mean),
                part=1 - self._seconds(mean) / WAIT,
            )

    # Second ways

    def _crosschecks(self) -> Iterator[Crosscheck]:
        """All finishes are all times in another order, so both have the same sum."""
        times, n = self.question.times, self.n
        if not 1 < n <= WRITTEN or max(wait.denominator for wait in self.waits) > ROUND:
            return
        if isinstance(times, Measured):
            mean = Fraction(sum(times.listed, start=Fraction(0))) / len(times.listed)
            workers: list[Number] = [mean] * n
        else:
            workers = list(self.question.means)
        finishes = total(map(Num, self.waits))
        means = Num(Fraction(sum(workers, start=Fraction(0))))
        yield Crosscheck(
            "the expected times of all finishes add up to all mean times (in seconds)",
            same(finishes, means),
        )

    # What is taken for granted

    def _premises(self) -> Iterator[Premise]:
        times = self.question.times
        if isinstance(times, Measured) and not times.again:
            yield Premise("rounds do not depend on each other")
        elif self.n > 1:
            yield Premise("the times of workers and rounds do not depend on each other")
        if self.k < self.n:
            yield Premise("interrupting a worker costs nothing, and its work is lost", "timeline")
        if not self.rounds.fixed:
            yield Premise("nothing but computing takes time", "fixed")
        if isinstance(self.question.times, Normal):
            yield Premise("times below 0 count, which is rare for a small spread")

    def _seconds(self, time: Number) -> Expr:
        """*time* (s) as a multiple of the wait, so that it has its unit."""
        return WAIT * Num(Fraction(time) / Fraction(self.waits[self.k - 1]))
