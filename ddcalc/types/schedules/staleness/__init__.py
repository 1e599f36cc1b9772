"""Does gradient descent with stale gradients converge?"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.play import Outcome, PlayedGivens, PlayedProblem
from ddcalc.problem.quantity import choice, count, derived, number
from ddcalc.types.schedules.staleness.account import asides, cases, is_proved, steps, values
from ddcalc.types.schedules.staleness.question import noise_of, stale_run
from ddcalc.types.schedules.staleness.words import says


class Staleness(PlayedProblem):
    """Does gradient descent with stale gradients converge?

    The theorem's condition is enough, but not necessary: where it fails, only the updates
    themselves tell. On a quadratic every direction goes its own way: along curvature h a gradient
    is h times the distance from the minimum at which it was taken. An old one was taken elsewhere,
    so it may pull too far or the wrong way.

    The server waits for some of the workers; gradients that come late are not thrown away but used
    in later updates. An update subtracts the fresh gradient times α₀, the one that is an update
    old times α₁, and so on up to k ages. The loss has curvatures (eigenvalues of its Hessian) from
    a to b. State the α of all ages as a list, with 0 for an age that is not used, or one α, which
    all of k ages have, or which is multiplied by β with each age.

    Theorems 1, 2 and 4 of the poster give conditions that are enough. They are checked by age: as
    printed, by step, they cannot hold, which is shown. Then comes the exact answer on a quadratic:
    the largest size of a root over all eigenvalues from a to b. Below 1 it converges on every
    quadratic with such eigenvalues, else not on all. On other losses a size below 1 proves nothing.

    Besides: how staleness acts like momentum (`--part momentum`), noisy gradients and why theorem 4
    needs a constant Hessian (`--part noise`), and what is lost where late gradients are dropped
    (`--part late`).
    """

    answer = "rate"
    keywords = (
        "stale gradients; delayed gradients; convergence of asynchronous SGD; stability with"
        " staleness; does it converge"
    )
    terms = ("staleness", "k of n", "asynchronous", "backup worker")
    source = (
        "a poster on staleness, theorems 1, 2 and 4, its coefficients read by age; the exact test:"
        " Schur, J. reine angew. Math. 147, 1917, and Jury, Theory and Application of the"
        " z-Transform Method, 1964; momentum: Polyak, USSR Comput. Math. Math. Phys. 4, 1964"
    )

    low = number("a", "smallest curvature", above=0, example="1")
    high = number("b", "largest curvature", above=0, example="4")
    alpha = number(
        "alpha",
        "coefficients of the gradients by age, the current one first",
        many="either",
        of="age",
        least=0,
        first=0,
        example="0.2",
    )
    beta = number(
        "beta", "factor on alpha with each age, else 1", above=0, most=1, optional=True,
        example="0.1",
    )  # fmt: skip
    ages = count("k", "ages, with the fresh one", most=8, optional=True, example="3")
    updates = count("T", "updates of the run that tries it", most=500, default="20")

    runs = count("R", "runs with noise, else 400", most=10_000, optional=True)
    seed = count("seed", "seed of the noise of the first run, else 1", least=0, optional=True)

    part = choice(
        "what is shown",
        conditions="shown: the conditions of the theorems, the test on a quadratic, a run",
        momentum="shown: how staleness acts like momentum",
        noise="shown: what noise in the gradients does",
        late="shown: what is lost where late gradients are dropped",
        everything="shown: all parts",
    )

    smallest = derived(
        "c", "Smallest coefficient", "none may be below some c > 0; this is the largest such c"
    )
    step_allowed = derived(
        "alpha_max", "Largest coefficient allowed for the current gradient",
        "with 1/b no step overshoots, even in the steepest direction",
    )  # fmt: skip
    step_margin = derived("m_alpha", "Spare in the fresh coefficient", "")
    stale_sum = derived("S", "Sum of the old coefficients", "", least=0)
    stale_allowed = derived(
        "S_max", "Largest sum allowed for the old ones",
        "the current gradient takes at least a·α₀ off an error, old ones add at most b·S; that may"
        " be half as much",
    )  # fmt: skip
    stale_margin = derived("m_S", "Spare in the stale sum", "")
    guaranteed = derived(
        "q",
        "Factor of the proof",
        "what the current gradient leaves of an error, and what old ones add to it, at most",
        least=0,
        better="less",
    )
    beta_allowed = derived(
        "beta_max", "Largest β allowed", "the stale sum is S_max there", least=0, most=1
    )
    broken = derived("t_max", "First step that breaks the conditions as printed", "they double")
    radius_low = derived("rho_a", "Largest root at the smallest curvature", "rounded up")
    radius_high = derived("rho_b", "Largest root at the largest curvature", "rounded up")
    rate = derived(
        "rho", "Largest root of all curvatures", "rounded up to a millionth, or finer close to 1",
        least=0, better="less",
    )  # fmt: skip
    curvature_limit = derived(
        "h_max", "Curvature up to which it converges", "it has a root of size 1 there"
    )
    step_limit = derived("alpha_lim", "Largest stable coefficient", "all others in their ratio")
    stale_limit = derived("S_lim", "Largest stable stale sum", "the fresh one as it is")
    error_low = derived("e_a", "Error left at the smallest curvature", "after the run, of 1")
    momentum = derived(
        "beta_eff", "Momentum that it acts like", "a gradient counts as much", least=0, most=1
    )
    momentum_gap = derived(
        "D", "Largest difference from a heavy ball", "of the two runs, over all updates"
    )
    variance = derived(
        "V", "Variance after the run, with noise", "each update's noise leaves its response",
        least=0,
    )  # fmt: skip
    kinked_mean = derived("m", "Mean with two slopes", "the slopes differ, so noise pushes it away")
    dropped_end = derived(
        "w_drop", "Where it goes if late gradients are dropped",
        "the mean of the punctual workers' c: what the late one knows is lost",
    )  # fmt: skip
    reused_end = derived(
        "w_reuse", "Where it goes if they are reused",
        "the mean of all c, as with a server that waits for everybody",
    )  # fmt: skip
    error_high = derived("e_b", "Error left at the largest curvature", "after the run, of 1")

    def laws(self) -> Iterator[Law]:
        proved = "what the theorems allow converges"
        yield Holds(self.rate < 1, proved, when=self.stale_margin >= 0)
        yield Holds(self.rate < 1, "a factor below 1 is a proof", when=self.guaranteed < 1)
        yield Holds(self.rate >= self.radius_low, "it is the largest of all")
        yield Holds(self.rate >= self.radius_high, "it is the largest of all")
        yield Rises("rate", "high", "there are more eigenvalues to choose from")
        yield Falls("rate", "low", "there are fewer eigenvalues to choose from")

    def play(self, given: PlayedGivens) -> Outcome:
        """Check the conditions, decide the quadratic, and run it."""
        question, noise = stale_run(given), noise_of(given)
        noise.check(question)
        declared = self.declared()
        return Outcome(
            values(question),
            lambda: steps(question, noise, self.part, declared),
            says=lambda: says(question, self.part),
            asides=asides(question, self.part),
            spare=("updates",) if self.part == "conditions" and not is_proved(question) else (),
        )

    def cases(self, given: PlayedGivens) -> Iterator[Hashable]:
        """Which conditions hold, and how the quadratic is decided."""
        yield from cases(stale_run(given))
