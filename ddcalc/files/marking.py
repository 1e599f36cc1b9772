"""What a sheet requires of answers: the ``marking`` block of a problem.

``marking: {digits: 3, total: {within: 1 s, unit: s}}`` says it of all quantities, or of one by
name. Where it is silent, the tolerance stated at ``expect`` counts. ``points: 4`` is what a right
answer is worth, ``credit: {unit: 1/2, follows: 1, slip: by-steps}`` the parts for those not all
right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from ddcalc.ask.mark.grading import Credit
from ddcalc.ask.mark.written import Allowed
from ddcalc.boundary.nodes import Entries, Node, Scalar, place
from ddcalc.boundary.nodes import Mapping as Named
from ddcalc.errors import BadSheet, BadUnit, BadValue, DdcalcError, UnknownName
from ddcalc.files.filed_problem import FiledProblem
from ddcalc.formula.expression import Number
from ddcalc.numbers.display import counted
from ddcalc.numbers.number import parse
from ddcalc.numbers.units import COUNT, ONE, PERCENT, Unit, measure, shown_in, unit_named

# What may be required, as the schema describes it.
SETTINGS: Final = {
    "digits": "significant digits, at least",
    "within": "an amount such as 0.5 s, or a part: 1 %",
    "unit": "of a number without a unit",
    "points": "what a right answer is worth; 1 where nothing is said",
    "credit": "the parts of the points for what is not all right",
}
TOLERANCE: Final = ("digits", "within", "unit")
PARTS: Final[dict[str, tuple[str, str | int]]] = {  # with what is usual
    "unit": ("right value, wrong unit", "1/2"),
    "follows": ("right from an earlier slip", 1),
    "slip": ("one slip surely leads there; by-steps: the share of right steps", 0),
}
BY_STEPS: Final = "by-steps"  # credit for a slip: the share of the steps that stay right
MOST_POINTS: Final = 1_000_000
MOST_DIGITS: Final = 40


@dataclass(frozen=True, slots=True)
class Requirements:
    """What is required of each quantity by name, and what is *wrong* with how that is said."""

    allowed: Mapping[str, Allowed]
    wrong: tuple[DdcalcError, ...]


def requirements(
    question: FiledProblem, units: Mapping[str, Unit], head: FiledProblem | None = None
) -> Requirements:
    """What *question* requires of quantities that are shown in *units*; below what *head*, of which
    it is a part, requires of all parts."""
    wrong: list[DdcalcError] = []

    def refuse(error: DdcalcError, key: Scalar, name: str) -> None:
        error.problem = question.id
        wrong.append(error.about(name, place(question.file, key)))

    general = Allowed()
    stated: dict[str, list[Entries]] = {name: [] for name in units}
    for name, (_, node) in question.expect.items():
        if isinstance(node, Named) and (spelt := name.replace("-", "_")) in stated:
            entries = {k: entry for k, entry in node.entries.items() if k in TOLERANCE}
            stated[spelt].append(entries)
    for name, (_, node) in head.marking.items() if head else ():
        if name != "points":
            general = _setting(general, name, node)
    for name, (key, node) in question.marking.items():
        try:
            if not isinstance(node, Named) or name == "credit":
                general = _setting(general, name, node)
            elif (spelt := name.replace("-", "_")) in units:
                stated[spelt].append(node.entries)
            else:
                raise UnknownName("result", name, units)
        except DdcalcError as error:
            refuse(error, key, name)
    allowed: dict[str, Allowed] = {}
    for name, unit in units.items():
        allowed[name] = general
        for entries in stated[name]:
            try:
                allowed[name] = stricter(allowed[name], entries, unit)
            except DdcalcError as error:
                refuse(error, next(iter(entries.values()))[0], name)
    return Requirements(allowed, tuple(wrong))


def value_in(node: Node, allowed: Allowed, unit: Unit) -> tuple[Node, Allowed]:
    """The value of a quantity shown in *unit* that *node* states, and how far it may be off:
    *allowed*, unless it says so itself. Raises UnknownName, BadNumber or BadSheet."""
    if not isinstance(node, Named):
        return node, allowed
    entries = {**node.entries}
    known = ("value", *SETTINGS)
    for name in entries:
        if name not in known:
            raise UnknownName("key of a stated answer", name, known)
    if "value" not in entries:
        raise BadSheet("a stated answer needs a value")
    _, value = entries.pop("value")
    return value, stricter(allowed, entries, unit)


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
    credit = allowed.credit
    if name == "credit":
        return replace(allowed, credit=_credit(credit, node))
    if not isinstance(node, Scalar):
        raise BadSheet("digits, within, unit, points and parts of credit are one value each")
    text = node.text
    if name == "points":
        return replace(allowed, credit=replace(credit, points=_number(text, MOST_POINTS)))
    if name == "digits":
        digits = parse(text)
        if not isinstance(digits, int) or not 1 <= digits <= MOST_DIGITS:
            raise BadValue(text, f"is not a number of digits from 1 to {MOST_DIGITS}")
        return replace(allowed, digits=digits, within=None, says=f"to {counted(digits, 'digit')}")
    if name not in SETTINGS:
        raise UnknownName("key of marking", name, SETTINGS)
    if unit is None and (name == "unit" or not text.rstrip().endswith("%")):
        raise BadSheet(f"{name} goes with one quantity: total: {{{name}: {text}}}")
    unit = unit or Unit("", 1, ONE, "")
    if name == "within":
        relative = text.rstrip().endswith("%")
        near = measure(text, ONE, bare_unit=PERCENT) if relative else shown_in(unit, text)
        if near.value < 0:
            raise BadValue(text, "is negative; a tolerance is not")
        says = f"within {text}"
        return replace(allowed, digits=None, within=near.value, relative=relative, says=says)
    stated = unit_named(text)
    if stated.dimension != unit.dimension:
        raise BadUnit(text, f"measures {stated.dimension}, not {unit.dimension}")
    return replace(allowed, unit=stated)


def _credit(credit: Credit, node: Node) -> Credit:
    """*credit* with other parts of the points for what is not all right."""
    if not isinstance(node, Named):
        raise BadSheet("credit is stated by name: credit: {unit: 1/2, follows: 1, slip: 0}")
    parts: dict[str, Any] = {}
    for part, (_, value) in node.entries.items():
        if part not in PARTS:
            raise UnknownName("key of credit", part, PARTS)
        if not isinstance(value, Scalar):
            raise BadSheet("digits, within, unit, points and parts of credit are one value each")
        by_steps = part == "slip" and value.text.replace("_", "-") == BY_STEPS
        parts[part] = None if by_steps else _number(value.text, 1)
    return replace(credit, **parts)


def _number(text: str, most: int) -> Number:
    """What *text* states, from 0 to *most*; raises BadNumber."""
    number = measure(text, ONE, bare_unit=COUNT).value
    if not 0 <= number <= most:
        raise BadValue(text, f"is not from 0 to {most}")
    return number
