"""Calls that are read without Typer are read as Typer reads them; all others are left to it."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
import typer
from questions import TYPES, Kind, command, example
from running import ddcalc

from ddcalc.cli import app as application
from ddcalc.cli.app import VERBS, plain_call
from ddcalc.cli.options import Parameter, for_typer, plainly, taken, taking
from ddcalc.cli.session import Session

VALUES = [
    "1", "0", "-1", "7 ", "1.5 s", "full", "FULL", "none", "text", "json", "x", "", "a,b", "ß", "١",
    "1_0", "00", "99999999999", "\udcff", "--", "-", "--steps", "-h", "=", "a=b",
]  # fmt: skip


def _options(name: str, words: Sequence[str] = ()) -> tuple[Parameter, ...]:
    session = Session()
    if name in VERBS:
        return taken(application._of_verb(name, [name, *words], session)[0])
    return taken(application._of_type(name, session))


def _by_typer(options: Sequence[Parameter], arguments: Sequence[str]) -> dict[str, Any] | None:
    """What Typer calls a command with; None where it refuses the arguments."""
    calls: list[dict[str, Any]] = []

    def run(**stated: Any) -> None:
        calls.append(stated)

    app = typer.Typer(add_completion=False)
    app.command()(for_typer(taking(run, options)))
    try:
        app(args=[*arguments], standalone_mode=False)
    except typer.TyperException:
        return None
    return calls[0] if calls else None


def _drawn(options: Sequence[Parameter], random: Random) -> list[str]:
    """A call, mostly a good one."""
    arguments: list[str] = []
    for option in random.sample(options, min(len(options), random.randrange(6))):
        value = random.choice(VALUES)
        if members := [*getattr(option.kind, "__members__", ())] or _literals(option):
            value = random.choice([*members, value])
        match random.randrange(8):
            case 0:
                arguments += [f"{option.flag}={value}"]
            case 1:
                arguments += [value, option.flag]
            case _ if option.kind is bool:
                arguments += [option.flag]
            case _:
                arguments += [option.flag, value] if option.flag else [value]
    return arguments


def _literals(option: Parameter) -> list[str]:
    found = getattr(option.kind, "__args__", ())
    return [text for part in found for text in getattr(part, "__args__", ()) if text is not str]


@pytest.mark.parametrize("name", [*VERBS, "epoch-time", "timeline", "critical-batch", "ridge"])
def test_what_is_read_is_what_typer_reads(name: str) -> None:
    random, options, read = Random(name), _options(name), 0
    for _ in range(250):
        arguments = _drawn(options, random)
        stated = plainly(options, arguments)
        if stated is not None:
            read += 1
            assert stated == _by_typer(options, arguments), arguments
    assert read >= 5


@pytest.mark.parametrize("problem", TYPES, ids=lambda problem: problem.slug)
def test_examples_are_plain(problem: Kind) -> None:
    session, words = Session(), command(problem)
    assert plain_call(words, session) is not None
    assert plain_call([*words, "--steps", "none", "--format", "json"], session) is not None
    stated = plainly(_options(problem.slug), words[1:])
    assert stated is not None
    assert {name for name, value in stated.items() if value} - {"engine"} == {*example(problem)}


@pytest.mark.parametrize(
    "words",
    [
        ["-h"],
        ["--bogus", "1"],
        ["--samples"],
        ["--samples", "-1"],
        ["--steps", "some"],
        ["--steps", "full", "--steps", "full"],
        ["--force=yes"],
        ["--hint", "0"],
        ["--ask"],
        ["word"],
        ["--", "word"],
    ],
)
def test_what_is_unusual_is_left_to_typer(words: list[str]) -> None:
    assert plain_call(["epoch-time", *words], Session()) is None


def test_both_ways_are_one_command() -> None:
    """The same call, plain, and with what only Typer reads: the end of options."""
    for words in (["list", "latency"], ["explain", "SSP"], ["show", "breakeven"]):
        assert ddcalc(*words) == ddcalc(words[0], "--", *words[1:])
