"""Any text after the options of ``sweep``: exit code 0 or 2, a clean message, no traceback."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from fractions import Fraction

import pytest
from harness import SECONDS, assert_clean, call, strict_lines
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ddcalc.cli.verbs import sweep_command
from ddcalc.problem.catalog import catalog
from ddcalc.problem.problem import Problem
from ddcalc.problem.stated import example_texts

FREELY = settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
TYPES: dict[str, type[Problem]] = {slug: entry.load() for slug, entry in catalog().items()}
NAMES = [
    (slug, name) for slug, problem in TYPES.items() for name in (*problem.givens, *problem.choices)
]
FORMATS = ("text", "markdown", "latex", "html", "json", "ndjson", "csv")
EPOCH = ["--samples=76800", "--batch=1536", "--download=1s", "--compute=4s", "--upload=1s"]

PIECES = st.lists(
    st.sampled_from(
        [
            "0", "1", "2", "7", "12", "0.5", "1/3", "-1", "1e30", "1e-30", "2^60", "9^9^9", "..",
            "...", "…", ",", ":", ":x2", ":x", ":1", ":0", ":-1", ":0.5", " ", "s", "ms", "1s",
            "5 s", "MB", "1 MB", "USD/h", "Gbit/s", "k", "%", "±", "(", ")", "=", "_", "x", "inf",
            "nan", "carry", "per-epoch", "auto", "\x1b[31m", "\u202e", "\u0661", "\ud800", "é",
        ]
    ),
    max_size=7,
).map("".join)  # fmt: skip
TEXTS = (PIECES | st.text(max_size=30)).filter(lambda text: "\0" not in text)


@pytest.fixture(autouse=True, scope="module")
def short() -> Iterator[None]:
    """What is long elsewhere is refused much earlier here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep_command, "LONG", 10**6)
        patch.setattr(sweep_command, "PLAYED", 10**4)
        yield


def assert_refused_or_answered(code: int, out: str, err: str, form: str) -> None:
    assert code in (0, 2), (code, err)
    assert_clean(out + err)
    assert "a bug in ddcalc" not in err
    assert "Traceback" not in err
    assert err.startswith("error: ") or code == 0
    if form == "ndjson" and out:
        strict_lines(out)
    if form == "json":
        json.loads(out)
    if form == "csv" and out:
        rows = [*csv.reader(out.splitlines())]
        assert len({len(row) for row in rows}) == 1
        assert len(rows) > 1


@settings(FREELY, max_examples=60)
@given(named=st.sampled_from(NAMES), text=TEXTS, form=st.sampled_from(FORMATS))
@example(named=("epoch-time", "workers"), text="1," * 50_000, form="text")
@example(named=("epoch-time", "workers"), text="1..9," * 20_000 + "1", form="csv")
@example(named=("epoch-time", "compute"), text="1s" + " " * 100_000 + "..2s:1s", form="text")
@example(named=("epoch-time", "workers"), text="(" * 100_000, form="json")
@example(named=("timeline", "scheme"), text="sync," * 20_000 + "sync", form="ndjson")
def test_any_text_as_values(named: tuple[str, str], text: str, form: str) -> None:
    slug, name = named
    texts = {n: t for n, t in example_texts(TYPES[slug]).items() if n != name}
    others = [f"--{n.replace('_', '-')}={_joined(t)}" for n, t in texts.items()]
    ran = call("sweep", slug, *others, f"--vary={name}={text}", "--format", form)
    assert_refused_or_answered(ran.code, ran.out, ran.err, form)


def _joined(texts: str | list[str]) -> str:
    return texts if isinstance(texts, str) else ",".join(texts)


@pytest.mark.parametrize("form", ["text", "csv", "json"])
@pytest.mark.parametrize("values", ["1..1e60:1e59", f"{2**63 - 1},{2**63},{2**64},1e40"])
def test_counts_beyond_64_bits_are_exact(values: str, form: str) -> None:
    """So many workers make one round, which ends with the last gradient."""
    given = [*EPOCH, "--aggregate=1s", "--epochs=1", "--vary", f"workers={values}"]
    shown = ["--quantity=full-round", "--quantity=total", "--format", form]
    ran = call("sweep", "epoch-time", *given, *shown)
    assert (ran.code, ran.err) == (0, "")
    if form == "csv":
        [*_, last] = csv.reader(ran.out.splitlines())
        assert Fraction(last[2]) == 56
        assert abs(Fraction(last[1]) - Fraction(last[0]) - 6) <= Fraction(last[0]) / 10**12


def test_points_of_many_axes_are_counted_before_they_are_made() -> None:
    axes = ["samples=1..1e9", "batch=1..1e9", "workers=1..1e9", "epochs=1..1e9",
            "price=1USD/h..1e9USD/h:1e-9USD/h"]  # fmt: skip
    for form in FORMATS:
        ran = call("sweep", "epoch-time", *EPOCH[2:], *(f"--vary={axis}" for axis in axes),
                   "--format", form)  # fmt: skip
        assert (ran.code, ran.seconds < SECONDS) == (2, True)
        assert "points (" in ran.err
