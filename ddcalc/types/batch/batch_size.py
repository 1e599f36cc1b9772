"""Which batch per worker is best, or how fast is a given one?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ddcalc.formula.algebra import (
    NEVER,
    Boundary,
    Expr,
    Least,
    Num,
    Rel,
    cases,
    largest,
    least_with_product,
    position_of_largest,
    same,
    smallest,
    sqrt,
    total,
)
from ddcalc.numbers.units import PER_SECOND, PERCENT, SECOND, USD
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem, Shape
from ddcalc.problem.quantity import LESS, amount, choice, count, derived, duration, number, price
from ddcalc.problem.sentences import (
    After,
    Argument,
    Crosscheck,
    Equated,
    First,
    Premise,
    Said,
    Sentence,
    at_most,
)
from ddcalc.types.batch._line import intercept, mean, scatter, signs, slope

ONE_POINT = "one measurement does not show a fixed part: none is assumed"
LEAST_SQUARES = "least squares over the measurements"


class BatchSize(Problem):
    """Which batch per worker is best, or how fast is a given one?

    The time to the target is the number of steps times the time of one. A larger batch makes fewer
    steps, as it averages more noise away, but longer ones, so one in between is best. All workers
    compute a batch each at the same time.

    n workers with B samples each take a + b·B for a step on n·B samples; the target takes
    S_min·(1 + B_crit/(n·B)) steps. The product, the time to the target, has one minimum.

    State a and b, or measured batches and their times, to which the line is fitted. What a step
    costs besides computing (sending gradients) counts as communication; it does not grow with the
    batch. S_min and B_crit come from `critical-batch`. All workers are alike; for the number of
    workers see `batch-workers`.

    Without S_min and B_crit the answer is how many samples per second pass with the stated batch.
    The rate grows with the batch, reaches half of its peak where the samples take as long as the
    fixed part, and nears n/b, which no batch exceeds. A table of measurements may also be read as
    it stands, in straight pieces between neighbours; it says nothing beyond its ends. Where the two
    disagree much, a line is not the law of that machine.
    """

    answer = "best"
    keywords = (
        "optimal batch size; best batch per worker; time to accuracy by batch; throughput by"
        " batch; samples per second; GPU saturation"
    )
    terms = ("batch size", "data parallelism", "synchronous", "noise scale")
    source = (
        "McCandlish et al., An Empirical Model of Large-Batch Training, arXiv:1812.06162:"
        " S/S_min − 1 = (E/E_min − 1)^(−1) with E = B·S and B_crit = E_min/S_min gives the steps;"
        " the minimum is ours, by setting the derivative of the time to 0; a rate of the form"
        " B/(a + b·B) saturates as in Hockney's law of vector pipelines (r_∞ and n_1/2)"
    )

    overhead = duration("a", "fixed time of a batch", optional=True, group="time of a batch")
    per_sample = duration(
        "b", "further time for each sample", above=0, optional=True, group="time of a batch"
    )
    batches = count(
        "M", "measured batches, in samples", many="list", of="batch", optional=True,
        example="64, 128, 256",
    )  # fmt: skip
    times = duration(
        "t", "their measured times", above=0, many="list", of="batch", optional=True,
        example="16 ms, 23 ms, 36 ms",
    )  # fmt: skip
    least_steps = amount(
        "S_min", "fewest steps that any batch needs", above=0, optional=True, example="3000"
    )
    critical_batch = amount(
        "B_crit", "critical batch: twice the fewest steps", above=0, optional=True, example="8192"
    )
    workers = count("n", "workers, each with a batch of its own", default="1", example="8")
    communication = duration(
        "c", "what a step costs besides computing", default="0 s", example="20 ms"
    )
    price = price("p", "price of a worker", optional=True)
    largest_batch = count("B_max", "largest batch that fits a worker's memory", optional=True)
    batch = count("B_0", "a batch per worker that is asked about", optional=True)
    share = number("q", "part of the peak whose batch is asked", above=0, most=1, optional=True)

    model = choice(
        "what the measurements say of other batches",
        line="a straight line is fitted to all measurements",
        table="straight pieces lead from each measurement to the next",
    )

    mean_batch = derived("M_mean", "Mean measured batch", "")
    mean_time = derived("t_mean", "Mean measured time", "", SECOND)
    fitted_per_sample = derived("b_fit", "Time of each sample", LEAST_SQUARES, SECOND)
    fitted_overhead = derived("a_fit", "Fixed time of a batch", LEAST_SQUARES, SECOND)
    residuals = derived("e", "What the line misses", "measured less fitted", SECOND, many="batches")
    optimum = derived("B_opt", "Best batch per worker, not rounded", "", least=0)
    unlimited = derived("B_any", "The best whole number of samples", "", least=1)
    best = derived("B", "Best whole batch per worker", "", least=1)
    global_batch = derived("B_all", "Samples in a step", "", least=1)
    steps = derived(
        "S", "Steps to the target", "noise adds the part B_crit/(n·B) to the fewest", least=0
    )
    step_time = derived(
        "t_step", "Time of a step", "workers compute at the same time, so one batch counts",
        SECOND, least=0,
    )  # fmt: skip
    time = derived("T", "Time to the target", "", SECOND, **LESS)
    samples = derived("E", "Samples to the target", "every step takes a batch", least=0)
    cost = derived("C", "Cost", "all workers are paid for all the time", USD, **LESS)
    batch_steps = derived("S_0", "Steps with the stated batch", "")
    batch_time_to_target = derived(
        "T_0", "Time to the target with the stated batch", "", SECOND, least=0
    )
    excess = derived("D", "Longer than with the best batch", "", SECOND, least=0)
    measured_rates = derived(
        "r_m", "Samples per second as measured", "without communication", PER_SECOND,
        many="batches",
    )  # fmt: skip
    best_measured = derived("i", "The fastest measurement", "its number in the list")
    batch_time = derived("t_B", "Time of a step with the stated batch", "", SECOND, least=0)
    rate = derived(
        "r", "Samples per second", "workers compute at the same time", PER_SECOND, least=0,
        better="more",
    )  # fmt: skip
    peak = derived(
        "r_max", "Peak", "an unlimited batch leaves no fixed time to each sample", PER_SECOND,
        least=0,
    )  # fmt: skip
    of_peak = derived(
        "q_B", "Part of the peak", "the rest goes into the fixed time", PERCENT, least=0, most=1,
        better="more",
    )  # fmt: skip
    half = derived(
        "B_half", "Batch with half the peak", "its samples take as long as the fixed part", least=0
    )
    edge = derived(
        "B_q", "The batch with the stated part of the peak", "B/(a + b·B) is q/b, solved for B"
    )
    wanted = derived(
        "B_w", "Batches come in whole numbers", "the first one that reaches it",
        noun="the least batch with the stated part of the peak", least=1,
    )  # fmt: skip

    @classmethod
    def answer_in(cls, shape: Shape) -> str:
        """The best batch where the steps to the target are known, else the rate."""
        return "best" if {"least_steps", "critical_batch"} & {*shape.stated} else "rate"

    @property
    def _aims(self) -> bool:
        return self.answer_in(self.shape) == "best"

    @property
    def _measured(self) -> bool:
        return self.states("batches") and self.states("times")

    @property
    def _many(self) -> bool:
        return len(self.batches) > 2

    def needs(self) -> Iterator[tuple[str, ...]]:
        """Both parts of the time are stated or measured; there is a target, or a batch."""
        if self.model == "table":
            yield from (("batches",), ("times",))
        else:
            yield from (("overhead", "batches"), ("per_sample", "batches"))
            if self.states("batches") != self.states("times"):
                yield ("times",) if self.states("batches") else ("batches",)
        if self._aims:
            yield from (("least_steps",), ("critical_batch",))
        else:
            yield "batch", "least_steps"
            if self.states("price"):
                yield ("least_steps",)

    @classmethod
    def neighbours(cls, shape: Shape) -> Iterator[tuple[str, str, Shape]]:
        """The table, where there is one; beside it no part of the line is stated."""
        of_line = {"overhead", "per_sample", "share", "least_steps"}
        only = of_line.isdisjoint(shape.stated) and "batches" in shape.stated
        for name, option, other in super().neighbours(shape):
            if option == "line" or only:
                yield name, option, other

    def conditions(self) -> Iterator[Condition]:
        if self.states("batch") and self.states("largest_batch"):
            yield Condition(
                self.batch <= self.largest_batch, "batch", "does not fit: largest_batch is smaller"
            )
        if self.model == "line":
            if self._measured:
                yield from self._makes_a_line()
            return
        if self._aims:
            yield Condition(NEVER, "model", "gives no best batch; leave out least_steps")
        if self.states("batch"):
            for before, after in zip(self.batches, self.batches[1:], strict=False):
                yield Condition(
                    before < after, "batches", "are not in order; list them from the smallest on"
                )
            for within in (self.batch >= self.batches[0], self.batch <= self.batches[-1]):
                yield Condition(within, "batch", "is beyond the table, which says nothing there")

    def _makes_a_line(self) -> Iterator[Condition]:
        """Measurements make a line that rises from 0 or above; nothing here divides."""
        batches, times = self.batches, self.times
        rises: Expr = total(times)
        begins: Expr = Num(0)
        if self.states("per_sample"):
            begins = total(times) - self.per_sample * total(batches)
        elif self.states("overhead"):
            rises = total(x * (y - self.overhead) for x, y in zip(batches, times, strict=True))
        elif len(batches) > 1:
            rises, begins = signs(batches, times)
            yield Condition(
                scatter(batches) > 0, "batches", "are all alike; a line needs two that differ"
            )
        if not self.states("per_sample"):
            yield Condition(
                rises > 0, "times", "do not grow with the batch; a + b·B with b > 0 is wanted"
            )
        if not self.states("overhead"):
            yield Condition(
                begins >= 0,
                "times",
                "leave a fixed part below 0; state overhead as 0 s to fit the time of a sample"
                " alone",
            )

    def laws(self) -> Iterator[Law]:
        """The best batch is no worse than another; what slows a step slows the training. A line
        saturates; a table may do anything."""
        if self._aims:
            if self.states("batch"):
                better = "the best batch takes no longer than the one compared"
                yield Holds(self.time <= self.batch_time_to_target, better)
            for name in ("least_steps", "critical_batch", "communication"):
                yield Rises("time", name, "more steps, or longer ones")
            yield Falls("time", "workers", "more workers take more samples in a step")
            yield Falls("time", "largest_batch", "more memory leaves more batches to choose from")
            yield Rises("best", "communication", "what each step costs is spread over more samples")
        elif self.model == "line":
            yield Rises("rate", "batch", "the fixed time is shared by more samples")
            yield Falls("rate", "overhead", "more of the time is fixed")
            yield Falls("rate", "per_sample", "each sample takes longer")
            yield Holds(self.rate <= self.peak, "no batch is faster than the peak")
            at_half = "half of the peak is reached at B_half"
            yield Holds(2 * self.rate >= self.peak, at_half, when=self.batch >= self.half)

    def equations(self) -> Equations:
        line = self.model == "line" or self._aims
        if line and self._measured:
            yield from self._fitted()
        if self._aims:
            yield from self._to_the_target()
        else:
            yield from self._rates()
        if self.states("share") and line:
            fixed = self._fixed + self.communication
            reached: Rel = (1 - self.share) * self._of_sample * self.wanted >= self.share * fixed
            yield self.edge, Boundary(self.wanted, reached)
            never = "no batch reaches the peak itself"
            yield self.wanted, Least(reached, self.edge, "one sample is enough", never)

    # In words

    def mechanism(self) -> str:
        if self._aims:
            return super().mechanism()
        if self.model == "table":
            return (
                "Every worker computes a batch of its own, all at the same time. How long a batch"
                " takes was measured for some sizes; between two of them the time is read from the"
                " straight line that joins them."
            )
        return (
            "Every worker computes a batch of its own, all at the same time. A batch takes a fixed"
            " time and a further time for each sample. In a larger batch more samples share the"
            " fixed time, so more of them pass per second; each still needs its own time, which"
            " sets a peak that no batch exceeds."
        )

    def conclusion(self) -> Iterator[Said]:
        if self._aims:
            yield from self._best_in_words()
        else:
            yield from self._rate_in_words()
        if self.states("share") and (self._aims or self.model == "line"):
            yield First(
                Sentence("A batch of {wanted} is the first with {share %} of the peak."),
                "No batch reaches the peak itself, as the fixed time never vanishes.",
            )

    def _best_in_words(self) -> Iterator[Said]:
        reached = "the target is reached in {time}, after {steps step} of {step_time}."
        yield First(
            Sentence(f"The best batch is {{best sample}}: {reached}", same(self.workers, 1)),
            Sentence(
                f"The best batch is {{best sample}} per worker, {{all}} together: {reached}",
                all=self.workers * self.best,
            ),
        )
        if self.states("largest_batch"):
            larger = "A larger one would be better, but does not fit the memory."
            yield Sentence(larger, self.unlimited > self.largest_batch)
        if self.states("price"):
            yield "That costs {cost}."
        if self.states("batch"):
            yield First(
                Sentence("The stated batch is the best one.", same(self.batch, self.best)),
                Sentence(
                    "With the stated batch of {batch} it takes as long.",
                    same(self.batch_time_to_target, self.time),
                ),
                Sentence(
                    "With {batch} it takes {batch_time_to_target}: {more} longer,"
                    " {times} times as long.",
                    more=self.batch_time_to_target - self.time,
                    times=self.batch_time_to_target / self.time,
                ),
            )

    def _rate_in_words(self) -> Iterator[Said]:
        if not self.states("batch"):
            return
        one, step = same(self.workers, 1), "A step with a batch of {batch}"
        passes = f"{step} takes {{batch_time}}, so one worker passes {{rate sample}} per second"
        together = f"{step} each takes {{batch_time}}, so {{workers worker}} pass {{rate sample}}"
        together += " per second"
        if self.model == "table":
            yield First(Sentence(f"{passes}.", one), Sentence(f"{together}."))
            return
        part = "{of_peak %} of the peak of {peak sample} per second"
        even = same(self.of_peak, 1)
        nothing = "as many as with any other batch, as nothing is fixed"
        yield First(
            Sentence(f"{passes}, {nothing}.", (one, even)),
            Sentence(f"{together}, {nothing}.", even),
            Sentence(f"{passes}: {part}.", one),
            Sentence(f"{together}: {part}."),
        )

    def insights(self) -> Iterator[Said]:
        fixed = self._fixed + self.communication
        if self._aims:
            yield from self._of_the_optimum()
        elif self.model == "table":
            yield Sentence(
                "The fastest of the measured batches passes {top sample} per second for each"
                " worker.",
                same(self.communication, 0),
                top=largest(*(x / t for x, t in zip(self.batches, self.times, strict=True))),
            )
        else:
            if self.states("batch"):
                yield Sentence(
                    "Twice that batch would pass {more %} more samples per second: the fixed part,"
                    " now {part %} of a step, would be shared by twice as many.",
                    (fixed > 0, *self._fits(2 * self.batch)),
                    more=fixed / (fixed + 2 * self._of_sample * self.batch),
                    part=fixed / self.batch_time,
                )
                yield Sentence(
                    "Half of the peak is reached at a batch of {half}, whose samples take as long"
                    " as the fixed part.",
                    self.half >= 1,
                )
        if self._measured and not self.states_any("overhead", "per_sample", "share"):
            yield from self._of_the_line()

    def _of_the_optimum(self) -> Iterator[Said]:
        best = self.best
        if self.states("largest_batch"):
            yield Sentence(
                "Without the limit of memory {unlimited sample} would be best and save {part %} of"
                " the time.",
                self.best < self.unlimited,
                part=1 - self._time_with(self.unlimited) / self.time,
            )
        if self.states("batch") and not self.states("share"):
            yield from self._beside_the_stated()
        ends = self._time_with(best / 2), self._time_with(2 * best)
        where = "" if self.states("share") else ", at {optimum},"
        yield Sentence(
            f"The minimum{where} is flat: with anything from half to twice that batch it takes at"
            " most {more %} longer.",
            (best > 3, largest(*ends) <= Num(5) / 4 * self.time, *self._fits(2 * best)),
            more=at_most(largest(*ends) / self.time - 1),
        )
        if self._measured or self.states_any("batch", "price", "share"):
            return
        yield Sentence(
            "Twice the workers, with the best batch of {smaller} for each, would need {sooner}.",
            smaller=After(best, workers=2 * self.workers),
            sooner=After(self.time, workers=2 * self.workers),
        )

    def _beside_the_stated(self) -> Iterator[Said]:
        """What the stated batch gains in a step, and what it loses by the number of steps."""
        step = self._batch_time(self.batch) + self.communication
        less, more = self.batch < self.best, self.batch > self.best
        yield Sentence(
            "With {batch}, steps are {short %} shorter, but {times} times as many: {part %} of each"
            " of them is fixed.",
            (less, self._fixed + self.communication > 0),
            short=1 - step / self.step_time,
            times=self.batch_steps / self.steps,
            part=(self._fixed + self.communication) / step,
        )
        yield Sentence(
            "With {batch}, steps are {fewer %} fewer, but {times} times as long.",
            more,
            fewer=1 - self.batch_steps / self.steps,
            times=step / self.step_time,
        )

    def _of_the_line(self) -> Iterator[Said]:
        """What the measurements cannot tell."""
        if self.model == "table" or (self._aims and self.states("batch") and self._many):
            return
        pairs = list(zip(self.batches, self.times, strict=True))
        if len(pairs) == 1:
            yield (
                "One measurement cannot tell a fixed time from the time of each sample; with a"
                " fixed part, larger batches would pass more samples per second than the line says."
            )
        elif len(pairs) == 2:
            yield "Two measurements fix the line, so they cannot show whether the time follows one."
        else:
            misses = [self._batch_time(batch) / time - 1 for batch, time in pairs]
            worst = largest(*(side for miss in misses for side in (miss, -miss)))
            yield First(
                Sentence("All measurements lie on the line.", same(worst, 0)),
                Sentence(
                    "The line is at most {worst %} off the measured times.", worst=at_most(worst)
                ),
            )

    def crosschecks(self) -> Iterator[Crosscheck]:
        if not self._aims and self.model == "line" and self.states("batch"):
            yield Crosscheck(
                "the part of the peak by the batch with half of it",
                same(self.batch / (self.batch + self.half), self.of_peak),
                self.half > 0,
            )

    def premises(self) -> Iterator[Premise]:
        yield Premise("nothing overlaps: sending begins after the batch", "buckets")
        if self.model == "line" and not self._measured:
            alike = "every further sample of a batch takes equally long"
            yield Premise(alike, "" if self._aims else "model")
        elif self.model == "line":
            yield Premise("the line holds for every batch")
        yield Premise("all workers are equally fast", "sync-step")
        if self._aims:
            yield Premise("learning rates are tuned", "learning-rate")
            yield Premise("steps are not rounded up: a part of one counts as a part")

    def arguments(self) -> Iterator[Argument]:
        if self._aims:
            size = self.optimum
            fixed = self._fixed + self.communication
            falling = fixed * self.critical_batch / (self.workers * size)
            yield Equated(
                size, same(self._of_sample * size, falling),
                "parts of T/S_min with B: their product is fixed, so least where equal",
            )  # fmt: skip

    def _fits(self, batch: Expr) -> tuple[Rel, ...]:
        """Whether that *batch* fits the memory, as far as one is stated."""
        return (batch <= self.largest_batch,) if self.states("largest_batch") else ()

    def _time_with(self, batch: Expr) -> Expr:
        """The time to the target with that *batch* of each worker."""
        return self._steps_with(self.workers * batch) * (
            self._batch_time(batch) + self.communication
        )

    # The time of a batch

    @property
    def _fixed(self) -> Expr:
        return self.overhead if self.states("overhead") else self.fitted_overhead

    @property
    def _of_sample(self) -> Expr:
        return self.per_sample if self.states("per_sample") else self.fitted_per_sample

    def _fitted(self) -> Equations:
        """What measurements say of the time of a batch."""
        batches, times = self.batches, self.times
        stated, apart = self.states("overhead"), self.states("per_sample")
        why = LEAST_SQUARES if len(batches) > 1 else ONE_POINT
        if not stated and (apart or len(batches) > 2):
            yield self.mean_batch, mean(batches)
            yield self.mean_time, mean(times)
        if stated and not apart:
            above = total(x * (y - self.overhead) for x, y in zip(batches, times, strict=True))
            per_sample = above / total(x**2 for x in batches)
            yield self.fitted_per_sample, per_sample, f"{LEAST_SQUARES}, from a on"
        elif not apart:
            steep = slope(batches, times)
            yield self.fitted_per_sample, steep, why
        if not stated and apart:
            yield self.fitted_overhead, self.mean_time - self.per_sample * self.mean_batch, why
        elif not stated:
            begin = intercept(batches, times, self.fitted_per_sample)
            yield self.fitted_overhead, begin, why
        missed = [y - self._batch_time(x) for x, y in zip(batches, times, strict=True)]
        yield self.residuals, missed

    def _batch_time(self, batch: Expr) -> Expr:
        return self._fixed + self._of_sample * batch

    # The two questions

    def _to_the_target(self) -> Equations:
        """The batch with the least time to the target."""
        step = self._fixed + self.communication
        ratio = step * self.critical_batch / (self._of_sample * self.workers)
        yield self.optimum, sqrt(ratio)
        limited = self.states("largest_batch")
        whole = self.unlimited if limited else self.best
        gain = "the first with T(B) ≤ T(B + 1), multiplied out"
        yield whole, self._least(whole, ratio), gain
        if limited:
            why = "up to the minimum every sample more saves time"
            yield self.best, smallest(self.unlimited, self.largest_batch), why
        yield self.global_batch, self.workers * self.best
        yield self.steps, self._steps_with(self.workers * self.best)
        yield self.step_time, self._batch_time(self.best) + self.communication
        yield self.time, self.steps * self.step_time
        yield self.samples, self.global_batch * self.steps
        if self.states("price"):
            yield self.cost, self.workers * self.time * self.price
        if self.states("batch"):
            yield self.batch_steps, self._steps_with(self.workers * self.batch)
            time = self._batch_time(self.batch) + self.communication
            yield self.batch_time_to_target, self.batch_steps * time
            yield self.excess, self.batch_time_to_target - self.time

    def _steps_with(self, batch: Expr) -> Expr:
        return self.least_steps * (1 + self.critical_batch / batch)

    def _least(self, batch: Expr, ratio: Expr) -> Least:
        """The least B whose time is at most that of B + 1: B(B + 1) >= (a + c)·B_crit/(b·n)."""
        relation: Rel = batch * (batch + 1) >= ratio
        return Least(relation, least_with_product(ratio), first="one sample is enough")

    def _rates(self) -> Equations:
        """How fast the stated batch is."""
        if self._measured:
            pairs = zip(self.batches, self.times, strict=True)
            yield self.measured_rates, [batch / time for batch, time in pairs]
            yield self.best_measured, position_of_largest(*self.measured_rates)
        if self.model == "table":
            time = self._between() + self.communication
            yield self.batch_time, time, "between its neighbours in the table"
        else:
            yield self.batch_time, self._batch_time(self.batch) + self.communication
        yield self.rate, self.workers * self.batch / self.batch_time
        if self.model == "line":
            yield self.peak, self.workers / self._of_sample
            yield self.of_peak, self.rate / self.peak
            yield self.half, (self._fixed + self.communication) / self._of_sample

    def _between(self) -> Expr:
        """The time of the batch on the straight piece that it lies on."""
        ends = list(zip(self.batches, self.times, strict=True))
        *pieces, last = map(self._piece, ends[:-1], ends[1:]) if ends[1:] else [self.times[0]]
        tests = [
            (piece, self.batch <= end)
            for piece, end in zip(pieces, self.batches[1:-1], strict=True)
        ]
        return cases(*tests, otherwise=last) if tests else last

    def _piece(self, start: Sequence[Expr], end: Sequence[Expr]) -> Expr:
        (x, t), (beyond, later) = start, end
        return t + (self.batch - x) * (later - t) / (beyond - x)
