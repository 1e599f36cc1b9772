"""Stated answers: what a sheet requires of them, and whether they agree with what was derived.

They are ours (``expect``) or others' (``claimed``): exact, or right within an amount or a
percentage, or to some significant digits (rounded half up or half to even in the unit in which it
was stated). Of a rounded value it cannot be exact. A formula is compared term by term.

``marking: {digits: 3, total: {within: 1 s, unit: s}}`` requires it of all quantities, or of one by
name; where it is silent, the tolerance stated at ``expect`` counts. ``points: 4`` is what a right
answer is worth, ``credit: {unit: 1/2, follows: 1, slip: by-steps}`` the parts for those not all
right.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, NamedTuple

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.find.inverse import Relation, number, relations_of
from ddcalc.ask.mark.written import Allowed
from ddcalc.ask.solve import Derivation, Result, Results, first, singles
from ddcalc.boundary.nodes import Entries, Node, Scalar, place
from ddcalc.boundary.nodes import Mapping as Named
from ddcalc.boundary.nodes import Sequence as Listed
from ddcalc.errors import BadSheet, BadUnit, BadValue, DdcalcError, UnknownName
from ddcalc.files.filed_problem import FiledProblem
from ddcalc.formula.expression import SIGNS, Expr, Number, Operator, Sym, letter
from ddcalc.numbers.amounts import ROUNDED, STATED, count_text, fitting, in_unit
from ddcalc.numbers.display import counted, equal, first_place, nearest_two, rounded
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.number import parse
from ddcalc.numbers.units import COUNT, ONE, PERCENT, Unit, measure, shown_in, unit_named
from ddcalc.problem.quantity import Choice
from ddcalc.problem.stated_formulas import is_side
from ddcalc.problem.stated_terms import states

_BOUND: Final = re.compile(r"\s*(?:[<>≤≥!]|=[<>])")
NEAR: Final = 10  # per cent to a bound that is met, from where on they are told
NONE: Final = ("null", "none", "no value", "~", "")
EXACT: Final = Allowed()
_ROUNDED = "is stated as exact, but the value is rounded; write {value: …, digits: 3} or within"
_ONE_EACH: Final = "digits, within, unit, points and parts of credit are one value each"

_MARKING: Final = tomllib.loads(Path(__file__).with_name("marking.toml").read_text("utf-8"))
SETTINGS: Final[dict[str, str]] = _MARKING["settings"]
PARTS: Final[dict[str, tuple[str, str | int]]] = _MARKING["parts"]  # with what is usual
TOLERANCE: Final = ("digits", "within", "unit")
BY_STEPS: Final = "by-steps"  # credit for a slip: the share of the steps that stay right
MOST_POINTS: Final = 1_000_000
MOST_DIGITS: Final = 40


@dataclass(frozen=True, slots=True)
class AtBound:
    """A *value* beside a *bound*, as both are shown, between them how they compare; *far*, behind
    a comma, how far apart they are, where that is told; the letter that it is the value *of*, where
    no words say that. What is no number compares with none."""

    value: str
    op: Operator | None = None
    bound: str = ""
    far: str = ""
    of: str = ""

    def __str__(self) -> str:
        both = f"{self.value} {SIGNS[self.op]} {self.bound}" if self.op else self.value
        return equal(self.of, both) if self.of else both


@dataclass(frozen=True, slots=True)
class Check:
    """Whether a *stated* answer agrees with the *derived* one; *ours* if the file promises it.

    *allowed* says how far it may be off ("to 3 digits"), *rounded* is the derived value so rounded.
    It was stated in *unit*, if that is known. Of a bound (``<= 40 d``) it *says* how the value is
    *compared* with it.
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
    compared: AtBound = AtBound("no value")
    expected: bool = True  # whether it is expected to agree
    relation: Relation | None = None  # of a limit, what is to hold
    title: str = ""  # of one, what it means that it holds

    @property
    def differs(self) -> bool:
        """Whether it is not as the file promises."""
        return self.ours and self.agrees != self.expected


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
    """Whether *texts* (``time <= 40 d``) hold, with what their other sides come to, in the unit in
    which each is told. Raises a DdcalcError about the *parameter*."""
    if not texts:
        return []
    derived = solved.quantities
    known = {n: q for n, q in solved.problem.quantities.items() if n in derived}
    bare, titles = zip(*(text.partition(": ")[::2] for text in texts), strict=True)
    checks = []
    for relation, title in zip(relations_of(bare, known, parameter), titles, strict=True):
        other, value = relation.other, relation.bound.value
        if other is not None:
            found = number(other.name, getattr(derived[other.name], "value", ()))
            if found is None:
                raise BadValue(other.name, "has no value")
            value = found
        if (unit := relation.told_in(solved.stated)) is None:
            mine = first(derived[relation.name])
            unit = fitting(mine.value, mine.unit) if isinstance(mine.value, Number) else mine.unit
        told = replace(relation, other=None, bound=replace(relation.bound, value=value, unit=unit))
        exact = STATED if other is None or other.name in solved.problem.givens else 0
        made, what = _bounded(derived[told.name], told, True, exact), known[told.name]
        beside, says = made.compared, made.says
        if title:
            beside = replace(beside, of="" if is_side(what.name) else letter(what.letter))
            says = f"{title}? {'Yes' if made.agrees else 'No'}: {beside}{beside.far}"
        elif parameter == "limit":
            called = what.called if " " in what.called else ""
            said = equal(called, str(beside)) if called else f"{what.called} {beside}"
            says = f"{'met' if made.agrees else 'not met'}: {said}{beside.far}"
        checks.append(replace(made, relation=relation, title=title, says=says, compared=beside))
    return checks


def _bounded(derived: Results, relation: Relation, ours: bool, exact: int = STATED) -> Check:
    """Whether *relation* holds for a *derived* value, or for each of a list, and how far it is from
    its bound, which is told with up to so many *exact* digits."""
    sides = [_beside(one, relation, exact) for one in singles(derived)]
    agrees = all(holds for holds, _ in sides)
    beside = next((beside for holds, beside in sides if holds == agrees), AtBound("no value"))
    bound = relation.bound
    text = f"{SIGNS[relation.op]} {in_unit(bound.value, bound.unit, exact=STATED)}"
    says = f"{beside}: {'holds' if agrees else 'does not hold'}{beside.far}"
    return Check(relation.name, text, derived, agrees, ours, "", "", bound.unit, says, beside)


def _beside(derived: Result, relation: Relation, exact: int) -> tuple[bool, AtBound]:
    """Whether *relation* holds, and both its sides: ``38.4 d ≤ 40 d, 4 % below``; by how much only
    where it nearly fails, or by how much it is missed, up to twice as much."""
    value, bound, unit = derived.value, relation.bound.value, relation.bound.unit
    if value is None or isinstance(value, Expr):
        return False, AtBound("no value" if value is None else "a formula")
    holds, true = relation.holds_among({relation.name: value}), _side(value, bound)
    for digits in range(ROUNDED, MOST_DIGITS):
        mine, other = in_unit(value, unit, digits), in_unit(bound, unit, digits, exact)
        if _side(mine.near, other.near) == true:
            break
    far, size = "", abs(Fraction(value) - Fraction(bound))
    percent = size * 100 / abs(Fraction(bound)) if bound else 0
    if not size and bound:
        far = ", just equal"
    elif 0 < percent <= (NEAR if holds else 100) and unit != PERCENT:
        count = count_text(rounded(percent, max(2, len(str(int(percent))))))
        far = f", {count} % {'below' if true == '<' else 'above'}"
    return holds, AtBound(mine.marked, relation.op if holds else true, other.marked, far)


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


def _text(node: Node, says: str = "a stated answer is one value") -> str:
    if not isinstance(node, Scalar):
        raise BadSheet(says)
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


# What a sheet requires


class Requirements(NamedTuple):
    """What is required of each quantity by name, and what is *wrong* with how that is said."""

    allowed: Mapping[str, Allowed]
    wrong: list[DdcalcError]


def asks_whether(solved: Derivation, limits: Sequence[Check]) -> bool:
    """Whether nothing is asked but whether *limits* are met."""
    return bool(limits) and not (solved.stated.shape.wanted or isinstance(solved, Inversion))


def requirements(
    question: FiledProblem, results: Mapping[str, Results], head: FiledProblem | None = None
) -> Requirements:
    """What *question* requires of *results* by name; below what *head*, of which it is a part,
    requires of all parts, and of quantities that they have."""
    general, wrong = Allowed(), list[DdcalcError]()
    units = {name: first(result).unit for name, result in results.items()}
    stated: dict[str, list[Entries]] = {name: [] for name in units}

    def refuse(error: DdcalcError, key: Scalar, name: str) -> None:
        error.problem = question.id
        wrong.append(error.about(name, place(question.file, key)))

    for name, (_, node) in question.expect.items():
        if isinstance(node, Named) and (spelt := name.replace("-", "_")) in stated:
            entries = {k: entry for k, entry in node.entries.items() if k in TOLERANCE}
            stated[spelt].append(entries)
    of_parts = {name: one for name, one in head.marking.items() if name != "points"} if head else {}
    for name, (key, node) in (*of_parts.items(), *question.marking.items()):
        try:
            if not isinstance(node, Named) or name == "credit":
                general = _setting(general, name, node)
            elif (spelt := name.replace("-", "_")) in units:
                stated[spelt].append(node.entries)
            else:
                raise UnknownName("result", name, units)
        except DdcalcError as error:
            refuse(error, key, name)
    allowed = dict.fromkeys(units, general)
    for name, entries in ((name, one) for name, every in stated.items() for one in every):
        try:
            allowed[name] = stricter(allowed[name], entries, units[name])
        except DdcalcError as error:
            refuse(error, next(iter(entries.values()))[0], name)
    return Requirements(allowed, wrong)


def value_in(node: Node, allowed: Allowed, unit: Unit) -> tuple[Node, Allowed]:
    """The value of a quantity shown in *unit* that *node* states, and how far it may be off:
    *allowed*, unless it says so itself. Raises UnknownName, BadNumber or BadSheet."""
    if not isinstance(node, Named):
        return node, allowed
    known = ("value", *SETTINGS)
    for name in node.entries.keys() - {*known}:
        raise UnknownName("key of a stated answer", name, known)
    if "value" not in node.entries:
        raise BadSheet("a stated answer needs a value")
    more = {name: entry for name, entry in node.entries.items() if name != "value"}
    return node.entries["value"][1], stricter(allowed, more, unit)


def stricter(allowed: Allowed, entries: Entries, unit: Unit) -> Allowed:
    """*allowed*, with what *entries* say for a quantity shown in *unit* instead.

    Raises UnknownName, BadNumber or BadSheet.
    """
    if "within" in entries and "digits" in entries:
        raise BadSheet("an answer is wanted within something or to some digits, not both")
    for name, (_, node) in entries.items():
        allowed = _setting(allowed, name, node, unit)
    return allowed


def _setting(allowed: Allowed, name: str, node: Node, unit: Unit | None = None) -> Allowed:
    """*allowed* with one setting for a quantity shown in *unit*; None: for all quantities, which
    measure different things."""
    if name == "credit":
        if not isinstance(node, Named):
            raise BadSheet("credit is stated by name: credit: {unit: 1/2, follows: 1, slip: 0}")
        parts: dict[str, Any] = {}
        for part, (_, value) in node.entries.items():
            if part not in PARTS:
                raise UnknownName("key of credit", part, PARTS)
            text = _text(value, _ONE_EACH)
            by_steps = part == "slip" and text.replace("_", "-") == BY_STEPS
            parts[part] = None if by_steps else _number(text, 1)
        return replace(allowed, credit=replace(allowed.credit, **parts))
    text = _text(node, _ONE_EACH)
    if name == "points":
        return replace(allowed, credit=replace(allowed.credit, points=_number(text, MOST_POINTS)))
    if name == "digits":
        digits = parse(text)
        if not isinstance(digits, int) or not 1 <= digits <= MOST_DIGITS:
            raise BadValue(text, f"is not a number of digits from 1 to {MOST_DIGITS}")
        return replace(allowed, digits=digits, within=None, says=f"to {counted(digits, 'digit')}")
    if name not in SETTINGS:
        raise UnknownName("key of marking", name, SETTINGS)
    relative = name == "within" and text.rstrip().endswith("%")
    if unit is None and not relative:
        raise BadSheet(f"{name} goes with one quantity: total: {{{name}: {text}}}")
    if name == "unit" and unit is not None:
        stated = unit_named(text, dimension=unit.dimension)
        if stated.dimension != unit.dimension:
            raise BadUnit(text, f"measures {stated.dimension}, not {unit.dimension}")
        return replace(allowed, unit=stated)
    near = measure(text, ONE, bare_unit=PERCENT) if relative or not unit else shown_in(unit, text)
    if near.value < 0:
        raise BadValue(text, "is negative; a tolerance is not")
    says = f"within {text}"
    return replace(allowed, digits=None, within=near.value, relative=relative, says=says)


def _number(text: str, most: int) -> Number:
    """What *text* states, from 0 to *most*; raises BadNumber."""
    number = measure(text, ONE, bare_unit=COUNT).value
    if not 0 <= number <= most:
        raise BadValue(text, f"is not from 0 to {most}")
    return number
