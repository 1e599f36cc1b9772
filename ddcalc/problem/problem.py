"""A problem type is a sheet; a question of one *shape* is an instance of it, which knows the
symbols of its quantities, and none of its numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from functools import reduce
from operator import mul
from typing import Any, ClassVar, Final, NamedTuple, TypeVar

from ddcalc.errors import BadEquation, BadFile, raise_all
from ddcalc.formula.expression import Expr, Fun, Num, Number, Rel, Sym
from ddcalc.memory import remembered
from ddcalc.problem.known.presets import FACTS, SLOTS
from ddcalc.problem.quantity import Derived, Given, Quantity
from ddcalc.problem.said.sentences import Condition
from ddcalc.problem.sheet.meaning import Meaning, listed
from ddcalc.problem.sheet.reading import Sheet
from ddcalc.problem.sheet.text import NOWHERE

RESERVED: Final = (
    "all", "as_yaml", "assert", "bare", "exact", "find", "force", "format", "help", "help_all",
    "hint", "limit", "mine", "output", "own_step", "quantity", "steps", "unit", "where",
)  # fmt: skip
"""Options that every type's command has, so that no sheet has such givens."""


class Shape(NamedTuple):
    """Which options are chosen, how long the lists are, what is stated, which words stand in.

    *wanted* are the quantities asked for, where they are not what the type answers; *spared* is
    what the type needs, but they do not rest on: then only they are worked out. *counts* are whole
    numbers of a model that formulas are written out for.
    """

    reading: tuple[tuple[str, str], ...] = ()
    lengths: tuple[tuple[str, int], ...] = ()
    stated: tuple[str, ...] = ()  # those of the optional givens that are stated
    words: tuple[tuple[str, str], ...] = ()
    wanted: tuple[str, ...] = ()
    spared: tuple[str, ...] = ()
    counts: tuple[tuple[str, tuple[int, ...]], ...] = ()

    def with_choice(self, name: str, option: str) -> Shape:
        """This shape with one choice changed."""
        reading = tuple((key, option if key == name else old) for key, old in self.reading)
        return self._replace(reading=reading)


_symbol = remembered(Sym)  # one for all questions, as formulas are compared again and again


class Problem(Meaning):
    """A kind of question, as its sheet declares it.

    The first paragraph of the sheet is the question, the second says in two or three sentences what
    happens physically, the rest is the type's manual. As a part of another question it speaks in
    the *symbols* of that one, which stand for what its *origin* says.
    """

    slug: ClassVar[str]
    about: ClassVar[str]  # its paragraphs, one line each
    answer: ClassVar[str]
    source: ClassVar[str]
    terms: ClassVar[tuple[str, ...]]  # the words of ddcalc.problem.known.explained that it is about
    keywords: ClassVar[str]  # phrases by which people look for the question, parted by ";"
    slots: ClassVar[dict[str, list[str]]]  # the givens that presets may fill, by what names them
    sequential: ClassVar[bool]  # whether the parts of the answer follow one another
    symbolic: ClassVar[bool] = True  # whether there are equations; schedules may be without
    stated_so: ClassVar[Mapping[str, str]] = {}  # the givens that a question states as formulas
    taken: ClassVar[Sequence[str]] = ()  # the givens that are results of earlier parts
    own_steps: ClassVar[Sequence[tuple[str, str, str]]] = ()  # its name = formula, and what it is
    candidates: ClassVar[Mapping[str, Sequence[Number]]] = {}  # the values that a given may have
    own_given: ClassVar[Set[str]] = frozenset()  # those of its steps that it gives by a formula
    counts: ClassVar[Sequence[str]] = ()  # those of them that count something
    limits: ClassVar[Mapping[str, Given]]  # what these would be as numbers
    answers: ClassVar[dict[Shape, str]]

    def __init__(self, shape: Shape, symbols: Any = None, origin: Any = None) -> None:
        self.shape = shape
        self.origin: dict[str, tuple[Quantity, int | None]] = origin or {}  # what letters are, and
        lengths, words = dict(shape.lengths), dict(shape.words)  # which of a list
        symbols = symbols or {
            name: words[name] if name in words else self._symbols(quantity, lengths)
            for name, quantity in self.quantities.items()
        }
        stated = (*shape.stated, *self.stated_so, *self.taken)
        super().__init__(symbols, dict(shape.reading), stated, dict(shape.counts))
        self._sentences: dict[str, tuple[Any, ...]] = {}

    def _symbols(self, quantity: Quantity, lengths: dict[str, int]) -> Sym | tuple[Sym, ...]:
        follows = quantity.many if isinstance(quantity, Derived) else (quantity.name,)
        length = next((lengths[name] for name in follows if name in lengths), None)
        if length is None:
            self.origin[quantity.letter] = (quantity, None)
            return _symbol(quantity.letter)
        letters = quantity.lettered(length)
        taken = {q.letter for q in self.quantities.values() if q is not quantity}
        if clash := {*letters} & ({*self.origin} | taken):
            raise BadEquation(self.slug, f"{', '.join(sorted(clash))} stands for two quantities")
        self.origin.update({letter: (quantity, i) for i, letter in enumerate(letters, 1)})
        return tuple(map(_symbol, letters))

    def conditions(self) -> Iterator[Condition]:
        """What the numbers must satisfy beyond the limits of each given, and the limits of what the
        question states as a formula."""
        yield from super().conditions()
        for name in (*self.stated_so, *self.counts):
            given, of = self.limits[name], self.symbols[name]
            if given.whole:
                yield Condition(Rel("==", Fun("floor", (of,)), of), name, "is not a whole number")
            for op, limit, says in given.limits:
                yield Condition(Rel(op, of, Num(limit)), name, says)
        for name, values in self.candidates.items():
            far: Expr = reduce(mul, (self.symbols[name] - value for value in values))
            yield Condition(Rel("==", far, Num(0)), name, "is none of those that there are")

    def needs(self) -> Iterator[tuple[str, ...]]:
        """Groups of optional givens of which this shape must state at least one."""
        yield from filter(self.may_lack, super().needs())

    def may_lack(self, group: Sequence[str]) -> bool:
        """Whether all of a *group* are stated by numbers, not by a formula or an earlier part."""
        return all(name in self.givens and name not in self.taken for name in group)

    def sentences(self, what: str) -> tuple[Any, ...]:
        """What the method called *what* yields; made once, as it depends on the shape alone."""
        if what not in self._sentences:
            self._sentences[what] = tuple(getattr(self, what)())
        return self._sentences[what]

    @property
    def answered(self) -> Quantity:
        """The quantity asked for in this shape."""
        return self.quantities[self.target_in(self.shape)]

    def heading(self) -> str:
        """The question over a page, in words that fit the shape."""
        return self.first("heading") or self.question()

    def mechanism(self) -> str:
        """What happens physically in this shape, in two or three sentences, before any formula."""
        return self.first("mechanism") or self.manual().partition("\n\n")[0]

    # Of all shapes

    def changes(self, name: str) -> bool:
        return name in self.stated_so or super().changes(name)

    @classmethod
    def question(cls) -> str:
        """The first paragraph of the sheet."""
        return cls.about.split("\n\n")[0]

    @classmethod
    def manual(cls) -> str:
        """What follows the first paragraph of the sheet."""
        return cls.about.partition("\n\n")[2]

    @classmethod
    def formulas(cls) -> dict[str, str]:
        """The formulas that the question states for givens and its own steps, by name."""
        return {**{name: words for name, words, _ in cls.own_steps}, **cls.stated_so}

    @classmethod
    def following(cls, names: Collection[str] | None = None) -> set[str]:
        """The givens that the question states by formulas of those called *names*, or of any."""
        stated = ((name, given.speaks_of) for name, given in cls.givens.items())
        return {name for name, of in stated if (of if names is None else of & {*names})}

    @classmethod
    def is_played(cls, shape: Shape) -> bool:
        """Whether questions of *shape* are played, equations or not."""
        return not cls.symbolic

    @classmethod
    def answer_in(cls, shape: Shape) -> str:
        """What a question of *shape* asks for: ``answer``, unless a type has several questions."""
        if (formula := cls.sheet.answer) is None:
            return cls.answer
        if shape not in cls.answers:
            cls.answers[shape] = formula.name_in(cls(shape)) or cls.answer
        return cls.answers[shape]

    @classmethod
    def target_in(cls, shape: Shape) -> str:
        """The quantity that is the answer to a question of *shape*: the first of those *wanted*
        that is derived and no list, else what the type answers."""
        lists = {name for name, _ in shape.lengths}
        for name in shape.wanted:
            quantity = cls.quantities[name]
            if isinstance(quantity, Derived) and lists.isdisjoint(quantity.many):
                return name
        return cls.answer_in(shape)

    @classmethod
    def neighbours(cls, shape: Shape) -> Iterator[tuple[str, str, Shape]]:
        """The shapes in which one choice is another one: its name, the other option, the shape.

        Those that need more than is stated are left out, those that do not matter, and, beside
        equations, those that are played.
        """
        idle, plays = cls(shape).idle_options(), cls.is_played(shape)
        for name, option in shape.reading:
            for other in cls.choices[name].options:
                changed = shape.with_choice(name, other)
                if other == option or not idle.isdisjoint({name, f"{name} {other}"}):
                    continue
                if (shape.spared or not cls.unmet(changed)) and plays >= cls.is_played(changed):
                    yield name, other, changed

    @classmethod
    def unmet(cls, shape: Shape) -> list[tuple[str, ...]]:
        """The groups of givens of which *shape* has to state one more."""
        left = {name for name, given in cls.givens.items() if given.optional or given.free}
        missing = left - {*shape.stated}
        return [group for group in cls.groups_needed(shape) if missing.issuperset(group)]

    @classmethod
    @remembered
    def groups_needed(cls, shape: Shape) -> tuple[tuple[str, ...], ...]:
        """What ``needs`` yields, each group once, without those that another one implies."""
        groups = dict.fromkeys(cls(shape).needs())
        return tuple(group for group in groups if not any({*one} < {*group} for one in groups))


Kind = TypeVar("Kind", bound=Problem)


def declared_as(sheet: Sheet, kind: type[Kind], symbolic: bool = True, **more: Any) -> type[Kind]:
    """The problem type of that *kind* that the *sheet* declares, with *more* attributes; raises all
    that is wrong with it."""
    givens = {n: q for n, q in sheet.quantities.items() if isinstance(q, Given)}
    raise_all([*sheet.wrong, *_misnamed(sheet, givens if symbolic else {})])
    heads = {name: text.words for name, text in sheet.heads.items()}
    members = {
        "slug": sheet.slug,
        "about": sheet.about,
        "sheet": sheet,
        "quantities": sheet.quantities,
        "givens": givens,
        "choices": sheet.choices,
        "slots": _slots(sheet, givens),
        "answer": more["answer"] if "answer" in more else _answer(sheet),
        "answers": {},
        "sequential": "breakdown" not in heads,
        "symbolic": symbolic,
        "terms": listed(heads.get("terms", "")),
        **{name: heads.get(name, "") for name in ("keywords", "source")},
        **more,
    }
    made: type[Kind] = type("".join(map(str.capitalize, sheet.slug.split("-"))), (kind,), members)
    return made


def _answer(sheet: Sheet) -> str:
    """The quantity that the *sheet* usually answers: the last one, unless it says which."""
    asked = sheet.answer and sheet.answer.name_in(None)
    last = asked or next(reversed(sheet.steps or dict.fromkeys(sheet.results)), "")
    if last not in sheet.quantities:
        raise BadFile(f"{sheet.slug} has no step that answers its question")
    return last


def _misnamed(sheet: Sheet, equated: Mapping[str, Given]) -> Iterator[BadFile]:
    """What no type may call its quantities, and which of the givens *equated* stay open."""
    letters: dict[str, str] = {}
    for name, quantity in (*sheet.quantities.items(), *sheet.choices.items()):
        at, reason = sheet.places.get(name, NOWHERE), ""
        if name in RESERVED and name in sheet.places and not isinstance(quantity, Derived):
            reason = f"{name} is an option of all types"
        elif name in equated and equated[name].free:
            reason = f"{name} is open, as only what a model plays can be"
        elif isinstance(quantity, Quantity):
            first = letters.setdefault(quantity.letter, name)
            if first != name:
                reason = f"{quantity.letter} is the letter of {first}, too"
        if reason:
            yield at.wrong(reason, 0, len(name))


def _slots(sheet: Sheet, givens: Mapping[str, Given]) -> dict[str, list[str]]:
    """The *givens* that presets may fill, by the option that names the preset."""
    slots: dict[str, list[str]] = {}
    for name, given in givens.items():
        for fact in given.filled_by.facts:
            slot, _, fact_name = fact.partition(".")
            if slot not in SLOTS or fact_name not in FACTS[SLOTS[slot]]:
                raise sheet.places[name].wrong(f"{fact} is no fact of presets that fills {name}")
            if name not in slots.setdefault(slot, []):
                slots[slot].append(name)
    return {slot: slots[slot] for slot in SLOTS if slot in slots}
