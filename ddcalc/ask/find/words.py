"""Ranges of the unknown in words: ``m ≥ 13``, ``0 s ≤ t_comp < 27/56 s``."""

from __future__ import annotations

from collections.abc import Sequence

from ddcalc.ask.find.number_line import Piece
from ddcalc.formula.algebraic import Edge, Root, close_to
from ddcalc.numbers.display import ABOUT, fraction_text, number_text
from ddcalc.numbers.number import Number, in_units
from ddcalc.numbers.units import Unit

SHOWN = 3  # ranges that are told in one line; of more than that the first FEW
FEW = 2
DIGITS = 20  # of an irrational number, more than are shown
SHORT = 13  # characters of a fraction that is told as one


def amount(x: Edge, unit: Unit) -> str:
    """*x* (base units) as a number of *unit*: exact if that is short, else about."""
    value = in_unit(close_to(x, DIGITS), unit)
    decimal, exact = number_text(value)
    if isinstance(x, Root):
        told = x.form if x.form and unit.worth == 1 else f"about {decimal}"
    elif exact:
        told = decimal
    else:
        fraction = fraction_text(value)
        short = len(fraction) <= SHORT and not fraction.startswith(ABOUT)
        told = fraction if short else f"about {decimal}"
    return f"{told} {unit.name}".rstrip()


def full_amount(x: Edge, unit: Unit) -> str:
    """*x* as :func:`amount` tells it, and the decimal beside a fraction or a formula."""
    told = amount(x, unit)
    written = isinstance(x, Root) and not told.startswith("about ")
    if not written and "/" not in told.removesuffix(unit.name):
        return told
    decimal = number_text(in_unit(close_to(x, DIGITS), unit))[0]
    return f"{told} {ABOUT}{decimal} {unit.name}".rstrip()


def in_unit(x: Number, unit: Unit) -> Number:
    """*x* (base units) as a number of *unit*."""
    return in_units(x, unit.worth)


def piece_text(piece: Piece, letter: str, unit: Unit) -> str:
    """The numbers of *piece*, called *letter*: ``m = 3``, ``500 ≤ m ≤ 533``, ``m ≥ 13``."""
    low, high = piece.low, piece.high
    if low is None and high is None:
        return f"every {letter}"
    if piece.is_point:
        assert low is not None
        return f"{letter} = {amount(low, unit)}"
    if high is None:
        assert low is not None
        return f"{letter} {'≥' if piece.low_in else '>'} {amount(low, unit)}"
    above = f"{letter} {'≤' if piece.high_in else '<'} {amount(high, unit)}"
    if low is None:
        return above
    return f"{amount(low, unit)} {'≤' if piece.low_in else '<'} {above}"


def pieces_text(pieces: Sequence[Piece], letter: str, unit: Unit) -> str:
    """All *pieces*, or the first of them and how many there are."""
    shown = pieces if len(pieces) <= SHOWN else pieces[:FEW]
    told = [piece_text(piece, letter, unit) for piece in shown]
    if len(shown) < len(pieces):
        return f"{', '.join(told)}, … ({number_text(len(pieces))[0]} ranges)"
    return " or ".join(told)
