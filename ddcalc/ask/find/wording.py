"""A search in words: what is to be found, and what is compared at the answer and beside it."""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.ask.find.inverse import InverseQuestion, Relation, holds
from ddcalc.ask.find.nearest import Nearest
from ddcalc.ask.find.outcome import SearchOutcome, is_worth
from ddcalc.formula.expression import Known, Number
from ddcalc.formula.letters import SIGNS, letter
from ddcalc.numbers.amounts import amount, apart
from ddcalc.numbers.units import Unit
from ddcalc.problem.quantity import Choice, Quantity


def title(question: InverseQuestion) -> str:
    """What is to be found: ``Find m (workers) so that T (total) ≤ 300 s``."""
    unknown = question.unknown
    if isinstance(unknown, Choice):
        called = f"{unknown.name.replace('_', '-')} ({unknown.title})"
    else:
        called = _called(unknown)
    wanted = (_relation(one, question.compared, {unknown.name}) for one in question.relations)
    return f"Find {called} so that {' and '.join(wanted)}"


def sentence(question: InverseQuestion, outcome: SearchOutcome, unit: Unit) -> str:
    """Which values of the unknown there are, amounts of it in *unit*; what is compared there, and
    what fails beside it, or comes nearest where there is none."""
    said, then = outcome.says(unit).replace("  ", " "), list[str]()
    at = outcome.options[0] if len(outcome.options) == 1 else outcome.value
    if at is not None and outcome.kind != "always":
        here = ", ".join(_sides(question, outcome.compared(at)))
        then += [f"then {here}"] if here else []
    for x in outcome.beside:
        if fails := ", ".join(_sides(question, outcome.compared(x), fails=True)):
            then.append(f"with {_worth(question, x)}, {fails}")
    if near := outcome.nearest():
        then.append(_nearest(question, near))
    words = f"{said}: {'; '.join(then)}." if then else f"{said}."
    is_word = outcome.kind in ("none", "always")  # else it begins with a letter of the formulas
    return f"{words[:1].upper()}{words[1:]}" if is_word else words


def _called(quantity: Quantity) -> str:
    """The letter of *quantity* with its name: ``T (total)``."""
    return f"{letter(quantity.letter)} ({quantity.called})"


def _worth(question: InverseQuestion, x: Number | str) -> str:
    """That the unknown is worth *x*: ``m = 12``, ``t ≈ 0.33 s``, ``queue = per-epoch``."""
    unknown = question.unknown
    if isinstance(unknown, Choice) or isinstance(x, str):
        return f"{unknown.name} = {x}".replace("_", "-")
    return is_worth(unknown, amount(x, unknown.unit))


def _relation(
    relation: Relation, compared: dict[str, Quantity], known: set[str] | None = None
) -> str:
    """``T ≤ 300 s``; with the names of quantities that are not *known* yet, if any are."""
    sides = [
        letter(compared[name].letter) if known is None or name in known else _called(compared[name])
        for name in relation.names
    ]
    if relation.other is None:
        sides.append(str(amount(relation.bound.value, relation.bound.unit, stated=True)))
    return f" {SIGNS[relation.op]} ".join(sides)


def _sides(question: InverseQuestion, values: Known, *, fails: bool = False) -> Iterator[str]:
    """What is compared, of *values* by name: ``T = 280.5 s``; where it *fails*, ``T = 301.5 s >
    300 s`` of the relations that do."""
    for relation in question.relations:
        left, right = relation.sides(values)
        trivial = relation.name == question.unknown.name or (relation.op == "==" and not fails)
        if left is None or right is None or (trivial and relation.other is None):
            continue
        if fails and holds(relation.op, left, right):
            continue
        quantity = question.compared[relation.name]
        shown, bound = apart(left, right, quantity.unit)
        said = is_worth(quantity, shown)
        if relation.other is not None:
            said = f"{said}, {is_worth(relation.other, bound)}"
        elif fails:
            stated = amount(right, relation.bound.unit, stated=True)
            sign = "=" if left == right else "<" if left < right else ">"
            said = f"{said} {sign} {stated if stated.exact else bound}"
        yield said


def _nearest(question: InverseQuestion, near: Nearest) -> str:
    """``where T ≤ 300 s, the least C is 1.2 USD, with m = 14``."""
    others = [
        _relation(one, question.compared) for one in question.relations if one.name != near.name
    ]
    [bound, *_] = [one.bound.value for one in question.relations if one.name == near.name]
    quantity, where = question.compared[near.name], f"where {' and '.join(others)}, "
    shown = apart(near.value, bound, quantity.unit)[0].marked
    return (
        f"{where if others else ''}the {near.sense} {letter(quantity.letter)} is {shown}, "
        f"with {_worth(question, near.at)}"
    )
