"""The bound on ‖x_async − x_seq‖ for step size η, gradients of at most Δ, and perhaps an L."""

from __future__ import annotations

from dataclasses import dataclass

from ddcalc.formula.expression import Expr, Sym
from ddcalc.numbers.number import Number, product
from ddcalc.types.schedules.divergence.pairs import open_tight, scaled, tight
from ddcalc.types.schedules.divergence.runs import Runs

ETA, DELTA = Sym("eta"), Sym("Delta")


@dataclass(frozen=True, slots=True)
class Sizes:
    """The step size η and the limit Δ of gradients, letters if open, and L (None: not given)."""

    eta: Number | Sym
    delta: Number | Sym
    lipschitz: Number | None

    @property
    def slope(self) -> Number | None:
        """η·L; None if it is open or not given."""
        if self.lipschitz == 0:
            return 0
        if self.lipschitz is None or isinstance(self.eta, Sym):
            return None
        return product(self.eta, self.lipschitz)

    def value(self, coefficient: Number | Expr) -> Number | Expr:
        """*coefficient* times η·Δ."""
        return scaled(coefficient, self.eta, self.delta)


def coefficient(runs: Runs, sizes: Sizes) -> Number | Expr:
    """The bound in units of η·Δ."""
    if sizes.lipschitz is None:
        return plain(runs)
    if sizes.slope is None:
        return open_tight(runs, sizes.lipschitz)
    return tight(runs, sizes.slope)


def plain(runs: Runs) -> int:
    """The bound in units of η·Δ without an L; functions with gradients of length Δ attain it."""
    return len(runs.asynchronous) + len(runs.sequential) - 2 * runs.shared
