"""Find a choice: which readings of the question make the relations hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ddcalc.ask.find.asked import Asked
from ddcalc.ask.find.found import Found, Outcome
from ddcalc.ask.find.relation import Relation, holds
from ddcalc.ask.find.words import full_amount
from ddcalc.ask.solve import Derivation, Result
from ddcalc.errors import BadValue, DdcalcError, Missing, NoAnswer, OverLimit
from ddcalc.formula.expression import Expr, Sym
from ddcalc.problem.quantity import Choice
from ddcalc.problem.steps import State, Step, Table


@dataclass(frozen=True, slots=True)
class _Option:
    """An option with the question so read, or why it cannot be read so."""

    name: str
    solved: Derivation | None
    refusal: DdcalcError | None = None


def find(asked: Asked) -> Found:
    """The options for which the relations hold; every one is tried.

    Raises what every option is refused with, BadValue where none knows what is compared.
    """
    choice = asked.unknown
    assert isinstance(choice, Choice)
    options = [_read(asked, name) for name in choice.options]
    refusals = [option.refusal for option in options if option.refusal]
    if len(refusals) == len(options):
        raise refusals[0]
    right = [option for option in options if _holds(asked, option)]
    at = right[0].solved if len(right) == 1 else None
    outcome = Outcome(
        value=Sym(right[0].name) if at is not None else None,
        says=lambda _: _says(choice, [option.name for option in right]),
        proof=f"all {len(options)} options were tried",
        steps=lambda: _steps(asked, options, at),
        options=tuple(option.name for option in right),
    )
    return Found(asked, outcome, at)


def _read(asked: Asked, option: str) -> _Option:
    shape = asked.stated.shape.with_choice(asked.unknown.name, option)
    if unmet := asked.stated.problem.unmet(shape):
        return _Option(option, None, Missing(" or ".join(group) for group in unmet))
    try:
        return _Option(option, Derivation(replace(asked.stated, shape=shape)))
    except (BadValue, NoAnswer, OverLimit) as error:
        return _Option(option, None, error)


def _holds(asked: Asked, option: _Option) -> bool:
    return option.solved is not None and all(
        _compared(relation, option.solved) for relation in asked.relations
    )


def _compared(relation: Relation, solved: Derivation) -> bool:
    result = solved.quantities.get(relation.name)
    if result is None:
        return False
    if isinstance(result, tuple):
        reason = "is a list here; something that is one value can be compared"
        raise BadValue(relation.name, reason).about("where")
    if isinstance(result.value, Expr):
        reason = "is a formula here; state the letters in it to compare it with a number"
        raise BadValue(relation.name, reason).about("where")
    return holds(relation.op, result.value, relation.bound.value)


def _says(choice: Choice, right: list[str]) -> str:
    if not right:
        return f"no option of {choice.name} does it"
    told = " or ".join(name.replace("_", "-") for name in right)
    says = f"  ({choice.options[right[0]]})" if len(right) == 1 else ""
    return f"{choice.name} = {told}{says}"


def _steps(asked: Asked, options: list[_Option], at: Derivation | None) -> Iterator[Step]:
    names = tuple(relation.name for relation in asked.relations)
    rows = tuple(_row(asked, option) for option in options)
    yield Table("Every option", "tried one by one", (asked.unknown.name, *names, ""), rows)
    if at is not None:
        yield from (step for step in at.steps if not isinstance(step, State))


def _row(asked: Asked, option: _Option) -> tuple[str, ...]:
    name = option.name.replace("_", "-")
    if option.solved is None:
        return (name, *("" for _ in asked.relations), f"not possible: {option.refusal}")
    known = option.solved.quantities
    told = (_amount(known.get(relation.name)) for relation in asked.relations)
    return (name, *told, "does it" if _holds(asked, option) else "does not")


def _amount(result: Result | tuple[Result, ...] | None) -> str:
    if result is None or isinstance(result, tuple) or result.value is None:
        return "no value"
    assert not isinstance(result.value, Expr)
    return full_amount(result.value, result.unit)
