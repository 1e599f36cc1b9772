"""Manual pages, which say all that a declaration says."""

from __future__ import annotations

import re

import pytest
from own import own

from ddcalc.boundary.cleaning import markdown as escaped
from ddcalc.problem.catalog import catalog, problem_named
from ddcalc.problem.quantity import Derived
from ddcalc.render.manual import manual
from ddcalc.render.markup.markdown import page


@pytest.mark.parametrize("slug", catalog())
def test_a_page_tells_the_declaration(slug: str) -> None:
    problem = problem_named(slug)
    shown = page(manual(problem))
    words = [problem.question(), problem.source, *problem.manual().split("\n\n")]
    for given in problem.givens.values():
        words += [given.name, given.title]
    for choice in problem.choices.values():
        words += [f"--{choice.flag}", choice.title, *choice.options.values()]
    shape_free = [] if problem.symbolic else problem.quantities.values()
    words += [quantity.title for quantity in shape_free if isinstance(quantity, Derived)]
    assert [item for item in words if escaped(item) not in shown] == []
    assert "{" not in re.sub(r"\$\$?[^$]*\$\$?", "", shown)


ECHO = own(
    "echo",
    """How many are there?

given
  workers m [count, example 2]: workers

steps
  total T: Total -- for {workers worker}
    = workers*1
""",
)


def test_reasons_have_letters_for_numbers() -> None:
    assert "for m workers" in page(manual(ECHO))
    assert "4 of them in the example, one for each" in page(manual(problem_named("sync-step")))


def test_what_may_be_left_out() -> None:
    shown = page(manual(problem_named("federated")))
    assert "At least one of these must be stated: samples, shares, " in shown
    assert "or the word all" in shown
