"""What a mark says: one or two sentences in the words of the declaration."""

from __future__ import annotations

from ddcalc.ask.mark.mark import Mark
from ddcalc.ask.mark.slip import SIMPLE, Pieces, Slip
from ddcalc.boundary.cleaning import clean

TELLING = SIMPLE["reading"]  # up to which a second slip of the same value tells something
QUOTED = 60  # characters of an answer
FORM = ("cut", "coarse")  # slips that the brief remark has told already


def sentences(mark: Mark) -> Pieces:
    """How the stated answer came about, and why that is wrong; nothing where no slip is known."""
    verb = "get" if mark.sure and not mark.two else "may have got"
    got = f"You {verb} {clean(mark.stated, QUOTED)} by "
    if mark.two is not None:
        return (got, "two slips together: ", *mark.two.one, ", and ", *mark.two.other, ".")
    if not mark.slips or mark.slips[0].kind in FORM:
        return ()
    first, *others = mark.slips
    others = [slip for slip in others if SIMPLE[slip.kind] <= TELLING]
    told: Pieces = (got, *first.deed)
    if first.shown:
        told = (*told, ": ", *first.shown)
    told = (*told, ".", *_why(first))
    if others:
        told = (*told, " Or by ", *others[0].deed, ".")
    return told


def habit(mark: Mark) -> Pieces:
    """What the student did, for counting it in a class; nothing where no slip is known."""
    if mark.two is not None:
        return (*mark.two.one, ", and ", *mark.two.other)
    if mark.verdict == "unit":
        return ("a wrong unit, or none",)
    return mark.slips[0].deed if mark.slips else ()


def _why(slip: Slip) -> Pieces:
    if not slip.why or slip.why == ("",):
        return ()
    first, *others = slip.why
    if isinstance(first, str):
        first = first[:1].upper() + first[1:]
    return (" ", first, *others, ".")
