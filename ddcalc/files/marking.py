"""What a sheet requires of answers: the ``marking`` block of a problem.

``marking: {digits: 3, total: {within: 1 s, unit: s}}`` says it of all quantities, or of one by
name. Where it is silent, the tolerance stated at ``expect`` counts. ``points: 4`` is what a right
answer is worth, ``credit: {unit: 1/2, follows: 1, slip: by-steps}`` the parts for those not all
right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

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


class Requirements(NamedTuple):
    """What is required of each quantity by name, and what is *wrong* with how that is said."""

    allowed: Mapping[str, Allowed]
    wrong: list[DdcalcError]


def requirements(
    question: FiledProblem, units: Mapping[str, Unit], head: FiledProblem | None = None
) -> Requirements:
    """What *question* requires of quantities that are shown in *units*; below what *head*, of which
    it is a part, requires of all parts, and of quantities that they have."""
    general, wrong = Allowed(), list[DdcalcError]()
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
        return replace(allowed, credit=_credit(allowed.credit, node))
    text = _text(node)
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


def _credit(credit: Credit, node: Node) -> Credit:
    """*credit* with other parts of the points for what is not all right."""
    if not isinstance(node, Named):
        raise BadSheet("credit is stated by name: credit: {unit: 1/2, follows: 1, slip: 0}")
    parts: dict[str, Any] = {}
    for part, (_, value) in node.entries.items():
        if part not in PARTS:
            raise UnknownName("key of credit", part, PARTS)
        text = _text(value)
        by_steps = part == "slip" and text.replace("_", "-") == BY_STEPS
        parts[part] = None if by_steps else _number(text, 1)
    return replace(credit, **parts)


def _text(node: Node) -> str:
    if not isinstance(node, Scalar):
        raise BadSheet("digits, within, unit, points and parts of credit are one value each")
    return node.text


def _number(text: str, most: int) -> Number:
    """What *text* states, from 0 to *most*; raises BadNumber."""
    number = measure(text, ONE, bare_unit=COUNT).value
    if not 0 <= number <= most:
        raise BadValue(text, f"is not from 0 to {most}")
    return number
