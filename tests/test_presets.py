"""Presets: published values by name, and those of a user's own file."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest
from questions import TYPES
from running import Ran, ddcalc

from ddcalc.errors import BadValue, DdcalcError, UnknownName
from ddcalc.numbers.units import unit_named
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.presets import LARGEST, preset_named, published
from ddcalc.problem.slots import SLOTS, Preset
from ddcalc.problem.stated import Stated, read

ALL = [preset for kind in published().values() for preset in kind.values()]
TRAINING = {"model": "llama-3-70b", "device": "H100-SXM", "devices": "1024", "utilization": "0.4"}
CALL = ["training-time", *(part for name, text in TRAINING.items() for part in (f"--{name}", text))]
OWN = """
[device.blade]
title = "our blade"
source = "measured, 2025"
peak = { bf16 = "700 TFLOP/s", fp32 = "50 TFLOP/s" }
memory = "96 GB"
price = "2.1 USD/h"
[device.h100-sxm]
price = "2.5 USD/h"
[model.ours]
parameters = 1.3e9
tokens = { value = "26B", source = "the log" }
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, two below that of a project; the user has no settings."""
    below = tmp_path / "project" / "below"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    return below


def _own(folder: Path, text: str) -> None:
    (folder.parent / "ddcalc.toml").write_text(text, encoding="utf-8")


def _asked(slug: str, **texts: str) -> Stated:
    return read(problem_named(slug), texts)


def _value(stated: Stated, name: str) -> object:
    measured = stated.measured[name]
    assert not isinstance(measured, tuple)
    return measured.value


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
    for _, number_format, fact in preset.listed():
        assert re.search(r"\b20[12][0-9]\b", fact.source), fact
        assert number_format in ("", "bf16", "fp16", "tf32", "fp32", "fp64", "fp8", "fp4")


# The feed-forward width and, from the shape, the parameters: embedding and output, and for each
# layer queries, keys, values, output, three matrices of the feed-forward part and two norms
@pytest.mark.parametrize(
    ("name", "inner"),
    [
        ("llama-2-7b", 11008),
        ("llama-2-13b", 13824),
        ("llama-2-70b", 28672),
        ("llama-3-8b", 14336),
        ("llama-3-70b", 28672),
        ("llama-3.1-405b", 53248),
        ("mistral-7b", 14336),
    ],
)
def test_parameters_follow_from_the_shape(name: str, inner: int) -> None:
    model = preset_named("model", name).preset
    has = {key: int(fact.text) for key, fact in model.facts.items() if fact.text.isdecimal()}
    width, keys = has["width"], has["width"] // has["heads"] * has["kv_heads"]
    layer = 2 * width**2 + 2 * width * keys + 3 * width * inner + 2 * width
    assert has["parameters"] == 2 * has["vocabulary"] * width + has["layers"] * layer + width


@pytest.mark.parametrize("name", ["gpt-2", "gpt-2-medium", "gpt-2-large", "gpt-2-xl"])
def test_parameters_of_gpt_2(name: str) -> None:
    facts = preset_named("model", name).preset.facts
    layers, width, vocabulary, has = (
        int(facts[key].text) for key in ("layers", "width", "vocabulary", "parameters")
    )
    assert has == (vocabulary + 1024) * width + layers * (12 * width**2 + 13 * width) + 2 * width


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
    ],
    ids=lambda part: part[0] if isinstance(part, list) else "",
)
def test_answers(call: list[str], answer: Fraction) -> None:
    solved = json.loads(_fine(ddcalc(*call, "--format", "json")))["answer"]
    worth = unit_named(solved["unit"]).worth if solved["unit"] else 1
    assert Fraction(solved["exact"]) * worth == answer


def test_what_is_stated_goes_before_a_preset() -> None:
    stated = _asked("training-time", **TRAINING, peak="1 PFLOP/s", tokens="1T")
    assert _value(stated, "peak") == 10**15
    assert stated.filled.keys() == {"parameters"}
    assert {"peak", "tokens"} <= stated.said


def test_experts() -> None:
    assert _value(_asked("model-memory", model="mixtral-8x7b"), "parameters") == 46_702_792_704
    trained = _asked("training-time", **TRAINING | {"model": "mixtral-8x7b"}, tokens="1T")
    assert _value(trained, "parameters") == 12_879_925_248


@pytest.mark.parametrize(
    ("slot", "text", "error", "says"),
    [
        ("model", "lama-3-70b", UnknownName, "did you mean 'llama-3-70b'"),
        ("device", "H100", BadValue, "write H100-SXM, H100-PCIe or H100-NVL"),
        ("device", "T4:bf16", BadValue, "T4 has a peak in fp16, fp32"),
        ("link", "NDR400:fp8", BadValue, "has nothing by number format"),
        ("device", "", UnknownName, "'ddcalc presets device' lists them"),
        ("device", "\x1b[31m", UnknownName, "unknown device '\\x1b[31m'"),
    ],
)
def test_wrong_names(slot: str, text: str, error: type[DdcalcError], says: str) -> None:
    with pytest.raises(error) as caught:
        preset_named(slot, text)
    assert says in str(caught.value)


# What is shown


@pytest.mark.parametrize("form", ["text", "markdown", "html", "latex", "json"])
def test_the_derivation_names_preset_and_source(form: str) -> None:
    shown = " ".join(_fine(ddcalc(*CALL, "--format", form, columns=200)).split())
    for part in (
        "H100 SXM, dense BF16",
        "NVIDIA H100 architecture whitepaper, 2022",
        "Llama 3 70B",
    ):
        assert part in shown.replace("{,}", ",")


# In files and verbs


def test_a_problem_file_names_them(folder: Path) -> None:
    Path("sheet.yaml").write_text(
        "defaults: {training-time: {device: h100-sxm, utilization: 0.4}}\n"
        "problems:\n"
        "  - {id: a, type: training-time, given: {model: llama-3-8b, devices: 8}}\n"
        "  - {id: b, type: training-time, given: {model: [llama-3-8b], devices: 8}}\n"
        "  - {id: c, type: training-time, given: {model: gpt-5, devices: 8}}\n"
        "  - {id: d, type: epoch-time, given: {device: T4}}\n",
        encoding="utf-8",
    )
    ran = ddcalc("solve", "sheet.yaml")
    assert ran.code == 2
    assert re.search(r"^a  .*takes about 2 642 d", ran.out, re.M)
    assert "is a list; the name of one preset is wanted" in ran.err
    assert re.search(r"sheet\.yaml:5:\d+  problem c, model", ran.err)
    assert ran.err.count("error: ") == 4  # what d lacks besides
    assert "asks for, which is: samples" in ran.err


def test_a_file_of_values_means_the_same_elsewhere(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _own(folder, OWN)
    call = ["training-time", "--model", "ours", "--device", "blade", "--utilization", "0.5"]
    here = json.loads(ddcalc(*call, "--format", "json").out)["answer"]
    written = ddcalc(*call, "--as-yaml").out
    assert "peak: 700 TFLOP/s  # blade: our blade, dense BF16; measured, 2025" in written
    monkeypatch.chdir(tmp_path)
    Path("there.yaml").write_text(written, encoding="utf-8")
    [there] = json.loads(_fine(ddcalc("solve", "there.yaml", "--format", "json")))["problems"]
    assert there["answer"] == here


# The user's own


def test_a_file_of_ones_own(folder: Path) -> None:
    _own(folder, OWN)
    shown = ddcalc("training-time", "--model", "ours", "--device", "Blade:fp32",
                   "--utilization", "0.5", columns=200).out  # fmt: skip
    for part in ("50 TFLOP/s", "(our blade, dense FP32; measured, 2025)", "(ours; the log)",
                 "1.3×10⁹", "(ours; ddcalc.toml)"):  # fmt: skip
        assert part in shown
    priced = _asked("training-time", **TRAINING)
    assert priced.filled["price"].says == "H100 SXM; ddcalc.toml"
    assert priced.filled["peak"].fact.text == "989.4 TFLOP/s"  # is still ours
    _own(folder, OWN.replace("2.5 USD/h", "3.25 USD/h"))
    assert _asked("training-time", **TRAINING).filled["price"].fact.text == "3.25 USD/h"


SHEET = """problems:
  - {id: a, type: transfer, given: {size: 1 GB, link: NDR400}}
  - {id: b, type: transfer, given: {size: 2 GB, link: NDR400}}
"""
ASKED = ["transfer", "--link", "NDR400", "--size", "1GB"]


@pytest.mark.parametrize(
    "call",
    [
        ASKED,
        [*ASKED, "--steps", "none"],
        [*ASKED, "--bare"],
        [*ASKED, "--format", "json"],
        ["solve", "sheet.yaml"],
        ["solve", "sheet.yaml", "--jobs", "2", "--format", "ndjson"],
        ["sweep", "sheet.yaml", "a", "--vary", "size=1GB,2GB", "--format", "csv"],
        ["check", "sheet.yaml", "answers.csv"],
        ["variants", "sheet.yaml", "--count", "2"],
        ["compare", "sheet.yaml", "a", "--against", "size=3GB", "--steps", "none"],
        ["sensitivity", "sheet.yaml", "a"],
    ],
    ids=" ".join,
)
def test_a_file_that_has_a_say_is_named_once(folder: Path, call: list[str]) -> None:
    """By a note; none where a preset of it has none, or the value is the published one."""
    Path("sheet.yaml").write_text(SHEET, encoding="utf-8")
    Path("answers.csv").write_text("student,problem,answer\nx,a,1 s\n", encoding="utf-8")
    for text, says in {
        '[link.other]\nbandwidth = "1 GB/s"\n': "",
        '[link.NDR400]\nbandwidth = "1 GB/s"\n': f"note: {folder.parent / 'ddcalc.toml'}: its"
        " presets are used\n",
    }.items():
        _own(folder, text)
        ran = ddcalc(*call)
        assert (ran.code, ran.err) == (0, says), ran


def test_the_project_goes_before_the_user(folder: Path, tmp_path: Path) -> None:
    mine = tmp_path / "settings" / "ddcalc" / "ddcalc.toml"
    mine.parent.mkdir(parents=True)
    mine.write_text('[link.x]\nbandwidth = "1 GB/s"\nlatency = "1 us"\n', encoding="utf-8")
    _own(folder, '[link.X]\nbandwidth = "2 GB/s"\n')
    stated = _asked("transfer", size="1 GB", link="x")
    assert (_value(stated, "bandwidth"), _value(stated, "latency")) == (
        2 * 10**9,
        Fraction(1, 10**6),
    )


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("[device.a]\n# memory\nmemroy = '1 GB'\n", 3, "unknown key 'memroy'; did you mean 'mem"),
        ("[link.a]\n\nbandwidth = '1 parsec'\n", 3, "unknown unit 'parsec'"),
        ("[link.a]\nbandwidth = 3\n", 2, "needs a unit"),
        ("[model.a]\nlayers = true\n", 2, "layers is one text with its unit, or a number"),
        ("[model.a]\nlayers = 2026-01-01\n", 2, "layers is one text with its unit, or a number"),
        ("[model.a]\nlayers = 1.5\n", 2, "is not a whole number"),
        ("\n[modle.a]\n", 2, "unknown kind of preset 'modle'; did you mean 'model'"),
        ("device = 1\n", 1, "device holds presets by name"),
        ("[device]\nb = 'x'\n", 2, "a preset holds facts by name"),
        ("[device.'a b']\n", 1, "is not a name"),
        ('[device.a]\ntitle = "x\\ny"\n', 2, "title is one line"),
        ("[link.a]\nlatency = {value = '1 s', from = 'b'}\n", 2, "unknown key 'from'"),
        ("x = [1,\n2 3\n", 2, "invalid TOML: "),
        ("x = " + "[\n" * 5000, 0, "invalid TOML: too many"),
        ("x = " + "9" * 1000, 1, "more than 1000 characters in one line"),
        ("\n" + "a." * 30_000 + "b = 1", 2, "more than 1000 characters in one line"),
        ("#" * (LARGEST + 1), 0, "is larger than 65536 bytes"),
        ("a = '\x7f'", 1, "character U+007F is not allowed"),
    ],
)  # fmt: skip
def test_wrong_files(folder: Path, text: str, line: int, says: str) -> None:
    _own(folder, text)
    ran = ddcalc("transfer", "--link", "NDR400", "--size", "1GB")
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err
    assert f"ddcalc.toml:{line}" in ran.err or not line
    assert ran.err.count("error: ") == 1
    assert "set_int_max" not in ran.err
    assert ddcalc("presets").code == 2


# Types of other packages
