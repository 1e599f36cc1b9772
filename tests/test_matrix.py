"""Lists written in rows; ``hostile/cases`` has where they are wrong in files."""

from __future__ import annotations

import pytest

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
