"""Hostile calls, answers, files that are none, and texts: refused with a clean message, and
nothing of them is obeyed by a terminal, page or program that the output goes to."""

import os
import re
import subprocess
from pathlib import Path
from unittest.mock import Mock

import pytest
from harness import BEFORE, HEAD, SECONDS, call, ends_well, solve_lines, strict_json, strict_lines
from running import GIVEN, ROOT, assert_clean, ddcalc
from tables import TESTS, rows

from ddcalc.cli import session
from ddcalc.problem.known import index
from ddcalc.render.papers.problem_file import MODELINE

# Answers of students


SHEET = ROOT / "tests" / "golden" / "files" / "sheet.yaml"


def written(folder: Path, content: str, name: str) -> Path:
    """A file with *content*."""
    file = folder / name
    file.write_bytes(content.encode("utf-8", "surrogateescape"))
    return file


@pytest.mark.parametrize(("name", "code", "says", "content"), rows("hostile/answers.tsv"))
def test_files_of_answers(name, code, says, content, tmp_path):
    suffix = ".yaml" if name.startswith("YAML") else ".csv"
    ran = call("check", SHEET, written(tmp_path, content, f"answers{suffix}"))
    ends_well(ran, int(code))
    assert says in ran.err, ran.err[:500]


# Folders, pipes, devices, sockets, links, and what cannot be read


SHEETS = HEAD + BEFORE


@pytest.fixture
def inside(folder):
    Path("good.yaml").write_text(SHEETS)
    Path("also.yaml").write_text(SHEETS)


@pytest.mark.usefixtures("inside")
@pytest.mark.parametrize(("name", "says", "made"), rows("hostile/names.tsv"))
def test_refused_and_the_other_files_solved(name, says, made):
    subprocess.run(["bash", "-c", made], check=True)
    ran = solve_lines("good.yaml", name, "also.yaml")
    assert ran.code == 2
    lines = strict_lines(ran.out)
    before, *wrong, after = [line["status"] for line in lines]
    assert (before, {*wrong}, after) == ("solved", {"error"}, "solved")
    assert len(wrong) == 1 or name == "/proc/kmsg"  # which has lines if the kernel said something
    assert says in lines[1]["error"]["message"] + str(lines[1]["file"])
    assert ran.seconds < SECONDS


@pytest.mark.usefixtures("inside")
@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_unreadable():
    Path("secret.yaml").write_text(SHEETS)
    os.chmod("secret.yaml", 0)
    assert solve_lines("secret.yaml", "good.yaml").code == 2


WRONG = {
    "elements": "problems:\n" + "- x\n" * 300,
    "lines": '{"id": "a", "type": "sync-step"}\n' + "x\n" * 300,
    "names": "type: sync-step\ngiven:\n" + "".join(f"  k{n}: 1 s\n" for n in range(300)),
}


@pytest.mark.parametrize("of", WRONG)
def test_errors_that_are_not_shown_are_counted_only(monkeypatch, tmp_path, of):
    """None of them is put into words, nor is it found out what was meant."""
    spies = []
    for place, name in ((session, "diagnostic"), (index, "meanings")):
        spies.append(Mock(wraps=getattr(place, name)))
        monkeypatch.setattr(place, name, spies[-1])
    (tmp_path / "a").write_text(WRONG[of])
    ran = ddcalc("solve", tmp_path / "a")
    assert ran.code == 2
    assert ran.err.count("error: ") == session.SHOWN
    assert re.search(r"and 25\d more errors", ran.err)
    assert 0 < max(spy.call_count for spy in spies) <= session.SHOWN


# What goes out


TEXTS = ("text", "markdown", "latex", "html", "json", "ndjson")
STEPS = ("none", "brief", "full")
TITLES = dict(rows("hostile/titles.tsv"))


@pytest.mark.parametrize("i", range(len(TITLES)), ids=TITLES)
def test_a_title(i, folder):
    """Formats and steps take turns."""
    title = [*TITLES.values()][i]
    titled = f'- {{id: x, type: sync-step, title: "{title}", source: "{title}", {GIVEN}}}\n'
    for j, form in enumerate(TEXTS):
        (folder / "x.yaml").write_text(HEAD + titled + (BEFORE if (i + j) % 2 else ""))
        ran = call("solve", "x.yaml", "--format", form, "--steps", STEPS[(i + j) % 3])
        assert ran.code == 0, ran.err
        assert_clean(ran.out + ran.err)
        _assert_fit(form, ran.out)


def _assert_fit(form: str, out: str) -> None:
    tags = re.sub(r">[^<]*<", "><", out)
    match form:
        case "json":
            assert out.isascii()
            assert strict_json(out)["problems"][0]["status"] == "solved"
        case "ndjson":
            assert strict_lines(out)[0]["status"] == "solved"
        case "html":  # links lead to places of the page itself
            assert not re.search("<script|<img", out)
            assert not re.search('onerror=|href(?!="#problem-[0-9]+">)', tags)
            assert "Content-Security-Policy" in out
        case "latex":
            assert not re.search(r"\\input\{/|\\write18", out)
            assert out.count("{") - out.count(r"\{") == out.count("}") - out.count(r"\}")
        case "markdown":
            assert not re.search(r"(?<!\\)(\]\(|<http|`{3})", out)
        case "text":
            assert max(map(len, out.replace("\u0301", "").splitlines())) <= 80


HOSTILE = r"\e[31m\u202e\x9b\u200b[/nope]<script>\\input"


@pytest.mark.parametrize("form", TEXTS)
@pytest.mark.parametrize("style", ["full", "short"])
def test_hostile_words_everywhere(form, style, folder):
    name = "x\x1b[31m\u202e.yaml"
    words = (TESTS / "hostile" / "words.yaml").read_text().replace("HOSTILE", HOSTILE)
    (folder / name).write_text(words)
    ran = call("solve", name, "--format", form, "--diagnostics", style)
    assert ran.code == 2
    assert_clean(ran.out + ran.err)
    assert "<script>" not in ran.out or form in ("text", "json", "ndjson", "markdown", "latex")
    if form == "json":
        problems = strict_json(ran.out)["problems"]
        assert [problem["status"] for problem in problems] == ["solved", *["error"] * 9]
    if form == "html":
        assert "<script" not in ran.out


CALLS = {
    "--help": "--help",
    "show": "show federated",
    "page": "epoch-time --samples=8 --batch=1 --workers=2 --download=1 --compute=1 --upload=1",
    "file": "solve x.yaml",
}


@pytest.mark.parametrize("columns", ["0", "41", "abc", "-5", "", "9" * 5000, "٣"])
@pytest.mark.parametrize("what", CALLS)
def test_odd_widths(columns, what, folder, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    (folder / "x.yaml").write_text(HEAD + BEFORE)
    ran = call(*CALLS[what].split())
    assert ran.code == 0, ran.err
    assert len(ran.out) > 100
    # the lines of a file are never broken: what goes on below a comment would be no comment; nor is
    # code, which is copied
    code = ("ddcalc ", "--", MODELINE.strip())
    lines = [line for line in ran.out.splitlines() if not line.strip().startswith(code)]
    limit = 200 if columns != "41" else 50 if what == "--help" else 41  # 50 is the least of click
    assert not [line for line in lines if len(line) > limit]


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_every_encoding(encoding, folder):
    title = 'title: "é漢\\U0001f600\\e"'
    (folder / "x.yaml").write_text(f"{HEAD}- {{id: x, type: sync-step, {title}, {GIVEN}}}", "utf-8")
    for form in TEXTS:
        ran = call("solve", "x.yaml", "--format", form, "--steps", "full", encoding=encoding)
        assert ran.code == 0, ran.err
        assert len(ran.out) > 15
        assert_clean(ran.out)
    wrong = call("sync-step", "--finish=漢\U0001f600\x1b", encoding=encoding)
    assert wrong.code == 2
    assert_clean(wrong.err)
