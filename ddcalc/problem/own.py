"""What a question adds to its type: givens that are formulas, steps of its own, and results of
earlier questions of which these speak.

A type with such additions is a type again, which every verb treats as any other one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
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
from ddcalc.formula.expression import Rel, Sym, wrap
from ddcalc.memory import remembered
from ddcalc.numbers.units import DATA, ONE, TIME, WORK, Unit, base_unit
from ddcalc.problem.earlier import Earlier, FromPart, Results, alias, comes_to
from ddcalc.problem.order import Circle, in_order
from ddcalc.problem.plan import quantity_named
from ddcalc.problem.problem import Problem, Shape, declared_as
from ddcalc.problem.quantity import Derived, Given, StatedBound
from ddcalc.problem.sentences import capital
from ddcalc.problem.sheet.formulas import CONSTANTS, Formula, unknown
from ddcalc.problem.sheet.functions import LISTS, is_list
from ddcalc.problem.sheet.modelled import ModelledProblem
from ddcalc.problem.sheet.reading import Sheet, Statement
from ddcalc.problem.stated import Texts, read
from ddcalc.problem.stated_formulas import (
    AS_STATED,
    BOUND,
    NAME,
    asked_in,
    dotted,
    formula_of,
    is_formula,
    is_plain,
    is_side,
    number_in,
    relations_in,
    step_in,
    without_sizes,
)


@dataclass(frozen=True, slots=True)
class Own:
    """What a question adds: *formulas* by given, *steps* by name (a formula, and what it is), and
    *results* of which these speak, by given: what that is, or what is new, or has for a member;
    *units* in which quantities are shown, by name; and *numbers*, by name with their units, and
    whether they may be below 0."""

    formulas: tuple[tuple[str, str], ...] = ()
    steps: tuple[tuple[str, str, str], ...] = ()
    results: tuple[tuple[str, Earlier, bool], ...] = ()
    units: tuple[tuple[str, Unit], ...] = ()
    numbers: tuple[tuple[str, Unit, bool], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.formulas or self.steps or self.results or self.units or self.numbers)


def asked(
    kind: type[Problem],
    texts: Texts,
    steps: Sequence[tuple[str, str, str]] = (),
    results: Results | None = None,
    units: Sequence[tuple[str, Unit | None]] = (),
) -> tuple[type[Problem], Texts]:
    """The type *kind* with *steps* and the formulas among *texts*, which may speak of *results* of
    earlier parts, and quantities in *units* of the question's own; and the other texts.

    Raises DdcalcErrors about the givens and steps that are wrong; a place in one counts from the
    first character of its formula.
    """
    own = {name: words for name, words, _ in steps}
    numbers, formulas, members = _parted(kind, texts, own)
    worked, errors = _Worked(kind, numbers, {**formulas, **own}, results), list[DdcalcError]()
    found: dict[tuple[str, int], Earlier] = {}  # by given, and place in its list, if it has one
    for name, place, words in (*members, *((n, 0, x) for n, x in worked.formulas.items())):
        try:
            if several := worked.members(name, words):
                formulas.pop(name, "")
                numbers[name] = [one.name for one in several]
                found |= {(name, i): one for i, one in enumerate(several, 1)}
            elif place or (name in formulas and dotted(words) == [words.strip()]):
                found[name, place] = worked.out(name, words.strip())
            else:
                found |= {(x.name, 0): x for n in dotted(words) for x in worked.results_of(n)}
        except DdcalcError as error:
            error.parameter, error.formula = f"{name}[{place}]" if place else name, words
            errors.append(error)
    raise_all(errors)
    if issubclass(kind, ModelledProblem):  # which plays numbers
        found |= {(n, 0): worked.out(n, x) for n, x in formulas.items() if (n, 0) not in found}
    more = Own(
        tuple((name, words) for name, words in formulas.items() if (name, 0) not in found),
        tuple(steps),
        tuple((name, one, place > 0) for (name, place), one in found.items()),
        tuple((name, unit) for name, unit in units if unit is not None),
    )
    return extended(kind, more), numbers


def _parted(
    kind: type[Problem], texts: Texts, steps: Mapping[str, str]
) -> tuple[dict[str, str | Sequence[str]], dict[str, str], list[tuple[str, int, str]]]:
    """The *texts* of numbers, words and choices; the formulas among them by given; and those that
    are members of lists, with the given and their place. They may speak of own *steps*, too."""
    numbers, formulas, members = dict(texts), dict[str, str](), list[tuple[str, int, str]]()
    for key, text in texts.items():
        given = kind.givens.get(key.replace("-", "_"))
        is_list = given is not None and given.many != "one"
        listed = text
        if isinstance(text, str):
            listed = re.split(r",(?![^(]*\))", text) if is_list else [text]
        names = {*kind.quantities, *steps} - {given.name if given else ""}
        found = [
            (given.name, place, words)
            for place, words in enumerate(listed, 1)
            if given and is_formula(words, given, names)
        ]
        if found and given and isinstance(text, str) and given.many != "list":
            formulas[given.name] = text
            del numbers[key]
        elif found:
            numbers[key] = listed
            members += found
    return numbers, formulas, members


@dataclass(frozen=True)
class _Worked:
    """What formulas come to before a question of that *kind* is solved: over the *numbers* that it
    states, other *formulas* of its own, by name, and *results* of earlier parts."""

    kind: type[Problem]
    numbers: Texts
    formulas: Mapping[str, str]
    results: Results | None

    def results_of(self, name: str) -> Sequence[Earlier]:
        """The earlier result of that *name*, in each of its cases."""
        if self.results is None:
            reason = "is a result of an earlier part, which only parts of a question have"
            raise BadValue(name, reason)
        return self.results(name)

    def result(self, name: str) -> Earlier:
        """The one earlier result of that *name*."""
        one, *others = self.results_of(name)
        if others:
            reason = f"has {len(others) + 1} values; {name}[1] is the first, min({name}) the least"
            raise BadValue(name, reason)
        return one

    def members(self, name: str, words: str) -> Sequence[Earlier]:
        """The members of an earlier result that is the whole list which the given *name* takes."""
        given, stated = self.kind.givens.get(name), self.numbers.get(name, ())
        is_one = given is None or given.many == "one" or (len(stated) > 1 and stated != words)
        several = () if is_one or dotted(words) != [words] else self.results_of(words)
        return several if len(several) > 1 else ()

    def out(self, name: str, words: str) -> Earlier:
        """What the formula *words* comes to, which stands for the given, or the step, *name*; or
        the earlier result that it is."""
        if dotted(words) == [words]:
            return self.result(words)
        step = f"{name}_worth"
        steps, known, waiting = {step: words}, dict[str, Earlier](), [words]
        while waiting:
            for one in NAME.findall(without_sizes(waiting.pop())):
                given = self.kind.givens.get(one)
                if "." in one:
                    known |= {case.name: case for case in self.results_of(one)}
                elif one in self.formulas and one not in steps:
                    steps[one] = self.formulas[one]
                    waiting.append(steps[one])
                elif given is None and one in self.kind.quantities:
                    what = formula_of(words)
                    at = next((at for used, _, at in what.names() if used == one), None)
                    reason = f"{one} is a result; here givens and earlier parts make a given"
                    raise what.wrong(reason, at).about(name)
                elif given is not None and one not in steps:
                    text = self.numbers.get(one, self.numbers.get(given.flag, given.default))
                    if text is None or isinstance(text, str):
                        value = given.stand_in if text is None else given.read(text).value
                        known[one] = Earlier(one, given.letter, "", given.unit, value, "")
        try:
            own = tuple((name, words, "") for name, words in steps.items())
            spoken = tuple((one.name, one, False) for one in known.values())
            made = extended(FORMULA, Own(steps=own, results=spoken))
            worth = comes_to(read(made, {}), step)
        except DdcalcError as error:
            error.parameter = name
            raise
        return Earlier(words, name, name, made.quantities[step].unit, worth, "", made)


def with_own(
    problem: type[Problem], texts: Texts, steps: Sequence[str], **relations: Sequence[str]
) -> tuple[type[Problem], Texts, dict[str, list[str]]]:
    """The type that is asked for, with the *steps* that a call states, the formulas among *texts*
    and those in its *relations* by option; the other texts; and the relations with names.

    Raises DdcalcErrors about the options that are wrong.
    """
    own, options = list[tuple[str, str, str]](), dict[str, str]()
    try:
        for text in steps:
            own.append(step_in(text))
            if own[-1][0] in options:
                raise Repeated(own[-1][0])
            options[own[-1][0]] = "step"
    except DdcalcError as error:
        raise error.about("step") from None
    named: dict[str, list[str]] = {}
    for option, listed in relations.items():
        before = len(own)
        named[option] = relations_in(listed, option, problem.quantities, own)
        options |= {name: option for name, _, _ in own[before:]}
    try:
        return *asked(problem, texts, own), named
    except DdcalcError as error:
        for single in error.singles():
            single.parameter = options.get(single.parameter or "", single.parameter)
        raise


LADDERED: Final = (ONE, TIME, DATA, WORK, DATA / TIME, WORK / TIME)  # shown in units that fit
FORMULA: Final = declared_as(
    Sheet("formula", "What does the formula come to?"), Problem, answer="", sequential=False
)
"""A question that is nothing but a formula."""


def with_numbers(
    kind: type[Problem], formulas: Iterable[str], texts: Mapping[str, str]
) -> type[Problem]:
    """The type *kind* with numbers of the question's own as givens: those of *texts*, by name, of
    which its *formulas* speak and the type does not."""
    new = texts.keys() - kind.quantities.keys() - kind.choices.keys() - kind.slots.keys()
    named = new and new & {*NAME.findall(without_sizes("; ".join(formulas)))}
    numbers = (n for n in texts if n in named and is_plain(texts[n]))
    return extended(kind, Own(numbers=tuple((n, *number_in(texts[n])) for n in numbers)))


@remembered
def extended(kind: type[Problem], own: Own) -> type[Problem]:
    """The type *kind* with what a question adds to it; a BadFile about the given or the step whose
    formula is wrong, with a place within it."""
    if not own:
        return kind
    made = _Extension(kind, own)
    extra: dict[str, Any] = {
        "stated_so": dict(own.formulas), "own_steps": own.steps,
        "taken": [n for n, _, is_member in own.results if n in kind.givens and not is_member],
        "limits": kind.givens, "answer": kind.answer,
    }  # fmt: skip
    if issubclass(kind, ModelledProblem):
        extra["over"] = extended(kind.over, own)
    if not kind.answer and own.steps:  # a formula, beside which sides of relations may be steps
        extra["answer"] = [name for name, _, _ in own.steps if not is_side(name)][-1]
    return declared_as(made.sheet, kind, kind.symbolic, **extra)


class _Extension:
    """The sheet of *kind* with the steps that a question adds."""

    def __init__(self, kind: type[Problem], own: Own) -> None:
        self.kind, old = kind, kind.sheet
        self.known: dict[str, Given | Derived] = {**old.quantities}
        for name, one, is_member in own.results:
            given = self.known.get(name) or Given(one.name, one.letter, one.title, one.unit)
            assert isinstance(given, Given)
            self.known[name] = alias(given, one, is_member)
        shown = kind.over if issubclass(kind, ModelledProblem) else kind  # which speaks of more
        self.letters = {q.letter for q in (*self.known.values(), *shown.quantities.values())}
        for name, unit, below in own.numbers:
            new = Given(name, self.letter(name), name.replace("_", " "), unit, bare=not unit.name)
            self.known[name] = new if below else replace(new, least=0, whole=new.bare)
        self.own = {name for name, _, _ in own.steps}
        self.cases = {one.cases for _, one, _ in own.results if one.cases}
        added = {name: (words, "") for name, words in own.formulas}
        added |= {name: (words, says) for name, words, says in own.steps}
        rules = {name: [self.rule(name, *added[name])] for name in _sorted(added)}
        stated = {name: rules.pop(name) for name, _ in own.formulas}
        for name, unit in own.units:
            name = quantity_named(self.known, kind, name) if name not in self.known else name
            if self.known[name].unit.dimension != unit.dimension:
                measures = f"measures {self.known[name].unit.dimension}, not {unit.dimension}"
                raise BadValue(name, measures).about("ask")
            self.known[name] = replace(self.known[name], unit=unit)
        steps = {**stated, **old.steps, **rules}
        self.sheet = replace(old, quantities=self.known, steps=steps)

    def rule(self, name: str, words: str, says: str = "") -> Statement:
        """The rule of the step, or the given, called *name*."""
        try:
            what, shown = asked_in(words)
            formula = self._meant(formula_of(what))
            unit = self.unit(name, formula, shown)
        except DdcalcError as error:
            error.formula, error.kind = words, BadNumber.kind  # type: ignore[misc]
            raise error.about(name) from None
        self.known[name] = self.quantity(name, unit, says)
        return Statement(formula.text, "formula", {"formula": formula})

    def _meant(self, formula: Formula) -> Formula:
        """*formula*, in which names of own steps stand for these, whatever the sheet calls so, and
        those of results that have several cases for a list."""
        lets = self.kind.sheet.lets.keys() & self.own & self.known.keys()
        meant: dict[str, Any] = {name: Sym(self.known[name].letter) for name in lets}
        for name in self.cases & {*dotted(formula.words)}:
            results = (x for x in self.known.values() if isinstance(x, FromPart))
            meant[name] = [Sym(x.letter) for x in results if x.cases == name]
        for name, value in meant.items():
            held = chr(0x5E00 + len(formula.sizes)).ljust(len(name), "_")
            spelt = rf"(?<![\w.]){re.escape(name)}(?![\w.(])"
            formula.words = re.sub(spelt, held, formula.words)
            formula.sizes = {**formula.sizes, held: value}
        return formula

    def quantity(self, name: str, unit: Unit, says: str) -> Derived:
        """What the step called *name* derives: a given that is stated so, or something new."""
        if given := self.kind.givens.get(name):
            return Derived(name, given.letter, given.bare_title, given.unit, AS_STATED)
        if name in self.known or name in self.kind.choices:
            raise BadFile(f"{name} is a quantity of {self.kind.slug} already").about(name)
        if name in {*CONSTANTS, *FUNCTIONS, *LISTS}:
            reason = f"{name} is a word of formulas already; another name is wanted"
            raise BadFile(reason).about(name)
        title = says if is_side(name) else capital(says)
        made = StatedBound if is_side(name) and name.startswith(BOUND) else Derived
        return made(name, self.letter(name), title, unit, "")

    def letter(self, name: str) -> str:
        """A new letter for what is called *name*."""
        letter = next(x for i in count() if (x := name + "_q" * i) not in self.letters)
        self.letters.add(letter)
        return letter

    def unit(self, name: str, formula: Formula, shown: Unit | None = None) -> Unit:
        """The unit of what *formula* comes to: that of the given called *name*, that in which it is
        to be *shown*, or that of a quantity like it (USD/h)."""
        known = {*self.known, *self.kind.choices, *self.kind.sheet.lets, *CONSTANTS}
        for used, word, at in formula.names():
            if not word and used not in known | {*FUNCTIONS, *LISTS}:
                raise formula.wrong(unknown(used, known), at)
            if used == name:
                raise formula.wrong(f"{name} is made from itself", at)
        measures = {one.letter: one.unit.dimension for one in self.known.values()}
        names: type[Problem] = type("Names", (self.kind,), {"quantities": self.known})
        reading = tuple((name, choice.default) for name, choice in self.kind.choices.items())
        try:
            value = formula.evaluate(names(Shape(reading)))  # as letters, whatever the shape
            if is_list(value):
                reason = f"is a list of {len(value)}; min, max, sum or [1] make one number of it"
                raise formula.text.wrong(reason)
            if isinstance(value, Rel | bool):
                raise formula.text.wrong("is no number")
            dimension = dimension_of(wrap(value), measures)
        except BadEquation as error:
            raise BadFile(error.reason, formula.text.place(0, len(formula.text.words))) from None
        like = (one.unit for one in self.known.values() if one.unit.dimension == dimension)
        wanted = self.kind.givens[name].unit if name in self.kind.givens else shown
        if wanted is None:
            usual = base_unit(dimension)
            return usual if dimension in LADDERED else next(like, usual)
        if dimension != wanted.dimension:
            raise formula.text.wrong(f"is {dimension}, not {wanted.dimension}, which {name} is")
        return wanted


def _sorted(added: Mapping[str, tuple[str, str]]) -> list[str]:
    """The names of the formulas *added*, each behind those of which it speaks; a BadFile where they
    go round in a circle."""

    def needs(name: str) -> Iterator[str]:
        used = NAME.findall(without_sizes(added[name][0]))
        return (one for one in used if one in added)

    try:
        return [*in_order(added, needs)]
    except Circle as error:
        first, *others = error.names
        formula = formula_of(added[first][0])
        reason = f"goes round in a circle: {first} is made from {', that from '.join(others)}"
        raise formula.text.wrong(reason).about(first) from None
