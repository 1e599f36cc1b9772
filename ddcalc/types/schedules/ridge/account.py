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
from ddcalc.numbers.number import Number, plain
from ddcalc.problem.arguments import argued
from ddcalc.problem.play import defined
from ddcalc.problem.quantity import Derived
from ddcalc.problem.sentences import Equated
from ddcalc.problem.steps import Define, DefineEach, Step, Table
from ddcalc.types.schedules._distances import distances, picked, places
from ddcalc.types.schedules.ridge.model import Descent

ETA, N, B, A = Sym("eta"), Sym("n"), Sym("b"), Sym("a")


APPLIES = "Whether the theorem applies"
CLOSER = "The bounds beside the true curvatures"
NORMAL = "The system whose solution is the minimum"
FEW = 4  # weights up to which the matrices are written out
LISTED = 6  # rows whose lengths are written out
RUN = "A run that converges"
CURVE = "The run"


def asides(descent: Descent) -> tuple[str, ...]:
    """What the answer does not rest on."""
    unused = ("lengths",) if descent.by_theorem else ("instances",)
    size = len(descent.ridge.minimum)
    many = ("weights",) if size <= FEW or size > LISTED else ()
    return (*unused, *many, "smallest", "largest", APPLIES, RUN, CURVE)


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
        yield defined(declared["longest"], descent.longest, why=self._applies())
        yield self._theorem()
        yield defined(declared["low"], descent.low, 2 * ETA, known)
        yield defined(declared["lengths"], descent.lengths)
        known["L"] = descent.lengths
        if descent.by_theorem:
            why = (
                "no eigenvalue of X'X is above the sum of all, its trace; this is the sum of the n"
                " squared lengths, so it is at most n"
            )
            yield defined(declared["high"], descent.high, 2 * N + 2 * ETA, known, why)
        else:
            yield defined(declared["high"], descent.high, 2 * Sym("L") + 2 * ETA, known)
        known |= {"a": descent.low, "b": descent.high}
        yield defined(declared["step"], descent.step, 1 / B, known)
        yield self._share(declared["share"], known)
        known |= {"alpha_max": descent.step, "s": descent.share}
        yield defined(declared["stale_allowed"], descent.stale, Sym("s") * Sym("alpha_max"), known)
        yield from self._eigenvalues()
        yield self._beside()
        yield from self._minimum(declared["weights"])
        yield from self._converging()

    def _applies(self) -> str:
        lengths = [count_text(rounded(plain(length), 6)) for length in self.ridge.lengths]
        rows_have = f"the rows have {', '.join(lengths)}; " if 1 < len(lengths) <= LISTED else ""
        if not self.descent.applies:
            return f"{rows_have}above 1, so the theorem does not apply; the trace of X'X serves"
        if self.descent.by_theorem:
            return f"{rows_have}at most 1, so the theorem applies"
        closer = "more" if self.descent.lengths < self.descent.count else "just as"
        text = f"at most 1, so n is a bound too; the trace of X'X bounds them {closer} closely"
        return f"{rows_have}{text}"

    def _share(self, quantity: Derived, known: Mapping[str, Number]) -> Define:
        share, alpha = Sym("s"), Sym("alpha_max")
        says = (
            "a step takes at least the part a·α_max off an error, and stale gradients add at most b"
            " times their sum; the theorem lets them undo half of what the step takes off"
        )
        formula = A / (2 * B)
        law = Equated(share, same(B * (share * alpha), A * alpha / 2), says)
        step = defined(quantity, self.descent.share, formula, known)
        return replace(step, argument=argued(law, formula, {}, "ridge"))

    def _minimum(self, quantity: Derived) -> Iterator[Step]:
        if len(self.ridge.minimum) <= FEW:
            why = "there the gradient 2(X'X + η·I)w − 2X'y is 0"
            ridge = self.ridge
            rows = zip(ridge.normal, ridge.minimum, ridge.sides, strict=True)
            cells = tuple(
                (*(_short(plain(cell)) for cell in row), _short(plain(w)), _short(plain(side)))
                for row, w, side in rows
            )
            header = ("X'X + η·I", *[""] * (len(cells) - 1), "w", "X'y")
            yield Table(NORMAL, why, header, cells)
        parts = (defined(quantity, w, symbol=f"w_{i}") for i, w in enumerate(self.ridge.minimum, 1))
        yield DefineEach(quantity.name, quantity.title, quantity.why, tuple(parts))

    def _theorem(self) -> Table:
        if self.descent.applies:
            why = "every ‖x‖^2 is at most 1, so the theorem applies: eigenvalues from 2η to 2n + 2η"
        else:
            why = "a row has ‖x‖^2 above 1, so the theorem does not apply; the trace of X'X serves"
        long = sum(length > 1 for length in self.ridge.lengths)
        rows = (("at most 1", Num(self.descent.count - long)), ("above 1", Num(long)))
        return Table(APPLIES, why, ("‖x‖^2", "rows"), rows)

    def _eigenvalues(self) -> Iterator[Step]:
        yield defined(self.declared["smallest"], self.ridge.smallest)
        yield defined(self.declared["largest"], self.ridge.largest)

    def _beside(self) -> Table:
        """What theorem 2 allows with the bounds, and with the eigenvalues as they are."""
        low, high = Fraction(self.ridge.smallest), Fraction(self.ridge.largest)
        share = low / (2 * high)
        pairs = (
            ("smallest curvature", self.descent.low, low),
            ("largest curvature", self.descent.high, high),
            ("step", self.descent.step, 1 / high),
            ("stale sum", self.descent.stale, share / high),
        )
        rows = tuple((name, *map(_short, cells)) for name, *cells in pairs)
        why = self._derivation()
        return Table(CLOSER, why, ("", "a and b", "true"), rows)

    def _derivation(self) -> str:
        """How the eigenvalues of the Hessian are found, where that is short."""
        hessian = self.ridge.hessian
        size = len(hessian)
        cells = [[_short(plain(cell)) for cell in row] for row in hessian]
        others = [(i, j) for i in range(size) for j in range(size) if i != j]
        if size == 1:
            return f"2(X'X + η·I) is one number, {cells[0][0]}, the only curvature"
        if all(hessian[i][j] == 0 for i, j in others) and size <= FEW:
            diagonal = ", ".join(cells[i][i] for i in range(size))
            return f"2(X'X + η·I) is diagonal, so its entries {diagonal} are the curvatures"
        if size > 2:
            return "curvatures are the eigenvalues of 2(X'X + η·I), rounded outwards"
        (p, r), (_, q) = cells
        return (
            f"2(X'X + η·I) has {p} and {q} on the diagonal and {r} beside it; its eigenvalues are"
            f" ({p} + {q})/2 ∓ √((({p} − {q})/2)^2 + ({r})^2)"
        )

    def _converging(self) -> Iterator[Step]:
        always = all(after <= before for before, after in pairwise(self.descent.run))
        grows = "it never grows" if always else "it is smaller in the end"
        why = (
            f"from w = 0, fresh gradients times 1/b and those an update old times the stale sum;"
            f" {grows}{picked(self.descent.updates)}"
        )
        rows = tuple((Num(t), Num(self._rounded(t))) for t in places(self.descent.updates))
        yield Table(RUN, why, ("update", "‖w − w*‖"), rows)
        shown = [self._rounded(t) for t in range(self.descent.updates + 1)]
        yield distances("‖w − w*‖", [shown], [""])

    def _rounded(self, t: int) -> Number:
        return rounded(self.descent.run[t], 6)


def _short(value: Number) -> str:
    return count_text(rounded(value, 6))
