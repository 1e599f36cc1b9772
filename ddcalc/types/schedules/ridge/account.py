"""The bounds of theorem 3 on a ridge regression, and a run with the step that they allow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise

from ddcalc.formula.expression import Num, Sym
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.display import rounded
from ddcalc.numbers.number import Number
from ddcalc.numbers.units import COUNT
from ddcalc.problem.play import defined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Compare, DefineEach, Step, Table
from ddcalc.types.schedules._distances import distances, places
from ddcalc.types.schedules.ridge.model import Descent

ETA, N, B, A = Sym("eta"), Sym("n"), Sym("b"), Sym("a")


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
        yield defined(declared["longest"], descent.longest)
        yield self._theorem()
        yield defined(declared["low"], descent.low, 2 * ETA, known)
        yield defined(declared["lengths"], descent.lengths)
        known["L"] = descent.lengths
        if descent.by_theorem:
            why = "X'X has no eigenvalue above its trace L, which is at most n"
            yield defined(declared["high"], descent.high, 2 * N + 2 * ETA, known, why)
        else:
            yield defined(declared["high"], descent.high, 2 * Sym("L") + 2 * ETA, known)
        known |= {"a": descent.low, "b": descent.high}
        yield from self._eigenvalues(known)
        yield defined(declared["step"], descent.step, 1 / B, known)
        share = ETA / (2 * (N + ETA)) if descent.by_theorem else A / (2 * B)
        yield defined(declared["share"], descent.share, share, known)
        known |= {"alpha_max": descent.step, "s": descent.share}
        yield defined(declared["stale_allowed"], descent.stale, Sym("s") * Sym("alpha_max"), known)
        yield self._beside()
        yield from self._converging()

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
        return Table("Whether the theorem applies", why, ("‖x‖^2", "rows"), rows)

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
        return Table("What closer bounds would allow", why, ("", "a and b", "eigenvalues"), rows)

    def _converging(self) -> Iterator[Step]:
        left = rounded(
            Fraction(self.descent.run[-1]) / self.descent.run[0] if self.descent.run[0] else 0, 3
        )
        always = all(after <= before for before, after in pairwise(self.descent.run))
        grows = "it never grows" if always else "it is smaller in the end"
        why = (
            f"from w = 0, fresh gradients times 1/b and those an update old times the stale sum;"
            f" {grows}, and {count_text(left)} of the distance is left"
        )
        rows = tuple((Num(t), Num(self._rounded(t))) for t in places(self.descent.updates))
        yield Table("A run that converges", why, ("update", "‖w − w*‖"), rows)
        shown = [self._rounded(t) for t in range(self.descent.updates + 1)]
        yield distances("‖w − w*‖", [shown], [""])

    def _rounded(self, t: int) -> Number:
        return rounded(self.descent.run[t], 6)


def _short(value: Number) -> str:
    return count_text(rounded(value, 6))
