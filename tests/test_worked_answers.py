"""Plans and derivations: rules become formulas, compiled and exact; conditions, ties, missing
answers; and SymPy comes to what is derived."""

from operator import ge, gt, le, lt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from questions import of_types, solved_variants
from running import ROOT

from ddcalc.ask.solve import solve
from ddcalc.formula.algebra import Num, Sym, same, sqrt
from ddcalc.formula.expression import Fun, Index, Number, Rel
from ddcalc.problem.said.arguments import Arguments, _sides, argued, look_alike, proved
from ddcalc.problem.said.sentences import Argument
from ddcalc.problem.said.steps import Compare
from ddcalc.problem.sheet.loading import foreign

times = st.fractions(min_value=0, max_value=30, max_denominator=50)


OVERTAKE = foreign(ROOT / "tests" / "sheets" / "own" / "overtake.sheet")


HOLDS = {"above": gt, "reached": ge, "below": lt, "most": le}


def _overtakes(relation: str, left: Number, right: Number) -> bool:
    return bool(HOLDS[relation.removeprefix("turned_")](left, right))


relations = st.sampled_from([*OVERTAKE.choices["relation"].options])
rises = st.fractions(min_value=-3, max_value=3, max_denominator=20)


@given(relation=relations, base=times, rise=rises, cap=times)
def test_least_holds_at_m_and_fails_below(relation, base, rise, cap):
    texts = {"base": f"{base} s", "cap": f"{cap} s", "tick": "1 s", "relation": relation}
    solved = solve(OVERTAKE, {**texts, "rise": str(rise)})
    answer = solved.answer.value
    if rise and (rise < 0) == (relation not in ("below", "most")):
        # the relation gets worse with n: the answer is 1, or there is none
        assert answer == (1 if _overtakes(relation, base + rise, cap) else None)
        return
    if answer is None:
        assert all(not _overtakes(relation, base + n * rise, cap) for n in (1, 2, 10**9))
        assert rise == 0
    else:
        assert answer >= 1
        assert isinstance(answer, int)
        assert _overtakes(relation, base + answer * rise, cap)
        assert answer == 1 or not _overtakes(relation, base + (answer - 1) * rise, cap)
    proofs = [step for step in solved.steps if isinstance(step, Compare)]
    for proof in proofs:
        assert proof.holds == _overtakes(relation, base + proof.at * rise, cap)
    assert len(proofs) == (1 if answer in (None, 1) else 2)


# Derivations


M, C, t, n, k = (*map(Sym, ("M", "C", "t", "n")), Index("k"))
RANK = {"C": 0, "M": 1, "t": 2}


@pytest.mark.parametrize(("argument", "formula", "last"), [
    (Argument("least", t, ((C / t + t / (2 * M), "lost"),)), sqrt(2 * C * M), "t"),
    (Argument("=", n, ((Fun("sum", (k, k, Num(1), M)), "counted"),)), M * (M + 1) / 2, ""),
    (Argument("=", n, ((2 * C + 4 * C, "forward, backward"),)), 6 * C, ""),
    (Argument("from", t, ((same(C * t, M), "both are equal"),)), M / C, ""),
])  # fmt: skip
def test_derivations_end_in_the_formula(argument, formula, last):
    lines = argued(argument, formula, RANK)
    end = lines[-1].formula
    assert all(look_alike(*both) for both in _sides(argument, formula))
    assert proved(argument, formula)
    assert all(line.reason for line in lines)
    if last:
        assert end == Rel("==", Sym(last), formula)


@pytest.mark.parametrize(("argument", "formula"), [
    (Argument("least", t, ((C / t + t / (2 * M), "lost"),)), sqrt(C * M)),
    (Argument("least", t, ((-C / t - t / (2 * M), "a maximum"),)), sqrt(2 * C * M)),
    (Argument("=", n, ((Fun("sum", (k, k, Num(1), M)), "counted"),)), M * M / 2),
    (Argument("=", n, ((2 * C + 3 * C, "forward, backward"),)), 6 * C),
    (Argument("from", t, ((same(C * t, M), "both are equal"),)), C / M),
])  # fmt: skip
def test_what_sympy_does_not_come_to_is_refused(argument, formula):
    assert not proved(argument, formula)
    assert all(look_alike(*x) for x in _sides(argument, formula)) == (argument.form == "least")


@of_types
def test_sympy_comes_to_what_is_derived(problem, monkeypatch):
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
