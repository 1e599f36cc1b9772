"""LaTeX documents: complete, safe, and accepted by pdflatex without running off the page."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from pages import section, solved

from ddcalc.problem.catalog import catalog
from ddcalc.render.markup import latex

HOSTILE = r"\input{/etc/passwd} \write18{id} $x$ {} % # & _ ^ ~ \end{document} 日 ₂ \x1b"


def test_hostile_titles_are_escaped() -> None:
    page = section(latex, solved("sync-step"), title=HOSTILE)
    assert r"\input" not in page
    assert r"\write18" not in page
    assert r"\end{document}" not in page


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_documents_compile_and_fit(tmp_path: Path) -> None:
    sections = [section(latex, solved(slug), title=f"{slug} {HOSTILE}") for slug in catalog()]
    document = latex.OPENING + "\n".join(sections) + latex.CLOSING
    (tmp_path / "all.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"]
    done = subprocess.run([*command, "all.tex"], cwd=tmp_path, capture_output=True, check=False)
    log = (tmp_path / "all.log").read_text(encoding="latin-1")
    assert done.returncode == 0, log[-3000:]
    assert (tmp_path / "all.pdf").stat().st_size > 10_000
    assert re.findall(r"Overfull \\hbox \(\d{2,}\..*", log) == []
