"""Problems come out of YAML one by one, with their places; everything clever is refused."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reading import errors, ids, items, plain

from ddcalc.boundary import tree
from ddcalc.boundary.nodes import Item, Mapping, Scalar, Sequence
from ddcalc.boundary.reader import read
from ddcalc.boundary.source import Source

TWO = "problems:\n- {id: a}\n- {id: b}\n"


def test_scalars_stay_text_and_know_their_place(tmp_path: Path) -> None:
    text = "id: a\ngiven:\n  n: 012\n  t: 1:30\n  on: yes\n  l: [1e-3, '2', ~]\n"
    (item,) = items(tmp_path, text)
    assert (item.head, item.errors, item.is_problem) == (None, [], True)
    assert isinstance(item.node, Mapping)
    key, given_ = item.node.entries["given"]
    assert (key.line, key.column) == (2, 1)
    assert plain(given_) == {"n": "012", "t": "1:30", "on": "yes", "l": ["1e-3", "2", "~"]}
    assert isinstance(given_, Mapping)
    values = given_.entries["l"][1]
    assert values == Sequence(
        [Scalar("1e-3", 6, 7, True), Scalar("2", 6, 13, False), Scalar("~", 6, 18, True)], 6, 6
    )


def test_head_and_end(tmp_path: Path) -> None:
    parsed = items(tmp_path, f"defaults: {{x: {{y: 1}}}}\n{TWO}late: 1\n")
    assert [item.is_problem for item in parsed] == [True, True, False]
    assert ids(parsed) == ["a", "b"]
    assert [list(item.head or ()) for item in parsed] == [["defaults"]] * 2 + [["defaults", "late"]]


def test_a_problem_comes_before_the_next_is_read(tmp_path: Path) -> None:
    file = tmp_path / "endless.yaml"
    file.write_text(TWO + "- {id: c}\n" * 200_000 + "- [")
    assert ids(list(itertools.islice(read(Source(str(file))), 3))) == ["a", "b", "c"]


def nested(depth: int) -> str:
    """A problem in which mappings and lists are *depth* deep."""
    return f"{{id: c, x: {'[' * (depth - 1)}{']' * (depth - 1)}}}"


WORDS = r"""
problems:~ defaults:~ -_ id:_ { } [ ] :_ ,_ ~ __ ' " &a_ *a_ !!int_ << ?_ ---~ ...~ >_ |_ #_ %TAG_ \
\ud800 \x00 !<%FF>_ !<%ED%A0%80>_ x 1.5_s é {"id":_"a"}~ null
"""
FRAGMENTS = st.sampled_from(
    [word.replace("_", " ").replace("~", "\n").encode() for word in WORDS.split()]
) | st.sampled_from([b"\xff", b"\xef\xbb\xbf", b"\x00", b"\r", b"\t", b"\xe2\x80\xa8"])


@pytest.mark.parametrize("parser", [tree._LOADER, yaml.SafeLoader])
@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(content=st.binary(max_size=80) | st.lists(FRAGMENTS, max_size=25).map(b"".join))
def test_any_bytes_become_items(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parser: type, content: bytes
) -> None:
    monkeypatch.setattr(tree, "_LOADER", parser)
    parsed = items(tmp_path, content)
    assert parsed
    for item in parsed:
        assert isinstance(item, Item)
        assert item.errors or item.head is not None or isinstance(item.node, Mapping)
        assert all(error.place and str(error) for error in item.errors)


@pytest.mark.parametrize("text", [TWO, f"x: &a 1\ny: {nested(21)}\nid: 1\nid: 2\n", "[", ""])
def test_both_parsers_of_pyyaml_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    fast = items(tmp_path, text)
    monkeypatch.setattr(tree, "_LOADER", yaml.SafeLoader)
    slow = items(tmp_path, text)
    assert [item.node for item in slow] == [item.node for item in fast]
    assert [kind for kind, *_ in errors(slow)] == [kind for kind, *_ in errors(fast)]
