"""``list`` puts every type under one subject, and finds types by what they are about."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from questions import FOLDERS, TYPES
from running import ddcalc

from ddcalc.errors import Renamed
from ddcalc.problem.catalog import FORMER, GROUPS, catalog, grouped, problem_named


def _headings(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and re.fullmatch(r"[A-Z][a-z ]+", line)]


def test_every_type_is_under_the_subject_of_its_folder() -> None:
    groups = {
        entry.slug: name for name, members in grouped(catalog().values()) for entry in members
    }
    assert groups == {problem.slug: GROUPS[FOLDERS[problem.slug]] for problem in TYPES}
    assert {*groups.values()} == {*GROUPS.values()}


def test_groups_stand_in_their_order_and_each_type_once() -> None:
    groups = ddcalc("list").out
    assert _headings(groups) == [name.capitalize() for name in GROUPS.values()]
    listed = re.findall(r"^([a-z][a-z-]+)  +\S", groups, re.M)
    assert sorted(listed) == sorted(problem.slug for problem in TYPES)


@pytest.mark.parametrize("name", FORMER)
def test_a_former_name_says_what_answers_now(name: str, tmp_path: Path) -> None:
    line = f"error: '{name}' is now '{FORMER[name]}'"
    calls = [[name, "--x", "1"], *([verb, name] for verb in ("show", "new", "list", "explain"))]
    for call in [*calls, ["compare", name], ["sweep", name.replace("-", "_")]]:
        ran = ddcalc(*call)
        assert (ran.code, ran.out, ran.err.splitlines()[0]) == (2, "", line), call
    file = tmp_path / "old.yaml"
    other = "{type: sync-step, given: {finish: [1 s, 2 s], aggregate: 1 s, update: 1 s}}"
    file.write_text(f"problems:\n  - {{type: {name}, given: {{}}}}\n  - {other}\n")
    ran = ddcalc("solve", file)
    assert ran.code == 2
    assert "The step takes 4 s: everybody waits" in ran.out  # the other one is solved
    assert line.removeprefix("error: ") in ran.err
    with pytest.raises(Renamed, match="is now"):
        problem_named(name)
