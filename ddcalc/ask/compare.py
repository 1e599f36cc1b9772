"""Compare: two questions side by side, and what differs between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ddcalc.ask.solve import Derivation, Result, singles, texts_of
from ddcalc.errors import BadValue
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, Num, Number, Sym, addends, letter, symbols
from ddcalc.numbers.amounts import ALIKE, amount, amount_text, common, in_unit, reads_well, signed
from ddcalc.numbers.display import ABOUT, equal
from ddcalc.numbers.irrational import ratio
from ddcalc.numbers.number import magnitude, plain
from ddcalc.numbers.units import Unit
from ddcalc.problem.quantity import spoken
from ddcalc.problem.said.steps import Cells, Report, Step, Table, Value
from ddcalc.problem.stated import Stated, Texts, read

LISTED = 8  # members of a list up to which each is compared
SHOWN = 4  # values of a list that are written out
NAME = 28  # characters of a name that heads a column


def against(base: Derivation, changed: Texts) -> Derivation:
    """The question of *base* with what *changed* states instead, solved.

    Raises DdcalcError (Several, where more than one thing is wrong).
    """
    named = {name.replace("-", "_"): text for name, text in changed.items()}
    return Derivation(read(base.problem, {**texts_of(base.stated), **named}))


@dataclass(frozen=True, slots=True)
class StatedChange:
    """A given or choice *name* that is stated differently, *before* and *after* in words."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class QuantityPair:
    """A quantity of both questions."""

    first: Result
    second: Result

    @property
    def difference(self) -> Number | None:
        """The second value less the first; None unless both are numbers."""
        first, second = _number(self.first), _number(self.second)
        return None if first is None or second is None else second - first

    @property
    def ratio(self) -> Number | None:
        """The second value over the first; None where that is no number."""
        first, second = _number(self.first), _number(self.second)
        return None if not first or second is None else ratio(second, first)

    @property
    def unit(self) -> Unit:
        """The unit in which both values are readable, else the usual one."""
        values = (self.first.value, self.second.value)
        known = [value for value in values if isinstance(value, Number)]
        return common(known, self.first.unit) or self.first.unit


class Comparison:
    """The *second* question compared with the *first*, each under its name.

    Raises BadValue where the answers do not measure the same.
    """

    def __init__(self, first: Derivation, second: Derivation, names: tuple[str, str]) -> None:
        self.first, self.second, self.names = first, second, names
        mine, other = first.answer.unit.dimension, second.answer.unit.dimension
        if mine != other:
            reason = f"answers with {other}, {names[0]} with {mine}; they cannot be compared"
            raise BadValue(names[1], reason)

    @property
    def alike(self) -> bool:
        """Whether both are of one type."""
        return self.first.problem is self.second.problem

    @property
    def answer(self) -> QuantityPair:
        """Both answers."""
        return QuantityPair(self.first.answer, self.second.answer)

    @cached_property
    def changes(self) -> tuple[StatedChange, ...]:
        """What both can state and do differently, in the order of declaration."""
        first, second = self.first.stated, self.second.stated
        before, after = (dict(side.shape.reading) for side in (first, second))
        shared = (n for n in first.problem.givens if n in second.problem.givens)
        names = [name for name in shared if _value(first, name) != _value(second, name)]
        names += [name for name in before if before[name] != after.get(name, before[name])]
        return tuple(StatedChange(n, _stated(first, n), _stated(second, n)) for n in names)

    @cached_property
    def terms(self) -> Mapping[Expr, QuantityPair]:
        """What differs of the terms that both answers are the sum of, the largest difference first:
        these add up to that of the answers. Empty where an answer is no sum."""
        before, after = _addends(self.first), _addends(self.second)
        if not self.alike or not before or not after:
            return {}
        every = {one: replace(result, value=0) for one, result in {**before, **after}.items()}
        pairs = {x: QuantityPair(before.get(x, no), after.get(x, no)) for x, no in every.items()}
        sizes = {one: magnitude(pair.difference or 0) for one, pair in pairs.items()}
        return {one: pairs[one] for one in sorted(pairs, key=lambda x: -sizes[x]) if sizes[one]}

    @cached_property
    def rows(self) -> tuple[QuantityPair, ...]:
        """Every derived quantity that both have, in order; lists of one length, unless long."""
        found = list[QuantityPair]()
        for name in self.first.values:
            mine = singles(self.first.quantities[name])
            others = singles(self.second.quantities.get(name, ()))
            if len(mine) == len(others) <= LISTED:
                found += map(QuantityPair, mine, others)
        return tuple(x for x in found if x.first.unit.dimension == x.second.unit.dimension)


def _addends(solved: Derivation) -> dict[Expr, Result]:
    """The terms of which the answer is the sum, each by what it is; none unless it is one."""
    answer, plan, origin = solved.answer, solved.working.plan, solved.working.problem.origin
    rules = {line.symbol: line.formula for line in plan.lines} if plan else {}
    terms = [*addends(rules.get(answer.symbol, Num(0)), rules)]
    found: dict[Expr, Result] = {}
    for term in terms if len(terms) > 1 else ():
        quantities = (origin[letter][0] for letter in symbols(term))
        alike = (x.name for x in quantities if x.unit.dimension == answer.unit.dimension)
        value = evaluate(term, solved.working.letters)
        found[term] = Result(next(alike, ""), answer.symbol, answer.unit, value)
    return found


def _number(result: Result) -> Number | None:
    value = result.value
    return None if value is None or isinstance(value, Expr) else plain(value)


def _value(stated: Stated, name: str) -> str | Number | tuple[Number, ...] | None:
    """What is stated of given *name*: a word, a number (base units), or a list of them."""
    return stated.values.get(name, dict(stated.shape.words).get(name))


def _stated(stated: Stated, name: str) -> str:
    """What is stated of *name*, in words."""
    if name in stated.problem.choices:
        return stated.problem.choices[name].written(dict(stated.shape.reading)[name])
    if (measured := stated.measured.get(name)) is None:
        return dict(stated.shape.words).get(name, "not stated")
    shown = [amount(one.value, one.unit, stated=True).marked for one in measured[:SHOWN]]
    words = ", ".join(shown) + (f", … ({len(measured)})" if len(measured) > SHOWN else "")
    if name in stated.filled:
        return f"{words} ({stated.filled[name].preset.name})"
    return words if name in stated.said else f"{words} (usual)"


# The page


def report(comparisons: Sequence[Comparison]) -> Report:
    """The report of *comparisons*, all with the same first question."""
    several = len(comparisons) > 1
    names = ", ".join(comparison.names[1] for comparison in comparisons)
    same = [one.names[1] for one in comparisons if one.alike and not one.changes]
    return Report(
        f"{comparisons[0].names[0]} against {names}",
        tuple(step for comparison in comparisons for step in _steps(comparison, several)),
        "; ".join(answer(comparison, several) for comparison in comparisons),
        tuple(("The same", f"{name} states nothing else") for name in same),
    )


def _steps(comparison: Comparison, several: bool) -> Iterator[Step]:
    """The tables of *comparison*; their titles name it where there are *several*."""
    name = f": {comparison.names[1]}" if several else ""
    head = tuple(n if len(n) <= NAME else f"{n[: NAME - 1]}…" for n in comparison.names)
    if comparison.changes:
        rows = tuple((one.name, one.before, one.after) for one in comparison.changes)
        yield Table(f"What is stated differently{name}", "", ("", *head), rows)
    if comparison.terms:
        why = f"terms of the {spoken(comparison.answer.first.name)} that differ"
        yield terms_table(comparison, f"What makes the difference{name}", why, head)
    both, asked = comparison.rows, comparison.answer
    pairs = both if both and asked.first.name == asked.second.name else (*both, asked)
    differing = [pair for pair in pairs if pair.first.value != pair.second.value]
    why = f"{len(differing)} of {len(pairs)} differ, in the order of derivation"
    header = ("", "", *head, "difference", "ratio")
    yield Table(f"What follows{name}", why, header, tuple(map(_row, differing or pairs)))


def terms_table(comparison: Comparison, title: str, why: str, head: Sequence[str]) -> Table:
    """The terms of both answers that differ, under the *head* of each."""
    rows = tuple((one, *_row(pair)[1:-1]) for one, pair in comparison.terms.items())
    return Table(title, why, ("", "", *head, "difference"), rows)


def answer(comparison: Comparison, several: bool = False) -> str:
    """Both answers and their difference in one line."""
    pair = comparison.answer
    first, second, unit = pair.first, pair.second, pair.unit
    start = f"{comparison.names[1]}: " if several else ""
    start += letter(first.symbol)
    if isinstance(first.value, Expr) or isinstance(second.value, Expr):
        same = first.value == second.value
        return f"{start} {'is the same formula both times' if same else 'differs: see the table'}"
    before, after = (_words(side.value, unit) for side in (first, second))
    if first.value == second.value:
        return f"{equal(start, before)}, both times"
    if first.symbol != second.symbol:
        after = equal(letter(second.symbol), after)
    moved = f"{equal(start, before)} → {after}"
    if pair.difference is None:
        return moved
    size = _words(magnitude(pair.difference), unit)
    if size.endswith(" %"):
        size = f"{size.removesuffix(' %')} percentage points"
    factor = "" if pair.ratio is None else f", {_times(pair.ratio)}"
    return f"{moved}: {size} {'more' if pair.difference > 0 else 'less'}{factor}"


def _row(pair: QuantityPair) -> Cells:
    first, second, unit = pair.first, pair.second, pair.unit
    symbol: str | Expr = Sym(first.symbol)
    if first.symbol != second.symbol:
        symbol = f"{letter(first.symbol)}, {letter(second.symbol)}"
    sides = (first.value, second.value)
    values = (one if isinstance(one, Expr) else _words(one, unit) for one in sides)
    difference = ratio = ""
    if first.value != second.value:
        difference = "" if pair.difference is None else signed(pair.difference, unit)
        ratio = "" if pair.ratio is None else _times(pair.ratio)
    return symbol, spoken(first.name), *values, difference, ratio


def _times(ratio: Number) -> str:
    return "× " + amount_text(ratio, None, digits=4).removeprefix(ABOUT)


def _words(value: Value, unit: Unit) -> str:
    if value is None:
        return "none"
    if isinstance(value, Expr):
        return "a formula"
    is_alike = not value or reads_well(value, unit, ALIKE)
    return in_unit(value, unit).marked if is_alike else amount_text(value, unit)
