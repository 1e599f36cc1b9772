"""Formulas in MathML Core."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ddcalc.formula.expression import Number, Operator
from ddcalc.formula.letters import GREEK, SIGNS
from ddcalc.numbers.amounts import LOW, Amount
from ddcalc.numbers.display import ABOUT
from ddcalc.render.notation import ATOM, POWER, QUOTIENT, Notation, Part, amount_level
from ddcalc.render.notation.plain import FENCES, PlainText

_TEXT = PlainText()
_COMMA = "<mo>,</mo>"
_NAMED = {"argmax": "<mtext>position of&#xA0;</mtext><mi>max</mi>", "log": "<mi>ln</mi>"}
_NAMED |= {"lambert": "<mi>W</mi>"}
_SPACE = "<mspace width='0.17em'/>"


class MathML(Notation):
    """Formulas in MathML; a space is no more than one between elements."""

    dots = "<mo>…</mo>"
    nothing = "<mtext>no value</mtext>"
    times = "<mo form='infix'>·</mo>"
    apart = times
    beside = "<mo lspace='0' rspace='0'>&#x2062;</mo>"
    euler = "<mi mathvariant='normal'>e</mi>"

    def number(self, value: Number) -> Part:
        shown, level, _ = _TEXT.number(value)
        return Part(mathml_number(shown), POWER if level == QUOTIENT else level)

    def amount(self, amount: Amount) -> Part:
        level = amount_level(amount)
        return Part(
            mathml_amount(amount.number, amount.unit), level, "amount" if level < ATOM else ""
        )

    def hole(self, mark: str, number: str) -> str:
        return mark + ("<mfrac>" if "<mfrac>" in number else "")

    def letter(self, name: str) -> str:
        base, *marks = name.split("_")
        if not marks:
            return _word(base)
        low = _COMMA.join(map(_word, marks))
        return f"<msub>{_word(base)}<mrow>{low}</mrow></msub>"

    def bracket(self, inner: str) -> str:
        return _fenced("(", inner, ")")

    def sign(self, negative: bool, term: str) -> str:
        return f"{operator('−' if negative else '+')}{term}"

    def negative(self, term: str) -> str:
        return f"<mrow><mo form='prefix'>−</mo>{term}</mrow>"

    def quotient(self, top: Part, bottom: Part) -> Part:
        return Part(_fraction(top.text, bottom.text), POWER)

    def power(self, base: str, exponent: Part) -> str:
        return f"<msup><mrow>{base}</mrow><mrow>{exponent.text}</mrow></msup>"

    def root(self, inner: Part) -> str:
        return f"<msqrt>{inner.text}</msqrt>"

    def call(self, name: str, arguments: Sequence[str]) -> str:
        if name in FENCES:
            left, right = FENCES[name]
            return _fenced(left, "".join(arguments), right)
        if name == "log2":
            return f"<msub><mi>log</mi><mn>2</mn></msub>{_SPACE}{arguments[0]}"
        if name == "grad":
            index, at = arguments
            low = f"<msub><mi>f</mi><mrow>{index}</mrow></msub>"
            return f"<mo form='prefix'>∇</mo>{low}{_fenced('(', at, ')')}"
        if name == "indexed":
            base, *indices = arguments
            return f"<msub>{base}<mrow>{_COMMA.join(indices)}</mrow></msub>"
        if name == "sum":
            body, index, first, last = arguments
            low = f"<mrow>{index}<mo>=</mo>{first}</mrow>"
            return f"<munderover><mo>∑</mo>{low}<mrow>{last}</mrow></munderover>{body}"
        if name == "sum_over":
            body, group, *members = arguments
            names = _COMMA.join(members)
            names = names if len(members) == 1 else _fenced("(", names, ")")
            return f"<munder><mo>∑</mo><mrow>{names}<mo>∈</mo>{group}</mrow></munder>{body}"
        inner = _COMMA.join(arguments)
        named = _NAMED.get(name) or _word(name)
        fence = "<mo lspace='0' rspace='0' stretchy='false'>"
        return f"{named}{fence}(</mo>{inner}{fence})</mo>"

    def relation(self, op: Operator, left: str, right: str) -> str:
        return f"{left} {operator(SIGNS[op])}{right}"

    def cases(self, pairs: Sequence[tuple[str, str]], otherwise: str) -> str:
        when = "<mtext>&#xA0;if&#xA0;</mtext>"  # plain spaces at the ends of a text are not shown
        ends = "<mtext>,&#xA0;</mtext>".join(f"{value}{when}{test}" for value, test in pairs)
        return f"{ends}<mtext>,&#xA0;else&#xA0;</mtext>{otherwise}"


def mathml_number(shown: str) -> str:
    """A number as :mod:`ddcalc.numbers.display` writes it, in MathML."""
    about = operator("≈") if shown.startswith(ABOUT) else ""
    number = shown.removeprefix(ABOUT)
    sign = "<mo form='prefix'>−</mo>" if number.startswith("−") else ""
    top, slash, bottom = number.removeprefix("−").partition("/")
    if slash:
        return f"{about}{sign}{_fraction(_digits(top), _digits(bottom))}"
    mantissa, times, exponent = top.partition("×10")
    exponent = exponent.removeprefix("^").translate(LOW).replace("-", "−")
    power = f"{operator('×')}<msup><mn>10</mn><mn>{exponent}</mn></msup>" if times else ""
    return f"{about}{sign}{_digits(mantissa)}{power}"


def mathml_amount(number: str, unit: str) -> str:
    """An amount in MathML, which does not break before its unit."""
    name = f"{_SPACE}<mtext>{escape(unit)}</mtext>" if unit else ""
    return f"<mrow>{mathml_number(number)}{name}</mrow>"


def operator(sign: str) -> str:
    """A sign between two parts, with space on both sides."""
    return f"<mo form='infix'>{escape(sign)}</mo>"


def _digits(shown: str) -> str:
    return f"<mn>{shown.replace(' ', '&#x202F;')}</mn>"


def _fraction(top: str, bottom: str) -> str:
    return f"<mfrac><mrow>{top}</mrow><mrow>{bottom}</mrow></mfrac>"


def _word(word: str) -> str:
    if word.isdecimal():
        return f"<mn>{word}</mn>"
    upright = " mathvariant='normal'" if word in GREEK and word[0].isupper() else ""
    return f"<mi{upright}>{escape(GREEK.get(word, word))}</mi>"


def _fenced(left: str, inner: str, right: str) -> str:
    """*inner* between fences, which grow where it is high."""
    high = "true" if "<mfrac>" in inner or "<munder" in inner else "false"
    fence = f"<mo lspace='0' rspace='0' stretchy='{high}'>"
    return f"<mrow>{fence}{left}</mo>{inner}{fence}{right}</mo></mrow>"
