"""Everything that the README and the topics show is run: commands, files, Python, the new type.
``DDCALC_UPDATE_GOLDEN=1`` writes what the commands print now below them."""

import doctest
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import ROOT, ddcalc

from ddcalc.cli.main import run
from ddcalc.problem.known.catalog import catalog

README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", TEXT, re.DOTALL)
PAGES = [README, *sorted((ROOT / "ddcalc" / "problem" / "topics").glob("*.md"))]
CONSOLE = re.compile(r"(?<=```console\n).*?(?=```)", re.DOTALL)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n", re.MULTILINE)


def shown(page: Path) -> Iterator[tuple[str, str]]:
    """Every command of the console blocks of *page*, and what stands below it."""
    for block in CONSOLE.findall(page.read_text(encoding="utf-8")):
        _, *pieces = COMMAND.split(block)
        yield from zip(pieces[::2], pieces[1::2], strict=True)


def printed(command: str, page: Path) -> str:
    """What *command* prints on a screen of 80 columns, on which topics indent it by 3."""
    columns = 80 if page == README else 77
    ran = ddcalc(*shlex.split(command.replace("\\\n", " "))[1:], columns=columns)
    assert ran.code == 0, command
    assert all(line.startswith("note: ") for line in ran.err.splitlines())
    return ran.out + ran.err


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_print_what_is_shown(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    text = page.read_text(encoding="utf-8")
    for command, output in shown(page):
        if not command.startswith("ddcalc "):
            continue
        now = printed(command, page)
        if os.environ.get("DDCALC_UPDATE_GOLDEN"):
            text = text.replace(f"$ {command}\n{output}", f"$ {command}\n{now}")
        else:
            assert now == output, command
    if os.environ.get("DDCALC_UPDATE_GOLDEN"):
        page.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_python_prints_what_is_shown(page):
    failures, _ = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert not failures


def test_pages_name_types_that_exist():
    for page in PAGES:
        for name in re.findall(r"`ddcalc ([a-z][a-z-]+)", page.read_text(encoding="utf-8")):
            assert name in catalog() or ddcalc(name, "--help").code == 0, f"{page.name}: {name}"


def test_every_type_is_listed():
    assert {*re.findall(r"`([a-z-]+)`", TEXT.partition("## Problem types")[2])} >= {*catalog()}


def test_the_file_is_solved(tmp_path, capsys):
    [sheet] = [block for language, block in BLOCKS if language == "yaml"]
    path = tmp_path / "sheet.yaml"
    path.write_text(sheet, encoding="utf-8")
    assert run(["solve", str(path), "--steps", "none"]) == 0
    assert "67" in capsys.readouterr().out
