"""Versions of an exam: the first one has the first variant of each question, and so on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from ddcalc.ask.mark.grading import AS_USUAL
from ddcalc.files.answer_key import Key
from ddcalc.files.batch import Solved
from ddcalc.files.drawn import DrawnQuestion
from ddcalc.files.keys import keys_in
from ddcalc.formula.expression import Number

LONGEST: Final = 64  # characters of an id


@dataclass(frozen=True)
class ExamItem:
    """A variant in an exam: its *base*, the number of its *version*, and itself *done*."""

    base: DrawnQuestion
    version: int
    done: Solved

    @property
    def id(self) -> str:
        """A name that no other item has, made from that of the base."""
        end = f"-{self.version}"
        return self.base.name[: LONGEST - len(end)] + end

    @cached_property
    def parts(self) -> list[tuple[Key, ...]]:
        """The keys to its parts, or to itself, one for each case."""
        return keys_in(self.done)

    @cached_property
    def ways(self) -> dict[str, set[str]]:
        """In which ways its parts, and their cases, read each choice."""
        ways: dict[str, set[str]] = {}
        for one in (x for keys in self.parts for key in keys for x in key.solved.assumptions):
            ways.setdefault(one.choice, set()).add(one.says)
        return ways

    @property
    def points(self) -> Number | None:
        """What it is worth, where that is stated."""
        worth = [point for key, *_ in self.parts for point in key.worth]
        return None if all(one == AS_USUAL.points for one in worth) else sum(worth)


Version = tuple[ExamItem, ...]


def versions(bases: Sequence[DrawnQuestion]) -> Iterator[Version]:
    """As many versions as the base with the fewest variants has, each with all questions; each is
    made when it is asked for, so that what its pages need does not stay."""
    for place in range(min(map(len, bases), default=0)):
        yield tuple(ExamItem(base, place + 1, base.version(place)) for base in bases)
