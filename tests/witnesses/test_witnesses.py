"""Every problem type against an independent model, on random questions and at its edges, of which
edges.txt says what is drawn: ties, one of something, all ways to state it. Most have an answer."""

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from importlib import import_module
from math import isclose
from pathlib import Path
from random import Random
from typing import Any

import pytest
from asking import WITNESSES, Answers, Question
from questions import TYPES, answered, asked, of_types

from ddcalc.ask.solve import Derivation
from ddcalc.errors import DdcalcError
from ddcalc.numbers.irrational import Approximate
from ddcalc.problem.known.presets import presets

for _module in sorted(Path(__file__).parent.glob("*.py")):
    if _module.stem.endswith("_witness"):
        import_module(_module.stem)

QUESTIONS, ANSWERED = 50, 15  # drawn for each type, and how many of them must have an answer
MORE = {"layout": 150, "batch-workers": 70}  # where most numbers do not fit each other


NAMES = {name for problem in TYPES for name in (*problem.givens, *problem.choices)}


def posed(outcome: Derivation) -> Question:
    """The question as a witness gets it."""
    stated: dict[str, Any] = dict(outcome.stated.shape.reading) | dict(outcome.stated.shape.words)
    stated |= outcome.stated.values
    return Question(**{**dict.fromkeys(NAMES), **stated})


def agrees(mine: Any, theirs: Any) -> bool:
    """Whether our value is the witness's: exactly, unless one of the two is rounded."""
    if isinstance(mine, tuple):
        return len(mine) == len(theirs) and all(map(agrees, mine, theirs))
    if mine is None or theirs is None or not isinstance(mine, int | Fraction):
        return mine is theirs or bool(mine == theirs)
    if isinstance(theirs, float) or isinstance(mine, Approximate):
        return isclose(mine, theirs, rel_tol=1e-9, abs_tol=1e-300)
    return bool(mine == theirs)


def witnessed(outcome: Derivation) -> Answers:
    """What the witness answers, of which every value is that of the solved question."""
    question = posed(outcome)
    expected = WITNESSES[outcome.problem.slug](question)
    for name, value in expected.items():
        mine = outcome.values[name]
        assert agrees(mine, value), f"{name} = {mine}, witness {value}; {question}"
    return expected


@of_types
def test_the_witness_agrees(problem):
    outcomes = answered(problem, "witness", MORE.get(problem.slug, QUESTIONS))
    assert sum(one.answer.name in witnessed(one) for one in outcomes) >= ANSWERED


def test_every_type_has_a_witness():
    assert WITNESSES.keys() == {problem.slug for problem in TYPES}


# Published totals; where they are rounded, to as many digits. That of PaLM leaves its norms out.
@pytest.mark.parametrize("model", [m for m in presets()["model"].values() if m.fact("layers")])
def test_the_shape_of_a_published_model_has_its_parameters(model):
    palm = {"norms": 0, "last_norms": 0} if model.name == "palm-540b" else {}
    shape = asked("transformer", model=model.name, **palm)
    assert witnessed(shape)
    total, published = int(shape.values["total"]), model.fact("parameters").text
    exact = float(published.replace("B", "e9").replace("M", "e6"))
    rounded = len(published.strip("0BM").replace(".", "")) if exact != total else len(str(total))
    assert float(f"{total:.{rounded}g}") == exact
    active = model.fact("active_parameters")
    assert active is None or shape.values["active"] == int(active.text)


# Edges


Row = dict[str, Any]
EDGES, AT_EDGES = 30, 15  # drawn of each row, and how many of them must have an answer
TINY = Fraction(1, 10**20)
RANGE = re.compile(r"(-?\d+|[a-z_]+)\.\.(\d+|#?[a-z_]+)(?:/(\d+))?(?: (.*))?")


def rows() -> Iterator[tuple[str, dict[str, str]]]:
    """Each row's name, and what may be stated."""
    groups: dict[str, str] = {}
    texts: dict[str, str] = {}
    name = ""
    for line in Path(__file__).with_name("edges.txt").read_text("utf-8").splitlines():
        if line.startswith("&"):
            name, _, text = line.partition(" ")
            groups[name] = re.sub(r"&[A-Z]+", lambda found: groups[found[0]], text)
        elif line.startswith("  "):
            line = re.sub(r"&[A-Z]+", lambda found: groups[found[0]], line)
            texts[name] += line
        elif line[:1].isalpha():
            name = line
            texts[name] = ""
    for name, text in texts.items():
        yield name, dict(one.split(": ", 1) for one in text.strip().split("  "))


def drawn(text: str, random: Random, before: Row) -> Any:
    """What is drawn of what stands behind a name, after what was drawn *before*."""
    for way in text.split("; "):
        body, word, condition = re.fullmatch(r"(.*?)(?: (if|unless) (.*))?", way).groups()  # type: ignore[union-attr]
        name, _, wanted = (condition or "").partition(" ")
        is_so = before.get(name) == wanted if wanted else bool(before.get(name))
        if not word or is_so == (word == "if"):
            return _drawn(body, random, before)
    return None


def _drawn(text: str, random: Random, before: Row) -> Any:
    body, star, many = text.partition(" *")
    if star:
        count = drawn(many, random, before) if ".." in many else len(before[many])
        return [_drawn(body, random, before) for _ in range(int(count))]
    if limits := RANGE.fullmatch(body):
        low, high = (_end(limits[i], before) for i in (1, 2))
        number = Fraction(random.randint(low, high), int(limits[3] or 1))
        return f"{number} {limits[4] or ''}".strip()
    one = random.choice(body.split("|"))
    return None if one == "-" else one.split(",") if "," in one else one


def _end(text: str, before: Row) -> int:
    if text.startswith("#"):
        return len(before[text[1:]])
    return int(before.get(text, text))


def tied(slope: Fraction, random: Random) -> Fraction:
    """What makes a number of 1 to 60 and the next one equally good, or but for a little."""
    best = random.randint(1, 60)
    off = random.choice([0, 0, TINY, -TINY, Fraction(1, 3)])
    return (best * (best + 1) + off) * slope


def number(text: str) -> Fraction:
    return Fraction(text.split()[0])


def balanced(random: Random, q: Row) -> Fraction:
    """Computing that lasts as long as all sending with so many workers, which is no given."""
    workers = random.randint(1, 60)
    down, up, adding = (number(q[name]) for name in ("download", "upload", "aggregate"))
    links = workers if q["server_link"] == "shared" else 1
    return links * (down + up) + workers * adding


def runs(random: Random, q: Row) -> list[int]:
    return [1000 * (64 + 4096 // int(size)) + random.randint(0, 9) for size in q["batches"]]


def small(q: Row) -> Fraction:
    return Fraction(int(q["per_sample"]) * int(q["workers"]), int(q["critical_batch"]))


MADE: dict[str, Callable[[Random, Row], Any]] = {
    "batch-ramp batches": lambda random, q: [5, 5 + int(q["increment"]) * random.randint(1, 60)],
    "critical-batch step_counts": runs,
    "batch-size overhead": lambda random, q: tied(small(q), random),
    "roofline parts": lambda random, q: int(q["inside"]) + random.randint(1, 12),
    "split-batch compute": lambda random, q: f"{tied(number(q['aggregate']), random)} s",
    "sync-interval communication": lambda random, q: f"{tied(number(q['drift']), random)} s",
    "layout batch": lambda random, q: random.randint(1, 6) * int(q["data"]) * int(q["micro_batch"]),
    "breakeven compute": lambda random, q: f"{balanced(random, q)} s",
}
ROWS = dict(rows())


@pytest.mark.parametrize("name", ROWS)
def test_the_witness_agrees_at_edges(name):
    random, slug, answers = Random(name), name.split()[0], 0
    for _ in range(EDGES):
        question: Row = {}
        for given, text in ROWS[name].items():
            made = MADE[f"{slug} {given}"](random, question) if text == "!" else None
            question[given] = drawn(text, random, question) if made is None else made
        try:
            outcome = asked(slug, **{n: one for n, one in question.items() if one is not None})
        except DdcalcError:
            continue
        assert witnessed(outcome)
        answers += 1
    assert answers >= AT_EDGES
