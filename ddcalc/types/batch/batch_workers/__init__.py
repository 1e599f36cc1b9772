"""How many workers, and which batch for each, are best?"""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.numbers.units import SECOND, USD
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.play import Outcome, Played, Schedule
from ddcalc.problem.problem import Shape
from ddcalc.problem.quantity import LESS, amount, choice, count, derived, duration, price
from ddcalc.types.batch.batch_workers.account import Account
from ddcalc.types.batch.batch_workers.question import question


class BatchWorkers(Schedule):
    """How many workers, and which batch for each, are best?

    n workers with B samples each make one step on n·B samples in a + b·B + g·n: a fixed time, a
    time for each sample, and a time for each worker (a server adds one gradient after the other;
    with a ring it is nearly 0). The target takes S_min·(1 + B_crit/(n·B)) steps. So every further
    worker saves steps, fewer and fewer of them, and costs money and, with g, time.

    The fastest training takes all workers where nothing grows with them; else the samples of a
    batch take as long as what grows with the workers. The cheapest takes one worker, unless waiting
    costs something too: state what an hour of it is worth. A deadline leaves out what takes longer.

    Every number of workers is tried, each with its best batch, in exact arithmetic; the optimum in
    parts of a worker stands beside. For one number of workers see `batch-size`.
    """

    answer = "best_workers"
    terms = ("batch size", "data parallelism", "parameter server")
    source = (
        "the steps: McCandlish et al., An Empirical Model of Large-Batch Training,"
        " arXiv:1812.06162; both optima are ours, by setting the derivatives to 0"
    )

    overhead = duration("a", "fixed time of a step", example="30 ms")
    per_sample = duration("b", "time for each sample of a worker", above=0, example="0.1 ms")
    per_worker = duration("g", "time for each worker", default="0 s")
    least_steps = amount("S_min", "steps with a batch beyond all limits", above=0, example="3000")
    critical_batch = amount("B_crit", "critical batch, in samples", above=0, example="8192")
    most_workers = count("n_max", "workers that can be had", most=10_000, example="128")
    largest_batch = count("B_max", "largest batch that fits a worker's memory", optional=True)
    waiting = price("w", "price of waiting for the training", optional=True, example="50 USD/h")
    price = price("p", "price of a worker", optional=True, example="2 USD/h")
    deadline = duration("T_max", "longest time that the training may take", optional=True)

    goal = choice(
        "what is best",
        time="the training that takes the least time",
        cost="the training that costs least",
    )

    balance = derived("z", "Where the time is least", "both parts grow alike", SECOND, least=0)
    cheapest = derived(
        "n_opt", "Where the cost is least, in parts of a worker", "its slope is 0", least=0
    )
    best_workers = derived("n", "Best number of workers", "of all that are tried", least=1)
    batch = derived("B", "Batch of each worker", "the best one for this number", least=1)
    steps = derived(
        "S", "Steps to the target", "fewer with more samples, never below S_min", least=0
    )
    step_time = derived("t_step", "Time of a step", "all its parts", SECOND, least=0)
    time = derived("T", "Time to the target", "step after step", SECOND, **LESS)
    cost = derived("K", "Cost", "workers and waiting are paid for all the time", USD, **LESS)
    speedup = derived(
        "k", "How many times as fast as one worker", "each with its best batch", least=0,
        better="more",
    )  # fmt: skip
    fastest_time = derived(
        "T_min", "The shortest time of all", "whatever it costs", SECOND, least=0
    )

    def laws(self) -> Iterator[Law]:
        """The best of all is no worse than any."""
        if self.goal == "time":
            yield Holds(self.speedup >= 1, "one worker is one of the choices")
            yield Falls("time", "most_workers", "there are more to choose from")
            yield Rises("time", "overhead", "each step takes longer")
        else:
            yield Falls("cost", "most_workers", "there are more to choose from")
            yield Rises("cost", "price", "every hour of a worker costs more")
        yield Holds(self.fastest_time <= self.time, "no plan is faster than the fastest")

    def needs(self) -> Iterator[tuple[str, ...]]:
        """What costs has prices."""
        if self.goal == "cost":
            yield ("price",)

    @classmethod
    def neighbours(cls, shape: Shape) -> Iterator[tuple[str, str, Shape]]:
        """The other goal, if there are prices."""
        for name, option, other in super().neighbours(shape):
            if option == "time" or "price" in shape.stated:
                yield name, option, other

    def play(self, given: Played) -> Outcome:
        """Try every number of workers."""
        account = Account(question(given, dict(self.shape.reading)), self.declared())
        return Outcome({**account.values()}, account.steps, named=("goal",))
