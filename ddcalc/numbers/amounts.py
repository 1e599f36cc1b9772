"""How people read a number with its unit: the one place that decides prefixes and digits.

Whatever is printed for people comes from here. A number is exact where it is short, else rounded
half up; JSON has the exact value beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import takewhile
from typing import Final

from ddcalc.numbers import units
from ddcalc.numbers.display import ABOUT, grouped, half_up, in_full, nearest
from ddcalc.numbers.irrational import Approximate, ratio
from ddcalc.numbers.number import Number, magnitude, plain, product, quotient
from ddcalc.numbers.units import COUNT, DATA, PERCENT, SECOND, TIME, UNITS, WORK, Unit, unit_named

ROUNDED: Final = 4  # significant digits of a rounded number
EXACT: Final = 5  # significant digits up to which an amount is written exactly
PLAIN: Final = 6  # the same, of a number without a unit
COUNTED: Final = 8  # the same, of a whole number
STATED: Final = 15  # the same, of a number that a question states
LARGE: Final = 7  # the power of ten from which on numbers are written with one
SMALL: Final = -4  # and below which
BEYOND: Final = 15  # the power of ten from which on nobody counts in millions, billions, trillions
AGES: Final = 10**12  # seconds that nobody counts in days, hours and minutes
READABLE: Final = (Fraction(1, 1000), 10**6)  # the numbers for which a unit of its own is kept
ALIKE: Final = (Fraction(1, 100), 10**6)  # and those for which a column keeps one
CENTS: Final = (Fraction(1), 10**LARGE)  # the amounts of money that are written in cents
WHOLE: Final = 4  # digits before the point, from which on cents say nothing of rounded money
OFTEN: Final = Fraction(1, 100)  # times a second, from which on they are counted by the second
LONG: Final = 120  # seconds, from which on a time is rounded in minutes, hours or days
HOURS: Final = 36_000  # seconds, from which on few digits of hours say more
SECONDS: Final = 10**6  # up to which a time that is exact in seconds stays in seconds
HIGH: Final = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
LOW: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")

_ILLIONS: Final = (("×10⁶", "million"), ("×10⁹", "billion"), ("×10¹²", "trillion"))
_LONGER: Final = (("min", LONG), ("h", 7200), ("d", 172800))  # from how many seconds on
_TIMES: Final = tuple(map(UNITS.__getitem__, ("s", "ms", "us", "ns")))
_DATA: Final = tuple(map(UNITS.__getitem__, ("PB", "TB", "GB", "MB", "kB", "B")))
_BITS: Final = tuple(map(UNITS.__getitem__, ("Tbit", "Gbit", "Mbit", "kbit", "bit")))
_WORK: Final = tuple(map(UNITS.__getitem__, ("EFLOP", "PFLOP", "TFLOP", "GFLOP", "MFLOP", "FLOP")))
_MASS: Final = tuple(map(UNITS.__getitem__, ("t", "kg", "g", "mg", "µg")))
_RATE: Final = DATA / TIME
_BIT_RATES: Final = tuple(unit.per(SECOND) for unit in _BITS)
_EACH: Final = tuple(one.per(UNITS[of]) for of in ("B", "GB") for one in _TIMES[:3])
_OFTEN: Final = tuple(unit_named(name) for name in ("/min", "/h", "/d"))
_LADDERS: Final = {  # the largest unit first
    TIME: _TIMES,
    DATA: _DATA,
    WORK: _WORK,
    units.MASS: _MASS,
    _RATE: tuple(unit.per(SECOND) for unit in _DATA),
    TIME / DATA: _EACH,
    WORK / TIME: tuple(unit.per(SECOND) for unit in _WORK),
}


class AskedUnit(Unit):
    """A unit that a question asks for, in which amounts stay as far as they are readable."""


class BoundUnit(AskedUnit):
    """The unit of a bound, in which what is compared with it stays likewise."""


@dataclass(slots=True)  # not frozen: a page makes very many, and frozen ones take twice as long
class Amount:
    """A number of a *unit* (may be empty) as texts; ``str()`` writes both.

    *value* is what it stands for and *near* what the texts say, both in base units; *exact* is
    whether they are the same.
    """

    number: str
    unit: str
    exact: bool
    value: Number
    near: Number

    def __str__(self) -> str:
        return f"{self.number} {self.unit}" if self.unit else self.number

    @property
    def marked(self) -> str:
        """The text, with a mark where it is rounded: ``≈ 66.67 s``."""
        return str(self) if self.exact else f"{ABOUT}{self}"


@lru_cache(maxsize=1 << 14, typed=True)  # the same numbers come again and again in a batch
def amount(value: Number, unit: Unit, *, digits: int = ROUNDED, stated: bool = False) -> Amount:
    """*value* (base units) of a quantity in *unit*, in the unit that fits; rounded to *digits*.

    A *stated* one keeps its unit and its digits. A rate in bits stays one in bits.

    >>> GB, s = UNITS["GB"], UNITS["s"]
    >>> str(amount(50 * 10**9, GB.per(s))), str(amount(15 * 10**12, COUNT))
    ('50 GB/s', '15×10¹²')
    >>> [str(amount(time, s)) for time in (Fraction(1407, 10**5), Fraction(1275, 2), 32014)]
    ['14.07 ms', '637.5 s', '32 014 s']
    >>> amount(Fraction(11485411, 3), s).marked
    '≈ 44.31 d'
    """
    return _stated(value, unit, digits) if stated else _fitted(value, unit, digits)


def in_unit(value: Number, unit: Unit, digits: int = ROUNDED, exact: int = 0) -> Amount:
    """*value* (base units) in *unit* itself, with up to *exact* digits (0: usual) or *digits*."""
    number = value if unit.worth == 1 else ratio(value, unit.worth)
    text, near = _digits(number, digits, exact or (EXACT if unit.name else PLAIN))
    rounded = type(value) is Approximate
    if near is number and not rounded:
        return Amount(text, unit.name, True, value, value)
    same = near == number and not rounded
    return Amount(text, unit.name, same, value, product(near, unit.worth))


def fitting(value: Number, unit: Unit) -> Unit:
    """The unit in which *value* (base units) of a quantity in *unit* is shown."""
    name = amount(value, unit).unit
    return unit if name in ("", unit.name) else unit_named(name)


def together(values: Sequence[Number], unit: Unit) -> list[Amount]:
    """The *values* of a column, in one unit if all are readable in it, told apart by digits."""
    if (shown_in := common(values, unit)) is None:
        return [amount(value, unit) for value in values]
    plain = [in_unit(x, shown_in) for x in values]
    if all(one.exact for one in plain):
        return plain
    digits = range(ROUNDED, ROUNDED + 5)
    every = ([in_unit(x, shown_in, many, many) for x in values] for many in digits)
    told = next((shown for shown in every if len({*map(str, shown)}) == len({*values})), plain)
    return [x if x.exact else replace(x, number=in_full(x.number, ROUNDED)) for x in told]


def common(values: Sequence[Number], unit: Unit) -> Unit | None:
    """The largest unit in which all *values* of a quantity in *unit* are readable, if any is."""
    sizes = sorted((magnitude(value) for value in values if value), reverse=True)
    fit = (fitting(size, unit) for size in sizes)
    ends = sizes[:1] + sizes[-1:]
    return next((one for one in fit if all(reads_well(x, one, ALIKE) for x in ends)), None)


def reads_well(value: Number, unit: Unit, within: tuple[Number, Number] = READABLE) -> bool:
    """Whether the number of *value* (base units) in *unit* is *within* these sizes."""
    low, high = within
    return low * unit.worth <= magnitude(value) < high * unit.worth


def amount_text(value: Number, unit: Unit | None, *, digits: int = ROUNDED) -> str:
    """*value* in the unit that fits, marked where it is rounded: ``14.07 ms``, ``≈ 44.31 d``."""
    return amount(value, unit or COUNT, digits=digits).marked


def count_text(value: Number) -> str:
    """A plain number without a mark: ``28 429``, ``66.67``, ``15×10¹²``."""
    return in_unit(value, COUNT).number


def in_sentence(value: Number, unit: Unit) -> Amount:
    """*value* (base units) of a quantity in *unit* as one would say it."""
    if unit == COUNT:
        return count_in_sentence(value)
    made = _fitted(value, unit)
    if unit.dimension != TIME or isinstance(unit, AskedUnit):
        return made
    if not made.exact or made.unit != SECOND.name or not LONG <= magnitude(value) < AGES:
        return made
    words = _in_words(abs(value.numerator), value.denominator)
    return Amount(made.number, f"{made.unit} ({words})", True, value, value)


def count_in_sentence(value: Number) -> Amount:
    """A pure number as one would say it, large ones in millions, billions or trillions."""
    made = in_unit(value, COUNT)
    for power, word in _ILLIONS:
        if made.number.endswith(power):
            number = f"{made.number.removesuffix(power)} {word}"
            return Amount(number, "", made.exact, value, made.near)
    return made


def per_cent(part: Number) -> Amount:
    """A *part* of a whole in per cent, as one would say it: to one place, or to two where one
    would make it whole; never 0 or 100 for what is neither."""
    number = Fraction(part) * 100
    for places in range(1, 16):
        near = plain(half_up(number, -places))
        if near == number or near.denominator > 1 or (places > 1 and near not in (0, 100)):
            break
    text = _digits(near, 15, 15)[0]
    said = quotient(near.numerator, 100 * near.denominator)
    return Amount(text, PERCENT.name, near == number, part, said)


def like_stated(unit: Unit, stated: Iterable[Unit]) -> Unit:
    """*unit*, but a rate in bits where those *stated* are."""
    in_bits = unit.dimension == _RATE and any(one in _BIT_RATES for one in stated)
    return _BIT_RATES[1] if in_bits else unit


def signed(value: Number, unit: Unit) -> str:
    """A difference with its sign: ``+120 s``, ``−291 s``; of shares in percentage points."""
    made = amount(value, unit)
    if made.unit == PERCENT.name:
        made = replace(made, unit="points")
    above = f"+{made}" if made.exact else f"{ABOUT}+{made}"
    return above if value > 0 else made.marked


def apart(left: Number, right: Number, unit: Unit) -> tuple[Amount, Amount]:
    """Two sides of a comparison, in digits that show which is the larger one."""
    for digits in range(ROUNDED, 40):
        sides = [amount(x, unit, digits=digits) for x in (left, right)]
        if left == right or (
            (sides[0].near < sides[1].near) == (left < right) and (sides[0].near != sides[1].near)
        ):
            break
    return sides[0], sides[1]


def _fitted(value: Number, unit: Unit, digits: int = ROUNDED) -> Amount:
    """*value* in the unit that fits."""
    is_time = unit.dimension == TIME
    if isinstance(unit, AskedUnit):
        asked = in_unit(value, unit, digits)
        is_counted = asked.exact and "×" not in asked.number
        if reads_well(value, unit, (READABLE[0], 10**COUNTED if is_counted else READABLE[1])):
            return asked
        unit = unit_named(unit.name)
    if is_time and unit.worth > 1 and 4 * magnitude(value) >= unit.worth:
        return in_unit(value, unit, digits)  # hours, from a quarter on, that are counted in hours
    if not is_time and (made := _without_ladder(value, unit, digits)):
        return made
    ladder = _ladder(value, unit)
    small = takewhile(lambda one: magnitude(value) < 1000 * one.worth, ladder)
    for one in reversed([*small]):
        made = in_unit(value, one, digits)
        if made.exact or magnitude(made.near) < 1000 * one.worth:
            return made
    if is_time:
        return _long(value, digits)
    if unit.dimension == WORK:
        return in_unit(value, UNITS["FLOP"], digits)
    return in_unit(value, ladder[0] if ladder else unit, digits)


def _without_ladder(value: Number, unit: Unit, digits: int) -> Amount | None:
    """An amount of what people show in other ways than in the unit that fits, if it is that."""
    if unit in (PERCENT, units.SHARE):
        return _share(value, digits)
    if unit.dimension == units.MONEY:
        if digits > ROUNDED or not reads_well(value, unit, CENTS):
            return in_unit(value, unit, digits)
        places = len(str(int(magnitude(ratio(value, unit.worth)))))  # four digits of less than one
        return in_unit(value, unit, places + 2 * (places < WHOLE), places + 2)
    of, per, second = unit.name.rpartition("/s")
    if not per or second or unit.worth != 1 or unit.dimension in _LADDERS:
        return None
    if not value or magnitude(value) >= OFTEN:
        return in_unit(value, unit, digits)
    if of:
        return in_unit(value, unit_named(f"{of}/h"), digits)
    often = (one for one in _OFTEN if magnitude(value) >= one.worth)  # once there, at least
    return in_unit(value, next(often, _OFTEN[-1]), digits)


def _ladder(value: Number, unit: Unit) -> tuple[Unit, ...]:
    """The units from which the fitting one is taken, the largest first; *unit* where it is its
    own."""
    ladder = _LADDERS.get(unit.dimension, ())
    if unit in (*_BIT_RATES, *_BITS):
        return _BIT_RATES if unit in _BIT_RATES else _BITS
    usual = unit.dimension == TIME or ((unit in ladder or unit.worth == 1) and ladder != _MASS)
    if ladder and value and (usual or not reads_well(value, unit)):
        return ladder
    return (unit,) if value else ()


def _stated(value: Number, unit: Unit, digits: int) -> Amount:
    """An amount that the question states, in its own unit where the number is readable."""
    exact = in_unit(value, unit, digits, exact=STATED)
    ladder = _LADDERS.get(unit.dimension, ())
    if not ladder or not value or reads_well(value, unit):
        return exact
    made = _fitted(value, ladder[-1])
    return made if made.exact else exact


def _long(value: Number, digits: int) -> Amount:
    """A time of two minutes or more: exact in seconds, or shorter in hours if it is long; else in
    the unit that fits."""
    exact = in_unit(value, SECOND, digits)
    hours = in_unit(value, UNITS["h"], exact=ROUNDED)
    if hours.exact and magnitude(value) >= HOURS:
        return hours
    if (exact.exact and magnitude(value) < SECONDS) or magnitude(value) < LONG:
        return exact
    name = next(name for name, least in reversed(_LONGER) if magnitude(value) >= least)
    return in_unit(value, UNITS[name], digits)


def _share(value: Number, digits: int) -> Amount:
    """A share in per cent; rounded ones are not 100 % by that alone."""
    for more in range(digits, digits + 40):
        made = in_unit(value, PERCENT, more)
        if made.near != 1 or value == 1:
            break
    return made


def _in_words(top: int, bottom: int) -> str:
    """Exact seconds, *top* over *bottom*, in days, hours, minutes and seconds."""
    minutes, rest = divmod(top, 60 * bottom)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    words = [f"{_digits(days, 15, 15)[0]} d"] if days else []
    words += [f"{part} {name}" for part, name in ((hours, "h"), (minutes, "min")) if part]
    if rest:
        words.append(f"{_digits(quotient(rest, bottom), 15, 15)[0]} s")
    return " ".join(words)


def _digits(value: Number, digits: int, exact: int) -> tuple[str, Number]:
    """*value* as a text and the number that it says: exact if it has up to *exact* significant
    digits, or is whole and not large; else rounded to *digits*, but no digit before the point is
    cut unless it is large."""
    places = len(str(magnitude(int(value)))) if magnitude(value) < 10**STATED else STATED + 1
    if value.denominator == 1 and places <= COUNTED:
        exact = max(exact, COUNTED)
    close, same = nearest(value, exact)
    if not same:
        close, _ = nearest(value, max(digits, places) if places <= LARGE else digits)
    first, written = close.adjusted(), len(close.as_tuple().digits)
    if not close or SMALL <= first < (STATED if same and written > PLAIN else LARGE):
        return grouped(close), quotient(*close.as_integer_ratio())
    power = first // 3 * 3 if LARGE <= first < BEYOND else first
    return f"{grouped(close.scaleb(-power))}×10{str(power).translate(HIGH)}", quotient(
        *close.as_integer_ratio()
    )
