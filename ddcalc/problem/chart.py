"""Charts as data: curves on two scales, to be drawn as pictures, in terminals, or told in words."""

from __future__ import annotations

from dataclasses import dataclass

from ddcalc.numbers.number import Number


@dataclass(frozen=True, slots=True)
class Dot:
    """A point of a curve: its two numbers, in the units of the chart, and itself in words."""

    x: Number
    y: Number
    words: str


@dataclass(frozen=True, slots=True)
class Curve:
    """A line through *dots*; None is a gap, where points have no value."""

    label: str
    dots: tuple[Dot | None, ...]


@dataclass(frozen=True, slots=True)
class Scale:
    """What an axis shows, and whether equal distances are equal factors."""

    name: str
    unit: str
    factors: bool = False

    def __str__(self) -> str:
        return f"{self.name} [{self.unit}]" if self.unit else self.name


@dataclass(frozen=True, slots=True)
class Chart:
    """Curves on two scales, the *best* point if one was sought, and how many curves are *left*
    out."""

    title: str
    x: Scale
    y: Scale
    curves: tuple[Curve, ...]
    best: Dot | None
    left: int
