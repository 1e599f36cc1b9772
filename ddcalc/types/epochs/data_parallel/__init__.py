"""Is one data-parallel step the same as one on a single machine?"""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.formula.algebra import same
from ddcalc.problem.laws import Holds, Law
from ddcalc.problem.play import Outcome, PlayedGivens, PlayedProblem
from ddcalc.problem.quantity import choice, count, derived, number
from ddcalc.types.epochs.data_parallel.account import Account, said_of
from ddcalc.types.epochs.data_parallel.question import question


class DataParallel(PlayedProblem):
    """Is one data-parallel step the same as one on a single machine?

    A gradient is a mean over rows, and a mean of means is the mean of all only if all groups are
    equally large, or count by their rows. Every worker computes the gradient on its own rows with
    the same weights; the server averages these gradients and takes one step against the average.
    One machine takes the same step with all rows.

    It is one step of gradient descent for linear regression. It is the same step if a worker counts
    in the average as much as it has rows. A plain average needs equal shards (PyTorch's
    DistributedDataParallel takes one).

    The model predicts w·x, the sum of a row's inputs times their weights. For an offset let one of
    the inputs be 1 in every row.
    """

    answer = "gap"
    keywords = (
        "gradient of shards equals that of the whole batch; weighted average of gradients;"
        " equivalence of data parallel SGD and one machine; linear regression step by hand"
    )
    terms = ("data parallelism", "synchronous", "parameter server", "federated averaging")
    source = (
        "review questions on data-parallel learning; the average by rows: McMahan et al., AISTATS"
        " 2017, arXiv:1602.05629, section 2 (FedSGD); what sums of gradients are divided by, as a"
        " pitfall: Goyal et al., arXiv:1706.02677, section 3"
    )

    targets = number("y", "target of each row", many="list", of="row", example="2, 2, 3, 5, 6")
    inputs = number(
        "x",
        "inputs, row after row, equally many in each",
        many="list",
        of="input of each row",
        example="1, 2, 3, 4, 5",
    )
    workers = count("n", "workers that share the rows", optional=True, example="2")
    shards = count("s", "rows of each worker, in order", many="list", of="worker", optional=True)
    weights = number(
        "w", "weights before the step, else all 0", many="list", of="input", optional=True
    )
    eta = number("eta", "step size", above=0, example="0.1")

    average = choice(
        "how the server averages the gradients",
        by_rows="in the average a worker counts as much as it has rows",
        plain="in the average every worker counts the same",
    )
    loss = choice(
        "what the loss of some rows is",
        half_mean="the loss is half the mean square of the residuals",
        mean="the loss is the mean square of the residuals",
    )

    rows_per_worker = derived("m", "Rows of each worker", "as equally as possible")
    residuals = derived(
        "r",
        "Residual of each row",
        "what a worker predicts with its copy of the weights, less the target",
    )
    local_gradients = derived(
        "G", "Local gradients, worker by worker", "the mean of r·x over the worker's own rows"
    )
    gradient = derived("g", "Average at the server", "")
    new_weights = derived(
        "w_new",
        "New weights, sent back to every worker",
        "one step against the average; then all copies are equal again",
    )
    single_gradient = derived(
        "g_one", "Gradient on one machine with all rows", "no shards: the mean over all of them"
    )
    single_weights = derived(
        "w_one", "New weights on that machine", "the same step size, against its gradient"
    )
    gap = derived(
        "D", "Largest difference of a weight", "",
        least=0, better="less",
    )  # fmt: skip

    def needs(self) -> Iterator[tuple[str, ...]]:
        """The rows are split somehow."""
        yield "workers", "shards"

    def laws(self) -> Iterator[Law]:
        """Which average is always the step of one machine."""
        if self.average == "by_rows":
            yield Holds(same(self.gap, 0), "rows that count alike make the same gradient")

    def play(self, given: PlayedGivens) -> Outcome:
        """Work the iteration, by the workers and by one machine."""
        done = question(given, dict(self.shape.reading))
        dealt = "as stated" if self.states("shards") else "as equally as possible"
        begin = "" if self.states("weights") else "not stated, so 0"
        return Outcome(
            {
                "rows_per_worker": done.shards,
                "residuals": done.residuals,
                "local_gradients": tuple(g for gradient in done.local for g in gradient),
                "gradient": done.gradient,
                "new_weights": done.new_weights,
                "single_gradient": done.single_gradient,
                "single_weights": done.single_weights,
                "gap": done.gap,
            },
            lambda: Account(done, self.declared()).steps(dealt, begin),
            says=lambda: said_of(done),
        )
