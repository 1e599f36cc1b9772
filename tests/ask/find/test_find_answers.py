"""Known questions: the answer, all solutions, what is told of them, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from ddcalc.ask.find import Inversion, find
from ddcalc.ask.solve import solve
from ddcalc.formula.algebraic import Edge
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.stated import Texts
from ddcalc.problem.steps import Compare

EXAM: Texts = {
    "samples": "76800", "batch": "1536", "epochs": "10", "workers": "6", "download": "1.5 s",
    "compute": "4 s", "upload": "1.5 s", "aggregate": "15 ms",
}  # fmt: skip
BREAKEVEN: Texts = {"download": "1.5 s", "compute": "4 s", "upload": "1.5 s", "aggregate": "15 ms"}
STEP: Texts = {"finish": ["0.15 s", "0.5 s"], "aggregate": "0.3 s", "update": "0.25 s"}
PAID = {**EXAM, "price": "2 USD/h"}
Ranges = list[tuple[str, str]]


def _find(slug: str, texts: Texts, unknown: str, *where: str) -> Inversion:
    """The answer for *unknown*, whatever *texts* state of it."""
    others = {name: text for name, text in texts.items() if name != unknown}
    return find(problem_named(slug), unknown, where, others)


def _ends(solved: Inversion) -> Ranges:
    """The ends of all solutions, in round brackets where they are no solutions."""
    return [(_end(p.low, "[" if p.low_in else "("), _end(p.high, "]" if p.high_in else ")"))
            for p in solved.outcome.solutions]  # fmt: skip


def _end(x: Edge | None, bracket: str) -> str:
    return "" if x is None else f"{bracket}{x}" if bracket in "[(" else f"{x}{bracket}"


@pytest.mark.parametrize(
    ("slug", "texts", "unknown", "where", "value", "ranges"),
    [
        # the exam sheet: 41 full rounds with 12 workers take 301.5 s, 38 with 13 280.5 s
        ("epoch-time", EXAM, "workers", "total <= 300 s", 13, [("[13", "")]),
        ("epoch-time", EXAM, "workers", "total >= 300 s", 12, [("[1", "12]")]),
        # 84 computations in 300 s - 84*3 s - 500*0.015 s
        ("epoch-time", EXAM, "compute", "total <= 300 s", Fraction(27, 56), [("[0", "27/56]")]),
        ("epoch-time", EXAM, "compute", "total < 300 s", None, [("[0", "27/56)")]),
        ("epoch-time", EXAM, "compute", "total = 637.5 s", Fraction(9, 2), [("[9/2", "9/2]")]),
        ("epoch-time", EXAM, "batch", "total <= 300 s", 3072, [("[3072", "76800]")]),
        ("epoch-time", PAID, "price", "cost <= 2 USD", Fraction(2, 3573), [("[0", "2/3573]")]),
        # nothing is assumed about what grows with what
        ("epoch-time", PAID, "workers", "cost <= 2.2 USD", 56,
         [("[1", "37]"), ("[39", "40]"), ("[42", "43]"), ("[46", "46]"), ("[50", "51]"),
          ("[56", "56]")]),
        # the break-even sheet: m > 66.67; with 20 ms exactly 50 ties, so 51 is the answer; an end
        # that is reached goes first
        ("breakeven", BREAKEVEN, "compute", "workers = 67", Fraction("3.99"),
         [("[399/100", "801/200)")]),
        ("breakeven", BREAKEVEN, "aggregate", "workers = 51", Fraction(1, 50),
         [("(1/51", "1/50]")]),
        ("breakeven", BREAKEVEN, "aggregate", "balance = 50", Fraction(1, 50),
         [("[1/50", "1/50]")]),
        ("sync-step", STEP, "update", "total <= 1 s", Fraction(1, 5), [("[0", "1/5]")]),
    ],
)  # fmt: skip
def test_known_questions(
    slug: str, texts: Texts, unknown: str, where: str, value: object, ranges: Ranges
) -> None:
    solved = _find(slug, texts, unknown, where)
    assert _ends(solved) == ranges
    assert solved.answer.value == value
    assert solved.outcome.complete


TIMES: Texts = {"periods": ["1 s"], "horizon": "6 s"}


def test_whole_numbers_of_schedules_are_tried_one_by_one() -> None:
    solved = _find("timeline", TIMES, "workers", "gradients >= 75")
    assert _ends(solved) == [("[13", "200]")]  # 6 gradients of each worker
    assert not solved.outcome.complete
    assert solved.says().startswith("At least 13 workers (tried from 1 to 200): then")
    pair = [step for step in solved.steps if isinstance(step, Compare)]
    assert [(step.at, step.left, step.holds) for step in pair] == [
        (13, 78, True),
        (12, 72, False),
    ]


# What comes nearest, and why no other number does it


@pytest.mark.parametrize(
    ("where", "name", "sense", "at", "admits"),
    [
        (["total < 10 s"], "total", "least", 500, lambda m, values: True),
        (["total >= 1 h"], "total", "greatest", 1, lambda m, values: True),
        (["total <= 300 s", "cost < 1 USD"], "cost", "least", 14, None),
        (["total <= 300 s", "workers < 10"], "total", "least", 9, lambda m, values: m < 10),
    ],
)
def test_the_nearest_where_there_is_none(
    where: list[str], name: str, sense: str, at: int, admits: Callable[..., bool] | None
) -> None:
    """As all numbers up to a thousand say; beyond it nothing gets quicker, and all dearer."""
    near = _find("epoch-time", PAID, "workers", *where).outcome.nearest()
    assert near is not None
    assert (near.name, near.sense, near.at) == (name, sense, at)
    kind, texts = problem_named("epoch-time"), dict(PAID)
    tried = {m: solve(kind, texts | {"workers": str(m)}).values for m in range(1, 1001)}
    admits = admits or (lambda m, values: values["total"] <= 300)
    known = [values[name] for m, values in tried.items() if admits(m, values)]
    assert near.value == (min if sense == "least" else max)(known)  # type: ignore[type-var]
