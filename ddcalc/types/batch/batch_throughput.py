"""How many samples a second does a worker manage with a batch?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import Boundary, Expr, Least, Rel, cases, position_of_largest
from ddcalc.numbers.units import PER_SECOND, PERCENT, SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Shape
from ddcalc.problem.quantity import choice, count, derived, number
from ddcalc.types.batch._fitting import BatchTime


class BatchThroughput(BatchTime):
    """How many samples a second does a worker manage with a batch?

    A batch costs a fixed time (starting kernels, reading weights, an optimizer's step) and a time
    for each sample, a + b·B. So B samples pass at the rate B/(a + b·B): it grows with the batch,
    reaches half of its peak at B = a/b, and nears 1/b, which no batch exceeds.

    State a and b, or measured batches and their times. The line is fitted to all measurements; the
    table is read as it stands, in straight pieces between neighbours, and tells nothing beyond its
    ends. Where the two disagree much, a line is not the law of that machine.
    """

    answer = "rate"
    terms = ("batch size",)
    source = (
        "least squares on the time of a batch; a rate of the form B/(a + b·B) saturates as in"
        " Hockney's law of vector pipelines (r_∞ and n_1/2)"
    )

    batch = count("B", "samples in the batch", example="100")
    share = number("p", "part of the peak whose batch is asked", above=0, most=1, optional=True)

    model = choice(
        "what the measurements say of other batches",
        line="a line is fitted to all of them",
        table="straight pieces lead from each one to the next",
    )

    measured_rates = derived(
        "q", "Samples a second as measured", "each batch in its time", PER_SECOND, many="batches"
    )
    best_measured = derived("i", "The fastest measurement", "its number in the list")
    time = derived("t_B", "Time of the batch", "by the line", SECOND, least=0)
    rate = derived(
        "r", "Samples a second", "the batch in its time", PER_SECOND, least=0, better="more"
    )
    peak = derived("r_max", "Peak", "with a batch beyond all limits", PER_SECOND, least=0)
    of_peak = derived(
        "p_B", "Part of the peak", "the rest goes into the fixed time", PERCENT, least=0, most=1,
        better="more",
    )  # fmt: skip
    half = derived(
        "B_half", "Batch with half the peak", "its samples take as long as the fixed part", least=0
    )

    def laws(self) -> Iterator[Law]:
        """A line saturates; a table may do anything."""
        if self.model == "line":
            yield Rises("rate", "batch", "the fixed time is shared by more samples")
            yield Falls("rate", "overhead", "more of the time is fixed")
            yield Falls("rate", "per_sample", "each sample takes longer")
            yield Holds(self.rate <= self.peak, "no batch is faster than the peak")
            at_half = "half of the peak is reached at a/b"
            yield Holds(2 * self.rate >= self.peak, at_half, when=self.batch >= self.half)

    edge = derived(
        "B_p", "The batch with the stated part of the peak", "B/(a + b·B) is p/b, solved for B"
    )
    wanted = derived(
        "B_w", "Batches come in whole numbers", "the first one that reaches it",
        noun="the least batch with the stated part of the peak", least=1,
    )  # fmt: skip

    def needs(self) -> Iterator[tuple[str, ...]]:
        if self.model == "table":
            yield ("batches",)
            yield ("times",)
        else:
            yield from super().needs()

    @classmethod
    def neighbours(cls, shape: Shape) -> Iterator[tuple[str, str, Shape]]:
        """The table, where there is one; beside it no part of the line is stated."""
        only = {"overhead", "per_sample", "share"}.isdisjoint(shape.stated)
        for name, option, other in super().neighbours(shape):
            if option == "line" or (only and "batches" in shape.stated):
                yield name, option, other

    def conditions(self) -> Iterator[Condition]:
        if self.model == "line":
            yield from super().conditions()
            return
        for before, after in zip(self.batches, self.batches[1:], strict=False):
            yield Condition(
                before < after, "batches", "are not in order; list them from the smallest on"
            )
        for beyond in (self.batch >= self.batches[0], self.batch <= self.batches[-1]):
            yield Condition(beyond, "batch", "is beyond the table, which tells nothing there")

    def equations(self) -> Equations:
        if self.model == "line":
            yield from self.fit()
        if self.measured:
            pairs = zip(self.batches, self.times, strict=True)
            yield self.measured_rates, [batch / time for batch, time in pairs]
            yield self.best_measured, position_of_largest(*self.measured_rates)
        if self.model == "table":
            yield self.time, self._between(), "between its neighbours in the table"
        else:
            yield self.time, self.batch_time(self.batch)
        yield self.rate, self.batch / self.time
        if self.model == "line":
            yield from self._saturation()

    def _saturation(self) -> Equations:
        yield self.peak, 1 / self.each_sample
        yield self.of_peak, self.rate / self.peak
        yield self.half, self.fixed / self.each_sample
        if self.states("share"):
            reached = (1 - self.share) * self.each_sample * self.wanted >= self.share * self.fixed
            assert isinstance(reached, Rel)
            yield self.edge, Boundary(self.wanted, reached)
            never = "no batch reaches the peak itself"
            yield self.wanted, Least(reached, self.edge, "one sample is enough", never)

    def _between(self) -> Expr:
        """The time of the batch on the straight piece that it lies on."""
        pieces = [self._piece(i) for i in range(len(self.batches) - 1)]
        if not pieces:
            return self.times[0]
        ends = self.batches[1:-1]
        tests = [(piece, self.batch <= end) for piece, end in zip(pieces[:-1], ends, strict=True)]
        return cases(*tests, otherwise=pieces[-1]) if tests else pieces[-1]

    def _piece(self, i: int) -> Expr:
        x, y = self.batches[i : i + 2], self.times[i : i + 2]
        return y[0] + (self.batch - x[0]) * (y[1] - y[0]) / (x[1] - x[0])
