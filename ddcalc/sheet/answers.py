"""Stated answers, ours (``expect``) and others' (``claimed``), compared with what was derived.

A stated answer is exact, or right within an amount or a percentage, or to some significant digits
(rounded half up in the unit in which it was stated). Of a rounded value it cannot be exact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ddcalc.ask.find.found import Found
from ddcalc.ask.solve import Derivation, Result
from ddcalc.boundary.nodes import Mapping, Node, Scalar
from ddcalc.boundary.nodes import Sequence as Listed
from ddcalc.errors import BadNumber, BadSheet, BadValue, UnknownName
from ddcalc.formula.expression import Expr, Mul, Num, Number, Sym
from ddcalc.numbers.approximate import Approximate
from ddcalc.numbers.display import quantity_text, rounded
from ddcalc.numbers.number import parse
from ddcalc.numbers.units import ONE, PERCENT, Measured, Unit, measure, told_in
from ddcalc.problem.quantity import Choice
from ddcalc.problem.steps import Value
from ddcalc.sheet.weights import is_rule, same_weights

NONE = ("null", "none", "no value", "~", "")
MOST_DIGITS = 40
_ROUNDED = "is stated as exact, but the value is rounded; write {value: …, digits: 3} or within"
_SPELT = {"η": "eta", "Δ": "Delta"}


@dataclass(frozen=True, slots=True)
class Check:
    """Whether a *stated* answer agrees with the *derived* one; *ours* if the file promises it.

    *allowed* says how far it may be off ("to 3 digits"), *rounded* is the derived value so rounded.
    It was stated in *unit*, if that is known.
    """

    name: str
    stated: str
    derived: Result | tuple[Result, ...]
    agrees: bool
    ours: bool
    allowed: str = ""
    rounded: str = ""
    unit: Unit | None = None


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a stated answer may be off: an amount, a part of the derived value, or digits.

    *says* is that in words.
    """

    within: Number | None = None
    relative: bool = False
    digits: int | None = None
    says: str = ""


EXACT = Tolerance()


def checked(solved: Derivation, name: str, node: Node, ours: bool) -> Check:
    """The comparison of the answer that *node* states for quantity *name* with the derived one.

    Raises UnknownName for a quantity that was not derived, BadNumber for what states no answer.
    """
    key = name.replace("-", "_")
    if key not in solved.quantities:
        raise UnknownName("result", name, solved.quantities)
    derived = solved.quantities[key]
    if isinstance(solved, Found) and key == solved.answer.name:
        derived = solved.end
    value, tolerance = _parts(node, derived)
    if isinstance(derived, tuple):
        if not isinstance(value, Listed):
            raise BadValue(_text(value), "is one value; a list is wanted")
        texts = [_text(item) for item in value.items]
        agrees = len(texts) == len(derived) and all(
            agreeing(text, result, tolerance) for text, result in zip(texts, derived, strict=True)
        )
        return Check(key, ", ".join(texts), derived, agrees, ours, tolerance.says)
    text = _text(value)
    agrees = _does(text, solved, derived, tolerance)
    unit = _unit(text, derived)
    told = _rounded(derived, unit, tolerance)
    return Check(key, text, derived, agrees, ours, tolerance.says, told, unit)


def _does(text: str, solved: Derivation, derived: Result, tolerance: Tolerance) -> bool:
    """Whether *text* states the *derived* value, or another one that is as good an answer."""
    if not isinstance(solved, Found) or derived.name != solved.answer.name:
        return agreeing(text, derived, tolerance)
    outcome, unknown = solved.outcome, solved.asked.unknown
    if text in NONE:
        return not (outcome.solutions or outcome.options)
    if isinstance(unknown, Choice):
        return unknown.read(text) in outcome.options
    other = solved.is_any and solved.is_solution(told_in(derived.unit, text).value)
    return other or agreeing(text, derived, tolerance)


def _unit(text: str, derived: Result) -> Unit | None:
    """The unit in which *text* states a number."""
    if text in NONE or derived.value is None or isinstance(derived.value, Expr):
        return None
    return told_in(derived.unit, text).unit


def _rounded(derived: Result, unit: Unit | None, tolerance: Tolerance) -> str:
    """The derived value rounded as the one stated in *unit* was to be, if it was."""
    value = derived.value
    if tolerance.digits is None or unit is None or value is None or isinstance(value, Expr):
        return ""
    told = rounded(Fraction(value) / unit.worth, tolerance.digits) * unit.worth
    return quantity_text(told, unit, MOST_DIGITS)


def _parts(node: Node, derived: Result | Sequence[Result]) -> tuple[Node, Tolerance]:
    """The value that *node* states, and its tolerance."""
    if not isinstance(node, Mapping):
        return node, EXACT
    for name in node.entries:
        if name not in ("value", "within", "digits"):
            raise UnknownName("key of a stated answer", name, ("value", "within", "digits"))
    texts = {name: entry for name, (_, entry) in node.entries.items()}
    if "value" not in texts:
        raise BadSheet("a stated answer needs a value")
    if "within" in texts and "digits" in texts:
        raise BadSheet("a stated answer has either within or digits, not both")
    unit = (derived if isinstance(derived, Result) else derived[0]).unit
    if "within" in texts:
        return texts["value"], within_of(_text(texts["within"]), unit)
    if "digits" in texts:
        digits = digits_of(_text(texts["digits"]))
        return texts["value"], Tolerance(
            digits=digits, says=f"to {digits} digit{'s' * (digits > 1)}"
        )
    return texts["value"], EXACT


def within_of(text: str, unit: Unit) -> Tolerance:
    """The tolerance that *text* states for a quantity of *unit*: an amount, or a percentage."""
    if text.rstrip().endswith("%"):
        measured, relative = measure(text, ONE, bare_unit=PERCENT), True
    else:
        measured, relative = told_in(unit, text), False
    if measured.value < 0:
        raise BadValue(text, "is negative; a tolerance is not")
    return Tolerance(within=measured.value, relative=relative, says=f"within {text}")


def digits_of(text: str) -> int:
    """The number of significant digits that *text* states."""
    digits = parse(text)
    if not isinstance(digits, int) or not 1 <= digits <= MOST_DIGITS:
        raise BadValue(text, f"is no number of digits from 1 to {MOST_DIGITS}")
    return digits


def _text(node: Node) -> str:
    if not isinstance(node, Scalar):
        raise BadSheet("a stated answer is one value")
    return node.text


def agreeing(text: str, derived: Result, tolerance: Tolerance = EXACT) -> bool:
    """Whether *text* states the *derived* value, as near as *tolerance* wants it.

    Raises BadNumber for what states no answer.
    """
    value = derived.value
    if text in NONE or isinstance(value, Expr):
        if tolerance is not EXACT:
            raise BadValue(text, "is no number, so neither within nor digits goes with it")
        if text in NONE:
            return value is None
        if isinstance(value, Sym) and text.replace("-", "_") == value.name:
            return True
        if isinstance(value, Expr) and is_rule(value):
            return same_weights(text, value)
        return _product(text) == _factors(value)
    stated = told_in(derived.unit, text)
    if tolerance is EXACT and type(value) is Approximate:
        raise BadValue(text, _ROUNDED)
    return value is not None and _near(stated, Fraction(value), tolerance)


def _near(stated: Measured, derived: Fraction, tolerance: Tolerance) -> bool:
    if tolerance.digits is not None:
        worth = stated.unit.worth
        return Fraction(stated.value) / worth == rounded(derived / worth, tolerance.digits)
    allowed = tolerance.within or 0
    if tolerance.relative:
        allowed *= abs(derived)
    return -allowed <= stated.value - derived <= allowed


def _product(text: str) -> tuple[Number, list[str]]:
    """A product such as ``4*eta*Delta`` as its number and its letters, in any order."""
    number: Number = 1
    letters = []
    for factor, over in _pieces(text.replace("·", "*").replace("×", "*")):
        if re.fullmatch(r"[A-Za-z]\w*", factor, re.ASCII) and not over:
            letters.append(factor)
        else:
            try:
                value = Fraction(parse(factor))
                number *= 1 / value if over else value
            except (BadNumber, ZeroDivisionError):
                reason = "is no product of numbers and letters such as 4*eta*Delta"
                raise BadNumber(text, reason) from None
    return number, sorted(letters)


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """The factors of a product, and whether each stands behind a fraction bar."""
    for part in text.split("*"):
        first, *others = part.split("/")
        # 4ηΔ, as we print it, but no number in two pieces
        touching = re.findall(r"[ηΔ]|[^ηΔ\s]+(?:\s+[0-9][^ηΔ\s]*)*", first) or [""]
        yield from ((_SPELT.get(factor, factor.strip()), False) for factor in touching)
        yield from ((other.strip(), True) for other in others)


def _factors(value: Value) -> tuple[Number, list[str]] | None:
    number: Number = 1
    letters = []
    for factor in value.args if isinstance(value, Mul) else (value,):
        match factor:
            case Num(own):
                number *= own
            case Sym(letter):
                letters.append(letter)
            case _:
                return None
    return number, sorted(letters)
