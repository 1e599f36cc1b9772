"""The shape of a question: all that its equations may depend on, and none of its numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Shape:
    """Which options are chosen, how long the lists are, what is stated, which words stand in."""

    reading: tuple[tuple[str, str], ...] = ()
    lengths: tuple[tuple[str, int], ...] = ()
    stated: tuple[str, ...] = ()  # those of the optional givens that are stated
    words: tuple[tuple[str, str], ...] = ()

    def with_choice(self, name: str, option: str) -> Shape:
        """This shape with one choice changed."""
        reading = tuple((key, option if key == name else old) for key, old in self.reading)
        return replace(self, reading=reading)
