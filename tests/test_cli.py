"""The command line: options are what declarations say, usage errors are short and early."""

from __future__ import annotations

import re

from questions import Kind, command, of_types
from running import ddcalc

from ddcalc.problem.catalog import problem_named
from ddcalc.problem.problem import RESERVED

WIDE = ("divergence", "ring-trace", "quantize", "timeline")  # also at other widths


def test_the_reserved_names_are_those_of_the_command() -> None:
    shown = ddcalc("sync-step", "--help-all").out
    options = {name.replace("-", "_") for name in re.findall(r"--([a-z][a-z-]*)", shown)}
    sync_step = problem_named("sync-step")
    own = {"step"}  # or own-step, for types with such a given
    assert options - {*sync_step.givens, *sync_step.choices} == {*RESERVED} - {"own_step"} | own


@of_types
def test_no_width_loses_anything(problem: Kind) -> None:
    """Narrow screens wrap; they never cut a number or a name, nor exceed their width; in ASCII
    everything is spelt out. What wraps is indented, least of all may a term go on at the edge."""
    cuts = len(re.findall(r"\S…", ddcalc(*command(problem), columns=200).out))
    widths = (40, 60, 79, 120, 200) if problem.slug in WIDE else (40, 80)
    for columns in widths:
        screen = ddcalc(*command(problem), columns=columns).out
        assert len(re.findall(r"\S…", screen)) == cuts
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
    body = re.split(r"\n(?:Check|It means|Assumes|Unused)\b", screen.partition("\nGiven\n")[2])[0]
    blocks = [block.splitlines() for block in body.strip("\n").split("\n\n")]
    model = [block for block in blocks[1:] if not any(re.match(r"  |\d+  ", _) for _ in block)]
    assert len(model) == 1, "what happens is a paragraph of its own, at the edge"
    for line in [line for block in blocks if block not in model for line in block]:
        if {*line} & {*"┤│└"}:
            continue  # a chart has its scale at the left edge
        assert line.startswith("  ") or re.match(r"\d+ ", line), line
