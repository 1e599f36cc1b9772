"""Any bytes, any texts: only exit codes 0, 1 and 2; numbers are refused or exact."""

import csv
import json

import pytest
import yaml
from harness import BEFORE, HEAD, call, strict_lines
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from questions import options
from running import assert_clean
from tables import rows

from ddcalc.ask.solve import solve
from ddcalc.boundary import tree
from ddcalc.cli.verbs import sweep_command
from ddcalc.errors import DdcalcError
from ddcalc.problem.known.catalog import catalog
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Choice, Given
from ddcalc.problem.stated import example_texts

FREELY = settings(
    max_examples=80,
    deadline=None,  # bounds are measured in test_processes.py, as time of the processor
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
TYPES: dict[str, type[Problem]] = {slug: entry.load() for slug, entry in catalog().items()}
Named = tuple[str, str]  # a type, and a given or choice of it


def _kind(declared: Given | Choice) -> str:
    """Thresholds how a text is read: not whose given it is, but what that measures."""
    if isinstance(declared, Choice):
        return "a choice"
    whole = "whole " if declared.whole else ""
    words = " or a word" if declared.words else ""
    bare = "" if declared.bare else " with its unit"
    return f"{declared.many}: {whole}{declared.unit.dimension}{words}{bare}"


KINDS: dict[str, list[Named]] = {}
for slug, problem in TYPES.items():
    for declared in (*problem.givens.values(), *problem.choices.values()):
        KINDS.setdefault(_kind(declared), []).append((slug, declared.name))
FORMATS = ("text", "markdown", "latex", "html", "json", "ndjson")

# pieces of problem files, put together at random
ROWS = rows("hostile/pieces.tsv")
WORDS = st.sampled_from([*(piece for of, piece in ROWS if of == "file"), BEFORE])
PIECES = st.lists(WORDS, max_size=30).map("".join)
BYTES = st.one_of(
    st.binary(max_size=400),
    PIECES.map(lambda text: text.encode(errors="replace")),
    st.builds(lambda a, b, c: a.encode() + b + c.encode(), PIECES, st.binary(max_size=8), PIECES),
)


def assert_harmless(code: int, out: str, err: str) -> None:
    assert code in (0, 1, 2), (code, err)
    assert_clean(out + err)
    assert "a bug in ddcalc" not in err


@FREELY
@given(content=BYTES, form=st.sampled_from(FORMATS), ndjson=st.booleans(), pure=st.booleans())
def test_any_bytes_as_a_file(content, form, ndjson, pure, tmp_path):
    """Also behind two good problems, which are solved; PyYAML's parser in Python, which looks
    further ahead, may cost these."""
    file = tmp_path / ("x.ndjson" if ndjson else "x.yaml")
    good = (HEAD + BEFORE + BEFORE.replace("before", "b2")).encode()
    file.write_bytes(b'{"id": "l"}\n' + content if ndjson else good + content)
    with pytest.MonkeyPatch.context() as patch:
        if pure:
            patch.setattr(tree, "_LOADER", yaml.SafeLoader)
        ran = call("solve", file, "--format", form)
    assert_harmless(ran.code, ran.out, ran.err)
    if form == "ndjson" and not pure:
        assert strict_lines(ran.out)[0]["id"] == ("l" if ndjson else "before")
    if form == "json":
        json.loads(ran.out)


TEXTS = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="0123456789.,_eE+-*/^() kMGTBsminhd%\u0661\u200b\x1b", max_size=40),
).filter(lambda text: "\0" not in text)


def one_of_a_kind(kinds: dict[str, list[Named]]) -> st.SearchStrategy[Named]:
    """A given of any kind, all kinds equally often."""
    return st.sampled_from([*kinds]).flatmap(lambda kind: st.sampled_from(kinds[kind]))


def _others(named: Named) -> list[str]:
    """The example of a type as options, without one of its givens."""
    texts = example_texts(TYPES[named[0]])
    return options({name: text for name, text in texts.items() if name != named[1]})


@settings(FREELY, max_examples=160)
@given(named=one_of_a_kind(KINDS), text=TEXTS, form=st.sampled_from(FORMATS))
def test_any_text_as_any_option(named, text, form):
    slug, name = named
    ran = call(slug, *_others(named), f"--{name.replace('_', '-')}={text}", "--format", form)
    assert_harmless(ran.code, ran.out, ran.err)


@pytest.mark.parametrize("slug", TYPES)
def test_a_text_gets_to_every_option(slug):
    """Each option once: what stands in it is named as wrong before all else; of the first and the
    last one on the command line."""
    problem, wrong = TYPES[slug], "\x1b[1:30"
    names = [*problem.givens, *problem.choices]
    for name in names:
        with pytest.raises(DdcalcError) as caught:
            solve(problem, {**example_texts(problem), name: wrong})
        first, *_ = caught.value.singles()
        assert first.parameter in (name, f"{name}[1]")
    for name in (names[0], names[-1]):
        flag = f"--{name.replace('_', '-')}"
        ran = call(slug, *_others((slug, name)), f"{flag}={wrong}", "--format", "json")
        assert ran.code == 2
        assert_harmless(ran.code, ran.out, ran.err)
        assert json.loads(ran.out)["error"]["parameter"] in (name, f"{name}[1]")
        assert flag in ran.err


SAID = st.sampled_from(["solve", "show", "new", "-", "--", "--format", "--hint"])


@FREELY
@given(arguments=st.lists(TEXTS | SAID, max_size=6))
def test_any_arguments(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", None)
    if arguments[:1] == ["solve"]:
        arguments = [argument for argument in arguments if not argument.startswith("/")]
    ran = call(*arguments)
    assert_harmless(ran.code, ran.out, ran.err)


# Any text after the options of sweep


TABLES = (*FORMATS, "csv")
AXES = st.lists(st.sampled_from([piece for of, piece in ROWS if of == "values"]), max_size=7)
VALUES = (AXES.map("".join) | st.text(max_size=30)).filter(lambda text: "\0" not in text)


@pytest.fixture(scope="module")
def short():
    """What is long elsewhere is refused much earlier here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep_command, "LONG", 10**6)
        patch.setattr(sweep_command, "PLAYED", 10**4)
        yield


def assert_refused_or_answered(code: int, out: str, err: str, form: str) -> None:
    assert_harmless(code, out, err)
    assert code != 1
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
@given(named=one_of_a_kind(KINDS), text=VALUES, form=st.sampled_from(TABLES))
@example(named=("epoch-time", "workers"), text="1," * 50_000, form="text")
@example(named=("epoch-time", "workers"), text="1..9," * 20_000 + "1", form="csv")
@example(named=("epoch-time", "compute"), text="1s" + " " * 100_000 + "..2s:1s", form="text")
@example(named=("epoch-time", "workers"), text="(" * 100_000, form="json")
@example(named=("timeline", "scheme"), text="sync," * 20_000 + "sync", form="ndjson")
def test_any_text_as_values_of_a_sweep(short, named, text, form):
    slug, name = named
    ran = call("sweep", slug, *_others(named), f"--vary={name}={text}", "--format", form)
    assert_refused_or_answered(ran.code, ran.out, ran.err, form)
