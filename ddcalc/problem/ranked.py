"""The steps of a ranking: who is how fast, and where the order changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Known, Number, Rel, Sym
from ddcalc.numbers.amounts import amount_text
from ddcalc.numbers.units import BYTE, SECOND
from ddcalc.problem.putting import put_in
from ddcalc.problem.sentences import Ranking
from ddcalc.problem.steps import Solve, Step, Table


class _Line(NamedTuple):
    """A cost that grows from *start* (of the letter *a*) by *slope* (*b*) for every byte."""

    name: str
    a: Sym
    start: Number
    b: Sym
    slope: Number

    def at(self, place: Number) -> Number:
        return self.start + self.slope * place


_Change: TypeAlias = tuple[Number, _Line, _Line]  # the place, what is faster from there on, and not


def ranked(ranking: Ranking, known: Known) -> Iterator[Step]:
    """The order at what is *known*, and as the letter ranked by grows from nothing on."""
    by = ranking.by
    assert isinstance(by, Sym)
    here, lines = known[by.name], list[_Line]()
    assert here is not None
    for i, (name, time) in enumerate(ranking.times.items(), 1):
        start, one = (evaluate(time, {**known, by.name: place}) for place in (0, 1))
        lines.append(_Line(name, Sym(f"a_{i}"), start, Sym(f"b_{i}"), one - start))
    changes = sorted(_changes(lines), key=itemgetter(0))
    first = _fastest_at_first(lines)
    times = sorted(((line.at(here), line.name) for line in lines), key=itemgetter(0))
    rows = [
        (str(1 + sum(other < time for other, _ in times)), name, amount_text(time, SECOND))
        for time, name in times
    ]
    always = "" if changes else f"; {first} at every size above 0"
    why = f"the shortest time first{always}"
    yield Table(ranking.title, why, ("rank", "by", "time"), tuple(rows))
    if changes:
        yield from _order_changes(ranking.place, lines, changes, first)


def _order_changes(
    letter: str, lines: Sequence[_Line], changes: Sequence[_Change], first: str
) -> Iterator[Step]:
    """Where the order *changes*, and the places among these from which on another is fastest."""
    head, each = ("by", "", "start", "", "for each byte"), SECOND.per(BYTE)
    rows = [
        (name, a, amount_text(start, SECOND), b, amount_text(slope, each))
        for name, a, start, b, slope in lines
    ]
    why = "what it takes to start, and for each byte"
    yield Table("Each time is a line", why, head, tuple(rows))
    why = f"{first} at the smallest sizes above 0"
    yield Table(
        "Where the order changes",
        f"{why}; from each of these sizes on, the first is faster than the second",
        ("from", "faster", "slower"),
        tuple((amount_text(x, BYTE), fast.name, slow.name) for x, fast, slow in changes),
    )
    for place, faster, slower in changes:
        least = min((line.at(place), line.slope) for line in lines)
        if (faster.at(place), faster.slope) == least:
            yield _solved(letter, place, slower, faster)


def _changes(lines: Sequence[_Line]) -> Iterator[_Change]:
    """The places from which on a line is below another one, with both."""
    for one, other in combinations(lines, 2):
        if one.slope == other.slope:
            continue
        steep, flat = (one, other) if one.slope > other.slope else (other, one)
        place = Fraction(flat.start - steep.start) / Fraction(steep.slope - flat.slope)
        if place > 0:
            yield place, flat, steep


def _fastest_at_first(lines: Sequence[_Line]) -> str:
    """Who is fastest where there is hardly anything to send; several if their lines are one."""
    least = min((line.start, line.slope) for line in lines)
    names = [line.name for line in lines if (line.start, line.slope) == least]
    if len(names) == len(lines) > 1:
        return "all are as fast as each other"
    *others, last = names
    return f"{', '.join(others)} and {last} are fastest" if others else f"{last} is fastest"


def _solved(letter: str, value: Number, one: _Line, other: _Line) -> Solve:
    formula, numbers = (other.a - one.a) / (one.b - other.b), dict[str, Number]()
    for line in (one, other):
        numbers |= {line.a.name: line.start, line.b.name: line.slope}
    units = {name: SECOND if name[0] == "a" else SECOND.per(BYTE) for name in numbers}
    at = Sym(letter)
    return Solve(
        name="",
        symbol=letter,
        title=f"{one.name} and {other.name}",
        why=f"both take equally long; beyond it {other.name} is fastest",
        unit=BYTE,
        relation=Rel("==", one.a + one.b * at, other.a + other.b * at),
        unknown=letter,
        op="==",
        formula=formula,
        numbers=put_in(formula, numbers, units),
        value=value,
    )
