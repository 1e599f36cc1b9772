"""What a question adds to its type: givens that are formulas, steps of its own, and results of
earlier questions of which these speak.

A type with such additions is a type again, which every verb treats as any other one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from keyword import iskeyword
from typing import Any, Final

from ddcalc.errors import (
    BadEquation,
    BadFile,
    BadNumber,
    BadValue,
    DdcalcError,
    UnknownName,
    blaming,
    suggestion,
)
from ddcalc.formula.algebra import FUNCTIONS
from ddcalc.formula.coherence import dimension_of
from ddcalc.formula.expression import Rel, Sym, letter, wrap
from ddcalc.memory import remembered
from ddcalc.numbers.amounts import BoundUnit
from ddcalc.numbers.number import hints
from ddcalc.numbers.units import COUNT, ONE, TIME, Dimension, Unit, base_unit, is_suffix, unit_named
from ddcalc.problem import stated_formulas
from ddcalc.problem.earlier import Earlier, FromPart, alias
from ddcalc.problem.order import Circle, in_order
from ddcalc.problem.plan import quantity_named
from ddcalc.problem.problem import Problem, Shape, declared_as
from ddcalc.problem.quantity import Choice, Derived, Given, StatedBound
from ddcalc.problem.said.sentences import capital
from ddcalc.problem.sheet.formulas import ALL_FUNCTIONS, CONSTANTS, Formula, unknown
from ddcalc.problem.sheet.functions import LISTS, is_list
from ddcalc.problem.sheet.modelled import ModelledProblem
from ddcalc.problem.sheet.reading import Sheet, Statement
from ddcalc.problem.stated_formulas import NAME, NAMED, formula_of, is_side, told_in, typeset

_RESULT: Final = re.compile(rf"{NAME.pattern}(?:\[[0-9]+\])?")  # total, c.total[2]


@dataclass(frozen=True, slots=True)
class Own:
    """What a question adds: *formulas* by given, *steps* by name (a formula, and what it is), and
    *results* of which these speak, by given: what that is, or what is new, or has for a member;
    *units* in which quantities are shown, by name; *numbers*, by name with their units, whether
    they may be below 0, and whether they are whole; *words*, by name, one of which a question
    states; *candidates*, the texts of the values that what is found may have; and the steps that
    are *given*: numbers of its own that it states as formulas."""

    formulas: tuple[tuple[str, str], ...] = ()
    steps: tuple[tuple[str, str, str], ...] = ()
    results: tuple[tuple[str, Earlier, bool], ...] = ()
    units: tuple[tuple[str, Unit], ...] = ()
    numbers: tuple[tuple[str, Unit, bool, bool], ...] = ()
    words: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    candidates: tuple[tuple[str, tuple[str, ...]], ...] = ()
    given: tuple[str, ...] = ()


FORMULA: Final = declared_as(
    Sheet("formula", "What does the formula come to?"), Problem, answer="", sequential=False
)
"""A question that is nothing but a formula."""


def with_numbers(
    kind: type[Problem], formulas: Iterable[str], texts: Mapping[str, Sequence[str]]
) -> type[Problem]:
    """The type *kind* with numbers of the question's own as givens, and words as choices: those of
    *texts*, which are one or several by name, of which its *formulas* speak and the type does not.
    """
    new = texts.keys() - kind.quantities.keys() - kind.choices.keys() - kind.slots.keys()
    written = stated_formulas.worded("; ".join(formulas)) if new else ""
    said = stated_formulas.without_sizes(written)
    spoken = {*NAME.findall(said), *(name for _, name, _ in stated_formulas.alike(written))}
    numbers, words = (
        list[tuple[str, Unit, bool, bool]](),
        list[tuple[str, tuple[tuple[str, str], ...]]](),
    )
    for name in (n for n in texts if n in new & spoken):
        refuse_name(name)
        asked = rf"(?<![\w.]){name} *(?:is not|is|==|!=) *(?!the |(?:lea|smalle|greate|large)st\b)"
        others = re.findall(rf"{asked}([^\W\d]\w*|(?<= is |not )\d+[^\W\d]\w*)", said)
        wrong = [text for text in texts[name] if not stated_formulas.WORD.fullmatch(text)]
        is_word = not wrong and (others or not all(one[0].isdigit() for one in texts[name]))
        if not is_word and all(map(stated_formulas.is_plain, texts[name])):
            with blaming(name):
                every = map(stated_formulas.number_in, sorted(texts[name], key=str.isdecimal))
                shown = max(every, key=lambda one: (one[0] != COUNT, -one[0].worth))
                numbers.append((name, *shown))
            continue
        if wrong and (others or len(texts[name]) > 1):
            reason = "is no number, formula or word: letters, digits, -, _, blanks, as no-overlap"
            raise BadValue(wrong[0], reason).about(name)
        if not wrong:
            stated = {re.sub("[- ]", "_", x): x.replace("_", "-") for x in texts[name]}
            for other in others:
                if other not in stated and suggestion(other, stated):
                    raise UnknownName(f"value of {name}", other, stated).about(name)
                stated.setdefault(other, other.replace("_", "-"))
            words.append((name, tuple(stated.items())))
    return extended(kind, Own(numbers=tuple(numbers), words=tuple(words)))


def refuse_name(name: str) -> None:
    """Raise a BadValue where nothing may be called *name*, which formulas have for their own."""
    if name in CONSTANTS or iskeyword(name):
        words = f"as are {', '.join(CONSTANTS)} and Python's own (if, is, in, or, lambda, …)"
        raise BadValue(name, f"is a word of formulas, {words}: choose another name").about(name)


@remembered
def extended(kind: type[Problem], own: Own) -> type[Problem]:
    """The type *kind* with what a question adds to it; a BadFile about the given or the step whose
    formula is wrong, with a place within it."""
    if own == Own():
        return kind
    made = _Extension(kind, own)
    candidates = {n: [kind.givens[n].read(x).value for x in texts] for n, texts in own.candidates}
    extra: dict[str, Any] = {
        "stated_so": dict(own.formulas), "own_steps": own.steps,
        "taken": [n for n, _, is_member in own.results if n in kind.givens and not is_member],
        "limits": {**kind.givens, **made.counts}, "answer": kind.answer,
        "own_given": {*kind.own_given, *own.given}, "counts": tuple(made.counts),
        "candidates": {**kind.candidates, **candidates},
    }  # fmt: skip
    if issubclass(kind, ModelledProblem):
        extra["over"] = extended(kind.over, own)
    if not kind.answer and own.steps:  # a formula, beside which sides of relations may be steps
        extra["answer"] = max(reversed(own.steps), key=lambda one: not is_side(one[0]))[0]
    return declared_as(made.sheet, kind, kind.symbolic, **extra)


def _letters(own: Own, taken: Collection[str]) -> dict[str, str]:
    """By name the letters of earlier results: plain ones where nothing else is called so."""
    results = {one.name: one for _, one, _ in own.results}
    plain = Counter(one.plain for one in results.values())
    plain.update(["", *taken, *(name for name, *_ in own.steps), *(one[0] for one in own.numbers)])
    return {x.name: x.letter if plain[x.plain] > 1 else x.plain for x in results.values()}


class _Extension:
    """The sheet of *kind* with the steps that a question adds."""

    def __init__(self, kind: type[Problem], own: Own) -> None:
        self.kind, old, self.asked = kind, kind.sheet, dict(own.units)
        self.known: dict[str, Given | Derived] = {**old.quantities}
        shown = kind.over if issubclass(kind, ModelledProblem) else kind  # which speaks of more
        self.letters = {q.letter for q in (*old.quantities.values(), *shown.quantities.values())}
        letters = _letters(own, self.letters)
        for name, one, is_member in own.results:
            given = self.known.get(name) or Given(one.name, letters[one.name], one.title, one.unit)
            assert isinstance(given, Given)
            self.known[name] = alias(given, one, is_member)
            self.letters.add(given.letter)
        self.results = [one for one in self.known.values() if isinstance(one, FromPart)]
        for name, unit, below, whole in own.numbers:
            sign, plain = self.letter(name), name.replace("_", " ")
            title = plain if sign == name else f"the question's {plain}"
            least = None if below else 0
            made = Given(name, sign, title, unit, least=least, whole=whole, bare=not unit.name)
            self.known[name] = replace(made, group=plain)
        self.choices = {**kind.choices}
        for name, words in own.words:
            title = name.replace("_", " ")
            options = {word: f"{title} = {spelt}" for word, spelt in words}
            self.choices[name] = Choice(name, title, options, spelt=dict(words))
        self.counts = dict[str, Given]()
        self.cases = {one.cases for _, one, _ in own.results if one.cases}
        added = {name: (words, "") for name, words in own.formulas}
        added |= {name: (words, says) for name, words, says in own.steps}
        rules = {name: [self.rule(name, *added[name])] for name in _sorted(added)}
        stated = {name: rules.pop(name) for name, _ in own.formulas}
        for name, unit in (one for one in own.units if not isinstance(one[1], BoundUnit)):
            name = quantity_named(self.known, kind, name) if name not in self.known else name
            if self.known[name].unit.dimension != unit.dimension:
                measures = f"measures {self.known[name].unit.dimension}, not {unit.dimension}"
                raise BadValue(name, measures).about("quantity")
            self.known[name] = replace(self.known[name], unit=unit)
        steps = {**stated, **old.steps, **rules}
        self.sheet = replace(old, quantities=self.known, choices=self.choices, steps=steps)
        said = {x for x in self.known if not is_side(x)} | self.cases | self.choices.keys()
        for step, x in ((n, x) for n, _, says in own.steps for x in told_in(says) if x not in said):
            raise UnknownName("name", x, said, why=" in {braces}").about(step)

    def rule(self, name: str, words: str, says: str = "") -> Statement:
        """The rule of the step, or the given, called *name*."""
        try:
            what, shown = stated_formulas.asked_in(words)
            formula = formula_of(what)
            # own names stand for what the question calls so, whatever the sheet does, and those of
            # results that have several cases for a list
            lets = self.kind.sheet.lets.keys() & self.known.keys()
            every = self.cases & {*stated_formulas.dotted(formula.words)}
            cases = {one: [x.name for x in self.results if x.cases == one] for one in every}
            formula.meant = {one: [one] for one in lets} | cases
            stated_formulas.refuse_alike(formula.text, {*self.known, *self.choices})
            unit = self.unit(name, formula, shown)
            its = self.asked.get(name, unit)
            unit = its if its.dimension == unit.dimension else unit
        except DdcalcError as error:
            error.formula, error.kind = words, BadNumber.kind  # type: ignore[misc]
            raise error.about(name) from None
        self.known[name] = made = self.quantity(name, unit, says)
        if name in self.kind.own_given and unit == COUNT:  # as if it were stated by a number
            self.counts[name] = Given(name, made.letter, made.title, unit, least=0)
        return Statement(formula.text, "formula", {"formula": formula})

    def quantity(self, name: str, unit: Unit, says: str) -> Derived:
        """What the step called *name* derives: a given that is stated so, or something new."""
        if given := self.kind.givens.get(name):
            says = stated_formulas.AS_STATED
            return Derived(name, given.letter, given.bare_title, given.unit, says)
        if name in self.known or name in self.choices:
            raise BadFile(f"{name} is a quantity of {self.kind.slug} already").about(name)
        refuse_name(name)
        if is_side(name):
            made = StatedBound if name.startswith(stated_formulas.BOUND) else Derived
            said = self.in_letters(says)
            its = [x for x in self.results if says in (x.result, x.cases)]
            alone = [x.title for x in self.results if letter(x.letter) == said]
            title = its[0].title.rpartition(" in (")[0] if its else alone[0] if alone else said
            return made(name, self.letter(name), title, unit, "", made=said)
        title, why, _ = (typeset(NAMED.sub(r"\1", x)) for x in stated_formulas.said_in(says))
        return Derived(name, self.letter(name), capital(title), unit, why)

    def in_letters(self, words: str) -> str:
        """The formula *words* with letters, as they are printed, for names: T_a/2."""
        signs = {name: letter(one.letter) for name, one in self.known.items()}
        for name in self.cases:
            every = [letter(one.letter) for one in self.results if one.cases == name]
            signs |= {f"{name}[{i}]": one for i, one in enumerate(every, 1)}
            signs[name] = ", ".join(every)
        return typeset(stated_formulas.renamed(words, signs, _RESULT)).replace(" - ", " − ")

    def letter(self, name: str) -> str:
        """A new letter for what is called *name*."""
        new = next(x for i in count() if (x := name + "_q" * i) not in self.letters)
        self.letters.add(new)
        return new

    def unit(self, name: str, formula: Formula, shown: Unit | None = None) -> Unit:
        """The unit of what *formula* comes to: that of the given called *name*, that in which it is
        to be *shown*, or that of a quantity like it (USD/h)."""
        known = {*self.known, *self.choices, *self.kind.sheet.lets, *CONSTANTS}
        known.update(*(choice.options for choice in self.choices.values()))
        for used, word, at in formula.names():
            if used == name:
                its = f"; that of an earlier part is a.{name}" * (name in self.kind.own_given)
                raise formula.wrong(f"{name} is made from itself{its}", at)
            if not word and used not in known | {*FUNCTIONS, *LISTS}:
                unit = "; as a unit it stands behind a number and a blank: 3 s, 400 /s"
                reason = f"nothing is called {used}{unit}" if is_suffix(used) else ""
                if re.search(rf"\b{re.escape(used)}\s*\(", formula.words):
                    near = unknown(used, {*FUNCTIONS, *LISTS}).removeprefix("nothing")
                    here = (says for called, says in hints("function") if called.fullmatch(used))
                    near = next((f" is called {used}; did you mean {says}?" for says in here), near)
                    reason = f"no function{near}; {ALL_FUNCTIONS}"
                word = "; a formula makes no word: ask what decides it where that is needed"
                reason = reason or unknown(used, known) + word * (" if " in formula.words)
                raise formula.wrong(reason, at)
        measures = {one.letter: one.unit.dimension for one in self.known.values()}
        names: type[Problem] = type("Names", (self.kind,), {"quantities": self.known})
        usual = Shape(tuple((name, choice.default) for name, choice in self.choices.items()))
        mentioned = [x for x, *_ in formula.names() if x in self.choices]
        shapes = [usual.with_choice(x, one) for x in mentioned for one in self.choices[x].options]
        try:
            found = [self.dimension(formula, names(x), measures) for x in shapes or [usual]]
        except BadEquation as error:
            raise formula.text.wrong(error.reason) from None
        dimension, *others = dict.fromkeys(found)
        if others:
            raise formula.text.wrong(f"is {dimension} or {others[0]}")
        wanted = self.kind.givens[name].unit if name in self.kind.givens else shown
        if wanted is None:
            alone = wrap(formula.evaluate(names(usual)))  # a quantity by another name
            same = (x.unit for x in self.known.values() if Sym(x.letter) == alone)
            return next(same, None) or self.usual_unit(formula, dimension)
        if dimension != wanted.dimension:
            raise formula.text.wrong(f"is {dimension}, not {wanted.dimension}, which {name} is")
        return wanted

    def usual_unit(self, formula: Formula, dimension: Dimension) -> Unit:
        """The unit of what *formula*, of a *dimension*, comes to: hours, or so many an hour, where
        all times in it are stated in hours; of what fits no ladder one that is known."""
        said, base = stated_formulas.units_in(formula.text.words), base_unit(dimension)
        times = [one for one in said if one.dimension == TIME]
        if dimension not in stated_formulas.LADDERED:
            every = (*said, *(one.unit for one in self.known.values()))
            rates = (unit_named(f"/{one.name}") for one in times if dimension == ONE / TIME)
            return next((x for x in every if x.dimension == dimension), next(rates, base))
        used = (self.known[x].unit for x, *_ in formula.names() if x in self.known)
        times += (one for one in used if one.dimension == TIME)
        is_long = dimension == TIME and times and all(map(stated_formulas.is_kept, times))
        return max(times, key=lambda one: one.worth) if is_long else base

    @staticmethod
    def dimension(formula: Formula, names: Problem, measures: Mapping[str, Dimension]) -> Dimension:
        """What *formula* measures in letters, whatever the shape."""
        value = formula.evaluate(names)
        if is_list(value):
            reason = f"is a list of {len(value)}; min, max, sum or [1] make one number of it"
            raise formula.text.wrong(reason)
        if isinstance(value, Rel | bool):
            raise formula.text.wrong("is no number")
        return dimension_of(wrap(value), measures)


def _sorted(added: Mapping[str, tuple[str, str]]) -> list[str]:
    """The names of the formulas *added*, each behind those of which it speaks; a BadFile where they
    go round in a circle."""

    def needs(name: str) -> Iterator[str]:
        formula, _ = stated_formulas.asked_in(added[name][0])
        used = NAME.findall(stated_formulas.without_sizes(formula))
        return (one for one in used if one in added)

    try:
        return [*in_order(added, needs)]
    except Circle as error:
        first, *others = error.names
        formula = formula_of(added[first][0])
        reason = f"goes round in a circle: {first} is made from {', that from '.join(others)}"
        raise formula.text.wrong(reason).about(first) from None
