"""Versions of an exam: the first one has the first variant of each question, and so on; and options
to tick, the right answer among wrong ones that slips lead to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import overload

from ddcalc.ask.mark.exercise import AnsweredQuantity, Exercise, member
from ddcalc.ask.mark.slip import AS_USUAL, Kind, Pieces, Slip
from ddcalc.ask.mark.slips import joined
from ddcalc.ask.mark.suspects import reading_deed, suspects
from ddcalc.ask.mark.written import Allowed, needs_unit
from ddcalc.ask.solve import Derivation, Result, Results, Text, first, singles, texts_of
from ddcalc.ask.variants.draw import pick, shuffled
from ddcalc.ask.variants.search import Variants, places
from ddcalc.formula.expression import Expr, Mul, Num, Number, Sym
from ddcalc.numbers.amounts import fitting
from ddcalc.numbers.display import half_up, rounded
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.number import in_units, plain, product
from ddcalc.numbers.units import PERCENT, SHARE, Unit
from ddcalc.problem.stated import Stated
from ddcalc.problem.steps import Value

LONGEST = 64  # characters of an id
DIGITS = 35  # of a number that can be read again with all its decimals
LETTERS = "ABCDEFGH"  # of the options
SHOWN = 4  # significant digits of an answer that does not end
FARTHEST = 1000  # times that a wrong option is larger or smaller than the right one, at most

# The slips that make the best wrong options, then those that serve if there are too few.
_FIRST: frozenset[Kind] = frozenset(
    ("term", "factor", "rounding", "strict", "reading", "case", "count", "extreme")
)
_LAST: frozenset[Kind] = frozenset(
    ("power of ten", "digits", "sign", "upside down", "clock", "algebra")
)


# Options


@dataclass(frozen=True, slots=True)
class Option:
    """What may be ticked: a *value* as it is shown in *unit*, and the *deed* that leads to it;
    nothing leads to the *right* one."""

    value: Value
    unit: Unit
    deed: Pieces = ()

    @property
    def right(self) -> bool:
        """Whether it is the answer."""
        return not self.deed


def options(solved: Derivation, count: int, seed: str) -> tuple[Option, ...]:
    """Up to *count* options for the answer of *solved*, all different as they are shown.

    The place of the right one follows from *seed*, as does the choice among the slips.
    """
    random = Random(seed)  # noqa: S311
    shown, unit = _shown(solved), solved.answer.unit
    right = Option(shown(solved.answer.value), unit)
    different: dict[Value, Option] = {right.value: right}
    for value, deed in _wrong(solved, random):
        if len(different) >= count:
            break
        option = Option(shown(value), unit, deed)
        if option.value not in different and _is_like(option.value, right.value):
            different[option.value] = option
    _, *wrong = different.values()
    at = pick(random, len(wrong) + 1)
    return (*wrong[:at], right, *wrong[at:])


def _shown(solved: Derivation) -> Callable[[Value], Value]:
    """How options are rounded: to the digits behind the point that the right one has."""
    unit = solved.answer.unit
    ends = places(solved.answer.value, unit)

    def shown(value: Value) -> Value:
        if value is None or isinstance(value, Expr):
            return value
        number = in_units(value, unit.worth)
        number = rounded(number, SHOWN) if ends is None else half_up(number, -ends)
        return product(number, unit.worth)

    return shown


def _is_like(value: Value, right: Value) -> bool:
    """Whether *value* does not give itself away by its size or sign."""
    if right is None or value is None or isinstance(value, Expr) or isinstance(right, Expr):
        return True
    if right == 0:
        return value >= 0
    return right / FARTHEST <= value <= right * FARTHEST if right > 0 else value < 0


def _wrong(solved: Derivation, random: Random) -> Iterator[tuple[Value, Pieces]]:
    """What slips lead to, with what was done: good ones first, each kind once before it recurs."""
    exercise, answer = Exercise(solved), solved.answer
    if answer.value is None or isinstance(answer.value, Expr):
        yield from _read_otherwise(exercise, answer.name)
        if isinstance(answer.value, Expr):
            yield from _other_numbers(answer.value, random)
        return
    target = AnsweredQuantity(
        solved.problem.quantities[answer.name], answer.symbol, plain(answer.value)
    )
    whole = places(answer.value, answer.unit) == 0 and not answer.unit.name
    for suspect in _ordered(suspects(exercise, target), random):
        if not whole or suspect.value.denominator == 1:
            yield suspect.value, suspect.deed


def _ordered(slips: list[Slip], random: Random) -> Iterator[Slip]:
    mixed = [slips[i] for i in shuffled(random, len(slips))]
    for rank in (0, 1, 2):
        by_kind: dict[Kind, list[Slip]] = {}
        for suspect in mixed:
            if (0 if suspect.kind in _FIRST else 2 if suspect.kind in _LAST else 1) == rank:
                by_kind.setdefault(suspect.kind, []).append(suspect)
        while by_kind:
            for kind in list(by_kind):
                yield by_kind[kind].pop()
                if not by_kind[kind]:
                    del by_kind[kind]


def _read_otherwise(exercise: Exercise, name: str) -> Iterator[tuple[Value, Pieces]]:
    """The answers of other readings."""
    for other in exercise.otherwise:
        value = member(other.values.get(name), None)
        if not isinstance(value, Approximate):
            yield value, reading_deed(exercise, other)


def _other_numbers(value: Expr, random: Random) -> Iterator[tuple[Value, Pieces]]:
    """*value* with another number before its letters: somewhat too much or too little counted."""
    number, rest = _factors(value)
    if not all(isinstance(part, Sym) for part in rest):
        return
    changes = [1, -1, 2, -2, 3, -3]
    for i in shuffled(random, len(changes)):
        other: Number = number + changes[i]
        if other > 0:
            much = "much" if changes[i] > 0 else "little"
            deed: Pieces = (f"counting too {much}: ", Num(other), " instead of ", Num(number))
            yield (Mul((Num(other), *rest)) if other != 1 else joined(Mul, rest)), deed


def _factors(value: Expr) -> tuple[Number, tuple[Expr, ...]]:
    """The number before a product, and its other factors."""
    match value:
        case Mul((Num(number), *others)):
            return number, tuple(others)
        case Mul(factors):
            return 1, factors
    return 1, (value,)


# Versions


@dataclass(frozen=True)
class ExamQuestion:
    """A question called *name* with its *variants*, of which there are none before the search.

    Its file *expects* some results; besides the answer those *sought* are asked for, of which
    *allowed* says how far they may be off and what each is worth; *points*, if any, are for all.
    It has a *title* where that holds for its variants too.
    """

    name: str
    variants: Variants
    expects: Sequence[str] = ()
    sought: Sequence[str] = ()
    allowed: Mapping[str, Allowed] = field(default_factory=dict)
    points: Number | None = None
    title: str = ""

    @property
    def base(self) -> Stated:
        """What it states itself."""
        return self.variants.base


@dataclass(frozen=True)
class ExamItem:
    """A variant in an exam: its *base*, the number of its *version*, and what it has *stated*. It
    is asked with up to so many *choices* (0: none), drawn by a *seed*."""

    base: ExamQuestion
    version: int
    stated: Stated
    choices: int = 0
    seed: int = 0

    @cached_property
    def solved(self) -> Derivation:
        """The question, solved."""
        return Derivation(self.stated)

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """What may be ticked; none where several results are asked for, or where no slip leads
        anywhere else."""
        if not self.choices or len(self.results) > 1:
            return ()
        drawn = f"{self.seed} {self.base.name} {self.version}"
        ticked = options(self.solved, self.choices, drawn)
        return ticked if len(ticked) > 1 else ()

    @property
    def id(self) -> str:
        """A name that no other item has, made from that of the base."""
        end = f"-{self.version}"
        return self.base.name[: LONGEST - len(end)] + end

    @property
    def texts(self) -> dict[str, Text]:
        """What it states, as in a file."""
        return texts_of(self.stated)

    @cached_property
    def results(self) -> list[Results]:
        """What is asked for, the answer among it, in the order of derivation."""
        wanted = {*self.stated.shape.wanted, self.solved.answer.name}
        return [*self._results({*self.base.sought, *self.base.variants.changing, *wanted})]

    @property
    def expected(self) -> Iterator[Results]:
        """What is asked for and what else the base expects, in the order of derivation.

        What is too long to be read from a file is left out.
        """
        wanted = {first(result).name for result in self.results}
        return filter(_is_readable, self._results({*self.base.expects, *wanted}))

    def allowed(self, result: Results) -> Allowed:
        """How far *result* may be off."""
        return self.base.allowed.get(first(result).name, Allowed())

    def unit(self, result: Results) -> Unit:
        """The unit in which *result* is asked for: that of the sheet, or the usual one; where a
        number without a unit would say nothing, the one in which it is shown."""
        usual, value = first(result).unit, first(result).value
        if (wanted := self.allowed(result).unit) is not None:
            return wanted
        if usual == SHARE:
            return PERCENT
        if not isinstance(result, Result) or value is None or isinstance(value, Expr):
            return usual
        return fitting(value, usual) if needs_unit(usual.dimension) else usual

    @cached_property
    def points(self) -> Number | None:
        """What it is worth, where that is stated: in all, or result by result."""
        if self.base.points is not None:
            return self.base.points
        worth = [self.worth(result) for result in self.results]
        return None if all(part == AS_USUAL.points for part in worth) else sum(worth)

    def worth(self, result: Results) -> Number:
        """What a *result* that is asked for is worth."""
        if self.base.points is not None:
            return Fraction(self.base.points, len(self.results))
        return self.allowed(result).credit.points

    def _results(self, names: Set[str]) -> Iterator[Results]:
        for name in self.solved.values:
            if name in names and name in self.solved.quantities:
                yield self.solved.quantities[name]

    @property
    def lettered(self) -> list[tuple[str, Option]]:
        """What may be ticked, each with its letter."""
        return list(zip(LETTERS, self.options, strict=False))

    @property
    def right(self) -> str:
        """The letter of the right option; empty where there are none."""
        return next((letter for letter, option in self.lettered if option.right), "")


Version = tuple[ExamItem, ...]


def _is_readable(result: Results) -> bool:
    """Whether numbers are short enough to be stated in a file."""
    values = [one.value for one in singles(result)]
    most = 10**DIGITS
    return all(
        value is None
        or isinstance(value, Expr)
        or max(abs(value.numerator), value.denominator) < most
        for value in values
    )


class Versions(Sequence[Version]):
    """As many versions as the base with the fewest variants has, each with all questions and that
    many *choices*.

    Each is made when it is asked for, so that what its pages need does not stay.
    """

    def __init__(self, bases: Sequence[ExamQuestion], choices: int = 0, seed: int = 0) -> None:
        self.bases, self.choices, self.seed = bases, choices, seed

    def __len__(self) -> int:
        return min((len(base.variants.questions) for base in self.bases), default=0)

    @overload
    def __getitem__(self, place: int) -> Version: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Version]: ...
    def __getitem__(self, place: int | slice) -> Version | Sequence[Version]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        if not 0 <= place < len(self):
            raise IndexError(place)
        return tuple(
            ExamItem(
                base,
                place + 1,
                base.variants.questions[place],
                self.choices,
                self.seed,
            )
            for base in self.bases
        )
