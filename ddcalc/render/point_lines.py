"""The points of a sweep as lines of CSV or JSON: very many, and quickly.

Numbers are in the units of the axes and quantities: as the shortest text that reads back as
the float nearest to the value where that is known, else with fifteen digits. What has no value is
empty in CSV, and null in JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import Final

import numpy as np
import orjson
from numpy.typing import NDArray

from ddcalc.ask.sweep.axes import Axis, Named, Numeric
from ddcalc.ask.sweep.column import Column, Floats, constant, settled, times
from ddcalc.ask.sweep.grid import Block, Patch, PatchValues, SweepQuestion
from ddcalc.boundary import table
from ddcalc.boundary.cleaning import clean
from ddcalc.formula.expression import Expr, Number
from ddcalc.numbers.display import decimal
from ddcalc.numbers.number import in_units, quotient
from ddcalc.numbers.units import Unit
from ddcalc.problem.steps import Value
from ddcalc.render.notation.plain import code

DIGITS: Final = 15  # of a value whose nearest float is not known
_ROUND: Final = Context(prec=DIGITS, Emin=MIN_EMIN, Emax=MAX_EMAX)
_POWERS: Final = 10.0 ** np.arange(23)  # all that floats hold exactly

Texts = NDArray[np.bytes_]


@dataclass(frozen=True, slots=True)
class Form:
    """How a line is written: what stands before its cells, behind it, and for no value."""

    before: tuple[bytes, ...]
    end: bytes
    nothing: bytes
    quoted: bool  # whether words stand in quotes


def csv(question: SweepQuestion) -> Form:
    """Lines of CSV."""
    return Form((b"", *[b","] * (len(question.columns) - 1)), b"\n", b"", quoted=False)


def csv_head(question: SweepQuestion) -> bytes:
    """The names of the columns, with their units."""
    names = [*(_headed(axis.name, _unit(axis)) for axis in question.axes)]
    names += [_headed(quantity.name, quantity.unit.name) for quantity in question.quantities]
    return (",".join(names) + "\n").encode()


def ndjson(question: SweepQuestion) -> Form:
    """An object a line."""
    names = question.columns
    starts = [b"{", *[b","] * (len(names) - 1)]
    keys = (start + f'"{name}":'.encode() for start, name in zip(starts, names, strict=True))
    return Form(tuple(keys), b"}\n", b"null", quoted=True)


FORMS: Final[Mapping[str, Callable[[SweepQuestion], Form]]] = {"csv": csv, "ndjson": ndjson}


def lines(question: SweepQuestion, form: Form, block: Block, pieces: Iterable[Patch]) -> bytes:
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
    return flat.tobytes().translate(None, b"\0")


def _rows(question: SweepQuestion, form: Form, piece: Patch) -> NDArray[np.uint8]:
    """The lines of *piece* as characters, in the piece's shape; NUL is none."""
    cells = [*_axes(question, form, piece), *_quantities(question, form, piece)]
    parts: list[Texts] = []
    for before, texts in zip(form.before, cells, strict=True):
        parts += [np.array(before), texts] if before else [texts]
    parts.append(np.array(form.end))
    dtype = np.dtype([(f"f{i}", part.dtype) for i, part in enumerate(parts)])
    rows = np.empty(piece.shape, dtype)
    for i, part in enumerate(parts):
        rows[f"f{i}"] = part
    return rows.view(np.uint8).reshape(*piece.shape, dtype.itemsize)


def _axes(question: SweepQuestion, form: Form, piece: Patch) -> Iterator[Texts]:
    """The cells of what is varied."""
    still = len(piece.block.fixed)
    for i, axis in enumerate(question.axes):
        if i < still:
            at, size = piece.block.fixed[i], 1
        else:
            at = piece.offset[i - still] + (piece.block.first if i == still else 0)
            size = piece.shape[i - still]
        shape = [1] * len(piece.shape)
        if i >= still:
            shape[i - still] = -1
        yield _along(axis, at, at + size, form).reshape(shape)


def _along(axis: Axis, start: int, stop: int, form: Form) -> Texts:
    if isinstance(axis, Named):
        return np.array([_word(axis.texts[i], form) for i in range(start, stop)])
    column = axis.numbers.column(start, stop)
    if column.state:
        return np.array([_spelt(axis.numbers[i], axis.unit, form) for i in range(start, stop)])
    return _numbers(column, axis.unit.worth)


def _quantities(question: SweepQuestion, form: Form, piece: Patch) -> Iterator[Texts]:
    for quantity in question.quantities:
        cells = piece.cells.get(quantity.name)
        if cells is None:
            yield np.array(form.nothing)
        elif not cells.single and not np.any(cells.missing):
            yield _numbers(cells.column, quantity.unit.worth)
        else:
            yield _mended(cells, quantity.unit, form, piece)


def _mended(cells: PatchValues, unit: Unit, form: Form, piece: Patch) -> Texts:
    """The cells of a quantity that has no value at some points, or one worked out singly."""
    single = {i: _spelt(value, unit, form) for i, value in cells.single.items()}
    some = not np.all(np.broadcast_to(cells.missing, piece.shape))
    texts = _numbers(cells.column, unit.worth) if some else np.array(b"")
    width = max([texts.dtype.itemsize, len(form.nothing), 1, *map(len, single.values())])
    mended = np.broadcast_to(texts, piece.shape).astype(f"S{width}")
    mended[np.broadcast_to(cells.missing, piece.shape)] = form.nothing
    for i, text in single.items():
        mended.flat[i] = text
    return mended


def _numbers(column: Column, worth: Number) -> Texts:
    """The numbers of *column* in a unit that is *worth* so much, in the column's own shape."""
    if worth != 1:
        column = times(column, constant(quotient(worth.denominator, worth.numerator)))
    column, is_nearest = settled(column)
    if column.is_exact:
        return _whole(column.values.astype(np.int64))
    return _written(column.values if is_nearest else _rounded(column.values))


def _whole(values: NDArray[np.int64]) -> Texts:
    """The texts of whole numbers: where these lie close together each is written once."""
    low, high = int(values.min()), int(values.max())
    if high - low >= values.size:
        return _written(values)
    return np.asarray(_written(np.arange(low, high + 1)).take(values - low))


def _rounded(values: Floats) -> Floats:
    """*values* to so many digits that count, where these are not too small for that."""
    with np.errstate(all="ignore"):
        places = DIGITS - 1 - np.floor(np.log10(np.abs(values)))
        power = _POWERS.take(np.nan_to_num(np.clip(places, 0, 22)).astype(np.int64))
        rounded = np.rint(values * power) / power
    return np.where((places >= 0) & (places <= 22), rounded, values)


def _written(values: Floats | NDArray[np.int64]) -> Texts:
    """The shortest texts that read back as *values*; whole numbers without a point."""
    flat = np.ravel(values) + 0  # no -0
    made = orjson.dumps(flat, option=orjson.OPT_SERIALIZE_NUMPY)[1:-1] + b","
    data = np.frombuffer(made, np.uint8)
    ends = np.flatnonzero(data == ord(","))
    lengths = np.diff(ends, prepend=-1)
    width = int(lengths.max())
    texts = np.zeros((len(flat), width), np.uint8)
    texts[np.tri(width, dtype=bool).take(lengths - 1, axis=0)] = data
    texts[np.arange(len(flat)), lengths - 1] = 0
    if flat.dtype == np.float64:
        whole = np.flatnonzero((data[ends - 1] == ord("0")) & (data[ends - 2] == ord(".")))
        for behind in (2, 3):
            texts[whole, lengths[whole] - behind] = 0
    return texts.view(f"S{width}").reshape(np.shape(values))


def _spelt(value: Value, unit: Unit, form: Form) -> bytes:
    """A value by itself: exact if it is whole or a short decimal."""
    if isinstance(value, Expr):
        return _word(code(value), form)
    assert value is not None
    amount = in_units(value, unit.worth)
    rounded = _ROUND.divide(Decimal(amount.numerator), Decimal(amount.denominator))
    return (decimal(amount) or str(rounded)).encode()


def _word(text: str, form: Form) -> bytes:
    """A word as a cell."""
    word = clean(text)
    if form.quoted:
        return json.dumps(word, allow_nan=False).encode()
    return table.csv_line([word])[:-1].encode()


def _unit(axis: Axis) -> str:
    return axis.unit.name if isinstance(axis, Numeric) else ""


def _headed(name: str, unit: str) -> str:
    return f"{name} [{unit}]" if unit else name
