"""Marked up pages: LaTeX that pdflatex accepts without running off the page, web pages that stand
alone, tables in Markdown; ``hostile/test_text_out.py`` writes what nobody should into them."""

from __future__ import annotations

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
from questions import example
from running import ddcalc

from ddcalc.ask.solve import Derivation, solve
from ddcalc.problem.catalog import catalog, problem_named
from ddcalc.render.markup import html, latex, markdown
from ddcalc.render.pages import Detail, derivation

HOSTILE = r"\input{/etc/passwd} \write18{id} $x$ {} % # & _ ^ ~ \end{document} 日 ₂ \x1b"
TRANSFER = ["--size", "1GB", "--latency", "1ms", "--bandwidth", "1GB/s"]


@cache
def solved(slug: str) -> Derivation:
    """The example of the type *slug*, solved."""
    problem = problem_named(slug)
    return solve(problem, example(problem))


def section(form: ModuleType, slug: str, title: str = "") -> str:
    """The page of an example in the format of a module of ``markup``."""
    return str(form.part(derivation(solved(slug), Detail("full", None), title=title)))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_documents_compile_and_fit(tmp_path: Path) -> None:
    sections = [section(latex, slug, f"{slug} {HOSTILE}") for slug in catalog()]
    assert not any(one in "".join(sections) for one in (r"\input", r"\write18", r"\end{document}"))
    document = latex.OPENING + "\n".join(sections) + latex.CLOSING
    (tmp_path / "all.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"]
    done = subprocess.run([*command, "all.tex"], cwd=tmp_path, capture_output=True, check=False)
    log = (tmp_path / "all.log").read_text(encoding="latin-1")
    assert done.returncode == 0, log[-3000:]
    assert (tmp_path / "all.pdf").stat().st_size > 10_000
    assert re.findall(r"Overfull \\hbox \(\d{2,}\..*", log) == []


def test_tables_have_one_width() -> None:
    for slug in catalog():
        for table in re.findall(r"(?:^\|.*\n)+", section(markdown, slug), re.MULTILINE):
            widths = {len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}
            assert len(widths) == 1, (slug, table)


def test_schedules_are_pictures_with_a_table() -> None:
    pytest.importorskip("matplotlib")
    root = ET.fromstring(section(html, "divergence").replace("<wbr>", "<wbr/>"))
    assert len(root.findall("div[@class='picture']/{*}svg[@role='img']")) == 1
    (table,) = root.findall("details/table")
    assert len(table.findall("tbody/tr")) > 5


@pytest.mark.parametrize(
    ("call", "title"),
    [
        (["transfer", *TRANSFER], "How long does it take to send a message?"),
        (["sensitivity", "transfer", *TRANSFER], "What moves T: "),
        (["sweep", "transfer", *TRANSFER[:2], "--vary", "latency=1ms,2ms", *TRANSFER[4:]], "How "),
        (["solve", "problems/exam.yaml"], "problems/exam.yaml"),
        (["show", "transfer"], "How long does it take to send a message?"),
        (["explain", "straggler"], "straggler"),
    ],
)
def test_a_web_page_is_called_as_its_question(call: list[str], title: str) -> None:
    page = ddcalc(*call, "--format", "html").out
    assert re.findall("<title>(.*)</title>\n<style>", page)[0].startswith(title)
    assert ('<html lang="en">' in page, "prefers-color-scheme: dark" in page) == (True, True)
