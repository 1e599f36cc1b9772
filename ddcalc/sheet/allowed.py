"""What a sheet asks of answers: digits, tolerance and unit, for all quantities or one by name; and
what they are worth.

A ``marking`` block of a problem says it: ``marking: {digits: 3, total: {within: 1 s, unit: s}}``.
Where it is silent, the tolerance stated at ``expect`` counts. ``points: 4`` is what a right answer
is worth, ``credit: {unit: 1/2, follows: 1, slip: by-steps}`` the parts for those not all right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ddcalc.ask.mark.slip import Credit
from ddcalc.ask.mark.written import Allowed
from ddcalc.boundary.nodes import Entries, Node, Scalar, place
from ddcalc.boundary.nodes import Mapping as Named
from ddcalc.errors import BadSheet, BadUnit, BadValue, DdcalcError, UnknownName
from ddcalc.formula.expression import Number
from ddcalc.numbers.units import COUNT, ONE, Unit, measure, unit_named
from ddcalc.sheet.answers import digits_of, within_of
from ddcalc.sheet.question import Question

TOLERANCE = ("digits", "within", "unit")
SETTINGS = (*TOLERANCE, "points", "credit")
PARTS = ("unit", "follows", "slip")
BY_STEPS = "by-steps"  # credit for a slip: the share of the steps that stay right
MOST_POINTS = 1_000_000

Units = Mapping[str, Unit]


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of each quantity by name, and what is *wrong* with how that is said."""

    allowed: Mapping[str, Allowed]
    wrong: tuple[DdcalcError, ...]


def asked(question: Question, units: Units) -> Asked:
    """What *question* asks of quantities that are told in *units*."""
    wrong: list[DdcalcError] = []
    general = Allowed()
    named: dict[str, Entries] = {}
    for name, (key, node) in question.marking.items():
        spelt = name.replace("-", "_")
        try:
            if isinstance(node, Named) and name != "credit":
                if spelt not in units:
                    raise UnknownName("result", name, units)
                named[spelt] = node.entries
            else:
                general = _general(general, name, node)
        except DdcalcError as error:
            wrong.append(_at(question, error, key, name))
    expected = {name.replace("-", "_"): node for name, (_, node) in question.expect.items()}
    allowed: dict[str, Allowed] = {}
    for name, unit in units.items():
        allowed[name] = general
        for entries in (_tolerance(expected.get(name)), named.get(name, {})):
            try:
                allowed[name] = stricter(allowed[name], entries, unit)
            except DdcalcError as error:
                key = next(iter(entries.values()))[0]
                wrong.append(_at(question, error, key, name))
    return Asked(allowed, tuple(wrong))


def stricter(allowed: Allowed, entries: Entries, unit: Unit) -> Allowed:
    """*allowed*, with what *entries* say for a quantity told in *unit* instead.

    Raises UnknownName, BadNumber or BadSheet.
    """
    if "within" in entries and "digits" in entries:
        raise BadSheet("an answer is wanted within something or to some digits, not both")
    for name, (_, node) in entries.items():
        if name not in SETTINGS:
            raise UnknownName("key of marking", name, SETTINGS)
        if name in ("points", "credit"):
            allowed = _worth(allowed, name, node)
            continue
        text = _text(node)
        if name == "digits":
            allowed = replace(allowed, digits=digits_of(text), within=None)
        elif name == "within":
            told = within_of(text, unit)
            allowed = replace(
                allowed, digits=None, within=told.within, relative=told.relative, says=told.says
            )
        else:
            allowed = replace(allowed, unit=_unit(text, unit))
    return allowed


def _general(allowed: Allowed, name: str, node: Node) -> Allowed:
    """*allowed* with a setting for all quantities, which measure different things."""
    if name in ("points", "credit"):
        return _worth(allowed, name, node)
    text = _text(node)
    if name == "digits":
        return replace(allowed, digits=digits_of(text), within=None)
    if name == "within" and text.rstrip().endswith("%"):
        told = within_of(text, Unit("", 1, ONE, ""))
        return replace(allowed, within=told.within, relative=True, says=told.says, digits=None)
    if name in SETTINGS:
        raise BadSheet(f"{name} goes with one quantity: total: {{{name}: {text}}}")
    raise UnknownName("key of marking", name, SETTINGS)


def _tolerance(node: Node | None) -> Entries:
    """What a stated answer says besides its value."""
    if not isinstance(node, Named):
        return {}
    return {name: entry for name, entry in node.entries.items() if name in TOLERANCE}


def _worth(allowed: Allowed, name: str, node: Node) -> Allowed:
    """*allowed* with other points, or with other parts of them for what is not all right."""
    credit = allowed.credit
    if name == "points":
        return replace(allowed, credit=replace(credit, points=_number(node, MOST_POINTS)))
    if not isinstance(node, Named):
        raise BadSheet("credit is told by name: credit: {unit: 1/2, follows: 1, slip: 0}")
    parts: dict[str, Number | None] = {}
    for part, (_, told) in node.entries.items():
        if part not in PARTS:
            raise UnknownName("key of credit", part, PARTS)
        by_steps = part == "slip" and _text(told).replace("_", "-") == BY_STEPS
        parts[part] = None if by_steps else _number(told, 1)
    return replace(
        allowed,
        credit=Credit(
            credit.points,
            credit.unit if (unit := parts.get("unit")) is None else unit,
            credit.follows if (follows := parts.get("follows")) is None else follows,
            parts.get("slip", credit.slip),
        ),
    )


def _number(node: Node, most: int) -> Number:
    """What *node* states, from 0 to *most*; raises BadNumber."""
    text = _text(node)
    number = measure(text, ONE, bare_unit=COUNT).value
    if not 0 <= number <= most:
        raise BadValue(text, f"is not from 0 to {most}")
    return number


def _unit(text: str, unit: Unit) -> Unit:
    found = unit_named(text)
    if found.dimension != unit.dimension:
        raise BadUnit(text, f"measures {found.dimension}, not {unit.dimension}")
    return found


def _text(node: Node) -> str:
    if not isinstance(node, Scalar):
        raise BadSheet("digits, within, unit, points and parts of credit are one value each")
    return node.text


def _at(question: Question, error: DdcalcError, key: Scalar, name: str) -> DdcalcError:
    error.problem = question.id
    return error.about(name, place(question.file, key))
