"""A class: who writes an exam, and which version."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ddcalc.boundary.source import Source
from ddcalc.boundary.table import Row, rows
from ddcalc.errors import BadFile, BadSheet, Missing, Place, Repeated
from ddcalc.files.submissions import COLUMNS

NAMES = ("name", "student", "student name")
NUMBERS = (*COLUMNS["student"], "number", "matriculation number")
MOST = 100_000


class Student(NamedTuple):
    """One of a class, by *name*, and by *number* where they have one."""

    name: str
    number: str = ""


def students(source: Source) -> list[Student]:
    """The class in a table with a column ``name``, and perhaps one ``id``.

    Raises BadFile, or BadSheet where it is no such table, lists nobody or somebody twice.
    """
    made: dict[str, Student] = {}
    for row, student in _listed(source):
        at = Place(source.name, row.line, row.cells[0].column)
        if (key := student.number or student.name) in made:
            raise Repeated(key).about("names", at)
        if len(made) == MOST:
            raise BadSheet(f"has more than {MOST} students", at).about("names")
        made[key] = student
    if not made:
        raise BadSheet("lists no students", Place(source.name)).about("names")
    return [*made.values()]


def _listed(source: Source) -> Iterator[tuple[Row, Student]]:
    table = rows(source)
    header = next(table, None)
    if isinstance(header, BadFile):
        raise header
    heads = [" ".join(cell.text.lower().split()) for cell in header.cells] if header else []
    name = next((heads.index(word) for word in NAMES if word in heads), None)
    if name is None:
        raise Missing(["a column called name"]).about("names", Place(source.name, 1, 1))
    number = next((heads.index(x) for x in NUMBERS if x in heads and heads.index(x) != name), None)
    for row in table:
        if isinstance(row, BadFile):
            raise row
        texts = [" ".join(cell.text.split()) for cell in row.cells]
        if name < len(texts) and texts[name]:
            has_number = number is not None and number < len(texts)
            yield row, Student(texts[name], texts[number or 0] if has_number else "")
