"""Problem types of a few lines, for tests."""

from __future__ import annotations

from pathlib import Path

from ddcalc.errors import raise_all
from ddcalc.problem.problem import Problem, declared_as
from ddcalc.problem.sheet.loading import unknown_names
from ddcalc.problem.sheet.reading import read


def own(name: str, text: str) -> type[Problem]:
    """The problem type called *name* whose sheet is *text*; raises all that is wrong with it."""
    sheet = read(Path(f"{name}.sheet"), lambda _: text)
    raise_all([*sheet.wrong, *unknown_names(sheet)])
    return declared_as(sheet, Problem)
