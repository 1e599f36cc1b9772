"""Random sweeps of any equation type and shape, as texts, and each of their points worked out as a
question of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import floor
from random import Random

from questions import Kind, Texts, drawn, shapes

from ddcalc.ask.working import working
from ddcalc.errors import BadValue, NoAnswer, Several
from ddcalc.formula.expression import Number
from ddcalc.problem.plan import plan
from ddcalc.problem.problem import Shape
from ddcalc.problem.quantity import Given
from ddcalc.problem.stated import read

# what makes numbers too wide for 64 bits, or quotients that floats cannot tell from whole numbers
WIDE = (1, 1, 1, Fraction(10**9 + 7, 10**9 + 9), Fraction(1, 10**12 + 39), 10**20)
WIDE_COUNTS = (1, 1, 1, 10**6, 10**15, 10**22)


@dataclass(frozen=True)
class Drawn:
    """A sweep: what is stated, what varies as it is written, and the values that this means."""

    problem: Kind
    texts: Texts
    vary: list[tuple[str, str]]
    values: list[list[str]]
    quantities: list[str]

    def points(self) -> Iterator[dict[str, Number | None] | None]:
        """The quantities at every point, None where there are none."""
        names = [name for name, _ in self.vary]
        for place in product(*self.values):
            texts = self.texts | dict(zip(names, place, strict=True))
            try:
                sweep = working(read(self.problem, texts)).values
            except (BadValue, Several):
                yield None
            except NoAnswer as error:
                # what is only too large to be worked out may have a value all the same
                yield {} if "lead to" in str(error) else None
            else:
                values = (sweep[name] for name in self.quantities)
                plain = (
                    None if v is None else Fraction(v.numerator, v.denominator) for v in values
                )  # type: ignore[union-attr]
                yield dict(zip(self.quantities, plain, strict=True))


def sweeps(problem: Kind, random: Random, *, wide: bool, most: int) -> Iterator[Drawn]:
    """A sweep of every shape of *problem*, or of *most* of them; some with *wide* numbers."""
    all_shapes = shapes(problem)
    for shape in random.sample(all_shapes, min(most, len(all_shapes))):
        sweep = _sweep(problem, shape, random, wide)
        if sweep is not None:
            yield sweep


def _sweep(problem: Kind, shape: Shape, random: Random, wide: bool) -> Drawn | None:
    made = plan(problem, shape)
    lengths, words = dict(shape.lengths), dict(shape.words)
    texts: Texts = {**dict(shape.reading), **words}
    single: list[Given] = []
    for name, given in problem.givens.items():
        if name in lengths:
            texts[name] = [_text(given, _number(given, random, wide)) for _ in range(lengths[name])]
        elif given.letter in made.givens:
            texts[name] = _text(given, _number(given, random, wide))
            single.append(given)
    if not single:
        return None
    vary, values = [], []
    for given in random.sample(single, min(len(single), random.choice([1, 2, 2, 3]))):
        del texts[given.name]
        spec, meant = _values(given, random, wide)
        vary.append((given.name, spec))
        values.append(meant)
    shown = {line.quantity.name for line in made.lines if line.index is None}
    return Drawn(problem, texts, vary, values, sorted(shown))


def _values(given: Given, random: Random, wide: bool) -> tuple[str, list[str]]:
    """What is written behind ``--vary NAME=``, and the values that it means."""
    count = random.choice([1, 2, 4, 6])
    if random.random() < 0.5:
        texts = [_text(given, _number(given, random, wide)) for _ in range(count)]
        return ",".join(texts), texts
    first = Fraction(_number(given, random, wide))
    step = Fraction(random.choice([1, 7, 1000]))
    if not given.whole:
        step = Fraction(random.randrange(1, 50), random.choice([1, 3, 10, 1000]))
    last = first + step * (count - 1) + step / 2
    ends = [_text(given, end) for end in (first, last if not given.whole else floor(last), step)]
    return f"{ends[0]}..{ends[1]}:{ends[2]}", [_text(given, first + i * step) for i in range(count)]


def _number(given: Given, random: Random, wide: bool) -> Number:
    value = drawn(given, random)
    if not wide or given.most is not None:
        return value
    return value * random.choice(WIDE_COUNTS if given.whole else WIDE)


def _text(given: Given, value: Number) -> str:
    return f"{Fraction(value)} {given.unit.name}".strip()
