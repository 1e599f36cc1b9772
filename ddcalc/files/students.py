"""A class: who writes an exam, and which version."""

from __future__ import annotations

from typing import NamedTuple

from ddcalc.boundary.source import Source
from ddcalc.boundary.table import rows
from ddcalc.errors import BadFile, BadSheet, Missing, Place, Repeated

NUMBERS = ("id", "number", "student id", "matriculation number")


class Student(NamedTuple):
    """One of a class, by *name*, and by *number* where they have one."""

    name: str
    number: str = ""


def students(source: Source) -> list[Student]:
    """The class in a table with a column ``name``, and perhaps one ``id``.

    Raises BadFile, or what is wrong where it is no such table, lists nobody or somebody twice.
    """
    made: list[Student] = []
    heads: list[str] = []
    for row in rows(source):
        if isinstance(row, BadFile):
            raise row
        texts = [" ".join(cell.text.split()) for cell in row.cells]
        heads = heads or [text.lower() for text in texts]
        said = dict(zip(heads, texts, strict=False))
        if "name" not in said:
            raise Missing(["a column called name"]).about("names", Place(source.name, row.line))
        made.append(Student(said["name"], next((said[x] for x in NUMBERS if x in said), "")))
        if made[-1] in made[1:-1]:
            raise Repeated(made[-1].name).about("names", Place(source.name, row.line))
    if len(made) < 2:
        raise BadSheet("lists no students", Place(source.name))
    return made[1:]
