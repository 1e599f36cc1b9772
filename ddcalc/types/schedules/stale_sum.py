"""How much staleness do the theorems allow?"""

from collections.abc import Iterator
from fractions import Fraction

from ddcalc.formula.algebra import NOTHING, Expr, Num, cases, ceiling, largest, same
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import count, derived, number
from ddcalc.problem.sentences import (
    Argument,
    Equated,
    First,
    Premise,
    Said,
    Sentence,
)

VOID = "α is more than 1/b, so the theorems do not apply: they allow no stale gradient"
DIVERGES = "α is 2/b or more: even without stale gradients it need not converge"


class StaleSum(Problem):
    """How much staleness do the theorems allow?

    The current gradient pulls the weights towards the minimum: it takes at least a·α off an error.
    Old ones were taken elsewhere and may push the wrong way: they add at most b times the sum of
    their coefficients. While the pull outweighs the push, the weights converge.

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
    keywords = (
        "theorem on stale gradients; sufficient condition for convergence; sum of the"
        " coefficients of old gradients"
    )
    terms = ("staleness", "k of n")
    source = "a poster on staleness, theorems 1, 2 and 4, its coefficients read by age"

    low = number("a", "smallest curvature", above=0, example="1")
    high = number("b", "largest curvature", above=0, example="4")
    alpha = number("alpha", "coefficient of the current gradient", above=0, example="0.2")
    stale = number("S_given", "what the old coefficients add up to", least=0, optional=True)
    beta = number("beta", "factor on the coefficient with each age", above=0, most=1, optional=True,
                  example="0.1")  # fmt: skip
    ages = count("k", "ages, with the current one", optional=True, most=1000, example="3")

    step_allowed = derived(
        "alpha_max", "Largest coefficient of the current gradient",
        "beyond 1/b a step overshoots the minimum in the steepest direction",
    )  # fmt: skip
    step_margin = derived("m_alpha", "Spare in the current coefficient", "")
    share = derived(
        "s", "Sum of old coefficients allowed, as a share of the current one", "",
        least=0, most=Fraction(1, 2),
    )  # fmt: skip
    stale_allowed = derived("S_max", "Largest sum of old coefficients allowed", "", better="more")
    stale_sum = derived("S", "Sum of the old coefficients", "all but the current one", least=0)
    stale_margin = derived("m_S", "Spare in the sum of old coefficients", "")
    factor = derived(
        "q", "Factor of the proof",
        "what the current gradient leaves of an error, and old ones add to it, at most",
        least=0, better="less",
    )  # fmt: skip

    def conclusion(self) -> Iterator[Said]:
        stated = self.states("stale") or self.states("ages")
        none = "No" if stated else "None"
        if stated:
            yield self._verdict()
        yield First(
            Sentence(
                "With {alpha} for the current gradient, no more than {step_allowed} (1/b),"
                " the old coefficients may add up to at most {stale_allowed},"
                " {share %} of that.",
                self.stale_allowed > 0,
            ),
            Sentence(
                f"{none}: the theorems ask for at most {{step_allowed}} (1/b) for the current"
                " gradient, and here it is {alpha}.",
                self.high * self.alpha < 2,
            ),
            Sentence(
                f"{none}: with {{alpha}} for the current gradient, 2/b or more, even that gradient"
                " alone need not converge."
            ),
        )
        if stated:
            yield self._still()

    def _verdict(self) -> Said:
        """Whether what is stated is allowed."""
        return First(
            Sentence(
                "Yes: nothing is stale.",
                (same(self.stale_sum, 0), self.stale_allowed > 0),
            ),
            Sentence(
                "Yes, the condition is met: the old coefficients add up to {stale_sum}, {spare}"
                " below the limit.",
                self.stale_margin > 0,
                spare=self.stale_allowed - self.stale_sum,
            ),
            Sentence(
                "Yes, the condition is met: the old coefficients add up to {stale_sum}, exactly the"
                " limit.",
                same(self.stale_margin, 0),
            ),
            Sentence(
                "No, the condition is not met: the old coefficients add up to {stale_sum}, {over}"
                " too much.",
                self.stale_margin < 0,
                over=self.stale_sum - self.stale_allowed,
            ),
        )

    def _still(self) -> Said:
        """What the proof says where the condition is not met."""
        return First(
            Sentence(
                "The proof still works, as it does for any sum below {twice}: errors shrink.",
                (self.stale_margin < 0, self.factor < 1),
                twice=2 * self.stale_allowed,
            ),
            Sentence(
                "The proof does not work for them either; they may still converge.",
                self.stale_margin < 0,
            ),
            Sentence(
                "With the current gradient alone, as here, the proof still works.",
                (self.factor < 1, same(self.stale_sum, 0), self.high * self.alpha > 1),
            ),
            Sentence(
                "The proof still works for the old ones stated, which add up to {stale_sum}.",
                (self.factor < 1, self.high * self.alpha > 1),
            ),
        )

    def insights(self) -> Iterator[Said]:
        if self.states("ages"):
            yield Sentence(
                "The proof gives a speed: after every {ages} updates, the largest of the last"
                " {ages} errors is at most {most %} of what it was.",
                (1000 * self.factor <= 999, self.stale_sum > self.stale_allowed),
                most=ceiling(1000 * self.factor) / 1000,  # what is at most that is not less
            )
        yield Sentence(
            "At the limit the current gradient leaves at most {left} of an error (1 − a·α), and old"
            " ones add at most {push} of the largest recent one (b times their sum), half of what"
            " it takes off. Errors shrink for any sum of old coefficients below {twice}.",
            (self.stale_allowed > 0, self.stale_allowed >= self.stale_sum),
            left=1 - self.low * self.alpha,
            push=self.high * self.stale_allowed,
            twice=2 * self.stale_allowed,
        )
        yield Sentence(
            "The limit falls with the condition number b/a, here {ratio}: the old coefficients may"
            " add up to its reciprocal, halved, of the current one.",
            self.stale_allowed > 0,
            ratio=self.high / self.low,
        )
        if self.states("ages"):
            return
        yield First(
            Sentence(
                "With the largest coefficient allowed for the current gradient, {step_allowed},"
                " the old sum could be {more}.",
                self.alpha < self.step_allowed,
                more=self.share * self.step_allowed,
            ),
            Sentence(
                "With {step_allowed} for the current gradient, old ones that add up to {more}"
                " would be allowed.",
                self.alpha > self.step_allowed,
                more=self.share * self.step_allowed,
            ),
        )

    def premises(self) -> Iterator[Premise]:
        yield Premise("the curvature stays between a and b")
        yield Premise("coefficients depend on age only")
        yield Premise("the conditions are enough, not necessary", "staleness")

    def arguments(self) -> Iterator[Argument]:
        pull, push = self.low * self.alpha, self.high * (self.share * self.alpha)
        says = (
            "of an error the current gradient takes off at least a·α, and old ones add at most b"
            " times their sum; the theorems let that be half as much"
        )
        yield Equated(self.share, same(push, pull / 2), says)

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
                (proved, proved >= 1, "not below 1: nothing is proved"),
                (1 - a * alpha + b * self.stale_sum, b * alpha <= 1, type(self).factor.why),
                otherwise=proved,
                why=type(self).factor.why,
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
            why="each age has β times the coefficient of the one before",
        )
