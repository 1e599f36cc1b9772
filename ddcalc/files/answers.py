"""Stated answers, ours (``expect``) and others' (``claimed``), compared with what was derived.

A stated answer is exact, or right within an amount or a percentage, or to some significant digits
(rounded half up or half to even in the unit in which it was stated). Of a rounded value it cannot
be exact.

Where the answer is a formula it is compared term by term (:mod:`ddcalc.formula.stated_terms`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.find.inverse import Relation, number, relations_of
from ddcalc.ask.mark.written import Allowed
from ddcalc.ask.solve import Derivation, Result, Results, first, singles
from ddcalc.boundary.nodes import Node, Scalar
from ddcalc.boundary.nodes import Sequence as Listed
from ddcalc.errors import BadSheet, BadValue, UnknownName
from ddcalc.files.marking import MOST_DIGITS, value_in
from ddcalc.formula.expression import Expr, Number, Operator, Sym
from ddcalc.formula.letters import SIGNS
from ddcalc.formula.stated_terms import states
from ddcalc.numbers.amounts import ROUNDED, STATED, count_text, fitting, in_unit
from ddcalc.numbers.display import first_place, nearest_two, rounded
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.units import PERCENT, Unit, shown_in
from ddcalc.problem.quantity import Choice
from ddcalc.problem.stated_formulas import COMPARED

_BOUND: Final = re.compile(r"\s*(?:[<>≤≥!]|=[<>])")
_HELD: Final = "{}: holds", "{}: does not hold"
_MET: Final = "met: @ {}", "not met: @ {}"
NEAR: Final = 10  # per cent to a bound that is met, from where on they are told
NONE = ("null", "none", "no value", "~", "")
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
    expected: bool = True  # whether it is expected to agree

    @property
    def differs(self) -> bool:
        """Whether it is not as the file promises."""
        return self.ours and self.agrees != self.expected


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
    value, tolerance = value_in(node, EXACT, first(derived).unit)
    if isinstance(derived, tuple):
        if not isinstance(value, Listed):
            raise BadValue(_text(value), "is one value; a list is wanted")
        texts = [_text(item) for item in value.items]
        agrees = len(texts) == len(derived) and all(
            agreeing(text, result, tolerance) for text, result in zip(texts, derived, strict=True)
        )
        return Check(key, ", ".join(texts), derived, agrees, ours, tolerance.says)
    text, number = _text(value), derived.value
    agrees = _is_answer(text, solved, derived, tolerance)
    if text in NONE or number is None or isinstance(number, Expr):
        return Check(key, text, derived, agrees, ours, tolerance.says)
    unit, shown = shown_in(derived.unit, text).unit, ""
    if tolerance.digits is not None:
        near = rounded(Fraction(number) / unit.worth, tolerance.digits) * unit.worth
        shown = in_unit(near, unit, exact=STATED).marked
    return Check(key, text, derived, agrees, ours, tolerance.says, shown, unit)


def asserted(solved: Derivation, texts: Sequence[str], parameter: str = "assert") -> list[Check]:
    """Whether *texts* (``time <= 40 d``) hold. Raises a DdcalcError about the *parameter*."""
    derived = solved.quantities
    known = {n: q for n, q in solved.problem.quantities.items() if n in derived}
    made = relations_of(texts, known, parameter)
    words = _MET if parameter == "limit" else _HELD
    names = {name: quantity.called for name, quantity in known.items()}
    names |= {n: words for n, words, _ in solved.problem.own_steps if n.startswith(COMPARED)}
    return [
        _bounded(derived[x.name], _to_number(x, solved), True, words, names[x.name]) for x in made
    ]


def _to_number(relation: Relation, solved: Derivation) -> Relation:
    """*relation* to what its other side comes to, in the unit in which it is told."""
    other, value = relation.other, relation.bound.value
    if other is not None:
        found = number(other.name, getattr(solved.quantities[other.name], "value", ()))
        if found is None:
            raise BadValue(other.name, "has no value")
        value = found
    unit = relation.told_in(solved.stated)
    if unit is None:
        mine = first(solved.quantities[relation.name])
        unit = fitting(mine.value, mine.unit) if isinstance(mine.value, Number) else mine.unit
    bound = replace(relation.bound, value=value, unit=unit)
    return replace(relation, other=None, bound=bound)


def _bounded(
    derived: Results,
    relation: Relation,
    ours: bool,
    words: tuple[str, str] = _HELD,
    called: str = "",
) -> Check:
    """Whether *relation* holds for a *derived* value, or for each of a list, and how far it is from
    its bound, in these *words*, in which it is *called* so."""
    sides = [_beside(one, relation, words) for one in singles(derived)]
    agrees = all(holds for holds, _ in sides)
    says = next((said for holds, said in sides if holds == agrees), "no value")
    says = says.replace("@ ≈", f"{called} ≈").replace("@", called + " =" * (" " in called))
    bound = relation.bound
    text = f"{SIGNS[relation.op]} {in_unit(bound.value, bound.unit, exact=STATED)}"
    return Check(relation.name, text, derived, agrees, ours, unit=bound.unit, says=says)


def _beside(derived: Result, relation: Relation, words: tuple[str, str]) -> tuple[bool, str]:
    """Whether *relation* holds, and how that is said: ``38.4 d ≤ 40 d: holds, 4 % below``; by how
    much only where it nearly fails, or by how much it is missed, up to twice as much."""
    value, bound, unit = derived.value, relation.bound.value, relation.bound.unit
    if value is None or isinstance(value, Expr):
        return False, words[1].format("no value" if value is None else "a formula")
    holds, true = relation.holds(value), _side(value, bound)
    for digits in range(ROUNDED, MOST_DIGITS):
        mine = in_unit(value, unit, digits)
        if _side(mine.near, bound) == true:
            break
    shown = f"{mine.marked} {SIGNS[relation.op if holds else true]}"
    far, size = "", abs(Fraction(value) - Fraction(bound))
    percent = size * 100 / abs(Fraction(bound)) if bound else 0
    if not size and bound:
        far = ", just equal"
    elif 0 < percent <= (NEAR if holds else 100) and unit != PERCENT:
        count = count_text(rounded(percent, max(2, len(str(int(percent))))))
        far = f", {count} % {'below' if true == '<' else 'above'}"
    says = f"{shown} {in_unit(bound, unit, exact=STATED)}"
    return holds, f"{words[not holds].format(says)}{far}"


def _side(value: Number, bound: Number) -> Operator:
    return "==" if value == bound else "<" if value < bound else ">"


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
    if value is None:
        return False
    exact, worth = Fraction(value), stated.unit.worth
    if tolerance.digits is not None:
        place = first_place(exact / worth) - tolerance.digits + 1
        return Fraction(stated.value) / worth in nearest_two(exact / worth, place)
    allowed = (tolerance.within or 0) * (abs(exact) if tolerance.relative else 1)
    return -allowed <= stated.value - exact <= allowed
