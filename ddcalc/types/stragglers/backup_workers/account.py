"""Why workers with exponential times take as long as they do, as steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ddcalc.formula.algebra import total
from ddcalc.formula.expression import Expr, Mul, Num, Pow, Sym
from ddcalc.numbers.number import Number
from ddcalc.problem.play import brief, defined, is_short, outlined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Cells, Define, DefineEach, Step, Table
from ddcalc.types.stragglers.backup_workers.exponential import Crew, ExponentialTimes, inverse

LISTED = 15  # crews in a table, as many as four workers make

MEAN = Sym("m")  # of every worker, where all are alike

Line = tuple[str, Expr, Mapping[str, Number], Number]  # a symbol, its formula with numbers, a value


@dataclass(frozen=True, slots=True)
class Account:
    """The steps of *times*, whose *wait_for*-th is asked for; *declared* is what they define."""

    times: ExponentialTimes
    wait_for: int
    declared: Mapping[str, Derived]

    @property
    def workers(self) -> int:
        return len(self.times.means)

    @property
    def alike(self) -> bool:
        return len(self.times.kinds) == 1

    @property
    def merged(self) -> bool:
        """Whether some workers are alike, and are told by their mean."""
        return len(self.times.kinds) < self.workers

    @property
    def short(self) -> bool:
        """Whether the numbers can be written out."""
        chances = (chance for stage in self.times.stages for chance in stage.values())
        return all(map(is_short, self.times.gaps)) and all(map(is_short, chances))

    def steps(self) -> Iterator[Step]:
        """From each worker's time to the expected time of the k-th fastest."""
        if not self.alike:
            yield self._each("rates", self._rates())
            yield self._crews()
        yield self._gaps() if self.alike or self.short else self._gap_table()
        if self.wait_for > 1:
            yield self._wait("first", 1)
        yield self._wait("wait", self.wait_for)
        if self.wait_for < self.workers:
            yield self._wait("last", self.workers)

    def variances(self) -> Iterator[Step]:
        """How far each worker's time lies around its mean."""
        yield self._each("variances", self._variances())

    # Each worker

    def _each_mean(self) -> Iterator[tuple[str, Number]]:
        """The mark of each worker's letters, and its mean; one for all where all are alike."""
        if self.alike:
            yield "", self.times.means[0]
        else:
            yield from ((f"_{i}", mean) for i, mean in enumerate(self.times.means, 1))

    def _variances(self) -> Iterator[Line]:
        for mark, mean in self._each_mean():
            letter = f"m{mark}"
            yield f"V{mark}", Pow(Sym(letter), Num(2)), {letter: mean}, mean**2

    def _rates(self) -> Iterator[Line]:
        for mark, mean in self._each_mean():
            letter, rate = f"m{mark}", inverse(mean)
            yield f"mu{mark}", Num(1) / Sym(letter), {letter: mean}, rate

    # Who is still computing

    def _crews(self) -> Table:
        found = [each for stage in self.times.stages for each in stage.items()]
        rows = [self._crew(crew, chance) for crew, chance in found[:LISTED]]
        why = (
            "each of those at work is the next to finish with the chance of its rate over the sum"
            " of their rates; exponential times have no memory, so the others go on as if afresh"
        )
        if len(found) > LISTED:
            rows.append(("…",) * 4)
            why += f"; {len(found) - LISTED} more are not listed"
        workers = "still computing" + (", by mean" if self.merged else "")
        header = (workers, "chance", "rates together (/s)", "next finish after (s)")
        return Table("Who is still computing", why, header, tuple(rows))

    def _crew(self, crew: Crew, chance: Number) -> Cells:
        rate = self.times.rate(crew)
        return self._label(crew), brief(chance), brief(rate), brief(inverse(rate))

    def _label(self, crew: Crew) -> str:
        """The numbers of the workers; where some are alike, how many there are of each mean."""
        if not self.merged:
            return ", ".join(str(i) for i, count in enumerate(crew, 1) if count)
        told = zip(crew, self.times.kinds, strict=True)
        return ", ".join(f"{count} of {brief(mean)} s" for count, mean in told if count)

    # From one finish to the next

    def _gaps(self) -> DefineEach:
        lines = map(self._equal_gap if self.alike else self._gap, range(1, self.workers + 1))
        why = "" if self.alike else "the times in the table, each by its chance"
        return self._each("gaps", lines, why)

    def _equal_gap(self, i: int) -> Line:
        left = self.workers - i + 1
        formula = MEAN / left if left > 1 else MEAN
        return f"d_{i}", formula, {MEAN.name: self.times.means[0]}, self.times.gaps[i - 1]

    def _gap(self, i: int) -> Line:
        terms = [
            Num(inverse(self.times.rate(crew)))
            if chance == 1
            else Mul((Num(chance), Num(inverse(self.times.rate(crew)))))
            for crew, chance in self.times.stages[i - 1].items()
        ]
        return f"d_{i}", total(terms), {}, self.times.gaps[i - 1]

    def _gap_table(self) -> Table:
        def row(i: int | None) -> Cells:
            if i is None:
                return ("…",) * 3
            return Num(i), brief(self.times.gaps[i - 1]), brief(self.times.waits[i - 1])

        rows = tuple(map(row, outlined(self.workers, self.wait_for)))
        why = "the times of the sets above, each by its chance, and added up"
        header = ("finish i", "wait for it d_i (s)", "since the start (s)")
        return Table(self.declared["gaps"].title, why, header, rows)

    # From the start

    def _wait(self, name: str, finish: int) -> Define:
        formula, numbers = self._sum(finish)
        why, told = self.declared[name].why, self._harmonic(finish)
        why = f"{why}; {told}" if told else why
        return defined(self.declared[name], self.times.waits[finish - 1], formula, numbers, why)

    def _harmonic(self, finish: int) -> str:
        """The time of a finish by harmonic numbers; empty where it is not needed."""
        if not self.alike or finish == 1:
            return ""
        told = f"m·H_{self.workers}"
        if finish < self.workers:
            told = f"m·(H_{self.workers} − H_{self.workers - finish})"
        known = finish > self.wait_for > 1  # an earlier step has said what these are
        return told if known else f"{told} with harmonic numbers H_i = 1 + 1/2 + … + 1/i"

    def _sum(self, finish: int) -> tuple[Expr, Mapping[str, Number]]:
        """The formula of the time of a finish, and the numbers in it."""
        if self.alike:
            mean = {MEAN.name: self.times.means[0]}
            if finish == 1:
                return self._equal_gap(1)[1], mean
            left = range(self.workers, self.workers - finish, -1)
            return MEAN * total(Num(1) / i if i > 1 else Num(1) for i in left), mean
        if finish == 1:
            rates = {f"mu{mark}": inverse(mean) for mark, mean in self._each_mean()}
            told = all(map(is_short, rates.values()))
            return Num(1) / total(map(Sym, rates)), rates if told else {}
        gaps = {f"d_{i}": self.times.gaps[i - 1] for i in range(1, finish + 1)}
        return total(map(Sym, gaps)), gaps if self.short else {}

    # Their form

    def _each(self, name: str, lines: Iterable[Line], more: str = "") -> DefineEach:
        quantity = self.declared[name]
        why = f"{quantity.why}; {more}" if more else quantity.why
        rows = tuple(
            defined(quantity, value, formula, numbers, why, symbol)
            for symbol, formula, numbers, value in lines
        )
        return DefineEach(quantity.name, quantity.title, why, rows)
