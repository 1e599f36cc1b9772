"""Manual pages: valid for groff and mandoc, and what they show is what ``show`` shows."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from questions import TYPES
from running import ddcalc

from ddcalc.cli.app import VERBS
from ddcalc.problem.catalog import catalog
from ddcalc.render.blocks import Block, Code, Heading, Items, Paragraph, TextTable
from ddcalc.render.markup import roff

NAMES = ["", *(problem.slug for problem in TYPES)]
HOSTILE = ".sy rm\n'br \\*(xx \\fB -- \x1b[31m"
GROFF, MANDOC = shutil.which("groff"), shutil.which("mandoc")


def manual(name: str) -> str:
    ran = ddcalc("show", *filter(None, [name]), "--format", "man")
    assert (ran.code, ran.err) == (0, "")
    return ran.out


def shown(page: str) -> str:
    """The *page* as a terminal has it; no warning is allowed."""
    assert GROFF
    call = [GROFF, "-man", "-Kutf8", "-Tutf8", "-ww", "-P-c", "-rLL=300n"]
    ran = subprocess.run(call, input=page, capture_output=True, text=True, check=True)
    assert ran.stderr == ""
    return re.sub(".\b", "", ran.stdout)


@pytest.mark.skipif(GROFF is None, reason="no groff")
@pytest.mark.parametrize("name", NAMES)
def test_groff_reads_every_page(name: str) -> None:
    text = shown(manual(name))
    title = f"ddcalc-{name}" if name else "ddcalc"
    assert text.startswith(title.upper())
    assert f"{title} - " in text
    for wanted in catalog() if not name else ["GIVEN", "EXAMPLE", f"ddcalc {name}"]:
        assert wanted in text
    assert all(verb in text for verb in VERBS if not name)


@pytest.mark.skipif(MANDOC is None, reason="no mandoc")
@pytest.mark.parametrize("name", NAMES)
def test_mandoc_finds_nothing(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.1").write_text(manual(name), encoding="utf-8")
    call = ["mandoc", "-T", "lint", "-W", "warning", "a.1"]
    ran = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert [line for line in ran.stdout.splitlines() if "missing date" not in line] == []


@pytest.mark.skipif(GROFF is None, reason="no groff")
def test_nothing_that_is_written_is_a_request() -> None:
    pieces = (HOSTILE,)
    content: list[Block] = [
        Heading(HOSTILE),
        Paragraph(pieces, HOSTILE),
        Items((pieces,)),
        TextTable(("a", "b"), ((pieces, pieces),)),
        Code(HOSTILE),
    ]
    text = shown(roff.page(content, "ddcalc", "1"))
    assert text.count(".sy rm") == 7
    assert "\x1b[31m" not in text


def test_a_file_is_a_manual_by_its_suffix(tmp_path: Path) -> None:
    assert ddcalc("show", "--output", tmp_path / "ddcalc.1").code == 0
    assert (tmp_path / "ddcalc.1").read_text(encoding="utf-8").startswith(".TH DDCALC 1 ")
    ran = ddcalc("transfer", "--output", tmp_path / "a.1")
    assert (ran.code, "names no format" in ran.err) == (2, True)
