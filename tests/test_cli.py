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


def test_options_and_choices_take_either_dash() -> None:
    plain = ddcalc(*command(EPOCHS), "--queue", "per-epoch", "--steps", "none")
    under = ddcalc(*command(EPOCHS), "--queue", "per_epoch", "--steps", "none")
    assert plain == under
    assert (plain.code, plain.err) == (0, "")
    assert plain.out.startswith("10 epochs take 637.5 s (10 min 37.5 s).")


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


def test_verbs_take_formulas_steps_and_parts(tmp_path: Path) -> None:
    """A question with formulas, in a call or a file, and a part, stand wherever one stands."""
    own = (*FEDERATED[1:], "--step", "seen = rounds*local_epochs")
    given = dict(zip((option[2:] for option in FEDERATED[1::2]), FEDERATED[2::2], strict=True))
    part = {"id": "a", "type": "federated", "given": given | {"local_epochs": 5},
            "steps": {"seen = rounds*local_epochs": ""}}  # fmt: skip
    like = {"id": "b", "like": "a", "given": {"local_epochs": [8, 20], "rounds": "a.rounds/2"}}
    asks = {"id": "c", "like": "a", "ask": "seen"}
    question = {"id": "q", "parts": [part, like, asks]}
    file = tmp_path / "q.json"
    file.write_text(json.dumps({"problems": [question, {**part, "id": "alone"}]}), encoding="utf-8")
    typed = ("federated", *own, "--local-epochs", "5")
    sides = [typed, (file, "alone"), (file, "q.a"), (f"{file}:q.a",)]
    for verb, options, says in (
        ("sweep", ("--vary", "local_epochs=1..20", "--minimize", "seen"), "seen = 400 at"),
        ("sensitivity", (), "T = 560 s; of the givens with a slope, 1 % more t_comp"),
        ("compare", ("--against", "local-epochs=20"), "T = 560 s → 812 s: 252 s more"),
    ):
        for side in sides:
            words = side if verb != "sweep" or side is not typed else ("federated", *own)
            ran = ddcalc(verb, *words, *options, "--steps", "none")
            assert (ran.code, says in ran.out) == (0, True), (words, ran)
    for formula in ("50", "250/local_epochs"):
        ran = ddcalc("compare", *typed, "--against", f"rounds={formula}", "--steps", "none")
        assert "T = 560 s → 250 s" in ran.out
    ran = ddcalc("compare", file, "q.a", "q.b", "--steps", "none")
    assert "q.b, local_epochs = 8: T = 560 s → 380.8 s" in " ".join(ran.out.split())
    assert "q.b, local_epochs = 20: T = 560 s → 784 s" in " ".join(ran.out.split())
    assert "seen = 560" in ddcalc("sensitivity", file, "q.c", "--steps", "none").out
    assert "did you mean 'q.a'?" in ddcalc("sweep", file, "q.aa", "--vary", "batch=1..5").err
    drawn = tmp_path / "drawn.yaml"
    drawn.write_text(ddcalc("variants", *typed, "--count", "2").out, encoding="utf-8")
    assert "seen = rounds*local_epochs" in drawn.read_text(encoding="utf-8")
    assert ddcalc("solve", drawn).code == 0
    told = " ".join(ddcalc(*typed, "--step", "twice = 2*seen: twice as many").out.split())
    assert ("seen = G·E = " in told, "Twice as many: 1 120." in told) == (True, True)


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


def test_an_own_step_may_be_called_as_the_sheet_calls_something() -> None:
    """``paid`` is a condition in the sheet; a round is 0.4 s + 0.15 s·(1/3 + … + 1/12)."""
    means = ("--distribution", "shifted-exponential", "--shift", "0.4s", "--means", "0.55 s")
    ran = ddcalc(
        *("backup-workers", *means, "--workers", "12", "--wait-for", "10"),
        *("--step", "paid = workers*wait", "--step", "twice = 2*paid", "--quantity", "twice"),
        "--bare",
    )
    wait = 0.4 + 0.15 * sum(1 / k for k in range(3, 13))
    assert float(ran.out) == pytest.approx(2 * 12 * wait)
