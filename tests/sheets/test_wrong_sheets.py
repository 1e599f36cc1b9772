"""What is said of a sheet in which one thing is wrong: the sheet to start from, with one line
changed, and where the mark stands."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import ddcalc
from tables import rows

from ddcalc.cli.sheets import first

HERE = Path(__file__).parent
WRONG = rows(HERE / "wrong.tsv")


@pytest.mark.parametrize(("line", "changed", "mistake", "marked"), WRONG)
def test_one_mistake(tmp_path: Path, line: str, changed: str, mistake: str, marked: str) -> None:
    sheet = first("mine")
    extra = "let\n  volume_of(x) = volume_of(x) + 1\n" if "volume_of" in changed else "let\n"
    assert line in sheet
    path = tmp_path / "mine.sheet"
    path.write_text(sheet.replace(line, changed, 1).replace("let\n", extra), "utf-8")
    ran = ddcalc("check", path)
    if not mistake:
        assert ran.code == 0
        return
    assert ran.code == 2
    assert mistake in ran.err, ran.err
    source, caret = next(
        pair for pair in zip(ran.err.split("\n"), ran.err.split("\n")[1:], strict=False)
        if "^" in pair[1]
    )  # fmt: skip
    at = caret.index("^")
    assert source[at:].startswith(marked), ran.err


def test_all_mistakes_are_named_at_once(tmp_path: Path) -> None:
    sheet = first("mine")
    for line, changed, *_ in (WRONG[3], WRONG[4], WRONG[12], WRONG[25]):
        sheet = sheet.replace(line, changed, 1)
    (tmp_path / "mine.sheet").write_text(sheet, "utf-8")
    ran = ddcalc("check", tmp_path / "mine.sheet")
    assert ran.err.count("error:") == 4


DOUBLED = "\n".join(f"  x{i} = x{i - 1} + x{i - 1}" for i in range(1, 40))
BOUNDS = rows(HERE / "bounds.tsv")
BOUNDS += [["let\n", f"let\n  x0 = samples\n{DOUBLED}\n", "has more than 20000 parts"]]


@pytest.mark.parametrize(("line", "changed", "mistake"), BOUNDS)
def test_bounds(tmp_path: Path, line: str, changed: str, mistake: str) -> None:
    path = tmp_path / "mine.sheet"
    path.write_text(first("mine").replace(line, changed, 1), "utf-8")
    ran = ddcalc("check", path)
    assert ran.code == (2 if mistake else 0), ran.err
    assert mistake in ran.err


def test_a_long_sheet_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.sheet"
    path.write_text(first("mine") + "#" * 262_144, "utf-8")
    assert "at most 262144 characters" in ddcalc("check", path).err
