"""Right, rounded, in a wrong unit, following from an earlier slip, or wrong, and by which slip:
answers whose numbers were worked out by hand."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from answering import exercise, mark, marked, says
from tables import rows

from ddcalc.ask.mark.exercise import Exercise
from ddcalc.ask.mark.following import marks
from ddcalc.ask.mark.grading import sentences
from ddcalc.ask.mark.written import Allowed, written
from ddcalc.numbers.units import SECOND, UNITS
from ddcalc.render.marks import text

STEP: dict[str, str | list[str]] = {
    "finish": ["0.15 s", "0.2 s", "0.25 s", "0.5 s"], "aggregate": "0.3 s", "update": "0.25 s",
}  # fmt: skip


def question(slug: str) -> Exercise:
    """The exam's question of that type."""
    return exercise(slug, **STEP) if slug == "sync-step" else exercise(slug)


TOO_FAR = "rounded too far: at least 3 significant digits are wanted"
THREE = "right to 3 significant digits"
WRONG_UNIT = "right value, wrong unit: "
SECONDS = Allowed(within=6, says="within 6 s")
PART = Allowed(within=Fraction(1, 100), relative=True, says="within 1 %")
MINUTES = Allowed(unit=UNITS["min"])
VERDICTS: list[tuple[str, Allowed, str, str]] = [
    # the right one is 595.5 s
    ("595.5 s", Allowed(), "right", ""),
    ("596 s", Allowed(), "rounded", THREE),
    ("600 s", Allowed(), "wrong", TOO_FAR),
    ("595 s", Allowed(), "wrong", "truncated; rounded to 3 digits it is 596 s"),
    ("597 s", Allowed(), "wrong", ""),
    ("0.166 h", Allowed(), "wrong", "rounded up; rounded to 3 digits it is 0.165 h"),
    ("595.5 min", Allowed(), "unit", f"{WRONG_UNIT}right in s, not in min"),
    ("9.925", Allowed(), "unit", f"{WRONG_UNIT}the unit is missing: min"),
    ("595.5 GB", Allowed(), "unit", f"{WRONG_UNIT}right in s, not in GB"),
    ("596 s", Allowed(digits=3), "rounded", f"{THREE}, as the sheet allows"),
    ("6.0e2 s", Allowed(digits=3), "wrong", TOO_FAR),
    ("595.9 s", Allowed(digits=3), "rounded", f"{THREE}, as the sheet allows"),
    ("590 s", SECONDS, "rounded", "right within 6 s, as the sheet allows"),
    ("600 s", PART, "rounded", "right within 1 %, as the sheet allows"),
    ("588 s", SECONDS, "wrong", ""),
    ("9.925", MINUTES, "right", ""),
    ("595.5", MINUTES, "unit", f"{WRONG_UNIT}the unit is missing: s"),
]


@pytest.mark.parametrize(("answer", "allowed", "verdict", "brief"), VERDICTS)
def test_a_verdict(answer: str, allowed: Allowed, verdict: str, brief: str) -> None:
    made = mark(exercise("epoch-time"), answer, allowed=allowed)
    assert (made.verdict, text(made.brief)) == (verdict, brief)
    assert made.credit == {"right": 1, "rounded": 1, "unit": Fraction(1, 2), "wrong": 0}[verdict]


LOST = "leaving out the factor E (local epochs in a round) in step 1"
UP = "t_up (gradient, worker to server)"
LARGEST = "instead of the largest in step 1"
SLIPS = rows(Path(__file__).with_name("slips.tsv"))


@pytest.mark.parametrize(("asked", "answer", "kind", "deed"), SLIPS)
def test_a_slip(asked: str, answer: str, kind: str, deed: str) -> None:
    slug, _, name = asked.partition(".")
    made = mark(question(slug), answer, name)
    assert (made.verdict, made.credit) == ("wrong", 0)
    assert (made.slips[0].kind, says(made)) == (kind, deed)


@pytest.mark.parametrize(
    ("answer", "sure", "begins"),
    [("588.47 s", True, "You get "), ("588 s", False, "You may have got "), ("590 s", False, ""),
     ("5.9e2 s", False, ""), ("588.4 s", True, "")],
)  # fmt: skip
def test_named_from_four_digits_on_perhaps_at_three_never_below(
    answer: str, sure: bool, begins: str
) -> None:
    made = mark(exercise("epoch-time"), answer)
    assert (made.verdict, made.sure, bool(made.slips)) == ("wrong", sure, bool(begins))
    assert text(sentences(made)).startswith(begins)


def test_a_slip_in_every_member_of_a_list() -> None:
    """Whoever forgets the local epochs forgets them for every device."""
    shares = ["25600", "12800", "38400"]
    given = {"samples": "76800", "devices": "3", "shares": shares}
    made = mark(exercise("federated", **given), "4814 s")  # 7 + 1200·4 + 7
    assert (made.slips[0].kind, says(made)) == ("factor", LOST)


SCHEMES: dict[str, str | list[str]] = {"periods": ["1 s", "2 s"], "scheme": "async"}
COUNTS = [  # right, and so many answers that are wrong
    ("timeline", SCHEMES | {"horizon": "2001 s"}, "", "3001", ("3000", "3.0e3", "3002")),
    ("timeline", {"periods": ["1 s"], "horizon": "10001 s"}, "", "10001", ("10000", "1e4")),
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


FOLLOWS = [  # of several answers to one question: what the last one is, and what is said of it
    ("federated", {"total": "3214 s", "updates": "800"}, "follows",
     "right from your U = 800"),
    # 84·7.09 + 7.03: the rounds are wrong, the last round is that of 83
    ("epoch-time", {"full_rounds": "84", "total": "602.59 s"}, "follows",
     "right from your R = 84"),
    ("epoch-time", {"full_round": "8.09 s", "last_round": "8.03 s", "total": "679.5 s"}, "follows",
     "right from your t_full = 8.09 s and t_last = 8.03 s"),
    # the printed sheet has 800 updates and the right total
    ("federated", {"updates": "800", "total": "32014 s"}, "right",
     "though by your U = 800 it would be 3 214 s"),
    # a slip behind a slip: the student's own 800 updates, without the way back
    ("federated", {"updates": "801", "total": "3211 s"}, "wrong", "from your U = 801"),
    ("epoch-time", {"full_rounds": "84", "last_workers": "4"}, "wrong", ""),
]  # fmt: skip


@pytest.mark.parametrize(("slug", "answers", "verdict", "brief"), FOLLOWS)
def test_what_follows_from_an_earlier_slip(
    slug: str, answers: dict[str, str], verdict: str, brief: str
) -> None:
    last = marked(exercise(slug), **answers)[-1]
    assert (last.verdict, text(last.brief)) == (verdict, brief)


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
