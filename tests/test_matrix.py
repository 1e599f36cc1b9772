"""Lists written in rows: on the command line, in files, and in Python."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import ddcalc

from ddcalc.errors import DdcalcError
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.stated import Texts, read

RING = problem_named("ring-trace")
FLAT = ["1", "5", "2", "3", "1", "9"]


@pytest.mark.parametrize(
    "texts",
    [
        {"vectors": FLAT, "processes": "2"},
        {"vectors": "1 5 2; 3 1 9"},
        {"vectors": ["1 5 2; 3 1 9"]},
        {"vectors": ["1, 5, 2;", "3, 1, 9;"]},
        {"vectors": "1 5 2; 3 1 9", "processes": "2"},
    ],
)
def test_rows_state_the_same_as_a_list(texts: Texts) -> None:
    expected = read(RING, texts)
    assert expected.numbers() == [1, 5, 2, 3, 1, 9, 2]
    assert expected.shape == read(RING, {"vectors": FLAT, "processes": "2"}).shape
    assert expected.said == {"vectors", "processes"}


@pytest.mark.parametrize(
    ("texts", "wrong"),
    [
        ({"vectors": "1 2; 3"}, [("vectors[2]", "'3' is a row of 1; the first row has 2")]),
        (
            {"vectors": "1; 2 3; 4; 5 6"},
            [
                ("vectors[2]", "'2, 3' is a row of 2; the first row has 1"),
                ("vectors[4]", "'5, 6' is a row of 2; the first row has 1"),
            ],
        ),
        ({"vectors": "1;;3"}, [("vectors[2]", "'' is a row of 0; the first row has 1")]),
        ({"vectors": "1 2; 3 x"}, [("vectors[2]", "'x' has letters")]),
        ({"vectors": "1,; 2,3"}, [("vectors[1]", "''")]),
        (
            {"vectors": "1 2; 3 4", "processes": "3"},
            [("processes", "'3' does not fit vectors, which has 2 rows")],
        ),
        ({"vectors": "1 2; 3 4", "processes": "two"}, [("processes", "'two' has letters")]),
        ({"vectors": "1 2; 3 4", "processes": ["2"]}, [("processes", "is a list")]),
        ({"vectors": ";"}, [("vectors", "is an empty list")]),
        ({"vectors": "1;" * 101}, [("processes", "'101' is too large; at most 100")]),
        ({"vectors": "1 " * 5001 + ";" + "1 " * 5001}, [("vectors", "at most 10000")]),
    ],
)
def test_what_is_refused(texts: Texts, wrong: list[tuple[str, str]]) -> None:
    with pytest.raises(DdcalcError) as caught:
        read(RING, texts)
    expected = [(item.parameter, str(item)) for item in caught.value.singles()]
    assert [parameter for parameter, _ in expected] == [parameter for parameter, _ in wrong]
    assert all(words in text for (_, text), (_, words) in zip(expected, wrong, strict=True))


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        ("ring-trace", "vectors: [[1, 5], [3]]", "1:46: '3' is a row of 1; the first row has 2"),
        ("ring-trace", "vectors: [[1, 5], [3, x]]", "1:46: 'x' has letters"),
        ("ring-trace", "vectors: ['1 5; 3 x']", "1:37: 'x' has letters"),
        ("ring-trace", "vectors: [[1, [5]], [3, 2]]", "1:38: a list of givens holds plain values"),
        ("ring-trace", "processes: [[1], [2]]", "1:45: a list of givens holds plain values"),
        ("sync-step", "finish: [[1], [2]]", "1:41: a list of givens holds plain values"),
    ],
)
def test_where_it_is_wrong_in_a_file(tmp_path: Path, kind: str, given: str, expected: str) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(f"{{type: {kind}, given: {{{given}}}}}")
    ran = ddcalc("solve", str(file), "--diagnostics", "short")
    assert ran.code == 2
    assert expected in ran.err
