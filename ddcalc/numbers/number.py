"""The one grammar of numbers: a text becomes an exact integer or fraction, or is refused.

What people write and what ddcalc prints (``≈ 1 302 047``, ``70×10⁹``, ``1,400,000``) is spelt
as the grammar has it first, by :func:`typed`.

    sum     = product { (" + " | " - ") product }
    product = signed { ("*" | "/") signed }
    signed  = [ "+" | "-" ] power
    power   = atom [ ("**" | "^") signed ]
    atom    = literal | "(" sum ")"

Limits are checked before the work that they bound: no text costs more than a millisecond.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import NoReturn, TypeAlias

from ddcalc.errors import BadNumber

Number: TypeAlias = int | Fraction

LENGTH = 200  # characters of a text
DIGITS = 40  # digits of a literal
EXPONENT = 60  # size of the power of ten in a literal
DEPTH = 20  # brackets in brackets, powers in exponents
BITS = 400  # of a numerator or denominator, at every step

_NO_NUMBER = "is not a number"
_DIGITS = r"[0-9]+(?:_[0-9]+)*"
_LITERAL = (
    rf"(?:(0|[1-9][0-9]*(?:_[0-9]+)*)(?:\.({_DIGITS})?)?|\.({_DIGITS}))(?:[eE]([+-]?[0-9]+))?"
)
_PLAIN = re.compile(f"([+-]?){_LITERAL}")
_TOKEN = re.compile(rf" *(?:{_LITERAL}|(\*\*|[-+*/^()]))")
_SPLIT = re.compile(r" *(.*(?:[0-9]\.?|\))) *(/?(?:[^\W\d_]|[%$€£¥])[^0-9()]*)")
_BRACKETS = re.compile(r" *\(([^()]*[^\W\d_%][^()]*)\) *")  # around an amount: (50 GB/s)
_DOLLARS = re.compile(r" *([-+]?)(?:US)?\$ *([0-9.][0-9._,]*) *(/[^\W\d_]+)? *")

# What is written otherwise than the grammar has it.
_SIGNS = str.maketrans("\u2212×·⋅÷∕⁄\u00a0\u2009\u202f", "-***///   ")
_ABOUT = re.compile(r"^ *(?:≈|~=?|about) *(?=[-+(\u2212]*\.?[0-9])")
_RAISED = re.compile(r"(?<=[0-9)])[⁻⁰¹²³⁴-⁹]+")
_LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_POWER = re.compile(
    r"(?<![0-9._^*])([0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9_]+) ?[×x] ?10\^(-?[0-9]+)(?![0-9.^])"
)
_FIRST = r"(?<![0-9._,eE^])[1-9][0-9]{0,2}"
_BLANKS = re.compile(rf"{_FIRST}(?: [0-9]{{3}})+(?![0-9_,])")
_COMMAS = re.compile(rf"{_FIRST}(?:(?:,[0-9]{{3}}){{2,}}(?![0-9_,])|,[0-9]{{3}}(?=\.[0-9]))")
_END = r"((?:0|[1-9][0-9_]*)(?:\.[0-9]+)?(?: ?[^\W\d_]+(?:/[^\W\d_]+)?)?)"
_RANGE = re.compile(rf" *(?![0-9.]+[eE]-){_END}(?:-| ?[–:] ?){_END} ?(?:: ?(x?[1-9.].*))?")
_ONE_COMMA = re.compile(rf"{_FIRST},[0-9]{{3}}(?![0-9_,])")

# What people write instead of a number, and what they hear; \1 is filled in from the match.
_HINTS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), reason)
    for pattern, reason in (
        (r"^ *$", "is empty; write a number"),
        (r"(?![0-9])\d|[⁰¹²³⁴-⁹₀-₉¼-¾⅐-⅞]", "has digits other than 0 to 9"),
        (
            r"^ *[0-9](?:(?!\.\.).)*\.\.(?:(?!\.\.).)+$",
            "is a range; one number is wanted here",
        ),
        (r"[\u2010-\u2015∗]", "has a typographic sign; write - or *"),
        (r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}-\d{1,2}-\d{4}", "is a date; write a number"),
        (r"[0-9]:[0-9]", "is a clock time; write for example 90 s or 1.5 min"),
        (
            r"^[^,]*(?<![0-9._])([1-9][0-9]{0,2}),([0-9]{3})(?![0-9._])[^,]*$",
            r"has a comma; write \1.\2 (decimal point) or \1\2 (no separator)",
        ),
        (
            r"^[^,]*(?<![0-9._])([0-9]+),([0-9]+)(?![0-9._])[^,]*$",
            r"has a comma; write \1.\2, with a decimal point",
        ),
        (r",", "has a comma; write one number, with a decimal point and no separators"),
        (r"(?i)(?<![\w.])0[xob][0-9a-f]", "is not decimal; write it with the digits 0 to 9"),
        (r"([0-9]+) +([0-9]+/[0-9]+)", r"has a mixed number; write (\1 + \2)"),
        (r"[0-9] +[0-9]", "has a space inside a number; write the digits without spaces"),
        (r"(?<![\w.])0+([0-9]+)", r"has a leading zero; write \1"),
        (r"(?i)^ *(?:yes|no|true|false|on|off|null|none|~) *$", "is a word; write a number"),
        (r"(?i)^ *[-+]?\.?(?:nan|inf|infinity|∞) *$", "is not a finite number"),
        (r"[0-9]\.[0-9_]+\.", "has two decimal points"),
        (r"_", "has a misplaced _; a single _ may stand between two digits"),
        (r"%", "has %, which is not allowed here"),
        (r"[$€£¥]", "has a currency sign; write for example 2.5 USD"),
        (r"[^\W\d_]", "has letters; write digits and + - * / ^ ( ) only"),
    )
)


def parse(text: str) -> Number:
    """The exact value of *text*, a number or bounded arithmetic on plain literals.

    An ``int`` when the value is whole, else a ``Fraction``. Raises :class:`BadNumber`.

    >>> parse("0.015"), parse("2^10 - 24"), parse("-2^2")
    (Fraction(3, 200), 1000, -4)
    """
    if len(text) > LENGTH:
        raise BadNumber(text, f"is longer than {LENGTH} characters")
    plain = _PLAIN.fullmatch(text)
    if plain is None:
        return _Arithmetic(text).value()
    value = _literal(text, *plain.groups()[1:])
    return -value if plain[1] == "-" else value


def typed(text: str, *, whole: bool = False) -> str:
    """*text* as the grammar spells it: signs and powers in ASCII, digits without groups, an amount
    without brackets.

    Commas group digits where they cannot be a decimal comma: several of them, or one before a
    decimal point, or one in a number that is *whole*. (Lists are taken apart before.) A text that
    is too long stays as it is.

    >>> typed("≈ 1 302 047 µs"), typed("−6.3×10²⁴"), typed("1,032,187.39"), typed("3 4")
    ('1302047 µs', '-6.3e24', '1032187.39', '3 4')
    """
    if len(text) > LENGTH:
        return text
    if not text.isascii():
        text = _RAISED.sub(lambda power: f"^{power[0].translate(_LOWERED)}", text)
    text = _POWER.sub(r"\1e\2", text).translate(_SIGNS)
    if in_brackets := _BRACKETS.fullmatch(text):
        text = in_brackets[1]
    text = _BLANKS.sub(_digits, _ABOUT.sub("", text))
    if "," in text:
        text = _COMMAS.sub(_digits, text)
        text = _ONE_COMMA.sub(_digits, text) if whole else text
    return text


def _digits(group: re.Match[str]) -> str:
    return group[0].replace(" ", "").replace(",", "")


def split(text: str) -> tuple[str, str]:
    """The number part and the unit part of *text*; the unit is empty where there is none.

    The number is spelt as the grammar has it.

    >>> split("100 Gbit/s"), split("2^20"), split("1.5k"), split("$2.50/h")
    (('100', 'Gbit/s'), ('2^20', ''), ('1.5', 'k'), ('2.50', '$/h'))
    """
    if len(text) > LENGTH or (text.isdecimal() and text.isascii()):
        return text, ""
    spelt = typed(text)
    if "$" in spelt and (money := _DOLLARS.fullmatch(spelt)):
        return money[1] + money[2], f"${money[3] or ''}"
    parts = _SPLIT.fullmatch(spelt)
    return (parts[1], parts[2].rstrip(" ")) if parts else (text, "")


def range_text(text: str) -> str:
    """*text* as a range is written, ``FIRST..LAST[:STEP]``, if it is one; else "".

    >>> range_text("1-10"), range_text("1:10:2"), range_text("1..10"), range_text("1e-3")
    ('1..10', '1..10:2', '1..10', '')
    """
    if ".." in text:
        return text if text.count("..") == 1 and ".." not in (text[:2], text[-2:]) else ""
    ends = _RANGE.fullmatch(text) if len(text) <= LENGTH else None
    if ends is None or ((ends[1] + ends[2]).isdecimal() and int(ends[1]) > int(ends[2])):
        return ""
    return f"{ends[1]}..{ends[2]}" + (f":{ends[3]}" if ends[3] else "")


def in_groups(text: str) -> bool:
    """Whether blanks group the digits of a number in *text*: they could also part several ones."""
    return len(text) <= LENGTH and _BLANKS.search(text) is not None


def is_sum(text: str) -> bool:
    """Whether arithmetic *text* adds or subtracts outside of all brackets."""
    depth = 0
    for here, following in pairwise(text):
        depth += (here == "(") - (here == ")")
        # a sign touches its number, so only a binary operator is followed by a space
        if here in "+-" and following == " " and not depth:
            return True
    return False


def quotient(numerator: int, denominator: int) -> Number:
    """The exact quotient of two integers, an ``int`` when it is whole."""
    whole, rest = divmod(numerator, denominator)
    return Fraction(numerator, denominator) if rest else whole


def plain(value: Number) -> Number:
    """*value* as an ``int`` where it is whole, and without a mark of being rounded."""
    return value if type(value) is int else quotient(value.numerator, value.denominator)


def magnitude(value: Number) -> Number:
    """*value* without its sign."""
    return -value if value < 0 else value


def in_units(value: Number, worth: Number) -> Number:
    """*value*, in base units, as a plain number of units of that *worth*."""
    if worth == 1:
        return plain(value)
    return quotient(value.numerator * worth.denominator, value.denominator * worth.numerator)


def spelt(value: Number) -> str:
    """The exact *value* in digits, ``1191/2``, however long: Python's own ``str`` has a limit."""
    try:
        return str(value)
    except ValueError:
        top = format(Decimal(value.numerator), "f")
        return top if value.denominator == 1 else f"{top}/{Decimal(value.denominator):f}"


def product(left: Number, right: Number) -> Number:
    """The exact product, an ``int`` when it is whole."""
    if type(left) is int and type(right) is int:
        return left * right
    return quotient(left.numerator * right.numerator, left.denominator * right.denominator)


def _literal(
    text: str, whole: str | None, behind: str | None, alone: str | None, exponent: str | None
) -> Number:
    """The value of a literal in *text*; its parts are digits with single ``_``: those before the
    point, *behind* it, and behind a point that has none before it."""
    if whole and len(whole) <= DIGITS and behind is None and exponent is None:
        return int(whole)
    decimals = (behind or alone or "").replace("_", "")
    digits = (whole or "").replace("_", "") + decimals
    if len(digits) > DIGITS:
        raise BadNumber(text, f"has more than {DIGITS} digits")
    shift = int(exponent or 0)
    if abs(shift) > EXPONENT:
        raise BadNumber(text, f"has an exponent beyond {EXPONENT}")
    shift -= len(decimals)
    return int(digits) * 10**shift if shift >= 0 else quotient(int(digits), 10**-shift)


def bits(value: Number) -> int:
    """How many bits the longer part of *value* has."""
    return max(value.numerator.bit_length(), value.denominator.bit_length())


_OPERATORS = {"+": operator.add, "-": operator.sub, "*": product}
_BINDS = {"+": 1, "-": 1, "*": 2, "/": 2}


class _Arithmetic:
    """One pass over *text* that evaluates as it reads."""

    def __init__(self, text: str) -> None:
        self.written = text
        self.text = typed(text)
        self.at = 0  # behind the token last taken
        self.depth = 0
        self.token: re.Match[str] | None = None
        self.operator = ""
        self.take()

    def value(self) -> Number:
        result = self.sum()
        if self.text[self.at :].strip(" "):
            self.refuse(f"has {self.token[0].strip()!r} out of place" if self.token else _NO_NUMBER)
        return result

    def take(self) -> None:
        """Goes on to the next token; ``token`` is None where there is none."""
        self.at = self.token.end() if self.token else self.at
        self.token = _TOKEN.match(self.text, self.at)
        self.operator = (self.token[5] or "") if self.token else ""

    def sum(self, least: int = 1) -> Number:
        """Signed parts between operators that bind at least so tightly, from left to right."""
        left = self.signed()
        while (binds := _BINDS.get(self.operator, 0)) >= least:
            sign, end = self.operator, self.token.end() if self.token else 0
            around = self.text[end - 2] + self.text[end : end + 1]
            if binds == 1 and around.strip(" "):  # 2001-12-14 must not become 1975
                self.refuse(f"needs a space before and behind {sign}")
            self.take()
            right = self.sum(binds + 1)
            if sign == "/":
                left = self.over(left, right)
            else:
                left = self.bounded(_OPERATORS[sign](left, right))
        return left

    def signed(self) -> Number:
        sign = self.operator if self.operator in ("+", "-") else ""
        if sign:
            self.take()
            if self.token and self.token[0].startswith(" "):
                self.refuse(f"has a lone {sign}; a sign touches its number")
        value = self.atom()
        if self.operator in ("^", "**"):
            self.take()
            value = self.raised(value, self.nested(self.signed))
        return -value if sign == "-" else value

    def atom(self) -> Number:
        token = self.token
        if token and not token[5]:
            self.take()
            return _literal(self.written, *token.groups()[:4])
        if self.operator != "(":
            self.refuse("has an operator without a number" if self.at else _NO_NUMBER)
        self.take()
        value = self.nested(self.sum)
        if self.operator != ")":
            self.refuse("has a bracket that is not closed")
        self.take()
        return value

    def nested(self, rule: Callable[[], Number]) -> Number:
        self.depth += 1
        if self.depth > DEPTH:
            raise BadNumber(self.written, f"is nested deeper than {DEPTH} levels")
        value = rule()
        self.depth -= 1
        return value

    def raised(self, base: Number, exponent: Number) -> Number:
        if not isinstance(exponent, int):
            raise BadNumber(self.written, "has an exponent that is not a whole number")
        if bits(base) * abs(exponent) > BITS:
            raise BadNumber(self.written, f"has a power of more than {BITS} bits")
        if exponent >= 0:
            return self.bounded(base**exponent)
        return self.over(1, base**-exponent)

    def over(self, left: Number, right: Number) -> Number:
        if right == 0:
            raise BadNumber(self.written, "divides by zero")
        top, bottom = left.numerator * right.denominator, left.denominator * right.numerator
        return self.bounded(quotient(top, bottom))

    def bounded(self, value: Number) -> Number:
        if bits(value) > BITS:
            raise BadNumber(self.written, f"has a value of more than {BITS} bits")
        return value.numerator if value.denominator == 1 else value

    def refuse(self, reason: str) -> NoReturn:
        """Raises with the hint that fits the text, else with *reason*."""
        if not self.text.isprintable():
            raise BadNumber(self.written, "has a control character, invisible or unusual space")
        for pattern, hint in _HINTS:
            if match := pattern.search(self.text):
                raise BadNumber(self.written, match.expand(hint))
        raise BadNumber(self.written, reason)
