"""Sentences of a sheet: words, ``{formula}`` slots, and clauses that may be left out.

``{time}``, ``{(workers - 1) worker}``, ``{part(x) %}``, ``{n|is|are}`` show what formulas come to,
lists as a, b and c. ``[if condition: words | if other: words | words]`` is the first of these that
can be said, and ``[name]`` is a text of that name. Blanks before what is left out are left out with
it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias, TypeVar

from ddcalc.formula.expression import Rel
from ddcalc.problem.said.sentences import joined
from ddcalc.problem.sheet.formulas import Formula, Scope
from ddcalc.problem.sheet.functions import relations_of
from ddcalc.problem.sheet.text import Text

Inserted = TypeVar("Inserted")
WAYS = 64  # to say one sentence: six clauses that depend on numbers
_OPEN = re.compile(r"[{\[]")
_BRACKET = re.compile(r"[()\[\]{}]")
_NAME = re.compile(r"\w+")
_HOW = re.compile(r"(?: %| [^\W\d_][^{}()|+*=]*|\|.*)?")  # the noun, unit … behind a name
_BLANKS = re.compile(r" +([.,:;)])| {2,}")
_CLAUSE: Final = "[if condition: words]"


class Insertion(NamedTuple):
    """The value of a *formula*, and how it is said (`` worker``, `` %``, ``|is|are``)."""

    formula: Formula
    how: str

    @property
    def name(self) -> str:
        """How the formula is written: a name, or more than that."""
        return self.formula.text.words


Pieces: TypeAlias = tuple[str | Insertion, ...]
Variant: TypeAlias = tuple[tuple[Rel, ...], Pieces]
"""One way to say a sentence: on which relations between numbers, and its pieces."""


Part: TypeAlias = str | Callable[[Scope], list[Variant]]


class Phrase:
    """A sentence as written; it is parsed when it is first needed."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self._formulas: list[Formula] = []

    @property
    def formulas(self) -> list[Formula]:
        """All formulas in it; BadFile where it cannot be parsed."""
        assert self.parts is not None
        return self._formulas

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Its words, slots and clauses; BadFile where a bracket is not closed."""
        parts: list[Part] = []
        words, i = self.text.words, 0
        for opened in _OPEN.finditer(words):
            if (start := opened.start()) >= i:
                end = _closing(self.text, start)
                inner = self.text.cut(start + 1, end)
                made = self._slot(inner) if opened[0] == "{" else self._clause(inner)
                parts += [words[i:start], made]
                i = end + 1
        return (*parts, words[i:])

    def _formula(self, text: Text) -> Formula:
        self._formulas.append(made := Formula(text))
        return made

    def _slot(self, inner: Text) -> Part:
        words = inner.words
        end = match.end() if (match := _NAME.match(words)) else 0
        if words[end : end + 1] == "(":
            end = _closing(inner, end) + 1
        if not end:
            raise inner.wrong("a slot begins with a name, or with a formula in parentheses")
        if not _HOW.fullmatch(words, end):
            raise inner.cut(end).wrong("is no noun, unit or %; a formula stands in (…)")
        formula = self._formula(inner.cut(0, end))
        return lambda by: [((), (Insertion(formula, words[end:]),))]

    def _clause(self, inner: Text) -> Part:
        if inner.words.isidentifier():
            self._formula(inner)
            return lambda by: [*by.named(inner.words).said(by)]
        ways: list[tuple[Formula | None, Phrase]] = []
        for way in inner.split("|"):
            test: Formula | None = None
            if way.words.startswith("if "):
                condition, way = way.cut(3).both(":", _CLAUSE)
                test = self._formula(condition)
            ways.append((test, phrase := Phrase(way)))
            self._formulas += phrase.formulas

        def chosen(by: Scope) -> list[Variant]:
            """The first of the ways that can be said, and those that depend on numbers before."""
            variants: list[Variant] = []
            for test, words in ways:
                if (when := relations_of(test is None or by.at(test))) is not None:
                    variants += [((*when, *also), said) for also, said in words.said(by)]
                if when == ():
                    return variants
            return [*variants, ((), ())]

        return chosen

    def said(self, by: Scope) -> list[Variant]:
        """All ways to say it, the first ones first, without those that the shape excludes."""
        ways: Sequence[Variant] = [((), ())]
        for part in self.parts:
            more = [((), (part,))] if isinstance(part, str) else part(by)
            ways = [((*when, *also), (*said, *rest)) for when, said in ways for also, rest in more]
            if len(ways) > WAYS:
                raise self.text.wrong(f"can be said in more than {WAYS} ways; write two sentences")
        return list(ways)


def tidy(parts: Iterable[str | Inserted]) -> tuple[str | Inserted, ...]:
    """*parts* with neighbouring words in one, without the blanks that a clause left behind."""
    tidied = [
        _BLANKS.sub(lambda match: match[1] or " ", part) if isinstance(part, str) else part
        for part in ("", *joined(parts), "")
    ]
    for i, strip in ((1, str.lstrip), (-2, str.rstrip)):
        if isinstance(end := tidied[i], str):
            tidied[i] = strip(end)
    return tuple(part for part in tidied if part != "")


def _closing(text: Text, start: int) -> int:
    depth = 0
    for match in _BRACKET.finditer(text.words, start):
        depth += 1 if match[0] in "([{" else -1
        if not depth:
            return match.start()
    raise text.wrong("is a bracket that nothing closes", start, 1)
