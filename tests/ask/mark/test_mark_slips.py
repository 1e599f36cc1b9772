"""Each kind of slip, answered by a student whose number was worked out by hand."""

from __future__ import annotations

import pytest
from answering import exercise, kinds, mark, says

from ddcalc.ask.mark.exercise import Exercise
from ddcalc.ask.mark.grading import sentences
from ddcalc.render.marks import text

STEP: dict[str, str | list[str]] = {
    "finish": ["0.15 s", "0.2 s", "0.25 s", "0.5 s"], "aggregate": "0.3 s", "update": "0.25 s",
}  # fmt: skip
LOST = "leaving out the factor E (local epochs in a round) in step {}"
UP = "t_up (gradient, worker to server)"
LARGEST, TAKING = "instead of the largest in step 1", "instead of taking the largest in step 1"
SLIPS = [
    # epoch-time: 83·7.09 + 7.03 = 595.5
    ("epoch-time", "", "588.47 s", "term", "leaving out t_last (the last round) in step 7"),
    ("epoch-time", "", "588.03 s", "term", "leaving out m·t_agg in step 5"),  # 83·7 + 7.03
    ("epoch-time", "", "595.56 s", "rounding", "rounding up instead of down in step 2"),  # 84·7.09
    ("epoch-time", "", "637.5 s", "reading",
     "reading otherwise: each epoch begins with a new round"),
    ("epoch-time", "", "7.090 s", "result",
     "giving a full round (t_full) of step 5"),
    # 83·7.09 + 0.03, which is 82·7.09 + 7.12 as well
    ("epoch-time", "", "588.50 s", "term",
     "leaving out t_trip (download, compute, upload) in step 6"),
    ("epoch-time", "", "5955 s", "share", "multiplying by E = 10 (epochs)"),
    ("epoch-time", "", "59550 s", "power of ten", "shifting the point: it is 100 times too large"),
    ("epoch-time", "", "559.5 s", "digits", "swapping two digits"),
    ("epoch-time", "", "5955.5 s", "digits", "typing a digit twice"),
    ("epoch-time", "", "596.33 s", "early", "rounding t_full to 7.1 s in step 5"),  # 83·7.1 + 7.03
    ("epoch-time", "", "9.555 min", "clock", "writing 9 min 55.5 s as 9.555 min"),
    ("epoch-time", "", "8088 s", "unit", "taking 15 ms as 15 s for t_agg"),  # 83·97 + 37
    # federated: 7 + 10·(204 800/8/32)·4 + 7 = 32 014
    ("federated", "", "256014 s", "factor", "not dividing by D (devices) in step 1"),
    ("federated", "", "3214 s", "factor", LOST.format(1)),
    ("federated", "", "32000.0 s", "result", "giving local work (t_loc) of step 2"),
    ("federated", "", "4001.75 s", "share", "dividing by D = 8 (devices)"),
    ("federated", "", "8.53 h", "clock", "writing 8 h 53 min as 8.53 h"),
    # breakeven: (4 − 1.5 − 1.5)/0.015 = 66.67
    ("breakeven", "balance", "166.7", "term", f"leaving out {UP} in step 1"),
    ("breakeven", "balance", "266.67", "sign", "adding t_up instead of subtracting it in step 1"),
    ("breakeven", "balance", "0.015000", "upside down", "dividing the wrong way round in step 1"),
    # sync-step: 0.5 + 0.3 + 0.25 = 1.05
    ("sync-step", "", "0.7000 s", "extreme", f"taking the smallest {LARGEST}"),
    ("sync-step", "", "1.650 s", "extreme", f"adding all up {TAKING}"),
    ("sync-step", "", "0.8000 s", "term", "leaving out t_upd (update of the model) in step 4"),
]  # fmt: skip


def question(slug: str) -> Exercise:
    """The exam's question of that type."""
    return exercise(slug, **STEP) if slug == "sync-step" else exercise(slug)


def test_a_slip_is_told_with_nouns() -> None:
    """Titles that are clauses ("workers come in whole numbers") have a noun for sentences."""
    said = text(sentences(mark(exercise("breakeven"), "66.67")))
    assert said == (
        "You get 66.67 by giving workers at which both last equally long (m_eq) of step 1. Asked is"
        " the least number of workers (step 2)."
    )


@pytest.mark.parametrize(("slug", "name", "answer", "kind", "deed"), SLIPS)
def test_a_slip(slug: str, name: str, answer: str, kind: str, deed: str) -> None:
    made = mark(question(slug), answer, name)
    assert made.verdict == "wrong"
    assert made.credit == 0
    assert (made.slips[0].kind, says(made)) == (kind, deed)


@pytest.mark.parametrize(
    ("answer", "sure", "named"),
    [("588.47 s", True, True), ("588.5 s", True, True), ("588 s", False, True),
     ("590 s", False, False), ("5.9e2 s", False, False), ("588.4 s", True, False)],
)  # fmt: skip
def test_named_from_four_digits_on_perhaps_at_three_never_below(
    answer: str, sure: bool, named: bool
) -> None:
    made = mark(exercise("epoch-time"), answer)
    assert made.verdict == "wrong"
    assert bool(made.slips) == named
    assert made.sure == sure
    if named:
        assert text(sentences(made)).startswith("You get " if sure else "You may have got ")


def test_strictness_at_a_tie() -> None:
    """At 20 ms a gradient 50 workers tie; whoever counts the tie, or not, is told so."""
    many = {"compute": "2003 s", "aggregate": "20 ms"}  # (2003 − 3)/0.02 = 100 000
    made = mark(exercise("breakeven", **many), "100000")
    assert made.slips[0].kind in ("term", "strict", "result")
    assert (
        "taking t_down + t_up + m·t_agg ≥ t_comp for t_down + t_up + m·t_agg > t_comp in step 2"
        in [text(slip.deed) for slip in made.slips]
    )
    reached = mark(exercise("breakeven", relation="reaches", **many), "100001")
    assert "strict" in kinds(reached)


def test_a_slip_in_every_member_of_a_list() -> None:
    """Whoever forgets the local epochs forgets them for every device."""
    shares = ["25600", "12800", "38400"]
    given = {"samples": "76800", "devices": "3", "shares": shares}
    made = mark(exercise("federated", **given), "4814 s")  # 7 + 1200·4 + 7
    assert (made.slips[0].kind, says(made)) == ("factor", LOST.format(1))
