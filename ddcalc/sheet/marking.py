"""The key to a sheet: its solved problems by id, and the marks of answers as files state them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ddcalc.ask.find.found import Found
from ddcalc.ask.mark.exercise import Exercise
from ddcalc.ask.mark.grading import Answer, Mark, Spelt
from ddcalc.ask.mark.judge import marks
from ddcalc.ask.mark.written import Allowed, written
from ddcalc.ask.solve import Derivation, Result
from ddcalc.boundary.nodes import Entries, Node, Scalar, place
from ddcalc.boundary.nodes import Mapping as Named
from ddcalc.boundary.nodes import Sequence as Listed
from ddcalc.errors import BadSheet, DdcalcError, Several, UnknownName
from ddcalc.formula.expression import Expr, Sym
from ddcalc.problem.quantity import Choice, Derived
from ddcalc.sheet.allowed import Asked, asked, stricter
from ddcalc.sheet.answers import NONE, agreeing
from ddcalc.sheet.batch import Solved
from ddcalc.sheet.question import Question

Results = Result | tuple[Result, ...]
Stated = Mapping[str, tuple[Answer, Allowed]]


@dataclass(frozen=True, slots=True)
class Unread:
    """An answer that could not be read, its *text* and *why*."""

    text: str
    why: str


class Key:
    """A solved problem of a sheet, against which answers are marked."""

    def __init__(self, question: Question, solved: Derivation) -> None:
        self.source, self.solved = question, solved
        self.name = question.id or question.title or f"line {question.line}"
        self.question = Exercise(solved)

    @cached_property
    def results(self) -> dict[str, Results]:
        """What can be answered: the derived quantities by name, and a given that is found."""
        declared, asked = self.solved.problem.quantities, self.solved.answer.name
        return {
            name: result
            for name, result in self.question.results.items()
            if name == asked or isinstance(declared[name], Derived)
        }

    @cached_property
    def asked(self) -> Asked:
        """What the sheet asks of answers."""
        return asked(
            self.source, {name: _one(result).unit for name, result in self.results.items()}
        )

    def quantity(self, name: str) -> str:
        """The quantity called *name* (small or large; ``-``, ``_`` and blanks are alike).

        "" is the one asked.
        """
        found = "_".join(name.lower().split()).replace("-", "_") or self.solved.answer.name
        if found not in self.results and found in self.solved.problem.givens:
            known = ", ".join(sorted(self.results))
            raise BadSheet(f"{found} is given, so it is no answer; answers are: {known}")
        if found not in self.results:
            raise UnknownName("result", name, self.results)
        return found

    def answer(self, name: str, node: Node) -> tuple[Answer, Allowed]:
        """The answer that *node* states for quantity *name*, and what is asked of it.

        Raises BadNumber (BadUnit) or BadSheet for what states no answer.
        """
        result, allowed = self.results[name], self.asked.allowed[name]
        if isinstance(node, Named):
            node, entries = _parts(node.entries)
            allowed = stricter(allowed, entries, _one(result).unit)
        if name == self.solved.answer.name and (option := self._option(node)):
            return option, allowed
        return _answer(node, result), allowed

    def _option(self, node: Node) -> Answer | None:
        """The answer to the question which option does it; None where a number is asked."""
        unknown = self.solved.asked.unknown if isinstance(self.solved, Found) else None
        if not isinstance(unknown, Choice) or not isinstance(node, Scalar) or node.text in NONE:
            return None
        option = unknown.read(node.text)
        return Spelt(node.text, lambda value: isinstance(value, Sym) and value.name == option)

    def marks(self, stated: Stated) -> Iterator[Mark]:
        """The marks of answers by name of quantity, in the order of the derivation."""
        answers = {name: answer for name, (answer, _) in stated.items()}
        allowed = {name: asked for name, (_, asked) in stated.items()}
        yield from map(self._credited, marks(self.question, answers, allowed))

    def unmarked(self, name: str, unread: Unread | None) -> Mark:
        """The mark of quantity *name* where nothing was answered, or what could not be read."""
        if unread is None:
            return self._credited(Mark(name, "", self.results[name], "none"))
        told = (f"not read: {unread.why}",)
        return self._credited(Mark(name, unread.text, self.results[name], "unread", told))

    def _credited(self, mark: Mark) -> Mark:
        steps = self.question.number(mark.name)
        return mark.credited(self.asked.allowed[mark.name].credit, steps)


def claims(key: Key, done: Solved) -> tuple[Stated, list[DdcalcError]]:
    """What a solved problem of a file claims, and what is wrong with that."""
    told: dict[str, tuple[Answer, Allowed]] = {}
    errors: list[DdcalcError] = []
    for name, (named, node) in done.question.claimed.items():
        at: Node = named
        try:
            quantity = key.quantity(name)
            at = node
            told[quantity] = key.answer(quantity, node)
        except DdcalcError as error:
            error.problem = done.question.id
            errors.append(error.about(name, place(done.question.file, at)))
    return told, errors


def key(solved: Derivation, marking: Mapping[str, Any]) -> Key:
    """The key to a question in no file; *marking* says what is asked of answers to it."""
    question = Question("", 0, title=solved.problem.slug)
    question.marking = _entries(marking)
    made = Key(question, solved)
    if made.asked.wrong:
        raise Several(made.asked.wrong)
    return made


def node(value: Any) -> Node:
    """*value*, a text, a list of texts or such by name, as a file would hold it."""
    if isinstance(value, Mapping):
        return Named(_entries(value))
    return Listed(list(map(node, value))) if isinstance(value, list) else Scalar(str(value))


def _entries(values: Mapping[str, Any]) -> Entries:
    return {name: (Scalar(name), node(value)) for name, value in values.items()}


def _one(result: Results) -> Result:
    return result[0] if isinstance(result, tuple) else result


def _parts(entries: Entries) -> tuple[Node, Entries]:
    """The value that is stated, and what is stated beside it."""
    if "value" not in entries:
        raise BadSheet("a stated answer needs a value")
    return entries["value"][1], {name: told for name, told in entries.items() if name != "value"}


def _answer(node: Node, result: Results) -> Answer:
    if isinstance(result, tuple):
        return _list(_texts(node), result)
    if isinstance(node, Listed):
        raise BadSheet("is a list; one value is wanted")
    [text] = _texts(node)
    if text in NONE:
        return Spelt(text or "none", lambda value: value is None)
    if isinstance(result.value, Expr):
        agreeing(text, result)  # what is no formula is refused now
        return Spelt(text, lambda value: agreeing(text, replace(result, value=value)))
    return written(text, result.unit)


def _list(texts: Sequence[str], results: tuple[Result, ...]) -> Answer:
    """The answer to a list: numbers, or formulas that agree or do not."""
    if len(texts) == 1:
        texts = [text.strip() for text in texts[0].replace(";", ",").split(",")]
    if not any(isinstance(result.value, Expr) for result in results):
        unit = results[0].unit
        return tuple(written(text, unit) for text in texts)
    told = list(zip(texts, results, strict=False))
    agree = [agreeing(text, result) for text, result in told]  # what is no formula is refused
    right = len(texts) == len(results) and all(agree)
    return Spelt(", ".join(texts), lambda _: right)


def _texts(node: Node) -> list[str]:
    items = node.items if isinstance(node, Listed) else [node]
    if not all(isinstance(item, Scalar) for item in items):
        raise BadSheet("a stated answer is a value, or a list of values")
    return [item.text.strip() for item in items if isinstance(item, Scalar)]
