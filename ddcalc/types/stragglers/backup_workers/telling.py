"""Why workers with times of one law take as long as they do, as steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ddcalc.formula.algebra import total
from ddcalc.formula.expression import Expr, Mul, Num, Pow, Sym
from ddcalc.numbers.approximate import ratio
from ddcalc.numbers.number import Number
from ddcalc.problem.cells import brief, decimal, outlined
from ddcalc.problem.defining import defined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Cells, Define, Step, Table
from ddcalc.types.stragglers.backup_workers.laws import (
    Alike,
    Measured,
    Normal,
    Pareto,
    Shifted,
    Uniform,
)

WRITTEN = 6  # factors of a product that are written out

M, LEAST, MOST, TAIL, SIGMA = Sym("m"), Sym("t_low"), Sym("t_high"), Sym("alpha"), Sym("sigma")

Told = tuple[Expr | None, Mapping[str, Number], str]  # a formula with its numbers, and why


@dataclass(frozen=True, slots=True)
class Telling:
    """The steps of *times* of the mean *mean*, whose *wait_for*-th is asked for; *declared* is
    what they define."""

    times: Alike
    mean: Number | None
    wait_for: int
    declared: Mapping[str, Derived]

    @property
    def workers(self) -> int:
        return self.times.workers

    def steps(self) -> Iterator[Step]:
        """From the law of one worker's time to the expected time of the k-th fastest."""
        yield from self._law()
        if isinstance(self.times, Measured):
            yield self._chances(self.times)
        elif self.workers > 1:
            yield self._table()
        if self.wait_for > 1:
            yield self._wait("first", 1)
        yield self._wait("wait", self.wait_for)
        if self.wait_for < self.workers:
            yield self._wait("last", self.workers)

    def _law(self) -> Iterator[Step]:
        """The ends of the law."""
        times, numbers = self.times, {} if self.mean is None else {M.name: self.mean}
        match times:
            case Shifted(_, shift, rest):
                told = {**numbers, "t_min": shift}
                yield self._define("rest", rest, M - Sym("t_min"), told)
            case Uniform(_, least, most):
                told = {**numbers, SIGMA.name: ratio(most - least, 2)}
                yield self._define("least", least, M - SIGMA, told)
                yield self._define("most", most, M + SIGMA, told)
            case Pareto(_, least, tail):
                told = {**numbers, TAIL.name: tail}
                yield self._define("least", least, M * (TAIL - 1) / TAIL, told)

    def variances(self) -> Iterator[Step]:
        """How far a worker's time lies around its mean, where that is finite."""
        if self.times.variance is not None:
            yield self._define("variances", self.times.variance, *self._variance())

    def _variance(self) -> tuple[Expr | None, Mapping[str, Number]]:
        """The formula of the variance, with its numbers."""
        match self.times:
            case Shifted(_, _, rest):
                return Pow(Sym("t_exp"), Num(2)), {"t_exp": rest}
            case Uniform(_, least, most):
                return Pow(MOST - LEAST, Num(2)) / 12, {LEAST.name: least, MOST.name: most}
            case Normal(_, _, spread):
                return Pow(SIGMA, Num(2)), {SIGMA.name: spread}
            case Pareto(_, least, tail):
                formula = Pow(LEAST, Num(2)) * TAIL / (Pow(TAIL - 1, Num(2)) * (TAIL - 2))
                return formula, {LEAST.name: least, TAIL.name: tail}
        return None, {}

    def _table(self) -> Table:
        """The expected time of every finish."""

        def row(i: int | None) -> Cells:
            if i is None:
                return ("…",) * 3
            before = self.times.waits[i - 2] if i > 1 else 0
            return (
                Num(i),
                decimal(self.times.waits[i - 1] - before),
                decimal(self.times.waits[i - 1]),
            )

        rows = tuple(map(row, outlined(self.workers, self.wait_for)))
        header = ("finish i", "after the one before (s)", "since the start (s)")
        return Table(self.declared["waits"].title, "the formula below, for every i", header, rows)

    def _chances(self, times: Measured) -> Table:
        """With which chance the k-th fastest takes each of the measured times."""
        shares: dict[Number, Number] = {}
        for time, share in zip(times.ordered, times.shares(self.wait_for), strict=True):
            shares[time] = shares.get(time, 0) + share
        listed = list(shares.items())

        def row(i: int | None) -> Cells:
            if i is None:
                return ("…",) * 2
            time, share = listed[i - 1]
            return brief(time), brief(share)

        how = "with" if times.again else "without"
        why = f"{self.workers} times are drawn from the {len(times.listed)} {how} putting back"
        header = ("time (s)", "chance that it is the k-th smallest")
        rows = tuple(map(row, outlined(len(listed), len(listed) // 2)))
        return Table("Which of the measured times the k-th fastest takes", why, header, rows)

    # From the start

    def _wait(self, name: str, finish: int) -> Define:
        formula, numbers, why = self._formula(finish)
        value = self.times.waits[finish - 1]
        return defined(self.declared[name], value, formula, numbers, why)

    def _formula(self, k: int) -> Told:
        """The formula of the expected time of the *k*-th fastest, and why it holds."""
        n = self.workers
        match self.times:
            case Shifted(_, shift, rest):
                waits = total(Num(1) / i if i > 1 else Num(1) for i in range(n, n - k, -1))
                formula: Expr = Sym("t_min") + Sym("t_exp") * waits
                why = "the least time, and the exponential waits one after the other"
                return formula, {"t_min": shift, "t_exp": rest}, why
            case Uniform(_, least, most):
                formula = LEAST + (MOST - LEAST) * Num(k) / Num(n + 1)
                why = "n times cut the interval into n + 1 gaps, which are alike on average"
                return formula, {LEAST.name: least, MOST.name: most}, why
            case Normal(_, mean, spread):
                z = ratio(self.times.waits[k - 1] - mean, spread)
                why = (
                    f"the {_th(k)} smallest of {n} standard normal values is expected at z, an"
                    " integral, to 57 digits"
                )
                return M + SIGMA * Sym("z"), {M.name: mean, SIGMA.name: spread, "z": z}, why
            case Pareto(_, least, tail):
                return self._product(k, least, tail)
        return None, {}, "each measured time by its chance"

    def _product(self, k: int, least: Number, tail: Number) -> Told:
        n = self.workers
        why = f"the product of α·i/(α·i − 1) for i = {n - k + 1} to {n}" if k > 1 else ""
        if k > WRITTEN:
            return None, {}, f"the least time times {why}"
        factors = [TAIL * i / (TAIL * i - 1) for i in range(n, n - k, -1)]
        numbers = {LEAST.name: least, TAIL.name: tail}
        return Mul((LEAST, *factors)), numbers, why or "the shortest of n has the exponent n·α"

    def _define(
        self, name: str, value: Number | None, formula: Expr | None, numbers: Mapping[str, Number]
    ) -> Define:
        return defined(self.declared[name], value, formula, numbers)


def _th(k: int) -> str:
    """1st, 2nd, 3rd, 4th, …, 11th, …"""
    ends = {1: "st", 2: "nd", 3: "rd"}
    return f"{k}{'th' if k % 100 in (11, 12, 13) else ends.get(k % 10, 'th')}"
