"""What is stated without effect; true by changing the numbers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from questions import TYPES, Kind, Texts, example, specimen, variants

from ddcalc.ask.solve import Derivation, solve
from ddcalc.ask.working import working
from ddcalc.errors import DdcalcError
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.stated import read

ALLREDUCE: Texts = {"workers": "16", "size": "100 MB", "latency": "10 us", "bandwidth": "1 GB/s"}
NODES: Texts = {"nodes": "2", "workers_per_node": "8"}
INNER: Texts = {"inner_bandwidth": "600 GB/s"}
RULE: Texts = {"workers": "3", "worker": "1", "clock": "4"}
SHARES: Texts = {"samples": "64", "shares": ["32", "32"], "batch": "8", "download": "1",
                 "compute": "1", "upload": "1"}  # fmt: skip
SOME = 12  # questions of each type
NOT_USED, CHECKED = "not used here", "only checked here"

EXPECTED: list[tuple[str, Texts, dict[str, str]]] = [
    ("allreduce", ALLREDUCE | INNER, {"inner_bandwidth": NOT_USED}),
    ("allreduce", ALLREDUCE | INNER | NODES | {"algorithm": "two-level"}, {}),
    ("allreduce", ALLREDUCE | {"servers": "4", "reduce": "1 GB/s"}, {"servers": NOT_USED}),
    ("allreduce", ALLREDUCE | {"levels": "leaders", "reduction": "counted"},
     {"levels": NOT_USED, "reduction": NOT_USED}),
    ("allreduce", ALLREDUCE | {"reduce": "1 GB/s", "reduction": "left_out"},
     {"reduce": NOT_USED}),
    ("allreduce", ALLREDUCE | NODES, {"nodes": CHECKED, "workers_per_node": CHECKED}),
    ("federated", SHARES, {"samples": CHECKED}),
    ("quantize", {"values": "100", "bits": "8", "bandwidth": "1 GB/s", "seed": "3"},
     {"seed": NOT_USED}),
    ("update-rule", RULE | {"scheme": "sync", "wait_for": "2"}, {"wait_for": NOT_USED}),
    ("error-feedback", {"vector": ["3", "1"], "method": "sign", "kept": "5"}, {"kept": NOT_USED}),
]  # fmt: skip


def _says(kind: str, texts: Texts) -> dict[str, str]:
    return {given.name: given.says for given in solve(problem_named(kind), texts).unused}


@pytest.mark.parametrize(("kind", "texts", "expected"), EXPECTED)
def test_what_does_not_count_is_says(kind: str, texts: Texts, expected: dict[str, str]) -> None:
    assert _says(kind, texts) == expected


def _solved(kind: Kind, texts: Texts) -> Derivation | None:
    try:
        return solve(kind, texts)
    except DdcalcError:
        return None


def _stated(kind: Kind) -> Iterator[Texts]:
    """The example with a given more than it needs each, in one reading and another."""
    extra = {
        name: specimen(given, 1)
        for name, given in kind.givens.items()
        if name not in example(kind) and given.many == "one"
    }
    options = [(name, option) for name, choice in kind.choices.items() for option in choice.options]
    yield example(kind) | extra
    pairs = [*product(extra.items(), options)]
    for (given, text), (name, option) in pairs[:: 1 + len(pairs) // SOME]:
        yield example(kind) | {given: text, name: option}


@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: kind.slug)
def test_another_value_of_what_does_not_count_changes_nothing(kind: Kind) -> None:
    for texts in _stated(kind):
        base = _solved(kind, texts)
        for unused in base.unused if base else ():
            assert base is not None
            assert unused.name in texts
            assert unused.says.startswith(("not used", "only checked"))
            for other in _others(kind, unused.name):
                changed = _solved(kind, texts | {unused.name: other})
                if changed is None:
                    assert not unused.noted or unused.name in kind.givens
                else:
                    assert changed.values == base.values, (texts, unused, other)


def _others(kind: Kind, name: str) -> list[str]:
    if name in kind.choices:
        return list(kind.choices[name].options)
    given = kind.givens[name]
    return [] if given.many == "list" else [specimen(given, nudge) for nudge in (0, 2, 5)]


@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: kind.slug)
def test_explaining_a_play_needs_no_more_than_playing(kind: Kind) -> None:
    """Otherwise what only the explanation shows would be said not to count."""
    for _, texts in variants(kind):
        try:
            stated = read(kind, texts)
            play = working(stated) if stated.is_played else None
        except DdcalcError:
            continue
        if play is not None:
            before = {*(play.read or ())}
            assert [*play.steps()]
            assert {*(play.read or ())} == before
