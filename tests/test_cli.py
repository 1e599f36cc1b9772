"""The command line: options are what declarations say, usage errors are short and early."""

from __future__ import annotations

import re
from importlib.metadata import version

import pytest
from questions import TYPES, Kind, command
from running import Ran, ddcalc

EPOCHS = next(problem for problem in TYPES if problem.slug == "epoch-time")
WIDE = ("divergence", "ring-trace", "quantize", "timeline")  # also at other widths
of_types = pytest.mark.parametrize("problem", TYPES, ids=lambda problem: problem.slug)


def _refused(ran: Ran) -> str:
    """What is said about a call that was refused, and only there."""
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith("error: ")
    assert "Traceback" not in ran.err
    return ran.err


def test_version() -> None:
    ran = ddcalc("--version")
    assert (ran.code, ran.out, ran.err) == (0, f"ddcalc {version('ddcalc')}\n", "")


def test_everything_wrong_is_said_at_once() -> None:
    shown = _refused(
        ddcalc(
            "epoch-time", "--samples", "0", "--batch", "1 s", "--download", "1KB", "--queue", "x"
        )
    )
    for name in ("--samples", "--batch", "--download", "--queue", "workers", "compute", "upload"):
        assert name in shown, name
    assert shown.count("error: ") == 5


def test_options_and_choices_take_either_dash() -> None:
    plain = ddcalc(*command(EPOCHS), "--queue", "per-epoch", "--steps", "none")
    under = ddcalc(*command(EPOCHS), "--queue", "per_epoch", "--steps", "none")
    assert plain == under
    assert (plain.code, plain.err) == (0, "")
    assert plain.out.startswith("10 epochs take 637.5 s (10 min 37.5 s).")


@of_types
def test_no_width_loses_anything(problem: Kind) -> None:
    """Narrow screens wrap; they never cut a number or a name, nor exceed their width; in ASCII
    everything is spelt out. What wraps is indented, least of all may a term go on at the edge."""
    cuts = ddcalc(*command(problem), columns=200).out.count("…")
    widths = (40, 50, 60, 79, 80, 120, 200) if problem.slug in WIDE else (40, 80)
    for columns in widths:
        screen = ddcalc(*command(problem), columns=columns).out
        assert screen.count("…") == cuts
        _fits(screen, columns)
    narrow = ddcalc(*command(problem), encoding="ascii")
    assert narrow.code == 0
    assert narrow.out.isascii()
    assert not re.search(r"\\[ux]", narrow.out)
    assert not re.search(r"(\d|eta|Delta)(eta|Delta|grad)", narrow.out)
    _fits(narrow.out, 80)


def _fits(screen: str, columns: int) -> None:
    for line in screen.splitlines():
        assert len(line) <= columns, line
        assert line == line.rstrip()
    body = screen[screen.index("\nGiven\n") + 7 : screen.index("\nAnswer")]
    blocks = [block.splitlines() for block in body.strip("\n").split("\n\n")]
    model = [block for block in blocks[1:] if not any(re.match(r"  |\d+  ", _) for _ in block)]
    assert len(model) == 1, "what happens is a paragraph of its own, at the edge"
    for line in [line for block in blocks if block not in model for line in block]:
        if {*line} & {*"┤│└"}:
            continue  # a chart has its scale at the left edge
        assert line.startswith("  ") or re.match(r"\d+ ", line), line
