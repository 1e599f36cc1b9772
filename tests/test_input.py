"""What people write at every door: options, files, searches, sweeps, Python, answers."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from running import ddcalc
from tables import rows

import ddcalc as python
from ddcalc.errors import DdcalcError, UnknownName
from ddcalc.formula.letters import letter
from ddcalc.problem.catalog import catalog, problem_named
from ddcalc.problem.quantity import named
from ddcalc.problem.stated import Texts, read

EPOCH = {"samples": "76800", "batch": "1536", "epochs": "10", "workers": "6", "download": "1.5 s",
         "compute": "4 s", "upload": "1.5 s", "aggregate": "15 ms"}  # fmt: skip
SHEET = Path(__file__).parents[1] / "problems" / "exam.yaml"


def options(given: dict[str, str]) -> list[str]:
    """*given* as options."""
    return [f"--{name.replace('_', '-')}={text}" for name, text in given.items()]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("samples", "76 800"),
        ("samples", "76,800 images"),
        ("samples", "76.8k training samples"),
        ("workers", "6 GPUs"),
        ("workers", "6machines"),
        ("batch", "1 536 samples"),
        ("epochs", "10 epochs"),
        ("aggregate", ".015"),
        ("aggregate", "≈ 15 msec"),
        ("compute", "(4 secs)"),
        ("compute", "3 s 1 000 ms"),
    ],
)
def test_one_reader_for_options_files_and_python(name: str, text: str, tmp_path: Path) -> None:
    wanted = read(problem_named("epoch-time"), EPOCH).numbers()
    given = EPOCH | {name: text}
    assert read(problem_named("epoch-time"), given).numbers() == wanted
    assert python.solve("epoch-time", **given).answer.value == Fraction(1191, 2)
    assert ddcalc("epoch-time", *options(given), "--quantity", "total").out == "595.5 s\n"
    file = tmp_path / "sheet.yaml"
    file.write_text(ddcalc("epoch-time", *options(given), "--as-yaml").out, encoding="utf-8")
    solved = json.loads(ddcalc("solve", file, "--format", "ndjson").out)
    assert solved["answer"]["exact"] == "1191/2"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"workers": "10 epochs"}, "'10 epochs' has 'epochs' behind the number"),
        ({"workers": "1..10"}, "ddcalc sweep epoch-time … --vary workers=1..10"),
        ({"workers": "1-10"}, "ddcalc sweep epoch-time … --vary workers=1..10"),
        ({"workers": "10-1"}, "needs a space before and behind -"),
        ({"compute": "1..2 s"}, "ddcalc sweep epoch-time … --vary compute=1..2 s"),
        ({"compute": "1,500 s"}, "write 1.500 (decimal point) or 1500 (no separator)"),
        ({"compute": "1,5 s"}, "write 1.5, with a decimal point"),
        ({"compute": "400 Gb"}, "could be bits or bytes; write Gbit or GB"),
        ({"samples": "inf"}, "is not a finite number"),
        ({"samples": "1/0"}, "divides by zero"),
    ],
)
def test_refused_with_what_to_write(given: dict[str, str], says: str) -> None:
    with pytest.raises(DdcalcError) as caught:
        read(problem_named("epoch-time"), EPOCH | given)
    assert says in str(caught.value)


@pytest.mark.parametrize("text", ["100 200", "1,400,000", "1 000 000"])
def test_what_could_be_a_list_is_no_number(text: str) -> None:
    given: Texts = {"samples": "204800", "shares": text, "batch": "32", "compute": "1 s"}
    with pytest.raises(DdcalcError, match=r"commas between|without separators"):
        read(problem_named("federated"), given)


def test_lists_in_brackets() -> None:
    call = ("ring-trace", "--quantity", "reduced", "--vectors")
    assert ddcalc(*call, "[[3, 1], [2, 4]]").out == ddcalc(*call, "3 1; 2 4").out != ""
    step = ("sync-step", "--update", "1s", "--aggregate", "1s", "--quantity", "total", "--finish")
    assert ddcalc(*step, "[1 s, 2 s]").out == ddcalc(*step, "1s,2s").out != ""


# Names


@pytest.mark.parametrize(
    ("slug", "name", "spellings", "option"),
    [
        ("model-memory", "zero", ("3", "zero-3", "ZeRO-3", "stage-3", "Stage_3"), "stage_3"),
        ("model-memory", "zero", ("0", "none", "ZeRO-0"), "none"),
        ("pipeline", "schedule", ("1f1b", "1F1B", "one-f-one-b"), "one_f_one_b"),
        ("timeline", "scheme", ("bsp", "BSP", "synchronous"), "sync"),
        ("timeline", "scheme", ("asp", "asynchronous"), "async"),
        ("update-rule", "scheme", ("LocalSGD", "local-sgd"), "local_sgd"),
        ("quantize", "scheme", ("1-bit", "1bit"), "one_bit"),
        ("sparsify", "method", ("topk", "top-k", "TopK"), "top_k"),
        ("bus-bandwidth", "collective", ("allreduce", "AllReduce"), "all_reduce"),
        ("learning-rate", "rule", ("sqrt",), "square_root"),
        ("allreduce", "algorithm", ("ps", "Rabenseifner"), None),
    ],
)
def test_other_names_of_options(
    slug: str, name: str, spellings: tuple[str, ...], option: str | None
) -> None:
    choice = problem_named(slug).choices[name]
    for spelling in spellings:
        assert choice.read(spelling) in choice.options
        assert option in (None, choice.read(spelling))
    with pytest.raises(UnknownName):
        choice.read("")


def test_names_of_options_mean_one_option() -> None:
    for slug in catalog():
        for choice in problem_named(slug).choices.values():
            joined = [name.replace("_", "") for name in (*choice.options, *choice.also)]
            assert len({*joined}) == len(joined)
            assert {*choice.also.values()} <= {*choice.options}
            assert [choice.read(name) for name in choice.options] == [*choice.options]


def test_letters_name_what_they_stand_for() -> None:
    for slug in catalog():
        quantities = problem_named(slug).quantities
        for quantity in quantities.values():
            for text in (quantity.name, quantity.letter, letter(quantity.letter)):
                assert named(text, quantities) in (quantity.name, text)


def test_letters_in_searches_and_sweeps() -> None:
    given = options({name: text for name, text in EPOCH.items() if name != "workers"})
    words = ("epoch-time", *given, "--quantity", "workers", "--find")
    for find, where in (("workers", "total <= 300 s"), ("m", "T < 5 min"), ("m", "T ≤ 0 h 5 min")):
        assert ddcalc(*words, find, "--where", where).out == "13\n"
    ran = ddcalc(*words, "workrs", "--where", "totl < 5 min")
    assert "did you mean 'workers' (m)?" in ran.err
    assert "did you mean 'total' (T)?" in ddcalc(*words, "m", "--where", "totl < 5 min").err
    assert "total (T)" in ddcalc("epoch-time", "-h").out
    sweep = ("sweep", "epoch-time", *given, "--format", "csv", "--vary")
    wanted = ddcalc(*sweep, "workers=1..10:3").out
    for values in ("m=1..10:3", "workers=1-10:3", "workers=1:10:3", "workers=1–10:3"):
        assert ddcalc(*sweep, values).out == wanted
    assert wanted.count("\n") == 5


# Answers of students


@pytest.mark.parametrize("decimal", ["", "comma"])
def test_answers(decimal: str, tmp_path: Path) -> None:
    table = [row[1:] for row in rows(Path(__file__).with_name("answers.tsv")) if row[0] == decimal]
    file = tmp_path / "answers.csv"
    lines = [f"s{i};{p};{q};{a}" for i, (p, q, a, _) in enumerate(table)]
    file.write_text("\n".join(["student;problem;quantity;answer", *lines]), encoding="utf-8")
    more = ["--decimal-comma"] if decimal else []
    document = json.loads(ddcalc("check", SHEET, file, "--format", "json", *more).out)
    verdicts = [student["marks"][0]["verdict"] for student in document["students"]]
    for (_, _, answer, wanted), verdict in zip(table, verdicts, strict=True):
        assert verdict == wanted or {wanted, verdict} == {"right", "rounded"}, answer
