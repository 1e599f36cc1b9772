"""Questions of all types, solved, and their pages in each format."""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Any

from questions import example

from ddcalc.ask.solve import Derivation, solve
from ddcalc.problem.catalog import problem_named
from ddcalc.render.pages import Detail, derivation


@cache
def solved(slug: str) -> Derivation:
    """The example of the type *slug*, solved."""
    problem = problem_named(slug)
    return solve(problem, example(problem))


def section(form: ModuleType, question: Derivation, **how: Any) -> str:
    """The page of *question* in the format of a module of ``markup``."""
    return str(form.part(derivation(question, Detail("full", None), **how)))
