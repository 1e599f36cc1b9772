"""What is wrong with a problem is told all at once, each thing at its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from sheets import answers, flow, read_sheet, sheet, texts, wrong

FEDERATED = "samples: 64, devices: 2, batch: 8, download: 1, compute: 1, upload: 1"


def test_names_and_choices_in_either_spelling(tmp_path: Path) -> None:
    for local in ("local-epochs", "local_epochs"):
        text = f"type: federated\ngiven: {{{FEDERATED}, {local}: 3}}\n"
        assert answers(read_sheet(tmp_path, text)) == {None: "14"}
    for choice in ("same-time", "same_time"):
        given = f"starts: [0, 0.1], update: 0.2, horizon: 0.6, compare: {choice}"
        (done,) = read_sheet(tmp_path, f"type: divergence\ngiven: {{{given}}}\n")
        assert done.derivation
        assert dict(done.derivation.stated.shape.reading)["compare"] == "same_time"


def test_errors_know_their_problem(tmp_path: Path) -> None:
    results = read_sheet(tmp_path, sheet("{id: a, type: x, y: 1}", flow("b", expect="{totl: 1 s}")))
    assert [error.problem for done in results for error in done.errors] == ["a", "a", "b"]


# defaults

BREAKEVEN = "{id: a, type: breakeven, given: {download: 1, upload: 1, aggregate: 1%s}}"


@pytest.mark.parametrize(
    ("head", "problem", "answer"),
    [
        ("sync-step: {aggregate: 10, update: 20}", flow("a", given="{finish: 1}"), "31"),
        ("sync_step: {aggregate: 10, update: 20}", flow("a", given="{finish: 1}"), "31"),
        ("sync-step: {finish: [1, 2], aggregate: 1, update: 2}", "{id: a, type: sync_step}", "5"),
        ("breakeven: {compute: 4}", BREAKEVEN % "", "3"),
        ("breakeven: {relation: reaches}", BREAKEVEN % ", compute: 4", "2"),
        (
            "federated: {local_epochs: 2}",
            f"{{id: a, type: federated, given: {{{FEDERATED}, local-epochs: 3}}}}",
            "14",
        ),
    ],
)  # fmt: skip
def test_defaults_stand_under_the_givens(
    tmp_path: Path, head: str, problem: str, answer: str
) -> None:
    """Of their type in either spelling, and choices too."""
    results = read_sheet(tmp_path, sheet(problem, head=f"defaults: {{{head}}}\n"))
    assert texts(results) == []
    assert answers(results) == {"a": answer}


def test_an_error_in_a_default_is_at_its_place_and_once(tmp_path: Path) -> None:
    head = "defaults: {sync-step: {updte: 3, aggregate: 1 x}}\n"
    results = read_sheet(tmp_path, sheet(flow("a"), flow("b"), head=head))
    assert wrong(results)[:2] == [("unknown", 1, 24), ("unit", 1, 45)]
    assert wrong(results).count(("unknown", 1, 24)) == 1


def test_nothing_is_solved_with_wrong_defaults(tmp_path: Path) -> None:
    other = "{id: b, type: breakeven, given: {download: 1, compute: 4, upload: 1, aggregate: 1}}"
    results = read_sheet(tmp_path, sheet(flow("a"), other, head="defaults: {sync-step: 3}\n"))
    assert wrong(results) == [("sheet", 1, 23), ("sheet", 3, 3)]
    assert answers(results) == {"b": "3"}
