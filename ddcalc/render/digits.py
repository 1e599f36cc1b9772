"""Many numbers at once as decimal text, in NumPy: four digits a step, looked up in tables.

A text is made of parts, arrays of one to four characters for every number, in which NUL is no
character. Whole numbers and decimals are exact; floats have fifteen significant digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Part = NDArray[Any]
Whole = NDArray[np.int64]
Floats = NDArray[np.float64]
_Texts = NDArray[np.uint32]

GROUP: Final = 10_000  # what four digits count up to
SIGNIFICANT: Final = 15  # digits of a float
PLACES: Final = 16  # behind the point, at most
PLAIN: Final = (1e-2, 1e15)  # the sizes of floats that are written without a power of ten
ALMOST_TEN: Final = 10 - 5e-15  # what is written as 10
_MINUS, _POINT, _NOUGHT = b"-.0"


class _Tables(NamedTuple):
    """The texts of 0 to 9999 in four characters: with all zeros, without those in front (none is
    left of 0), and without those at the end."""

    full: _Texts
    leading: _Texts
    trailing: _Texts


@cache
def _tables() -> _Tables:
    full = [f"{i:04d}" for i in range(GROUP)]
    leading = [text.lstrip("0").rjust(4, "\0") for text in full]
    trailing = [text.rstrip("0") for text in full]
    return _Tables(*(np.array(each, "S4").view(np.uint32) for each in (full, leading, trailing)))


def whole(values: Whole) -> list[Part]:
    """The text of whole numbers."""
    return [*_sign(values), *_front(np.abs(values))]


def decimals(values: Whole, places: int) -> list[Part]:
    """The text of *values* with a point before the last *places* digits, zeros left out."""
    if not places:
        return whole(values)
    sizes, power = np.abs(values), 10**places
    before = sizes // power
    groups = -(-places // 4)
    behind = (sizes - before * power) * 10 ** (4 * groups - places)
    return [*_sign(values), *_front(before), *_behind(behind, groups)]


def floats(values: Floats) -> list[Part]:
    """The text of finite floats."""
    sizes = np.abs(values)
    low, high = PLAIN
    plain = (sizes == 0) | ((sizes >= low) & (sizes < high))
    if plain.all():
        return [*_sign(values), *_plain(sizes)]
    mantissas, powers = _scientific(np.where(plain, 1.0, sizes))
    return [*_sign(values), *_plain(np.where(plain, sizes, mantissas)), _exponents(powers)]


def texts(words: list[bytes]) -> Part:
    """A part that is some texts."""
    return np.array(words, dtype=bytes)


def _scientific(sizes: Floats) -> tuple[Floats, Whole]:
    """Numbers from 1 up to 10, and the powers of ten that belong to them."""
    powers = np.floor(np.log10(sizes)).astype(np.int64)
    half = powers // 2  # in two steps, so that no power of ten is beyond floats
    mantissas = sizes / 10.0**half / 10.0 ** (powers - half)
    high = mantissas >= ALMOST_TEN
    return np.where(high, mantissas / 10, mantissas), powers + high


def _exponents(powers: Whole) -> Part:
    """``e-05``, ``e+300``; nothing for 0."""
    distinct, which = np.unique(powers, return_inverse=True)
    return texts([f"e{power:+03d}".encode() if power else b"" for power in distinct.tolist()])[
        which
    ]


def _plain(sizes: Floats) -> Iterator[Part]:
    """Sizes from 0.01 up to 10^15 with as many places as they have digits left."""
    with np.errstate(divide="ignore"):
        digits = np.floor(np.log10(sizes)) + 1
    digits = np.clip(digits, SIGNIFICANT - PLACES, SIGNIFICANT)
    places = (SIGNIFICANT - digits).astype(np.int64)
    scale = 10 ** np.arange(PLACES + 1)
    power = scale.take(places)
    before = np.floor(sizes)
    behind = np.rint((sizes - before) * power).astype(np.int64)
    carried = behind >= power
    behind = np.where(carried, 0, behind) * scale.take(PLACES - places)
    yield from _front(before.astype(np.int64) + carried)
    yield from _behind(behind, PLACES // 4)


def _sign(values: Whole | Floats) -> Iterator[Part]:
    negative = values < 0
    if negative.any():
        yield negative * np.uint8(_MINUS)


def _front(sizes: Whole) -> list[Part]:
    """Whole numbers without zeros in front."""
    tables = _tables()
    parts: list[Part] = []
    rest, more = sizes, int(sizes.max()) >= GROUP
    while more:
        higher = rest // GROUP
        group = rest - higher * GROUP
        parts.append(np.where(higher > 0, tables.full.take(group), tables.leading.take(group)))
        rest, more = higher, int(higher.max()) >= GROUP
    parts.append(tables.leading.take(rest))
    none = sizes == 0
    if none.any():
        parts.insert(0, none * np.uint8(_NOUGHT))
    return parts[::-1]


def _behind(digits: Whole, groups: int) -> list[Part]:
    """A point and the *digits* behind it, four in each of the *groups*, without zeros at the end;
    nothing where there are zeros alone."""
    tables = _tables()
    parts: list[Part] = []
    rest, lower = digits, np.zeros(len(digits), dtype=bool)
    for _ in range(groups):
        higher = rest // GROUP
        group = rest - higher * GROUP
        if parts or group.any():
            texts = tables.trailing.take(group)
            parts.append(np.where(lower, tables.full.take(group), texts) if parts else texts)
            lower |= group > 0
        rest = higher
    return [lower * np.uint8(_POINT), *parts[::-1]] if parts else []
