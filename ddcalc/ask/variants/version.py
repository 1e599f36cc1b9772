"""Versions of an exam: the first one has the first variant of each question, and so on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ddcalc.ask.solve import Derivation, Result
from ddcalc.ask.variants.draw import Text, base_texts
from ddcalc.ask.variants.options import Option, options
from ddcalc.ask.variants.search import Variants
from ddcalc.formula.expression import Expr

LONGEST = 64  # characters of an id
DIGITS = 35  # of a number that can be read again with all its decimals
LETTERS = "ABCDEFGH"  # of the options


@dataclass(frozen=True)
class Base:
    """A question called *name* with its *variants*; *asked* are results that its file expects."""

    name: str
    variants: Variants
    asked: Sequence[str] = ()


@dataclass(frozen=True)
class Item:
    """A variant in an exam: the *solved* question, its *base* and what may be ticked (or none)."""

    base: Base
    version: int
    solved: Derivation
    options: tuple[Option, ...] = ()

    @property
    def id(self) -> str:
        """A name of its own, made from that of the base."""
        end = f"-{self.version}"
        return self.base.name[: LONGEST - len(end)] + end

    @property
    def texts(self) -> dict[str, Text]:
        """What it states, as in a file."""
        return base_texts(self.solved.stated)

    @property
    def expected(self) -> Iterator[Result | tuple[Result, ...]]:
        """The answer, and before it what else the base expects, in the order of derivation.

        What is too long to be read from a file is left out.
        """
        wanted = {*self.base.asked, self.solved.answer.name}
        for name in self.solved.values:
            told = self.solved.quantities.get(name)
            if name in wanted and told is not None and _is_readable(told):
                yield told

    @property
    def right(self) -> str:
        """The letter of the right option; empty where there are none."""
        return next((a for a, each in zip(LETTERS, self.options, strict=False) if each.right), "")


Version = tuple[Item, ...]


def _is_readable(told: Result | tuple[Result, ...]) -> bool:
    """Whether numbers are short enough to be stated in a file."""
    values = [each.value for each in told] if isinstance(told, tuple) else [told.value]
    most = 10**DIGITS
    return all(
        value is None
        or isinstance(value, Expr)
        or max(abs(value.numerator), value.denominator) < most
        for value in values
    )


def versions(bases: Sequence[Base], choices: int = 0, seed: int = 0) -> list[Version]:
    """As many versions as the base with the most variants has, with so many *choices* each.

    A question of which no slip leads anywhere else has none.
    """
    most = max((len(base.variants.found) for base in bases), default=0)
    return [tuple(_items(bases, i, choices, seed)) for i in range(1, most + 1)]


def _items(bases: Sequence[Base], version: int, choices: int, seed: int) -> Iterator[Item]:
    for base in bases:
        if version <= len(base.variants.found):
            solved = Derivation(base.variants.found[version - 1])
            drawn = f"{seed} {base.name} {version}"
            told = options(solved, choices, drawn) if choices else ()
            yield Item(base, version, solved, told if len(told) > 1 else ())
