"""What each pair of gradients costs under a Lipschitz constant: a table for an explanation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ddcalc.formula.expression import Expr, Fun, Num, Rel, Sym
from ddcalc.numbers.display import decimal_or_fraction
from ddcalc.numbers.number import Number, product, quotient
from ddcalc.problem.play import outline
from ddcalc.problem.steps import Cells, Table
from ddcalc.types.schedules.divergence.bound import Sizes
from ddcalc.types.schedules.divergence.pairs import OpenPair, Pair, cost_name, open_pairs, pairs
from ddcalc.types.schedules.divergence.runs import Runs

TITLE = "What each pair costs"
HEADER = ("data", "asynchronous", "alone", "d", "η·L·d", "what binds", "cost")
WHY = (
    "two gradients on the same data differ by at most 2Δ, and by at most L times the distance of"
    " their points, η·Δ·d; d counts the updates that only one of the points has, and adds what"
    " earlier pairs in both cost; in units of Δ the cost is the smaller of 2 and η·L·d"
)


def costs_of(runs: Runs, sizes: Sizes) -> Mapping[int, Number | Sym]:
    """The cost of each pair that differs, in units of Δ, by data number; a letter if η is open."""
    if sizes.slope is None:
        return {data: cost_name(data) for data in range(runs.shared + 1, runs.matched + 1)}
    return {pair.data: pair.cost for pair in pairs(runs, sizes.slope)}


def cost_table(runs: Runs, sizes: Sizes) -> Table | None:
    """Each pair that differs, and which of its limits binds; None if there are none or no L."""
    if sizes.lipschitz is None or runs.matched == runs.shared:
        return None
    if sizes.slope is None:
        open_ones = open_pairs(runs, sizes.lipschitz)
        rows = tuple(_open_row(runs, pair, sizes.lipschitz) for pair in open_ones)
        return Table(TITLE, f"{WHY}; p_i is the cost of the pair on data i", HEADER, rows)
    found = list(pairs(runs, sizes.slope))
    why = WHY
    if any(pair.rounded for pair in found):
        why += "; long numbers are rounded up, so the bound still holds"
    return Table(TITLE, why, HEADER, _rows(runs, found))


def _rows(runs: Runs, found: Sequence[Pair]) -> tuple[Cells, ...]:
    return tuple(
        ("…",) * len(HEADER) if place is None else _row(runs, found[place])
        for place in outline(0, len(found) - 1)
    )


def _row(runs: Runs, pair: Pair) -> Cells:
    points = _points(runs, pair.data)
    numbers = (Num(pair.distance), Num(pair.lipschitz))
    return (Num(pair.data), *points, *numbers, _binding(pair.lipschitz), Num(pair.cost))


def _open_row(runs: Runs, pair: OpenPair, lipschitz: Number) -> Cells:
    points = _points(runs, pair.data)
    binds = "depends on η"
    if isinstance(pair.distance, Num):
        least = product(lipschitz, pair.distance.value)
        turn = quotient(2 * least.denominator, least.numerator)
        binds = f"Lipschitz up to η = {decimal_or_fraction(turn)}"
    cost = Rel("==", cost_name(pair.data), Fun("min", (Num(2), pair.limit)))
    return (Num(pair.data), *points, pair.distance, pair.limit, binds, cost)


def _points(runs: Runs, data: int) -> tuple[Expr, Expr]:
    return runs.point(runs.asynchronous[data - 1].seen), Sym(f"x_{data - 1}")


def _binding(lipschitz: Number) -> str:
    if lipschitz == 2:
        return "both alike"
    return "Lipschitz" if lipschitz < 2 else "2Δ"
