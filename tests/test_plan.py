"""Plans: rules become formulas, compiled and exact; conditions, ties and missing answers."""

from __future__ import annotations

from fractions import Fraction
from operator import ge, gt, le, lt
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ddcalc.ask.solve import solve
from ddcalc.formula.expression import Number
from ddcalc.problem.sheet.loading import foreign
from ddcalc.problem.steps import Compare, Solve

times = st.fractions(min_value=0, max_value=30, max_denominator=50)


OVERTAKE = foreign(Path(__file__).parent / "sheets" / "own" / "overtake.sheet")


HOLDS = {"above": gt, "reached": ge, "below": lt, "most": le}


def _overtakes(relation: str, left: Number, right: Number) -> bool:
    return bool(HOLDS[relation.removeprefix("turned_")](left, right))


def _least(relation: str, base: Number, rise: Number, cap: Number) -> Any:
    texts = {"base": f"{base} s", "cap": f"{cap} s", "tick": "1 s", "relation": relation}
    return solve(OVERTAKE, {**texts, "rise": str(rise)})


@given(
    relation=st.sampled_from([*OVERTAKE.choices["relation"].options]),
    base=times,
    rise=st.fractions(min_value=-3, max_value=3, max_denominator=20),
    cap=times,
)
def test_least_holds_at_m_and_fails_below(
    relation: str, base: Fraction, rise: Fraction, cap: Fraction
) -> None:
    solved = _least(relation, base, rise, cap)
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


def test_no_solution_is_explained() -> None:
    solved = _least("above", 1, 0, 5)
    assert solved.answer.value is None
    assert solved.values["edge"] is None
    written = [step for step in solved.steps if isinstance(step, Solve)]
    assert [step.op for step in written] == [None]
    assert "none does it" in {step.why for step in solved.steps}
