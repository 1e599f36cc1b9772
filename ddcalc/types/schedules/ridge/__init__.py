"""How large a step and how much staleness does ridge regression allow?"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from fractions import Fraction

from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.play import Outcome, PlayedGivens, PlayedProblem
from ddcalc.problem.quantity import choice, count, derived, number
from ddcalc.types.schedules.ridge.account import RidgeAccount, asides
from ddcalc.types.schedules.ridge.model import Descent
from ddcalc.types.schedules.ridge.question import question
from ddcalc.types.schedules.ridge.words import says


class Ridge(PlayedProblem):
    """How large a step and how much staleness does ridge regression allow?

    Ridge regression fits weights to rows of inputs, with a penalty on large weights. Its loss is a
    bowl: the penalty curves it equally in every direction, each row adds curvature along itself.
    The largest curvature limits the step. The smallest one limits how much may be stale, as a step
    brings the weights least closer to the minimum there.

    Ridge regression minimises ‖Xw − y‖^2 + η·‖w‖^2. Its Hessian is 2(X'X + η·I). If no row of X is
    longer than 1, theorem 3 of the poster says that its eigenvalues are between a = 2η and
    b = 2n + 2η; then gradient descent tolerates a step of 1/b, and stale coefficients that add up
    to a/(2b) = η/(2(n + η)) times that step. All ‖x‖^2 added up, the trace of X'X, are at most n
    then and a closer bound (`--bound trace`). If a row is longer, only that one holds.

    The data come from a table (`--data FILE.csv`, whose last column is the target), from lists, or
    from a seed. The minimum is exact; eigenvalues are exact or rounded outwards to seven digits, by
    an exact test of definiteness.
    """

    answer = "stale_allowed"
    table = ("inputs", "targets")
    keywords = (
        "ridge regression; least squares; largest stable step size; eigenvalues of the data;"
        " condition number"
    )
    terms = ("staleness", "learning rate")
    source = (
        "a poster on staleness, its example and theorem 3; definiteness by leading minors:"
        " Sylvester's criterion"
    )

    targets = number(
        "y", "target of each row of X", many="list", of="row", optional=True, example="1, 2, 2"
    )
    inputs = number(
        "x", "the rows of X, one after the other", many="list", of="input of each row",
        optional=True, example="0.6, 0.8, 1, 0, 0, 0.5",
    )  # fmt: skip
    rows = count("n_made", "rows to make, where no data are stated", optional=True)
    columns = count("d_made", "inputs of a made row", most=20, optional=True)
    seed = count("seed", "seed of made data, else 1", least=0, optional=True)
    eta = number("eta", "factor of the penalty on the weights", above=0, example="1")
    updates = count("T", "updates of the run that tries it", most=2000, default="40")

    length = choice(
        "what is done with the rows",
        as_they_are="the rows are taken as they are",
        scaled="each row is scaled to a length of 1, rounded down to four digits",
    )

    bound = choice(
        "what bounds the largest eigenvalue of X'X",
        theorem="no eigenvalue of X'X is above n, if no row is longer than 1",
        trace="no eigenvalue of X'X is above its trace",
    )

    instances = derived("n", "Rows of X", "", least=1)
    weights = derived(
        "w", "The minimum", "there the gradient 2(X'X + η·I)w − 2X'y is 0: a linear system"
    )
    longest = derived("l_max", "Largest squared length of a row", "")
    lengths = derived(
        "L", "Squared lengths of all rows, added up",
        "the trace of X'X, which is the sum of its eigenvalues",
        least=0,
    )  # fmt: skip
    low = derived(
        "a", "Bound below all curvatures",
        "curvatures are the eigenvalues of 2(X'X + η·I), and X'X has none below 0",
        least=0,
    )  # fmt: skip
    high = derived(
        "b", "Bound above all curvatures",
        "no eigenvalue of X'X is above the sum of all, its trace, which is L", least=0,
    )  # fmt: skip
    smallest = derived("lambda_min", "Smallest curvature", "exact or rounded down")
    largest = derived("lambda_max", "Largest curvature", "exact or rounded up")
    step = derived(
        "alpha_max", "Largest safe step",
        "1/b: a longer one could overshoot the minimum where the curvature is b",
        least=0, better="more",
    )  # fmt: skip
    share = derived(
        "s", "Part of the step that may be stale", "", least=0, most=Fraction(1, 2),
    )  # fmt: skip
    stale_allowed = derived(
        "S_max", "Largest sum of the stale coefficients", "", least=0, better="more"
    )

    def needs(self) -> Iterator[tuple[str, ...]]:
        """Data, or how many rows to make."""
        yield "rows", "targets", "inputs"

    def laws(self) -> Iterator[Law]:
        yield Holds(self.smallest <= self.largest, "they are the ends of the eigenvalues")
        yield Holds(self.largest >= self.low, "it is above the bound below")
        yield Falls("step", "eta", "holding the weights back adds curvature")
        yield Rises("share", "eta", "it evens out the curvatures")

    def play(self, given: PlayedGivens) -> Outcome:
        """Solve the regression, bound its curvature, and run it."""
        descent = self._descent(given)
        account = RidgeAccount(descent, self.declared())
        return Outcome(
            descent.values(),
            account.steps,
            says=lambda: says(descent),
            asides=asides(descent),
            spare=("updates",),
        )

    def cases(self, given: PlayedGivens) -> Iterator[Hashable]:
        """Whether theorem 3 applies, and how many weights there are."""
        descent = self._descent(given)
        yield descent.by_theorem
        yield len(descent.ridge.rows[0])

    def _descent(self, given: PlayedGivens) -> Descent:
        return Descent(question(given, self.length == "scaled"), self.bound == "trace")
