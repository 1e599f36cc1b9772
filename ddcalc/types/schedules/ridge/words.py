"""What is said of a ridge regression: the answer, what it means, and what it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from ddcalc.formula.algebra import same
from ddcalc.formula.expression import Add, Mul, Num
from ddcalc.numbers.number import plain
from ddcalc.problem.play import Says
from ddcalc.problem.sentences import Crosscheck, Premise, Said, Sentence
from ddcalc.types.schedules.ridge.model import Descent

LISTED = 6  # weights that are named
FEW = 3  # rows whose parts of the gradient are written out


def says(descent: Descent) -> Says:
    """All sentences on *descent*."""
    return Says(
        conclusion=tuple(_conclusion(descent)),
        insights=(*_proof(descent), *_looseness(descent)),
        crosschecks=(*_gradient(descent), *_trace(descent)),
        premises=(
            Premise("the loss is the sum of squares, not their mean"),
            Premise("gradients of all rows, without noise", "staleness"),
            Premise("coefficients depend on age only"),
            Premise("the conditions are enough, not necessary", "staleness"),
        ),
    )


def _conclusion(descent: Descent) -> Iterator[Said]:
    """Whether the theorem applies, what it allows, where the minimum is, and the curvatures."""
    allowed = (
        "the step may be up to 1/b, {step}, and the coefficients of stale gradients may add up to"
        " {share %} of it: at most {stale_allowed}."
    )
    if descent.by_theorem:
        yield Sentence(f"Yes, the theorem applies, as no row is longer than 1: {allowed}")
    elif descent.applies:
        yield Sentence(
            f"Yes, it applies, as no row is longer than 1; with the trace for n, {allowed}"
        )
    else:
        yield Sentence(
            "No, the theorem does not apply as stated, as a row is longer than 1; with the trace"
            f" of X'X in place of n, {allowed}"
        )
    if len(descent.ridge.minimum) <= LISTED:
        slots = {f"w{i}": Num(plain(Fraction(w))) for i, w in enumerate(descent.ridge.minimum, 1)}
        named = _listed([f"{{{slot}}}" for slot in slots])
        yield Sentence(
            f"The minimum is at the weight{'s' * (len(slots) > 1)} {named}.", None, **slots
        )
    alike = descent.ridge.smallest == descent.ridge.largest
    true = "The true curvatures go from {smallest} to {largest}"
    if alike:
        everywhere = " in every direction" * (len(descent.ridge.minimum) > 1)
        true = f"The true curvature is {{smallest}}{everywhere}"
    yield Sentence(f"{true}; the bounds are {{low}} (a) and {{high}} (b).")


def _listed(parts: Sequence[str]) -> str:
    """1, 2 and 3."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _proof(descent: Descent) -> Iterator[Said]:
    """Why the weights converge with what is allowed."""
    share = Fraction(descent.share)
    yield Sentence(
        "Why that converges: a step takes at least a/b off an error, {off} of it, and stale"
        " gradients add at most b times their sum, {added} of the largest recent one: half as"
        " much.",
        off=Num(plain(2 * share)), added=Num(plain(share)),
    )  # fmt: skip


def _looseness(descent: Descent) -> Iterator[Said]:
    """What the bounds leave out."""
    low, high = Fraction(descent.ridge.smallest), Fraction(descent.ridge.largest)
    below, above = low - Fraction(descent.low), high - Fraction(descent.low)
    most = Fraction(descent.high) - Fraction(descent.low)
    if below > 0 and 20 * above < 19 * most:
        as_if = "had length 1 and pointed" if descent.by_theorem else "pointed"
        yield Sentence(
            "The bounds are loose: a counts the penalty alone, but here the rows add at least"
            " {below} in every direction; b counts {most} from the rows, as if all"
            f" {as_if} the same way, but here they add at most {{above}} in one direction.",
            below=Num(plain(below)), most=Num(plain(most)), above=Num(plain(above)),
        )  # fmt: skip


def _gradient(descent: Descent) -> Iterator[Crosscheck]:
    """The gradient at the minimum, from what the fit misses in each row."""
    ridge = descent.ridge
    if not 1 < len(ridge.rows) <= FEW or len(ridge.minimum) > FEW:
        return
    misses = [
        sum((Fraction(x) * w for x, w in zip(row, ridge.minimum, strict=True)), -Fraction(y))
        for row, y in zip(ridge.rows, ridge.targets, strict=True)
    ]
    terms = [
        Mul((Num(2), Num(row[0]), Num(plain(miss))))
        for row, miss in zip(ridge.rows, misses, strict=True)
        if row[0] and miss
    ]
    first = ridge.minimum[0]
    if not terms or not first:
        return
    pull = Mul((Num(2), Num(ridge.eta), Num(plain(Fraction(first)))))
    what = "the gradient" if len(ridge.minimum) == 1 else "the first part of the gradient"
    yield Crosscheck(
        f"{what} at the minimum, from what each row is missed by and the penalty",
        same(Add((*terms, pull)), Num(0)),
    )


def _trace(descent: Descent) -> Iterator[Crosscheck]:
    """Two exact eigenvalues add up to the trace."""
    ridge = descent.ridge
    low, high = Fraction(ridge.smallest), Fraction(ridge.largest)
    lengths, eta = Fraction(descent.lengths), Fraction(ridge.eta)
    if len(ridge.minimum) == 2 and low + high == 2 * lengths + 4 * eta and lengths:
        yield Crosscheck(
            "both curvatures add up to the trace, twice all squared lengths and 2η for each weight",
            same(
                Num(ridge.smallest) + Num(ridge.largest),
                Num(2) * Num(descent.lengths) + Num(4) * Num(ridge.eta),
            ),
        )
