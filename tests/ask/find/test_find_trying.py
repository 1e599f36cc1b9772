"""A given of a schedule that need not be whole is found by trying, and nothing else is claimed.

The schedules of these questions are worked out by hand: workers of 1, 2 and 4 s that wait for each
other use 3 gradients every 4 s.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate

import pytest

from ddcalc.ask.find import find
from ddcalc.ask.find.answer import Inversion
from ddcalc.formula.expression import Number
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.stated import Texts
from ddcalc.problem.steps import Compare
from ddcalc.render.story import spoken

RUN: Texts = {"periods": ["1 s", "2 s", "4 s"]}
MUST = "The value of T must be at least 40 s"
SAYS = [
    (["gradients >= 30"], 40, f"{MUST} (tried from 976.6 µs to 16 384 s)"),
    (["gradients = 30"], 40, f"{MUST} and less than 44 s (tried"),
    (["gradients = 31"], None, "No value of T that was tried (from"),
    (["gradients >= 30", "updates <= 12"], 40, f"{MUST} and less than 52 s (tried"),
]


def _find(slug: str, texts: Texts, unknown: str, *where: str) -> Inversion:
    return find(problem_named(slug), unknown, where, texts)


@pytest.mark.parametrize(("where", "value", "says"), SAYS)
def test_a_horizon(where: list[str], value: Number | None, says: str) -> None:
    solved = _find("timeline", RUN, "horizon", *where)
    assert solved.answer.value == value
    assert solved.says().startswith(says)
    assert not solved.outcome.complete
    assert "nothing is proved" in solved.outcome.proof
    pair = [(step.left, step.holds) for step in solved.steps if isinstance(step, Compare)]
    assert where != ["gradients >= 30"] or pair == [(30, True), (27, False)]  # at 39.6 s


@pytest.mark.parametrize("bound", [Fraction(tenths, 10) for tenths in (1, 10, 29)])
def test_the_page_is_about_the_most_that_does_it(bound: Fraction) -> None:
    """The k fastest of ten take 1/10 + 1/9 + … on average; more take longer."""
    means = [*accumulate(Fraction(1, 11 - i) for i in range(1, 11))]
    most = sum(mean <= bound for mean in means)
    given: Texts = {"means": "1 s", "workers": "10"}
    solved = _find("backup-workers", given, "wait_for", f"wait <= {bound} s")
    assert solved.answer.value == most
    assert solved.quantities["wait"].value == means[most - 1]  # type: ignore[union-attr]
    said = spoken(solved.sentence())
    assert said.startswith(f"At most {most} workers" if most > 1 else "Exactly 1 worker ")
    assert f"; with {most + 1} it would be" in said
    assert "begun" not in said or f"Of 10 gradients that are begun {10 - most} " in said
