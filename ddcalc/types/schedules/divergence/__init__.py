"""How far apart can asynchronous and sequential SGD end up?"""

from __future__ import annotations

from ddcalc.problem.play import Outcome, PlayedGivens, PlayedProblem
from ddcalc.problem.quantity import choice, count, derived, duration, number
from ddcalc.types.schedules.divergence.account import POINTS, DivergenceAccount
from ddcalc.types.schedules.divergence.question import comparison

ENDS = "x_async", "x_seq"  # steps that write both ends out
FEW = 5  # updates up to which they show something


class Divergence(PlayedProblem):
    """How far apart can asynchronous and sequential SGD end up?

    All cores of the asynchronous run share x: each reads it, computes a gradient, takes a step down
    it from wherever x is by then, and starts again. The sequential run has one core, which always
    sees the newest x. Gradients taken at the same point in both runs cancel; of all others only the
    length is limited.

    The cores share x without locks, and step down η times their gradient. The sequential run works
    from time 0 without gaps. Both use data 1, 2, 3, … in the order in which operations start (cores
    that start together: in the order of their numbers), and f_i is the loss on data i. Every
    gradient is longer than 0 and at most Δ.

    Gradients on the same data at the same point are the same in both runs and cancel; each other
    gradient adds at most η·Δ to the distance. There are functions that reach this bound. If the
    gradients have a Lipschitz constant L, two of them on the same data differ by at most 2Δ and by
    at most L times the distance of their points, and the smaller limit gives a tighter bound.

    An update that ends exactly at the horizon counts.
    """

    answer = "bound"
    keywords = (
        "asynchronous against sequential SGD; lock-free updates of cores; Hogwild; triangle"
        " inequality; distance of iterates; error bound of asynchronous SGD; race conditions on"
        " shared weights"
    )
    terms = ("asynchronous", "staleness")
    source = "worked exam answers on asynchronous SGD; the bound with a Lipschitz constant is added"

    starts = duration(
        "s", "when each core starts", many="list", of="core", example="0.15 s, 0.2 s, 0.25 s, 0.5 s"
    )
    update = duration("u", "one update: read x, gradient, write x", above=0, example="0.2 s")
    horizon = duration("H", "when the comparison ends", above=0, example="0.6 s")
    operations = count("n", "updates of each run, if not until the horizon", optional=True)
    eta = number("eta", "step size", above=0, free=True)
    delta = number("Delta", "largest length of a gradient", above=0, free=True)
    lipschitz = number("L", "Lipschitz constant of the gradients", least=0, optional=True)

    compare = choice(
        "what is the same in both runs",
        same_operations="the runs are compared after the same number of updates",
        same_time="the runs are compared at the same time",
    )

    async_updates = derived(
        "n_a",
        "Updates of the asynchronous run",
        "each core's whole updates until the horizon, added up",
        least=0,
    )
    sequential_updates = derived(
        "n_s", "Updates of the sequential run", "one core, from time 0 without gaps", least=0
    )
    shared = derived(
        "c",
        "Gradients that both runs share",
        "on the same data, at the same point",
        least=0,
    )
    bound = derived(
        "D", "How far apart they end", "subtract, cancel what is in both, bound what is left",
        least=0, better="less",
    )  # fmt: skip

    def play(self, given: PlayedGivens) -> Outcome:
        """Play both runs, count what they share, and bound how far apart they end."""
        question = comparison(given, self.compare == "same_operations")
        runs = question.runs()
        account = DivergenceAccount(question, runs, self.declared())
        ends = ENDS if runs.longest > FEW else ()
        return Outcome(account.values(), account.steps, says=account.says, asides=(POINTS, *ends))
