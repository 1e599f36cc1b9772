"""What a question adds to its type: givens that are formulas, steps of its own, and results of
earlier questions of which these speak.

A type with such additions is a type again, which every verb treats as any other one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from graphlib import CycleError, TopologicalSorter
from typing import Any, Final

from ddcalc.errors import (
    BadEquation,
    BadFile,
    BadNumber,
    BadValue,
    DdcalcError,
    Repeated,
    raise_all,
)
from ddcalc.formula.algebra import FUNCTIONS
from ddcalc.formula.coherence import dimension_of
from ddcalc.formula.expression import Number, Rel, Sized, Sym, wrap
from ddcalc.memory import remembered
from ddcalc.numbers.amounts import amount_text
from ddcalc.numbers.units import (
    COUNT,
    Measured,
    Unit,
    base_unit,
)
from ddcalc.problem.plan import plan
from ddcalc.problem.problem import Problem, declared_as
from ddcalc.problem.quantity import Derived, Given
from ddcalc.problem.sentences import capital
from ddcalc.problem.sheet.formulas import CONSTANTS, DEEP, Formula, unknown
from ddcalc.problem.sheet.functions import LISTS, is_list
from ddcalc.problem.sheet.meaning import Meaning
from ddcalc.problem.sheet.modelled import ModelledProblem
from ddcalc.problem.sheet.reading import Sheet, Statement
from ddcalc.problem.sheet.text import Text
from ddcalc.problem.stated import Stated, Texts, read, restated
from ddcalc.problem.stated_formulas import (
    BOUND,
    COMPARED,
    NAME,
    SIZED,
    dotted,
    formula_of,
    is_formula,
    related,
    sized_in,
    step_in,
    without_sizes,
)


@dataclass(frozen=True, slots=True)
class Earlier:
    """A result of an earlier *part*, by the *name* under which formulas speak of it: ``a.total``.

    Its *value* is in base units.
    """

    name: str
    letter: str
    title: str
    unit: Unit
    value: Number
    part: str
    formula: type[Problem] | None = None  # the formula that it is, which may rest on results itself


@dataclass(eq=False, repr=False)
class FromPart(Given):
    """The *result* of an earlier part as something that is stated, but its value in no text; or a
    list that has such members: *results*, by the texts that stand for them."""

    results: Mapping[str, Earlier] = field(default_factory=dict)
    result: str = ""  # its name: a.total

    def measured(self, text: str) -> Measured:
        if text in self.results:
            return Measured(self.results[text].value, self.unit, False, text)
        return super().measured(text)


def _stated(one: Earlier) -> FromPart:
    """What the earlier part comes to, as a given."""
    return _alias(Given(one.name, one.letter, one.title, one.unit), one)


def _alias(given: Given, one: Earlier, is_member: bool = False) -> FromPart:
    """*given*, which is what the earlier part comes to, or has it for a member; raises what it does
    not admit."""
    text = amount_text(one.value, one.unit)
    if given.unit.dimension != one.unit.dimension:
        measures = f"measures {one.unit.dimension}, not {given.unit.dimension}"
        raise BadValue(one.name, measures).about(given.name)
    try:
        given.check(one.name, one.value)
    except BadNumber as error:
        raise error.about(given.name) from None
    said = {part.name: getattr(given, part.name) for part in fields(given)}
    if is_member:
        return FromPart(**said | {"results": {**said.get("results", {}), one.name: one}})
    said |= {"default": text, "optional": False, "source": f"from ({one.part})"}
    return FromPart(**said, results={text: one, one.name: one}, result=one.name)


@dataclass(frozen=True, slots=True)
class Own:
    """What a question adds: *formulas* by given, *steps* by name (a formula, and what it is), the
    *earlier* results of which these speak, the givens that are the *same* as one of these, and
    those with such *members*."""

    formulas: tuple[tuple[str, str], ...] = ()
    steps: tuple[tuple[str, str, str], ...] = ()
    earlier: tuple[Earlier, ...] = ()
    same: tuple[tuple[str, Earlier], ...] = ()
    members: tuple[tuple[str, Earlier], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.formulas or self.steps or self.same or self.members)


def parted(
    kind: type[Problem], texts: Texts, steps: Iterable[str] = ()
) -> tuple[dict[str, str | Sequence[str]], dict[str, str]]:
    """The *texts* of numbers, words and choices, and the formulas among them, by name of given;
    these may speak of own *steps*, too."""
    names = kind.quantities.keys() | {*steps}
    numbers: dict[str, str | Sequence[str]] = {}
    formulas: dict[str, str] = {}
    for key, text in texts.items():
        name = key.replace("-", "_")
        given = kind.givens.get(name)
        if given is not None and is_formula(text, given, names - {name}):
            formulas[name] = str(text)
        else:
            numbers[key] = text
        if name in formulas and given is not None and given.many == "list":
            numbers[key] = [formulas.pop(name)]
    return numbers, formulas


Results = Callable[[str], Earlier]
"""From the name of an earlier result to itself; a DdcalcError where there is none."""


def asked(
    kind: type[Problem],
    texts: Texts,
    steps: Sequence[tuple[str, str, str]] = (),
    results: Results | None = None,
) -> tuple[type[Problem], Texts]:
    """The type *kind* with *steps* and the formulas among *texts*, which may speak of *results* of
    earlier parts; and the other texts.

    Raises DdcalcErrors about the givens and steps that are wrong; a place in one counts from the
    first character of its formula.
    """
    own = {name: words for name, words, _ in steps}
    numbers, formulas = parted(kind, texts, own)
    worked = _Worked(kind, numbers, {**formulas, **own}, results)
    members, errors = worked.members(own)
    if not (formulas or steps or members or errors):
        return kind, texts
    earlier, same = dict[str, Earlier](), dict[str, Earlier]()
    for name, words in worked.formulas.items():
        try:
            found = {one: _result(one, results) for one in dotted(words)}
        except DdcalcError as error:
            error.formula = words
            errors.append(error.about(name))
            continue
        if name in formulas and words.strip() in found:
            same[name] = found[words.strip()]
        else:
            earlier |= found
    raise_all(errors)
    if issubclass(kind, ModelledProblem):  # which plays numbers
        for name in formulas.keys() - same.keys():
            same[name] = worked.out(name, formulas[name])
    left = tuple((name, words) for name, words in formulas.items() if name not in same)
    more = Own(left, tuple(steps), tuple(earlier.values()), tuple(same.items()), tuple(members))
    return extended(kind, more), numbers


@dataclass(frozen=True)
class _Worked:
    """What formulas come to before a question of that *kind* is solved: over the *numbers* that it
    states, other *formulas* of its own, by name, and *results* of earlier parts."""

    kind: type[Problem]
    numbers: Texts
    formulas: Mapping[str, str]
    results: Results | None

    def out(self, name: str, words: str, behind: tuple[str, ...] = ()) -> Earlier:
        """What the formula *words* comes to, which stands for the given, or the step, *name*."""
        if name in behind or len(behind) > DEEP:
            raise formula_of(words).text.wrong("goes round in a circle, or too deep").about(name)
        known = list[Earlier]()
        for one in dict.fromkeys(NAME.findall(without_sizes(words))):
            given = self.kind.givens.get(one)
            if "." in one:
                known.append(_result(one, self.results))
            elif one in self.formulas:
                worked = self.out(one, self.formulas[one], (*behind, name))
                known.append(replace(worked, name=one, letter=one))
            elif given is not None:
                text = self.numbers.get(one, self.numbers.get(one.replace("_", "-"), given.default))
                if isinstance(text, str):
                    value = given.read(text).value
                    known.append(Earlier(one, given.letter, "", given.unit, value, ""))
        step = f"{name}_worth"
        try:
            made = extended(FORMULA, Own(steps=((step, words, ""),), earlier=tuple(known)))
            worth = _comes_to(read(made, {}))
        except DdcalcError as error:
            error.parameter = name
            raise
        unit = made.quantities[step].unit
        return Earlier(words, name, name, unit, worth, "its formula", made)

    def members(
        self, steps: Collection[str]
    ) -> tuple[list[tuple[str, Earlier]], list[DdcalcError]]:
        """What formulas in lists come to, by the name of the given, and what is wrong with some."""
        members, errors = list[tuple[str, Earlier]](), list[DdcalcError]()
        for key, texts in self.numbers.items():
            given = self.kind.givens.get(key.replace("-", "_"))
            if given is None or isinstance(texts, str):
                continue
            names = {*self.kind.quantities, *steps} - {given.name}
            for place, words in enumerate(texts, 1):
                if not is_formula(words, given, names):
                    continue
                try:
                    is_result = dotted(words) == [words]
                    one = _result(words, self.results) if is_result else self.out(given.name, words)
                    members.append((given.name, one))
                except DdcalcError as error:
                    error.parameter, error.formula = f"{given.name}[{place}]", words
                    errors.append(error)
        return members, errors


def with_own(
    problem: type[Problem], texts: Texts, steps: Sequence[str], **relations: Sequence[str]
) -> tuple[type[Problem], Texts, dict[str, list[str]]]:
    """The type that is asked for, with the *steps* that a call states, the formulas among *texts*
    and those in its *relations* by option; the other texts; and the relations with names.

    Raises DdcalcErrors about the options that are wrong.
    """
    own: list[tuple[str, str, str]] = []
    options: dict[str, str] = {}
    try:
        for text in steps:
            own.append(step_in(text))
            if own[-1][0] in options:
                raise Repeated(own[-1][0])
            options[own[-1][0]] = "step"
    except DdcalcError as error:
        raise error.about("step") from None
    named: dict[str, list[str]] = {option: [] for option in relations}
    for option, listed in relations.items():
        for text in listed:
            relation, more = related(text, {*problem.quantities, *options}, len(own) + 1)
            named[option].append(relation)
            own += more
            options |= {name: option for name, _, _ in more}
    try:
        return *asked(problem, texts, own), named
    except DdcalcError as error:
        for single in error.singles():
            single.parameter = options.get(single.parameter or "", single.parameter)
        raise


def _result(name: str, results: Results | None) -> Earlier:
    if results is None:
        raise BadValue(name, "is a result of an earlier part, which only parts of a question have")
    return results(name)


def _comes_to(formula: Stated) -> Number:
    """The value of a question that is nothing but a formula; BadValue where it has none."""
    worth = plan(formula.problem, formula.shape).answer(formula, formula.numbers())
    if worth is None:
        name, words, _ = formula.problem.own_steps[0]
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


def with_results(stated: Stated, values: Mapping[str, Number]) -> Stated:
    """*stated* with other *values* (base units) of results of earlier parts, by name.

    Raises BadValue where a given does not admit what it then is.
    """
    instead: dict[str, Number] = {}
    for name, given in stated.problem.givens.items():
        if not isinstance(given, FromPart):
            continue
        measured = stated.measured[name]
        is_list = isinstance(measured, tuple)
        for i, one in enumerate(measured if isinstance(measured, tuple) else (measured,), 1):
            if (result := given.results.get(one.text)) is not None:
                worth = values.get(result.name, result.value)
                if result.formula is not None:
                    worth = _comes_to(with_results(read(result.formula, {}), values))
                instead[f"{name}[{i}]" if is_list else name] = worth
    return restated(stated, instead)


AS_STATED: Final = "as the question states it"  # why a given is what its formula says
FORMULA: Final[type[Problem]] = type(
    "Formula", (Problem,),
    {
        "slug": "formula", "about": "What does the formula come to?",
        "sheet": Sheet("formula", "What does the formula come to?"), "answer": "", "answers": {},
        "quantities": {}, "givens": {}, "choices": {}, "slots": {}, "sequential": False,
        "terms": (), "table": (), "keywords": "", "source": "", "group": "",
    },
)  # fmt: skip
"""A question that is nothing but a formula."""


def formula_kind(words: str, texts: Mapping[str, str]) -> type[Problem]:
    """The type of the formula *words*, whose givens are those of *texts* of which it speaks."""
    named = {*NAME.findall(without_sizes(words))}
    used = tuple((name, _unit_of(text)) for name, text in texts.items() if name in named)
    return _formula_kind(used) if used else FORMULA


@remembered
def _formula_kind(units: tuple[tuple[str, Unit], ...]) -> type[Problem]:
    givens = {n: Given(n, n, n.replace("_", " "), unit, bare=not unit.name) for n, unit in units}
    sheet = replace(FORMULA.sheet, quantities={**givens})
    return type("Formula", (FORMULA,), {"sheet": sheet, "quantities": givens, "givens": givens})


def _unit_of(text: str) -> Unit:
    """The unit of the number that *text* states; none where that is a plain number, or none."""
    match = SIZED.fullmatch(text.strip())
    number = sized_in(match)[0] if match else None
    return base_unit(number.dimension) if isinstance(number, Sized) else COUNT


def extended(kind: type[Problem], own: Own) -> type[Problem]:
    """The type *kind* with what a question adds to it.

    Raises BadFile about the given or the step whose formula is wrong, with a place within it.
    """
    return _extended(kind, own) if own else kind


@remembered
def _extended(kind: type[Problem], own: Own) -> type[Problem]:
    made = _Extension(kind, own)
    extra: dict[str, Any] = {
        "stated_so": dict(own.formulas), "own_steps": own.steps,
        "taken": [name for name, _ in own.same], "limits": kind.givens, "answer": kind.answer,
    }  # fmt: skip
    if issubclass(kind, ModelledProblem):
        extra["over"] = _extended(kind.over, own)
    if not kind.answer:  # a formula, beside which sides of relations may be steps
        names = [name for name, _, _ in own.steps]
        extra["answer"] = next(n for n in reversed(names) if not n.startswith((COMPARED, BOUND)))
    return declared_as(made.sheet, kind, kind.symbolic, **extra)


class _Extension:
    """The sheet of *kind* with the steps that a question adds."""

    def __init__(self, kind: type[Problem], own: Own) -> None:
        self.kind = kind
        old = kind.sheet
        earlier = {one.name: _stated(one) for one in own.earlier}
        earlier |= {name: _alias(kind.givens[name], one) for name, one in own.same}
        for name, one in own.members:
            given = earlier.get(name, kind.givens[name])
            earlier[name] = _alias(given, one, is_member=True)
        self.known: dict[str, Given | Derived] = {**old.quantities, **earlier}
        self.letters = {quantity.letter for quantity in self.known.values()}
        self.own = {name for name, _, _ in own.steps}
        added = {name: (words, "") for name, words in own.formulas}
        added |= {name: (words, says) for name, words, says in own.steps}
        rules = {name: [self.rule(name, *added[name])] for name in _in_order(added)}
        stated = {name: rules.pop(name) for name, _ in own.formulas}
        self.sheet = replace(
            old,
            quantities=self.known,
            steps={**stated, **old.steps, **rules},
            places={**old.places, **dict.fromkeys(self.known.keys() - old.places.keys(), _NOWHERE)},
        )

    def rule(self, name: str, words: str, says: str = "") -> Statement:
        """The rule of the step, or the given, called *name*."""
        try:
            formula = self._meant(formula_of(words))
            unit = self.unit(name, formula)
        except DdcalcError as error:
            error.formula, error.kind = words, BadNumber.kind  # type: ignore[misc]
            raise error.about(name) from None
        self.known[name] = self.quantity(name, unit, says)
        return Statement(formula.text, "formula", {"formula": formula})

    def _meant(self, formula: Formula) -> Formula:
        """*formula*, in which names of own steps stand for these, whatever the sheet calls so."""
        for name in self.kind.sheet.lets.keys() & self.own:
            if name in self.known:
                held = chr(0x5E00 + len(formula.sizes)).ljust(len(name), "_")
                formula.words = re.sub(rf"(?<![\w.]){name}(?![\w.(])", held, formula.words)
                formula.sizes = {**formula.sizes, held: Sym(self.known[name].letter)}
        return formula

    def quantity(self, name: str, unit: Unit, says: str) -> Derived:
        """What the step called *name* derives: a given that is stated so, or something new."""
        given = self.kind.givens.get(name)
        if given is not None:
            return Derived(name, given.letter, given.title, given.unit, AS_STATED)
        if name in self.known or name in self.kind.choices:
            raise BadFile(f"{name} is a quantity of {self.kind.slug} already").about(name)
        if name in {*CONSTANTS, *FUNCTIONS, *LISTS}:
            reason = f"{name} is a word of formulas already; another name is wanted"
            raise BadFile(reason).about(name)
        letter = name if name not in self.letters else f"{name}_q"
        self.letters.add(letter)
        return Derived(name, letter, capital(says), unit, "")

    def names(self) -> Meaning:
        """Names as letters, whatever the shape: enough to say what a formula measures."""
        kind: type[Problem] = type("Names", (self.kind,), {"quantities": self.known})
        scope = object.__new__(kind)
        letters = {name: Sym(quantity.letter) for name, quantity in self.known.items()}
        reading = {name: choice.default for name, choice in self.kind.choices.items()}
        Meaning.__init__(scope, letters, reading, [], {})
        return scope

    def unit(self, name: str, formula: Formula) -> Unit:
        """The unit of what *formula* comes to, which fits the given called *name*."""
        known = {*self.known, *self.kind.choices, *self.kind.sheet.lets, *CONSTANTS}
        for used, word, at in formula.names():
            if not word and used not in known | {*FUNCTIONS, *LISTS}:
                raise formula.wrong(unknown(used, known), at)
            if used == name:
                raise formula.wrong(f"{name} is made from itself", at)
        measures = {one.letter: one.unit.dimension for one in self.known.values()}
        try:
            value = formula.evaluate(self.names())
            if is_list(value) or isinstance(value, Rel | bool):
                raise formula.text.wrong("is no number")
            dimension = dimension_of(wrap(value), measures)
        except BadEquation as error:
            raise BadFile(error.reason, formula.text.place(0, len(formula.text.words))) from None
        given = self.kind.givens.get(name)
        if given is None:
            return base_unit(dimension)
        if dimension != given.unit.dimension:
            raise formula.text.wrong(f"is {dimension}, not {given.unit.dimension}, which {name} is")
        return given.unit


def _in_order(added: Mapping[str, tuple[str, str]]) -> list[str]:
    """The names of the formulas *added*, each behind those of which it speaks; a BadFile where they
    go round in a circle."""
    used = {
        name: added.keys() & NAME.findall(without_sizes(words))
        for name, (words, _) in added.items()
    }
    try:
        return [*TopologicalSorter({n: used[n] - {n} for n in used}).static_order()]
    except CycleError as error:
        first, *others = reversed(error.args[1])
        formula = formula_of(added[first][0])
        raise formula.text.wrong(f"is made from {', that from '.join(others)}").about(
            first
        ) from None


_NOWHERE: Final = Text("", (0,), "", "")
