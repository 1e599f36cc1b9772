"""Formulas in MathML Core."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ddcalc.formula.expression import GREEK, SIGNS, Operator
from ddcalc.numbers.display import MINUS
from ddcalc.render.notation import POWER, Notation, Numeral, Part

_COMMA = "<mo>,</mo>"
_SPACE = "<mspace width='0.17em'/>"


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


def mathml_number(shown: str) -> str:
    """A number as :mod:`ddcalc.numbers.display` writes it, in MathML."""
    about, negative, top, bottom, power = Numeral.of(shown)
    before = operator("≈") * about + "<mo form='prefix'>−</mo>" * negative
    if bottom:
        return before + _fraction(_digits(top), _digits(bottom))
    exponent = power.replace("-", MINUS)
    times = f"{operator('×')}<msup><mn>10</mn><mn>{exponent}</mn></msup>" if power else ""
    return f"{before}{_digits(top)}{times}"


def mathml_amount(number: str, unit: str) -> str:
    """An amount in MathML, which does not break before its unit."""
    name = f"{_SPACE}<mtext>{escape(unit)}</mtext>" if unit else ""
    return f"<mrow>{mathml_number(number)}{name}</mrow>"


class MathML(Notation):
    """Formulas in MathML; a space is no more than one between elements."""

    column = "mathml"
    dots = "<mo>…</mo>"
    nothing = "<mtext>no value</mtext>"
    times = "<mo form='infix'>·</mo>"
    apart = times
    beside = "<mo lspace='0' rspace='0'>&#x2062;</mo>"
    comma = _COMMA
    between = _COMMA
    raised = "<msup><mrow>{}</mrow><mrow>{}</mrow></msup>"
    numeral = staticmethod(mathml_number)
    measured = staticmethod(mathml_amount)

    def letter(self, name: str) -> str:
        base, *marks = map(_word, name.split("_"))
        return f"<msub>{base}<mrow>{_COMMA.join(marks)}</mrow></msub>" if marks else base

    def fenced(self, left: str, right: str, inner: str) -> str:
        """*inner* between fences, which grow where it is high."""
        high = "true" if "<mfrac>" in inner or "<munder" in inner else "false"
        fence = f"<mo lspace='0' rspace='0' stretchy='{high}'>"
        return f"<mrow>{fence}{left}</mo>{inner}{fence}{right}</mo></mrow>"

    def named(self, name: str, inner: str) -> str:
        fence = "<mo lspace='0' rspace='0' stretchy='false'>"
        return f"{name if '<' in name else _word(name)}{fence}(</mo>{inner}{fence})</mo>"

    def sign(self, negative: bool, term: str) -> str:
        return f"{operator('−' if negative else '+')}{term}"

    def negative(self, term: str) -> str:
        return f"<mrow><mo form='prefix'>−</mo>{term}</mrow>"

    def quotient(self, top: Part, bottom: Part) -> Part:
        return Part(_fraction(top.text, bottom.text), POWER)

    def relation(self, op: Operator, left: str, right: str) -> str:
        return f"{left} {operator(SIGNS[op])}{right}"

    def cases(self, pairs: Sequence[tuple[str, str]], otherwise: str) -> str:
        when = "<mtext>&#xA0;if&#xA0;</mtext>"  # plain spaces at the ends of a text are not shown
        ends = "<mtext>,&#xA0;</mtext>".join(f"{value}{when}{test}" for value, test in pairs)
        return f"{ends}<mtext>,&#xA0;else&#xA0;</mtext>{otherwise}"
