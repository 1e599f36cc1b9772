"""A sheet as a problem type: what it is asked, answered from its text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from ddcalc.errors import BadFile, raise_all
from ddcalc.formula.algebra import NEVER, Boundary, Eq, Least, cases
from ddcalc.formula.expression import Num, Rel, Sym, wrap
from ddcalc.problem.problem import Alternatives, Condition, Equations, Problem, Ranking, Shape
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
from ddcalc.problem.sheet.formulas import DEEP, Formula, relations_of
from ddcalc.problem.sheet.naming import unknown_names
from ddcalc.problem.sheet.phrases import Filled, Phrase, tidy
from ddcalc.problem.sheet.reading import Sheet, Statement, from_outside, read
from ddcalc.problem.sheet.text import Text

When = tuple[Rel, ...]


class SheetProblem(Problem):
    """A problem type that a *sheet* declares."""

    sheet: ClassVar[Sheet]
    answers: ClassVar[dict[Shape, str]]

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape)
        self._known: dict[str, Any] = {}
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
        if name in self.quantities:
            return self.symbols[self.quantities[name].attribute]
        return self.chosen(name)

    def call(self, name: str, args: list[Any]) -> Any:
        """What the formula that is called *name* comes to, of *args*."""
        let = self.sheet.lets.get(name)
        if let is None or len(let.parameters) != len(args):
            raise ValueError(f"{name} does not take {len(args)} of these")
        return self._with(dict(zip(let.parameters, args, strict=True)), let)

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
        return self._words(Phrase(text))

    # What lines say

    def _guarded(self, guards: Sequence[Formula]) -> When | None:
        """The relations that *guards* leave open; None where one does not hold in this shape."""
        found: list[Rel] = []
        for guard in guards:
            if (held := relations_of(guard.evaluate(self))) is None:
                return None
            found += held
        return tuple(found)

    def lines(self, section: str) -> Iterator[tuple[Statement, When]]:
        for line in self.sheet.said.get(section, ()):
            if (when := self._guarded(line.guards)) is not None:
                yield line, when

    def holds(self, test: Formula, names: Mapping[str, Any]) -> When | None:
        """The relations on which *test* holds, with those *names* for members of lists."""
        return relations_of(self._with({**self._parameters[-1], **names}, test))

    def members(self, xs: Formula, names: Mapping[str, Any]) -> Sequence[Any]:
        """The members of a list; one value alone is a list of one."""
        found = self._with({**self._parameters[-1], **names}, xs)
        return found if isinstance(found, list | tuple) else [found]

    def named(self, name: Formula) -> Phrase:
        """The text that is called *name*."""
        let = self.sheet.lets[name.text.words]
        return Phrase(let.text.cut(1, len(let.text.words) - 1))

    def _words(self, words: Phrase | None) -> str:
        """*words* where nothing in them but values of quantities depends on numbers."""
        parts = words.said(self)[0][1] if words else ()
        return tidy("".join(map(self._plain, parts)))

    def _plain(self, part: str | Filled) -> str:
        if isinstance(part, str):
            return part
        slot, names = part
        if slot.formula.text.words in self.quantities:
            return f"{{{slot.formula.text.words}{slot.how}}}"
        return str(self._with(names, slot.formula))

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
            of_its_own = name in self.quantities or name in {*self.choices} - {*self.sheet.lets}
            if not of_its_own or name in names:
                value = self._with(names, slot.formula)
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
                tree = tree.body if test.evaluate(problem) else tree.orelse
            cls.answers[shape] = tree.id if isinstance(tree, ast.Name) else cls.answer
        return cls.answers[shape]

    @classmethod
    def neighbours(cls, shape: Shape) -> Iterator[tuple[str, str, Shape]]:
        problem = cls(shape)
        matters = {name: test.evaluate(problem) for name, test in cls.sheet.matters.items()}
        for name, option, other in super().neighbours(shape):
            if matters.get(name, True) and matters.get(f"{name} {option}", True):
                yield name, option, other

    def needs(self) -> Iterator[tuple[str, ...]]:
        for line, _ in self.lines("need"):
            assert line.formula is not None
            yield tuple(name for name, _ in line.formula.names())

    def conditions(self) -> Iterator[Condition]:
        for line, _ in self.lines("refuse"):
            relations = relations_of(line.formula.evaluate(self)) if line.formula else None
            for relation in (NEVER,) if relations is None else relations:
                yield Condition(relation, line.name, self._words(line.words))

    def equations(self) -> Equations:
        for name, rules in self.sheet.steps.items():
            if (ruled := self._ruled(rules)) is not None:
                value, why = ruled
                symbol = self.symbols[self.quantities[name].attribute]
                yield (symbol, value, why) if why else (symbol, value)

    def _ruled(self, rules: list[Statement]) -> tuple[Any, str] | None:
        """The value that *rules* give in this shape, and why; None where none does."""
        given: list[tuple[Any, Rel, str]] = []
        for rule in rules:
            assert rule.formula is not None
            when = self._guarded(rule.guards)
            if when is None:
                continue
            value, why = rule.formula.evaluate(self), self._words(rule.words)
            if isinstance(value, list | tuple):
                value = [wrap(member) for member in value]
            elif not isinstance(value, Eq | Boundary | Least | Rel):
                value = wrap(value)
            if not when:
                return (cases(*given, otherwise=value, why=why), "") if given else (value, why)
            if len(when) > 1:
                raise rule.formula.wrong("is a rule on several comparisons of numbers; use one")
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
            assert line.formula is not None
            assert line.words is not None
            relation = line.formula.evaluate(self)
            if isinstance(relation, Rel):
                for one in self._sentences_of(line.words, when):
                    yield Crosscheck(one.text, relation, one.when, **one.slots)

    def premises(self) -> Iterator[Premise]:
        for line, _ in self.lines("assume"):
            yield Premise(self._words(line.words), line.behind)

    def arguments(self) -> Iterator[Argument]:
        waiting: list[tuple[Statement, When]] = []
        for line, when in self.lines("derive"):
            waiting.append((line, when))
        for i, (line, when) in enumerate(waiting):
            if not (line.behind == "=" and i and waiting[i - 1][0].name == line.name):
                follow = [
                    one for one, _ in waiting[i:] if one.behind == "=" and one.name == line.name
                ]
                yield self._argument(line, when, follow)

    def _argument(self, line: Statement, when: When, follow: Sequence[Statement]) -> Argument:
        """Why the quantity of *line* is what it is; the lines that *follow* rewrite it."""
        assert line.formula is not None
        of, (says, law) = self.value(line.name), self._reason(line)
        values = {x.name: int(y.value) for x, y in map(Rel.parts, when)
                  if isinstance(x, Sym) and isinstance(y, Num)}  # fmt: skip
        if line.behind == "=":
            lines = []
            for one in follow:
                assert one.formula is not None
                reason, law = self._reason(one)
                lines.append((wrap(one.formula.evaluate(self)), reason))
            return Rewritten(of, tuple(lines), law, values)
        if line.more:
            index = Sym(line.behind)
            first, last = (wrap(end.formula.evaluate(self)) for end in line.more if end.formula)
            term = self._with({line.behind: index}, line.formula)
            return Summed(of, term, index, first, last, says, law)
        value = line.formula.evaluate(self)
        if line.behind == "least":
            return Stationary(of, value, of, says, law)
        return Equated(of, value, says, law, values)

    def _reason(self, line: Statement) -> tuple[str, str]:
        says, _, law = self._words(line.words).partition("; ")
        return says, law

    def alternatives(self) -> Alternatives | None:
        for line, _ in self.lines("table"):
            columns = {
                row.name[7:]: row.text.words for row in line.more if row.name[:7] == "column "
            }
            rows = {row.name: row for row in line.more}
            found = {row.name: row.formula.evaluate(self) for row in line.more if row.formula}
            marks = {name[5:]: relations_of(held) or () for name, held in found.items()
                     if name[:5] == "mark "}  # fmt: skip
            worked = wrap(found["worked"]) if "worked" in found else None
            hides = tuple(re.split(r",\s*", rows["hides"].text.words)) if "hides" in rows else ()
            title, _, why = self._words(line.words).partition(" — ")
            first = found.get("first", 1)
            return Alternatives(title, line.name, columns, worked, marks, hides, first, why)
        return None

    def rankings(self) -> Iterator[Ranking]:
        for line, _ in self.lines("ranking"):
            place = next(row.text.words for row in line.more if row.name == "at")
            times = {row.name: row.formula.evaluate(self) for row in line.more if row.formula}
            yield Ranking(self._words(line.words), self.value(line.name), place, times)


def declared(sheet: Sheet) -> type[SheetProblem]:
    """The problem type that the *sheet* declares; raises all that is wrong with it."""
    raise_all(sheet.wrong)
    last = next(reversed(sheet.steps), "")
    if sheet.answer:
        tree = sheet.answer.tree
        while isinstance(tree, ast.IfExp):
            tree = tree.body
        last = tree.id if isinstance(tree, ast.Name) else last
    if last not in sheet.quantities:
        raise BadFile(f"{sheet.slug} has no step that answers its question")
    heads = {name: text.words for name, text in sheet.heads.items()}
    taken, members = {*dir(SheetProblem), *Problem.__annotations__}, dict[str, Any]()
    for name, declaration in (*sheet.quantities.items(), *sheet.choices.items()):
        members[f"{name}_" if name in {*taken, *members} else name] = declaration
    made: type[SheetProblem] = type(
        "".join(part.capitalize() for part in sheet.slug.split("-")),
        (SheetProblem,),
        {
            "__doc__": sheet.about,
            "__module__": __name__,
            "sheet": sheet,
            "answers": {},
            "answer": last,
            "keywords": heads.get("keywords", ""),
            "source": heads.get("source", ""),
            "group": heads.get("group", ""),
            "terms": tuple(re.split(r",\s*", heads["terms"])) if "terms" in heads else (),
            **members,
        },
    )
    made.slug = made.reference = sheet.slug
    return made


@cache
def problem_of(path: Path) -> type[SheetProblem]:
    """The problem type of a sheet of ours at *path*; a test holds that no name in it is wrong."""
    return declared(read(path))


def foreign(path: Path) -> type[SheetProblem]:
    """The problem type of anybody's sheet at *path*; raises all that is wrong with it."""
    try:
        state = path.stat()
    except (OSError, ValueError):
        state = None
    return _foreign(path.absolute(), path, state and (state.st_mtime_ns, state.st_size))


@cache
def _foreign(_: Path, path: Path, _state: tuple[int, int] | None) -> type[SheetProblem]:
    """That type, read once for each state of the file."""
    sheet = read(path, from_outside)
    sheet.wrong += unknown_names(sheet)
    made = declared(sheet)
    made.reference = str(path)
    return made
