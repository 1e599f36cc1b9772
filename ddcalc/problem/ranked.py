"""The steps of a ranking: who is how fast, and where the order changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from operator import itemgetter

from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, Known, Number, Rel, Sym
from ddcalc.numbers.amounts import amount_text
from ddcalc.numbers.units import BYTE, SECOND
from ddcalc.problem.putting import put_in
from ddcalc.problem.sentences import Ranking
from ddcalc.problem.steps import Solve, Step, Table


@dataclass(frozen=True, slots=True)
class _Line:
    """A cost that grows from *start* by *slope* for every byte."""

    number: int
    name: str
    start: Number
    slope: Number

    def letter(self, kind: str) -> Sym:
        """The letter of its start (a) or slope (b)."""
        return Sym(f"{kind}_{self.number}")

    def at(self, place: Number) -> Number:
        return self.start + self.slope * place


@dataclass(frozen=True, slots=True)
class _Change:
    """From *place* on, *faster* is faster than *slower*."""

    place: Number
    faster: _Line
    slower: _Line


def ranked(ranking: Ranking, known: Known) -> Iterator[Step]:
    """The order at what is *known*, and as the letter ranked by grows from nothing on."""
    assert isinstance(ranking.by, Sym)
    times = enumerate(ranking.times.items(), 1)
    lines = [_line(i, name, time, ranking.by, known) for i, (name, time) in times]
    here = known[ranking.by.name]
    assert here is not None
    changes = sorted(_changes(lines), key=lambda change: change.place)
    yield _order(ranking, lines, here, always=not changes)
    if changes:
        yield _lines(lines)
        yield _order_changes(changes, lines)
    for change in changes:
        place = change.place
        first = min((line.at(place), line.slope) for line in lines)
        if (change.faster.at(place), change.faster.slope) == first:
            yield _solved(ranking.place, change)


def _line(number: int, name: str, cost: Expr, by: Sym, known: Known) -> _Line:
    start, one = (evaluate(cost, {**known, by.name: place}) for place in (0, 1))
    return _Line(number, name, start, one - start)


def _order(ranking: Ranking, lines: Sequence[_Line], here: Number, always: bool) -> Table:
    """The order at the place *here*, or *always*."""
    times = sorted(((line.at(here), line.name) for line in lines), key=itemgetter(0))
    rows = []
    for time, name in times:
        place = 1 + sum(other < time for other, _ in times)
        rows.append((str(place), name, amount_text(time, SECOND)))
    why = "the shortest time first" + (
        f"; {_fastest_at_first(lines)} at every size above 0" * always
    )
    return Table(ranking.title, why, ("rank", "by", "time"), tuple(rows))


def _changes(lines: Sequence[_Line]) -> Iterator[_Change]:
    for one, other in combinations(lines, 2):
        if one.slope == other.slope:
            continue
        steep, flat = (one, other) if one.slope > other.slope else (other, one)
        place = Fraction(flat.start - steep.start) / Fraction(steep.slope - flat.slope)
        if place > 0:
            yield _Change(place, flat, steep)


def _order_changes(changes: Sequence[_Change], lines: Sequence[_Line]) -> Table:
    rows = [(amount_text(x.place, BYTE), x.faster.name, x.slower.name) for x in changes]
    why = (
        f"{_fastest_at_first(lines)} at the smallest sizes above 0"
        "; from each of these sizes on, the first is faster than the second"
    )
    return Table("Where the order changes", why, ("from", "faster", "slower"), tuple(rows))


def _fastest_at_first(lines: Sequence[_Line]) -> str:
    """Who is fastest where there is hardly anything to send; several if their lines are one."""
    least = min((line.start, line.slope) for line in lines)
    names = [line.name for line in lines if (line.start, line.slope) == least]
    if len(names) == len(lines) > 1:
        return "all are as fast as each other"
    *others, last = names
    return f"{', '.join(others)} and {last} are fastest" if others else f"{last} is fastest"


def _lines(lines: Sequence[_Line]) -> Table:
    rows = [
        (
            line.name,
            line.letter("a"), amount_text(line.start, SECOND),
            line.letter("b"), amount_text(line.slope, SECOND.per(BYTE)),
        )
        for line in lines
    ]  # fmt: skip
    header = ("by", "", "start", "", "for each byte")
    return Table(
        "Each time is a line", "what it takes to start, and for each byte", header, tuple(rows)
    )


def _solved(place: str, change: _Change) -> Solve:
    one, other = change.slower, change.faster
    at = Sym(place)
    left, right = (line.letter("a") + line.letter("b") * at for line in (one, other))
    formula = (other.letter("a") - one.letter("a")) / (one.letter("b") - other.letter("b"))
    numbers = {f"a_{line.number}": line.start for line in (one, other)}
    numbers |= {f"b_{line.number}": line.slope for line in (one, other)}
    units = {letter: SECOND if letter[0] == "a" else SECOND.per(BYTE) for letter in numbers}
    return Solve(
        name="",
        symbol=place,
        title=f"{one.name} and {other.name}",
        why=f"both take equally long; beyond it {other.name} is fastest",
        unit=BYTE,
        relation=Rel("==", left, right),
        unknown=place,
        op="==",
        formula=formula,
        numbers=put_in(formula, numbers, units),
        value=change.place,
    )
