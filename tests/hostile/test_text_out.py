"""Nothing of an input is obeyed by a terminal, page or program that the output goes to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from harness import BEFORE, HEAD, assert_clean, call, strict_json, strict_lines
from tables import rows

from ddcalc.render.problem_file import MODELINE

FORMATS = ("text", "markdown", "latex", "html", "json", "ndjson")
STEPS = ("none", "brief", "full")
GIVEN = "given: {finish: [1 s, 2 s], aggregate: 1 s, update: 1 s}"

TITLES = dict(rows(Path(__file__).with_name("titles.tsv")))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def _titled(title: str) -> str:
    return f'- {{id: x, type: sync-step, title: "{title}", source: "{title}", {GIVEN}}}\n'


@pytest.mark.parametrize("i", range(len(TITLES)), ids=TITLES)
def test_a_title(i: int, folder: Path) -> None:
    """Formats and steps take turns."""
    title = [*TITLES.values()][i]
    for j, form in enumerate(FORMATS):
        (folder / "x.yaml").write_text(HEAD + _titled(title) + (BEFORE if (i + j) % 2 else ""))
        ran = call("solve", "x.yaml", "--format", form, "--steps", STEPS[(i + j) % 3])
        assert ran.code == 0, ran.err
        assert_clean(ran.out + ran.err)
        _assert_fit(form, ran.out)


def _assert_fit(form: str, out: str) -> None:
    if form == "json":
        assert out.isascii()
        assert strict_json(out)["problems"][0]["status"] == "solved"
    elif form == "ndjson":
        assert strict_lines(out)[0]["status"] == "solved"
    elif form == "html":
        assert "<script" not in out
        assert "onerror=" not in re.sub(r">[^<]*<", "><", out)
        tags = re.sub(r">[^<]*<", "><", out)  # links lead to places of the page itself
        assert "href" not in re.sub(r'<a href="#problem-[0-9]+">', "", tags)
        assert "<img" not in out
        assert "Content-Security-Policy" in out
    elif form == "latex":
        assert r"\input{/" not in out
        assert r"\write18" not in out
        assert out.count("{") - out.count(r"\{") == out.count("}") - out.count(r"\}")
    elif form == "markdown":
        assert not re.search(r"(?<!\\)\]\(", out)
        assert not re.search(r"(?<!\\)<http", out)
        assert not re.search(r"(?<!\\)`{3}", out)
    elif form == "text":
        widths = map(len, out.replace("\u0301", "").splitlines())
        assert max(widths) <= 80


HOSTILE = r"\e[31m\u202e\x9b\u200b[/nope]<script>\\input"


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("style", ["full", "short"])
def test_hostile_words_everywhere(form: str, style: str, folder: Path) -> None:
    lines = [
        HEAD,
        BEFORE,
        f'- {{id: "{HOSTILE}", type: sync-step, {GIVEN}}}\n',
        f'- {{id: a, type: "{HOSTILE}", {GIVEN}}}\n',
        f'- {{id: b, type: sync-step, "{HOSTILE}": 1, {GIVEN}}}\n',
        f'- {{id: c, type: sync-step, given: {{"{HOSTILE}": 1,'
        f' finish: ["{HOSTILE}"], update: "1 {HOSTILE}"}}}}\n',
        f'- {{id: d, type: sync-step, {GIVEN}, expect: {{"{HOSTILE}": 1}}}}\n',
        f'- {{id: e, type: sync-step, {GIVEN}, expect: {{total: "{HOSTILE}"}}}}\n',
        f'- {{id: f, type: sync-step, {GIVEN}, claimed: {{total: {{"{HOSTILE}": 1}}}}}}\n',
        f'- {{id: g, type: epoch-time, given: {{queue: "{HOSTILE}"}}}}\n',
        f'"{HOSTILE}": 1\n',
    ]
    name = "x\x1b[31m\u202e.yaml"
    (folder / name).write_text("".join(lines))
    ran = call("solve", name, "--format", form, "--diagnostics", style)
    assert ran.code == 2
    assert_clean(ran.out + ran.err)
    assert "<script>" not in ran.out or form in ("text", "json", "ndjson", "markdown", "latex")
    if form == "json":
        problems = strict_json(ran.out)["problems"]
        assert [problem["status"] for problem in problems] == ["solved", *["error"] * 9]
    if form == "html":
        assert "<script" not in ran.out


@pytest.mark.parametrize("columns", ["0", "40", "41", "abc", "-5", "", "9" * 5000, "٣"])
@pytest.mark.parametrize(
    "command", [("list",), ("show", "federated"), ("epoch-time",), ("--help",), ("solve",)]
)
def test_odd_widths(
    columns: str, command: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    (folder / "x.yaml").write_text(HEAD + BEFORE)
    more: tuple[str, ...] = ()
    if command == ("epoch-time",):
        more = ("--samples=8", "--batch=1", "--workers=2", "--download=1", "--compute=1",
                "--upload=1")  # fmt: skip
    if command == ("solve",):
        more = ("x.yaml",)
    ran = call(*command, *more)
    assert ran.code == 0, ran.err
    assert len(ran.out) > 100
    # the lines of a file are never broken: what goes on below a comment would be no comment; nor is
    # code, which is copied
    code = ("ddcalc ", "--", MODELINE.strip())
    lines = [line for line in ran.out.splitlines() if not line.strip().startswith(code)]
    limit = int(columns) if columns in ("40", "41") else 200
    limit = max(limit, 50) if command == ("--help",) else limit  # the least of click
    if command != ("list",):
        assert not [line for line in lines if len(line) > limit]


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
@pytest.mark.parametrize("form", FORMATS)
def test_every_encoding(encoding: str, form: str, folder: Path) -> None:
    (folder / "x.yaml").write_text(
        HEAD + f'- {{id: x, type: sync-step, title: "é漢\\U0001f600\\e", {GIVEN}}}\n',
        encoding="utf-8",
    )
    ran = call("solve", "x.yaml", "--format", form, "--steps", "full", encoding=encoding)
    assert ran.code == 0, ran.err
    assert len(ran.out) > 15
    assert_clean(ran.out)
    wrong = call(
        "sync-step", "--finish=漢\U0001f600\x1b", "--aggregate=1", "--update=1", encoding=encoding
    )
    assert wrong.code == 2
    assert_clean(wrong.err)
