"""A part of what is frozen is still said; all of it: ``python tests/frozen/freeze.py --check``."""

from __future__ import annotations

import json
from random import Random

import pytest
from freeze import WORDS, block, frozen
from running import ddcalc

NAMES = sorted(file.stem for file in WORDS.glob("*.txt"))
pytestmark = pytest.mark.skipif(not NAMES, reason="nothing is frozen: tests/frozen/freeze.py")


@pytest.mark.parametrize("name", NAMES)
def test_a_tenth_is_said_as_before(name: str) -> None:
    before = frozen(name)
    first, *others = before
    drawn = Random(name).sample(others, len(others) // 10)
    if not name.startswith("problems-"):  # of those the pages take long
        drawn.append(first)
    assert "".join(block(call, first) for call in drawn) == "".join(map(before.get, drawn))


def test_every_type_and_problem_file_has_its_words() -> None:
    types = {one["type"] for one in json.loads(ddcalc("list", "--format", "json").out)["types"]}
    files = {f"problems-{file.stem}" for file in (WORDS.parents[2] / "problems").glob("*.yaml")}
    assert {*NAMES} == types | files | {"finding", "wrong"}
