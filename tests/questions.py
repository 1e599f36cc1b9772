"""Shapes, numbers and command lines for any problem type, made from its declarations alone."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations, islice, product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ddcalc import types
from ddcalc.ask.solve import Derivation, singles, solve
from ddcalc.errors import DdcalcError
from ddcalc.formula.expression import Number
from ddcalc.memory import remembered
from ddcalc.numbers.units import UNITS, Unit
from ddcalc.problem.known.catalog import catalog, problem_named
from ddcalc.problem.problem import Problem, Shape
from ddcalc.problem.quantity import Given
from ddcalc.problem.said.steps import Bound, DefineEach, Exchange, Step, Table, Timeline
from ddcalc.problem.stated import Texts, example_texts
from ddcalc.render.story import joined, numbered

Kind = type[Problem]

# The exam's questions
BREAKEVEN: Texts = {"download": "1.5 s", "compute": "4 s", "upload": "1.5 s", "aggregate": "15 ms"}
EXAM: Texts = {"samples": "76800", "batch": "1536", "epochs": "10", "workers": "6", **BREAKEVEN}

LENGTHS = (1, 2, 5)
LARGE = 1_000_000
TRIES = 900  # ways to complete a question, of which one may have an answer
DRAWN, FEWER = 120, {"layout": 20}  # shapes of each type; where hardly one of many is complete
TYPES: list[Kind] = [entry.load() for entry in catalog().values()]
FILES = Path(types.__path__[0]).glob("*/[!_]*")
FOLDERS = {file.stem.replace("_", "-"): file.parent.name for file in FILES}  # of each type
SYMBOLIC = [problem for problem in TYPES if problem.symbolic]
of_types = pytest.mark.parametrize("problem", TYPES, ids=lambda problem: problem.slug)
of_equations = pytest.mark.parametrize("problem", SYMBOLIC, ids=lambda problem: problem.slug)


def specimen(given: Given, nudge: int = 0) -> str:
    """A text that *given* admits; another one for another *nudge*."""
    value: Number = 1 + nudge
    if given.least is not None:
        value = max(value, given.least + nudge)
    if given.above is not None:
        value = max(value, given.above + 1 + nudge)
    if given.most is not None and value >= given.most:
        value = Fraction(given.most, 2 + nudge)
    return f"{value} {given.unit.name}".strip()


def example(problem: Kind) -> Texts:
    """The example that the declaration states."""
    return dict(example_texts(problem))


def most_lines(solved: Derivation) -> int:
    """Lines of a single question: 63 with a list of what is played, else 40 (3 a tenth step)."""
    shown = [*solved.shown_steps()]
    if any(isinstance(step, Timeline | Exchange | Bound | Table) for step in shown):
        return 63
    return 40 + 3 * max(0, len([*joined(numbered(shown))]) - 9)


def asked(slug: str, **stated: object) -> Derivation:
    """The solved question of type *slug*; numbers stand for their texts."""
    texts: Texts = {}
    for name, one in stated.items():
        texts[name] = [*map(str, one)] if isinstance(one, list | tuple) else str(one)
    return solve(problem_named(slug), texts)


def results(slug: str, **stated: object) -> dict[str, Any]:
    """The exact values of all its quantities by name, in base units; of lists tuples."""
    return dict(asked(slug, **stated).values)


def variants(problem: Kind) -> Iterator[tuple[str, Texts]]:
    """The example, and the example with one thing changed: an option, a given, a list."""
    base = example(problem)
    yield "example", base
    for name, choice in problem.choices.items():
        for option in choice.options:
            yield f"{name}={option}", base | {name: option}
    for name, given in problem.givens.items():
        if name not in base and given.many != "list":
            yield f"{name}=specimen", base | {name: specimen(given)}
        for word in given.words:
            yield f"{name}={word}", base | {name: word}
        if given.many != "one":
            for length in LENGTHS:
                nudges = range(1, length + 1)
                values = [specimen(given, 40 * i if given.whole else i) for i in nudges]
                yield f"{name}*{length}", base | {name: values}


def variant_labels(problem: Kind) -> list[str]:
    """What the variants are called; nothing is solved for it."""
    labels = [label for label, _ in variants(problem)]
    return [label for label in labels if not label.endswith("*1")]  # a list of one is one value


@remembered
def solved_variant(problem: Kind, wanted: str) -> tuple[Texts, Derivation] | None:
    """The variant *wanted* with its solution, if any; other givens give way where they must."""
    texts = next(texts for label, texts in variants(problem) if label == wanted)
    changed = wanted.partition("=")[0].partition("*")[0]
    for kept in islice(_completed(problem, texts, changed), TRIES):
        try:
            return kept, solve(problem, kept)
        except DdcalcError:
            continue
    return None


@remembered
def solved_variants(problem: Kind) -> list[tuple[str, Texts, Derivation]]:
    """The variants that have a solution, with it."""
    labels = [label for label, _ in variants(problem)]
    pairs = [(label, solved_variant(problem, label)) for label in labels]
    return [(label, *solution) for label, solution in pairs if solution is not None]


def solved_pairs(problem: Kind) -> Iterator[Derivation]:
    """The example with an option and a specimen of a given, where they have a solution."""
    base = example(problem)
    for name, choice in problem.choices.items():
        for option in choice.options:
            for key, given in problem.givens.items():
                if key not in base and given.many == "one":
                    texts = base | {name: option, key: specimen(given)}
                    for kept in _completed(problem, texts, key):
                        try:
                            yield solve(problem, kept)
                            break
                        except DdcalcError:
                            continue


def _completed(problem: Kind, texts: Texts, changed: str) -> Iterator[Texts]:
    """*texts* with what they need, small, or one large; then an option that may need *changed*."""
    yield from _fitting(problem, _with_needs(problem, texts), changed)
    for kept in _without_optional(problem, texts, changed):
        yield _with_needs(problem, kept)
    needed = _with_needs(problem, texts)
    large = {n: specimen(problem.givens[n], LARGE - 1) for n in needed if n not in texts}
    for name, text in large.items():
        yield needed | {name: text}
    if changed in problem.givens and isinstance(texts.get(changed), str):
        for name, choice in problem.choices.items():
            for option in choice.options:
                for kept in _without_optional(problem, texts | {name: option}, changed):
                    yield _with_needs(problem, kept)
    if changed in problem.choices:  # what must be more by one reading may have to be less
        for one, other in combinations([name for name in texts if name in problem.givens], 2):
            if problem.givens[one].unit == problem.givens[other].unit:
                yield texts | {one: texts[other], other: texts[one]}


def _with_needs(problem: Kind, texts: Texts) -> Texts:
    """*texts* with a specimen of each given that they need besides."""
    reading = {name: texts.get(name, choice.default) for name, choice in problem.choices.items()}
    read = tuple((name, str(option)) for name, option in reading.items())
    stated = tuple(n for n, given in problem.givens.items() if given.optional and n in texts)
    for group in problem(Shape(read, stated=stated)).needs():
        if not texts.keys() & {*group}:
            given = problem.givens[group[0]]
            return _with_needs(problem, texts | {group[0]: _like_others(problem, texts, given)})
    return texts


def _like_others(problem: Kind, texts: Texts, given: Given) -> str | list[str]:
    """A specimen of *given*, or as many as a list of *texts* that it hangs together with has."""
    lists = {name: value for name, value in texts.items() if isinstance(value, list)}
    alike = (value for name, value in lists.items() if problem.givens[name].of == given.of)
    return next(([specimen(given)] * len(value) for value in alike), specimen(given))


def _fitting(problem: Kind, texts: Texts, changed: str) -> Iterator[Texts]:
    """*texts* with optional givens left out; then, if a list was *changed*, with what hangs
    together with it: other lists longer or shorter, its values small, counts at their least."""
    yield from _without_optional(problem, texts, changed)
    listed = texts.get(changed)
    if not isinstance(listed, list):
        return
    others = {n: value for n, value in texts.items() if isinstance(value, list) and n != changed}
    counts = {n: specimen(g) for n, g in problem.givens.items() if g.optional and n in texts}
    least = texts | {n: text for n, text in counts.items() if n != changed and n not in others}
    for values in (listed, [specimen(problem.givens[changed])] * len(listed)):
        for lengths in product(LENGTHS, repeat=len(others)):
            pairs = zip(others.items(), lengths, strict=True)
            cut = {n: (value * length)[:length] for (n, value), length in pairs}
            for base in (texts, least):
                yield from _without_optional(problem, base | cut | {changed: values}, changed)


def _without_optional(problem: Kind, texts: Texts, changed: str) -> Iterator[Texts]:
    """*texts* without none, one, two, … of their optional givens, but with the one *changed*."""
    free = [n for n in texts if n != changed and n in problem.givens]
    free = [n for n in free if problem.givens[n].optional or problem.givens[n].default is not None]
    for size in range(len(free) + 1):
        for gone in combinations(free, size):
            yield {name: text for name, text in texts.items() if name not in gone}


@remembered
def shapes(problem: Kind) -> list[Shape]:
    """Shapes that the declarations admit, whose needs are met and that are not played: those that
    are drawn, but always the same ones. All lists of one are equally long."""
    choices = [[(name, o) for o in choice.options] for name, choice in problem.choices.items()]
    open_ones = [n for n, given in problem.givens.items() if given.optional or given.free]
    drawn = islice(_drawn_shapes(problem, choices, open_ones), FEWER.get(problem.slug, DRAWN))
    return [*dict.fromkeys(drawn)]


def _drawn_shapes(
    problem: Kind, choices: list[list[tuple[str, str]]], open_ones: list[str]
) -> Iterator[Shape]:
    random = Random(problem.slug)
    while True:
        stated = tuple(name for name in open_ones if random.random() < 0.5)
        required = {name for name, given in problem.givens.items() if name not in open_ones}
        length, present = random.choice(LENGTHS), required | {*stated}
        forms = []
        for name, given in problem.givens.items():
            if name in present:
                fit = [one for one in _forms(given) if one in {0, length, *given.words}]
                forms.append((name, random.choice(fit)))
        lengths = tuple((name, form) for name, form in forms if isinstance(form, int) and form)
        words = tuple((name, form) for name, form in forms if isinstance(form, str))
        shape = Shape(tuple(map(random.choice, choices)), lengths, stated, words)
        needs = () if problem.is_played(shape) else problem(shape).needs()
        if not problem.is_played(shape) and all(present & {*group} for group in needs):
            yield shape


def _forms(given: Given) -> list[int | str]:
    """The ways to state *given*: 0 is one value, a length a list, a text a word."""
    single: list[int | str] = [] if given.many == "list" else [0]
    lists = [] if given.many == "one" else list(LENGTHS)
    return [*single, *lists, *given.words]


def drawn(given: Given, random: Random) -> Number:
    """A number that *given* admits: small or large, with ties and zeros now and then."""
    low: Number = given.least if given.least is not None else (given.above or 0)
    if given.whole:
        more = random.choice([0, 1, random.randrange(20), random.randrange(10**6)])
        return int(low) + more if given.most is None else min(int(low) + more, given.most)
    part = Fraction(random.randrange(1, 400), random.choice([1, 2, 7, 8, 100, 1000]))
    if given.most is not None:
        return low + (given.most - low) * min(Fraction(1), part / 400)
    if given.above is None and random.random() < 0.1:
        return low
    return low + random.choice([part, Fraction(1), part * 1000])


def options(texts: Texts) -> list[str]:
    """*texts* as options of the command line."""
    listed = {name: [value] if isinstance(value, str) else value for name, value in texts.items()}
    pairs = [(f"--{name.replace('_', '-')}", ",".join(texts)) for name, texts in listed.items()]
    return [word for pair in pairs for word in pair]


def single(steps: Iterable[Step]) -> Iterator[Step]:
    """The steps, each row of a list by itself."""
    for step in steps:
        yield from step.rows if isinstance(step, DefineEach) else (step,)


def letters(solved: Derivation) -> dict[str, Number]:
    """The value of every letter that has a number, in base units."""
    results = (one for result in solved.quantities.values() for one in singles(result))
    return {one.symbol: one.value for one in results if isinstance(one.value, int | Fraction)}


def units_like(unit: Unit) -> list[Unit]:
    """The units of the table that measure the same, and quotients for a quotient."""
    single = set(UNITS.values())
    pairs = {top.per(bottom) for top in single for bottom in single if "/" in unit.name}
    alike = (other for other in single | pairs if other.dimension == unit.dimension)
    return sorted(alike, key=lambda other: other.name)


def command(problem: Kind, texts: Texts | None = None) -> list[str]:
    """The command line that asks *texts* (the example) of *problem*."""
    return [problem.slug, *options(example(problem) if texts is None else texts)]


def random_question(problem: Kind, random: Random) -> Texts:
    """A variant with some of its numbers drawn anew, at the edges often; it may have no answer."""
    _, texts, _ = random.choice(solved_variants(problem))
    return {name: _redrawn(problem, name, texts, random) for name in texts}


def answered(problem: Kind, asked_by: str, count: int) -> list[Derivation]:
    """Those of so many random questions that have an answer; always the same ones."""
    random, found = Random(f"{asked_by} of {problem.slug}"), []
    for _ in range(count):
        try:
            found.append(solve(problem, random_question(problem, random)))
        except DdcalcError:
            continue
    return found


def _redrawn(problem: Kind, name: str, texts: Texts, random: Random) -> str | list[str]:
    value, given = texts[name], problem.givens.get(name)
    if given is None or value in given.words:
        return value
    if isinstance(value, str):
        return _near(problem, given, value, texts, random)
    if random.random() < 0.2:
        return [random.choice(value)] * len(value)  # ties
    return [_near(problem, given, text, texts, random) for text in value]


def _near(problem: Kind, given: Given, text: str, texts: Texts, random: Random) -> str:
    """*text*, or a number at an edge of what *given* admits, of its size, or of another given's."""
    low = given.least if given.least is not None else given.above
    match random.randrange(8):
        case 0 if given.least is not None:
            return f"{given.least} {given.unit.name}".strip()
        case 1 if low is not None:
            return f"{low + 1} {given.unit.name}".strip()
        case 2 if given.most is not None:
            return f"{given.most} {given.unit.name}".strip()
        case 3:
            others = [n for n in texts if n in problem.givens and isinstance(texts[n], str)]
            same = [n for n in others if problem.givens[n].unit == given.unit]
            return str(texts[random.choice(same)]) if same else text
        case 4 | 5:
            value = Fraction(given.measured(text).value, given.unit.worth)
            value *= random.choice([Fraction(1, 7), Fraction(1, 2), 2, 3, 10])
            return f"{max(1, round(value)) if given.whole else value} {given.unit.name}".strip()
    return text
