"""Random sweeps of any equation type and shape, and points of sweeps as questions of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from math import floor
from random import Random

from questions import Kind, Texts, drawn, shapes

from ddcalc.ask.sweep.axes import Named, written
from ddcalc.ask.sweep.grid import SweepQuestion, question
from ddcalc.ask.working import working
from ddcalc.errors import DdcalcError, NoAnswer
from ddcalc.formula.expression import Number
from ddcalc.problem.plan import plan
from ddcalc.problem.quantity import Given
from ddcalc.problem.stated import read

# what makes numbers too wide for 64 bits, or quotients that floats cannot tell from whole numbers
WIDE = (1, 1, 1, Fraction(10**9 + 7, 10**9 + 9), Fraction(1, 10**12 + 39), 10**20)
WIDE_COUNTS = (1, 1, 1, 10**6, 10**15, 10**22)


def by_itself(question: SweepQuestion, number: int) -> Mapping[str, object] | None:
    """What point *number* is worth as a question of its own: empty where it has no answer, None
    where that is only because numbers are too large."""
    texts = dict(question.texts)
    for varied, at in zip(question.axes, question.place(number), strict=True):
        if isinstance(varied, Named):
            texts[varied.name] = varied.texts[at]
        else:
            amount = Fraction(varied.numbers[at]) / varied.unit.worth
            texts[varied.name] = f"{amount} {varied.unit.name}".strip()
    try:
        return working(read(question.problem, texts)).values
    except DdcalcError as error:
        return None if isinstance(error, NoAnswer) and "lead to" in str(error) else {}


def sweeps(problem: Kind, random: Random, *, wide: bool, most: int) -> Iterator[SweepQuestion]:
    """A sweep of every shape of *problem*, or of *most* of them; some with *wide* numbers."""
    all_shapes = shapes(problem)
    for shape in random.sample(all_shapes, min(most, len(all_shapes))):
        made, lengths = plan(problem, shape), dict(shape.lengths)
        texts: Texts = {**dict(shape.reading), **dict(shape.words)}
        single: list[Given] = []
        for name, given in problem.givens.items():
            members = [_number(given, random, wide) for _ in range(lengths.get(name, 1))]
            if name in lengths or given.letter in made.givens:
                several = [_text(given, member) for member in members]
                texts[name] = several if name in lengths else several[0]
                single += [] if name in lengths else [given]
        if not single:
            continue
        vary = []
        for given in random.sample(single, min(len(single), random.choice([1, 2, 2, 3]))):
            del texts[given.name]
            vary.append(written(f"{given.name}={_values(given, random, wide)}"))
        shown = sorted({line.quantity.name for line in made.lines if line.index is None})
        with suppress(DdcalcError):  # values that a given does not admit
            yield question(problem, texts, vary, shown)


def _values(given: Given, random: Random, wide: bool) -> str:
    """What is written behind ``--vary NAME=``."""
    count = random.choice([1, 2, 4, 6])
    if random.random() < 0.5:
        return ",".join(_text(given, _number(given, random, wide)) for _ in range(count))
    first = Fraction(_number(given, random, wide))
    step = Fraction(random.choice([1, 7, 1000]))
    if not given.whole:
        step = Fraction(random.randrange(1, 50), random.choice([1, 3, 10, 1000]))
    last = first + step * (count - 1) + step / 2
    ends = (first, last if not given.whole else floor(last), step)
    return "{}..{}:{}".format(*(_text(given, end) for end in ends))


def _number(given: Given, random: Random, wide: bool) -> Number:
    value = drawn(given, random)
    if not wide or given.most is not None:
        return value
    return value * random.choice(WIDE_COUNTS if given.whole else WIDE)


def _text(given: Given, value: Number) -> str:
    return f"{Fraction(value)} {given.unit.name}".strip()
