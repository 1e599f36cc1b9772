"""Hostile command lines: refused with exit 2 and a clean message, nothing printed as an answer."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from harness import SECONDS, assert_clean, call

BREAKEVEN = ("breakeven", "--download=1", "--compute=4", "--upload=1", "--aggregate=0.1")
EPOCH = ("epoch-time", "--samples=8", "--batch=1", "--workers=2", "--download=1", "--compute=1",
         "--upload=1")  # fmt: skip
FEDERATED = ("federated", "--samples=8", "--devices=2", "--batch=1", "--download=1", "--upload=1")
STEP = ("sync-step", "--aggregate=1", "--update=1")
DIVERGENCE = ("divergence", "--starts=0.15s,0.2s", "--update=0.2s", "--horizon=0.6s")

# arguments, and words that the message has
REFUSED: tuple[tuple[Sequence[str], str], ...] = (
    ((*BREAKEVEN, "--hint", "0"), "--hint"),
    ((*BREAKEVEN, "--hint", "abc"), "abc"),
    ((*BREAKEVEN, "--hint=1.5"), "--hint"),
    ((*BREAKEVEN, "--hint=\uff13"), "--hint"),
    ((*BREAKEVEN, "--hint="), "--hint"),
    ((*BREAKEVEN, "--hint", "1", "--hint", "2"), "more than once"),
    ((*BREAKEVEN, "--hint", "9" * 5000), "--hint"),
    ((*BREAKEVEN, "--unit", "GB"), "measures"),
    ((*BREAKEVEN, "--unit", ""), "empty"),
    ((*EPOCH, "--aggregate", "¹(a)" * 30_000), "longer than 200 characters"),
    ((*BREAKEVEN, "--unit", "\x1b[31m"), r"\x1b[31m"),
    ((*EPOCH, "--unit", "GB"), "measures"),
    ((*EPOCH, "--unit", "m"), "write min"),
    ((*EPOCH, "--unit", "secnd"), "did you mean"),
    ((*EPOCH, "--unit", "5 s"), ""),
    ((*EPOCH, "--unit", "s/s/s"), "slash"),
    ((*BREAKEVEN, "--steps", "\x1b[2J"), r"\x1b[2J"),
    ((*BREAKEVEN, "--steps", "FULL"), "--steps"),
    ((*BREAKEVEN, "--format", "docx"), "--format"),
    ((*BREAKEVEN, "--format", "json", "--format", "text"), "more than once"),
    ((*BREAKEVEN, "--compute", "5"), "more than once"),
    ((*BREAKEVEN, "--relation", "exceeds", "--relation", "reaches"), "more than once"),
    ((*BREAKEVEN, "--relation", "is"), "unknown choice"),
    ((*BREAKEVEN, "--relation"), "--relation"),
    ((*BREAKEVEN, "--download"), "--download"),
    ((*BREAKEVEN, "--wat", "5"), "--wat"),
    ((*BREAKEVEN, "--\x1b[31m", "5"), r"\x1b[31m"),
    ((*BREAKEVEN, "-z"), "-z"),
    ((*BREAKEVEN, "\u202eextra"), r"\u202eextra"),
    ((*BREAKEVEN, "--", "extra"), "extra"),
    ((*BREAKEVEN, "--as-yaml=5"), "--as-yaml"),
    (("breakeven",), "missing"),
    (("breakeven", "--down", "1"), "--down"),
    (("epoch-time", *EPOCH[1:], "--samples", "204,800"), "more than once"),
    (("epoch-time", "--samples=204,80", *EPOCH[2:]), "comma"),
    (("epoch-time", "--samples=8", "--batch=9", *EPOCH[3:]), "larger than the data"),
    (("epoch-time", "--samples=8", "--batch=1", "--workers=0", *EPOCH[4:]), "at least 1"),
    (("epoch-time", "--samples", *EPOCH[2:]), ""),
    ((*FEDERATED, "--compute", "1,5"), "has no unit"),
    ((*FEDERATED, "--compute", "1,5 s"), "has no unit"),
    ((*FEDERATED, "--compute", ","), ""),
    ((*FEDERATED, "--compute", "1s,,2s"), ""),
    ((*FEDERATED, "--compute", "1s,2s,3s"), "lists 3 devices"),
    ((*FEDERATED, "--compute", "1s 2s"), ""),
    ((*FEDERATED, "--compute=1", "--shares=4,5"), "sum of the shares"),
    ((*FEDERATED, "--compute=1", "--shares=4.5,3.5"), "whole number"),
    ((*FEDERATED, "--compute=1", "--local-epochs=1,5"), "comma"),
    ((*FEDERATED, "--compute=1", "--batch=all,all"), ""),
    ((*STEP, "--finish="), ""),
    ((*STEP, "--finish=1s,2GB"), "measures"),
    ((*STEP, "--finish=1s", "--finish=2s"), "more than once"),
    ((*STEP, "--finish=" + ",".join(["1s"] * 10_001)), "10000"),
    ((*STEP, "--finish=" + "9" * 100_000), ""),
    ((*DIVERGENCE, "--operations=1e30"), "too many"),
    ((*DIVERGENCE, "--eta=0"), "more than 0"),
    ((*DIVERGENCE, "--delta=__import__('os')"), ""),
    ((*DIVERGENCE, "--unit=GB"), ""),
    (("epoch",), "epoch-time"),
    (("\u202e",), r"\u202e"),
    (("__import__('os').system('touch hacked')",), ""),
    (("../../etc/passwd",), ""),
    (("--\x9b31m",), r"\x9b31m"),
    (("--version=5",), "--version"),
    (("show", "epoch"), "unknown problem type"),
    (("show", "\x1b]0;x\x07"), r"\x1b]0;x\x07"),
    (("show", "epoch-time", "breakeven"), "breakeven"),
    (("show", "epoch-time", "--format", "docx"), "--format"),
    (("new",), "TYPE"),
    (("new", "\u200b"), r"\u200b"),
    (("ask",), "QUESTION"),
    (("schema", "\x7f"), r"\x7f"),
    (("solve",), "FILE"),
    (("solve", "--wat", "x"), "--wat"),
    (("solve", "no such file"), "No such file"),
    (("solve", "no\x1b[31msuch\u202efile"), r"no\x1b[31msuch\u202efile"),
    (("solve", "x", "--diagnostics", "long"), "--diagnostics"),
    (("solve", "x" * 5000), "too long"),
    (("solve", "\udcff"), r"\udcff"),
)


def short(arguments: Sequence[str]) -> str:
    return " ".join(argument[:30] for argument in arguments if argument not in EPOCH + FEDERATED)


@pytest.mark.parametrize(
    ("arguments", "says"), REFUSED, ids=lambda words: short(words) if words else "-"
)
def test_refused(
    arguments: Sequence[str], says: str, monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.chdir(str(tmp_path))
    monkeypatch.setenv("COLUMNS", "80")
    ran = call(*arguments)
    assert ran.code == 2, (ran.out[:300], ran.err[:300])
    assert_clean(ran.out + ran.err)
    assert says in ran.err, ran.err
    assert ran.out == "" or arguments[0] == "solve"
    assert "a bug in ddcalc" not in ran.err
    assert ran.seconds < SECONDS
    names = [argument for argument in arguments if len(argument) > 300]
    assert max(map(len, ran.err.splitlines())) < 700 + sum(map(len, names))


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
        (*EPOCH[:-1], f"--upload={value}"),
        (*BREAKEVEN[:-1], f"--aggregate={value}"),
        (*STEP, f"--finish={value} " if value[-1].isdigit() else f"--finish={value}"),
        (*FEDERATED, f"--compute={value}"),
    ):
        ran = call(*arguments, "--format", form)
        assert ran.code == 0, ran.err
        assert_clean(ran.out)
        assert "nan" not in ran.out.lower().split()
        assert ran.err == ""
