"""The Python face of ddcalc: solve a problem by name with Python values."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

from ddcalc.ask.solve import Derivation
from ddcalc.catalog import problem_named
from ddcalc.errors import BadValue, DdcalcError
from ddcalc.problem import Problem
from ddcalc.stated import read

__all__ = ["DdcalcError", "Problem", "Solution", "solve"]

Given: TypeAlias = str | int | float | Fraction | Decimal


class Solution(Derivation):
    """A derivation that notebooks show as a formula, a page, or Markdown."""

    def _repr_latex_(self) -> str:
        from ddcalc.render import latex

        return latex.fragment(self)

    def _repr_html_(self) -> str:
        from ddcalc.render import html

        return html.fragment(self)

    def _repr_markdown_(self) -> str:
        from ddcalc.render import markdown

        return markdown.section(self, "full")

    def __repr__(self) -> str:
        from ddcalc.render.story import answer_text

        return f"<{self.problem.slug}: {self.answer.name} = {answer_text(self)}>"


def solve(problem: str, /, **given: Given | Sequence[Given]) -> Solution:
    """The solution of the problem type called *problem* (``"epoch-time"``).

    Givens and choices go by their names in problem files. Values are texts with units
    (``"1.5 s"``), or plain numbers where a unit may be left out; floats count as the decimal that
    they print as. Lists are sequences. Raises DdcalcError (``Several`` for more than one).

    >>> solve("sync-step", finish=["0.15 s", "0.5 s"], aggregate=0.3, update=Fraction(1, 4))
    <sync-step: total = 1.05 s>
    """
    kind = problem_named(problem)
    texts = {
        name: _text(value) if isinstance(value, Given) else [_text(member) for member in value]
        for name, value in given.items()
    }
    return Solution(read(kind, texts))


def _text(value: Given) -> str:
    if isinstance(value, bool):
        raise BadValue(str(value), "is a truth value, not a number")
    return value if isinstance(value, str) else str(value)
