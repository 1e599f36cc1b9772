"""What is said of a ridge regression: the answer, what it means, and what it rests on."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ddcalc.formula.expression import Num
from ddcalc.numbers.display import rounded
from ddcalc.numbers.number import plain
from ddcalc.problem.play import Says
from ddcalc.problem.sentences import Crosscheck, Premise, Said, Sentence
from ddcalc.types.schedules.ridge.model import Descent

DIGITS = 6  # of an error


def says(descent: Descent) -> Says:
    """All sentences on *descent*."""
    answer = (
        "The step may be up to {step}, and the coefficients of stale gradients may add up to"
        " {share %} of it: at most {stale_allowed}."
    )
    return Says(
        conclusion=(Sentence(answer),),
        insights=(*_eigenvalues(descent), *_penalty(descent)),
        crosschecks=tuple(_run(descent)),
        premises=(
            Premise("gradients of all rows, without noise", "staleness"),
            Premise("coefficients depend on age only"),
            Premise("the conditions are enough, not necessary", "staleness"),
        ),
    )


def _eigenvalues(descent: Descent) -> Iterator[Said]:
    """What the curvatures themselves would allow."""
    low, high = Fraction(descent.ridge.smallest), Fraction(descent.ridge.largest)
    stale = low / (2 * high * high)
    if 1 / high > descent.step and stale > descent.stale:
        alike = low == high
        curved = "a curvature of {smallest}" if alike else "curvatures from {smallest} to {largest}"
        yield Sentence(
            f"These data bend the loss less than the bound allows for: {curved}, which would allow"
            " {times} times as much to be stale.",
            times=Num(rounded(stale / Fraction(descent.stale), 3)),
        )


def _penalty(descent: Descent) -> Iterator[Said]:
    """What another η would allow."""
    rows = Fraction(descent.count if descent.by_theorem else descent.lengths)
    eta = Fraction(descent.ridge.eta)
    if not rows:
        return
    twice = rows + 2 * eta
    text = (
        "Twice the η would allow a step of {step_then} and a stale sum of {stale_then}; by"
        " this bound none allows a larger sum than "
    )
    yield Sentence(
        text + ("the present one." if eta == rows else "η = {best}: {most}."),
        step_then=Num(plain(1 / (2 * twice))),
        stale_then=Num(plain(eta / (2 * twice**2))),
        best=Num(plain(rows)),
        most=Num(plain(1 / (16 * rows))),
    )


def _run(descent: Descent) -> Iterator[Crosscheck]:
    """The run keeps what the proof promises: every two updates leave 1 − s of an error at most."""
    start, end = descent.run[0], descent.run[-1]
    if not start or not descent.updates:
        return
    most = (1 - Fraction(descent.share)) ** -(-descent.updates // 2)
    shown = Fraction(rounded(end, DIGITS)), Fraction(rounded(start, DIGITS))
    if end <= most * start:  # rounding must not change that
        shown = min(shown[0], most * shown[1]), shown[1]
    yield Crosscheck(
        "{updates update} from w = 0 with both, the stale gradient one update old,"
        " {updates|leaves|leave} no more of the error ‖w − w*‖ than is proved",
        Num(plain(shown[0])) / Num(plain(shown[1])) <= Num(plain(most)),
    )
