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

HERE = Path(__file__).parent
STEP: dict[str, str | list[str]] = {
    "finish": ["0.15 s", "0.2 s", "0.25 s", "0.5 s"], "aggregate": "0.3 s", "update": "0.25 s",
}  # fmt: skip


def question(slug: str) -> Exercise:
    """The exam's question of that type."""
    return exercise(slug, **STEP) if slug == "sync-step" else exercise(slug)


ALLOWED = {
    "-": Allowed(),
    "within 6 s": Allowed(within=6, says="within 6 s"),
    "within 1 %": Allowed(within=Fraction(1, 100), relative=True, says="within 1 %"),
    "in min": Allowed(unit=UNITS["min"]),
    "3 digits": Allowed(digits=3),
}


@pytest.mark.parametrize(("answer", "allowed", "verdict", "brief"), rows(HERE / "verdicts.tsv"))
def test_a_verdict(answer: str, allowed: str, verdict: str, brief: str) -> None:
    made = mark(exercise("epoch-time"), answer, allowed=ALLOWED[allowed])
    assert (made.verdict, text(made.brief)) == (verdict, brief)
    assert made.credit == {"right": 1, "rounded": 1, "unit": Fraction(1, 2), "wrong": 0}[verdict]


LOST = "leaving out the factor E (local epochs in a round) in step 1"
SLIPS = rows(HERE / "slips.tsv")


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


@pytest.mark.parametrize(("slug", "answers", "verdict", "brief"), rows(HERE / "follows.tsv"))
def test_what_follows_from_an_earlier_slip(
    slug: str, answers: str, verdict: str, brief: str
) -> None:
    last = marked(exercise(slug), **dict(one.split("=") for one in answers.split("; ")))[-1]
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
