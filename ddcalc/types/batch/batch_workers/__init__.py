"""How many workers are best, and with which batch each?"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from operator import attrgetter

from ddcalc.formula.algebra import Expr, Num
from ddcalc.numbers.irrational import ratio
from ddcalc.numbers.number import Number
from ddcalc.numbers.units import SECOND, USD
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.play import Outcome, PlayedGivens, PlayedProblem, Says
from ddcalc.problem.problem import Shape
from ddcalc.problem.quantity import LESS, amount, choice, count, derived, duration, price
from ddcalc.problem.sentences import Crosscheck, Premise, Said, Sentence
from ddcalc.types.batch.batch_workers.account import Account
from ddcalc.types.batch.batch_workers.model import Plan, Plans
from ddcalc.types.batch.batch_workers.question import question

ALONE = (
    "The steps become fewer only with the samples of all workers together, and never fewer than a"
    " fixed number, while each step becomes longer by every sample of a worker's batch. Workers"
    " compute at the same time, so more of them, with smaller batches, always save time; but what"
    " they save fades, while each of them costs as much as the first."
)


class BatchWorkers(PlayedProblem):
    """How many workers are best, and with which batch each?

    The steps become fewer only with the samples of all workers together, and never fewer than a
    fixed number, while each step becomes longer: by every sample of a worker's batch, as all
    workers compute at the same time, and by what every further worker adds. So what further
    workers save fades, while each of them costs as much as the first.

    n workers with B samples each make one step on n·B samples in a + b·B + g·n: a fixed time, a
    time for each sample, and a time for each worker (if a server adds one gradient after the
    other; with a ring it is nearly 0). The target takes S_min·(1 + B_crit/(n·B)) steps.

    The fastest training takes all workers where nothing grows with them; else the samples of a
    batch take as long as what grows with the workers. The cheapest takes one worker, unless waiting
    costs something too: state what an hour of it is worth. A deadline leaves out what takes longer.

    Every number of workers is tried, each with its best batch, in exact arithmetic; the optimum in
    parts of a worker stands beside. For one number of workers see `batch-size`.
    """

    answer = "best_workers"
    keywords = (
        "optimal number of workers and batch; cheapest or soonest training; how many GPUs to"
        " rent; cost against time"
    )
    terms = ("batch size", "data parallelism", "parameter server")
    source = (
        "the steps: McCandlish et al., An Empirical Model of Large-Batch Training,"
        " arXiv:1812.06162; both optima are ours, by setting the derivatives to 0"
    )

    overhead = duration("a", "fixed time of a step", example="30 ms")
    per_sample = duration("b", "time for each sample of a worker", above=0, example="0.1 ms")
    per_worker = duration("g", "time for each worker", default="0 s")
    least_steps = amount("S_min", "fewest steps, with an unlimited batch", above=0, example="3000")
    critical_batch = amount("B_crit", "critical batch, in samples", above=0, example="8192")
    most_workers = count("n_max", "workers that can be had", most=10_000, example="128")
    largest_batch = count("B_max", "largest batch that fits a worker's memory", optional=True)
    waiting = price("w", "price of waiting for the training", optional=True, example="50 USD/h")
    price = price("p", "price of a worker", optional=True, example="2 USD/h")
    deadline = duration("T_max", "longest time that the training may take", optional=True)

    goal = choice(
        "what is best",
        time="the training that takes the least time is best",
        cost="the training that costs least is best",
    )

    balance = derived(
        "z", "Time in a step for the samples of a worker, and for workers", "", SECOND, least=0
    )
    cheapest = derived(
        "n_opt", "Cheapest number of workers, not rounded", "its slope is 0", least=0
    )
    best_workers = derived("n", "Best number of workers", "of all that are tried", least=1)
    batch = derived("B", "Batch of each worker", "the best one for this number", least=1)
    steps = derived(
        "S", "Steps to the target", "noise adds B_crit over the batch of all to the fewest", least=0
    )
    step_time = derived(
        "t_step",
        "Time of a step",
        "workers compute at the same time, so one batch counts",
        SECOND,
        least=0,
    )
    time = derived("T", "Time to the target", "", SECOND, **LESS)
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

    def play(self, given: PlayedGivens) -> Outcome:
        """Try every number of workers."""
        plans = question(given, dict(self.shape.reading))
        account = Account(plans, self.declared())
        asides = {"fastest_time"} | ({"balance"} if self.goal == "cost" else set())
        if self.goal == "cost" or (plans.best is not None and plans.best.workers == 1):
            asides.add("speedup")
        return Outcome(
            {**account.values()},
            account.steps,
            named=("goal",),
            says=lambda: Says(
                mechanism="" if plans.training.per_worker else ALONE,
                conclusion=tuple(self._concluded(plans)),
                insights=tuple(self._meant(plans)),
                crosschecks=tuple(self._checked(plans)),
                premises=tuple(self._granted(plans)),
            ),
            asides=asides,
        )

    def _concluded(self, plans: Plans) -> Iterator[Said]:
        """The best plan in words, or why there is none."""
        fastest = plans.fastest
        if plans.best is None:
            late = "No number of workers meets the deadline of {deadline}: of those up to"
            late += " {most_workers} the fastest, {those worker}, {those|needs|need} {least}."
            if plans.most == 1:
                late = "One worker does not meet the deadline of {deadline}: it needs {least}."
            least = self._time_of(fastest, plans)
            yield Sentence(late, None, those=Num(fastest.workers), least=least)
            return
        many = plans.best.workers > 1
        which = "{best_workers worker} with a batch of {batch}"
        which += " each are" if many else " is"
        beside = ", {speedup} times as fast as one worker" if many else ""
        within = ", within the deadline of {deadline}" if plans.deadline is not None else ""
        if self.goal == "cost":
            costs = "costs {cost}"
            if not plans.paid:
                costs = "costs nothing" + ", as with any other number," * (plans.most > 1)
            yield f"{which} cheapest: the training {costs} and takes {{time}}{within}."
            yield from self._soonest(plans)
        else:
            yield f"{which} fastest: the target is reached in {{time}}{within}{beside}."
            if plans.paid:
                yield "That costs {cost}."

    def _soonest(self, plans: Plans) -> Iterator[Said]:
        """The shortest time, whatever it costs."""
        best, fastest = plans.best, plans.fastest
        if best is None:
            return
        if fastest.time >= best.time:
            if plans.most > 1:
                yield "No other number of workers is faster."
            return
        price = ", for {price}" if best.cost else ""
        yield Sentence(
            "If money did not matter, the shortest time would be {least}, with {many worker} and a"
            f" batch of {{batch_there}} each{price}.",
            least=self._time_of(fastest, plans),
            many=Num(fastest.workers),
            batch_there=Num(fastest.batch),
            price=Num(ratio(fastest.cost, best.cost or 1)) * self.cost,
        )

    def _time_of(self, plan: Plan, plans: Plans) -> Expr:
        """The time of *plan* in terms of a stated time, so that it has its unit."""
        return Num(ratio(plan.time, plans.training.per_sample)) * self.per_sample

    def _meant(self, plans: Plans) -> Iterator[Said]:
        """What else the plans show."""
        best, by_cost = plans.best, plans.by_cost
        if best is None:
            return
        if best.workers == plans.most and not by_cost:
            further = plans.training.plan(plans.most + 1)
            if ratio(further.time, best.time) < Fraction(999, 1000):
                yield Sentence(
                    "The number that can be had is the limit: one worker more would save {part %}"
                    " of the time.",
                    part=Num(1 - ratio(further.time, best.time)),
                )
        if not by_cost:
            yield from self._not_rounded(plans)
        if by_cost:
            yield from self._cheaper_but_late(plans, best)
        elif best.workers % 2 == 0:
            half = plans.all[best.workers // 2 - 1]
            cheaper: Number = 1 - ratio(half.cost, best.cost) if plans.paid and best.cost else 0
            words = "Half as many, {half worker}, would take {longer %} longer"
            if cheaper:
                words += " and cost {cheaper %} " + ("less" if cheaper > 0 else "more")
            yield Sentence(
                f"{words}.",
                half=Num(half.workers),
                longer=Num(ratio(half.time, best.time) - 1),
                cheaper=Num(cheaper if cheaper > 0 else -cheaper),
            )
        other = min(plans.all, key=attrgetter("cost"))
        if plans.paid and not by_cost and other.cost < best.cost:
            yield Sentence(
                "The cheapest training, with {few worker}, takes {times} times as long and costs"
                " {part %} less.",
                few=Num(other.workers),
                times=Num(ratio(other.time, best.time)),
                part=Num(1 - ratio(other.cost, best.cost)),
            )

    def _cheaper_but_late(self, plans: Plans, best: Plan) -> Iterator[Said]:
        """What the deadline costs, and why the first number that meets it is the best one."""
        free = min(plans.all, key=attrgetter("cost"))
        if free.cost >= best.cost or not best.cost:
            return
        slots = {
            "few": Num(free.workers),
            "late": self._time_of(free, plans),
            "part": Num(1 - ratio(free.cost, best.cost)),
            "best": Num(best.workers),
        }
        between = plans.all[free.workers - 1 : best.workers]
        rising = all(one.cost < next.cost for one, next in pairwise(between))
        too_slow = all(plans.too_slow(plan) for plan in plans.all[: best.workers - 1])
        begin = "Without the deadline {few worker} would be cheapest: {part %} less, in {late}"
        if free.workers < best.workers and rising and too_slow:
            begin += "; from there on every worker raises the cost, so {best worker}, the first"
            begin += " number that is quick enough, {best|is|are} best"
        yield Sentence(f"{begin}.", None, **slots)

    def _checked(self, plans: Plans) -> Iterator[Crosscheck]:
        """A worker fewer misses the deadline; a sample more does not help."""
        best = plans.best
        if best is None:
            return
        fewer = None if best.workers == 1 else plans.all[best.workers - 2]
        if fewer is not None and plans.deadline is not None and plans.too_slow(fewer):
            late = self._time_with(Num(fewer.workers), Num(fewer.batch), plans) > self.deadline
            text = "{few worker} with {its_batch sample} each would be too slow"
            yield Crosscheck(text, late, few=Num(fewer.workers), its_batch=Num(fewer.batch))
        if best.batch != plans.training.largest_batch:
            more = self._time_with(self.best_workers, self.batch + 1, plans) >= self.time
            text = "with a batch of {more} each it would take no less time"
            yield Crosscheck(text, more, more=self.batch + 1)

    def _time_with(self, workers: Expr, batch: Expr, plans: Plans) -> Expr:
        """The time to the target."""
        steps = self.least_steps * (1 + self.critical_batch / (workers * batch))
        step = self.overhead + self.per_sample * batch
        return steps * (step + self.per_worker * workers if plans.training.per_worker else step)

    def _not_rounded(self, plans: Plans) -> Iterator[Said]:
        """The best plan in parts of a worker and of a sample."""
        balance = plans.training.balance
        if balance is not None and plans.training.largest_batch is None:
            workers = ratio(balance, plans.training.per_worker)
            if 1 <= workers <= plans.most and balance >= plans.training.per_sample:
                per_sample = plans.training.per_sample
                yield Sentence(
                    "In parts of a worker and of a sample the best would be {workers worker} with"
                    " a batch of {batch} each: computing the samples and adding up the workers then"
                    " take {part} of a step each.",
                    workers=Num(workers),
                    batch=Num(ratio(balance, per_sample)),
                    part=Num(ratio(balance, per_sample)) * self.per_sample,
                )

    def _granted(self, plans: Plans) -> Iterator[Premise]:
        yield from self.premises()
        if not plans.training.per_worker:
            yield Premise("a step takes as long however many workers there are", "per_worker")

    def premises(self) -> Iterator[Premise]:
        yield Premise("all workers are equally fast", "sync-step")
        yield Premise("every number of workers has the best batch for it, as far as it fits")
        yield Premise("every batch has the learning rate that is best for it", "learning-rate")
        yield Premise("the critical batch stays the same during training", "batch-ramp")
