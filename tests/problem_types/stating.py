"""Short ways to state a question with exact numbers and to read what comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from hypothesis import strategies as st

from ddcalc.ask.solve import Derivation, solve
from ddcalc.formula.expression import Expr
from ddcalc.problem.catalog import problem_named

Stated = int | Fraction | str | Sequence[int | Fraction | str]
Told = int | Fraction | Expr | None | list[int | Fraction | Expr | None]


def times(least: int = 0, most: int = 10**4) -> st.SearchStrategy[Fraction]:
    """Exact durations in seconds: whole, decimal, and neither."""
    scales = st.sampled_from([1, 2, 7, 10, 60, 1000])
    return st.builds(lambda n, d: Fraction(n, d), st.integers(least, most), scales)


def derivation(slug: str, **stated: Stated) -> Derivation:
    """The solved question of type *slug*."""
    return solve(problem_named(slug), {name: _text(value) for name, value in stated.items()})


def results(slug: str, **stated: Stated) -> dict[str, Told]:
    """The exact values of all quantities by name, in base units."""
    return {
        name: [each.value for each in result] if isinstance(result, tuple) else result.value
        for name, result in derivation(slug, **stated).quantities.items()
    }


def _text(value: Stated) -> str | list[str]:
    if isinstance(value, list | tuple):
        return [str(each) for each in value]
    return str(value)
