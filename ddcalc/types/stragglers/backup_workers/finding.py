"""What a question on rounds with stragglers comes to: its values and its steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import cached_property

from ddcalc.errors import BadValue
from ddcalc.numbers.number import Number
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Step
from ddcalc.schedule.times import Law
from ddcalc.types.stragglers.backup_workers.account import Account
from ddcalc.types.stragglers.backup_workers.beside import SIDES, Known, drawing, lateness
from ddcalc.types.stragglers.backup_workers.chances import exponential, known
from ddcalc.types.stragglers.backup_workers.choosing import choosing
from ddcalc.types.stragglers.backup_workers.exponential import ExponentialTimes, inverse
from ddcalc.types.stragglers.backup_workers.laws import Measured, Pareto, Shifted, Uniform, late
from ddcalc.types.stragglers.backup_workers.question import Question
from ddcalc.types.stragglers.backup_workers.rounds import Rounds
from ddcalc.types.stragglers.backup_workers.simulation import Simulated, rounded, sampled, simulate
from ddcalc.types.stragglers.backup_workers.telling import Telling

Value = Number | tuple[Number, ...]


class Finding:
    """The values of the question *asked* and the steps to them, which define what is *declared*."""

    def __init__(self, asked: Question, declared: Mapping[str, Derived]) -> None:
        self.asked, self.declared = asked, declared
        self.memoryless = None if asked.alike else ExponentialTimes(asked.means)
        self.rounds = Rounds(self._waits(), asked.fixed)

    def values(self) -> dict[str, Value]:
        """The derived quantities by name."""
        k, waits = self.asked.wait_for, self.rounds.waits
        return {
            **self._of_the_law(),
            "waits": tuple(waits),
            "first": waits[0],
            "wait": waits[k - 1],
            "last": waits[-1],
            **self._beside(),
            "round_time": self.rounds.length(k),
            "gradient_rate": self.rounds.rates[k - 1],
            "gradient_rates": self.rounds.rates,
            "best_wait_for": self.rounds.best[0],
        }

    def steps(self) -> Iterator[Step]:
        """From each worker's time to the best k."""
        asked, k = self.asked, self.asked.wait_for
        told = self._telling
        yield from told.steps()
        if asked.limit is not None:
            yield from lateness(self._known, self.late, k, asked.workers, self.declared)
        if self.drawn:
            yield from drawing(self.drawn, self.rounds.waits[k - 1], self.declared)
        yield from choosing(self.rounds, k, self.declared, memoryless=bool(self.memoryless))
        yield from told.variances()

    @property
    def _telling(self) -> Account | Telling:
        """What tells how the waits come about."""
        asked, k = self.asked, self.asked.wait_for
        if self.memoryless:
            return Account(self.memoryless, k, self.declared)
        assert asked.alike
        mean = None if asked.listed else asked.means[0]
        return Telling(asked.alike, mean, k, self.declared)

    def _waits(self) -> Sequence[Number]:
        if self.memoryless:
            return self.memoryless.waits
        assert self.asked.alike
        return self.asked.alike.waits

    def _of_the_law(self) -> dict[str, Value]:
        """What is known of one worker's time."""
        times = self.asked.alike
        if self.memoryless:
            single = "means" in self.asked.given and not self._lists_means
            rates = tuple(map(inverse, self.asked.means))
            variances = tuple(mean**2 for mean in self.asked.means)
            return {
                "variances": variances[0] if single else variances,
                "rates": rates[0] if single else rates,
                "gaps": self.memoryless.gaps,
            }
        assert times
        found: dict[str, Value] = {}
        match times:
            case Shifted():
                found["rest"] = times.rest
            case Uniform():
                found |= {"least": times.least, "most": times.most}
            case Pareto():
                found["least"] = times.least
        if times.variance is not None:
            found["variances"] = self._each(times.variance)
        return found

    @property
    def _lists_means(self) -> bool:
        return isinstance(self.asked.given.get("means"), tuple)

    def _each(self, value: Number) -> Value:
        """*value* of all workers alike: for each, where their means are listed."""
        return (value,) * self.asked.workers if self._lists_means else value

    # The chance of a long iteration

    def _beside(self) -> dict[str, Value]:
        found: dict[str, Value] = {}
        if self.asked.limit is not None:
            each = self._known
            for side, name in enumerate(SIDES if each else ()):
                values = tuple(known.chances[side] for known in each)
                found[name] = values if len(values) > 1 else self._each(values[0])
            found["late_chance"] = self.late
        if self.drawn:
            found |= {"simulated": self.drawn.mean, "standard_error": self.drawn.error}
            distance = self.drawn.distance(self.rounds.waits[self.asked.wait_for - 1])
            if distance is not None:
                found["distance"] = distance
        return found

    @cached_property
    def _time(self) -> Number:
        """How long the workers have in a round that is not late."""
        assert self.asked.limit is not None
        return self.asked.limit - self.asked.fixed

    @cached_property
    def late(self) -> Number:
        """The chance that a round takes longer than is stated."""
        if self._time < 0:
            return 1
        with _surely():
            if self.asked.alike:
                return self.asked.alike.late(self.asked.wait_for, self._time)
            each = [Shifted(1, 0, mean).chances(self._time) for mean in self.asked.means]
            return late(each, self.asked.wait_for)

    @cached_property
    def _known(self) -> tuple[Known, ...]:
        """What is told of the workers' chances: once where they are alike, else of each; nothing
        where draws depend on each other."""
        asked, alike = self.asked, self.asked.alike
        assert asked.limit is not None
        if self._time < 0 or (isinstance(alike, Measured) and not alike.again):
            return ()
        with _surely():
            if alike:
                return (known(alike, asked.limit, asked.fixed),)
            if len(set(asked.means)) == 1:
                return (exponential(asked.means[0], "m", asked.limit, asked.fixed),)
            told = enumerate(asked.means, 1)
            return tuple(exponential(m, f"m_{i}", asked.limit, asked.fixed) for i, m in told)

    # Drawn rounds

    @cached_property
    def drawn(self) -> Simulated | None:
        """The rounds that are drawn, if any are asked for."""
        runs, k, seed = self.asked.runs, self.asked.wait_for, self.asked.seed
        return None if runs is None else simulate(self._drawn_rounds(seed), k, runs, seed)

    def _drawn_rounds(self, seed: int) -> Iterator[list[Fraction]]:
        asked = self.asked
        if isinstance(asked.alike, Measured):
            again = asked.alike.again
            return sampled(asked.listed, asked.workers, seed, again=again)
        law = Law(asked.distribution, **asked.parameters, negative=True)
        return rounded(
            [law.times(mean, f"{seed}/{worker}") for worker, mean in enumerate(asked.means, 1)]
        )


@contextmanager
def _surely() -> Iterator[None]:
    """Refuse a limit whose chance cannot be told to all digits."""
    try:
        yield
    except ArithmeticError as error:
        raise BadValue("", f"leads to {error}").about("longer_than") from None
