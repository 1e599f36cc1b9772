"""Hostile command lines: refused with a clean message, nothing printed as an answer."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import assert_clean, call, ends_well
from tables import meant

EPOCH = ("epoch-time", "--samples=8", "--batch=1", "--workers=2", "--download=1", "--compute=1")
BREAKEVEN = ("breakeven", "--download=1", "--compute=4", "--upload=1")
FEDERATED = ("federated", "--samples=8", "--devices=2", "--batch=1", "--download=1", "--upload=1")
STEP = ("sync-step", "--aggregate=1", "--update=1")
HERE = Path(__file__).parent


def table() -> Iterator[tuple[int, tuple[str, ...], str]]:
    """The exit code, the words and what is said of each call in ``calls.txt``."""
    named: dict[str, tuple[str, ...]] = {}
    for line in (HERE / "calls.txt").read_text("utf-8").splitlines():
        if line.startswith("$"):
            name, _, words = line.partition(" = ")
            named[name] = tuple(shlex.split(words))
        elif line[:1].isdigit():
            code, call, says = line.split("\t")
            words = [named.get(word, (meant(word),)) for word in shlex.split(call)]
            yield int(code), tuple(word for several in words for word in several), says


def _name(value: object) -> str:
    return ascii(" ".join(value)[-60:]) if isinstance(value, tuple) else ""


@pytest.mark.parametrize(("code", "words", "says"), [*table()], ids=_name)
def test_a_call(
    code: int, words: tuple[str, ...], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends in bounded time, says why, prints nothing else and leaves nothing behind."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "problems").symlink_to(HERE.parents[1] / "problems")
    monkeypatch.setenv("COLUMNS", "80")
    ran = call(*words)
    ends_well(ran, code)
    printed = " ".join((ran.err if code else ran.out).split())
    assert all(part in printed for part in says.split(" … ")), printed[:500]
    assert not code or ran.out == "" or {"json", "solve"} & {*words}
    assert max(map(len, (ran.err or " ").splitlines())) < 700 + max(map(len, (*words, "")))
    assert [path.name for path in tmp_path.iterdir()] == ["problems"]


def test_every_wrong_option_is_reported_at_once() -> None:
    wrong = ("breakeven", "--download=1:30", "--compute=yes", "--upload=1,5", "--aggregate=017")
    ran = call(*wrong, "--format", "json")
    assert ran.code == 2
    assert all(word.partition("=")[0] in ran.err for word in wrong[1:])
    assert len(json.loads(ran.out)["errors"]) == 4


@pytest.mark.parametrize("form", ["text", "latex", "json"])
@pytest.mark.parametrize("value", ["1e60", "1e-60 ns", "1/3", "2^20", "0"])
def test_awkward_numbers_in_every_format(form: str, value: str) -> None:
    for arguments in (
        (*EPOCH, f"--upload={value}"),
        (*BREAKEVEN, f"--aggregate={value}"),
        (*STEP, f"--finish={value} " if value[-1].isdigit() else f"--finish={value}"),
        (*FEDERATED, f"--compute={value}"),
    ):
        ran = call(*arguments, "--format", form)
        assert ran.code == 0, ran.err
        assert_clean(ran.out)
        assert "nan" not in ran.out.lower().split()
        assert ran.err == ""
