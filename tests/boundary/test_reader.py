"""Problems come out of YAML one by one, with their places; everything clever is refused."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reading import errors, ids, items, plain

from ddcalc.boundary import documents, limits
from ddcalc.boundary.documents import SlowParser
from ddcalc.boundary.nodes import Item, Mapping, Scalar, Sequence
from ddcalc.boundary.reader import read
from ddcalc.boundary.source import Source
from ddcalc.errors import Repeated

TWO = "problems:\n- {id: a}\n- {id: b}\n"


def test_scalars_stay_text_and_know_their_place(tmp_path: Path) -> None:
    text = "id: a\ngiven:\n  n: 012\n  t: 1:30\n  on: yes\n  l: [1e-3, '2', ~]\n"
    (item,) = items(tmp_path, text)
    assert (item.head, item.errors, item.positioned, item.index) == (None, [], True, 1)
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
    found = items(tmp_path, f"defaults: {{x: {{y: 1}}}}\n{TWO}late: 1\n")
    assert [item.index for item in found] == [1, 2, 0]
    assert ids(found) == ["a", "b"]
    assert [list(item.head or ()) for item in found] == [["defaults"]] * 2 + [["defaults", "late"]]


def test_a_problem_comes_before_the_next_is_read(tmp_path: Path) -> None:
    file = tmp_path / "endless.yaml"
    file.write_text(TWO + "- {id: c}\n" * 200_000 + "- [")
    assert ids(list(itertools.islice(read(Source(str(file))), 3))) == ["a", "b", "c"]


def test_several_documents(tmp_path: Path) -> None:
    found = items(tmp_path, f"---\nid: z\n---\n{TWO}---\n- x\n---\nfoo\n---\n")
    assert ids(found) == ["z", "a", "b"]
    assert errors(found) == [("sheet", 8, 1), ("sheet", 10, 1)]
    assert [item.index for item in found] == [1, 2, 3, 0, 4, 5]


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "---\n", "---\n---\n...\n"])
def test_empty(tmp_path: Path, text: str) -> None:
    (item,) = items(tmp_path, text)
    assert str(item.errors[0]) == "is empty"


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        ("{id: c, id: d}", [("repeated", 4, 11)]),
        ("{id: c, x: {y: 1, y: 2}}", [("repeated", 4, 21)]),
        ("{id: c, x: &a 1}", [("sheet", 4, 15)]),
        ("{id: c, x: *a}", [("sheet", 4, 14)]),
        ("{id: c, x: !!int 1}", [("sheet", 4, 18)]),
        ("{id: c, <<: {x: 1}}", [("sheet", 4, 11)]),
        ("{id: c, [a]: 1}", [("sheet", 4, 11)]),
        ("{id: c, ? {a: b} : 1}", [("sheet", 4, 13)]),
        ("{id: c, *a : 1}", [("sheet", 4, 11)]),
        (
            "{id: c, id: d, x: &a 1, y: *a}",
            [("repeated", 4, 11), ("sheet", 4, 22), ("sheet", 4, 30)],
        ),
        ("just a text", [("sheet", 4, 3)]),
        ("[a, b]", [("sheet", 4, 3)]),
    ],
)
def test_errors_of_one_problem(
    tmp_path: Path, problem: str, expected: list[tuple[str, int, int]]
) -> None:
    found = items(tmp_path, f"{TWO}- {problem}\n- {{id: e}}\n")
    assert ids(found) == ["a", "b", "e"]
    where = [(kind, line) for kind, line, _ in expected]
    assert [(kind, line) for kind, line, _ in errors(found)] == where


def test_a_repeated_key_names_both_places(tmp_path: Path) -> None:
    (item,) = items(tmp_path, "id: a\nx: 1\nid: b\n")
    (error,) = item.errors
    assert isinstance(error, Repeated)
    assert error.place
    assert error.first
    assert (error.place.line, error.first.line) == (3, 1)
    assert plain(item.node) == {"id": "a", "x": "1"}


@pytest.mark.parametrize(
    "head", ["defaults: {a: 1, a: 2}\n", "defaults: &x {}\n", "defaults: {}\ndefaults: {}\n"]
)
def test_a_wrong_head_spoils_its_problems(tmp_path: Path, head: str) -> None:
    found = items(tmp_path, head + TWO)
    assert ids(found) == []
    assert [len(item.errors) for item in found] == [1, 1, 1, 0]


@pytest.mark.parametrize("text", ["problems: 3\n", "problems:\n", "problems: {a: 1}\n"])
def test_problems_must_be_a_list(tmp_path: Path, text: str) -> None:
    (item,) = items(tmp_path, text)
    assert [error.kind for error in item.errors] == ["sheet"]


def test_problems_twice_and_problems_empty(tmp_path: Path) -> None:
    twice = items(tmp_path, TWO + "problems:\n- {id: c}\n")
    assert ids(twice) == ["a", "b"]
    assert errors(twice) == [("repeated", 4, 1)]
    assert errors(items(tmp_path, "problems: []\n")) == [("sheet", 1, 1)]


def nested(depth: int) -> str:
    """A problem in which mappings and lists are *depth* deep."""
    return f"{{id: c, x: {'[' * (depth - 1)}{']' * (depth - 1)}}}"


def events(count: int) -> str:
    """A problem of *count* events."""
    lists = ", ".join(["[1, 2]"] * 4_000)  # 16 000 events in a list of 2
    return f"{{id: c, x: [{lists}], y: [{'1, ' * (count - 16_012)}], z: 1}}"


@pytest.mark.parametrize(
    ("within", "beyond"),
    [
        (nested(limits.NESTING), nested(limits.NESTING + 1)),
        (f"{{id: c, x: '{'y' * limits.SCALAR}'}}", f"{{id: c, x: '{'y' * (limits.SCALAR + 1)}'}}"),
        (f"{{id: c, x: [{'1,' * limits.LIST}]}}", f"{{id: c, x: [{'1,' * (limits.LIST + 1)}]}}"),
        (events(limits.EVENTS), events(limits.EVENTS + 1)),
    ],
    ids=["nesting", "scalar", "list", "events"],
)
def test_limits_at_and_one_above(tmp_path: Path, within: str, beyond: str) -> None:
    found = items(tmp_path, f"{TWO}- {within}\n- {beyond}\n- {{id: d}}\n")
    assert ids(found) == ["a", "b", "c", "d"]
    assert [(kind, line) for kind, line, _ in errors(found)] == [("limit", 5)]


def test_a_refused_problem_without_end_gives_up_the_file(tmp_path: Path) -> None:
    found = items(tmp_path, f"{TWO}- [{'[1], ' * 100_000}]\n- {{id: c}}\n")
    assert ids(found) == ["a", "b"]
    assert [(item.node, item.index) for item in found[2:]] == [(None, 0)]
    assert "the rest of the file is not read" in str(found[2].errors[0])


@pytest.mark.parametrize(
    "deep",
    [
        "- " + "[" * 10_000,
        "- " + "{a: " * 10_000,
        "- " + "- " * 10_000,
        "- " + "? " * 10_000,
        "-\n" + "".join(f"{' ' * level}a:\n" for level in range(1, 3_000)),
    ],
    ids=["lists", "mappings", "block lists", "keys", "block mappings"],
)
def test_bottomless_nesting_keeps_what_came_before(tmp_path: Path, deep: str) -> None:
    found = items(tmp_path, f"{TWO}{deep}\n")
    assert ids(found) == ["a", "b"]
    assert [kind for kind, *_ in errors(found)] == ["limit"]


@pytest.mark.parametrize(
    ("broken", "line"), [("- {id: c\n- {id: d}\n", 5), ("- id: c\n\tx: 1\n", 5), ("- 'c\n", 5)]
)
def test_a_syntax_error_keeps_what_came_before(tmp_path: Path, broken: str, line: int) -> None:
    found = items(tmp_path, TWO + broken)
    assert ids(found) == ["a", "b"]
    assert [(kind, at) for kind, at, _ in errors(found)] == [("file", line)]


def test_a_wrong_byte_keeps_what_came_before(tmp_path: Path) -> None:
    found = items(tmp_path, TWO.encode() + b"- {id: c}\n- {id: 12\xff}\n")
    assert ids(found) == ["a", "b", "c"]
    assert errors(found) == [("file", 5, 10)]


WORDS = r"""
problems:~ defaults:~ -_ id:_ { } [ ] :_ ,_ ~ __ ' " &a_ *a_ !!int_ << ?_ ---~ ...~ >_ |_ #_ %TAG_ \
\ud800 \x00 !<%FF>_ !<%ED%A0%80>_ x 1.5_s é {"id":_"a"}~ null
"""
FRAGMENTS = st.sampled_from(
    [word.replace("_", " ").replace("~", "\n").encode() for word in WORDS.split()]
) | st.sampled_from([b"\xff", b"\xef\xbb\xbf", b"\x00", b"\r", b"\t", b"\xe2\x80\xa8"])


@pytest.mark.parametrize("parser", [documents.make_parser, SlowParser])
@settings(
    deadline=None, max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(content=st.binary(max_size=80) | st.lists(FRAGMENTS, max_size=25).map(b"".join))
def test_any_bytes_become_items(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parser: type, content: bytes
) -> None:
    monkeypatch.setattr(documents, "make_parser", parser)
    found = items(tmp_path, content)
    assert found
    for item in found:
        assert isinstance(item, Item)
        assert item.errors or item.head is not None or isinstance(item.node, Mapping)
        assert all(error.place and str(error) for error in item.errors)


@pytest.mark.parametrize("text", [TWO, f"x: &a 1\ny: {nested(21)}\nid: 1\nid: 2\n", "[", ""])
def test_both_parsers_of_pyyaml_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    fast = items(tmp_path, text)
    monkeypatch.setattr(documents, "make_parser", SlowParser)
    slow = items(tmp_path, text)
    assert [item.node for item in slow] == [item.node for item in fast]
    assert [kind for kind, *_ in errors(slow)] == [kind for kind, *_ in errors(fast)]
