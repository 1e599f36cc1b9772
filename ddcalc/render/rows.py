"""The points of a sweep as lines of CSV or JSON: very many, quickly, and none of them rounded
beyond its fifteenth digit.

Numbers are told in the units of the axes and quantities. What has no value is empty in CSV, and
null in JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from math import prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ddcalc.ask.sweep.axes import Axis, Named, Numeric
from ddcalc.ask.sweep.column import Column
from ddcalc.ask.sweep.exact import Exact
from ddcalc.ask.sweep.grid import Block
from ddcalc.ask.sweep.piece import Cells, Piece, as_floats
from ddcalc.ask.sweep.plain import decimal, places
from ddcalc.ask.sweep.question import Question
from ddcalc.ask.sweep.real import nearest
from ddcalc.ask.sweep.whole import TooWide, single, times
from ddcalc.boundary.cleaning import clean
from ddcalc.expression import Expr, Number
from ddcalc.number import quotient
from ddcalc.render import digits
from ddcalc.render.digits import Part
from ddcalc.render.formula import code
from ddcalc.steps import Value
from ddcalc.units import Unit

_ROUND: Final = Context(prec=digits.SIGNIFICANT, Emin=MIN_EMIN, Emax=MAX_EMAX)
WIDEST: Final = 10**18  # whole numbers up to which decimals are written by NumPy


@dataclass(frozen=True, slots=True)
class Form:
    """How a line is written: what stands before its cells, behind it, and for no value."""

    before: tuple[bytes, ...]
    end: bytes
    nothing: bytes
    quoted: bool  # whether words stand in quotes


def csv(question: Question) -> Form:
    """Lines of CSV."""
    cells = len(question.axes) + len(question.quantities)
    return Form((b"", *[b","] * (cells - 1)), b"\n", b"", quoted=False)


def csv_head(question: Question) -> bytes:
    """The names of the columns, with their units."""
    names = [*(_headed(axis.name, _unit(axis)) for axis in question.axes)]
    names += [_headed(quantity.name, quantity.unit.name) for quantity in question.quantities]
    return (",".join(names) + "\n").encode()


def ndjson(question: Question) -> Form:
    """An object a line."""
    names = [*(axis.name for axis in question.axes), *(each.name for each in question.quantities)]
    starts = [b"{", *[b","] * (len(names) - 1)]
    keys = (start + f'"{name}":'.encode() for start, name in zip(starts, names, strict=True))
    return Form(tuple(keys), b"}\n", b"null", quoted=True)


def lines(question: Question, form: Form, block: Block, pieces: Iterable[Piece]) -> bytes:
    """The points of *block*, a line each."""
    made = [(piece, _rows(question, form, piece)) for piece in pieces]
    if len(made) == 1:
        flat = made[0][1].ravel()
    else:
        width = max(rows.shape[-1] for _, rows in made)
        whole = np.zeros((*block.shape, width), np.uint8)
        for piece, rows in made:
            whole[(*piece.where(), slice(rows.shape[-1]))] = rows
        flat = whole.ravel()
    told: bytes = flat[flat != 0].tobytes()
    return told


def _rows(question: Question, form: Form, piece: Piece) -> NDArray[np.uint8]:
    """The lines of *piece* as characters, in the piece's shape."""
    parts: list[tuple[bytes | None, Part]] = []
    cells = [*_axes(question, form, piece), *_quantities(question, form, piece)]
    for before, told in zip(form.before, cells, strict=True):
        parts += [(before, digits.texts([before]))] if before else []
        parts += [(None, part) for part in told]
    parts.append((form.end, digits.texts([form.end])))
    dtype = np.dtype([(f"f{i}", part.dtype) for i, (_, part) in enumerate(parts)])
    rows = np.empty(piece.shape, dtype)
    for i, (_, part) in enumerate(parts):
        rows[f"f{i}"] = part
    return rows.view(np.uint8).reshape(*piece.shape, dtype.itemsize)


def _axes(question: Question, form: Form, piece: Piece) -> Iterator[list[Part]]:
    """The cells of what is varied."""
    still = len(piece.block.fixed)
    for i, axis in enumerate(question.axes):
        if i < still:
            at, size = piece.block.fixed[i], 1
        else:
            at = piece.offset[i - still] + (piece.block.first if i == still else 0)
            size = piece.shape[i - still]
        told = _along(axis, at, at + size, form)
        shape = [1] * len(piece.shape)
        if i >= still:
            shape[i - still] = -1
        yield [part.reshape(shape) for part in told]


def _along(axis: Axis, start: int, stop: int, form: Form) -> list[Part]:
    if isinstance(axis, Named):
        return [digits.texts([_word(axis.texts[i], form) for i in range(start, stop)])]
    return _numbers(axis.numbers.column(start, stop), axis.unit.worth)


def _quantities(question: Question, form: Form, piece: Piece) -> Iterator[list[Part]]:
    for quantity in question.quantities:
        cells = piece.cells.get(quantity.name)
        if cells is None:
            yield [digits.texts([form.nothing])]
        elif not cells.single and not np.any(cells.missing):
            yield _numbers(cells.column, quantity.unit.worth)
        else:
            yield _mended(cells, quantity.unit, form, piece)


def _mended(cells: Cells, unit: Unit, form: Form, piece: Piece) -> list[Part]:
    """The cells of a quantity that has no value at some points, or one worked out singly."""
    missing = np.broadcast_to(cells.missing, piece.shape).copy()
    told = np.zeros(prod(piece.shape), f"S{max(1, len(form.nothing))}")
    told[missing.ravel()] = form.nothing
    own = {i: _spelt(value, unit, form) for i, value in cells.single.items()}
    told = told.astype(f"S{max([told.dtype.itemsize, *map(len, own.values())])}")
    for i, text in own.items():
        told[i] = text
        missing.flat[i] = True
    if missing.all():
        return [told.reshape(piece.shape)]
    parts = _numbers(cells.column, unit.worth)
    kept = [np.where(missing, np.zeros((), part.dtype), part) for part in parts]
    return [*kept, told.reshape(piece.shape)]


def _numbers(column: Column, worth: Number) -> list[Part]:
    """The numbers of *column* in a unit that is *worth* so much, in the column's own shape."""
    scaled = _decimals(column, worth) if isinstance(column, Exact) else None
    if scaled is not None:
        values, behind = scaled
        return _shaped(digits.decimals(values.ravel(), behind), values.shape)
    values = np.nan_to_num(as_floats(column), posinf=0.0, neginf=0.0)
    values = values / nearest(worth)
    return _shaped(digits.floats(values.ravel()), values.shape)


def _decimals(column: Exact, worth: Number) -> tuple[NDArray[np.int64], int] | None:
    """The values times a power of ten that makes them whole, and that power."""
    if not isinstance(column.bottom.values, int):
        return None
    unit = column.unit / column.bottom.values / worth
    behind = places(unit.denominator)
    if behind is None:
        return None
    factor = unit.numerator * (10**behind // unit.denominator)
    try:
        tops = times(column.top.tight(), single(factor))
    except TooWide:
        return None
    if max(-tops.low, tops.high) >= WIDEST:
        return None
    return np.atleast_1d(np.asarray(tops.values, dtype=np.int64)), behind


def _shaped(parts: Iterable[Part], shape: Sequence[int]) -> list[Part]:
    return [part.reshape(shape) for part in parts]


def _spelt(value: Value, unit: Unit, form: Form) -> bytes:
    """A value by itself: exact if it is whole or a short decimal."""
    if isinstance(value, Expr):
        return _word(code(value), form)
    assert value is not None
    told = quotient(
        value.numerator * unit.worth.denominator, value.denominator * unit.worth.numerator
    )
    rounded = _ROUND.divide(Decimal(told.numerator), Decimal(told.denominator))
    return (decimal(told) or str(rounded)).encode()


def _word(text: str, form: Form) -> bytes:
    """A word as a cell."""
    told = clean(text)
    if form.quoted:
        return json.dumps(told, allow_nan=False).encode()
    if told[:1] in ("=", "+", "-", "@"):
        told = f"'{told}"
    return (f'"{told.replace(chr(34), chr(34) * 2)}"' if set(told) & set(',"') else told).encode()


def _unit(axis: Axis) -> str:
    return axis.unit.name if isinstance(axis, Numeric) else ""


def _headed(name: str, unit: str) -> str:
    return f"{name} [{unit}]" if unit else name
