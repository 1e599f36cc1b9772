"""Variants differ from their base in numbers alone: same steps, same cases, as clean."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given as drawing
from hypothesis import settings
from hypothesis import strategies as st
from questions import TYPES, Kind, example

from ddcalc.ask.solve import Derivation, solve
from ddcalc.ask.variants.draw import (
    Dials,
    around,
    base_texts,
    decimals,
    multiples,
    shuffled,
    step_of,
)
from ddcalc.ask.variants.search import VariantsWanted, places, variants
from ddcalc.ask.variants.versions import options
from ddcalc.ask.working import working
from ddcalc.errors import DdcalcError
from ddcalc.formula.expression import Expr
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.units import Measured
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import duration
from ddcalc.problem.stated import Stated, read
from ddcalc.problem.steps import Define, DefineEach, Step
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


def applied(step: Step) -> list[tuple[str, str]]:
    """The formulas that *step* applies once its distinctions are decided."""
    rows = step.rows if isinstance(step, DefineEach) else (step,)
    return [(row.symbol, repr(row.applied)) for row in rows if isinstance(row, Define)]


def formulas(stated: Stated) -> list[tuple[str, str]]:
    """All applied formulas of the explanation, which does not know of signatures."""
    return [row for step in Derivation(stated).steps for row in applied(step)]


@of_types
def test_variants_of_every_type(problem: Kind) -> None:
    """They differ and solve, in range and unit, by the same formulas, and change what is asked."""
    first = base(problem)
    done = variants(first, VariantsWanted(6, 7))
    made = done.questions
    # a run with stale gradients says so much that others hardly ever take the same steps
    assert len(made) == 6 or problem.slug == "staleness"
    numbers = [tuple(variant.numbers()) for variant in made]
    assert len({*numbers, tuple(first.numbers())}) == 1 + len(made)
    few = variants(first, VariantsWanted(3, 7)).questions
    assert [tuple(variant.numbers()) for variant in few] == numbers[:3]
    answer = working(first).answer
    right, changed = str(working(first).values[answer]), []
    for variant in made:
        assert variant.shape == first.shape
        values = Derivation(variant).values
        assert solve(problem, base_texts(variant)).values == values
        changed.append(str(values[answer]) != right)
        assert not problem.symbolic or formulas(variant) == formulas(first)
        for name, before in first.measured.items():
            _check_members(before, variant.measured[name])
    assert any(changed) != done.why.startswith("none of the numbers tried")


def _check_members(before: Measured | tuple[Measured, ...], after: object) -> None:
    """A value keeps its unit and about its size; members of a list may change places."""
    if isinstance(before, tuple):
        assert isinstance(after, tuple)
        units = [(old.unit, old.bare) for old in before]
        assert [(new.unit, new.bare) for new in after] == units
        return
    assert isinstance(after, Measured)
    assert (after.unit, after.bare) == (before.unit, before.bare)
    assert before.value <= 4 * after.value
    assert after.value <= 4 * before.value


def test_seeds_differ() -> None:
    one = (variants(exam(), VariantsWanted(1, seed)).questions[0] for seed in range(20))
    firsts = {tuple(question.numbers()) for question in one}
    assert len(firsts) == 20


@settings(max_examples=25)
@drawing(seed=st.integers(0, 10**9), digits=st.none() | st.integers(0, 3))
def test_answers_are_as_clean_as_wanted(seed: int, digits: int | None) -> None:
    for variant in variants(exam(), VariantsWanted(3, seed, digits)).questions:
        values = solve(variant.problem, base_texts(variant)).values
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


def test_keep_and_vary() -> None:
    first = exam()
    for variant in variants(first, VariantsWanted(5, keep=("samples", "batch"))).questions:
        assert variant.numbers()[:2] == first.numbers()[:2]
    for variant in variants(first, VariantsWanted(5, vary=("workers",))).questions:
        changed = [
            name for name, value in variant.measured.items() if value != first.measured[name]
        ]
        assert changed == ["workers"]


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


def test_members_of_a_list_keep_their_order() -> None:
    first = base(_type("sync-step"))
    for variant in variants(first, VariantsWanted(20)).questions:
        finish = variant.measured["finish"]
        assert isinstance(finish, tuple)
        values = [member.value for member in finish]
        assert values == sorted(values)
        assert len(set(values)) == 4


def test_equal_members_stay_equal() -> None:
    texts: dict[str, str | list[str]] = {
        "finish": ["3 s", "1 s", "3 s", "2 s"], "aggregate": "1 s", "update": "1 s"
    }  # fmt: skip
    for variant in variants(solve(_type("sync-step"), texts).stated, VariantsWanted(20)).questions:
        finish = variant.measured["finish"]
        assert isinstance(finish, tuple)
        a, b, c, d = (member.value for member in finish)
        assert a == c > d > b


# Numbers like a given one

FRACTIONS = st.builds(Fraction, st.integers(1, 10**6), st.sampled_from([1, 2, 3, 8, 100, 1000]))


@drawing(FRACTIONS, st.booleans())
def test_numbers_around(value: Fraction, whole: bool) -> None:
    number = value.numerator if whole else value
    like = around(number, whole)
    assert number in like
    assert like == sorted(set(like))
    for other in like:
        assert number <= 4 * other
        assert other <= 4 * number
        assert not whole or other.denominator == 1
        if decimals(number) is None or other == number:
            continue
        assert (decimals(other) or 0) <= (decimals(number) or 0) + 1


@pytest.mark.parametrize(
    ("value", "like"),
    [
        (1536, [384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144]),
        (32, [8, 16, 32, 64, 128]),
        (0, [0]),
        (1, [1, 2, 3, 4]),
        (10, [5, 10, 15, 20, 25, 30, 35, 40]),
        (-2, [-8, -7, -6, -5, -4, -3, -2]),
    ],
)
def test_round_numbers(value: int, like: list[int]) -> None:
    assert around(value, whole=True) == like


def test_the_samples_stay_round() -> None:
    assert {len(str(number).rstrip("0")) for number in around(76800, whole=True)} <= {1, 2, 3}
    assert [str(number) for number in multiples(Fraction(1, 5), Fraction(1, 20))][:2] == [
        "1/20",
        "1/10",
    ]
    assert step_of([2, 4], whole=True) == 1


@drawing(st.integers(0, 200), st.integers(0, 10**6))
def test_shuffled_is_a_permutation(length: int, seed: int) -> None:
    assert sorted(shuffled(Random(seed), length)) == list(range(length))


def test_a_list_that_leaves_no_room_draws_nothing() -> None:
    given = duration("t", "a time", many="list", of="worker")
    tight = Dials(given, [given.read(f"{i} s") for i in range(1, 400)])
    assert tight.drawn(Random(1)) is None or len(tight.drawn(Random(1)) or ()) == 399
    assert len(tight.nudged(Random(1))) == 399


# Multiple choice


@of_types
def test_options_differ_as_they_are_shown(problem: Kind) -> None:
    for i, variant in enumerate(variants(base(problem), VariantsWanted(4, 11)).questions):
        solved = Derivation(variant)
        offered = options(solved, 4, f"11 {i}")
        shown = [value_text(option.value, option.unit) for option in offered]
        assert len(set(shown)) == len(shown)
        assert [option.right for option in offered].count(True) == 1
        assert offered == options(solved, 4, f"11 {i}")
        [right] = [option for option in offered if option.right]
        answer = solved.answer.value
        if answer is not None and not isinstance(answer, Expr | Approximate):
            assert len(offered) > 1
            if places(answer, solved.answer.unit) is not None:
                assert right.value == answer


def test_the_place_of_the_right_option_is_drawn() -> None:
    solved = Derivation(exam())
    drawn = [
        [option.right for option in options(solved, 4, str(seed))].index(True)
        for seed in range(200)
    ]
    assert all(30 <= drawn.count(place) <= 70 for place in range(4))


def test_wrong_options_are_what_their_slips_come_to() -> None:
    """The barrier and the dropped round of the exam sheet, shown to the digits of the answer."""
    solved = Derivation(exam())
    seen: dict[str, str] = {}
    for seed in range(40):
        for option in options(solved, 4, str(seed)):
            seen["".join(map(str, option.deed))] = value_text(option.value, option.unit)
    assert seen["reading otherwise: a barrier at each epoch"] == "637.5 s"
    assert seen["reading otherwise: last round dropped"] == "588.5 s"
    assert seen[""] == "595.5 s"
