"""Versions of an exam: the first one has the first variant of each question, and so on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property

from ddcalc.ask.mark.slip import AS_USUAL
from ddcalc.ask.mark.written import Allowed, needs_unit
from ddcalc.ask.solve import Derivation, Result, Results, Text, first, singles, texts_of
from ddcalc.ask.variants.distractors import Option, options
from ddcalc.ask.variants.search import Variants
from ddcalc.formula.expression import Expr, Number
from ddcalc.numbers.amounts import fitting
from ddcalc.numbers.units import PERCENT, SHARE, Unit
from ddcalc.problem.stated import Stated

LONGEST = 64  # characters of an id
DIGITS = 35  # of a number that can be read again with all its decimals
LETTERS = "ABCDEFGH"  # of the options


@dataclass(frozen=True)
class ExamQuestion:
    """A question called *name* with its *variants*. Its file *expects* some results; *allowed* says
    how far results may be off and what each is worth."""

    name: str
    variants: Variants
    expects: Sequence[str] = ()
    allowed: Mapping[str, Allowed] = field(default_factory=dict)


@dataclass(frozen=True)
class ExamItem:
    """A variant in an exam: its *base*, the number of its *version*, and what it has *stated*. It
    is asked with up to so many *choices* (0: none), drawn by a *seed*."""

    base: ExamQuestion
    version: int
    stated: Stated
    choices: int = 0
    seed: int = 0

    @property
    def id(self) -> str:
        """A name that no other item has, made from that of the base."""
        end = f"-{self.version}"
        return self.base.name[: LONGEST - len(end)] + end

    @cached_property
    def solved(self) -> Derivation:
        """The question, solved."""
        return Derivation(self.stated)

    @property
    def texts(self) -> dict[str, Text]:
        """What it states, as in a file."""
        return texts_of(self.stated)

    @cached_property
    def results(self) -> list[Results]:
        """What is asked for, in the order of derivation."""
        return [*self._results({*self.stated.shape.wanted} or {self.solved.answer.name})]

    @cached_property
    def expected(self) -> list[Results]:
        """What is asked for and what else the base expects, in the order of derivation; what is too
        long to be read from a file is left out."""
        names = {first(result).name for result in self.results}
        return [one for one in self._results(names.union(self.base.expects)) if _is_readable(one)]

    def _results(self, names: Set[str]) -> Iterator[Results]:
        known = self.solved.quantities
        return (known[name] for name in self.solved.values if name in names and name in known)

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
        """What it is worth, where that is stated."""
        worth = [self.allowed(result).credit.points for result in self.results]
        return None if all(part == AS_USUAL.points for part in worth) else sum(worth)

    @cached_property
    def lettered(self) -> list[tuple[str, Option]]:
        """What may be ticked, each with its letter; none where several results are asked for, or
        where no slip leads anywhere else."""
        if not self.choices or len(self.results) > 1:
            return []
        drawn = f"{self.seed} {self.base.name} {self.version}"
        ticked = options(self.solved, self.choices, drawn)
        return list(zip(LETTERS, ticked, strict=False)) if len(ticked) > 1 else []

    @property
    def right(self) -> str:
        """The letter of the right option; empty where there are none."""
        return next((letter for letter, option in self.lettered if option.right), "")


Version = tuple[ExamItem, ...]


def versions(bases: Sequence[ExamQuestion], choices: int = 0, seed: int = 0) -> Iterator[Version]:
    """As many versions as the base with the fewest variants has, each with all questions and that
    many *choices*; each is made when it is asked for, so that what its pages need does not stay."""
    for place in range(min((len(base.variants.questions) for base in bases), default=0)):
        yield tuple(
            ExamItem(base, place + 1, base.variants.questions[place], choices, seed)
            for base in bases
        )


def _is_readable(result: Results) -> bool:
    """Whether numbers are short enough to be stated in a file."""
    most = 10**DIGITS
    return all(
        one.value is None
        or isinstance(one.value, Expr)
        or max(abs(one.value.numerator), one.value.denominator) < most
        for one in singles(result)
    )
