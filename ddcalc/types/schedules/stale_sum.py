"""How much staleness do the theorems allow?"""

from collections.abc import Iterator
from fractions import Fraction

from ddcalc.formula.algebra import NOTHING, Expr, Num, cases, largest, same
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import count, derived, number

VOID = "α is more than 1/b, so the theorems do not apply: they allow no stale gradient"
DIVERGES = "α is 2/b or more: even without stale gradients it need not converge"


class StaleSum(Problem):
    """How much staleness do the theorems allow?

    Gradient descent subtracts the fresh gradient times α, and stale ones times coefficients that
    add up to S. The loss has curvatures (eigenvalues of its Hessian) from a to b. Theorems 1, 2 and
    4 of the poster ask for α ≤ 1/b and for S ≤ a/(2b)·α. State S, or k ages whose coefficients are
    α·β^τ, with β = 1 if none is stated.

    With α > 1/b the theorems do not apply, so no stale sum is allowed, however small. With α ≥ 2/b
    descent on the largest curvature does not converge even if all gradients are fresh.

    Both conditions together prove that the largest of the last k distances shrinks to q times
    itself or less, with q < 1. That is all the proof needs, so with α ≤ 1/b any stale sum below
    twice the allowed one converges too. With q ≥ 1 nothing is proved.

    These are formulas, so that anything may be asked: `--find beta --where "stale_margin >= 0"`.
    Whether a quadratic with stale gradients really converges is asked by `staleness`.
    """

    answer = "stale_allowed"
    terms = ("staleness", "k of n")
    source = "a poster on staleness, theorems 1, 2 and 4, its coefficients read by age"

    low = number("a", "smallest curvature", above=0, example="1")
    high = number("b", "largest curvature", above=0, example="4")
    alpha = number("alpha", "coefficient of the fresh gradient", above=0, example="0.2")
    stale = number("S_given", "what the stale ones add up to, else by ages", least=0, optional=True)
    beta = number("beta", "factor with each age, else 1", above=0, most=1, optional=True,
                  example="0.1")  # fmt: skip
    ages = count("k", "ages, with the fresh one", optional=True, most=1000, example="3")

    step_allowed = derived(
        "alpha_max", "Largest coefficient allowed", "one over the largest curvature"
    )
    step_margin = derived("m_alpha", "Spare in the coefficient", "allowed less there is")
    share = derived(
        "s", "Share for stale gradients", "smaller if b is far from a", least=0, most=Fraction(1, 2)
    )
    stale_allowed = derived(
        "S_max", "Largest stale sum allowed", "that share of the fresh one", better="more"
    )
    stale_sum = derived("S", "Stale sum", "all coefficients but the fresh one", least=0)
    stale_margin = derived("m_S", "Spare in the stale sum", "allowed less there is")
    factor = derived(
        "q", "Factor of the proof", "what the fresh gradient leaves, and stale ones give back",
        least=0, better="less",
    )  # fmt: skip

    def equations(self) -> Equations:
        a, b, alpha = self.low, self.high, self.alpha
        yield self.step_allowed, 1 / b
        yield self.step_margin, self.step_allowed - alpha
        yield self.share, a / (2 * b)
        yield self.stale_allowed, self._if_applies(self.share * alpha)
        yield self.stale_sum, self._stale_sum()
        yield self.stale_margin, self._if_applies(self.stale_allowed - self.stale_sum)
        proved = largest(1 - a * alpha, b * alpha - 1) + b * self.stale_sum
        yield (
            self.factor,
            cases(
                (proved, proved < 1, type(self).factor.why),
                otherwise=proved,
                why="not below 1: nothing is proved",
            ),
        )

    def laws(self) -> Iterator[Law]:
        yield Holds(
            self.factor < 1, "what the theorems allow is proved", when=self.stale_margin >= 0
        )
        yield Falls("stale_allowed", "high", "a steeper direction bears less")
        yield Rises("stale_allowed", "low", "the flattest direction carries the proof")
        yield Falls("stale_margin", "ages", "every age adds to the stale sum")

    def _if_applies(self, formula: Expr) -> Expr:
        """*formula* where α ≤ 1/b, as the theorems ask; no value elsewhere."""
        product = self.high * self.alpha
        void = (NOTHING, product < 2, VOID)
        return cases((formula, product <= 1), void, otherwise=NOTHING, why=DIVERGES)

    def conditions(self) -> Iterator[Condition]:
        yield Condition(self.low <= self.high, "low", "is more than the largest curvature, {high}")
        if self.states("stale") and self.states("ages"):  # no number of ages will do
            twice = "states the stale sum a second time; leave it or the sum away"
            yield Condition(self.ages < 1, "ages", twice)
        if self.states("beta") and not self.states("ages"):
            yield Condition(self.beta <= 0, "beta", "goes with a number of ages")

    def _stale_sum(self) -> Expr:
        if self.states("stale"):
            return self.stale
        if not self.states("ages"):
            return Num(0)
        stale = self.ages - 1
        if not self.states("beta"):
            return self.alpha * stale
        beta = self.beta
        return cases(
            (self.alpha * stale, same(beta, 1), "β is 1, so all are equal"),
            otherwise=self.alpha * beta * (1 - beta**stale) / (1 - beta),
            why="a geometric series",
        )
