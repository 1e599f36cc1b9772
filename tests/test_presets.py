"""Presets: published values by name."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest
from questions import TYPES
from running import Ran, ddcalc
from tables import rows

from ddcalc.errors import BadValue, UnknownName
from ddcalc.numbers.units import unit_named
from ddcalc.problem.presets import preset_named, presets
from ddcalc.problem.slots import SLOTS, Preset

ALL = [preset for kind in presets().values() for preset in kind.values()]
TRAINING = {"model": "llama-3-70b", "device": "H100-SXM", "devices": "1024", "utilization": "0.4"}
CALL = ["training-time", *(part for name, text in TRAINING.items() for part in (f"--{name}", text))]


def _fine(ran: Ran) -> str:
    assert (ran.code, ran.err) == (0, "")
    return ran.out


# Ours


@pytest.mark.parametrize("preset", ALL, ids=lambda preset: preset.name)
def test_a_preset_fills_something_and_says_where_it_stands(preset: Preset) -> None:
    fillable = {
        fact
        for problem in TYPES
        for one in problem.givens.values()
        for fact in one.filled_by.facts
        if SLOTS[fact.partition(".")[0]] == preset.kind
    }
    assert any(preset.fact(fact.partition(".")[2]) for fact in fillable)
    assert preset.title
    for (_, number_format), fact in preset.facts.items():
        assert re.search(r"\b20[12][0-9]\b", fact.source), fact
        assert number_format in ("", "bf16", "fp16", "tf32", "fp32", "fp64", "fp8", "fp4")


# Worked out by hand from the datasheets
@pytest.mark.parametrize(
    ("call", "answer"),
    [
        (CALL, Fraction(6 * 70_553_706_496 * 15 * 10**12 * 10, 1024 * 4 * 9894 * 10**11)),
        (["roofline", "--device", "H100-SXM"], Fraction(9894, 10) / Fraction(335, 100)),
        (["roofline", "--device", "TPU v5e"], Fraction(197_000, 819)),
        (["roofline", "--device", "TPU-v5e", "--link", "100GbE"], Fraction(197_000 * 8, 100)),
        (["transfer", "--link", "NVLink4", "--size", "9 GB"], Fraction(1, 50)),
        (["model-memory", "--model", "llama-3-8b"], Fraction(16 * 8_030_261_248)),
        # of experts all are held, and the active ones trained
        (["model-memory", "--model", "mixtral-8x7b"], Fraction(16 * 46_702_792_704)),
        (
            [*CALL[:2], "mixtral-8x7b", *CALL[3:], "--tokens", "1T"],
            Fraction(6 * 12_879_925_248 * 10**13, 1024 * 4 * 9894 * 10**11),
        ),
    ],
    ids=lambda part: part[0] if isinstance(part, list) else "",
)
def test_answers(call: list[str], answer: Fraction) -> None:
    solved = json.loads(_fine(ddcalc(*call, "--format", "json")))["answer"]
    worth = unit_named(solved["unit"]).worth if solved["unit"] else 1
    assert Fraction(solved["exact"]) * worth == answer


@pytest.mark.parametrize(("slot", "text", "says"), rows(Path(__file__).with_name("no_presets.tsv")))
def test_wrong_names(slot: str, text: str, says: str) -> None:
    with pytest.raises((BadValue, UnknownName)) as caught:
        preset_named(slot, text)
    assert says in str(caught.value)


# In files and verbs


def test_a_problem_file_names_them(tmp_path: Path) -> None:
    file = tmp_path / "sheet.yaml"
    file.write_text(
        "defaults: {training-time: {device: h100-sxm, utilization: 0.4}}\n"
        "problems:\n"
        "  - {id: a, type: training-time, given: {model: llama-3-8b, devices: 8}}\n"
        "  - {id: b, type: training-time, given: {model: [llama-3-8b], devices: 8}}\n"
        "  - {id: c, type: training-time, given: {model: gpt-5, devices: 8}}\n"
        "  - {id: d, type: epoch-time, given: {device: T4}}\n",
        encoding="utf-8",
    )
    ran = ddcalc("solve", file)
    assert ran.code == 2
    assert re.search(r"^a  .*takes about 2 642 d", ran.out, re.M)
    assert "is a list; the name of one preset is wanted" in ran.err
    assert re.search(r"sheet\.yaml:5:\d+  problem c, model", ran.err)
    assert ran.err.count("error: ") == 4  # what d lacks besides
    assert "asks for, which is: samples" in ran.err
