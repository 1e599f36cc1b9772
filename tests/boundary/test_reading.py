"""What comes in: bytes of files and standard input, problems out of YAML and lines of JSON with
their places, tables of spreadsheets; and nothing foreign goes out but as visible text."""

import csv
import io
import itertools
import json
import os
import re
import subprocess
import sys
import unicodedata
from io import StringIO
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from running import FORBIDDEN
from tables import rows

from ddcalc.boundary import limits, table, tree
from ddcalc.boundary.cleaning import clean, html, latex, markdown
from ddcalc.boundary.nodes import Item, Mapping, Node, Scalar, Sequence
from ddcalc.boundary.source import Source, inputs
from ddcalc.boundary.table import Row, csv_line, is_table
from ddcalc.boundary.tree import read
from ddcalc.errors import BadFile, DdcalcError, OverLimit

Plain = str | list["Plain"] | dict[str, "Plain"] | None


def items(folder: Path, content: str | bytes) -> list[Item]:
    """The items of a file with *content*."""
    file = folder / "problems.yaml"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(read(Source(str(file))))


def plain(node: Node | None) -> Plain:
    """*node* as texts, lists and dicts."""
    match node:
        case Scalar(text):
            return text
        case Sequence(elements):
            return [*map(plain, elements)]
        case Mapping(entries):
            return {name: plain(value) for name, (_, value) in entries.items()}
    return None


def ids(parsed: list[Item]) -> list[str]:
    """The ids of the problems *parsed* that have no error."""
    return [plain(item.node)["id"] for item in parsed if item.node and not item.errors]


# Files and standard input: only regular files are opened; only clean UTF-8 comes out


def test_characters_across_blocks(tmp_path):
    text = "é\r\n" * 40_000
    file = tmp_path / "a.yaml"
    file.write_bytes(text.encode())
    assert "".join(Source(str(file)).chunks()) == text.replace("\r", "")


def test_a_file_over_the_limit(tmp_path, monkeypatch):
    file = tmp_path / "a.yaml"
    file.write_text("x" * 11)
    monkeypatch.setattr(limits, "FILE", 11)
    assert list(Source(str(file)).chunks()) == ["x" * 11]
    monkeypatch.setattr(limits, "FILE", 10)
    with pytest.raises(OverLimit):
        list(Source(str(file)).chunks())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x" * 11)))
    with pytest.raises(OverLimit):
        list(Source("-").chunks())


def test_recent_lines(tmp_path):
    file = tmp_path / "a.yaml"
    file.write_text("".join(f"line {number:99}\r\n" for number in range(1, 50_001)), newline="")
    source = Source(str(file))
    chunks = source.chunks()
    next(chunks)
    assert [source.line_text(number) for number in (0, 1)] == [None, f"line {1:99}"]
    assert [*chunks]
    told = [source.line_text(number) for number in (1, 50_000, 50_001)]
    assert told == [None, f"line {50_000:99}", None]
    kept = {number: source.line_text(number) for number in range(1, 50_001, 499)}
    assert all(text in (None, f"line {number:99}") for number, text in kept.items())
    assert sum(text is not None for text in kept.values()) > 4


def test_folders(tmp_path):
    inside, outside = tmp_path / "in", tmp_path / "out"
    for file in ("in/b.yaml", "in/a/z.yml", "in/c.json", "in/.h.yaml", "in/.h/x.yaml", "in/n.txt"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("x")
    (outside / "deep").mkdir(parents=True)
    (outside / "o.yaml").write_text("x")
    (inside / "link.yaml").symlink_to(outside / "o.yaml")
    (inside / "near.yaml").symlink_to(inside / "b.yaml")
    (inside / "folder").symlink_to(outside)
    (inside / "loop").symlink_to(inside)
    os.mkfifo(inside / "d.yaml")
    expected = ["in/a/z.yml", "in/b.yaml", "in/c.json", "file", "in/near.yaml"]
    found = inputs([str(inside)])
    told = (one.kind if isinstance(one, DdcalcError) else one.name for one in found)
    assert [name.removeprefix(f"{tmp_path}/") for name in told] == expected


def test_standard_input_once(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\nb")))
    source, again = inputs(["-", "-"])
    assert isinstance(source, Source)
    assert isinstance(again, DdcalcError)
    assert "".join(source.chunks()) == "a\nb"
    assert source.line_text(2) == "b"


GIANT = """
import re
from pathlib import Path
from ddcalc.boundary.tree import read
from ddcalc.boundary.source import Source
print([item.errors[0].kind for item in read(Source("-")) if item.errors])
# the peak since exec: the one of getrusage would be at least that of the process that forked us
status = Path("/proc/self/status").read_text()
print(int(re.search(r"VmHWM:\\s+(\\d+) kB", status)[1]) // 1024)
"""


@pytest.mark.parametrize("opening", ["a: '", '{"a": "'])
def test_a_giant_scalar_costs_little_memory(opening):
    call, giant = [sys.executable, "-c", GIANT], opening + "x" * 10**8
    ran = subprocess.run(call, input=giant, stdout=subprocess.PIPE, text=True, check=True)
    kinds, megabytes = ran.stdout.split("\n")[:2]
    assert kinds == "['limit']"
    assert int(megabytes) < 80


# YAML: problems one by one, with their places; everything clever is refused


TWO = "problems:\n- {id: a}\n- {id: b}\n"


def test_scalars_stay_text_and_know_their_place(tmp_path):
    text = "id: a\ngiven:\n  n: 012\n  t: 1:30\n  on: yes\n  l: [1e-3, '2', ~]\n"
    (item,) = items(tmp_path, text)
    assert (item.head, item.errors, item.is_problem) == (None, [], True)
    assert isinstance(item.node, Mapping)
    key, given_ = item.node.entries["given"]
    assert (key.line, key.column) == (2, 1)
    assert plain(given_) == {"n": "012", "t": "1:30", "on": "yes", "l": ["1e-3", "2", "~"]}
    assert isinstance(given_, Mapping)
    values = [Scalar("1e-3", 6, 7, True), Scalar("2", 6, 13, False), Scalar("~", 6, 18, True)]
    assert given_.entries["l"][1] == Sequence(values, 6, 6)


def test_head_and_end(tmp_path):
    parsed = items(tmp_path, f"defaults: {{x: {{y: 1}}}}\n{TWO}late: 1\n")
    assert [item.is_problem for item in parsed] == [True, True, False]
    assert ids(parsed) == ["a", "b"]
    assert [list(item.head or ()) for item in parsed] == [["defaults"]] * 2 + [["defaults", "late"]]


def test_a_problem_comes_before_the_next_is_read(tmp_path):
    file = tmp_path / "endless.yaml"
    file.write_text(TWO + "- {id: c}\n" * 200_000 + "- [")
    assert ids(list(itertools.islice(read(Source(str(file))), 3))) == ["a", "b", "c"]


def nested(depth: int) -> str:
    """A problem in which mappings and lists are *depth* deep."""
    return f"{{id: c, x: {'[' * (depth - 1)}{']' * (depth - 1)}}}"


@pytest.mark.parametrize("text", [TWO, f"x: &a 1\ny: {nested(21)}\nid: 1\nid: 2\n", "[", ""])
def test_both_parsers_of_pyyaml_agree(tmp_path, monkeypatch, text):
    fast = items(tmp_path, text)
    monkeypatch.setattr(tree, "_LOADER", yaml.SafeLoader)
    slow = items(tmp_path, text)
    assert [item.node for item in slow] == [item.node for item in fast]
    kinds = [[error.kind for item in of for error in item.errors] for of in (slow, fast)]
    assert kinds[0] == kinds[1]


# Lines of ndjson: values stay text; whatever JSON can say is read as it is


FIRST = '{"id": "a"}\n'


def test_values_stay_text(tmp_path):
    text = '{"i": 1.50, "n": 10, "b": true, "z": null, "s": "1", "l": [1e5]}'
    _, item = items(tmp_path, FIRST + text)
    wanted = {"i": "1.50", "n": "10", "b": "true", "z": "null", "s": "1", "l": ["1e5"]}
    assert plain(item.node) == wanted
    assert isinstance(item.node, Mapping)
    assert item.node.entries["i"][1] == Scalar("1.50", 2, 7, True)
    assert item.node.entries["s"][1] == Scalar("1", 2, 49, False)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


def written(value: object) -> Plain:
    """A JSON *value* as texts, lists and dicts."""
    if isinstance(value, dict):
        return {name: written(one) for name, one in value.items()}
    if isinstance(value, list):
        return [written(one) for one in value]
    return value if isinstance(value, str) else json.dumps(value)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.text(max_size=4), VALUES, max_size=4), st.booleans())
def test_whatever_json_says(tmp_path, problem, ascii_only):
    text = json.dumps(problem, ensure_ascii=ascii_only)
    first, *_ = items(tmp_path, (text + "\n").encode("utf-8", "surrogatepass"))
    assert first.errors or plain(first.node) == written(problem)


# Tables


def table_rows(folder: Path, content: str | bytes) -> list[Row | BadFile]:
    """What a table with *content* holds."""
    file = folder / "answers.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(table.rows(Source(str(file))))


def texts(parsed: list[Row | BadFile]) -> list[list[str]]:
    """The texts of the table_rows that are whole."""
    return [[cell.text for cell in row] for row in parsed if isinstance(row, list)]


@pytest.mark.parametrize("content", [one for [one] in rows("boundary/spellings.tsv")])
def test_all_spellings_of_one_table(content, tmp_path):
    assert texts(table_rows(tmp_path, content)) == [["a", "b"], ["1", "2"]]


def test_cells_know_their_place(tmp_path):
    parsed = table_rows(tmp_path, 'student,"ps, part 1",x\nann,"588.47 s",3\n\n"b""ob",,7\n')
    places = [[(c.line, c.column) for c in row] for row in parsed if isinstance(row, list)]
    columns = {1: (1, 9, 22), 2: (1, 5, 16), 4: (1, 9, 10)}
    assert places == [[(line, column) for column in of] for line, of in columns.items()]
    assert texts(parsed)[2] == ['b"ob', "", "7"]


def test_a_cell_may_hold_line_breaks(tmp_path):
    parsed = table_rows(tmp_path, 'a,b\n"one\ntwo",2\nx,y\n')
    assert texts(parsed) == [["a", "b"], ["one\ntwo", "2"], ["x", "y"]]
    assert [row[0].line for row in parsed if isinstance(row, list)] == [1, 2, 4]


@pytest.mark.parametrize(("name", "line", "wanted"), rows("boundary/tables.tsv"))
def test_what_is_a_table(name, line, wanted):
    assert is_table(name, line) == (wanted == "yes")


ACTIVE = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "=1+1"]
ACTIVE += [chr(ord(sign) + 0xFEE0) + "1" for sign in "=+-@"]  # full width, as typed in East Asia


@pytest.mark.parametrize("text", ACTIVE)
def test_what_a_spreadsheet_would_run_is_disarmed(text):
    [[first, second]] = csv.reader(StringIO(csv_line([text, "x"]), newline=""))
    assert first == f"'{text}"
    assert second == "x"


@given(st.lists(st.text(alphabet=st.characters(exclude_categories=["C"])), min_size=1, max_size=5))
def test_what_is_written_is_read_again(cells):
    harmless = [cell for cell in cells if cell[:1] not in {*"=+-@＝＋－＠"}] or ["x"]
    [parsed] = csv.reader(StringIO(csv_line(harmless), newline="")) or [[]]
    assert parsed == harmless


# What is shown


SHOWN = {"terminal": clean, "markdown": markdown, "latex": latex, "html": html}
SHOWN |= {"4 wide": lambda text: clean(text, 4), "1 wide": lambda text: clean(text, 1)}


@pytest.mark.parametrize(("reader", "text", "shown"), rows("boundary/cleaning.tsv"))
def test_what_is_shown(reader, text, shown):
    assert SHOWN[reader](text) == shown


@given(st.text(st.characters()), st.integers(1, 30))
def test_only_visible_characters_remain(text, width):
    shown = clean(text)
    assert not {unicodedata.category(character) for character in shown} & FORBIDDEN
    assert clean(shown) == shown
    cut = clean(text, width)
    assert cut == shown if len(shown) <= width else cut == f"{shown[: width - 1]}…"


@given(st.text(st.characters()))
def test_latex_has_no_bare_special(text):
    assert "\\input" not in latex(text)
    bare = re.sub(r"\\[{}]", "", latex(text))
    assert bare.count("{") == bare.count("}")
