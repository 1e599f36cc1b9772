"""Several questions as one: what is shared stands once, and what one comes to another one is given.

A type made of types, in which every verb finds givens, results and equations as in any other one.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar, Final

from ddcalc.formula.algebra import NEVER
from ddcalc.problem.problem import Problem, Shape, declared_as
from ddcalc.problem.quantity import Choice, Derived, Given
from ddcalc.problem.said.sentences import Argument, Condition, Premise
from ddcalc.problem.sheet.reading import Sheet

_SLOT: Final = re.compile(r"\{(\w+)")
_NOUN: Final = re.compile(r"(?=[,;:]| \(| (?:else|if|instead of)\b|$)")  # its end in a title


@dataclass(frozen=True)
class Member:
    """A question by its *name*, of the type *kind*, and what its givens, choices and results are
    *called* in the whole, where that is not ``name.given``; its *answer* is a result."""

    name: str
    kind: type[Problem]
    called: Mapping[str, str]
    answer: str = ""
    fixed: Mapping[str, str] = field(default_factory=dict)  # the options of its choices

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
            reading=(*local(whole.reading), *self.fixed.items()),
            lengths=local(whole.lengths),
            stated=tuple(names[name] for name in whole.stated if name in names),
            words=local(whole.words),
        )


class Whole(Problem):
    """The type of questions that are taken together; *members* are made in its letters."""

    members: ClassVar[Sequence[Member]]

    def __init__(self, shape: Shape, symbols: Any = None, origin: Any = None) -> None:
        super().__init__(shape, symbols, origin)
        self.made = [*map(self._made, self.members)]

    def _made(self, member: Member) -> tuple[Member, Problem]:
        """*member* in these letters; what always has a value here is stated to it."""
        kind, part = member.kind, member.shape(self.shape)
        symbols = {name: self.symbols[member.name_of(name)] for name in kind.quantities}
        lacking = {name for name, given in self.givens.items() if given.optional or given.free}
        sure = (name for name in kind.givens if member.name_of(name) not in lacking)
        stated = (*part.stated, *sure, *kind.stated_so, *kind.taken)
        return member, kind(part._replace(stated=stated), symbols, self.origin)

    def conditions(self) -> Iterator[Condition]:
        yield from super().conditions()
        for member, inner in self.made:
            when = getattr(inner, "when", None)  # a modelled one is played, as it says
            if when and inner.is_played(inner.shape):
                by = next(x for x, *_ in when.names() if x in {*inner.choices, *inner.givens})
                says = f"has ({member.name}) played; ask that part alone"
                yield Condition(NEVER, member.name_of(by), says)
            for one in inner.conditions():
                about = member.name_of(one.parameter)
                yield replace(one, parameter=about, message=member.within(one.message))

    def steps(self) -> Collection[str]:
        return {**dict.fromkeys(super().steps()), **self._inner}

    @cached_property
    def _inner(self) -> dict[str, list[tuple[Member, Problem, str]]]:
        """The steps of members by their names here, the last member first."""
        inner = defaultdict[str, list[tuple[Member, Problem, str]]](list)
        for member, made in self.made[::-1]:
            for local in made.steps():
                inner[member.name_of(local)].append((member, made, local))
        return inner

    def _ruled(self, name: str) -> tuple[Any, str] | None:
        for member, made, local in self._inner.get(name, ()):
            if rule := made._ruled(local):
                return rule[0], member.within(rule[1])
        return super()._ruled(name) if name in self.sheet.steps else None

    def follows(self) -> set[str]:
        inner = {member.name_of(name) for member, made in self.made for name in made.follows()}
        return super().follows() | inner

    def needs(self) -> Iterator[tuple[str, ...]]:
        yield from super().needs()
        for member, inner in self.made:
            yield from filter(self.may_lack, (tuple(map(member.name_of, x)) for x in inner.needs()))

    def idle_options(self) -> set[str]:
        return super().idle_options() | {
            " ".join((member.name_of(name), *option))
            for member, inner in self.made
            for name, *option in map(str.split, inner.idle_options())
            if member.name_of(name) in self.choices
        }

    def idle(self) -> list[str]:
        inner = (member.name_of(name) for member, made in self.made for name in made.idle())
        return [*super().idle(), *(name for name in inner if name in self.choices)]

    def arguments(self) -> Iterator[Argument]:
        yield from super().arguments()
        for _, inner in self.made:
            yield from inner.arguments()

    def premises(self) -> Iterator[Premise]:
        """What is taken for granted, once."""
        said = chain(super().premises(), *(inner.premises() for _, inner in self.made))
        yield from {one.says: one for one in said}.values()


def whole(name: str, title: str, members: Sequence[Member]) -> type[Whole]:
    """The type of the questions *members*, called *name*; its answer is that of the last one."""
    quantities: dict[str, Given | Derived] = {}
    choices: dict[str, Choice] = {}
    add(members, quantities, choices)
    titles = Counter(one.title for one in quantities.values())
    for key, one in quantities.items():
        part, is_own, _ = key.partition(".")
        if is_own and titles[one.title] > 1:  # time in (a), time in (b)
            told = _NOUN.sub(f" in ({part})", one.title, count=1)
            quantities[key] = replace(one, title=told)
    last = members[-1]
    about = f"{title.rstrip('.')}." if title else f"What do the parts of {name} come to?"
    return declared_as(
        Sheet(name, about, quantities=quantities, choices=choices), Whole,
        members=tuple(members), answer=last.name_of(last.answer), slots={}, sequential=False,
    )  # fmt: skip


def add(
    members: Sequence[Member], quantities: dict[str, Given | Derived], choices: dict[str, Choice]
) -> None:
    """Add what *members* have to the *quantities* and *choices* of the whole, in letters that stand
    for one thing: ``T_a`` and ``T_b``."""
    owner: dict[str, str] = {}
    for member in members:
        for local, quantity in member.kind.quantities.items():
            if (called := member.name_of(local)) not in quantities:
                assert isinstance(quantity, Given | Derived)
                quantities[called], owner[called] = _renamed(quantity, member), member.name
        for local, choice in member.kind.choices.items():
            if local not in member.fixed:
                called = member.name_of(local)
                choices.setdefault(called, replace(choice, name=called))
    counts = Counter(one.letter for name, one in quantities.items() if name.count(".") < 2)
    taken = {quantity.letter for name, quantity in quantities.items() if name not in owner}
    for name in sorted(owner, key=lambda name: name.count(".")):  # what is shared keeps its letter
        letter = quantities[name].letter
        if letter in taken or (counts[letter] > 1 and "." in name):
            letter = f"{letter}_{owner[name]}"
            while letter in taken:
                letter += "_q"
            quantities[name] = replace(quantities[name], letter=letter)
        taken.add(letter)


def _renamed(quantity: Given | Derived, member: Member) -> Given | Derived:
    """*quantity* under its name in the whole."""
    name = member.name_of(quantity.name)
    if isinstance(quantity, Derived):
        many = tuple(map(member.name_of, quantity.many))
        return replace(quantity, name=name, many=many, why=member.within(quantity.why))
    rows = member.name_of(quantity.rows) if quantity.rows else ""
    of = f"{member.name}.{quantity.of}" if quantity.of else ""
    return replace(quantity, name=name, rows=rows, of=of)
