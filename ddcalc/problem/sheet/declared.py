"""A sheet as a problem type: what it is asked, answered from its text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, groupby
from typing import Any, ClassVar, TypeVar

from ddcalc.errors import BadFile, raise_all
from ddcalc.formula.algebra import NEVER, NOTHING, Boundary, Eq, Least, cases
from ddcalc.formula.coherence import dimension_of
from ddcalc.formula.expression import Expr, Num, Number, Rel, Sym, letters, wrap
from ddcalc.memory import remembered
from ddcalc.numbers.units import SECOND
from ddcalc.problem.pipelines import PipelinePicture, Station
from ddcalc.problem.problem import Alternatives, Condition, Equations, Problem, Ranking, Shape
from ddcalc.problem.quantity import Declared
from ddcalc.problem.sentences import (
    After,
    Argument,
    Crosscheck,
    Equated,
    First,
    Premise,
    Rewritten,
    Sentence,
    Stationary,
    Summed,
)
from ddcalc.problem.sheet.formulas import DEEP, Formula, InRows, relations_of
from ddcalc.problem.sheet.phrases import NO_NAMES, Filled, Phrase, tidy
from ddcalc.problem.sheet.reading import Sheet, Statement
from ddcalc.problem.sheet.text import Text
from ddcalc.problem.steps import Step

When = tuple[Rel, ...]
Kind = TypeVar("Kind", bound="SheetProblem")


class SheetProblem(Problem):
    """A problem type that a *sheet* declares."""

    sheet: ClassVar[Sheet]
    answers: ClassVar[dict[Shape, str]]

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape)
        self._known: dict[Any, Any] = {}
        self._counts = dict(shape.counts)
        self._parameters: list[Mapping[str, Any]] = [{}]

    # What names mean

    def value(self, name: str) -> Any:
        """What *name* stands for: a parameter, a name that is given, a quantity, an option."""
        if name in self._parameters[-1]:
            return self._parameters[-1][name]
        if name in self.sheet.lets:
            if name not in self._known:
                self._known[name] = self._with({}, self.sheet.lets[name])
            return self._known[name]
        if name in self._counts:
            return self._counts[name]
        if name in self.quantities:
            return self.symbols[self.quantities[name].attribute]
        return self.chosen(name)

    def call(self, name: str, args: list[Any]) -> Any:
        """What the formula that is called *name* comes to, of *args*."""
        let = self.sheet.lets.get(name)
        if let is None or len(let.parameters) != len(args):
            raise ValueError(f"{name} does not take {len(args)} of these")
        if not all(isinstance(arg, str | int) for arg in args):
            return self._with(dict(zip(let.parameters, args, strict=True)), let)
        if (name, *args) not in self._known:
            called = self._with(dict(zip(let.parameters, args, strict=True)), let)
            self._known[name, *args] = called
        return self._known[name, *args]

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
        return self.symbols[self.choices[name].attribute] if name in self.choices else None

    def shaped(self, name: str, how: str) -> bool:
        """Whether the quantity is stated, is a list (many, one), or has a word for its value."""
        symbol = self.value(name)
        if how == "stated":
            return self.states(name)
        if how in ("many", "one"):
            return isinstance(symbol, tuple | list) == (how == "many")
        return bool(symbol == how)

    def words(self, text: Text) -> str:
        """A text within a formula, which may have clauses."""
        return self._words(_phrase(text))

    def text(self, name: str, *args: Any) -> str:
        """The text that is called *name*, of *args*."""
        return str(self.call(name, [*args]))

    # What lines say

    def _formula(self, line: Statement, names: Mapping[str, Any] = NO_NAMES) -> Any:
        assert line.formula is not None
        return self._with(names, line.formula)

    def _guarded(self, guards: Sequence[Formula]) -> When | None:
        """The relations that *guards* leave open; None where one does not hold in this shape."""
        relations: list[Rel] = []
        for guard in guards:
            if (held := relations_of(guard.evaluate(self))) is None:
                return None
            relations += held
        return tuple(relations)

    def lines(self, section: str) -> Iterator[tuple[Statement, When]]:
        for line in self.sheet.said.get(section, ()):
            if (when := self._guarded(line.guards)) is not None:
                yield line, when

    def holds(self, test: Formula, names: Mapping[str, Any]) -> When | None:
        """The relations on which *test* holds, with those *names* for members of lists."""
        return relations_of(self._with({**self._parameters[-1], **names}, test))

    def members(self, xs: Formula, names: Mapping[str, Any]) -> Sequence[Any]:
        """The members of a list; one value alone is a list of one."""
        listed = self._with({**self._parameters[-1], **names}, xs)
        return listed if isinstance(listed, list | tuple) else [listed]

    def named(self, name: Formula) -> Phrase:
        """The text that is called *name*."""
        let = self.sheet.lets[name.text.words]
        return _phrase(let.text.cut(1, len(let.text.words) - 1))

    def _words(self, words: Phrase | None) -> str:
        """*words* where nothing in them but values of quantities depends on numbers."""
        parts = words.said(self)[0][1] if words else ()
        return tidy("".join(map(self._plain, parts)))

    def _plain(self, part: str | Filled) -> str:
        if isinstance(part, str):
            return part
        slot, names = part
        if (quantity := self.quantities.get(slot.formula.text.words)) is not None:
            return f"{{{quantity.attribute}{slot.how}}}"
        return str(self._with({**self._parameters[-1], **names}, slot.formula))

    def _sentences_of(self, words: Phrase, when: When) -> list[Sentence]:
        """The ways to say *words*, the fullest first."""
        return [
            Sentence(text, (*when, *also) or None, **slots)
            for also, parts in words.said(self)
            for text, slots in [self._filled(parts)]
        ]

    def _filled(self, parts: Sequence[str | Filled]) -> tuple[str, dict[str, Any]]:
        text, slots = "", dict[str, Any]()
        for part in parts:
            if isinstance(part, str):
                text += part
                continue
            slot, names = part
            name = slot.formula.text.words
            its_own: Declared | None = self.quantities.get(name)
            if its_own is None and name not in self.sheet.lets:
                its_own = self.choices.get(name)
            if its_own is not None and name not in names:
                name = its_own.attribute
            else:
                value = self._with(names, slot.formula)
                if isinstance(value, str):
                    text += value
                    continue
                name = f"slot_{len(slots)}" if name in names or not name.isidentifier() else name
                slots[name] = value if isinstance(value, After) else wrap(value)
            text += f"{{{name}{slot.how}}}"
        return tidy(text), slots

    def _said(self, section: str) -> Iterator[First | Sentence]:
        """The sentences of a section; those joined by ``else`` as alternatives."""
        waiting: list[Sentence] = []
        for line in (*self.sheet.said.get(section, ()), None):
            if (line is None or not line.other) and waiting:
                yield First(*waiting) if len(waiting) > 1 else waiting[0]
                waiting = []
            when = None if line is None else self._guarded(line.guards)
            if line is not None and line.words is not None and when is not None:
                waiting += self._sentences_of(line.words, when)

    # What every problem type answers

    @classmethod
    def answer_in(cls, shape: Shape) -> str:
        if cls.sheet.answer is None:
            return cls.answer
        if shape not in cls.answers:
            tree = cls.sheet.answer.tree
            problem = cls(shape)
            while isinstance(tree, ast.IfExp):
                test = Formula(cls.sheet.answer.text)
                test.__dict__["tree"] = tree.test
                if when := relations_of(test.evaluate(problem)):
                    raise test.wrong("depends on numbers, but not what is asked", tree.test)
                tree = tree.orelse if when is None else tree.body
            cls.answers[shape] = tree.id if isinstance(tree, ast.Name) else cls.answer
        return cls.answers[shape]

    @classmethod
    def neighbours(cls, shape: Shape) -> Iterator[tuple[str, str, Shape]]:
        problem = cls(shape)
        matters = {  # what depends on numbers may matter
            name: relations_of(test.evaluate(problem)) is not None
            for name, test in cls.sheet.matters.items()
        }
        for name, option, other in super().neighbours(shape):
            if matters.get(name, True) and matters.get(f"{name} {option}", True):
                yield name, option, other

    def idle(self) -> list[str]:
        """The choices that do not matter here, in whatever reading they are."""
        matters = self.sheet.matters.items()
        tests = [
            (n, test) for n, test in matters if n in self.choices and test.text.words != "never"
        ]
        return [name for name, test in tests if relations_of(test.evaluate(self)) is None]

    def needs(self) -> Iterator[tuple[str, ...]]:
        for line, _ in self.lines("need"):
            assert line.formula is not None
            yield tuple(name for name, _ in line.formula.names())

    def conditions(self) -> Iterator[Condition]:
        for line, _ in self.lines("refuse"):
            relations = relations_of(self._formula(line)) if line.formula else None
            for relation in (NEVER,) if relations is None else relations:
                yield Condition(relation, line.name, self._words(line.words))

    def equations(self) -> Equations:
        made: set[str] = set()
        for name in self.sheet.steps:
            yield from self._step(name, made)

    def _step(self, name: str, made: set[str]) -> Equations:
        """The step called *name*, behind those that it needs, unless it is *made* already."""
        if name in made or (ruled := self._ruled(self.sheet.steps[name])) is None:
            return
        made.add(name)
        value, why = ruled
        for part in value if isinstance(value, list) else [value]:
            for letter in letters(part) if isinstance(part, Expr) else ():
                if (other := self.origin[letter][0].name) in self.sheet.steps:
                    yield from self._step(other, made)
        symbol = self.symbols[self.quantities[name].attribute]
        yield (symbol, value, why) if why else (symbol, value)

    def _ruled(self, rules: list[Statement]) -> tuple[Any, str] | None:
        """The value that *rules* give in this shape, and why; None where none does."""
        given: list[tuple[Any, Rel, str]] = []
        for rule in rules:
            when = self._guarded(rule.guards)
            if when is None:
                continue
            value, why = self._formula(rule), self._words(rule.words)
            if isinstance(value, list | tuple):
                value = [wrap(x) for x in (chain(*value) if isinstance(value, InRows) else value)]
            elif not isinstance(value, Eq | Boundary | Least | Rel):
                value = wrap(value)
            if not when:
                return (cases(*given, otherwise=value, why=why), "") if given else (value, why)
            if len(when) > 1:
                raise rule.text.wrong("is a rule on several comparisons of numbers; use one")
            given.append((value, when[0], why))
        if given:
            raise rules[-1].text.wrong("is the last rule, so it has no condition: else: …")
        return None

    def heading(self) -> str:
        first = next((line for line, _ in self.lines("heading")), None)
        return self._words(first.words) if first else super().heading()

    def mechanism(self) -> str:
        first = next((line for line, _ in self.lines("mechanism")), None)
        return self._words(first.words) if first else super().mechanism()

    def conclusion(self) -> Iterator[First | Sentence]:
        return self._said("conclude")

    def insights(self) -> Iterator[First | Sentence]:
        return self._said("means")

    def crosschecks(self) -> Iterator[Crosscheck]:
        for line, when in self.lines("check"):
            for relation in relations_of(self._formula(line)) or ():
                for one in self._sentences_of(line.words, when) if line.words else ():
                    yield Crosscheck(one.text, relation, one.when, **one.slots)

    def premises(self) -> Iterator[Premise]:
        for line, _ in self.lines("assume"):
            yield Premise(self._words(line.words), line.behind)

    def arguments(self) -> Iterator[Argument]:
        for how, lines in groupby(self.lines("derive"), lambda one: (one[0].name, one[0].behind)):
            if how[1] == "=":
                yield self._rewritten(list(lines))
            else:
                yield from (self._argument(line, when) for line, when in lines)

    def _rewritten(self, lines: Sequence[tuple[Statement, When]]) -> Argument:
        """The quantity, worth what each of the *lines* says."""
        line, when = lines[0]
        worth = [self._formula(one) for one, _ in lines]
        reasons = [self._reason(one) for one, _ in lines]
        equal = tuple((wrap(x), why) for x, (why, _) in zip(worth, reasons, strict=True))
        return Rewritten(self.value(line.name), equal, reasons[-1][1], _values(when))

    def _argument(self, line: Statement, when: When) -> Argument:
        """Why the quantity of *line* is what it is."""
        of, (says, law) = self.value(line.name), self._reason(line)
        if line.more:
            index = Sym(line.behind)
            first, last = (wrap(self._formula(end)) for end in line.more)
            return Summed(
                of, self._formula(line, {line.behind: index}), index, first, last, says, law
            )
        if line.behind == "least":
            return Stationary(of, self._formula(line), of, says, law)
        return Equated(of, self._formula(line), says, law, _values(when))

    def _reason(self, line: Statement) -> tuple[str, str]:
        says, _, law = self._words(line.words).partition("; ")
        return says, law

    def tables(self) -> Iterator[Alternatives]:
        for line, _ in self.lines("table"):
            rows = [row for row in line.more if self._guarded(row.guards) == ()]
            texts = {row.name: row.text.words for row in rows if not row.formula}
            values = {row.name: self._formula(row) for row in rows if row.formula}
            yield Alternatives(
                self._words(line.words),
                line.name,
                {name[7:]: head for name, head in texts.items() if name.startswith("column ")},
                wrap(values["worked"]) if "worked" in values else None,
                {n[5:]: relations_of(x) or () for n, x in values.items() if n.startswith("mark ")},
                tuple(re.split(r",\s*", texts["hides"])) if "hides" in texts else (),
                values.get("first", 1),
                texts.get("why", ""),
                wrap(values["rows"]) if "rows" in values else None,
                texts.get("behind", ""),
                self.sheet.results,
                "aside" in texts,
                tuple(re.split(r",\s*", texts["names"])) if "names" in texts else (),
            )

    def rankings(self) -> Iterator[Ranking]:
        for line, _ in self.lines("ranking"):
            place = next(row.text.words for row in line.more if row.name == "at")
            times = {row.name: self._formula(row) for row in line.more if row.formula}
            times = {name: time for name, time in times.items() if time != NOTHING}
            yield Ranking(self._words(line.words), self.value(line.name), place, times)

    def pipelines(self) -> Iterator[PipelinePicture]:
        """What the pictures show; BadFile where a lane has no times."""
        for line, _ in self.lines("picture"):
            times = {row.name: self._times(row) for row in line.more if row.name != "number"}
            number = next(wrap(self._formula(row)) for row in line.more if row.name == "number")
            before = times.pop("before", (Num(0),))[0]
            lanes = [Station(name[5:], pair[0], pair[-1]) for name, pair in times.items()]
            why = self._words(line.words)
            yield PipelinePicture(line.behind, why, line.name, number, before, tuple(lanes))

    def _times(self, row: Statement) -> tuple[Expr, ...]:
        """The times of a lane."""
        value = self._formula(row)
        times = tuple(map(wrap, value if isinstance(value, list) else (value,)))
        measures = {letter: one.unit.dimension for letter, (one, _) in self.origin.items()}
        if not all(dimension_of(time, measures) == SECOND.dimension for time in times):
            raise row.text.wrong("is no time")
        return times

    def pictures(self, values: Mapping[str, Number]) -> Iterator[Step]:
        known = {
            letter: values[quantity.name]
            for letter, (quantity, index) in self.origin.items()
            if index is None and quantity.name in values
        }
        drawn = (pipeline.drawn(known) for pipeline in self.pipelines())
        return (picture for picture in drawn if picture is not None)


@remembered
def _phrase(text: Text) -> Phrase:
    return Phrase(text)


def _values(when: When) -> dict[str, int]:
    """The numbers that letters are worth on a condition."""
    sides = map(Rel.parts, when)
    return {x.name: int(y.value) for x, y in sides if isinstance(x, Sym) and isinstance(y, Num)}


def declared(sheet: Sheet) -> type[SheetProblem]:
    """The problem type that the *sheet* declares; raises all that is wrong with it."""
    return declared_as(sheet, SheetProblem)


def declared_as(sheet: Sheet, kind: type[Kind], **more: Any) -> type[Kind]:
    """The problem type of that *kind* that the *sheet* declares, with *more* attributes."""
    raise_all(sheet.wrong)
    last = next(reversed(sheet.steps or dict.fromkeys(sheet.results)), "")
    if sheet.answer:
        tree = sheet.answer.tree
        while isinstance(tree, ast.IfExp):
            tree = tree.body
        last = tree.id if isinstance(tree, ast.Name) else last
    if last not in sheet.quantities:
        raise BadFile(f"{sheet.slug} has no step that answers its question")
    heads = {name: text.words for name, text in sheet.heads.items()}
    taken, members = {*dir(kind), *_annotated(kind)}, dict[str, Any]()
    for name, declaration in (*sheet.quantities.items(), *sheet.choices.items()):
        members[f"{name}_" if name in {*taken, *members} else name] = declaration
    made: type[Kind] = type(
        "".join(part.capitalize() for part in sheet.slug.split("-")),
        (kind,),
        {
            **more,
            "__doc__": sheet.about,
            "__module__": __name__,
            "sheet": sheet,
            "answers": {},
            "answer": last,
            "keywords": heads.get("keywords", ""),
            "source": heads.get("source", ""),
            "group": heads.get("group", ""),
            "sequential": "breakdown" not in heads,
            "terms": tuple(re.split(r",\s*", heads["terms"])) if "terms" in heads else (),
            "table": tuple(re.split(r",\s*", heads["data"])) if "data" in heads else (),
            **members,
        },
    )
    made.slug = made.reference = sheet.slug
    return made


def _annotated(kind: type) -> set[str]:
    return {name for base in kind.__mro__ for name in vars(base).get("__annotations__", ())}
