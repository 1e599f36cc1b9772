"""Right, rounded, in a wrong unit, following from an earlier slip, or wrong: the verdicts."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from answering import exercise, kinds, mark, marked
from hypothesis import given
from hypothesis import strategies as st

from ddcalc.ask.mark.judge import marks
from ddcalc.ask.mark.written import Allowed, written
from ddcalc.numbers.display import cut, half_up, raised
from ddcalc.numbers.units import SECOND, UNITS
from ddcalc.render.marks import text

TOO_FAR = "rounded too far: at least 3 significant digits are wanted"
VERDICTS = [
    # the right one is 595.5 s
    ("595.5 s", "right", ""),
    ("596 s", "rounded", "right to 3 significant digits"),
    ("600 s", "wrong", TOO_FAR),
    ("6.0e2 s", "wrong", TOO_FAR),
    ("6e2 s", "wrong", TOO_FAR),
    ("595 s", "wrong", "truncated; rounded to 3 digits it is 596 s"),
    ("597 s", "wrong", ""),
    ("0.166 h", "wrong", "rounded up; rounded to 3 digits it is 0.165 h"),
    ("595.5 min", "unit", "right value, wrong unit: right in s, not in min"),
    ("9.925", "unit", "right value, wrong unit: the unit is missing: min"),
    ("9.925 s", "unit", "right value, wrong unit: right in min, not in s"),
    ("595.5 GB", "unit", "right value, wrong unit: right in s, not in GB"),
    ("700.25 GB", "wrong", ""),
]


@given(st.fractions(-1000, 1000, max_denominator=999), st.integers(-4, 3))
def test_rounding_is_decimal_rounding(value: Fraction, place: int) -> None:
    one = Decimal(1).scaleb(place)
    rounded = (Decimal(value.numerator) / Decimal(value.denominator) / one).quantize(
        Decimal(1), ROUND_HALF_UP
    ) * one
    assert half_up(value, place) == Fraction(rounded)
    assert abs(cut(value, place)) <= abs(value) <= abs(raised(value, place))
    assert abs(raised(value, place)) - abs(cut(value, place)) in (0, Fraction(10) ** place)


@pytest.mark.parametrize(("answer", "verdict", "brief"), VERDICTS)
def test_a_verdict(answer: str, verdict: str, brief: str) -> None:
    made = mark(exercise("epoch-time"), answer)
    assert (made.verdict, text(made.brief)) == (verdict, brief)
    assert made.credit == {"right": 1, "rounded": 1, "unit": Fraction(1, 2), "wrong": 0}[verdict]


THREE = "right to 3 significant digits, as the sheet allows"
SIX = "right within 6 s, as the sheet allows"
PART = Allowed(within=Fraction(1, 100), relative=True, says="within 1 %")
MINUTES = Allowed(unit=UNITS["min"])


@pytest.mark.parametrize(
    ("answer", "allowed", "verdict", "brief"),
    [
        ("596 s", Allowed(digits=3), "rounded", THREE),
        ("6.0e2 s", Allowed(digits=3), "wrong", TOO_FAR),
        ("600 s", Allowed(digits=2), "rounded", THREE.replace("3", "2")),
        ("595.9 s", Allowed(digits=3), "rounded", THREE),
        ("590 s", Allowed(within=6, says="within 6 s"), "rounded", SIX),
        ("600 s", PART, "rounded", "right within 1 %, as the sheet allows"),
        ("590 s", Allowed(within=5, says="within 5 s"), "wrong", ""),
        ("9.925", MINUTES, "right", ""),
        ("595.5", MINUTES, "unit", "right value, wrong unit: the unit is missing: s"),
    ],
)
def test_what_the_sheet_allows(answer: str, allowed: Allowed, verdict: str, brief: str) -> None:
    made = mark(exercise("epoch-time"), answer, allowed=allowed)
    assert (made.verdict, text(made.brief)) == (verdict, brief)


SCHEMES: dict[str, str | list[str]] = {"periods": ["1 s", "2 s"], "scheme": "async"}
COUNTS = [  # right, and so many answers that are wrong
    ("timeline", SCHEMES | {"horizon": "2001 s"}, "", "3001", ("3000", "3.0e3", "3002")),
    ("timeline", {"periods": ["1 s"], "horizon": "1000001 s"}, "", "1000001", ("1000000", "1e6")),
    ("federated", {"samples": "140000"}, "updates", "5470", ("5500", "5.5e3", "5.47001e3")),
]


@pytest.mark.parametrize(("slug", "given", "name", "exact", "others"), COUNTS)
def test_what_is_counted_is_exact(
    slug: str, given: dict[str, str | list[str]], name: str, exact: str, others: tuple[str, ...]
) -> None:
    """Unless the sheet says how many digits are wanted."""
    question = exercise(slug, **given)
    assert mark(question, exact, name).verdict == "right"
    assert {mark(question, other, name).verdict for other in others} == {"wrong"}
    assert mark(question, others[0], name, Allowed(digits=2)).verdict == "rounded"


def follow(answers: dict[str, str], slug: str = "epoch-time") -> list[tuple[str, str, str]]:
    """The names, verdicts and remarks of a student's *answers*."""
    made = marked(exercise(slug), **answers)
    return [(one.name, one.verdict, text(one.brief)) for one in made]


def test_what_follows_from_an_earlier_slip_is_credited() -> None:
    followed = follow({"total": "3214 s", "updates": "800"}, "federated")
    assert followed == [
        ("updates", "wrong", ""),
        ("total", "follows", "right method: follows from your U = 800"),
    ]


def test_a_result_used_only_at_the_end_is_followed_too() -> None:
    """84·7.09 + 7.03: the rounds are wrong, the last round is that of 83."""
    followed = follow({"full_rounds": "84", "total": "602.59 s"})
    assert followed[1] == ("total", "follows", "right method: follows from your R = 84")


def test_several_wrong_results_are_followed_together() -> None:
    followed = follow({"full_round": "8.09 s", "last_round": "8.03 s", "total": "679.5 s"})
    assert followed[2][1:] == (
        "follows",
        "right method: follows from your t_full = 8.09 s and t_last = 8.03 s",
    )


def test_a_right_answer_that_does_not_follow_is_right_and_told_so() -> None:
    """The printed sheet has 800 updates and the right total."""
    followed = follow({"updates": "800", "total": "32014 s"}, "federated")
    assert followed[1] == ("total", "right", "though by your U = 800 it would be 3 214 s")


def test_a_slip_behind_a_slip() -> None:
    """On the student's own number a second slip is found: 10 times 7 + 3200 + 7 without the way
    back."""
    made = marked(
        exercise("federated", rounds="10", local_epochs="1"), updates="1000", total="40070 s"
    )
    assert made[1].verdict == "wrong"
    assert text(made[1].brief) == "from your U = 1 000"
    assert "term" in kinds(made[1])


def test_what_does_not_rest_on_it_does_not_follow() -> None:
    followed = follow({"last_workers": "4", "full_rounds": "84"})
    assert [verdict for _, verdict, _ in followed] == ["wrong", "wrong"]


def test_a_list_is_marked_by_its_worst_member() -> None:
    question = exercise(
        "sync-step", finish=["0.15 s", "0.2 s", "0.5 s"], aggregate="0.3 s", update="0.25 s"
    )
    idle = tuple(written(one, SECOND) for one in ("0.35 s", "0.4 s", "0 s"))
    right = tuple(written(one, SECOND) for one in ("350 ms", "0.3 s", "0.0 s"))
    for name, answer, verdict, at, brief in (
        ("idle", idle, "wrong", 2, ""),
        ("idle", right, "right", 1, ""),
        ("idle", right[:2], "wrong", None, "it lists 2 values; 3 are asked"),
        ("idle", right[0], "wrong", None, "a list of 3 is asked"),
        ("total", right, "wrong", None, "one value is asked"),
    ):
        [made] = marks(question, {name: (answer, Allowed())})
        assert (made.verdict, made.at, text(made.brief)) == (verdict, at, brief)


def test_played_types_need_no_equations() -> None:
    """Readings, other results, units and digits are told of a schedule too."""
    question = exercise("backup-workers", means=["1 s"], workers="4", wait_for="3", fixed="0.5 s")
    assert question.chain is None
    assert mark(question, "65/60 s").verdict == "right"  # 1/4 + 1/3 + 1/2
    assert mark(question, "1.083 s").verdict == "rounded"
    assert mark(question, "1.083 min").verdict == "unit"
    assert mark(question, "2.083 s").slips[0].kind == "result"  # the slowest of the four
    assert mark(question, "10.83 s").slips[0].kind == "power of ten"
    assert mark(question, "1.038 s").slips[0].kind == "digits"
