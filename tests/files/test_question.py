"""What is wrong with a problem is told all at once, each thing at its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from sheets import STEP, answers, flow, read_sheet, sheet, texts, wrong

FEDERATED = "samples: 64, devices: 2, batch: 8, download: 1, compute: 1, upload: 1"


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    results = read_sheet(
        tmp_path,
        "type: epoch-time\n"  # 1
        "titel: x\n"  # 2
        "id: -a\n"  # 3
        "given:\n"  # 4
        "  samples: 76,80\n"  # 5
        "  workrs: 6\n"  # 6
        "  batch: 0\n"  # 7
        "  download: 1.5 secnd\n"  # 8
        "  compute: [4 s]\n"  # 9
        "  upload: 1 GB\n"  # 10
        "  queue: percarry\n",  # 11
    )
    assert sorted(wrong(results), key=lambda located: located[1]) == [
        ("unknown", 2, 1),
        ("value", 3, 5),
        ("number", 5, 12),
        ("unknown", 6, 3),
        ("value", 7, 10),
        ("unit", 8, 13),
        ("value", 9, 12),
        ("unit", 10, 11),
        ("unknown", 11, 10),
    ]
    (done,) = results
    assert done.derivation is None
    assert done.checks == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("type: sync-stp", "unknown problem type 'sync-stp'; did you mean 'sync-step'?"),
        ("type: sync-step\ngivn: {}", "unknown key 'givn'; did you mean 'given'?"),
        (STEP + "claimed: {slowst: 1 s}", "unknown result 'slowst'; did you mean 'slowest'?"),
        (
            "type: sync-step\ngiven: {finsh: 1 s}",
            "unknown parameter 'finsh'; did you mean 'finish'?",
        ),
        (
            "type: epoch-time\ngiven: {queue: per epoch}",
            "unknown choice 'per epoch'; did you mean 'per-epoch'?",
        ),
    ],
)
def test_did_you_mean(tmp_path: Path, text: str, said: str) -> None:
    assert said in texts(read_sheet(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("id: a", [("missing", 1, 1)]),
        ("id: a\ntype:", [("missing", 2, 6)]),
        ("type: [sync-step]", [("sheet", 1, 7)]),
        (STEP + "id: a b", [("value", 3, 5)]),
        (STEP + "id: ä", [("value", 3, 5)]),
        (STEP + "id: {a: b}", [("sheet", 3, 5)]),
        (STEP + "source: {a: b}", [("sheet", 3, 9)]),
        (STEP + "expect: 1", [("sheet", 3, 9)]),
        (STEP + "claimed: [1]", [("sheet", 3, 10)]),
        (STEP + "expect: {total: 1 s, totl: 2 s}", [("unknown", 3, 22)]),
        (STEP + "expect: {total: {value: 1 s, within: x}}", [("number", 3, 17)]),
    ],
)
def test_places(tmp_path: Path, text: str, expected: list[tuple[str, int, int]]) -> None:
    assert wrong(read_sheet(tmp_path, text)) == expected


def test_the_longest_id(tmp_path: Path) -> None:
    assert texts(read_sheet(tmp_path, f"{STEP}id: {'a' * 64}")) == []
    (text,) = texts(read_sheet(tmp_path, f"{STEP}id: {'a' * 65}"))
    assert text.endswith("is longer than 64 characters")


@pytest.mark.parametrize("nothing", ["", "~", "null", "{}"])
@pytest.mark.parametrize("block", ["expect", "claimed"])
def test_empty_blocks(tmp_path: Path, block: str, nothing: str) -> None:
    (done,) = read_sheet(tmp_path, f"{STEP}{block}: {nothing}")
    assert (done.errors, done.checks) == ([], [])


def test_names_and_choices_in_either_spelling(tmp_path: Path) -> None:
    for local in ("local-epochs", "local_epochs"):
        text = f"type: federated\ngiven: {{{FEDERATED}, {local}: 3}}\n"
        assert answers(read_sheet(tmp_path, text)) == {None: "14"}
    for choice in ("same-time", "same_time"):
        given = f"starts: [0, 0.1], update: 0.2, horizon: 0.6, compare: {choice}"
        (done,) = read_sheet(tmp_path, f"type: divergence\ngiven: {{{given}}}\n")
        assert done.derivation
        assert dict(done.derivation.stated.shape.reading)["compare"] == "same_time"


def test_a_name_in_two_spellings_is_given_twice(tmp_path: Path) -> None:
    text = f"type: federated\ngiven: {{{FEDERATED}, local_epochs: 2, local-epochs: 3}}\n"
    results = read_sheet(tmp_path, text)
    first, second = text.splitlines()[1].index("local_"), text.splitlines()[1].index("local-")
    assert wrong(results) == [("repeated", 2, second + 1)]
    assert f"first in line 2, column {first + 1}" in texts(results)[0]


def test_an_error_in_a_list_is_at_its_element(tmp_path: Path) -> None:
    results = read_sheet(
        tmp_path, "type: sync-step\ngiven: {finish: [1, -2, x], aggregate: 1, update: 1}"
    )
    assert wrong(results) == [("value", 2, 21), ("number", 2, 25)]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("{finish: 1, aggregate: {a: 1}, update: 1}", [("sheet", 2, 31)]),
        ("{finish: [{a: 1}, 2], aggregate: 1, update: 1}", [("sheet", 2, 18)]),
        ("{finish: [[1], 2, x], aggregate: 1, update: 1}", [("sheet", 2, 18)]),
    ],
)
def test_nested_givens(tmp_path: Path, given: str, expected: list[tuple[str, int, int]]) -> None:
    assert wrong(read_sheet(tmp_path, f"type: sync-step\ngiven: {given}")) == expected


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


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("defaults: 3\n", ("sheet", 1, 11)),
        ("defaults: {sync-stp: {update: 3}}\n", ("unknown", 1, 12)),
        ("defaults: {federated: 3}\n", ("sheet", 1, 23)),
        ("default: {sync-step: {update: 3}}\n", ("unknown", 1, 1)),
    ],
)
def test_wrong_defaults(tmp_path: Path, head: str, expected: tuple[str, int, int]) -> None:
    results = read_sheet(tmp_path, sheet(flow("a"), head=head))
    assert wrong(results) == [expected]
    assert answers(results) == {"a": "21/20"}  # which needs none of them


def test_nothing_is_solved_with_wrong_defaults(tmp_path: Path) -> None:
    other = "{id: b, type: breakeven, given: {download: 1, compute: 4, upload: 1, aggregate: 1}}"
    results = read_sheet(tmp_path, sheet(flow("a"), other, head="defaults: {sync-step: 3}\n"))
    assert wrong(results) == [("sheet", 1, 23), ("sheet", 3, 3)]
    assert answers(results) == {"b": "3"}


def test_defaults_for_one_type_in_two_spellings(tmp_path: Path) -> None:
    head = "defaults: {sync-step: {aggregate: 1}, sync_step: {update: 2}}\n"
    results = read_sheet(tmp_path, sheet(flow("a"), head=head))
    assert ("repeated", 1, 39) in wrong(results)


def test_defaults_below_the_problems_are_not_ignored(tmp_path: Path) -> None:
    tail = "defaults: {sync-step: {update: 3}}\n"
    results = read_sheet(tmp_path, sheet(flow("a"), tail=tail))
    assert [(line, column) for _, line, column in wrong(results)] == [(3, 1)]


@pytest.mark.parametrize("key", ["type", "given", "foo"])
def test_other_keys_beside_the_problems(tmp_path: Path, key: str) -> None:
    above = read_sheet(tmp_path, sheet(flow("a"), head=f"{key}: 1\n"))
    assert wrong(above) == [("unknown", 1, 1)]
    below = read_sheet(tmp_path, sheet(flow("a"), tail=f"{key}: 1\n"))
    assert wrong(below) == [("unknown", 3, 1)]
    assert answers(above) == answers(below) == {"a": "21/20"}
