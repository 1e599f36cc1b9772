"""The command line: options are what declarations say, usage errors are short and early."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from questions import TYPES, Kind, command
from running import ddcalc

from ddcalc.problem.catalog import problem_named
from ddcalc.problem.problem import RESERVED

EPOCHS = next(problem for problem in TYPES if problem.slug == "epoch-time")
WIDE = ("divergence", "ring-trace", "quantize", "timeline")  # also at other widths
of_types = pytest.mark.parametrize("problem", TYPES, ids=lambda problem: problem.slug)


def test_the_reserved_names_are_those_of_the_command() -> None:
    shown = ddcalc("sync-step", "--help-all").out
    options = {name.replace("-", "_") for name in re.findall(r"--([a-z][a-z-]*)", shown)}
    sync_step = problem_named("sync-step")
    own = {"step"}  # or own-step, for types with such a given
    assert options - {*sync_step.givens, *sync_step.choices} == {*RESERVED} - {"own_step"} | own


FEDERATED = (
    "federated", "--samples", "60000", "--devices", "100", "--batch", "10", "--download", "1s",
    "--compute", "10ms", "--upload", "1s", "--rounds", "ceil(40 + 360/local_epochs)",
)  # fmt: skip
OWN = (
    ("--local-epochs", "20", "--quantity", "rounds,total"),
    ("--find", "local_epochs", "--where", "2*total <= 20 min"),
    ("--local-epochs", "20", "--step", "seen = rounds*local_epochs: passes over the samples",
     "--quantity", "seen", "--limit", "seen <= 20*rounds"),
    ("--local-epochs", "max(2, rounds/10)", "--rounds", "50", "--limit", "total <= 1 h + upload"),
)  # fmt: skip


@pytest.mark.parametrize("options", OWN)
def test_what_a_command_adds_to_its_type_is_a_file_that_answers_the_same(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    call = [*(FEDERATED[:-2] if "--rounds" in options else FEDERATED), *options]
    (tmp_path / "asked.yaml").write_text(ddcalc(*call, "--as-yaml").out, encoding="utf-8")
    filed = ddcalc("solve", tmp_path / "asked.yaml", "--format", "json")
    alone = ddcalc(*call, "--format", "json")
    assert (filed.code, filed.err, alone.err) == (alone.code, "", "")
    [problem] = json.loads(filed.out)["problems"]
    assert {**problem, "id": None, "file": None} == json.loads(alone.out)


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
