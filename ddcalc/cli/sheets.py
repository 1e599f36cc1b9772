"""Sheets on the command line: what is wrong with one, and one to start from."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from ddcalc.ask.examine import examined
from ddcalc.boundary.cleaning import clean
from ddcalc.cli.session import Session
from ddcalc.problem import sheet
from ddcalc.problem.sheet.reading import from_outside

FIRST = Path(sheet.__file__).with_name("first.sheet")


def check(name: str, session: Session) -> None:
    """Say all that is wrong with the sheet called *name*, or that nothing is."""
    wrong = examined(Path(name))
    for file, errors in groupby(wrong, lambda error: error.place and error.place.file):
        lines = from_outside(Path(file)).split("\n") if file else []
        session.refuse(errors, dict(enumerate(lines, 1)).get)
    if not wrong:
        session.out.write(f"{clean(name)}: nothing is wrong\n")


def first(name: str) -> str:
    """A short sheet to start from, to be saved under that *name*."""
    return FIRST.read_text(encoding="utf-8").replace("{name}", name)
