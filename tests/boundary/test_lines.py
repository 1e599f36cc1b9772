"""ndjson goes a fast way that yields what the slow way yields."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reading import items, plain

from ddcalc.boundary.nodes import Mapping, Scalar
from ddcalc.boundary.reader import read, relocate
from ddcalc.boundary.source import Source

FIRST = '{"id": "a"}\n'


def test_values_stay_text(tmp_path: Path) -> None:
    (item,) = items(tmp_path, '{"i": 1.50, "n": 10, "b": true, "z": null, "s": "1", "l": [1e5]}')
    assert plain(item.node) == {
        "i": "1.50", "n": "10", "b": "true", "z": "null", "s": "1", "l": ["1e5"],
    }  # fmt: skip
    assert isinstance(item.node, Mapping)
    assert item.node.entries["i"][1] == Scalar("1.50", 1, 0, True)
    assert item.node.entries["s"][1] == Scalar("1", 1, 0, False)
    assert not item.positioned


def test_relocate_finds_the_columns(tmp_path: Path) -> None:
    file = tmp_path / "a.ndjson"
    file.write_text(FIRST + '{"id": "\\ud83d\\ude00", "n": 10}\n')
    source = Source(str(file))
    _, item = read(source)
    again = relocate(item, source.name)
    assert isinstance(again.node, Mapping)
    assert again.positioned
    assert again.index == 2
    assert plain(again.node) == {"id": "😀", "n": "10"}
    key = again.node.entries["id"][0]
    assert (key.line, key.column) == (2, 2)
    assert relocate(again, source.name) is again


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.text(max_size=4), VALUES, max_size=4), st.booleans())
def test_both_ways_agree(tmp_path: Path, problem: dict[str, object], ascii_only: bool) -> None:
    file = tmp_path / "a.ndjson"
    text = json.dumps(problem, ensure_ascii=ascii_only)
    file.write_bytes((text + "\n").encode("utf-8", "surrogatepass"))
    source = Source(str(file))
    first, *_ = read(source)
    again = relocate(first, source.name)
    if first.errors or first.positioned:
        return
    assert plain(again.node) == plain(first.node)
