"""Lines of ndjson: values stay text with their places; whatever JSON can say is read as it is."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reading import Plain, items, plain

from ddcalc.boundary.nodes import Mapping, Scalar

FIRST = '{"id": "a"}\n'


def test_values_stay_text(tmp_path: Path) -> None:
    text = '{"i": 1.50, "n": 10, "b": true, "z": null, "s": "1", "l": [1e5]}'
    _, item = items(tmp_path, FIRST + text)
    assert plain(item.node) == {
        "i": "1.50", "n": "10", "b": "true", "z": "null", "s": "1", "l": ["1e5"],
    }  # fmt: skip
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


@settings(
    deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.dictionaries(st.text(max_size=4), VALUES, max_size=4), st.booleans())
def test_whatever_json_says(tmp_path: Path, problem: dict[str, object], ascii_only: bool) -> None:
    text = json.dumps(problem, ensure_ascii=ascii_only)
    first, *_ = items(tmp_path, (text + "\n").encode("utf-8", "surrogatepass"))
    assert first.errors or plain(first.node) == written(problem)
