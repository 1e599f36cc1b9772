"""Sweeps: what varies, blocks, the optimum against brute force, every point beside what it is
worth by itself; and the verb, its formats and files."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import product
from math import floor
from random import Random
from typing import Any

import pytest
from questions import EXAM, Kind, Texts, drawn, of_equations, of_types, shapes, solved_variants
from running import ddcalc
from tables import rows

import ddcalc as package
from ddcalc.ask.sweep.axes import axis, written
from ddcalc.ask.sweep.grid import SweepQuestion, question
from ddcalc.ask.sweep.points import Goal, Sweep
from ddcalc.ask.working import working
from ddcalc.errors import DdcalcError, NoAnswer
from ddcalc.formula.expression import Expr, Number
from ddcalc.problem.known.catalog import problem_named
from ddcalc.problem.plan import plan
from ddcalc.problem.quantity import Given
from ddcalc.problem.stated import read
from ddcalc.render.point_lines import PointLines

# what makes numbers too wide for 64 bits, or quotients that floats cannot tell from whole numbers
WIDE = (1, 1, 1, Fraction(10**9 + 7, 10**9 + 9), Fraction(1, 10**12 + 39), 10**20)
WIDE_COUNTS = (1, 1, 1, 10**6, 10**15, 10**22)


def by_itself(question: SweepQuestion, number: int) -> Mapping[str, object] | None:
    """What point *number* is worth as a question of its own: empty where it has no answer, None
    where that is only because numbers are too large."""
    texts = dict(question.texts)
    for varied, at in zip(question.axes, question.place(number), strict=True):
        if varied.names:
            texts[varied.name] = varied.names[at]
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
            yield question(problem, texts, vary, {"quantity": shown})


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


EPOCH_TIME = problem_named("epoch-time")
BREAKEVEN = problem_named("breakeven")


def sweep_of(problem: Kind, texts: Texts, *vary: str, shown: Sequence[str] = ()) -> SweepQuestion:
    pairs = [written(text) for text in vary]
    gone = {name.replace("-", "_") for name, _ in pairs}
    stated = {name: text for name, text in texts.items() if name not in gone}
    return question(problem, stated, pairs, {"quantity": shown})


# What varies


@pytest.mark.parametrize(("name", "text", "values"), rows("ask/axes.tsv"))
def test_values(name, text, values):
    made = axis(EPOCH_TIME, name, text)
    assert [*made.numbers] == [*map(Fraction, values.split())]


@pytest.mark.parametrize("most", [1, 5, 1000])
def test_every_point_comes_once_in_order(most):
    vary = ["workers=1..4", "last_round=pad,drop", "price=0USD/h..2USD/h:1USD/h"]
    asking = sweep_of(EPOCH_TIME, EXAM, *vary)
    sweep = Sweep(asking, [])
    sweep.block = most
    numbers = [number for results in sweep.blocks() for number in results.numbers]
    assert numbers == [*range(24)]
    assert [*map(asking.place, numbers)] == [*product(range(4), range(2), range(3))]


# The best


@pytest.mark.parametrize("seed", range(5))
def test_the_optimum_is_that_of_brute_force(seed):
    random = Random(seed)
    vary = [
        f"workers=1..{random.randrange(2, 12)}",
        f"batch=1..{random.randrange(60000, 90000)}:{random.randrange(9000, 20000)}",
        "price=0USD/h..3USD/h:0.7USD/h",
        "last_round=pad,drop",
    ]
    random.shuffle(vary)
    texts = EXAM | {"aggregate": random.choice(["0", "15ms", "1/3 s"])}
    asking = sweep_of(EPOCH_TIME, texts, *vary, shown=["total", "cost"])
    sought = (Goal("total", random.random() < 0.5), Goal("cost", random.random() < 0.5))
    sweep = Sweep(asking, sought)
    sweep.block = random.choice([3, 50, 10_000])
    assert [*sweep.blocks()]
    points: Any = [(i, by_itself(asking, i)) for i in range(asking.size)]
    rows = [(*(goal.sign * of[goal.name] for goal in sought), i) for i, of in points if of]
    for k, goal in enumerate(sweep.goals):
        for best, least in zip(goal.found, sorted({row[k] for row in rows})[:2], strict=True):
            numbers = [row[2] for row in rows if row[k] == least]
            assert best.value * sought[k].sign == least
            assert (best.number, best.points) == (min(numbers), len(numbers))


@pytest.mark.parametrize(("name", "value"), [("balance", 3), ("workers", 4)])
def test_ties_of_quotients_are_exact(name, value):
    """Floats of m_eq = 1/t_agg cannot tell 1/3 + tiny from 1/3; exact numbers can, rounded too."""
    texts = {"download": "0", "upload": "0", "compute": "1 s"}
    tiny = Fraction(1, 10**17)
    specs = ",".join(f"{Fraction(1, 3) + k * tiny} s" for k in (2, 0, 1, 0))
    asking = sweep_of(BREAKEVEN, texts, f"aggregate={specs}", shown=[name])
    sweep = Sweep(asking, [Goal(name, False)])
    assert [*sweep.blocks()]
    best = sweep.goals[0].best
    assert (best.value, best.number, best.points) == (value, 1, 2)


NEAR = Fraction(1, 10**12)
ROUNDS = 200  # in which something is compared, though a type refuses most numbers by chance
SHAPES = 2  # of each type, at most, in a round
ENOUGH = 30  # values of each type that are compared for its choices
SEEDS = {("layout", False): 77, ("layout", True): 362}  # where most shapes do not fit together


def compared(asking: SweepQuestion) -> int:
    """How many values were compared: what is written, and what is exact."""
    sweep, count = Sweep(asking, []), 0
    sweep.block = 7  # so that there are several blocks
    writers = PointLines(asking, csv=True), PointLines(asking, csv=False)
    written = [writers[0].head.decode(), ""]
    for results in sweep.blocks():
        for i, writer in enumerate(writers):
            written[i] += "".join(writer.lines(results))
    head, *cells = csv.reader(written[0].splitlines())
    assert [cell.partition(" [")[0] for cell in head] == asking.columns
    lines = [json.loads(line, parse_float=Fraction) for line in written[1].splitlines()]
    missing = 0
    for number, (row, line) in enumerate(zip(cells, lines, strict=True)):
        wanted = by_itself(asking, number)
        if wanted is None:
            continue
        missing += not wanted
        exact = sweep.at(number)
        for quantity in asking.quantities:
            name, value = quantity.name, wanted.get(quantity.name)
            texts = (line[name], row[asking.columns.index(name)])
            count += value is not None
            if isinstance(value, Expr):  # in letters
                assert exact[name] == value
                continue
            check(texts, plainly(value), plainly(exact.get(name)), Fraction(quantity.unit.worth))
    assert sweep.without >= missing
    return count


def check(texts: tuple[Any, ...], value: Any, exact: Any, worth: Fraction) -> None:
    """What is written says the same; whole numbers exactly."""
    assert exact == value
    for text in texts:
        if value is None:
            assert text in ("", None)
            continue
        amount = value / worth
        assert abs(Fraction(text) - amount) <= abs(amount) * NEAR
        assert amount.denominator > 1 or abs(amount) > 10**14 or Fraction(text) == amount


def plainly(value: Any) -> Fraction | None:
    return None if value is None else Fraction(value.numerator, value.denominator)


@of_types
def test_choices_among_numbers(problem):
    """Every choice before a number, in every type, played ones too."""
    count = 0
    for _, texts, solved in solved_variants(problem):
        every = ((n, solved.stated.alone(n)) for n in solved.stated.measured)
        numbers = {name: one for name, one in every if one}
        if count > ENOUGH or not numbers or solved.stated.shape.words:
            continue
        name, stated = next(iter(numbers.items()))
        unit = problem.givens[name].unit
        more = (Fraction(stated.value) + unit.worth) / unit.worth
        spec = (name, f"{stated.text},{more} {unit.name}".strip())
        choices = [(choice, ",".join(one.options)) for choice, one in problem.choices.items()]
        for vary in ([spec], *([choice, spec] for choice in choices)):
            still = {name: text for name, text in texts.items() if name not in dict(vary)}
            count += compared(question(problem, still, vary, {}))
    assert count > 0


@of_equations
@pytest.mark.parametrize("wide", [False, True])
def test_every_point(problem, wide):
    """With *wide* numbers too: those that 64 bits do not hold."""
    random = Random(f"{problem.slug}{SEEDS.get((problem.slug, wide), '')} {wide}")
    for _ in range(ROUNDS):
        if sum(map(compared, sweeps(problem, random, wide=wide, most=SHAPES))):
            return
    pytest.fail("nothing was compared")


# The verb


GIVEN = "--samples 76800 --epochs 10 --download 1.5s --compute 4s --upload 1.5s --aggregate 15ms"
CALL = ["sweep", "epoch-time", *GIVEN.split(), "--vary", "workers=1..40"]


def total(workers: int, batch: int) -> Fraction:
    """The exam's total by another way: round after round."""
    left, time = -(-76800 // batch) * 10, Fraction(0)
    while left > 0:
        time += 7 + Fraction(15, 1000) * min(left, workers)
        left -= workers
    return time


WANTED = {(w, b): total(w, b) for w in range(1, 41) for b in (256, 512, 1536)}
BEST = min(WANTED.values())
AT = next(place for place, value in WANTED.items() if value == BEST)
TIES = sum(value == BEST for value in WANTED.values())


def test_points_and_the_best_are_those_of_round_after_round():
    """In a table, in a document and in Python."""
    call = (*CALL, "--vary", "batch=256,512,1536", "--format")
    header, *rows = csv.reader(io.StringIO(ddcalc(*call, "csv").out))
    assert header == ["workers", "batch", "total [s]"]
    points = [(int(workers), int(batch), Fraction(value)) for workers, batch, value in rows]
    assert points == [(*at, value) for at, value in WANTED.items()]
    data = json.loads(ddcalc(*call, "json").out)
    assert (data["problem"], data["status"], data["points"]) == ("epoch-time", "solved", 120)
    varied = [(axis["name"], axis["values"]) for axis in data["varied"]]
    assert varied == [("workers", 40), ("batch", 3)]
    assert data["rows"] == [[*at, float(value)] for at, value in WANTED.items()]
    [best] = data["optimum"]
    assert (best["name"], best["sought"], best["points"]) == ("total", "least", TIES)
    assert (Fraction(best["exact"]), *best["at"].values()) == (BEST, *AT)
    assert {"title", "text", "remarks", "steps"} <= data.keys()
    given = {"samples": 76800, "epochs": 10, "download": "1.5 s", "compute": 4, "upload": 1.5}
    axes = {"workers": range(1, 41), "batch": ["256", "512", "1536"]}
    done = package.sweep("epoch-time", vary=axes, aggregate="15 ms", **given)
    columns = done.columns
    assert (len(columns), list(columns.arrays)) == (120, ["workers", "batch", "total"])
    assert columns.arrays["workers"].dtype.kind == "i"
    assert columns.arrays["total"].tolist() == [float(value) for value in WANTED.values()]
    assert list(columns.exact("total")) == list(WANTED.values())
    assert columns.best == {"total": (BEST, {"workers": AT[0], "batch": AT[1]})}
    assert repr(done).startswith("<epoch-time: 120 points of workers, batch; smallest total = ")
    assert "<table>" in done._repr_html_()
    with pytest.raises(package.DdcalcError):
        list(columns.exact("nonsense"))
    with pytest.raises(package.DdcalcError):
        package.sweep("epoch-time", vary={"workers": [True]}, **given)
