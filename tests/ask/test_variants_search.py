"""Variants differ from their base in numbers alone: same steps, same cases, as clean."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import islice

import pytest
from hypothesis import given as drawing
from hypothesis import settings
from hypothesis import strategies as st
from questions import TYPES, Kind, example

from ddcalc.ask.solve import Derivation, solve, texts_of
from ddcalc.ask.variants import search
from ddcalc.ask.variants.draw import dials
from ddcalc.ask.variants.search import VariantsWanted, _VariantSearch, places, variants, varied
from ddcalc.ask.variants.versions import options
from ddcalc.ask.working import Working, working
from ddcalc.errors import DdcalcError
from ddcalc.formula.expression import Expr
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.units import Measured
from ddcalc.problem.problem import Problem
from ddcalc.problem.stated import Stated, read
from ddcalc.render.story import value_text

of_types = pytest.mark.parametrize("problem", TYPES, ids=lambda problem: problem.slug)

EXAM: dict[str, str | list[str]] = {
    "samples": "76800", "batch": "1536", "epochs": "10", "workers": "6",
    "download": "1.5 s", "compute": "4 s", "upload": "1.5 s", "aggregate": "15 ms",
}  # fmt: skip


def base(problem: Kind) -> Stated:
    """The example of *problem* as it is stated."""
    return read(problem, example(problem))


def exam() -> Stated:
    """The question on epochs of the exam sheet."""
    return solve(_type("epoch-time"), EXAM).stated


def _type(slug: str) -> type[Problem]:
    return next(problem for problem in TYPES if problem.slug == slug)


@of_types
def test_what_is_drawn_is_what_its_texts_state(problem: Kind) -> None:
    """Only values change, so the others are not read again: as if they were."""
    first = base(problem)
    names = varied(first, VariantsWanted())
    search = _VariantSearch(first, VariantsWanted(), dials(first, names), lambda: None)
    for texts, _ in islice(search._stream(), 40):
        if texts is None:
            continue
        try:
            slowly = read(problem, texts_of(first) | texts)
        except DdcalcError as error:
            with pytest.raises(type(error)):
                search.template.stated(texts)
            continue
        assert search.template.stated(texts) == slowly
        assert [*search.template.stated(texts).measured] == [*slowly.measured]


@of_types
def test_variants_of_every_type(problem: Kind) -> None:
    """They differ, solve by the same steps, keep unit and size, and have options to tick."""
    first = base(problem)
    done = variants(first, VariantsWanted(2, 7))
    numbers = {tuple(question.numbers()) for question in (first, *done.questions)}
    assert len(numbers) == 1 + len(done.questions) == 3
    right, changed = working(first), []
    for i, variant in enumerate(done.questions):
        assert variant.shape == first.shape
        solved = Derivation(variant)
        assert solve(problem, texts_of(variant)).values == solved.values
        changed.append(str(solved.values[right.answer]) != str(right.values[right.answer]))
        if problem.symbolic:
            titles = [[type(step) for step in side.steps] for side in (solved, Derivation(first))]
            assert titles[0] == titles[1]
        for name, before in first.measured.items():
            after = variant.measured[name]
            if isinstance(before, Measured):
                assert isinstance(after, Measured)
                assert (after.unit, after.bare) == (before.unit, before.bare)
                assert before.value <= 4 * after.value <= 16 * before.value
        _check_options(solved, f"11 {i}")
    assert any(changed) != bool(done.changing or done.why.startswith("none of the numbers tried"))
    assert not done.changing or all(
        str(working(one).values[done.changing[0]]) != str(right.values[done.changing[0]])
        for one in done.questions
    )


def _check_options(solved: Derivation, seed: str) -> None:
    """They differ as they are shown, one of them is right, and they are drawn by the seed."""
    offered = options(solved, 4, seed)
    assert offered == options(solved, 4, seed)
    shown = [value_text(option.value, option.unit) for option in offered]
    assert len(set(shown)) == len(shown)
    [right] = [option for option in offered if option.right]
    answer = solved.answer.value
    if answer is not None and not isinstance(answer, Expr | Approximate):
        assert len(offered) > 1
        if places(answer, solved.answer.unit) is not None:
            assert right.value == answer


@settings(max_examples=25)
@drawing(seed=st.integers(0, 10**9), digits=st.none() | st.integers(0, 3))
def test_answers_are_as_clean_as_wanted(seed: int, digits: int | None) -> None:
    for variant in variants(exam(), VariantsWanted(3, seed, digits)).questions:
        values = solve(variant.problem, texts_of(variant)).values
        total = values["total"]
        assert isinstance(total, int | Fraction)
        assert (total * 10 ** (1 if digits is None else digits)).denominator == 1
        for name in ("full_round", "last_round"):
            value = values[name]
            assert isinstance(value, int | Fraction)
            assert (value * 10 ** max(2, digits or 0)).denominator == 1


def test_the_cases_of_the_exam_come_up_again() -> None:
    """By its own arithmetic: whole batches, and a last round that is not full."""
    for variant in variants(exam(), VariantsWanted(30, 7)).questions:
        samples, batch, epochs, workers, *_ = variant.numbers()
        assert samples % batch == 0
        assert epochs * samples // batch % workers


def test_a_tie_stays_a_tie() -> None:
    tied = solve(
        _type("breakeven"),
        {"download": "1.5 s", "compute": "4 s", "upload": "1.5 s", "aggregate": "20 ms"},
    )
    for variant in variants(tied.stated, VariantsWanted(10, 2)).questions:
        down, compute, up, aggregate = variant.numbers()
        assert Fraction(compute - down - up, 1) / aggregate % 1 == 0


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        (VariantsWanted(keep=("worker",)), "did you mean 'workers'?"),
        (VariantsWanted(vary=("total",)), "unknown given"),
        (VariantsWanted(vary=("price",)), "is not stated as a number"),
        (VariantsWanted(vary=("queue",)), "unknown given"),
        (VariantsWanted(keep=("batch",), vary=("batch",)), "both kept and varied"),
        (VariantsWanted(keep=tuple(EXAM)), "missing: a given to vary"),
    ],
)
def test_what_cannot_vary_is_refused(wanted: VariantsWanted, says: str) -> None:
    with pytest.raises(DdcalcError, match=says.replace("?", r"\?")):
        variants(exam(), wanted)


def test_a_given_that_changes_nothing_asked_is_not_varied_alone() -> None:
    """The last members of a long list wait for the slowest, whatever they are."""
    texts: dict[str, str | list[str]] = {
        "finish": ["1 s", "2 s", "9 s"], "aggregate": "1 s", "update": "1 s",
    }  # fmt: skip
    first = solve(_type("sync-step"), texts).stated
    for variant in variants(first, VariantsWanted(20, vary=("finish",))).questions:
        assert working(variant).values["total"] != working(first).values["total"]
    answer = VariantsWanted(3, vary=("finish",), results=("idle",))
    assert variants(first, answer).why == ""


def test_fewer_than_wanted_are_said() -> None:
    done = variants(exam(), VariantsWanted(1000, vary=("batch",)))
    assert 0 < len(done.questions) < 1000
    assert done.why.startswith("no other numbers")
    assert variants(exam(), VariantsWanted(0)).why == ""


def test_equal_members_stay_equal() -> None:
    texts: dict[str, str | list[str]] = {
        "finish": ["3 s", "1 s", "3 s", "2 s"], "aggregate": "1 s", "update": "1 s"
    }  # fmt: skip
    for variant in variants(solve(_type("sync-step"), texts).stated, VariantsWanted(20)).questions:
        finish = variant.measured["finish"]
        assert isinstance(finish, tuple)
        a, b, c, d = (member.value for member in finish)
        assert a == c > d > b


# Each draw is played once, and so many computations at most


def timeline(**texts: str | list[str]) -> Stated:
    return read(_type("timeline"), texts)


def watched(monkeypatch: pytest.MonkeyPatch) -> list[Working]:
    """All that is worked out in searches."""
    every: list[Working] = []

    def noted(stated: Stated) -> Working:
        every.append(working(stated))
        return every[-1]

    monkeypatch.setattr(search, "working", noted)
    return every


@pytest.mark.parametrize("most", [10**3, 10**4])
def test_so_many_computations_are_played_at_most(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    every = watched(monkeypatch)
    asked = timeline(periods=["1s", "2s", "4s"], horizon="2400 s")
    without = variants(asked, VariantsWanted())
    whole = [one.work for one in every[1:]]
    every.clear()
    monkeypatch.setattr(search, "COMPUTED", most)
    made = variants(asked, VariantsWanted())
    played = [one.work for one in every[1:]]
    assert played == whole[: len(played)]
    assert sum(played[:-1]) < most <= sum(played)
    assert made.questions == without.questions[: len(made.questions)]
    assert len(made.questions) < 10
    assert re.search("no more came of playing .* computations; a shorter run has the", made.why)


# Numbers like a given one


# Multiple choice


def test_wrong_options_are_what_their_slips_come_to() -> None:
    """The barrier and the dropped round of the exam sheet, shown to the digits of the answer."""
    solved = Derivation(exam())
    seen: dict[str, str] = {}
    for seed in range(40):
        for option in options(solved, 4, str(seed)):
            seen["".join(map(str, option.deed))] = value_text(option.value, option.unit)
    assert seen["reading otherwise: each epoch begins with a new round"] == "637.5 s"
    assert seen["reading otherwise: a small last round is dropped"] == "588.5 s"
    assert seen[""] == "595.5 s"
