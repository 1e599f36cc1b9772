"""What the names and lines of a sheet mean in a question of one shape."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, groupby
from typing import Any, ClassVar, TypeAlias

from ddcalc.errors import BadEquation, DdcalcError
from ddcalc.formula.algebra import NEVER, Boundary, Least, cases, needed_by
from ddcalc.formula.expression import Expr, Num, Rel, Sym, wrap
from ddcalc.memory import remembered
from ddcalc.problem.order import Circle, in_order
from ddcalc.problem.quantity import Choice, Given, Quantity
from ddcalc.problem.said import sentences
from ddcalc.problem.said.sentences import Alternatives, Argument, Blank, Condition, Premise, Said
from ddcalc.problem.sheet.formulas import DEEP, Formula
from ddcalc.problem.sheet.functions import InRows, NoValue, is_list, relations_of
from ddcalc.problem.sheet.phrases import Insertion, Phrase, tidy
from ddcalc.problem.sheet.reading import Sheet, Statement
from ddcalc.problem.sheet.text import Text

SHAPED = ("stated", "many", "one")  # what a quantity can be, beside its words
When = tuple[Rel, ...]
Equations: TypeAlias = Iterator[tuple[str, Any, str]]


class Meaning:
    """A *sheet* in which names of quantities stand for *symbols* (a letter, a tuple of them, or a
    word), those of choices for the options of a *reading*.

    *stated* are the optional givens that the question states, *counts* whole numbers of a model
    that formulas are written out for.
    """

    sheet: ClassVar[Sheet]
    quantities: ClassVar[Mapping[str, Quantity]]
    givens: ClassVar[Mapping[str, Given]]
    choices: ClassVar[Mapping[str, Choice]]
    origin: Mapping[str, tuple[Quantity, int | None]]

    def __init__(
        self,
        symbols: Mapping[str, Any],
        reading: Mapping[str, str],
        stated: Sequence[str],
        counts: Mapping[str, tuple[int, ...]],
    ) -> None:
        self.symbols, self.reading, self._counts = symbols, reading, counts
        self._stated = {*stated}
        self._known: dict[Any, Any] = {}  # what names stand for, and calls
        self._parameters: list[Mapping[str, Any]] = [{}]

    # What names mean

    def at(self, formula: Formula) -> Any:
        """What *formula* comes to."""
        return self._with(self._parameters[-1], formula)

    def value(self, name: str) -> Any:
        """What *name* stands for: a parameter, a name that is given, a quantity, an option."""
        if name in self._parameters[-1]:
            return self._parameters[-1][name]
        if name in self.sheet.lets:
            return self.call(name, [])
        if name in self._counts:
            return self._counts[name]
        return self.symbols[name] if name in self.quantities else self.chosen(name)

    def call(self, name: str, args: list[Any]) -> Any:
        """What the formula that is called *name* comes to, of *args*."""
        let, key = self.sheet.lets.get(name), (name, *args)
        if let is None or len(let.parameters) != len(args):
            raise NoValue(f"{name} does not take {len(args)} of these")
        parameters = dict(zip(let.parameters, args, strict=True))
        if not all(isinstance(arg, str | int) for arg in args):
            return self._with(parameters, let)
        if key not in self._known:
            self._known[key] = self._with(parameters, let)
        return self._known[key]

    def _with(self, parameters: Mapping[str, Any], formula: Formula) -> Any:
        if len(self._parameters) > DEEP:
            raise formula.wrong("goes round in a circle, or too deep")
        self._parameters.append(parameters)
        try:
            return formula.evaluate(self)
        finally:
            self._parameters.pop()

    def chosen(self, name: str) -> str | None:
        """The option of the choice called *name*, or that a parameter stands for; else None."""
        if isinstance(option := self._parameters[-1].get(name), str):
            return option
        return self.reading.get(name)

    def changes(self, name: str) -> bool:
        """Whether it is a given, or a choice."""
        return name in self.givens or name in self.choices

    def shaped(self, name: str, how: str) -> bool:
        """Whether the quantity is stated, is a list (many, one), or has a word for its value; or
        whether the choice is that option."""
        if how == "stated":
            return name in self._stated
        chosen = self.chosen(name)
        if how in SHAPED and chosen is None:
            return is_list(self.value(name)) == (how == "many")
        return bool((self.value(name) if chosen is None else chosen) == how)

    def words(self, text: Text) -> str:
        """A text within a formula, which may have clauses."""
        return self.plain(_phrase(text))

    def text(self, name: str, *args: Any) -> str:
        """The text that is called *name*, of *args*."""
        return str(self.call(name, [*args]))

    def named(self, name: str) -> Phrase:
        """The text that is called *name*."""
        return _phrase(self.sheet.lets[name].quoted)

    # What lines say

    def met(self, guards: Sequence[Formula]) -> When | None:
        """The relations that *guards* leave open; None where one does not hold in this shape."""
        relations: list[Rel] = []
        for guard in guards:
            held = self.at(guard)
            if not isinstance(held, bool | Rel | tuple):
                raise guard.wrong("is no condition: it compares nothing")
            if (left := relations_of(held)) is None:
                return None
            relations += left
        return tuple(relations)

    def lines(self, section: str) -> Iterator[tuple[Statement, When]]:
        """The lines of a section that hold in this shape, and on which relations."""
        for line in self.sheet.said.get(section, ()):
            if (when := self.met(line.guards)) is not None:
                yield line, when

    def related(self, line: Statement) -> When | None:
        """The relations that a *line* states; none where it states nothing."""
        return self.met([line.formula] if line.formula else [])

    def plain(self, words: Phrase | None) -> str:
        """*words* in which only values of quantities, ``{name}``, depend on numbers."""
        when, parts = words.said(self)[0] if words else ((), ())
        if words and when:
            raise words.text.wrong("depends on numbers, which nothing said here can")
        return "".join(tidy(map(self._template, parts)))

    def _template(self, part: str | Insertion) -> str:
        if isinstance(part, str):
            return part
        if part.name in self.quantities and part.name not in self.sheet.lets:
            return f"{{{part.name}{part.how}}}"
        value = self.at(part.formula)
        return sentences.series([*map(str, value)]) if is_list(value) else str(value)

    def alternatives(self, words: Phrase, when: When, relation: Rel | None = None) -> Said:
        """The ways to say *words*, the fullest first."""
        said = ((also, tidy(map(self._blank, parts))) for also, parts in words.said(self))
        return tuple(sentences.Sentence(one, (*when, *also), relation) for also, one in said)

    def _blank(self, part: str | Insertion) -> str | Blank:
        """A part of a sentence: words, or what it has a number of."""
        if isinstance(part, str):
            return part
        name = "" if part.name in self.sheet.lets else part.name
        value = self.symbols[name] if name in self.symbols else self.at(part.formula)
        if name in self.choices and name not in {*self.symbols, *self.sheet.lets}:
            return self.choices[name].options[value]
        if isinstance(value, str):
            return value
        if name in self.symbols or isinstance(value, sentences.After):
            return Blank(value, part.how)
        if is_list(value):
            return Blank(tuple(_number(one, part.formula.text) for one in value), part.how)
        return Blank(_number(value, part.formula.text), part.how)

    def _said(self, section: str) -> Iterator[Said]:
        """The sentences of a section; those joined by ``else`` are alternatives."""
        waiting: Said = ()
        for line in (*self.sheet.said.get(section, ()), None):
            if (line is None or not line.other) and waiting:
                yield waiting
                waiting = ()
            if line is not None and (when := self.met(line.guards)) is not None:
                waiting += self.alternatives(line["sentence"], when)

    # What a type is asked

    def idle_options(self) -> set[str]:
        """The choices, and their options (``choice option``), that do not matter here."""
        return {what for what, test in self.sheet.matters.items() if self.at(test) is False}

    def idle(self) -> list[str]:
        """The choices that do not matter here, but would elsewhere."""
        matters = self.sheet.matters
        idle = self.idle_options() & self.choices.keys()
        return [name for name in matters if name in idle and matters[name].text.words != "never"]

    def needs(self) -> Iterator[tuple[str, ...]]:
        """Groups of optional givens of which this shape must state at least one."""
        for line, _ in self.lines("need"):
            yield tuple(name for name, *_ in line["formula"].names())

    def conditions(self) -> Iterator[Condition]:
        """What the numbers must satisfy beyond the limits of each given.

        All are tested together, so none may divide by what another one keeps from being 0.
        """
        for line, _ in self.lines("refuse"):
            given = self.givens.get(line["given"])
            if given is not None and given.optional and given.name not in self._stated:
                continue  # what is not stated needs no refusal
            relations = self.related(line) if line.formula else None
            for relation in (NEVER,) if relations is None else relations:
                yield Condition(relation, line["given"], self.plain(line.words))

    def follows(self) -> set[str]:
        """The steps that have a rule in this shape."""
        steps = self.sheet.steps.items()
        return {name for name, rules in steps if any(self.met(x.guards) is not None for x in rules)}

    def steps(self) -> Collection[str]:
        """The names of all steps, with a rule in this shape or without."""
        return self.sheet.steps

    def equations(self, wanted: Collection[str] = ()) -> Equations:
        """Each step with its rule, a formula, an equation to solve or a condition, and why it is
        that, if it depends on the shape; a list for a list. Of those *wanted*, and what they rest
        on, if there are any; else not of those that used sheets use, on which nothing stands."""
        steps, ruled = self.steps(), dict[str, tuple[Any, str] | None]()
        own = wanted or [x for x in steps if x.count(".") < 2 or not self.sheet.uses]

        def needs(name: str) -> Iterator[str]:
            ruled[name] = rule = self._ruled(name)
            return (other for other in self.stands_on(rule[0] if rule else []) if other in steps)

        try:
            for name in in_order(filter(own.__contains__, steps), needs):
                if (rule := ruled[name]) is not None:
                    yield name, *rule
        except Circle as error:
            texts = {x: self.sheet.steps[x][0].text for x in error.names if x in self.sheet.steps}
            circle = f"goes round in a circle: {' needs '.join(error.names)}"
            if not texts:
                raise BadEquation(self.sheet.slug, circle) from None
            name = next((one for one in texts if not texts[one].file), next(iter(texts)))
            wrong = texts[name].wrong(circle)
            if not texts[name].file:  # a question's formula
                wrong.about(name)
            raise wrong from None

    def stands_on(self, rule: Any) -> Iterator[str]:
        """The names of the quantities on which a *rule*, or a list of them, rests."""
        for part in rule if isinstance(rule, list) else [rule]:
            yield from (self.origin[letter][0].name for letter in needed_by(part))

    def _ruled(self, name: str) -> tuple[Any, str] | None:
        """The value that the rules of *name* give in this shape, and why; None where none does."""
        given: list[tuple[Any, Rel, str]] = []
        for rule in self.sheet.steps[name]:
            if (when := self.met(rule.guards)) is None:
                continue
            value, why = self._value(rule, name), self.plain(rule.words)
            if not when:
                return (cases(*given, otherwise=value, why=why), "") if given else (value, why)
            if len(when) > 1:
                raise rule.text.wrong("is a rule on several comparisons of numbers; use one")
            given.append((value, when[0], why))
        if given:
            last = self.sheet.steps[name][-1]
            raise last.text.wrong("is the last rule, so it has no condition: else: …")
        return None

    def _value(self, rule: Statement, name: str) -> Any:
        """What a *rule* of the step called *name* comes to, as it is defined."""
        value = self.at(rule["formula"])
        if is_list(value):
            symbol = self.symbols[name]
            value = [wrap(x) for x in (chain(*value) if isinstance(value, InRows) else value)]
            if not is_list(symbol) or len(symbol) != len(value):
                raise rule.text.wrong(f"has {len(value)} values; which list is it one of: each …")
        elif not isinstance(value, Boundary | Least | Rel):
            return _number(value, rule.text)
        return value

    def first(self, section: str) -> str:
        """The first sentence of a section that holds."""
        return next((self.plain(line.words) for line, _ in self.lines(section)), "")

    def conclusion(self) -> Iterator[Said]:
        """The answer in words: everything that the question asks, in one or two sentences."""
        return self._said("conclude")

    def insights(self) -> Iterator[Said]:
        """What the answer means: sentences that are true and not obvious, at most three."""
        return self._said("means")

    def crosschecks(self) -> Iterator[Said]:
        """Independent second ways to what the answer rests on."""
        for line, when in self.lines("check"):
            for relation in self.related(line) or ():
                yield self.alternatives(line["which way it is"], when, relation)

    def premises(self) -> Iterator[Premise]:
        """What the model takes for granted in this shape, beside the choices."""
        for line, _ in self.lines("assume"):
            yield Premise(self.plain(line.words), line.places.get("what lifts it", ""))

    def arguments(self) -> Iterator[Argument]:
        """Why quantities are what they are; several lines ``name = formula`` are one argument."""
        for form, lines in groupby(self.lines("derive"), lambda one: (one[0].form, one[0]["name"])):
            same = [*lines]
            every = [same] if form[0] == "=" else [[x] for x in same]
            yield from (self._argument(*x) for x in every)

    def _argument(self, *lines: tuple[Statement, When]) -> Argument:
        line, when = lines[0]
        stated = [(one, self.plain(one["why"]).partition("; ")) for one, _ in lines]
        made = [wrap(self.at(one.formula)) for one, _ in stated if one.formula]
        reasons = [why for _, (why, _, _) in stated]
        law, equal = stated[-1][1][2], tuple(zip(made, reasons, strict=True))
        sides = map(Rel.parts, when) if line.form in ("=", "from") else ()  # x = 6
        values = {x.name: int(y.value) for x, y in sides
                  if isinstance(x, Sym) and isinstance(y, Num)}  # fmt: skip
        return Argument(line.form, self.value(line["name"]), equal, law, values)

    def tables(self) -> Iterator[Alternatives]:
        """The tables that a page shows in this shape."""
        for line, _ in self.lines("table"):
            rows = [row for row in line.more if self.met(row.guards) == ()]
            columns = {row["name"]: row["text"] for row in rows if row.form == "column"}
            marks = {row["word"]: self.related(row) or () for row in rows if row.form == "mark"}
            more: dict[str, Any] = {row.form: row["text"] for row in rows if "text" in row.places}
            more |= {x.form: wrap(self.at(x["formula"])) for x in rows if "formula" in x.places}
            more.pop("column", None)
            title, what = self.plain(line["title"]), line["what a row is"]
            yield Alternatives(title, what, columns, marks, **more)


def _number(value: Any, of: Text) -> Expr:
    """What *of* comes to, as a formula; BadFile where it is none."""
    with suppress(DdcalcError, TypeError):
        return wrap(value)
    raise of.wrong("is no number")


@remembered
def _phrase(text: Text) -> Phrase:
    return Phrase(text)


def listed(text: str) -> tuple[str, ...]:
    """What stands between the commas of *text*."""
    return tuple(re.split(r",\s*", text)) if text else ()
