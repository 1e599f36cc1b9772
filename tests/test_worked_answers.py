"""Values for scripts, hints, and derivations that SymPy checks."""

from __future__ import annotations

from typing import Any

import pytest
from questions import TYPES, Kind, solved_variants

from ddcalc.formula.algebra import Expr, Num, Sym, same, sqrt
from ddcalc.formula.expression import Fun, Rel
from ddcalc.problem.arguments import Arguments, argued, leads_to, proved
from ddcalc.problem.sentences import Argument

# Derivations


M, C, t, n, k = (Sym(name) for name in ("M", "C", "t", "n", "k"))
RANK = {"C": 0, "M": 1, "t": 2}


@pytest.mark.parametrize(("argument", "formula", "last"), [
    (Argument("least", t, ((C / t + t / (2 * M), "lost"),)), sqrt(2 * C * M), "t"),
    (Argument("sums", n, ((Fun("sum", (k, k, Num(1), M)), "counted"),)), M * (M + 1) / 2, ""),
    (Argument("=", n, ((2 * C + 4 * C, "forward, backward"),)), 6 * C, ""),
    (Argument("from", t, ((same(C * t, M), "both are equal"),)), M / C, "t"),
])  # fmt: skip
def test_derivations_end_in_the_formula(argument: Argument, formula: Expr, last: str) -> None:
    lines = argued(argument, formula, RANK)
    end = lines[-1].formula
    assert leads_to(argument, formula)
    assert proved(argument, formula)
    assert all(line.reason for line in lines)
    if last:
        assert end == Rel("==", Sym(last), formula)


@pytest.mark.parametrize(("argument", "formula"), [
    (Argument("least", t, ((C / t + t / (2 * M), "lost"),)), sqrt(C * M)),
    (Argument("least", t, ((-C / t - t / (2 * M), "a maximum"),)), sqrt(2 * C * M)),
    (Argument("sums", n, ((Fun("sum", (k, k, Num(1), M)), "counted"),)), M * M / 2),
    (Argument("=", n, ((2 * C + 3 * C, "forward, backward"),)), 6 * C),
    (Argument("from", t, ((same(C * t, M), "both are equal"),)), C / M),
])  # fmt: skip
def test_what_sympy_does_not_come_to_is_refused(argument: Argument, formula: Expr) -> None:
    assert not proved(argument, formula)
    assert leads_to(argument, formula) == (argument.form in ("least", "sums"))


@pytest.mark.parametrize("problem", TYPES, ids=lambda problem: problem.slug)
def test_sympy_comes_to_what_is_derived(problem: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    """In every reading of every type: it is not asked again when that is shown."""
    plans: dict[int, Arguments] = {}
    argument = Arguments.lines

    def noted(plan: Arguments, *rest: Any) -> Any:
        plans[id(plan)] = plan
        return argument(plan, *rest)

    monkeypatch.setattr(Arguments, "lines", noted)
    for _, _, derivation in solved_variants(problem):
        assert [*derivation.steps]
    for made in plans.values():
        assert all(proved(way, formula) for formula, way in made.derivations.items())
