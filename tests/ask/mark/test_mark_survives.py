"""Whatever is answered to whatever question, a mark comes of it, or an error of ours, and soon."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from questions import TYPES, Kind, solved_variants

from ddcalc.ask.mark.grading import ClassTally, StudentMarks
from ddcalc.errors import DdcalcError
from ddcalc.files.answer_key import Key, key, node
from ddcalc.render.json.verb_data import class_marks as class_data
from ddcalc.render.json.verb_data import student_marks as data
from ddcalc.render.marks import class_report, counted_in, page, rows
from ddcalc.render.terminal import screen
from ddcalc.render.whole import Look

SECONDS = 8.0  # of one mark; the first of a shape compiles all slips of its formulas
NUMBERS = st.one_of(
    st.integers(-(10**12), 10**12).map(str),
    st.decimals(-(10**6), 10**6, places=4).map(str),
    st.sampled_from(["0", "0.0", "-0", "1e60", "-1e-60", "9" * 40, "1/3", "2^300", "0.1e-50",
                     "1e60 * 1e60", "7e1", "0e9", "none", "null", "~", "4*eta*Delta"]),
)  # fmt: skip
UNITS = st.sampled_from(["", " s", " min", " h", " GB", " bit", " %", " Gbit/s", " USD", " USD/h",
                         " secnd", "k", " /s", " s^2"])  # fmt: skip


def questions(problem: Kind) -> list[Key]:
    """The type's example, and the example with one thing changed."""
    return [key(solved, {}) for _, _, solved in solved_variants(problem)]


@pytest.mark.parametrize("problem", TYPES, ids=lambda problem: problem.slug)
def test_any_answer_to_any_question(problem: Kind) -> None:
    keys = questions(problem)

    @settings(max_examples=8)
    @given(st.data())
    def answered(draw: st.DataObject) -> None:
        asking = draw.draw(st.sampled_from(keys))
        names = draw.draw(st.lists(st.sampled_from([*asking.results]), min_size=1, max_size=3))
        stated = {}
        for name in names:
            text = draw.draw(NUMBERS) + draw.draw(UNITS)
            result = asking.results[name]
            count = len(result) if isinstance(result, tuple) else 1
            try:
                stated[name] = asking.answer(name, node([text] * count if count > 1 else text))
            except DdcalcError:
                continue
        began = process_time()
        made = list(asking.marks(stated))
        assert process_time() - began < SECONDS
        assert {one.name for one in made} == {*stated}
        assert all(0 <= one.credit <= 1 for one in made)
        ann, tally = StudentMarks("ann", [("x", one) for one in made]), ClassTally()
        assert rows(ann).count("\n") == len(made)
        counted_in(tally, ann)
        assert screen.page(page(ann), Look(40)).count("x, ") >= len(made)
        assert data(ann)["of"] == len(made)
        assert class_data(tally)["answers"] == len(made)
        assert class_report(tally).title

    answered()
