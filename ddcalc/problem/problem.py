"""Problem: collects the declarations of a type and gives its equations their symbols; and Shape,
all that the equations of a question may depend on, and none of its numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import cleandoc, get_annotations
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias

from ddcalc.errors import BadEquation
from ddcalc.formula.expression import Expr, Number, Rel, Sym
from ddcalc.memory import remembered
from ddcalc.problem.quantity import Choice, Declared, Derived, Given, Quantity
from ddcalc.problem.slots import SLOTS, facts_by_kind

if TYPE_CHECKING:
    from ddcalc.formula.algebra import Rule
    from ddcalc.problem.sentences import Argument, Crosscheck, Premise, Said
    from ddcalc.problem.steps import Step

Rules: TypeAlias = "Rule | Sequence[Rule]"
Defining: TypeAlias = "tuple[Any, Rules] | tuple[Any, Rules, str]"
Equations: TypeAlias = "Iterable[Defining]"


@dataclass(frozen=True, slots=True)
class Shape:
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
        return replace(self, reading=reading)


@dataclass(frozen=True, slots=True)
class Condition:
    """*relation* must hold, or *parameter* is refused with *message*.

    ``{name}`` in the message quotes a value.
    """

    relation: Rel
    parameter: str
    message: str


RESERVED: Final = frozenset(  # options that every type's command has
    {
        "all",
        "as_yaml",
        "ask",
        "assert",
        "bare",
        "exact",
        "find",
        "force",
        "format",
        "help",
        "help_all",
    }
    | {"hint", "mine", "numbers", "output", "quantity", "steps", "unit", "where"}
)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The *times* of several ways to do one thing, by name, each linear in the letter *by*.

    They are ranked, and it is shown where the order changes as *by* grows; such a place is called
    *place*.
    """

    title: str
    by: Expr
    place: str
    times: Mapping[str, Expr]


@dataclass(frozen=True, slots=True)
class Alternatives:
    """Lists to show side by side under a *title*, by name with the head of their column.

    A row is one of *what*, counted from *first*. A word of *marks* stands in the rows whose
    relation holds; the steps of the quantities *marked* say no more than it does. If it is
    stated, only the row of number *worked* (from 1) is worked out. There are as many *rows* as
    that comes to, where a cell shows several values; else a row for each value. What no step works
    out stands *behind* the step of that name. Heads of what is *lettered* show its letter.
    An *aside* is shown on demand. Rows that have *names* are called so instead of counted.
    """

    title: str
    what: str
    columns: Mapping[str, str]
    worked: Expr | None = None
    marks: Mapping[str, Sequence[Rel]] = field(default_factory=dict)
    marked: tuple[str, ...] = ()
    first: int = 1
    why: str = ""
    rows: Expr | None = None
    behind: str = ""
    lettered: Sequence[str] = ()
    aside: bool = False
    names: Sequence[str] = ()


class Problem:
    """A kind of question. Subclass it, declare its quantities, and write down ``equations``.

    The first paragraph of the docstring is the question, the second says in two or three sentences
    what happens physically, the rest is the type's manual. The class attribute ``answer`` names the
    quantity asked for (default: the last one defined), ``terms`` the words of
    :mod:`ddcalc.problem.terms` that the question is about. A type of another package states its
    ``group``, the subject under which it is listed (in ``ddcalc.problem.catalog``); ours are listed
    under the folder that they are in.
    """

    slug: ClassVar[str]
    reference: ClassVar[str]  # by which another process finds the type: its slug, or its sheet
    quantities: ClassVar[dict[str, Quantity]]
    givens: ClassVar[dict[str, Given]]
    choices: ClassVar[dict[str, Choice]]
    slots: ClassVar[dict[str, list[str]]]  # the givens that presets may fill, by what names them
    answer: ClassVar[str] = ""
    source: ClassVar[str] = ""
    group: ClassVar[str] = ""
    terms: ClassVar[tuple[str, ...]] = ()
    keywords: ClassVar[str] = ""  # phrases by which people look for the question, parted by ";"
    table: ClassVar[tuple[str, ...]] = ()  # lists that a table of numbers may state: inputs, target
    sequential: ClassVar[bool] = True  # whether the parts of the answer follow one another
    symbolic: ClassVar[bool] = True  # whether there are equations; schedules may be without

    shape: Shape
    symbols: dict[str, Any]  # by attribute
    origin: dict[str, tuple[Quantity, int | None]]  # what a letter stands for, and which of a list

    def __init_subclass__(cls) -> None:
        cls.slug = re.sub(r"(?<!^)(?=[A-Z])", "-", cls.__name__).lower()
        cls.reference = cls.slug
        scopes = [vars(base).values() for base in reversed(cls.__mro__)]
        declared = [d for scope in scopes for d in scope if isinstance(d, Declared)]
        cls.quantities = {q.name: q for q in declared if isinstance(q, Quantity)}
        cls.givens = {n: q for n, q in cls.quantities.items() if isinstance(q, Given)}
        cls.choices = {c.name: c for c in declared if isinstance(c, Choice)}
        cls.slots = _slots(cls)
        if not cls.answer and cls.quantities:
            cls.answer = next(reversed(cls.quantities))
        if cls.symbolic and any(given.free for given in cls.givens.values()):
            raise BadEquation(cls.__name__, "equations leave no given open; only schedules may")
        if taken := RESERVED & {*cls.givens, *cls.choices}:
            raise BadEquation(cls.__name__, f"{', '.join(sorted(taken))} is an option of all types")
        if hidden := _reserved_names(cls) & {d.attribute for d in declared}:
            raise BadEquation(cls.__name__, f"{', '.join(sorted(hidden))} is a name of all types")
        letters = [q.letter for q in cls.quantities.values()]
        if clash := {letter for letter in letters if letters.count(letter) > 1}:
            raise BadEquation(cls.__name__, f"{', '.join(sorted(clash))} stands for two quantities")

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self._sentences: dict[str, tuple[Any, ...]] = {}
        lengths, words = dict(shape.lengths), dict(shape.words)
        reading = dict(shape.reading)
        self.symbols = {c.attribute: reading[n] for n, c in self.choices.items()}
        self.origin = {}
        for name, quantity in self.quantities.items():
            symbol = words[name] if name in words else self._symbols(quantity, lengths)
            self.symbols[quantity.attribute] = symbol

    def _symbols(self, quantity: Quantity, lengths: dict[str, int]) -> Sym | tuple[Sym, ...]:
        follows = quantity.many if isinstance(quantity, Derived) else (quantity.name,)
        length = next((lengths[name] for name in follows if name in lengths), None)
        if length is None:
            self.origin[quantity.letter] = (quantity, None)
            return Sym(quantity.letter)
        letters = quantity.lettered(length)
        taken = {q.letter for q in self.quantities.values() if q is not quantity}
        if clash := {*letters} & ({*self.origin} | taken):
            raise BadEquation(self.slug, f"{', '.join(sorted(clash))} stands for two quantities")
        self.origin.update({letter: (quantity, i) for i, letter in enumerate(letters, 1)})
        return tuple(map(Sym, letters))

    def states(self, *names: str) -> bool:
        """Whether the question states the optional givens called *names*, all of them."""
        return {*names}.issubset(self.shape.stated)

    def states_any(self, *names: str) -> bool:
        """Whether the question states one of the optional givens called *names*."""
        return not {*names}.isdisjoint(self.shape.stated)

    @classmethod
    def answer_in(cls, shape: Shape) -> str:
        """The quantity that a question of *shape* asks for: ``answer``, unless a type has several
        questions."""
        return cls.answer

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

    @property
    def answered(self) -> Quantity:
        """The quantity asked for in this shape."""
        return self.quantities[self.target_in(self.shape)]

    def counted(self) -> set[str]:
        """The letters of givens that are whole numbers."""
        given = {letter: q for letter, (q, _) in self.origin.items() if isinstance(q, Given)}
        return {letter for letter, quantity in given.items() if quantity.whole}

    def equations(self) -> Equations:
        """Yield each derived symbol with its rule, and a reason if it depends on the shape.

        A rule is a formula, an :class:`~ddcalc.formula.algebra.Eq` to solve, or a condition.
        Symbols are all there is to see here: rules may depend on choices, on what is stated and on
        how long a list is, never on values. So they are written once for solving, checking and
        documenting.
        """
        raise NotImplementedError

    def needs(self) -> Iterator[tuple[str, ...]]:
        """Groups of optional givens of which this shape must state at least one more."""
        return iter(())

    def conditions(self) -> Iterator[Condition]:
        """What the numbers must satisfy beyond the limits of each given.

        All are tested together, so none may divide by what another one keeps from being 0.
        """
        return iter(())

    def mechanism(self) -> str:
        """What happens physically in this shape, in two or three sentences, before any formula."""
        return self.about().split("\n\n")[1] if "\n\n" in self.about() else ""

    def conclusion(self) -> Iterator[Said]:
        """The answer in words: everything that the question asks, in one or two sentences."""
        return iter(())

    def insights(self) -> Iterator[Said]:
        """What the answer means: sentences that are true and not obvious, at most three."""
        return iter(())

    def crosschecks(self) -> Iterator[Crosscheck]:
        """Independent second ways to what the answer rests on."""
        return iter(())

    def premises(self) -> Iterator[Premise]:
        """What the model takes for granted in this shape, beside the choices."""
        return iter(())

    def arguments(self) -> Iterator[Argument]:
        """Why formulas that are not plain are what they are, worked out by SymPy."""
        return iter(())

    def sentences(self, what: str) -> tuple[Any, ...]:
        """What the method called *what* yields; made once, as it depends on the shape alone."""
        if what not in self._sentences:
            self._sentences[what] = tuple(getattr(self, what)())
        return self._sentences[what]

    def rankings(self) -> Iterator[Ranking]:
        """What is to be ranked in this shape."""
        return iter(())

    def alternatives(self) -> Alternatives | None:
        """The lists that a page shows side by side in this shape."""
        return None

    def tables(self) -> Iterator[Alternatives]:
        """All the tables that a page shows in this shape."""
        beside = self.alternatives()
        return iter(() if beside is None else (beside,))

    def pictures(self, values: Mapping[str, Number]) -> Iterator[Step]:
        """Pictures of what the equations came to: the *values* by name that are one number.

        They define nothing, so they may depend on numbers.
        """
        return iter(())

    @classmethod
    def is_played(cls, shape: Shape) -> bool:
        """Whether questions of *shape* are played, equations or not."""
        return not cls.symbolic

    @classmethod
    def neighbours(cls, shape: Shape) -> Iterator[tuple[str, str, Shape]]:
        """The shapes in which one choice is another one: its name, the other option, the shape.

        Those that need more than is stated are left out.
        """
        for name, option in shape.reading:
            for other in cls.choices[name].options:
                changed = shape.with_choice(name, other)
                if other != option and (shape.spared or not cls.unmet(changed)):
                    yield name, other, changed

    @classmethod
    def unmet(cls, shape: Shape) -> list[tuple[str, ...]]:
        """The groups of givens of which *shape* has to state one more."""
        left = {name for name, given in cls.givens.items() if given.optional or given.free}
        missing = left - {*shape.stated}
        return [group for group in cls.groups_needed(shape) if missing.issuperset(group)]

    @classmethod
    def groups_needed(cls, shape: Shape) -> tuple[tuple[str, ...], ...]:
        """What ``needs`` yields, each group once, without those that another one implies."""
        groups = dict.fromkeys(cls(shape).needs())
        return tuple(group for group in groups if not any({*one} < {*group} for one in groups))

    @classmethod
    def about(cls) -> str:
        """The docstring, one line a paragraph."""
        return _unwrapped(cls.__doc__ or "")

    @classmethod
    def question(cls) -> str:
        """The first paragraph of the docstring."""
        return cls.about().split("\n\n")[0]

    def heading(self) -> str:
        """The question over a page, in words that fit the shape."""
        return self.question()

    @classmethod
    def manual(cls) -> str:
        """The docstring after its first paragraph."""
        return "\n\n".join(cls.about().split("\n\n")[1:])


@remembered
def _unwrapped(text: str) -> str:
    paragraphs = cleandoc(text).split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def _slots(problem: type[Problem]) -> dict[str, list[str]]:
    """The givens of *problem* that presets may fill, by the option that names the preset."""
    slots: dict[str, list[str]] = {}
    for name, given in problem.givens.items():
        for fact in given.filled_by.facts:
            slot, _, fact_name = fact.partition(".")
            known = facts_by_kind()[SLOTS[slot]].get(fact_name) if slot in SLOTS else None
            if known is None or known.unit.dimension != given.unit.dimension:
                reason = f"{fact} is not a fact of presets that could fill {name}"
                raise BadEquation(problem.__name__, reason)
            if name not in slots.setdefault(slot, []):
                slots[slot].append(name)
    return {slot: slots[slot] for slot in SLOTS if slot in slots}


def _reserved_names(problem: type[Problem]) -> set[str]:
    """What *problem* and what it is made from are asked for, which no declaration may hide."""
    scopes = problem.__mro__[:-1]
    annotated = {name for scope in scopes for name in get_annotations(scope)}
    defined = {
        name
        for scope in scopes
        for name, value in vars(scope).items()
        if not isinstance(value, Declared)
    }
    return annotated | defined
