"""A number as a student wrote it: its digits, whether another rounds to it, how far it is off."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from ddcalc.ask.mark.grading import AS_USUAL, Credit
from ddcalc.errors import BadUnit, BadValue
from ddcalc.numbers import units
from ddcalc.numbers.amounts import LARGE
from ddcalc.numbers.display import decimal, first_place, nearest_two, rounded
from ddcalc.numbers.irrational import ratio
from ddcalc.numbers.number import (
    LENGTH,
    Number,
    in_groups,
    in_units,
    magnitude,
    plain,
    split,
    typed,
)
from ddcalc.numbers.units import COUNT, ONE, PERCENT, SHARE, Unit, measure, shown_in, unit_named
from ddcalc.problem.said.steps import Value

ALL = 40  # digits of what is exact: a number has no more in a text

FEWEST = 3  # digits of a rounded answer, where nothing is said
COUNTED = 10**LARGE  # up to which pages write what is counted in full
FINE = 6  # significant digits of a rounded answer that nobody needs to exceed

_MIXED = re.compile(r" *([-+\u2212]?)([0-9]+) +([0-9]+ */ *[0-9]+)(.*)")  # a mixed number: 66 2/3
_EQUATION = re.compile(r" *((?:[^\W\d][\w, -]*?)?) *(:|[=≈≥≤]|==|>=|<=|~=|<|>) *(.+)")
_ENDS = {"≥": "least", ">=": "least", "≤": "greatest", "<=": "greatest", "<": "", ">": ""}
_PARTS = re.compile(  # a time in several units, no power of ten
    r"[-+]?(?: *[0-9.]+ *(?![eE][-+0-9])[^\W\d_]+)+ *[0-9.]+"
)
_SWAPPED = str.maketrans(",.", ".,")  # decimal commas as points, and points between thousands


@dataclass(frozen=True, slots=True)
class Written:
    """*number* stands before the *unit*; None where there is none.

    *place* is the power of ten of its last digit, of what is calculated too, None where that never
    ends; *digits* counts the significant ones, zeros at the end of a whole number among them.
    """

    text: str
    number: Number
    unit: Unit | None
    place: int | None
    digits: int

    def fits(self, value: Number, worth: Number) -> bool:
        """Whether *value* (base units), in units of that *worth*, rounds to what is written."""
        exact = in_units(value, worth)
        return self.number == exact if self.place is None else self.rounds(exact, self.place)

    def rounds(self, exact: Number, place: int) -> bool:
        """Whether *exact*, in the same unit, rounds to what is written at the power of ten *place*;
        of two that are as near the even one does too."""
        return self.number in nearest_two(exact, place)

    @property
    def is_coarse(self) -> bool:
        """Whether the digits are too few, or no decimal ones: 5 h 20 min."""
        return self.digits < FEWEST or _PARTS.fullmatch(split(self.text)[0]) is not None

    @property
    def telling(self) -> int:
        """How many digits the number has without the zeros at its end, which say nothing new."""
        written = str(1 if self.place is None else self.number / Fraction(10) ** self.place)
        return self.digits - len(written) + len(written.rstrip("0"))

    def zeros(self) -> int:
        """How many zeros end a whole number, which may be digits or not."""
        digits = str(self.number) if self.place == 0 and self.number else ""
        return len(digits) - len(digits.rstrip("0"))

    def roundings(self) -> Iterator[tuple[int, int]]:
        """To how many digits the right number may have been rounded, and the place of the last;
        nothing was where digits never end."""
        if self.place is not None:
            for more in range(self.zeros() + 1):
                yield self.digits - more, self.place + more


@dataclass(frozen=True, slots=True)
class Spelt:
    """An answer that is not a number: *agrees* says whether a value is what *text* says."""

    text: str
    agrees: Callable[[Value], bool]


Answer = Written | Spelt | tuple[Written, ...]


def readings(text: str, *, decimal_comma: bool = False) -> list[str]:
    """What *text* can mean, as numbers are typed: where a comma (or, with *decimal_comma*, a point)
    could group thousands or stand before decimals, both, groups first.

    >>> readings("32,014 s"), readings("1.234,5", decimal_comma=True), readings("66 2/3 s")
    (['32014 s', '32.014 s'], ['1,234.5'], ['(66 + 2/3) s'])
    """
    swapped = text.translate(_SWAPPED)
    if decimal_comma and ("," in text or "," not in typed(swapped, whole=True)):
        text = swapped
    if not in_groups(text) and (mixed := _MIXED.fullmatch(text)):
        sign, whole, part, unit = mixed.groups()
        text = f"{sign}({whole} + {part}){unit}"
    grouped = typed(text, whole=True)
    return [text] if grouped == typed(text) else [grouped, text.replace(",", ".")]


def said(text: str, names: Iterable[str], end: str = "least") -> str:
    """*text* without the name or letter of what it is about: ``m = 67`` is ``67``.

    So is ``m ≥ 67`` where the *end* of the solutions is the least one; ``m ≤ 67`` of the greatest.
    BadValue for another sign.
    """
    equation = _EQUATION.fullmatch(text) if len(text) <= LENGTH else None
    if equation is None or not (equation[1] or equation[2] in _ENDS):  # but a spreadsheet's =1+1
        return text
    if equation[1] and equation[1].lower() not in {name.lower() for name in names}:
        return text
    if _ENDS.get(equation[2], end) != end:
        raise BadValue(text, f"has the sign {equation[2]}; write = or the number alone")
    return equation[3]


def written(text: str, unit: Unit) -> Written:
    """What *text* says as a quantity in *unit*, though the unit written may be any or none.

    Raises BadNumber for what is not a number, BadUnit for an unknown unit.
    """
    try:
        measured = shown_in(unit, text)
    except BadUnit:  # it has none, or that of something else
        name = split(text)[1]
        other = unit_named(name, text) if name else unit
        measured = measure(text, other.dimension, bare_unit=unit)
    raised = "^" in unit.name
    alone = text.removesuffix(unit.name) if raised else split(text)[0]  # as of 2.5 s^2
    number = in_units(measured.value, measured.unit.worth)
    digits, place = _digits(typed(alone).strip(" "), number)
    return Written(text, number, None if measured.bare else measured.unit, place, digits)


def _digits(text: str, number: Number) -> tuple[int, int | None]:
    """How many significant digits *text*, which says *number*, has, and the place of the last."""
    if _PARTS.fullmatch(text):  # its last part says how fine it is: 9 min 55.5
        behind = len(re.split(r"[^0-9.]", text)[-1].partition(".")[2])
        return len(str(int(magnitude(number) * 10**behind))), -behind
    try:
        plain = Decimal(text)
    except InvalidOperation:  # it is calculated
        if not (text := decimal(number, ALL) or ""):
            return ALL, None
        plain = Decimal(text)
    _, digits, place = plain.as_tuple()
    assert isinstance(place, int)
    said = magnitude(Fraction(plain))
    if said and number not in (said, -said):  # a multiplier follows
        place += len(str(magnitude(number) // said)) - 1
    return len(digits) if said else 0, place


# How far off an answer may be


@dataclass(frozen=True, slots=True)
class Allowed:
    """What the sheet asks of an answer: *digits* at least, or *within* what it may be (in words:
    *says*); the *unit* of a number without one; *credit*, what an answer is worth."""

    digits: int | None = None
    within: Number | None = None
    relative: bool = False
    unit: Unit | None = None
    says: str = ""
    credit: Credit = AS_USUAL

    @property
    def fewest(self) -> int:
        """The digits that a rounded answer has at least."""
        return self.digits or FEWEST

    @property
    def is_declared(self) -> bool:
        """Whether the sheet says how far an answer may be off."""
        return self.digits is not None or self.within is not None


def possible_units(stated: Written, usual: Unit, allowed: Allowed) -> Sequence[Unit]:
    """The units in which *stated* may give a quantity that is shown in the *usual* one, the
    likeliest first: a share is also in per cent, 41.67; none where it is another kind."""
    if stated.unit is not None:
        return [stated.unit] if stated.unit.dimension == usual.dimension else []
    if usual.dimension == ONE:
        is_share = PERCENT in (usual, allowed.unit) or usual == SHARE
        return [COUNT, PERCENT] if is_share and allowed.unit in (None, PERCENT) else [COUNT]
    bare = not stated.number or usual.dimension in units.BARE  # 0 is 0 in every unit
    return [allowed.unit or usual] if allowed.unit or bare else []


def right(stated: Written, value: Number, unit: Unit, allowed: Allowed) -> str | None:
    """In what sense *stated*, in *unit*, is *value*: "" where it is exactly; None if not."""
    exact, number, fewest = in_units(value, unit.worth), stated.number, allowed.fewest
    if number == exact:
        return ""
    if allowed.within is not None:
        [(_, most)] = accepted(exact, unit, allowed)
        return allowed.says if magnitude(number - exact) <= most else None
    if not exact or is_counted(exact, unit, allowed):
        return None
    for digits, place in stated.roundings():
        if digits >= fewest and stated.rounds(exact, place):
            return f"to {digits} significant digits"
    if allowed.digits is not None or stated.place is None:
        number = rounded(number, fewest)
    elif stated.digits >= fewest:
        return None  # else zeros may have been left out: 8 for 8.00
    near = nearest_two(exact, first_place(exact) - fewest + 1)
    return f"to {fewest} significant digits" if number in near else None


def accepted(exact: Number, unit: Unit, allowed: Allowed) -> Iterator[tuple[Number, Number]]:
    """Numbers in *unit* that are right besides the *exact* one, however many digits they have, each
    with how far off one may be: those to as many digits as anybody needs first, then to fewer.

    >>> [*accepted(Fraction(1191, 2), COUNT, Allowed(digits=3))][::3]
    [(Fraction(1191, 2), Fraction(1, 2000)), (596, Fraction(1, 2))]
    """
    if allowed.within is not None:
        part = magnitude(exact) if allowed.relative else ratio(1, unit.worth)
        yield exact, plain(allowed.within * Fraction(part))
    elif exact and not is_counted(exact, unit, allowed):
        first, size = max(FINE, allowed.fewest), first_place(exact)
        for digits in range(first, allowed.fewest - 1, -1):
            place = size - digits + 1  # what rounds to the digits that are wanted is right too
            off = Fraction(10) ** place / 2 if digits in (first, allowed.digits) else 0
            for number in dict.fromkeys(nearest_two(exact, place)) if digits < first else [exact]:
                yield number, plain(off)


def is_counted(exact: Number, unit: Unit, allowed: Allowed) -> bool:
    """Whether *exact* is a number of things that is wanted exactly: the sheet does not ask for some
    digits of it, and it is not so large that pages round it."""
    plain = unit.dimension == ONE and unit.worth == 1
    return plain and allowed.digits is None and isinstance(exact, int) and abs(exact) < COUNTED
