"""The calls that are frozen: of each type and problem file, of what finds them, and wrong ones."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from questions import TYPES, command, example, options, solved_variants
from running import ddcalc

from ddcalc.problem.catalog import other_names

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
Call = tuple[str, ...]
SEARCHES, COMPARED = 10, 4  # of a type, at most


def fresh() -> dict[str, Iterator[Call]]:
    """The files, each with its calls, of which there is one of a kind."""
    others = [entry.load() for entry in other_names().values()]
    files = {problem.slug: of_type(problem) for problem in [*TYPES, *others]}
    files |= {f"problems-{file.stem}": of_file(f"problems/{file.name}")
              for file in sorted((ROOT / "problems").glob("*.yaml"))}  # fmt: skip
    wrong = (HERE / "wrong.txt").read_text("utf-8").splitlines()
    return files | {"finding": of_finding(), "wrong": (tuple(shlex.split(line)) for line in wrong)}


def of_file(file: str) -> Iterator[Call]:
    yield "solve", file, "--steps", "full"
    yield "solve", file, "--format", "ndjson", "--steps", "none"
    yield "variants", file, "--count", "1", "--seed", "1", "--format", "text"
    yield "check", file


def of_finding() -> Iterator[Call]:
    yield from [("list",), ("explain",), ("presets",), ()]
    data = json.loads(ddcalc("explain", "--format", "json").out)
    yield from (("explain", term["name"]) for term in data["terms"])
    for line in (ROOT / "tests" / "phrases.tsv").read_text("utf-8").splitlines():
        yield "ask", line.split("\t")[1], "--format", "json"
    verbs = (
        "ask list show explain solve check sweep compare sensitivity variants presets new schema"
    )
    yield from ((verb, "-h") for verb in verbs.split())


def of_type(problem: Any) -> Iterator[Call]:
    """A type's pages, its shapes, marks, searches and the other verbs."""
    page, slug = tuple(command(problem)), problem.slug
    yield (*page, "--steps", "full", "--all")
    yield page
    yield from [(*page, "--format", form, "--steps", "full") for form in ("json", "latex")]
    yield from [("show", slug), (slug, "-h"), (*page, "--as-yaml"), (*page, "--hint")]
    yield from [(*page, "--hint", "2"), ("sensitivity", *page)]
    drawn = ("variants", *page, "--seed", "1", "--count")
    yield from [
        (*drawn, "2", "--format", "text"),
        (*drawn, "1", "--choices", "4", "--format", "key"),
    ]
    data = json.loads(ddcalc(*page, "--format", "json").out)
    texts = example(problem)
    yield from _marks(page, data)
    yield from _searches(problem, data, texts)
    variants = solved_variants(problem)
    for label, other, _ in variants:
        if not label.endswith(("*1", "*5", "example")):
            yield (*command(problem, other), "--steps", "full", "--all", "--exact")
    yield from _thinned(_compared(page, texts, variants), COMPARED)
    for name, (value, unit) in list(_numbers(data, texts).items())[:1]:
        times = ",".join(f"{value * factor} {unit}".strip() for factor in (1, 2, 4))
        others = options({n: text for n, text in texts.items() if n != name})
        yield ("sweep", slug, *others, "--vary", f"{name}={times}")


def _thinned(calls: list[Call], most: int) -> list[Call]:
    """At most so many of *calls*, from all over the list."""
    return [calls[i * len(calls) // most] for i in range(most)] if len(calls) > most else calls


def _compared(page: Call, texts: Any, variants: Any) -> list[Call]:
    calls: list[Call] = []
    for label, other, _ in variants:
        changed = {n: text for n, text in other.items() if text != texts.get(n)}
        if "=" in label and all(isinstance(text, str) for text in changed.values()):
            against = "; ".join(f"{n}={text}" for n, text in changed.items())
            calls.append(("compare", *page, "--against", against, "--steps", "brief"))
    return calls


def _numbers(data: Any, names: Any) -> dict[str, tuple[Fraction, str]]:
    """The quantities among *names* that are one number, with their unit."""
    found = {name: data["quantities"].get(name) for name in names}
    return {
        name: (Fraction(one["exact"]), one["unit"])
        for name, one in found.items()
        if isinstance(one, dict) and re.fullmatch(r"-?[0-9]+(/[0-9]+)?", str(one["exact"]))
    }


def _marks(page: Call, data: Any) -> Iterator[Call]:
    """The answer itself, without its unit, doubled, and what other readings and steps come to."""
    answer, unit = data["answer"], data["answer"]["unit"]
    wrong = [one["answer"] for one in data["readings"] if one.get("answer")][:2]
    steps = [one for one in data["quantities"].values() if isinstance(one, dict)]
    wrong += [one for one in steps if one["unit"] == unit and one["name"] != answer["name"]][-2:]
    mine = [answer["text"], f"2*({answer['exact']}) {unit}", answer["exact"]]
    for text in dict.fromkeys([*mine, *(one["text"] for one in wrong)]):
        yield (*page, "--mine", f"{answer['name']}={text}".strip())


def _searches(problem: Any, data: Any, texts: Any) -> Iterator[Call]:
    """Each single given, so that its own value is among what is found, or the next one is not."""
    calls: list[Call] = []
    results = list(_numbers(data, [data["answer"]["name"], *reversed(data["quantities"])]).items())
    results = [one for one in results if one[0] not in texts][:3]
    for unknown in [name for name, text in texts.items() if isinstance(text, str)]:
        base = command(problem, {n: text for n, text in texts.items() if n != unknown})
        for name, (value, unit) in results:
            for relation, factor in (("<=", "1.1"), (">=", "0.9"), ("=", "1")):
                bound = value * Fraction(factor)
                where = f"{name} {relation} {bound} {unit}".strip()
                brief = () if relation == "<=" else ("--steps", "brief")
                calls.append((*base, "--find", unknown, "--where", where, *brief))
    yield from _thinned(calls, SEARCHES)
