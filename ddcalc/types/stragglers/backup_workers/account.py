"""What a question on rounds with stragglers comes to: its values, and the steps to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import comb

from ddcalc.formula.algebra import exp, total
from ddcalc.formula.expression import Expr, Num, Pow, Sym
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.number import Number
from ddcalc.problem.play import Says, brief, defined, outlined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Cells, Define, Step, Table
from ddcalc.types.stragglers.backup_workers.model import (
    Alike,
    Chances,
    ExponentialTimes,
    Measured,
    Pareto,
    Rounds,
    Shifted,
    Simulated,
    Uniform,
)
from ddcalc.types.stragglers.backup_workers.question import Straggling
from ddcalc.types.stragglers.backup_workers.waits import (
    FIXED,
    LEAST,
    LIMIT,
    MOST,
    REST,
    SHIFT,
    TAIL,
    Declared,
    LawWaits,
    Line,
    MemorylessWaits,
    Numbers,
    Value,
    Waits,
    listing,
)
from ddcalc.types.stragglers.backup_workers.words import Telling

TERMS = 3  # of a sum that are written out

DONE, LEFT = map(Sym, ("F", "G"))
SIDES = ("done_chances", "left_chances")


class BackupAccount:
    """The values of *question* and the steps to them, which define what is *declared*."""

    def __init__(self, question: Straggling, declared: Declared) -> None:
        self.question, self.declared, self.k = question, declared, question.wait_for
        self.rounds = Rounds(question.times.waits, question.fixed)
        self.drawn = question.drawn()
        self.waits: Waits = (
            MemorylessWaits(question.times, self.k, declared)
            if isinstance(question.times, ExponentialTimes)
            else LawWaits(question.times, next(iter(question.means), None), self.k, declared)
        )

    def values(self) -> dict[str, Value]:
        """The derived quantities by name."""
        k, waits, of_workers = self.k, self.rounds.waits, self.waits.of_workers()
        return {
            **{n: self._listed(v) if self.declared[n].many else v for n, v in of_workers.items()},
            "waits": tuple(waits),
            "first": waits[0],
            "wait": waits[k - 1],
            "last": waits[-1],
            **self._lateness(),
            **self._drawn_values(),
            "round_time": self.rounds.length(k),
            "gradient_rate": self.rounds.rates[k - 1],
            "gradient_rates": self.rounds.rates,
            "best_wait_for": self.rounds.best[0],
        }

    def steps(self) -> Iterator[Step]:
        """From each worker's time to the best k."""
        yield from self.waits.steps()
        if self.question.limit is not None:
            yield from self._late_steps()
        if self.drawn:
            yield from self._drawing(self.drawn)
        yield from self._choosing()
        yield from self.waits.variances()

    def says(self) -> Says:
        """What is said of it."""
        return Telling(self.question, self.rounds, self.drawn).says()

    @property
    def asides(self) -> tuple[str, ...]:
        """What nobody asked for."""
        alike = not isinstance(self.waits, MemorylessWaits) or self.waits.alike
        fixed = bool(self.rounds.fixed)
        return (
            "first",
            "variances",
            *(("gaps", "waits") if alike else ()),
            *(("last",) if fixed else ()),
            *(() if fixed else ("gradient_rate", "gradient_rates", "best_wait_for")),
        )

    def _listed(self, value: Value) -> Value:
        """*value* of workers who are alike: of each, where their means are listed."""
        if isinstance(value, tuple) or not self.question.lists_means:
            return value
        return (value,) * self.question.workers

    # The chance of a long round

    def _lateness(self) -> dict[str, Value]:
        if self.question.limit is None:
            return {}
        values: dict[str, Value] = {}
        for side, name in enumerate(SIDES if self.known else ()):
            chances = tuple(worker.chances[side] for worker in self.known)
            values[name] = self._listed(chances if len(chances) > 1 else chances[0])
        return {**values, "late_chance": self.late}

    @cached_property
    def late(self) -> Number:
        """The chance that a round takes longer than is stated."""
        time = self.question.time_left()
        with self.question.surely():
            return 1 if time < 0 else self.question.times.late(self.k, time)

    @cached_property
    def known(self) -> tuple[Known, ...]:
        """What is known of the workers' chances: once where they are alike, else of each; nothing
        where draws depend on each other."""
        question, times = self.question, self.question.times
        time, limit = question.time_left(), question.limit
        assert limit is not None
        if time < 0 or (isinstance(times, Measured) and not times.again):
            return ()
        left: tuple[Expr, Numbers] = (LIMIT, {"x": limit})
        if question.fixed:
            left = LIMIT - FIXED, {"x": limit, "c": question.fixed}
        with question.surely():
            if isinstance(times, Alike):
                return (known(times, times.chances(time), *left),)
            means = times.means if len(times.kinds) > 1 else times.means[:1]
            letters = [f"m_{i}" for i in range(1, len(means) + 1)] if len(means) > 1 else ["m"]
            return tuple(
                Known(times.chances(mean, time), 1, exp(-left[0] / Sym(m)), {**left[1], m: mean})
                for m, mean in zip(letters, means, strict=True)
            )

    def _drawn_values(self) -> dict[str, Value]:
        if not self.drawn:
            return {}
        distance = self.drawn.distance(self.rounds.waits[self.k - 1])
        values: dict[str, Value] = {"simulated": self.drawn.mean}
        if self.drawn.error is not None:
            values["standard_error"] = self.drawn.error
        return values if distance is None else {**values, "distance": distance}

    def _late_steps(self) -> Iterator[Step]:
        """The steps to the chance that too few are done in time."""
        workers, declared, k, n = self.known, self.declared, self.k, self.question.workers
        if workers:
            side = workers[0].side
            first, second = declared[SIDES[side]], declared[SIDES[1 - side]]
            marks = [f"_{i}" for i in range(1, len(workers) + 1)] if len(workers) > 1 else [""]
            lines: list[Line] = []
            rest: list[Line] = []
            for mark, worker in zip(marks, workers, strict=True):
                letter, chance = first.letter + mark, worker.chances[side]
                lines.append((letter, worker.formula, worker.numbers, chance))
                other = worker.chances[1 - side]
                rest.append((second.letter + mark, 1 - Sym(letter), {letter: chance}, other))
            why = "what the other chance leaves of 1"
            both = listing(first, lines, first.why), listing(second, rest, why)
            yield from both if len(workers) > 1 else (listing.rows[0] for listing in both)
        formula = _fewer(k, n) if len(workers) == 1 else None
        numbers = {} if formula is None else dict(zip("FG", workers[0].chances, strict=True))
        why = f"fewer than {k} of {n} are done by then" if n > 1 else "it is not done"
        if 1 < k < n:
            why = f"at least {n - k + 1} of {n} are not done by then"
        yield defined(declared["late_chance"], self.late, formula, numbers, why)

    def _drawing(self, drawn: Simulated) -> Iterator[Define]:
        """What *drawn* rounds came to beside what is expected."""
        declared, expected = self.declared, self.rounds.waits[self.k - 1]
        why = f"{count_text(drawn.runs)} rounds drawn with seed {drawn.seed}"
        yield defined(declared["simulated"], drawn.mean, why=why)
        if drawn.error is None:
            return
        yield defined(declared["standard_error"], drawn.error)
        distance = drawn.distance(expected)
        if distance is not None:
            symbols = [declared[name].letter for name in ("simulated", "wait", "standard_error")]
            mean, wait, error = map(Sym, symbols)
            numbers = dict(zip(symbols, (drawn.mean, expected, drawn.error), strict=True))
            yield defined(declared["distance"], distance, (mean - wait) / error, numbers)

    # For how many to wait

    def _choosing(self) -> Iterator[Step]:
        """The steps from the wait for k workers to the best k."""
        rounds, k, declared = self.rounds, self.k, self.declared
        numbers: dict[str, Number] = {"E_k": rounds.waits[k - 1]}
        length: Expr = Sym("E_k")
        if rounds.fixed:
            numbers["c"] = rounds.fixed
            yield defined(declared["round_time"], rounds.length(k), FIXED + length, numbers)
            numbers, length = {"T": rounds.length(k)}, Sym("T")
        count: Expr = Num(k)
        if "wait_for" in self.question.given:
            count, numbers["k"] = Sym("k"), k
        yield defined(declared["gradient_rate"], rounds.rates[k - 1], count / length, numbers)
        yield self._choices()
        yield self._best(declared["best_wait_for"])

    def _choices(self) -> Table:
        rounds = self.rounds

        def row(k: int | None) -> Cells:
            if k is None:
                return ("…",) * len(header)
            times = [brief(rounds.waits[k - 1])]
            if rounds.fixed:
                times.append(brief(rounds.length(k)))
            marks = [mark for mark, at in (("best", rounds.best), ("asked", [self.k])) if k in at]
            return Num(k), *times, brief(rounds.rates[k - 1]), ", ".join(marks)

        with_fixed = ("a round (s)",) if rounds.fixed else ()
        header = ("k", "wait for k (s)", *with_fixed, "gradients a second", "")
        rows = tuple(map(row, outlined(len(rounds.waits), self.k, *rounds.best)))
        name = self.declared["gradient_rates"].name
        return Table("For how many to wait", "every k is tried", header, rows, name)

    def _best(self, quantity: Derived) -> Define:
        best, *others = self.rounds.best
        if len(self.rounds.waits) == 1:
            why = "there is one worker alone"
        elif self.rounds.fixed or not isinstance(self.question.times, ExponentialTimes):
            paid = "T/k" if self.rounds.fixed else "E_k/k"
            why = (
                f"one more pays while the wait for it is shorter than {paid}, what a gradient has"
                " cost so far"
            )
        else:
            why = (
                "always the fastest alone, since each further wait is longer, unless a round has a"
                " fixed cost"
            )
        why = "; ".join([f"{quantity.why}; {why}", *(f"k = {k} yields as many" for k in others)])
        return defined(quantity, best, why=why)


# The chance of a long round


@dataclass(frozen=True, slots=True)
class Known:
    """A worker's *chances* of being done and of not being done; that on *side* by a *formula*."""

    chances: Chances
    side: int = 0
    formula: Expr | None = None
    numbers: Numbers = field(default_factory=dict)


def known(times: Alike, chances: Chances, left: Expr, numbers: Numbers) -> Known:
    """How the *chances* of a time of the law of *times* follow from the time that is *left*."""
    if 0 not in chances:
        match times:
            case Shifted(_, shift, rest):
                formula = exp(-(left - SHIFT) / REST)
                return Known(chances, 1, formula, {**numbers, "t_min": shift, "t_exp": rest})
            case Uniform(_, least, most):
                ends = {**numbers, "t_low": least, "t_high": most}
                return Known(chances, 0, (left - LEAST) / (MOST - LEAST), ends)
            case Pareto(_, least, tail):
                ends = {**numbers, "t_low": least, "alpha": tail}
                return Known(chances, 1, Pow(LEAST / left, TAIL), ends)
    return Known(chances)


def _fewer(k: int, n: int) -> Expr | None:
    """The chance of fewer than *k* done among *n*; None where it is a long sum."""
    if k == n > 1:
        return 1 - Pow(DONE, Num(n))
    if k > TERMS >= n - k + 1:
        return 1 - total(_term(i, n) for i in range(n, k - 1, -1))
    if k > TERMS:
        return None
    return total(_term(i, n) for i in range(k))


def _term(i: int, n: int) -> Expr:
    """The chance of *i* done among *n*."""
    left = Pow(LEFT, Num(n - i)) if n - i > 1 else LEFT
    done = Pow(DONE, Num(i)) if i > 1 else DONE
    if i in (0, n):
        return done if i else left
    return Num(comb(n, i)) * left * done if n - i < i else Num(comb(n, i)) * done * left
