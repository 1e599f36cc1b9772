"""Stated answers, ours (``expect``) and others' (``claimed``), compared with what was derived.

A stated answer is exact, or right within an amount or a percentage, or to some significant digits
(rounded half up in the unit in which it was stated). Of a rounded value it cannot be exact.

Where the answer is a formula (``4*eta*Delta``, ``w_0 - eta*(G(1,1) + G(2,1))``), terms may stand in
any order, products may be multiplied out, and sums may be written in full or as
``Sum(G(1, k), (k, 1, 3))``: what counts is how often each product of letters is in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import Final, NoReturn

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.find.inverse import Relation, relations_of
from ddcalc.ask.mark.written import Allowed
from ddcalc.ask.solve import Derivation, Result, Results, singles
from ddcalc.boundary import limits
from ddcalc.boundary.nodes import Mapping, Node, Scalar
from ddcalc.boundary.nodes import Sequence as Listed
from ddcalc.errors import BadNumber, BadSheet, BadValue, UnknownName
from ddcalc.formula.algebra import total
from ddcalc.formula.expression import (
    Add,
    Div,
    Expr,
    Fun,
    Mul,
    Neg,
    Num,
    Number,
    Operator,
    Sym,
    substitute,
)
from ddcalc.formula.letters import SIGNS
from ddcalc.numbers.amounts import ROUNDED, STATED, count_text, in_unit
from ddcalc.numbers.display import counted, rounded
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.number import parse
from ddcalc.numbers.units import ONE, PERCENT, Measured, Unit, measure, shown_in
from ddcalc.problem.quantity import Choice

_BOUND: Final = re.compile(r"\s*(?:[<>≤≥!]|=[<>])")
NONE = ("null", "none", "no value", "~", "")
MOST_DIGITS = 40
_ROUNDED = "is stated as exact, but the value is rounded; write {value: …, digits: 3} or within"


@dataclass(frozen=True, slots=True)
class Check:
    """Whether a *stated* answer agrees with the *derived* one; *ours* if the file promises it.

    *allowed* says how far it may be off ("to 3 digits"), *rounded* is the derived value so rounded.
    It was stated in *unit*, if that is known. Of a bound (``<= 40 d``) it *says* how far the value
    is from it.
    """

    name: str
    stated: str
    derived: Results
    agrees: bool
    ours: bool
    allowed: str = ""
    rounded: str = ""
    unit: Unit | None = None
    says: str = ""


EXACT = Allowed()


def checked(solved: Derivation, name: str, node: Node, ours: bool) -> Check:
    """The comparison of the answer that *node* states for quantity *name* with the derived one.

    Raises UnknownName for a quantity that was not derived, BadNumber for what states no answer.
    """
    key = name.replace("-", "_")
    if key not in solved.quantities:
        declared = (solved.problem.quantities[one] for one in solved.quantities)
        meant = next((one.name for one in declared if one.letter == name), "")
        raise UnknownName("result", name, solved.quantities, meant=meant)
    derived = solved.quantities[key]
    if isinstance(solved, Inversion) and key == solved.answer.name:
        derived = solved.end
    if isinstance(node, Scalar) and _BOUND.match(node.text):
        known = {key: solved.problem.quantities[key]}
        [relation] = relations_of([f"{key} {node.text}"], known, name)
        return _bounded(derived, relation, ours)
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
    agrees = _is_answer(text, solved, derived, tolerance)
    unit = _unit(text, derived)
    shown = _rounded(derived, unit, tolerance)
    return Check(key, text, derived, agrees, ours, tolerance.says, shown, unit)


def asserted(solved: Derivation, texts: Sequence[str]) -> list[Check]:
    """Whether *texts* (``time <= 40 d``) hold. Raises a DdcalcError about ``assert``."""
    known = {n: q for n, q in solved.problem.quantities.items() if n in solved.quantities}
    made = relations_of(texts, known, "assert")
    derived = solved.quantities
    return [_bounded(derived[relation.name], relation, ours=True) for relation in made]


def _bounded(derived: Results, relation: Relation, ours: bool) -> Check:
    """Whether *relation* holds for a *derived* value, or for each of a list, and how far it is from
    its bound."""
    sides = [_beside(one, relation) for one in singles(derived)]
    agrees = all(holds for holds, _ in sides)
    says = next((said for holds, said in sides if holds == agrees), "no value")
    bound = relation.bound
    text = f"{SIGNS[relation.op]} {in_unit(bound.value, bound.unit, exact=STATED)}"
    return Check(relation.name, text, derived, agrees, ours, unit=bound.unit, says=says)


def _beside(derived: Result, relation: Relation) -> tuple[bool, str]:
    """Whether *relation* holds, and how that is said: ``38.4 d ≤ 40 d: holds, 4 % below``."""
    value, bound, unit = derived.value, relation.bound.value, relation.bound.unit
    if value is None or isinstance(value, Expr):
        return False, f"{'no value' if value is None else 'a formula'}: does not hold"
    holds = relation.holds(value)
    for digits in range(ROUNDED, MOST_DIGITS):
        mine = in_unit(value, unit, digits)
        if (mine.near < bound) == (value < bound) and (mine.near == bound) == (value == bound):
            break
    true: Operator = "==" if value == bound else "<" if value < bound else ">"
    sign = SIGNS[relation.op if holds else true]
    shown = f"{mine.marked} {sign} {in_unit(bound, unit, exact=STATED)}"
    return (
        holds,
        f"{shown}: {'holds' if holds else 'does not hold'}, {_distance(value, bound, unit)}",
    )


def _distance(value: Number, bound: Number, unit: Unit) -> str:
    """How far *value* is from *bound*: ``4 % below``."""
    if value == bound:
        return "just equal"
    side = "below" if value < bound else "above"
    size = abs(Fraction(value) - Fraction(bound))
    if not bound:
        return f"{in_unit(size, unit).marked} {side}"
    percent = size * 100 / abs(Fraction(bound))
    return f"{count_text(rounded(percent, max(2, len(str(int(percent))))))} % {side}"


def _is_answer(text: str, solved: Derivation, derived: Result, tolerance: Allowed) -> bool:
    """Whether *text* states the *derived* value, or another one that is as good an answer."""
    if not isinstance(solved, Inversion) or derived.name != solved.answer.name:
        return agreeing(text, derived, tolerance)
    outcome, unknown = solved.outcome, solved.question.unknown
    if text in NONE:
        return not (outcome.solutions or outcome.options)
    if isinstance(unknown, Choice):
        return unknown.read(text) in outcome.options
    other = solved.is_any and solved.is_solution(shown_in(derived.unit, text).value)
    return other or agreeing(text, derived, tolerance)


def _unit(text: str, derived: Result) -> Unit | None:
    """The unit in which *text* states a number."""
    if text in NONE or derived.value is None or isinstance(derived.value, Expr):
        return None
    return shown_in(derived.unit, text).unit


def _rounded(derived: Result, unit: Unit | None, tolerance: Allowed) -> str:
    """The derived value rounded as the one stated in *unit* was to be, if it was."""
    value = derived.value
    if tolerance.digits is None or unit is None or value is None or isinstance(value, Expr):
        return ""
    shown = rounded(Fraction(value) / unit.worth, tolerance.digits) * unit.worth
    return in_unit(shown, unit, exact=STATED).marked


def _parts(node: Node, derived: Result | Sequence[Result]) -> tuple[Node, Allowed]:
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
        return texts["value"], Allowed(digits, says=f"to {counted(digits, 'digit')}")
    return texts["value"], EXACT


def within_of(text: str, unit: Unit, otherwise: Allowed = EXACT) -> Allowed:
    """*otherwise*, with the tolerance that *text* states for a quantity of *unit*: an amount, or a
    percentage."""
    relative = text.rstrip().endswith("%")
    near = measure(text, ONE, bare_unit=PERCENT) if relative else shown_in(unit, text)
    if near.value < 0:
        raise BadValue(text, "is negative; a tolerance is not")
    says = f"within {text}"
    return replace(otherwise, digits=None, within=near.value, relative=relative, says=says)


def digits_of(text: str) -> int:
    """The number of significant digits that *text* states."""
    digits = parse(text)
    if not isinstance(digits, int) or not 1 <= digits <= MOST_DIGITS:
        raise BadValue(text, f"is not a number of digits from 1 to {MOST_DIGITS}")
    return digits


def _text(node: Node) -> str:
    if not isinstance(node, Scalar):
        raise BadSheet("a stated answer is one value")
    return node.text


def agreeing(text: str, derived: Result, tolerance: Allowed = EXACT) -> bool:
    """Whether *text* states the *derived* value, as near as *tolerance* wants it.

    Raises BadNumber for what states no answer.
    """
    value = derived.value
    if text in NONE or isinstance(value, Expr):
        if tolerance is not EXACT:
            raise BadValue(text, "is not a number, so neither within nor digits goes with it")
        if text in NONE or not isinstance(value, Expr):
            return value is None
        if isinstance(value, Sym) and text.replace("-", "_") == value.name:
            return True
        return states(text, value)
    stated = shown_in(derived.unit, text)
    if tolerance is EXACT and type(value) is Approximate:
        raise BadValue(text, _ROUNDED)
    return value is not None and _near(stated, Fraction(value), tolerance)


def _near(stated: Measured, derived: Fraction, tolerance: Allowed) -> bool:
    if tolerance.digits is not None:
        worth = stated.unit.worth
        return Fraction(stated.value) / worth == rounded(derived / worth, tolerance.digits)
    allowed = tolerance.within or 0
    if tolerance.relative:
        allowed *= abs(derived)
    return -allowed <= stated.value - derived <= allowed


# Formulas

MOST: Final = 10_000  # terms to which a sum is written out, and to which a text may come
LETTERS: Final = 500_000  # of all that is written out on the way
DEPTH: Final = 20  # brackets in brackets

_ETA: Final = Sym("eta")
_GREEK: Final = (_ETA, Sym("Delta"))  # before which, and after which, a product needs no sign
_LETTERS: Final = {letter.name.lower(): letter for letter in _GREEK}  # in any case
_PRINTED: Final = str.maketrans({"−": "-", "·": "*", "×": "*", "η": " eta ", "Δ": " Delta "})
_PRINTED[0x2062] = " "  # multiplied without a sign, in formulas on web pages
_LOW: Final = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_INDICES: Final = re.compile(r"_\{([0-9a-z]+(?:,[0-9a-z]+)*)\}|([₀-₉]+(?:,[₀-₉]+)*)")
_TOKEN: Final = re.compile(
    r"\s*(?:([0-9](?:[0-9_.]|\s+(?=[0-9])|(?:[eE][+-]?|\^|\*\*)(?=[0-9]))*)"
    r"|([A-Za-z]\w*)|([-+*/(),]))",
    re.ASCII,
)

Terms = dict[tuple[str, ...], Number]  # products by their letters, and how often each is in


class _NoFormula(Exception):
    pass


def states(text: str, value: Expr) -> bool:
    """Whether *text* states the formula *value*; BadNumber for a text that states no formula."""
    gradients = is_rule(value)
    try:
        formula = _Reader(text).whole()
        if is_rule(formula) and not gradients:
            raise _NoFormula
        stated = _terms(formula, _Room())
    except _NoFormula:
        example = "product of numbers and letters such as 4*eta*Delta"
        if gradients:
            example = "sum of gradients such as w_0 - eta*(G(1,1) + G(2,1))"
        raise BadNumber(text, f"is not a {example}") from None
    try:
        return stated == _terms(value, _Room())
    except _NoFormula:
        return False


def is_rule(value: Expr) -> bool:
    """Whether *value* is made of gradients with indices."""
    return (isinstance(value, Fun) and value.name == "indexed") or any(map(is_rule, value.parts()))


class _Room:
    """How many letters may still be written out."""

    def __init__(self) -> None:
        self.left = LETTERS

    def take(self, letters: int) -> None:
        """Raise _NoFormula where so many *letters* are too many."""
        self.left -= letters
        if self.left < 0:
            _fail()


def _terms(expr: Expr, room: _Room) -> Terms:
    match expr:
        case Num(value):
            return {(): value}
        case Sym(name):
            return {(name,): 1}
        case Neg(arg):
            return _product([_terms(arg, room), {(): -1}], room)
        case Div(top, Num(bottom)) if bottom:
            return _product([_terms(top, room), {(): Fraction(1) / bottom}], room)
        case Add(args):
            return _sum((_terms(arg, room) for arg in args), room)
        case Mul(args):
            return _product((_terms(arg, room) for arg in args), room)
        case Fun("sum", (body, Sym(index), Num(first), Num(last))) if _size(expr) <= MOST:
            places = range(int(first), int(last) + 1)
            room.take(len(places) * _letters(body))
            members = (substitute(body, {index: Num(at)}) for at in places)
            return _sum((_terms(member, room) for member in members), room)
        case Fun("indexed" | "sum" | "sum_over"):
            return {(_spelt(expr, room),): 1}
    raise _NoFormula


def _sum(parts: Iterable[Terms], room: _Room) -> Terms:
    whole: Terms = {}
    for terms in parts:
        room.take(len(terms))
        for letters, number in terms.items():
            whole[letters] = whole.get(letters, 0) + number
        if len(whole) > MOST:
            raise _NoFormula
    return {letters: number for letters, number in whole.items() if number}


def _product(factors: Iterable[Terms], room: _Room) -> Terms:
    made: Terms = {(): 1}
    for terms in factors:
        longest = max(map(len, made), default=0) + max(map(len, terms), default=0)
        room.take(len(made) * len(terms) * (1 + longest // 4))  # sorted letters cost less
        made = _sum(
            (
                {tuple(sorted((*mine, *theirs))): number * times}
                for mine, number in made.items()
                for theirs, times in terms.items()
            ),
            room,
        )
    return made


def _size(expr: Expr) -> Number:
    """How many terms *expr* has when its sums are written out, at least."""
    match expr:
        case Fun("sum", (body, _, Num(first), Num(last))):
            return max(0, last - first + 1) * _size(body)
        case Add(args):
            return sum(map(_size, args))
        case Mul(args):
            return prod(map(_size, args))
    return 1


def _letters(expr: Expr) -> int:
    """How many letters, numbers and signs *expr* has."""
    return 1 + sum(map(_letters, expr.parts()))


def _spelt(expr: Expr, room: _Room) -> str:
    """What cannot be written out, as a text that is the same for the same thing."""
    match expr:
        case Fun("sum_over", (body, group, *_)):
            return f"over {_spelt(group, room)}: {_spelt(body, room)}"
        case Fun(name, args):
            return f"{name}({', '.join(_spelt(arg, room) for arg in args)})"
    terms = sorted(_terms(expr, room).items())
    return " + ".join(f"{number}*{'*'.join(letters)}" for letters, number in terms)


class _Reader:
    """Reads ``4*eta*Delta`` and ``w_0 - eta*(G(1,1) + …)``, spelt as in JSON or as printed."""

    def __init__(self, text: str) -> None:
        if len(text) > limits.SCALAR:
            _fail()
        spelt = _INDICES.sub(_indexed, " ".join(text.translate(_PRINTED).split()))
        self.tokens = [match[0].strip() for match in _TOKEN.finditer(spelt)][::-1]
        self.depth = 0
        if _TOKEN.sub("", spelt):
            raise _NoFormula

    def whole(self) -> Expr:
        """All of the text."""
        formula = self._sum()
        return _fail() if self.tokens else formula

    def _next(self, *signs: str) -> bool:
        return bool(self.tokens) and self.tokens[-1] in signs

    def _take(self, *signs: str) -> str:
        return self.tokens.pop() if self._next(*signs) else _fail()

    def _sum(self) -> Expr:
        terms = [self._product()]
        while self._next("+", "-"):
            negative = self._take("+", "-") == "-"
            term = self._product()
            terms.append(Neg(term) if negative else term)
        return total(terms)

    def _product(self) -> Expr:
        factors: list[Expr] = []
        while self._next("-"):
            self._take("-")
            factors.append(Num(-1))
        factors.append(self._factor())
        while self._next("*", "/") or self._touches(factors[-1]):
            over = self._next("*", "/") and self.tokens.pop() == "/"
            factor = self._factor()
            factors.append(Div(Num(1), factor) if over else factor)
        return Mul(tuple(factors)) if len(factors) > 1 else factors[0]

    def _touches(self, factor: Expr) -> bool:
        """Whether the next token is a factor without a sign before it, as in 4ηΔ and η(x + y)."""
        if not self.tokens:
            return False
        name = self.tokens[-1][0].isalpha() and (isinstance(factor, Num) or factor in _GREEK)
        return name or (factor == _ETA and self._next("("))

    def _factor(self) -> Expr:
        if self._next("("):
            inner = self._listed()
            return inner[0] if len(inner) == 1 else Fun("limits", inner)
        name = self.tokens.pop() if self.tokens else _fail()
        if name[0].isdigit():
            return Num(_number(name))
        if not name[0].isalpha():
            _fail()
        if name == _ETA.name or not self._next("("):
            return _LETTERS.get(name.lower(), Sym(name))
        return _called(name, self._listed())

    def _listed(self) -> tuple[Expr, ...]:
        """What stands in a pair of brackets, separated by commas."""
        self._take("(")
        self.depth += 1
        if self.depth > DEPTH:
            _fail()
        parts = [self._sum()]
        while self._take(",", ")") == ",":
            parts.append(self._sum())
        self.depth -= 1
        return tuple(parts)


def _called(name: str, arguments: tuple[Expr, ...]) -> Expr:
    match name, arguments:
        case "Sum", (body, Fun("limits", (Sym() as index, first, last))):
            return Fun("sum", (body, index, first, last))
        case "SumOver", (body, Sym() | Fun("indexed") as group):
            return Fun("sum_over", (body, group))
        case "Sum" | "SumOver", _:
            _fail()
    return Fun("indexed", (Sym(name), *arguments))


def _number(text: str) -> Number:
    try:
        return parse(text)
    except BadNumber:
        return _fail()


def _indexed(match: re.Match[str]) -> str:
    """Printed indices as they are spelt: G₁,₂ as G(1,2), w₀ as w_0."""
    indices = (match[1] or match[2]).translate(_LOW)
    return f"({indices})" if "," in indices else f"_{indices}"


def _fail() -> NoReturn:
    raise _NoFormula
