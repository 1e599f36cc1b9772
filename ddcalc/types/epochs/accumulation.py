"""How long is a step that gathers several small batches?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import ceiling
from ddcalc.numbers.units import PER_SECOND, PERCENT, SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import choice, count, derived, duration, elapsed, share


class Accumulation(Problem):
    """How long is a step that gathers several small batches?

    A batch that does not fit the memory is computed in several passes: the gradients of small
    batches are added up, and one step is made with their sum. Passes follow each other, so they
    take time but no memory; the gradients need to be sent only once, after the last pass. Where
    part of the exchange is hidden behind the backward pass (PyTorch's DistributedDataParallel does
    so), state what is left of it.

    State the batch that is wanted, or the number of passes. Passes are whole, so the batch of a
    step may become larger than wanted.
    """

    answer = "step_time"
    terms = ("batch size", "data parallelism", "ring all-reduce")
    source = (
        "PyTorch, DistributedDataParallel.no_sync (without it gradients are exchanged in every"
        " backward pass); the exercises of The Algebra of Distributed Training (ttsugriy)"
    )

    workers = count("n", "workers", default="1", example="8")
    small_batch = count("b", "samples of a worker in one pass", example="32")
    target = count("B", "samples wanted in a step", optional=True, example="2048")
    passes = count("A", "passes before a step", optional=True)
    pass_time = duration(
        "t_pass", "one pass, forward and backward", above=0, group="computation", example="100 ms"
    )
    exchange = duration(
        "t_comm",
        "exchanging the gradients once",
        default="0 s",
        group="communication",
        example="20 ms",
    )

    exchanged = choice(
        "when gradients are exchanged", last="once, after the last pass", each="after every pass"
    )

    needed = derived("A_min", "Passes before a step", "the last one may bring more than is wanted")
    batch = derived("B_step", "Samples in a step", "every worker, every pass")
    computing = derived("t_comp", "Computing", "pass after pass", SECOND)
    sending = derived("t_send", "Exchanging gradients", "nothing is computed meanwhile", SECOND)
    step_time = elapsed("t_step", "Time of a step", "computing, then exchanging")
    rate = derived(
        "r", "Samples per second", "all those of a step in its time", PER_SECOND, better="more"
    )
    part = share(
        "p", "Share of the exchange", "in the time of a step", unit=PERCENT, better="less",
        name="share",
    )  # fmt: skip

    def needs(self) -> Iterator[tuple[str, ...]]:
        yield "target", "passes"

    def conditions(self) -> Iterator[Condition]:
        if self.states("target", "passes"):
            enough = self.passes * self.workers * self.small_batch >= self.target
            message = "are too few for a target of {target}; leave one of the two out"
            yield Condition(enough, "passes", message)

    def laws(self) -> Iterator[Law]:
        yield Rises("step_time", "exchange", "what is sent takes longer")
        if not self.states("passes"):
            yield Holds(self.batch >= self.target, "the batch of a step is the wanted one or more")
            yield Falls("step_time", "workers", "more of them need no more passes")
            yield Falls("step_time", "small_batch", "larger ones need no more passes")
            yield Rises("step_time", "target", "more samples need no fewer passes")
        else:
            yield Rises("rate", "workers", "more of them compute side by side")

    def equations(self) -> Equations:
        if self.states("passes"):
            passes = self.passes
        else:
            passes = self.needed
            yield self.needed, ceiling(self.target / (self.workers * self.small_batch))
        yield self.batch, passes * self.workers * self.small_batch
        yield self.computing, passes * self.pass_time
        sent, when = passes * self.exchange, "after every pass"
        if self.exchanged == "last":
            sent, when = self.exchange, "once, whatever the passes"
        yield self.sending, sent, f"{when}; nothing is computed meanwhile"
        yield self.step_time, self.computing + self.sending
        yield self.rate, self.batch / self.step_time
        yield self.part, self.sending / self.step_time
