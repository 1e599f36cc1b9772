"""The bounds of theorem 3 on a ridge regression, and a run with the step that they allow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from ddcalc.formula.algebra import same
from ddcalc.formula.expression import Num, Sym
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.display import rounded
from ddcalc.numbers.number import Number
from ddcalc.numbers.units import COUNT
from ddcalc.problem.arguments import argued
from ddcalc.problem.play import defined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.sentences import Equated
from ddcalc.problem.steps import Compare, Define, DefineEach, Step, Table
from ddcalc.types.schedules._distances import distances, places
from ddcalc.types.schedules.ridge.model import Descent

ETA, N, B, A = Sym("eta"), Sym("n"), Sym("b"), Sym("a")


APPLIES = "Whether the theorem applies"
CLOSER = "What closer bounds would allow"
RUN = "A run that converges"
CURVE = "The run"


def asides(descent: Descent) -> tuple[str, ...]:
    """What the answer does not rest on."""
    unused = "lengths" if descent.by_theorem else "instances"
    return (unused, "weights", "smallest", "largest", APPLIES, RUN, CURVE)


class RidgeAccount:
    """The steps of *descent*, which define what is *declared*."""

    def __init__(self, descent: Descent, declared: Mapping[str, Derived]) -> None:
        self.descent, self.declared = descent, declared
        self.ridge = descent.ridge

    def steps(self) -> Iterator[Step]:
        """From the data to the run."""
        descent, declared = self.descent, self.declared
        known: dict[str, Number] = {"eta": self.ridge.eta, "n": descent.count}
        yield defined(declared["instances"], descent.count)
        yield from self._minimum(declared["weights"])
        yield defined(declared["longest"], descent.longest, why=self._applies())
        yield self._theorem()
        yield defined(declared["low"], descent.low, 2 * ETA, known)
        yield defined(declared["lengths"], descent.lengths)
        known["L"] = descent.lengths
        if descent.by_theorem:
            why = (
                "no eigenvalue of X'X is above the sum of all, its trace, which adds up the n"
                " squared lengths: at most n (theorem 3)"
            )
            yield defined(declared["high"], descent.high, 2 * N + 2 * ETA, known, why)
        else:
            yield defined(declared["high"], descent.high, 2 * Sym("L") + 2 * ETA, known)
        known |= {"a": descent.low, "b": descent.high}
        yield from self._eigenvalues(known)
        yield defined(declared["step"], descent.step, 1 / B, known)
        yield self._share(declared["share"], known)
        known |= {"alpha_max": descent.step, "s": descent.share}
        yield defined(declared["stale_allowed"], descent.stale, Sym("s") * Sym("alpha_max"), known)
        yield self._beside()
        yield from self._converging()

    def _applies(self) -> str:
        if not self.descent.applies:
            return "it is above 1, so theorem 3 does not apply; the trace of X'X serves"
        if self.descent.by_theorem:
            return "it is at most 1, so theorem 3 applies"
        return "it is at most 1, so theorem 3 would apply too; the trace of X'X is asked for"

    def _share(self, quantity: Derived, known: Mapping[str, Number]) -> Define:
        share, alpha = Sym("s"), Sym("alpha_max")
        says = (
            "of an error, a step takes off at least a·α_max, and stale gradients add at most b"
            " times their sum: that may be half as much"
        )
        formula = A / (2 * B)
        law = Equated(share, same(B * (share * alpha), A * alpha / 2), says, "theorem 2")
        step = defined(quantity, self.descent.share, formula, known)
        return replace(step, argument=argued(law, formula, {}, "ridge"))

    def _minimum(self, quantity: Derived) -> Iterator[DefineEach]:
        rows = (defined(quantity, w, symbol=f"w_{i}") for i, w in enumerate(self.ridge.minimum, 1))
        yield DefineEach(quantity.name, quantity.title, quantity.why, tuple(rows))

    def _theorem(self) -> Table:
        if self.descent.applies:
            why = "every ‖x‖^2 is at most 1, so theorem 3 applies: eigenvalues from 2η to 2n + 2η"
            if not self.descent.by_theorem:
                closer = (
                    "more closely"
                    if self.descent.lengths < self.descent.count
                    else "just as closely"
                )
                why += f"; here the trace of X'X bounds them {closer}"
        else:
            why = "a row has ‖x‖^2 above 1, so theorem 3 does not apply; the trace of X'X serves"
        long = sum(length > 1 for length in self.ridge.lengths)
        rows = (("at most 1", Num(self.descent.count - long)), ("above 1", Num(long)))
        return Table(APPLIES, why, ("‖x‖^2", "rows"), rows)

    def _eigenvalues(self, known: Mapping[str, Number]) -> Iterator[Step]:
        declared = self.declared
        smallest, largest = self.ridge.smallest, self.ridge.largest
        yield defined(declared["smallest"], smallest)
        yield defined(declared["largest"], largest)
        lambdas = {"lambda_min": smallest, "lambda_max": largest, **known}
        pairs = (
            ("lambda_min", A, smallest, self.descent.low),
            ("lambda_max", B, largest, self.descent.high),
        )
        for name, bound, value, end in pairs:
            least = name == "lambda_min"
            sides = (end, value) if least else (value, end)
            relation = bound <= Sym(name) if least else Sym(name) <= bound
            why = "as it must be" if sides[0] <= sides[1] else "but for the rounding"
            title = "Smallest" if least else "Largest"
            yield Compare(
                title, why, relation, name, value, lambdas, *sides, COUNT, sides[0] <= sides[1]
            )

    def _beside(self) -> Table:
        """What theorem 2 allows with the bounds, and with the eigenvalues as they are."""
        low, high = Fraction(self.ridge.smallest), Fraction(self.ridge.largest)
        share = low / (2 * high)
        pairs = (
            ("step", self.descent.step, 1 / high),
            ("share for stale gradients", self.descent.share, share),
            ("stale sum", self.descent.stale, share / high),
        )
        rows = tuple((name, *map(_short, cells)) for name, *cells in pairs)
        why = "theorem 2 holds for any a and b that enclose the eigenvalues; these bounds are safe"
        return Table(CLOSER, why, ("", "a and b", "eigenvalues"), rows)

    def _converging(self) -> Iterator[Step]:
        always = all(after <= before for before, after in pairwise(self.descent.run))
        grows = "it never grows" if always else "it is smaller in the end"
        why = (
            f"from w = 0, fresh gradients times 1/b and those an update old times the stale sum;"
            f" {grows}"
        )
        rows = tuple((Num(t), Num(self._rounded(t))) for t in places(self.descent.updates))
        yield Table(RUN, why, ("update", "‖w − w*‖"), rows)
        shown = [self._rounded(t) for t in range(self.descent.updates + 1)]
        yield distances("‖w − w*‖", [shown], [""])

    def _rounded(self, t: int) -> Number:
        return rounded(self.descent.run[t], 6)


def _short(value: Number) -> str:
    return count_text(rounded(value, 6))
