"""Asynchronous and sequential SGD by their definitions: sets and sorted lists, no event queue. It
shares no code with ddcalc, and finds what a gradient has seen by comparing all times."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

Vector = tuple[Fraction, ...]
Gradient = Callable[[int, Vector], Vector]


@dataclass(frozen=True)
class Witness:
    """By data number, 1, 2, …: the data that the asynchronous gradient has seen. Only updates that
    count are in *seen*; *alone* is the number of sequential updates."""

    seen: dict[int, frozenset[int]]
    alone: int

    @property
    def shared(self) -> int:
        """The gradients that are the same in both runs."""
        same: set[int] = set()
        for data in sorted(self.seen):
            before = set(range(1, data))
            if data <= self.alone and self.seen[data] == before and before <= same:
                same.add(data)
        return len(same)

    def asynchronous_end(self, step: Fraction, gradient: Gradient, start: Vector) -> Vector:
        """x after the asynchronous run."""
        taken: dict[int, Vector] = {}
        for data in sorted(self.seen):
            point = _minus(start, step, [taken[other] for other in sorted(self.seen[data])])
            taken[data] = gradient(data, point)
        return _minus(start, step, list(taken.values()))

    def sequential_end(self, step: Fraction, gradient: Gradient, start: Vector) -> Vector:
        """x after the sequential run."""
        x = start
        for data in range(1, self.alone + 1):
            x = _minus(x, step, [gradient(data, x)])
        return x


def same_time(starts: Sequence[Fraction], duration: Fraction, horizon: Fraction) -> Witness:
    """Both runs until the *horizon*, which is included."""
    alone = 0
    while (alone + 1) * duration <= horizon:
        alone += 1
    return _witness(starts, duration, alone, lambda ends: [e for e in ends if e[0] <= horizon])


def same_operations(starts: Sequence[Fraction], duration: Fraction, count: int) -> Witness:
    """Both runs until their update number *count*."""
    return _witness(starts, duration, count, lambda ends: ends[:count])


Ends = list[tuple[Fraction, int]]


def _witness(
    starts: Sequence[Fraction], duration: Fraction, alone: int, counted: Callable[[Ends], Ends]
) -> Witness:
    turns = [turn * duration for turn in range(alone + 1)]
    begins = sorted((start + turn, core) for core, start in enumerate(starts) for turn in turns)
    numbers = {begin: number for number, begin in enumerate(begins, 1)}
    ends = sorted((begin + duration, core) for begin, core in begins)
    done = {numbers[end - duration, core]: (end - duration, end) for end, core in counted(ends)}
    ended = {data: end for data, (_, end) in done.items()}
    seen = {data: frozenset(other for other in done if ended[other] <= begin)
            for data, (begin, _) in done.items()}  # fmt: skip
    return Witness(seen, alone)


def _minus(start: Vector, step: Fraction, gradients: list[Vector]) -> Vector:
    return tuple(x - step * sum(axis) for x, *axis in zip(start, *gradients, strict=True))
