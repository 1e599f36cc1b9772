"""What becomes of the part of a gradient that compression loses?"""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.problem.laws import Holds, Law, Rises
from ddcalc.problem.play import Outcome, PlayedGivens, PlayedProblem
from ddcalc.problem.quantity import LESS, choice, count, derived, number, share
from ddcalc.problem.sentences import Premise
from ddcalc.types.compression.error_feedback.account import FeedbackAccount
from ddcalc.types.compression.error_feedback.model import Feedback
from ddcalc.types.compression.error_feedback.question import repeated


class ErrorFeedback(PlayedProblem):
    """What becomes of the part of a gradient that compression loses?

    With error feedback nothing is lost for good, it only arrives later: the sender keeps what
    compression leaves out in a step, adds it to the gradient of the next step, and compresses both
    together. Without it, every step loses its part for good.

    Here every gradient is the same, so that one sees what is late: after all steps exactly what is
    kept is missing, and that stays bounded. Without error feedback the same part is lost in every
    step.

    If compression leaves at most 1 − δ of the square of any vector, what is kept is at most 2/δ
    times √(1 − δ) as long as the gradient: each step keeps at most √(1 − δ) of what was kept and
    the gradient together.
    """

    answer = "missing"
    keywords = (
        "residual; memory of what compression lost; error compensation; deep gradient"
        " compression; EF-SGD"
    )
    terms = ("quantization", "sparsification", "error feedback")
    source = (
        "Karimireddy et al., Error Feedback Fixes SignSGD, ICML 2019, arXiv:1901.09847; Stich et"
        " al., NeurIPS 2018, arXiv:1809.07599, algorithm 1; Seide et al., Interspeech 2014"
    )

    vector = number("v", "gradient of each step", many="list", of="value", example="0.3, -0.4, 1.2")
    rounds = count("T", "steps", default="6", most=100)
    kept = count("k", "values sent in each step, for top-k", optional=True)

    method = choice(
        "how a vector is compressed",
        sign="scaled sign: every value becomes ± the mean size",
        one_bit="1-bit SGD: every value becomes the mean of its sign",
        also="1_bit one_bit",
        top_k="top-k: only the values of the largest size are sent",
    )

    arrived = derived("A", "What has arrived", "after all steps")
    memory = derived("m", "What is kept", "what was to be sent, less what has arrived")
    missing = derived("M", "Squared length of what is missing", "", **LESS)
    largest = derived(
        "M_max", "Largest squared length of what was kept", "after any of the steps", least=0
    )
    kept_share = share(
        "delta", "Share that compression keeps", "at least, of any squared length", name="share"
    )
    square = derived("N", "Squared length of the gradient", "")
    bound = derived(
        "M_lim",
        "Bound on it, however many steps",
        "with c = √(1 − δ), what is kept is at most c times as long as what was kept before and"
        " the gradient together, so never longer than c/(1 − c) gradients; that is at most 2c/δ",
        least=0,
    )
    without = derived(
        "M_0", "What would be missing without error feedback, squared",
        "each of the T steps loses the same as the first one", least=0,
    )  # fmt: skip

    def premises(self) -> Iterator[Premise]:
        yield Premise("every step has the same gradient and learning rate")
        yield Premise("what is kept is kept with all its digits")
        yield Premise("one worker sends; nothing else is added on the way")

    def needs(self) -> Iterator[tuple[str, ...]]:
        if self.method == "top_k":
            yield ("kept",)

    def laws(self) -> Iterator[Law]:
        yield Holds(self.missing <= self.largest, "the last step is one of them")
        yield Holds(self.largest <= self.bound, "each step keeps a part of what it has")
        yield Rises("largest", "rounds", "later steps can only add to the largest")
        yield Rises("without", "rounds", "every step loses as much")

    def play(self, given: PlayedGivens) -> Outcome:
        """Send the gradient step after step."""
        account = FeedbackAccount(Feedback(repeated(given, self.method)), self.declared())
        return Outcome(account.values(), account.steps, says=account.says, asides=account.asides)
