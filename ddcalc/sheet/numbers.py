"""A table of numbers that states lists of a problem: the inputs of each row, and its target."""

from __future__ import annotations

from ddcalc.boundary.table import number_rows
from ddcalc.errors import BadSheet, DdcalcError, OverLimit, Place, Several
from ddcalc.problem.problem import Problem
from ddcalc.problem.stated import MOST

SHOWN = 20  # wrong cells that are reported


def lists(problem: type[Problem], file: str) -> dict[str, list[str]]:
    """What the table in *file* states for the two lists in ``problem.table``.

    The last column is the second list, the others are the first, row after row. A first row
    without any number is the header. Raises DdcalcError, with the place of every wrong cell.
    """
    inputs, target = problem.table
    texts: dict[str, list[str]] = {inputs: [], target: []}
    errors: list[DdcalcError] = []
    given = problem.givens[inputs]

    def read(text: str) -> str:
        given.read(text)
        return text

    for row in number_rows(file, read):
        if isinstance(row, DdcalcError):
            errors.append(row)
            if len(errors) >= SHOWN:
                break
            continue
        line, cells = row
        if len(texts[inputs]) + len(cells) - 1 > MOST:
            raise OverLimit(f"more than {MOST} inputs in a table", Place(file, line))
        texts[inputs] += cells[:-1]
        texts[target].append(cells[-1])
    if not errors and not texts[target]:
        errors.append(BadSheet("has no row of numbers", Place(file)))
    if errors:
        raise Several(errors) if len(errors) > 1 else errors[0]
    return texts
