"""``list`` puts every type under one subject, and finds types by what they are about."""

from __future__ import annotations

import re

from questions import FOLDERS, TYPES
from running import ddcalc

from ddcalc.problem.catalog import GROUPS, catalog, grouped


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
