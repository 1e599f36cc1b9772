"""Errors as people and editors read them."""

from __future__ import annotations

from collections.abc import Callable

from ddcalc.boundary.cleaning import clean
from ddcalc.errors import DdcalcError

SHOWN = 50  # errors written out; the rest is counted
LINE = 100  # characters of a source line


def full(error: DdcalcError, line: Callable[[int], str | None]) -> str:
    """The error, where it is, and the *line* of the source with a mark under what is wrong."""
    text = f"error: {clean(str(error))}\n"
    where, about = _where(error), _about(error)
    if where or about:
        text += f" --> {'  '.join(part for part in (where, about) if part)}\n"
    place = error.place
    source = line(place.line) if place and place.line else None
    if place and source is not None and place.column:
        text += _marked(source, place.line, place.column, place.length)
    return text


def short(error: DdcalcError) -> str:
    """One line: ``file:line:column: message (problem, parameter)``."""
    where, about = _where(error), _about(error)
    return f"{where or 'error'}: {clean(str(error))}{f' ({about})' if about else ''}\n"


def _where(error: DdcalcError) -> str:
    place = error.place
    if place is None:
        return ""
    numbers = [str(number) for number in (place.line, place.column) if number]
    return ":".join([clean(place.file), *numbers])


def _about(error: DdcalcError) -> str:
    problem = f"problem {clean(error.problem)}" if error.problem else ""
    parameter = clean(error.parameter, 80) if error.parameter else ""
    return ", ".join(part for part in (problem, parameter) if part)


def _marked(source: str, number: int, column: int, length: int) -> str:
    start = max(0, column - 1 - LINE // 2) if column > LINE - 20 else 0
    before = clean(source[start : column - 1])
    marked = clean(source[column - 1 : min(column - 1 + length, start + LINE)])
    after = clean(source[column - 1 + length : start + LINE])
    gutter = " " * len(str(number))
    return (
        f"{gutter} |\n"
        f"{number} | {before}{marked}{after}\n"
        f"{gutter} | {' ' * len(before)}{'^' * max(1, len(marked))}\n"
    )
