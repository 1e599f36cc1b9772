"""Units and what they measure: a closed table of units, quotients of two, numbers with units.

Values are held in base units: seconds, bytes, US dollars and floating-point operations.
"""

from __future__ import annotations

import re
import tomllib
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from operator import add
from pathlib import Path
from typing import NamedTuple

from ddcalc.errors import BadNumber, BadUnit, quote, suggestion
from ddcalc.numbers.irrational import ratio
from ddcalc.numbers.number import LENGTH, Number, hints, is_sum, parse, plain, product, split, typed


class Dimension(NamedTuple):
    """What a quantity measures: a product of powers of time, data, money and operations.

    Money is in US dollars and euros are no money: a question states the rate of exchange.
    """

    work: Number = 0
    data: Number = 0
    money: Number = 0
    euros: Number = 0
    time: Number = 0
    energy: Number = 0
    mass: Number = 0

    def __mul__(self, other: Dimension) -> Dimension:  # type: ignore[override]
        return Dimension(*map(add, self, other))

    def __truediv__(self, other: Dimension) -> Dimension:
        return self * other**-1

    def __pow__(self, exponent: Number) -> Dimension:
        return Dimension(*(power * exponent for power in self))

    def __str__(self) -> str:
        """In words, for example "data/time" or "a plain number"."""
        words = ("operations", "data", "money", "euros", "time", "energy", "mass")
        return self.called(*words, nothing="1") if self != ONE else "a plain number"

    def called(self, *names: str, nothing: str = "") -> str:
        """The product of what is *called* so, in the order of the powers, as in B/s^2; *nothing*
        stands above a bare slash."""
        factors = [*zip(names, self, strict=True)]
        over = [_power(name, exponent) for name, exponent in factors if exponent > 0]
        under = [_power(name, -exponent) for name, exponent in factors if exponent < 0]
        below = "·".join(under) if len(under) < 2 else f"({'·'.join(under)})"
        return f"{'·'.join(over) or nothing}{'/' if under else ''}{below}"


def _power(name: str, exponent: Number) -> str:
    if exponent == 1:
        return name
    return f"{name}^{exponent}" if exponent.denominator == 1 else f"{name}^({exponent})"


ONE = Dimension()
TIME = Dimension(time=1)
DATA = Dimension(data=1)
MONEY = Dimension(money=1)
WORK = Dimension(work=1)
ENERGY = Dimension(energy=1)
MASS = Dimension(mass=1)


# Units


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit *worth* so many base units (s, B, USD, FLOP) of its *dimension*, called *title*."""

    name: str
    worth: Number
    dimension: Dimension
    title: str

    def per(self, other: Unit) -> Unit:
        """The quotient of two units, for example ``Gbit/s``."""
        worth, dimension = ratio(self.worth, other.worth), self.dimension / other.dimension
        title = f"{self.title} per {other.title}".lstrip()
        return Unit(f"{self.name}/{other.name}", worth, dimension, title)


_THINGS = Unit("", 1, ONE, "")  # of which there are some per second, as in 5000 /s
UNITS: dict[str, Unit] = {}  # by every spelling that is read
_SUGGESTED: dict[str, Unit] = {}  # by every spelling that is understood, if not read
COUNT = Unit("", 1, ONE, "plain number")
SHARE = Unit("", 1, ONE, "share of a whole")  # which is printed in per cent
_OTHERS = {"one": ONE, "euros": Dimension(euros=1), "power": ENERGY / TIME, "rate": ONE / TIME}
_AS_DATA = tomllib.loads(Path(__file__).with_name("units.toml").read_text("utf-8"))
_WANTED = _AS_DATA.pop("wanted")
for _kind, _rows in _AS_DATA.items():
    for _name, _worth, _title, *_aliases in _rows:
        _of = _OTHERS[_kind] if _kind in _OTHERS else Dimension(**{_kind: 1})
        _made = Unit(_name, Fraction(_worth) if isinstance(_worth, str) else _worth, _of, _title)
        UNITS.update(dict.fromkeys((_name, *_aliases), _made))
        _SUGGESTED.update(dict.fromkeys((_name, *_aliases, _title), _made))

SECOND, HOUR, BYTE, USD = map(UNITS.__getitem__, ("s", "h", "B", "USD"))
PERCENT, TOKEN, JOULE, KILOGRAM, FLOP = map(UNITS.__getitem__, ("%", "token", "J", "kg", "FLOP"))

# Of rates only: a b is a bit in Gb/s and Gbps, and could be a byte in Gb.
_RATED_BITS = {f"{prefix}b": UNITS[f"{prefix}bit"] for prefix in ("", *"kMGT")}
_BYTES = {name: UNITS[name] for name in ("kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB")}
_RATES = {f"{name}ps": unit.per(SECOND) for name, unit in (_RATED_BITS | _BYTES).items()}
# Operations, or operations per second: which of them is for the quantity to say.
_EITHER = {
    f"{prefix}{word}": UNITS[f"{prefix}FLOP"]
    for prefix in ("", *"MGTPE")
    for word in ("FLOPS", "FLOPs", "OPS", "OPs")
}
UNITS |= {f"{prefix}OP": UNITS[f"{prefix}FLOP"] for prefix in "MGTPE"}

BYTE_PER_SECOND = BYTE.per(SECOND)
FLOP_PER_SECOND = FLOP.per(SECOND)
FLOP_PER_BYTE = FLOP.per(BYTE)
USD_PER_HOUR = USD.per(HOUR)
PER_SECOND = Unit("/s", 1, ONE / TIME, "per second")
TOKEN_PER_SECOND = TOKEN.per(SECOND)
SQUARE_SECOND = Unit("s^2", 1, TIME**2, "square second")

_BASE = {TIME: SECOND, DATA: BYTE, MONEY: USD, DATA / TIME: BYTE_PER_SECOND, ONE: COUNT}
_BASE |= {ENERGY: JOULE, MASS: KILOGRAM, ENERGY / TIME: UNITS["W"]}
_BASE |= {WORK: FLOP, WORK / TIME: FLOP_PER_SECOND, WORK / DATA: FLOP_PER_BYTE}

BARE = (ONE, TIME, ONE / TIME, TIME**2)  # of these, a number without a unit is in the usual one

_MIXED = re.compile(r"[0-9)] ?[^\W\d_].*[0-9]")
_PART = re.compile(r" *([0-9.][0-9._]*) *([^\W\d_]+)")  # of a time in several units
_TWICE = re.compile(r"(.*[^\W\d_])\s*\(([^()]*)\) *")
_LETTERS = {"k": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}
_WORDS = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_MULTIPLIERS = _LETTERS | _WORDS


class UnknownUnit(BadUnit):
    """The unit *name*, as part of *text*, is not in the table."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(text, f"has an unknown unit {quote(name)}")
        self.name = name

    def __str__(self) -> str:
        near = _SUGGESTED.get(suggestion(self.name, _SUGGESTED) or "")
        known = ", ".join(dict.fromkeys(unit.name for unit in UNITS.values()))
        hint = f"did you mean '{near.name}' ({near.title})?" if near else f"known: {known}"
        inside = "" if self.name == self.text else f" in {quote(self.text)}"
        return f"unknown unit {quote(self.name)}{inside}; {hint}"


@dataclass(slots=True)  # not frozen: a batch makes very many, and frozen ones take twice as long
class Measured:
    """A *value* in base units, the *unit* it was written in (or, if *bare*, taken to be in)."""

    value: Number
    unit: Unit
    bare: bool
    text: str


def measure(
    text: str, dimension: Dimension, *, bare_unit: Unit | None, suffixes: bool = False
) -> Measured:
    """What *text* (``NUMBER[ ]UNIT[/UNIT]`` or arithmetic) says about a quantity of *dimension*.

    A bare number is in *bare_unit*; without one, a unit must be written. With *suffixes* it is
    a count, which takes k, M, B or T but no unit. An amount may be said twice, as sentences do:
    ``637.5 s (10 min 37.5 s)``. Raises BadNumber or BadUnit.

    >>> measure("15ms", TIME, bare_unit=SECOND).value
    Fraction(3, 200)
    """
    if text.endswith(")") and len(text) <= LENGTH and (twice := _TWICE.fullmatch(text)):
        with suppress(BadNumber):  # which the whole text is refused for
            first, again = (
                measure(part, dimension, bare_unit=bare_unit, suffixes=suffixes or _is_count(part))
                for part in twice.groups()
            )
            if again.value in (first.value, -first.value):  # the sign is said once
                return replace(first, text=text)
    if suffixes and (dimension == ONE or _is_count(text)):
        return Measured(_count(text), bare_unit or COUNT, True, text)
    value, unit = _read(text)
    if unit is None:
        if bare_unit is None:
            raise BadUnit(text, f"needs a unit{_example(dimension)}")
        return Measured(product(value, bare_unit.worth), bare_unit, True, text)
    if unit.dimension != dimension:
        if dimension == WORK / TIME and split(text)[1] in _EITHER:
            return Measured(value, unit.per(SECOND), False, text)
        wanted = _WANTED.get(str(dimension), (str(dimension), ""))[0]
        measured = f"measures {unit.dimension}" if unit.dimension != ONE else "is a plain number"
        rate = "; exchange rates change: state one (exchange), or write 5 EUR*1.08 USD/EUR"
        end, (number, name) = rate if unit.dimension.euros else "", split(text)
        if unit.dimension * dimension == ONE and "/" in number:
            top, _, last = number.rpartition("/")
            end = f"; or write {top}/({last} {name})"
        raise BadUnit(text, f"{measured}; {wanted} is wanted{_example(dimension)}{end}")
    return Measured(value, unit, False, text)


def shown_in(unit: Unit, text: str) -> Measured:
    """What *text* says about a result that is shown in *unit*.

    A number without a unit is in *unit* too, unless it is an amount of data, a rate or money, of
    which only 0 needs none. Of a plain number k, M, B and T are read, as of a count.
    """
    if not _looked_up(unit.name) and (number := text.removesuffix(unit.name)) != text:
        value = measure(number.rstrip(" "), ONE, bare_unit=COUNT).value
        return Measured(product(value, unit.worth), unit, False, text)
    suffixes = unit == COUNT and _is_count(text)
    measured = measure(text, unit.dimension, bare_unit=unit, suffixes=suffixes)
    if measured.bare and measured.value and unit.dimension not in BARE:
        raise BadUnit(text, f"needs a unit{_example(unit.dimension)}")
    return measured


def base_unit(dimension: Dimension) -> Unit:
    """The unit in which values of *dimension* are held."""
    names = dimension.called("FLOP", "B", "USD", "EUR", "s", "J", "kg")  # as in USD/(B·s)
    return _BASE.get(dimension) or Unit(names, 1, dimension, "")


def unit_named(name: str, text: str = "", dimension: Dimension | None = None) -> Unit:
    """The unit or quotient of units called *name*, of that *dimension* where two have one name.

    *text* is what to quote if there is none.
    """
    unit = _known(name, text or name)
    if name in _EITHER and dimension is None:
        reason = f"has the unit {quote(name)}, of operations or of operations per second; "
        raise BadUnit(text or name, f"{reason}write {unit.name} or {unit.name}/s")
    return unit.per(SECOND) if name in _EITHER and dimension == WORK / TIME else unit


def _known(name: str, text: str) -> Unit:
    """The unit called *name* in *text*; of operations where it could be a rate of them, too."""
    if (unit := _looked_up(name)) is None:
        raise _refusal(name, text)
    return unit


@lru_cache(maxsize=4096)
def _read(text: str) -> tuple[Number, Unit | None]:
    """The value of *text* in base units, and its unit if it has one: of 6.4M h the hour."""
    number, name = split(text)
    if not name:
        return _parsed(number, text), None
    many, _, behind = name.partition(" ")
    name, times = (behind, _MULTIPLIERS[many]) if behind and many in _MULTIPLIERS else (name, 1)
    try:
        value = _parsed(number, text)
    except BadUnit:
        if (parts := _parts(text)) is None:
            raise
        return parts
    unit = _known(name, text)
    if " " in number and is_sum(number):
        raise BadUnit(text, f"has a unit behind a sum; put brackets round it: ({number}) {name}")
    return product(product(value, times), unit.worth), unit


def _parts(text: str) -> tuple[Number, Unit] | None:
    """A time in several units, the largest first, in the last of them: ``8 h 53 min 34 s``."""
    spelt = typed(text).strip(" ")
    at = len(spelt) - len(spelt.lstrip("-"))
    value: Number = 0
    smallest: Unit | None = None
    while part := _PART.match(spelt, at):
        unit = _known(part[2], text)
        if unit.dimension != TIME or (smallest and unit.worth >= smallest.worth):
            return None
        value += product(_parsed(part[1], text), unit.worth)
        smallest, at = unit, part.end()
    if smallest is None or at < len(spelt):
        return None
    return plain(-value if spelt.startswith("-") else value), smallest


def is_suffix(name: str) -> bool:
    """Whether *name* is a multiplier or a unit."""
    return name in _MULTIPLIERS or _looked_up(name) is not None


def _is_count(text: str) -> bool:
    """Whether a multiplier follows: ``70B``, ``50 billion``."""
    return split(text)[1] in _MULTIPLIERS


@lru_cache(maxsize=4096)
def _count(text: str) -> Number:
    """The value of *text* as a count, with its multiplier."""
    number, suffix = split(text)
    if suffix in _WORDS:
        return product(_parsed(number, text), _WORDS[suffix])
    try:
        value = _parsed(number, text)
    except BadNumber as error:
        if "has a comma" in error.reason:
            raise BadNumber(text, "has a comma; write a count without separators") from None
        raise
    if not suffix:
        return value
    if suffix == "K":
        raise BadUnit(text, "has K, which is 1000 or 1024; write k or *1024")
    if suffix not in _LETTERS or not typed(text).rstrip(" ").endswith(number + suffix):
        raise BadUnit(text, "is a count and takes no unit; k, M, B or T may follow without a space")
    if set(number) & set("*/^("):
        raise BadUnit(text, f"has {suffix} behind arithmetic; write *{_LETTERS[suffix]}")
    return product(value, _LETTERS[suffix])


def _parsed(number: str, text: str) -> Number:
    """The value of *number*; errors speak of the whole *text*."""
    try:
        return parse(number)
    except BadNumber as error:
        if "letters" in error.reason and _MIXED.search(number):
            reason = "has more than one unit; write 64 s or 1 min 4 s, and sums as (2 + 3) s"
            raise BadUnit(text, reason) from None
        raise BadNumber(text, error.reason) from None


def _factor(name: str) -> Unit | None:
    """The unit called *name*, or a power of one: ``min^2``."""
    base, _, power = name.partition("^")
    if power not in [*"23456789"] or (one := UNITS.get(base)) is None:
        return UNITS.get(name)
    return Unit(name, one.worth ** int(power), one.dimension ** int(power), one.title)


@lru_cache(maxsize=1024)
def _looked_up(name: str) -> Unit | None:
    """The unit called *name*, if there is one."""
    over, slash, under = typed(name).partition("/")
    if not slash:
        return _factor(over) or _RATES.get(over) or _EITHER.get(over)
    if (below := _factor(under)) is None:
        return None
    top = (_factor(over) or _EITHER.get(over)) if over else _THINGS
    if top is None and below.dimension == TIME:
        top = _RATED_BITS.get(over)
    return None if top is None else top.per(below)


def _refusal(name: str, text: str) -> BadUnit:
    """Why *name* is no unit."""
    if not text.isprintable():
        return BadUnit(text, "has a control character, invisible or unusual space")
    for pattern, reason in hints("quotient"):
        if match := pattern.fullmatch(name):
            return BadUnit(text, match.expand(reason))
    part = next(part for part in name.removeprefix("/").split("/") if part not in UNITS)
    for pattern, advice in hints("unit"):
        if match := pattern.fullmatch(part):
            separator = "," if advice.startswith("which") else ";"
            return BadUnit(text, f"has the unit {quote(part)}{separator} {match.expand(advice)}")
    return UnknownUnit(part, text)


def _example(dimension: Dimension) -> str:
    example = _WANTED.get(str(dimension), ("", ""))[1]
    return f", for example {example}" if example else ""
