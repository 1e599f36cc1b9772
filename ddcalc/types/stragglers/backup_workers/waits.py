"""How the waits for the first, second, … of workers come about, as values and as steps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from ddcalc.formula.algebra import harmonic, total
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, Fun, Mul, Num, Pow, Sym
from ddcalc.numbers.irrational import ratio
from ddcalc.numbers.number import Number
from ddcalc.problem.arguments import argued
from ddcalc.problem.play import brief, defined, is_short, outlined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.sentences import Summed
from ddcalc.problem.steps import Cells, DefineEach, Reasoned, Step, Table
from ddcalc.types.stragglers.backup_workers.model import (
    Alike,
    Crew,
    ExponentialTimes,
    Measured,
    Normal,
    Pareto,
    Shifted,
    Uniform,
    inverse,
)

RENYI = "Rényi 1953"
LISTED = 9  # crews in a table
FACTORS = 6  # of a product that are written out
PARTS = 10  # of a sum that are written out

MEAN, LEAST, MOST, TAIL, SIGMA = map(Sym, ("m", "t_low", "t_high", "alpha", "sigma"))
SHIFT, REST, LIMIT, FIXED = map(Sym, ("t_min", "t_exp", "x", "c"))

Declared = Mapping[str, Derived]
Numbers = Mapping[str, Number]
Value = Number | tuple[Number, ...]
Line = tuple[str, Expr | None, Numbers, Number]  # a symbol, its formula with numbers, its value


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

    def argument(self, finish: int) -> tuple[Reasoned, ...]:
        """Why the time of a finish has that formula, if SymPy sums it."""
        return ()

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
                step = defined(self.declared[name], value, *self.formula(finish))
                yield replace(step, argument=self.argument(finish)) if name == "wait" else step

    def _finishes(self, name: str, why: str, wait: str, text: Callable[[Number], str]) -> Table:
        """The expected time of every finish, and the *wait* for it after the one before."""
        waits = (0, *self.times.waits)

        def row(i: int | None) -> Cells:
            return (Num(i), text(waits[i] - waits[i - 1]), text(waits[i])) if i else ("…",) * 3

        rows = tuple(map(row, outlined(self.times.workers, self.k)))
        header = ("finish i", wait, "since the start (s)")
        return Table(self.declared[name].title, why, header, rows, name)


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
            yield listing(rates, lines, rates.why)
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
        yield listing(variances, lines, variances.why)

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
        return listing(quantity, lines, quantity.why + why)

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
        if self.alike:
            if finish == 1:
                return self._equal_gap(1)[1], self.means, ""
            return MEAN * _parts(self.times.workers, finish), self.means, ""
        if finish == 1:
            rates = {m.replace("m", "mu"): inverse(mean) for m, mean in self.means.items()}
            shown = all(map(is_short, rates.values()))
            return Num(1) / total(map(Sym, rates)), rates if shown else {}, "all are at work"
        gaps = {f"d_{i}": self.times.gaps[i - 1] for i in range(1, finish + 1)}
        why = "the waits from finish to finish, one after the other"
        return (total(map(Sym, gaps)), gaps, why) if self.short else (None, {}, why)

    def argument(self, finish: int) -> tuple[Reasoned, ...]:
        if not self.alike or finish == 1:
            return ()
        return _spacings(MEAN, self.times.workers, finish)


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
                why = (
                    "the least time passes for all at once, then the exponential parts end in turn"
                )
                return SHIFT + REST * _parts(n, finish), {SHIFT.name: shift, REST.name: rest}, why
            case Uniform(_, least, most):
                formula = LEAST + (MOST - LEAST) * Num(finish) / Num(n + 1)
                why = "n times cut the interval into n + 1 gaps, which are alike on average"
                return formula, {LEAST.name: least, MOST.name: most}, why
            case Normal(_, mean, spread):
                z = ratio(self.times.waits[finish - 1] - mean, spread)
                why = (
                    f"the {_th(finish)} smallest of {n} standard normal values is expected at the"
                    " factor of σ, an integral that is computed to 57 digits"
                )
                return MEAN + SIGMA * Num(z), {"m": mean, SIGMA.name: spread}, why
            case Pareto(_, least, tail):
                return self._product(finish, least, tail)
        return None, {}, "each measured time by its chance"

    def argument(self, finish: int) -> tuple[Reasoned, ...]:
        if not isinstance(self.times, Shifted) or self.times.workers == 1:
            return ()
        return _spacings(REST, self.times.workers, finish)

    def _product(self, k: int, least: Number, tail: Number) -> tuple[Expr | None, Numbers, str]:
        n = self.times.workers
        ratios = f"α·i/(α·i − 1) for i = {n} down to {n - k + 1}"
        why = (
            "where i are left, the next one takes α·i/(α·i − 1) times as long as the one before on"
            " average, as times that have passed a mark are Pareto ones from there on"
        )
        if k > FACTORS:
            return None, {}, f"{why}: the least time times {ratios}"
        factors = [TAIL * i / (TAIL * i - 1) for i in range(n, n - k, -1)]
        numbers = {LEAST.name: least, TAIL.name: tail}
        return Mul((LEAST, *factors)), numbers, why


def _parts(n: int, finish: int) -> Expr:
    """1/n + 1/(n − 1) + …, as many as have finished."""
    if finish > PARTS:
        return Fun("sum", (Num(1) / Sym("i"), Sym("i"), Num(n - finish + 1), Num(n)))
    return total(Num(1) / i if i > 1 else Num(1) for i in range(n, n - finish, -1))


def _spacings(mean: Expr, n: int, finish: int) -> tuple[Reasoned, ...]:
    """The wait for a *finish* among *n* exponential times of that *mean*, from one to the next."""
    i, shown = Sym("i"), mean * _parts(n, finish)
    says = (
        f"until the i-th finish {n + 1} − i are at work, and the next one of them is done after the"
        " mean over their number"
    )
    formula = mean * (harmonic(n) - harmonic(n - finish) if finish < n else harmonic(n))
    summed = Summed(Sym("E_k"), mean / (Num(n + 1) - i), i, Num(1), Num(finish), says, RENYI)
    *first, last = argued(summed, formula, {}, "backup-workers")
    return (*first, Reasoned(shown, last.reason))


def _th(k: int) -> str:
    """1st, 2nd, 3rd, 4th, …, 11th, …"""
    ends = {1: "st", 2: "nd", 3: "rd"}
    return f"{k}{'th' if k % 100 in (11, 12, 13) else ends.get(k % 10, 'th')}"


def listing(quantity: Derived, lines: Iterable[Line], why: str) -> DefineEach:
    """A step for *quantity* with one of the *lines* for each worker or finish."""
    rows = tuple(
        defined(quantity, value, formula, numbers, why, symbol)
        for symbol, formula, numbers, value in lines
    )
    return DefineEach(quantity.name, quantity.title, why, rows)
