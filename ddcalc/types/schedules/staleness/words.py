"""What is said of a run with stale gradients: verdicts, what they mean, and what they rest on."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import log

from ddcalc.formula.expression import Num
from ddcalc.numbers.display import rounded
from ddcalc.numbers.number import Number, plain
from ddcalc.problem.play import Says
from ddcalc.problem.sentences import Crosscheck, First, Premise, Said, Sentence
from ddcalc.types.schedules.staleness.model import Conditions, both_runs, errors
from ddcalc.types.schedules.staleness.question import StaleRun

DIGITS = 4
CLEAR = Fraction(2, 10**6)  # by which two rounded sizes differ for sure
TENFOLD = log(10)
MOST = 100_000  # updates for a tenfold smaller error, beyond which they are not counted


def says(question: StaleRun, part: str) -> Says:
    """What is said of *question* where *part* is shown."""
    return Words(question, part).says()


class Words:
    """The sentences on *question* where *part* is shown."""

    def __init__(self, question: StaleRun, part: str) -> None:
        self.question, self.part = question, part
        self.conditions, self.quadratic = Conditions(question), question.quadratic
        self.rate, self.ages = self.quadratic.rate, len(question.coefficients)
        self.alike = question.low == question.high
        self.curved = "of curvature {low}" if self.alike else "with curvatures from {low} to {high}"

    def says(self) -> Says:
        """All of them."""
        return Says(
            conclusion=tuple(self._conclusion()),
            insights=tuple(self._insights()),
            crosschecks=tuple(self._crosschecks()),
            premises=tuple(self._premises()),
        )

    def _shows(self, part: str) -> bool:
        return self.part in (part, "everything")

    # The answer

    def _conclusion(self) -> Iterator[Said]:
        yield from self._verdict()
        if self._shows("conditions"):
            yield from self._theorems()
        if self._shows("momentum"):
            yield from self._momentum()
        if self._shows("noise"):
            yield from self._noise()
        if self._shows("late"):
            yield (
                "In the example of three workers, one of them always late, dropping its gradients"
                " leads to {dropped_end}, the best point of the other two; reusing them leads to"
                " {reused_end}, the best point of all three."
            )

    def _verdict(self) -> Iterator[Said]:
        if not self.quadratic.converges:
            grows = self.rate > 1 + CLEAR * 5
            end = (
                "; they can grow by a factor of {rate} per update in the long run" if grows else ""
            )
            yield f"No: there are quadratics {self.curved} on which errors do not die out{end}."
        elif self.rate >= 1:
            yield f"Yes, but extremely slowly: on every quadratic {self.curved} errors die out."
        else:
            yield (
                f"Yes: on every quadratic {self.curved} the error shrinks, in the long run, by a"
                " factor of {rate} or better with each update."
            )

    def _theorems(self) -> Iterator[Said]:
        conditions = self.conditions
        if conditions.hold:
            yield Sentence(
                "The theorems promise convergence for other losses too: the stale sum {stale_sum}"
                " is within the {stale_allowed} that they allow."
                if self.question.stale
                else "The theorems promise convergence for other losses too: the coefficient"
                " {fresh} is within the {step_allowed} that they allow.",
                fresh=Num(self.question.fresh),
            )
            return
        if conditions.stale_margin is None:
            fails = "the fresh coefficient {fresh} is more than the {step_allowed} that they allow"
        else:
            fails = "the stale sum {stale_sum} is more than the {stale_allowed} that they allow"
        end = "; but their proof still works, as its factor {guaranteed} is below 1"
        end = end if conditions.guaranteed < 1 else ""
        text = f"The theorems do not say so for other losses: {fails}{end}."
        if not self.quadratic.converges:
            text = f"The theorems do not apply: {fails}."
        yield Sentence(text, fresh=Num(self.question.fresh))

    def _momentum(self) -> Iterator[Said]:
        if not self.question.stale:
            yield "Nothing is stale, so there is no momentum."
            return
        same = all(stale == ball for stale, ball in both_runs(self.question))
        apart = (
            "they are exactly equal"
            if same
            else "the errors of the two differ by at most {momentum_gap}, from 1 at the start"
        )
        yield (
            "The stale gradients act like a momentum of {momentum}: over {updates update} at"
            f" curvature {{low}} {apart}."
        )

    def _noise(self) -> Iterator[Said]:
        if not self.quadratic.converges:
            return
        yield (
            "With noise of ±1 on each gradient the mean error still goes to 0, but the weights keep"
            " moving: at curvature {low} their variance after {updates update} is {variance}."
        )

    # What it means

    def _insights(self) -> Iterator[Said]:
        if self._shows("conditions"):
            yield from self._alone()
            yield from self._speed()
            yield from self._limit()
        if self._shows("momentum") and self.question.stale:
            yield (
                "A heavy ball carries each gradient on for ever; staleness stops after"
                f" {{k update}}, so both take the same steps up to update {{k}}."
                if self.question.beta is not None
                else "Momentum at that size lets each gradient count as much in total; it only"
                " spreads it over other updates."
            )
        if self._shows("noise"):
            yield (
                "That the mean converges takes a constant curvature: with slopes 1 and 2 on the two"
                " sides of the minimum, the same noise moves the mean to {kinked_mean}."
            )

    def _alone(self) -> Iterator[Said]:
        """What the stale gradients change."""
        fresh, low, high = map(
            Fraction, (self.question.fresh, self.question.low, self.question.high)
        )
        alone = max(abs(1 - low * fresh), abs(1 - high * fresh))
        if not self.question.stale or alone >= 1 or not self.quadratic.converges:
            return
        if self.rate + CLEAR < alone:
            yield Sentence(
                "Here staleness helps: with the fresh gradients alone the factor would be {alone};"
                " the stale ones add to each step, like momentum.",
                alone=Num(plain(alone)),
            )
        elif self.rate > alone + CLEAR:
            yield Sentence(
                "Staleness costs speed: with the fresh gradients alone the factor would be"
                " {alone}.",
                alone=Num(plain(alone)),
            )

    def _speed(self) -> Iterator[Said]:
        """How many updates a tenfold smaller error takes, and in which direction."""
        if not 0 < self.rate < 1 or not self.quadratic.converges:
            return
        updates = TENFOLD / -log(self.rate)
        if not 2 <= updates <= MOST:
            return
        low, high = self.quadratic.radii
        slow = "the flattest direction" if low > high + CLEAR else "the steepest direction"
        where = f", set by {slow}" if abs(low - high) > CLEAR and self._at_an_end else ""
        yield Sentence(
            "In the long run a tenfold smaller error takes about {updates} updates" + where + ".",
            updates=Num(round(updates)),
        )

    @property
    def _at_an_end(self) -> bool:
        return self.quadratic.is_worst_at_an_end

    def _limit(self) -> Iterator[Said]:
        """How much more a quadratic tolerates than the theorems allow."""
        allowed, borne = self.conditions.stale_allowed, self.quadratic.stale_limit
        if allowed is None or borne is None or not self.quadratic.converges or borne <= allowed:
            return
        yield Sentence(
            "The theorems are cautious: on these quadratics the stale sum could be {stale_limit},"
            " {times} times as much as they allow.",
            times=Num(rounded(Fraction(borne) / Fraction(allowed), DIGITS - 1)),
        )

    # Checks, and what it rests on

    def _crosschecks(self) -> Iterator[Crosscheck]:
        """The run keeps what the proof promises."""
        question, factor = self.question, self.conditions.guaranteed
        if not self._shows("conditions") or factor >= 1 or not question.updates:
            return
        rounds = -(-question.updates // self.ages)
        ends = (abs(errors(question.coefficients, h, question.updates)[-1]) for h in self._ends)
        left: Number = max(ends)
        yield Crosscheck(
            "{updates update} from an error of 1 on"
            " leave less of it than the proof promises, q once every {ages update}",
            Num(rounded(left, DIGITS)) <= Num(rounded(factor, 2 * DIGITS)) ** rounds,
            ages=Num(self.ages),
        )

    @property
    def _ends(self) -> tuple[Number, Number]:
        return self.question.low, self.question.high

    def _premises(self) -> Iterator[Premise]:
        if self.part == "late":
            yield Premise("the same worker is late in every update", "backup-workers")
            return
        yield Premise("a gradient of some age has the same coefficient in every update")
        yield Premise("there are no gradients from before the start")
        if self._shows("conditions"):
            yield Premise("gradients are without noise", "part")
