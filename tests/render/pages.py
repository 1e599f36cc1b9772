"""Questions of all types and many shapes, solved, and what each format must say about them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any

from ddcalc.ask.solve import Derivation, solve
from ddcalc.numbers.units import Unit
from ddcalc.problem.catalog import catalog, problem_named
from ddcalc.problem.stated import example_texts
from ddcalc.render.pages import Detail, derivation

VARIANTS: dict[str, list[dict[str, str | list[str]]]] = {
    "breakeven": [
        {"aggregate": "0 s"},
        {"compute": "1 s"},
        {"relation": "reaches", "aggregate": "0.25 s"},
    ],
    "epoch-time": [
        {"queue": "per-epoch", "price": "0.5 USD/h"},
        {"last_round": "drop", "samples": "77_000", "last_batch": "drop"},
        {"last_round": "pad", "compute": "1/3 s"},
        {"samples": "8*9600", "workers": "5", "aggregate": "0.3"},
    ],
    "federated": [
        {"batch": "all", "participation": "0.3", "rounds": "100"},
        {"updates": "mean", "samples": "204803"},
        {"compute": ["4 s", "1/3 s", "2 s", "1 s", "1 s", "1 s", "1 s", "70 ms"]},
        {"compute": [f"{i} s" for i in range(1, 31)], "devices": "30"},
    ],
    "sync-step": [
        {"finish": ["0.1 s"]},
        {"finish": [f"{i}.25 s" for i in range(1, 13)]},
        {"finish": [f"{i % 7} s" for i in range(40)]},
    ],
    "divergence": [
        {"compare": "same-time"},
        {"eta": "0.01", "delta": "3", "horizon": "3 s"},
        {"lipschitz": "10", "horizon": "1 s"},
        {"lipschitz": "10", "eta": "0.1", "horizon": "2 s"},
        {"horizon": "0.05 s"},
        {"starts": [f"0.{i:02} s" for i in range(30)], "horizon": "4 s"},
    ],
}


def _questions() -> Iterator[tuple[str, dict[str, str | list[str]]]]:
    for slug in catalog():
        example = example_texts(problem_named(slug))
        for i, variant in enumerate([{}, *VARIANTS.get(slug, [])]):
            yield f"{slug}-{i}", {**example, **variant}


QUESTIONS = dict(_questions())


@cache
def solved(name: str) -> Derivation:
    """The question *name*, solved."""
    return solve(problem_named(name.rpartition("-")[0]), QUESTIONS[name])


def section(
    form: ModuleType,
    question: Derivation,
    steps: str = "full",
    unit: Unit | None = None,
    **how: Any,
) -> str:
    """The page of *question* in the format of a module of ``markup``."""
    return str(form.part(derivation(question, Detail(steps, unit), **how)))
