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

import ast
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TypeAlias

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
_LITERALS = re.compile(_LITERAL)
_SIGNED = re.compile(r"[-+*/^() 0-9]*")
_UNSPACED = re.compile(r"(?<=[0-9.)])[-+]|(?<=[0-9.)] ) *[-+](?! )")
_LONE = re.compile(r"(?:^|[-+*/^(]) *([-+])(?: |[-+])")
_SPLIT = re.compile(
    r" *(.*(?:[0-9]\.?|\))) *(/?(?:[^\W\d_]|[%$€£¥])(?:[^0-9()]|(?<=[^\W\d_]\^)[2-9])*)"
)
_BRACKETS = re.compile(r" *\(([^()]*[^\W\d_%][^()]*)\) *")  # around an amount: (50 GB/s)
_DOLLARS = re.compile(r" *([-+]?)(?:US)?\$ *([0-9.][0-9._,]*) *(/[^\W\d_]+(?:-[^\W\d_]+)?)? *")

# What is written otherwise than the grammar has it.
_SIGNS = str.maketrans("\u2212×·⋅÷∕⁄\u00a0\u2009\u202f", "-***///   ")
_ABOUT = re.compile(r"^ *(?:≈|~=?|about) *(?=[-+(\u2212]*\.?[0-9])")
_OF_CO2 = re.compile(r"(?<![^\W\d_])([kmµ]?g|t) ?(?:of )?CO[2₂](?:-?eq?)?(?![^\W_])")
_RAISED = re.compile(r"(?<=[^\W_])[⁻⁰¹²³⁴-⁹]+|(?<=\))[⁻⁰¹²³⁴-⁹]+")
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


def parse(text: str) -> Number:
    """The exact value of *text*, a number or bounded arithmetic on plain literals.

    An ``int`` when the value is whole, else a ``Fraction``. Raises :class:`BadNumber`.
    """
    if len(text) > LENGTH:
        raise BadNumber(text, f"is longer than {LENGTH} characters")
    plain = _PLAIN.fullmatch(text)
    if plain is None:
        return _arithmetic(text)
    value = _literal(text, *plain.groups()[1:])
    return -value if plain[1] == "-" else value


def typed(text: str, *, whole: bool = False) -> str:
    """*text* as the grammar spells it: signs and powers in ASCII, digits without groups, an amount
    without brackets, a slash for "per", a mass without what it is of (``380 gCO2e per kWh``).

    Commas group digits where they cannot be a decimal comma: several of them, or one before a
    decimal point, or one in a number that is *whole*. (Lists are taken apart before.) A text that
    is too long stays as it is.
    """
    if len(text) > LENGTH:
        return text
    if not text.isascii():
        text = _RAISED.sub(lambda power: f"^{power[0].translate(_LOWERED)}", text)
    if " per " in text or "CO" in text:
        text = _OF_CO2.sub(r"\1", text.replace(" per ", "/"))
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
    """
    if len(text) > LENGTH or (text.isdecimal() and text.isascii()):
        return text, ""
    spelt = typed(text)
    if "$" in spelt and (money := _DOLLARS.fullmatch(spelt)):
        return money[1] + money[2], f"${money[3] or ''}"
    parts = _SPLIT.fullmatch(spelt)
    return (parts[1], parts[2].rstrip(" ")) if parts else (text, "")


def range_text(text: str) -> str:
    """*text* as a range is written, ``FIRST..LAST[:STEP]``, if it is one; else ""."""
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


def _arithmetic(written: str) -> Number:
    """The value of arithmetic on literals as it is *written*; BadNumber where it is none."""
    text, literals = typed(written), list[Number]()

    def place(literal: re.Match[str]) -> str:
        literals.append(_literal(written, *literal.groups()))
        return f" {len(literals) - 1} "

    places = _LITERALS.sub(place, text)
    if not _SIGNED.fullmatch(places):
        raise _refused(written, text, _NO_NUMBER)
    if sign := _UNSPACED.search(text):  # 2001-12-14 must not become 1975
        raise _refused(written, text, f"needs a space before and behind {sign[0].strip()}")
    if sign := _LONE.search(text):
        raise _refused(written, text, f"has a lone {sign[1]}; a sign touches its number")
    if max(accumulate((char == "(") - (char == ")") for char in text), default=0) > DEPTH:
        raise BadNumber(written, f"is nested deeper than {DEPTH} levels")
    try:
        tree = ast.parse(places.strip().replace("^", "**"), mode="eval")
        return _worth(tree.body, literals, written)
    except SyntaxError:
        reason = "has an operator or a bracket out of place"
        if text.count("(") > text.count(")"):
            reason = "has a bracket that is not closed"
        raise _refused(written, text, reason if literals else _NO_NUMBER) from None


@cache
def hints(what: str) -> list[tuple[re.Pattern[str], str]]:
    """What people write that is no number, or no unit, and what they hear."""
    import tomllib  # little is refused

    rows = tomllib.loads(Path(__file__).with_name("hints.toml").read_text("utf-8"))[what]
    return [(re.compile(pattern), says) for pattern, says in rows]


def _refused(written: str, text: str, reason: str) -> BadNumber:
    """The hint that fits the *text* of what is *written*, else the *reason*, as an error."""
    if not text.isprintable():
        return BadNumber(written, "has a control character, invisible or unusual space")
    hits = ((pattern.search(text), hint) for pattern, hint in hints("number"))
    return BadNumber(written, next((hit.expand(hint) for hit, hint in hits if hit), reason))


def _worth(node: ast.expr, literals: Sequence[Number], written: str) -> Number:
    """What the tree of arithmetic is worth, with *literals* at their places."""
    match node:
        case ast.Constant(int(place)):
            return literals[place]
        case ast.UnaryOp(sign, part):
            value = _worth(part, literals, written)
            return -value if isinstance(sign, ast.USub) else value
        case ast.BinOp(left, sign, right) if type(sign) in _RULES:
            x, y = (_worth(part, literals, written) for part in (left, right))
            value = _RULES[type(sign)](x, y, written)
            if bits(value) > BITS:
                raise BadNumber(written, f"has a value of more than {BITS} bits")
            return plain(value)
    raise _refused(written, typed(written), _NO_NUMBER)


def _over(top: Number, bottom: Number, written: str) -> Number:
    if bottom == 0:
        raise BadNumber(written, "divides by zero")
    return quotient(top.numerator * bottom.denominator, top.denominator * bottom.numerator)


def _raised(base: Number, exponent: Number, written: str) -> Number:
    if not isinstance(exponent, int):
        raise BadNumber(written, "has an exponent that is not a whole number")
    if bits(base) * abs(exponent) > BITS:
        raise BadNumber(written, f"has a power of more than {BITS} bits")
    return base**exponent if exponent >= 0 else _over(1, base**-exponent, written)


_RULES: Mapping[type[ast.operator], Callable[[Number, Number, str], Number]] = {
    ast.Add: lambda x, y, _: x + y,
    ast.Sub: lambda x, y, _: x - y,
    ast.Mult: lambda x, y, _: product(x, y),
    ast.Div: _over,
    ast.Pow: _raised,
}


# Lists of numbers written row by row: ``1 5 2 8; 3 1 9 4``, or a list of lists. A row ends with a
# semicolon (the last one may); its values stand behind commas, or else blanks.

END = ";"


def in_rows(texts: str | Iterable[str]) -> bool:
    """Whether *texts*, one or the members of a list, are written row by row."""
    return any(END in text for text in ([texts] if isinstance(texts, str) else texts))


def row_text(members: Iterable[str]) -> str:
    """The text of a row with these *members*."""
    return ", ".join(members) + END


def rows_of(texts: str | Sequence[str]) -> list[list[str]]:
    """The values of each row."""
    read = []
    for text in [texts] if isinstance(texts, str) else texts:
        pieces = text.split(END)
        if not pieces[-1].strip():
            pieces.pop()
        for piece in pieces:
            read.append([*map(str.strip, piece.split(","))] if "," in piece else piece.split())
    return read
