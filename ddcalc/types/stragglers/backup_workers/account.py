"""What a question on rounds with stragglers comes to: its values, and the steps to them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import comb

from ddcalc.formula.algebra import exp, total
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, Mul, Num, Pow, Sym
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.irrational import ratio
from ddcalc.numbers.number import Number
from ddcalc.problem.play import brief, defined, is_short, outlined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Cells, Define, DefineEach, Step, Table
from ddcalc.types.stragglers.backup_workers.model import (
    Alike,
    Chances,
    Crew,
    ExponentialTimes,
    Measured,
    Normal,
    Pareto,
    Rounds,
    Shifted,
    Simulated,
    Uniform,
    inverse,
)
from ddcalc.types.stragglers.backup_workers.question import Straggling

LISTED = 15  # crews in a table, as many as four workers make
FACTORS = 6  # of a product that are written out
TERMS = 3  # of a sum that are written out

MEAN, LEAST, MOST, TAIL, SIGMA = map(Sym, ("m", "t_low", "t_high", "alpha", "sigma"))
SHIFT, REST, LIMIT, FIXED, DONE, LEFT = map(Sym, ("t_min", "t_exp", "x", "c", "F", "G"))
SIDES = ("done_chances", "left_chances")

Declared = Mapping[str, Derived]
Numbers = Mapping[str, Number]
Value = Number | tuple[Number, ...]
Line = tuple[str, Expr | None, Numbers, Number]  # a symbol, its formula with numbers, its value


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
        values: dict[str, Value] = {
            "simulated": self.drawn.mean, "standard_error": self.drawn.error,
        }  # fmt: skip
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
            both = _listing(first, lines, first.why), _listing(second, rest, why)
            yield from both if len(workers) > 1 else (listing.rows[0] for listing in both)
        formula = _fewer(k, n) if len(workers) == 1 else None
        numbers = {} if formula is None else dict(zip("FG", workers[0].chances, strict=True))
        why = f"fewer than {k} of {n} are done by then" if n > 1 else "it is not done"
        yield defined(declared["late_chance"], self.late, formula, numbers, why)

    def _drawing(self, drawn: Simulated) -> Iterator[Define]:
        """What *drawn* rounds came to beside what is expected."""
        declared, expected = self.declared, self.rounds.waits[self.k - 1]
        why = f"{count_text(drawn.runs)} rounds drawn with seed {drawn.seed}"
        yield defined(declared["simulated"], drawn.mean, why=why)
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
        numbers["k"] = k
        yield defined(declared["gradient_rate"], rounds.rates[k - 1], Sym("k") / length, numbers)
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
        return Table("For how many to wait", "every k is tried", header, rows)

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


# How the waits come about


class Waits(ABC):
    """The waits for the first, second, … of workers, of whom *k* are waited for."""

    times: Alike | ExponentialTimes
    k: int
    declared: Declared

    @abstractmethod
    def of_workers(self) -> dict[str, Value]:
        """What is known of single workers, by name of quantity."""

    @abstractmethod
    def before(self) -> Iterator[Step]:
        """How the waits come about."""

    @abstractmethod
    def formula(self, finish: int) -> tuple[Expr | None, Numbers, str]:
        """The formula of the time of a finish, the numbers in it, and why it holds."""

    @abstractmethod
    def variances(self) -> Iterator[Step]:
        """How far each worker's time lies around its mean, where that is finite."""

    def steps(self) -> Iterator[Step]:
        """From each worker's time to the expected times of the first, the k-th and the last."""
        yield from self.before()
        named = {"first": 1, "wait": self.k, "last": self.times.workers}
        for name, finish in named.items():
            if name == "wait" or finish != self.k:
                value = self.times.waits[finish - 1]
                yield defined(self.declared[name], value, *self.formula(finish))

    def _finishes(self, name: str, why: str, wait: str, text: Callable[[Number], str]) -> Table:
        """The expected time of every finish, and the *wait* for it after the one before."""
        waits = (0, *self.times.waits)

        def row(i: int | None) -> Cells:
            return (Num(i), text(waits[i] - waits[i - 1]), text(waits[i])) if i else ("…",) * 3

        rows = tuple(map(row, outlined(self.times.workers, self.k)))
        header = ("finish i", wait, "since the start (s)")
        return Table(self.declared[name].title, why, header, rows)


class MemorylessWaits(Waits):
    """Those of workers with exponential *times*."""

    times: ExponentialTimes

    def __init__(self, times: ExponentialTimes, k: int, declared: Declared) -> None:
        self.times, self.k, self.declared = times, k, declared
        self.alike = len(times.kinds) == 1
        self.merged = len(times.kinds) < times.workers  # then workers are known by their mean
        self.means = {f"m_{i}": mean for i, mean in enumerate(times.means, 1)}
        if self.alike:
            self.means = {"m": times.means[0]}

    @property
    def short(self) -> bool:
        """Whether the numbers can be written out."""
        chances = (chance for stage in self.times.stages for chance in stage.values())
        return all(map(is_short, self.times.gaps)) and all(map(is_short, chances))

    def of_workers(self) -> dict[str, Value]:
        rates = tuple(map(inverse, self.times.means))
        squares = tuple(mean**2 for mean in self.times.means)
        if self.alike:
            return {"variances": squares[0], "rates": rates[0], "gaps": self.times.gaps}
        return {"variances": squares, "rates": rates, "gaps": self.times.gaps}

    def before(self) -> Iterator[Step]:
        if not self.alike:
            lines = [
                (m.replace("m", "mu"), Num(1) / Sym(m), {m: mean}, inverse(mean))
                for m, mean in self.means.items()
            ]
            rates = self.declared["rates"]
            yield _listing(rates, lines, rates.why)
            yield self._crews()
        if self.alike or self.short:
            yield self._gaps()
        else:
            why = "the times of the sets above, each by its chance, and added up"
            yield self._finishes("gaps", why, "wait for it d_i (s)", brief)

    def variances(self) -> Iterator[Step]:
        lines = [
            (m.replace("m", "V"), Pow(Sym(m), Num(2)), {m: mean}, mean**2)
            for m, mean in self.means.items()
        ]
        variances = self.declared["variances"]
        yield _listing(variances, lines, variances.why)

    # Who is still computing

    def _crews(self) -> Table:
        crews = [crew for stage in self.times.stages for crew in stage.items()]
        rows: list[Cells] = []
        for crew, chance in crews[:LISTED]:
            rate = self.times.rate(crew)
            rows.append((self._label(crew), brief(chance), brief(rate), brief(inverse(rate))))
        why = (
            "each of those at work is the next to finish with the chance of its rate over the sum"
            " of their rates; exponential times have no memory, so the others go on as if afresh"
        )
        if len(crews) > LISTED:
            rows.append(("…",) * 4)
            why += f"; {len(crews) - LISTED} more are not listed"
        workers = "still computing" + (", by mean" if self.merged else "")
        header = (workers, "chance", "rates together (/s)", "next finish after (s)")
        return Table("Who is still computing", why, header, tuple(rows))

    def _label(self, crew: Crew) -> str:
        """The numbers of the workers; where some are alike, how many there are of each mean."""
        if not self.merged:
            return ", ".join(str(i) for i, count in enumerate(crew, 1) if count)
        kinds = zip(crew, self.times.kinds, strict=True)
        return ", ".join(f"{count} of {brief(mean)} s" for count, mean in kinds if count)

    # From one finish to the next

    def _gaps(self) -> DefineEach:
        lines = map(self._equal_gap if self.alike else self._gap, range(1, self.times.workers + 1))
        quantity = self.declared["gaps"]
        why = "" if self.alike else "; the times in the table, each by its chance"
        return _listing(quantity, lines, quantity.why + why)

    def _equal_gap(self, i: int) -> Line:
        left = self.times.workers - i + 1
        formula = MEAN / left if left > 1 else MEAN
        return f"d_{i}", formula, self.means, self.times.gaps[i - 1]

    def _gap(self, i: int) -> Line:
        stage = self.times.stages[i - 1].items()
        times = [(chance, Num(inverse(self.times.rate(crew)))) for crew, chance in stage]
        terms = [time if chance == 1 else Mul((Num(chance), time)) for chance, time in times]
        return f"d_{i}", total(terms), {}, self.times.gaps[i - 1]

    # From the start

    def formula(self, finish: int) -> tuple[Expr | None, Numbers, str]:
        names = {1: "first", self.times.workers: "last"} | {self.k: "wait"}
        why = "; ".join(filter(None, [self.declared[names[finish]].why, self._harmonic(finish)]))
        if self.alike:
            if finish == 1:
                return self._equal_gap(1)[1], self.means, why
            return MEAN * _parts(self.times.workers, finish), self.means, why
        if finish == 1:
            rates = {m.replace("m", "mu"): inverse(mean) for m, mean in self.means.items()}
            shown = all(map(is_short, rates.values()))
            return Num(1) / total(map(Sym, rates)), rates if shown else {}, why
        gaps = {f"d_{i}": self.times.gaps[i - 1] for i in range(1, finish + 1)}
        return total(map(Sym, gaps)), gaps if self.short else {}, why

    def _harmonic(self, finish: int) -> str:
        """The time of a finish by harmonic numbers; empty where it is not needed."""
        if not self.alike or finish == 1:
            return ""
        workers = self.times.workers
        text = f"m·H_{workers}"
        if finish < workers:
            text = f"m·(H_{workers} − H_{workers - finish})"
        known = finish > self.k > 1  # an earlier step has said what these are
        return text if known else f"{text} with harmonic numbers H_i = 1 + 1/2 + … + 1/i"


class LawWaits(Waits):
    """Those of workers whose *times* follow one law, of the *mean* that may be stated."""

    times: Alike

    def __init__(self, times: Alike, mean: Number | None, k: int, declared: Declared) -> None:
        self.times, self.k, self.declared = times, k, declared
        self.mean = {} if mean is None else {MEAN.name: mean}

    def of_workers(self) -> dict[str, Value]:
        values: dict[str, Value] = {n: evaluate(end, numbers) for n, end, numbers in self._ends()}
        variance = self._variance_value()
        return values if variance is None else {**values, "variances": variance}

    def _ends(self) -> Iterator[tuple[str, Expr, Numbers]]:
        """The ends of the law, each with its formula and the numbers in it."""
        match self.times:
            case Shifted(_, shift, _):
                yield "rest", MEAN - SHIFT, {**self.mean, SHIFT.name: shift}
            case Uniform(_, least, most):
                numbers = {**self.mean, SIGMA.name: ratio(most - least, 2)}
                yield "least", MEAN - SIGMA, numbers
                yield "most", MEAN + SIGMA, numbers
            case Pareto(_, _, tail):
                yield "least", MEAN * (TAIL - 1) / TAIL, {**self.mean, TAIL.name: tail}

    def _variance(self) -> tuple[Expr | None, Numbers]:
        """The formula of the variance, with its numbers."""
        match self.times:
            case Shifted(_, _, rest):
                return Pow(REST, Num(2)), {REST.name: rest}
            case Uniform(_, least, most):
                return Pow(MOST - LEAST, Num(2)) / 12, {LEAST.name: least, MOST.name: most}
            case Normal(_, _, spread):
                return Pow(SIGMA, Num(2)), {SIGMA.name: spread}
            case Pareto(_, least, tail) if tail > 2:
                formula = Pow(LEAST, Num(2)) * TAIL / (Pow(TAIL - 1, Num(2)) * (TAIL - 2))
                return formula, {LEAST.name: least, TAIL.name: tail}
        return None, {}

    def _variance_value(self) -> Number | None:
        if isinstance(self.times, Measured):
            return self.times.variance
        formula, numbers = self._variance()
        return None if formula is None else evaluate(formula, numbers)

    def variances(self) -> Iterator[Step]:
        if (variance := self._variance_value()) is not None:
            yield defined(self.declared["variances"], variance, *self._variance())

    def before(self) -> Iterator[Step]:
        for name, formula, numbers in self._ends():
            value = evaluate(formula, numbers)
            yield defined(self.declared[name], value, formula, numbers)
        if isinstance(self.times, Measured):
            yield self._chances(self.times)
        elif self.times.workers > 1:
            why = "the formula below, for every i"
            yield self._finishes("waits", why, "after the one before (s)", brief)

    def _chances(self, times: Measured) -> Table:
        """With which chance the k-th fastest takes each of the measured times."""
        shares: dict[Number, Number] = {}
        for time, share in zip(times.ordered, times.shares(self.k), strict=True):
            shares[time] = shares.get(time, 0) + share
        listed = list(shares.items())

        def row(i: int | None) -> Cells:
            return ("…",) * 2 if i is None else tuple(map(brief, listed[i - 1]))

        how = "with" if times.again else "without"
        why = f"{times.workers} times are drawn from the {len(times.listed)} {how} putting back"
        header = ("time (s)", "chance that it is the k-th smallest")
        rows = tuple(map(row, outlined(len(listed), len(listed) // 2)))
        return Table("Which of the measured times the k-th fastest takes", why, header, rows)

    def formula(self, finish: int) -> tuple[Expr | None, Numbers, str]:
        n = self.times.workers
        match self.times:
            case Shifted(_, shift, rest):
                why = "the least time, and the exponential waits one after the other"
                return SHIFT + REST * _parts(n, finish), {SHIFT.name: shift, REST.name: rest}, why
            case Uniform(_, least, most):
                formula = LEAST + (MOST - LEAST) * Num(finish) / Num(n + 1)
                why = "n times cut the interval into n + 1 gaps, which are alike on average"
                return formula, {LEAST.name: least, MOST.name: most}, why
            case Normal(_, mean, spread):
                z = ratio(self.times.waits[finish - 1] - mean, spread)
                why = (
                    f"the {_th(finish)} smallest of {n} standard normal values is expected at z, an"
                    " integral, to 57 digits"
                )
                return MEAN + SIGMA * Sym("z"), {"m": mean, SIGMA.name: spread, "z": z}, why
            case Pareto(_, least, tail):
                return self._product(finish, least, tail)
        return None, {}, "each measured time by its chance"

    def _product(self, k: int, least: Number, tail: Number) -> tuple[Expr | None, Numbers, str]:
        n = self.times.workers
        why = f"the product of α·i/(α·i − 1) for i = {n - k + 1} to {n}" if k > 1 else ""
        if k > FACTORS:
            return None, {}, f"the least time times {why}"
        factors = [TAIL * i / (TAIL * i - 1) for i in range(n, n - k, -1)]
        numbers = {LEAST.name: least, TAIL.name: tail}
        return Mul((LEAST, *factors)), numbers, why or "the shortest of n has the exponent n·α"


def _parts(n: int, finish: int) -> Expr:
    """1/n + 1/(n − 1) + …, as many as have finished."""
    return total(Num(1) / i if i > 1 else Num(1) for i in range(n, n - finish, -1))


def _th(k: int) -> str:
    """1st, 2nd, 3rd, 4th, …, 11th, …"""
    ends = {1: "st", 2: "nd", 3: "rd"}
    return f"{k}{'th' if k % 100 in (11, 12, 13) else ends.get(k % 10, 'th')}"


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


def _listing(quantity: Derived, lines: Iterable[Line], why: str) -> DefineEach:
    rows = tuple(
        defined(quantity, value, formula, numbers, why, symbol)
        for symbol, formula, numbers, value in lines
    )
    return DefineEach(quantity.name, quantity.title, why, rows)


def _fewer(k: int, n: int) -> Expr | None:
    """The chance of fewer than *k* done among *n*; None where it is a long sum."""
    if k == n > 1:
        return 1 - Pow(DONE, Num(n))
    if k > TERMS:
        return None
    return total(_term(i, n) for i in range(k))


def _term(i: int, n: int) -> Expr:
    left = Pow(LEFT, Num(n - i)) if n - i > 1 else LEFT
    if not i:
        return left
    done = Pow(DONE, Num(i)) if i > 1 else DONE
    return Num(comb(n, i)) * done * left
