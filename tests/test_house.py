"""The house does not grow: its lines are at most what ``ceiling.txt`` says, and those only fall."""

from __future__ import annotations

from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "ddcalc"
TYPES = PACKAGE / "types"
LONGEST_SHEET = 270
CEILINGS = dict(line.split() for line in (TESTS / "ceiling.txt").read_text("utf-8").splitlines())


def _lines(paths: list[Path]) -> int:
    return sum(len(path.read_text("utf-8").splitlines()) for path in paths)


PARTS = {
    "engine": [path for path in PACKAGE.rglob("*.py") if TYPES not in path.parents],
    "types": [*TYPES.rglob("*.py"), *TYPES.rglob("*.sheet")],
    "tests": [*TESTS.rglob("*.py")],
}


@pytest.mark.parametrize("part", PARTS)
def test_no_part_grows(part: str) -> None:
    """Where lines went, lower the number with them; nothing may be added to it."""
    assert _lines(PARTS[part]) <= int(CEILINGS[part])


def test_no_sheet_of_equations_is_long() -> None:
    sheets = [path for path in TYPES.rglob("*.sheet") if "\nmodel: " not in path.read_text("utf-8")]
    lengths = {path.name: _lines([path]) for path in sheets}
    assert {name: length for name, length in lengths.items() if length > LONGEST_SHEET} == {}
