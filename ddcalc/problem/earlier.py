"""Results of earlier parts of a question, on which later parts stand: givens with their values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields

from ddcalc.errors import BadValue, blaming
from ddcalc.formula.expression import Number
from ddcalc.numbers.amounts import amount_text, fitting
from ddcalc.numbers.units import Measured, Unit
from ddcalc.problem.plan import plan
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Given, Quantity
from ddcalc.problem.stated import Stated, read, restated


@dataclass(frozen=True, slots=True)
class Earlier:
    """A result of an earlier *part*, by the *name* under which formulas speak of it: ``a.total``.

    Its *value* is in base units. One of several cases is called ``a_1.total``, and all *cases*
    together are a list, ``a.total``; what is *told* there, by name, is stated for that case alone.
    Its *letter* says of which part it is; its *plain* one, empty where other parts have such a
    letter, does not.
    """

    name: str
    letter: str
    title: str
    unit: Unit
    value: Number
    part: str
    formula: type[Problem] | None = None  # the formula that it is, which may rest on results itself
    cases: str = ""
    plain: str = ""
    told: tuple[tuple[str, str], ...] = ()


@dataclass(eq=False, repr=False)
class FromPart(Given):
    """The *result* of an earlier part as something that is stated, but its value in no text; or a
    list that has such members: *results*, by the texts that stand for them."""

    results: Mapping[str, Earlier] = field(default_factory=dict)
    result: str = ""  # its name: a.total
    cases: str = ""  # the list of which it is a member

    @property
    def speaks_of(self) -> frozenset[str]:
        formulas = (one.formula for one in self.results.values() if one.formula is not None)
        return frozenset(name for formula in formulas for name in formula.givens if "." not in name)

    def measured(self, text: str) -> Measured:
        if (one := self.results.get(text)) is not None:
            unit = self.unit if self.result else fitting(one.value, self.unit)
            return Measured(one.value, unit, False, text)
        return super().measured(text)


def is_of_case(quantity: Quantity) -> bool:
    """Whether *quantity* is what one of several cases of an earlier part comes to, by its place."""
    part, name = (getattr(quantity, x, "").partition(".")[0] for x in ("cases", "result"))
    return part not in ("", name) and quantity.letter.endswith(f"_{name}")  # T_a_2, a.total


def alias(given: Given, one: Earlier, is_member: bool = False) -> FromPart:
    """*given*, which is what the earlier part comes to, or has it for a member; raises what it does
    not admit."""
    text = amount_text(one.value, one.unit)
    if given.unit.dimension != one.unit.dimension:
        measures = f"measures {one.unit.dimension}, not {given.unit.dimension}"
        raise BadValue(one.name, measures).about(given.name)
    with blaming(given.name):
        given.check(one.name, one.value)
    said = {part.name: getattr(given, part.name) for part in fields(given)}
    if is_member:
        return FromPart(**said | {"results": {**said.get("results", {}), one.name: one}})
    source = f"from ({one.part})" if one.formula is None else one.name
    said |= {"default": text, "optional": False, "source": source}
    results = {text: one, one.name: one}
    return FromPart(**said, results=results, result=one.name, cases=one.cases)


Results = Callable[[str], Sequence[Earlier]]
"""From the name of an earlier result to itself, or to those of all cases; a DdcalcError where there
is none."""


def comes_to(formula: Stated, step: str = "") -> Number:
    """The value of a question that is nothing but a formula, its own *step* or the first one;
    BadValue where it has none."""
    name, words, _ = formula.problem.own_steps[0]
    made = plan(formula.problem, formula.shape)
    if (worth := made.answer(formula, formula.numbers(), step or name)) is None:
        raise BadValue(words, "has no value").about(name)
    return worth


def stands_on(kind: type[Problem]) -> Iterator[str]:
    """The names of the results of earlier parts on which a question of type *kind* stands."""
    for given in kind.givens.values():
        for one in dict.fromkeys(given.results.values()) if isinstance(given, FromPart) else ():
            if one.formula is not None:
                yield from stands_on(one.formula)
            elif one.part:
                yield one.name


def with_moved(stated: Stated, values: Mapping[str, Number]) -> Stated:
    """*stated* with other *values* (base units) of its givens, or of results of earlier parts, by
    name, and of the givens that rest on them.

    Raises BadValue where a given does not admit what it then is.
    """
    instead = {key: x for key, x in values.items() if key.partition("[")[0] in stated.measured}
    for name, given in stated.problem.givens.items():
        if not isinstance(given, FromPart):
            continue
        is_list = name in stated.lists
        for i, one in enumerate(stated.measured[name], 1):
            key = f"{name}[{i}]" if is_list else name
            if (result := given.results.get(one.text)) is None:
                continue
            if result.formula is not None and values.keys() & result.formula.givens:
                instead[key] = comes_to(with_moved(read(result.formula, {}), values))
            elif result.name in values:
                instead[key] = values[result.name]
    return restated(stated, instead)
