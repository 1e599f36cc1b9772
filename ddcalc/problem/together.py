"""Several questions as one: what is shared stands once, and what one comes to another one is given.

A type made of types, in which every verb finds givens, results and equations as in any other one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, ClassVar, Final

from ddcalc.problem.problem import Problem, Shape
from ddcalc.problem.quantity import Choice, Derived, Given
from ddcalc.problem.sentences import Argument, Condition, Premise
from ddcalc.problem.sheet.meaning import Equations, Meaning
from ddcalc.problem.sheet.reading import Sheet

_SLOT: Final = re.compile(r"\{(\w+)")


@dataclass(frozen=True)
class Member:
    """A question by its *name*, of the type *kind*, and what its givens, choices and results are
    *called* in the whole, where that is not ``name.given``; its *answer* is a result."""

    name: str
    kind: type[Problem]
    called: Mapping[str, str]
    answer: str

    def name_of(self, local: str) -> str:
        """What its quantity, or choice, *local* is called in the whole."""
        return self.called.get(local) or f"{self.name}.{local}"

    def within(self, says: str) -> str:
        """The words *says*, in which ``{names}`` are those of the whole."""
        return _SLOT.sub(lambda match: f"{{{self.name_of(match[1])}", says) if "{" in says else says

    def shape(self, whole: Shape) -> Shape:
        """Its part of the shape of the *whole*."""
        names = {self.name_of(name): name for name in (*self.kind.quantities, *self.kind.choices)}

        def local(pairs: Iterable[tuple[str, Any]]) -> tuple[tuple[str, Any], ...]:
            return tuple((names[name], value) for name, value in pairs if name in names)

        return Shape(
            reading=local(whole.reading),
            lengths=local(whole.lengths),
            stated=tuple(names[name] for name in whole.stated if name in names),
            words=local(whole.words),
        )


class Whole(Problem):
    """The type of questions that are taken together; *members* are made in its letters."""

    members: ClassVar[Sequence[Member]]

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape)
        self.made: list[tuple[Member, Problem]] = []
        for member in self.members:
            inner = object.__new__(member.kind)
            part = member.shape(shape)
            symbols = {name: self.symbols[member.name_of(name)] for name in member.kind.quantities}
            stated = (*part.stated, *member.kind.stated_so)
            Meaning.__init__(inner, symbols, dict(part.reading), stated, {})
            inner.shape, inner.origin = part, self.origin
            inner._sentences = {}
            self.made.append((member, inner))

    def conditions(self) -> Iterator[Condition]:
        for member, inner in self.made:
            for one in inner.conditions():
                about = member.name_of(one.parameter)
                yield replace(one, parameter=about, message=member.within(one.message))

    def equations(self, wanted: Collection[str] = ()) -> Equations:
        """Those of all members, in their order: a later one stands on earlier ones."""
        for member, inner in self.made:
            for name, rule, why in inner.equations():
                yield member.name_of(name), rule, member.within(why)

    def follows(self) -> set[str]:
        return {member.name_of(name) for member, inner in self.made for name in inner.follows()}

    def needs(self) -> Iterator[tuple[str, ...]]:
        for member, inner in self.made:
            for group in inner.needs():
                if member.kind.stated_so.keys().isdisjoint(group):
                    yield tuple(map(member.name_of, group))

    def idle_options(self) -> set[str]:
        return {
            " ".join((member.name_of(name), *option))
            for member, inner in self.made
            for name, *option in map(str.split, inner.idle_options())
        }

    def idle(self) -> list[str]:
        return [member.name_of(name) for member, inner in self.made for name in inner.idle()]

    def arguments(self) -> Iterator[Argument]:
        return chain.from_iterable(inner.arguments() for _, inner in self.made)

    def premises(self) -> Iterator[Premise]:
        """What is taken for granted, once."""
        said = chain.from_iterable(inner.premises() for _, inner in self.made)
        yield from {one.says: one for one in said}.values()


def whole(name: str, title: str, members: Sequence[Member]) -> type[Whole]:
    """The type of the questions *members*, which is called *name*; the last one's answer is its
    answer."""
    quantities: dict[str, Given | Derived] = {}
    choices: dict[str, Choice] = {}
    owner: dict[str, str] = {}
    for member in members:
        for local, quantity in member.kind.quantities.items():
            if (called := member.name_of(local)) not in quantities:
                assert isinstance(quantity, Given | Derived)
                quantities[called], owner[called] = _renamed(quantity, member), member.name
        for local, choice in member.kind.choices.items():
            called = member.name_of(local)
            choices.setdefault(called, replace(choice, name=called))
    _letter_apart(quantities, owner)
    last = members[-1]
    about = title or f"What do the parts of {name} come to?"
    return type(
        "Whole", (Whole,),
        {
            "slug": name, "reference": name, "about": about, "members": tuple(members),
            "sheet": Sheet(name, about, quantities=quantities, choices=choices),
            "answer": last.name_of(last.answer), "answers": {},
            "quantities": quantities, "choices": choices, "slots": {}, "sequential": False,
            "givens": {n: q for n, q in quantities.items() if isinstance(q, Given)},
            "terms": (), "table": (), "keywords": "", "source": "", "group": "",
        },
    )  # fmt: skip


def _renamed(quantity: Given | Derived, member: Member) -> Given | Derived:
    """*quantity* under its name in the whole."""
    name = member.name_of(quantity.name)
    if isinstance(quantity, Derived):
        many = tuple(map(member.name_of, quantity.many))
        return replace(quantity, name=name, many=many, why=member.within(quantity.why))
    rows = member.name_of(quantity.rows) if quantity.rows else ""
    of = f"{member.name}.{quantity.of}" if quantity.of else ""
    return replace(quantity, name=name, rows=rows, of=of)


def _letter_apart(quantities: dict[str, Given | Derived], owner: Mapping[str, str]) -> None:
    """Give quantities of one letter different ones: ``T_a`` and ``T_b``."""
    counts = Counter(quantity.letter for quantity in quantities.values())
    taken = {letter for letter, count in counts.items() if count == 1}
    for name, quantity in quantities.items():
        letter = quantity.letter
        if counts[letter] > 1 and "." in name:
            letter = f"{letter}_{owner[name]}"
            while letter in taken:
                letter += "_q"
            quantities[name] = replace(quantity, letter=letter)
        taken.add(letter)
