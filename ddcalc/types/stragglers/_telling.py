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
        same_time = "In every round all workers compute one gradient each, at the same time and"
        if self.k == self.n:
            return (
                f"{same_time} for random times. The round ends only when the slowest of them is"
                " done: all others wait for it, and then all begin afresh."
            )
        return (
            f"{same_time} for random times. The round ends as soon as enough of them are done,"
            " whoever they are; the others are interrupted, and all begin afresh. So a few slow"
            " ones, the stragglers, do not hold it up."
        )

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

    def _conclusion(self) -> Iterator[Said]:
        yield self._waited()
        if self.rounds.fixed:
            yield Sentence(
                "With its fixed cost it takes {round_time} on average and gives"
                " {gradient_rate gradient} a second."
            )
        if self.question.limit is not None:
            late = Sym("P")
            yield First(
                Sentence("It never takes longer than {longer_than}.", same(late, 0)),
                Sentence("It always takes longer than {longer_than}.", same(late, 1)),
                Sentence(
                    "It takes longer than {longer_than} with a chance below 0.01 %.",
                    late < Num(Fraction(1, 10_000)),
                ),
                Sentence(
                    "It takes longer than {longer_than} with a chance above 99.99 %.",
                    late > Num(Fraction(9_999, 10_000)),
                ),
                "It takes longer than {longer_than} with a chance of {late_chance %}.",
            )
        if self.drawn:
            yield Sentence(
                "In {runs round} that were drawn the wait was {simulated} on average, with a"
                " standard error of {standard_error}.",
                runs=Num(self.drawn.runs),
            )

    # What it means

    def _insights(self) -> Iterator[Said]:
        if self.n > 1:
            yield self._slowest()
        if self.rounds.fixed and self.n > 1:
            yield self._best()
        yield from self._growth()

    def _slowest(self) -> Said:
        """What waiting for the slowest costs, or what it would."""
        n, k = self.n, self.k
        last = self.waits[-1]
        if k < n:
            return Sentence(
                "Waiting for all {n} would take {last}, {times} times as long.",
                (WAIT > 0, LAST > WAIT),
                n=Num(n),
                times=LAST / WAIT,
            )
        before = self._seconds(self.waits[-2])
        return Sentence(
            "The slowest one alone costs {more}: for the {others} fastest a round would wait"
            " {less}, {part %} less.",
            Num(last) > Num(self.waits[-2]),
            more=WAIT - before,
            less=before,
            others=Num(n - 1),
            part=1 - before / WAIT,
        )

    def _best(self) -> Said:
        """For how many it is best to wait, and how much that matters."""
        rates, best = self.rounds.rates, self.rounds.best[0]
        most, mine = Num(rates[best - 1]), Num(rates[self.k - 1])
        near = [
            k for k, rate in enumerate(rates, 1) if Fraction(rate) >= NEAR * Fraction(most.value)
        ]
        flat = ""
        if len(near) > 1 and near == list(range(near[0], near[-1] + 1)):
            flat = " From k = {low} to k = {high} at most 5 % of that is lost."
        ends: dict[str, Any] = {"low": Num(near[0]), "high": Num(near[-1]), "best": Num(best)}
        if self.k in self.rounds.best:
            return Sentence(f"No other k gives more gradients a second.{flat}", **ends)
        return Sentence(
            "Waiting for {best} instead gives the most, {most gradient} a second, {more %}"
            f" more.{flat}",
            most=most,
            more=most / mine - 1,
            **ends,
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
                "Every further finish takes longer than the one before, so without a fixed cost of"
                " a round (--fixed) fewer workers always give more gradients a second."
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
        if n == 1:
            return
        if isinstance(times, Measured):
            mean = Fraction(sum(times.listed, start=Fraction(0))) / len(times.listed)
            workers: list[Number] = [mean] * n
        else:
            workers = list(self.question.means)
        finishes: Expr = Num(sum(self.waits[1:], start=Fraction(self.waits[0])))
        if n <= WRITTEN:
            finishes = total(map(Num, self.waits))
        average = Num(Fraction(sum(workers, start=Fraction(0))) / n)
        yield Crosscheck(
            "whatever the order in which they finish, workers take their mean time on average (in"
            " seconds)",
            same(finishes / n, average),
        )

    # What is taken for granted

    def _premises(self) -> Iterator[Premise]:
        if self.n > 1:
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
