"""Sentences of a sheet: words, ``{formula}`` slots, and clauses that may be left out.

``{time}``, ``{(workers - 1) worker}``, ``{part(x) %}``, ``{n|is|are}`` show what formulas come to.
``[if condition: words | if other: words | words]`` is the first of these that can be said,
``[for x in xs, y in ys: words]`` says the words for each member (a, b and c), and ``[name]`` is a
text of that name. Blanks before what is left out are left out with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final, Protocol, TypeAlias, assert_never

from ddcalc.formula.expression import Rel
from ddcalc.problem.sheet.formulas import Formula
from ddcalc.problem.sheet.text import Text

NO_NAMES: Final[Mapping[str, Any]] = MappingProxyType({})
WAYS = 64  # to say one sentence: six clauses that depend on numbers
_OPEN = re.compile(r"[{\[]")
_NAME = re.compile(r"\w+")
_HOW = re.compile(r"(?: %| [^\W\d_][^{}()|+*=]*|\|.*)?")  # the noun, unit … behind a name
_BLANKS = re.compile(r" +([.,:;)])| {2,}")


@dataclass(frozen=True, slots=True)
class Insertion:
    """The value of a *formula*, and how it is said: `` worker``, `` %``, ``|is|are``."""

    formula: Formula
    how: str


@dataclass(frozen=True, slots=True)
class Clause:
    """Ways to say something, each with the condition on which it is said."""

    ways: tuple[tuple[Formula | None, Phrase], ...]


@dataclass(frozen=True, slots=True)
class Each:
    """*words* for each member of the *lists*, which they call by the names."""

    lists: tuple[tuple[str, Formula], ...]
    words: Phrase


@dataclass(frozen=True, slots=True)
class NamedPhrase:
    """A text that another line of the sheet gives a name."""

    formula: Formula


Part: TypeAlias = str | Insertion | Clause | Each | NamedPhrase
Filled: TypeAlias = tuple[Insertion, Mapping[str, Any]]
"""A slot, and what the names of the list members that it speaks of stand for."""
Variant: TypeAlias = tuple[tuple[Rel, ...], tuple[str | Filled, ...]]
"""One way to say a sentence: on which relations between numbers, and its pieces."""


class Speech(Protocol):
    """What decides how a sentence is said: the shape of a question."""

    def holds(self, test: Formula, names: Mapping[str, Any]) -> tuple[Rel, ...] | None: ...
    def members(self, xs: Formula, names: Mapping[str, Any]) -> Sequence[Any]: ...
    def named(self, name: Formula) -> Phrase: ...


class Phrase:
    """A sentence as written; it is parsed when it is first needed."""

    def __init__(self, text: Text, parameters: tuple[str, ...] = ()) -> None:
        self.text, self.parameters = text, parameters

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Its words, slots and clauses; BadFile where a bracket is not closed."""
        parts: list[Part] = []
        words, i = self.text.words, 0
        while i < len(words):
            start = min(
                (at for mark in "{[" if (at := words.find(mark, i)) >= 0), default=len(words)
            )
            if start > i:
                parts.append(words[i:start])
            if start == len(words):
                break
            end = _closing(self.text, start)
            inner = self.text.cut(start + 1, end)
            parts.append(self._slot(inner) if words[start] == "{" else self._clause(inner))
            i = end + 1
        return tuple(parts)

    def _slot(self, inner: Text) -> Insertion:
        words = inner.words
        end = match.end() if (match := _NAME.match(words)) else 0
        if words[end : end + 1] == "(":
            end = _closing(inner, end) + 1
        if not end:
            raise inner.wrong("a slot begins with a name, or with a formula in parentheses")
        if not _HOW.fullmatch(words, end):
            raise inner.cut(end).wrong("is no noun, unit or %; a formula stands in (…)")
        return Insertion(Formula(inner.cut(0, end), self.parameters), words[end:])

    def _clause(self, inner: Text) -> Clause | Each | NamedPhrase:
        if inner.words.isidentifier():
            return NamedPhrase(Formula(inner))
        if inner.words.startswith("for "):
            names, words = inner.cut(4).both(":", "[for x in xs: words]")
            pairs = [one.both(" in ", "[for x in xs: words]") for one in names.split(",")]
            lists = tuple((x.words, Formula(xs, self.parameters)) for x, xs in pairs)
            known = (*self.parameters, *(x for x, _ in lists))
            return Each(lists, Phrase(words, known))
        ways: list[tuple[Formula | None, Phrase]] = []
        for way in inner.split("|"):
            test: Formula | None = None
            if way.words.startswith("if "):
                condition, way = way.cut(3).both(":", "[if condition: words]")
                test = Formula(condition, self.parameters)
            ways.append((test, Phrase(way, self.parameters)))
        return Clause(tuple(ways))

    def formulas(self) -> Iterator[Formula]:
        """All formulas in it."""
        for part in self.parts:
            if isinstance(part, Insertion | NamedPhrase):
                yield part.formula
            elif isinstance(part, Clause):
                for test, words in part.ways:
                    if test is not None:
                        yield test
                    yield from words.formulas()
            elif isinstance(part, Each):
                yield from (xs for _, xs in part.lists)
                yield from part.words.formulas()

    def said(self, by: Speech, names: Mapping[str, Any] = NO_NAMES) -> list[Variant]:
        """All ways to say it, the first ones first, without those that the shape excludes."""
        ways: list[Variant] = [((), ())]
        for part in self.parts:
            more = _ways(part, by, names)
            ways = [((*when, *also), (*said, *rest)) for when, said in ways for also, rest in more]
            if len(ways) > WAYS:
                raise self.text.wrong(f"can be said in more than {WAYS} ways; write two sentences")
        return ways


def _ways(part: Part, by: Speech, names: Mapping[str, Any]) -> list[Variant]:
    """The ways to say a part."""
    match part:
        case str():
            return [((), (part,))]
        case Insertion():
            return [((), ((part, names),))]
        case NamedPhrase(formula):
            return by.named(formula).said(by, names)
        case Clause(ways):
            return _chosen(ways, by, names)
        case Each(lists, words):
            rows = zip(*(by.members(xs, names) for _, xs in lists), strict=True)
            ends = [{**names, **dict(zip((x for x, _ in lists), row, strict=True))} for row in rows]
            pieces: list[str | Filled] = []
            for i, one in enumerate(ends):
                pieces += [] if not i else [" and " if i == len(ends) - 1 else ", "]
                pieces += words.said(by, one)[0][1]
            return [((), tuple(pieces))]
    assert_never(part)


def _chosen(
    ways: Sequence[tuple[Formula | None, Phrase]], by: Speech, names: Mapping[str, Any]
) -> list[Variant]:
    """The first of the *ways* that can be said, and those before it that depend on numbers."""
    variants: list[Variant] = []
    for test, words in ways:
        when = () if test is None else by.holds(test, names)
        if when is None:
            continue
        variants += [((*when, *also), said) for also, said in words.said(by, names)]
        if when == ():
            return variants
    return [*variants, ((), ())]


def tidy(words: str) -> str:
    """*words* without the blanks that a clause left behind."""
    return _BLANKS.sub(lambda match: match[1] or " ", words).strip()


def _closing(text: Text, start: int) -> int:
    depth = 0
    for match in re.compile(r"[()\[\]{}]").finditer(text.words, start):
        depth += 1 if match[0] in "([{" else -1
        if not depth:
            return match.start()
    raise text.wrong("is a bracket that nothing closes", start, 1)
