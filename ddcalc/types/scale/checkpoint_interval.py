"""How often should a training write checkpoints?"""

from collections.abc import Iterator
from fractions import Fraction

from ddcalc.formula.algebra import (
    Expr,
    Num,
    cases,
    elementwise,
    exp,
    lambert,
    same,
    sqrt,
    total,
)
from ddcalc.formula.expression import Rel
from ddcalc.numbers.units import PER_SECOND, PERCENT, SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import choice, count, data, derived, duration, facts, rate, share
from ddcalc.problem.sentences import (
    Argument,
    Crosscheck,
    Equated,
    First,
    Premise,
    Said,
    Sentence,
    Stationary,
)

COMPLETE = (
    "an interval with its checkpoint is tried until no failure comes in it (Daly 2006: failures at"
    " a steady rate, during all of it)"
)
ADDED = "any failure stops all, so the rates add up"


class CheckpointInterval(Problem):
    """How often should a training write checkpoints?

    Short intervals cost many checkpoints, long ones much work at each failure: in between the loss
    is least. The training stops to write checkpoints; when something fails, the work since the last
    one is done again, on average about half an interval.

    An interval is the work between the end of one checkpoint and the beginning of the next.
    Young's is the root of 2·C·M, with the time C of a checkpoint and the mean time M between
    failures: an estimate of first order, for a C much smaller than M. Daly's estimate is of higher
    order. What an interval costs is exact, by Daly's complete model: failures come at a
    steady rate, at any time, also during checkpoints and restarts. The exact interval makes that
    least; W is Lambert's function, W(x)·e^W(x) = x.

    The mean time between failures is that of the whole machine; it follows from its components,
    how many there are of each kind and how long one lasts on average, since their rates add up.
    State a checkpoint by the time for which the training stops, or by its size and the bandwidth.
    What is stopped for regularly without failures, an evaluation for example, has a share too.
    """

    answer = "interval"
    keywords = (
        "MTBF; fault tolerance; how often to save; Young/Daly formula; optimal checkpoint"
        " frequency; lost work after a crash"
    )
    terms = ("straggler", "checkpoint", "MTBF")
    source = (
        "Young, A first order approximation to the optimum checkpoint interval, CACM 17(9), 1974;"
        " Daly, A higher order estimate of the optimum checkpoint interval for restart dumps,"
        " Future Generation Computer Systems 22(3), 2006"
    )

    write = duration(
        "C", "pause of the training for a checkpoint", above=0, optional=True,
        example="30 s",
    )  # fmt: skip
    size = data("S", "size of a checkpoint, instead of its time", above=0, optional=True)
    bandwidth = rate(
        "b", "bandwidth at which it is written", optional=True,
        filled_by=facts("link.bandwidth", unless=["write"]),
    )  # fmt: skip
    failures = duration("M", "mean time between failures of the machine", above=0, optional=True)
    components = count(
        "n", "components of each kind", many="list", of="kind", optional=True, example="32, 4, 1"
    )
    lifetimes = duration(
        "m", "mean life of one of each kind", above=0, many="list", of="kind",
        optional=True, example="25000 h, 8000 h, 100000 h",
    )  # fmt: skip
    restart = duration("R", "restart after a failure", optional=True)
    compared = duration("t", "an interval to compare", above=0, optional=True)

    formula = choice(
        "the best interval",
        young="Young's estimate, to first order",
        daly="Daly's estimate, to higher order",
        exact="the exact optimum, by Daly's complete model",
    )

    writing = derived("C_w", "Time of a checkpoint", "", SECOND)
    rates = derived(
        "r", "Failures of each kind", "each one fails once in its mean life", PER_SECOND,
        many=("components", "lifetimes"),
    )  # fmt: skip
    failure_rate = derived(
        "r_all",
        "Failures in all",
        "",
        PER_SECOND,
    )
    between = derived("M_all", "Mean time between failures", "", SECOND)
    blamed = share(
        "p", "Part of the failures that each kind has", "its rate among all",
        many=("components", "lifetimes"),
    )  # fmt: skip
    interval = derived("tau", "Work between two checkpoints", "", SECOND)
    stretch = derived(
        "x", "Wall time per second of work",
        "",
        least=1, better="less",
    )  # fmt: skip
    loss = share(
        "q",
        "Part of the wall time that is lost",
        COMPLETE,
        better="less",
    )
    to_writes = derived(
        "l_C", "Lost to checkpoints", "one for each interval of work", PERCENT,
        least=0, better="less",
    )  # fmt: skip
    parts = derived("l", "Lost in all, to first order", "", PERCENT, least=0, better="less")
    compared_parts = derived(
        "l_t", "Lost in all with the stated interval", "the same parts", PERCENT,
        least=0, better="less",
    )  # fmt: skip
    writes = derived(
        "q_C", "Checkpoint time per second of work in the stated interval", "",
        least=0, better="less",
    )  # fmt: skip
    compared_stretch = derived(
        "x_t", "Wall time per second of work with the stated interval", "",
        least=1, better="less",
    )  # fmt: skip
    compared_loss = share(
        "q_t", "Part of the wall time lost with the stated interval", COMPLETE, better="less"
    )

    def needs(self) -> Iterator[tuple[str, ...]]:
        yield "write", "size"
        if self.states("size"):
            yield ("bandwidth",)
        yield "failures", "lifetimes"
        if self.states("lifetimes"):
            yield ("components",)
        if self.states("components"):
            yield ("lifetimes",)

    def conditions(self) -> Iterator[Condition]:
        if self.states("components", "lifetimes"):
            kinds, lasting = len(self.components), len(self.lifetimes)
            message = f"lists {lasting} kinds, but components {kinds}"
            yield Condition(same(Num(lasting), Num(kinds)), "lifetimes", message)
        if self.states("failures", "lifetimes"):
            message = "is not what the components have; state one of the two"
            yield Condition(same(self.failures * self._due(), 1), "failures", message)
        if self.states("write", "size"):
            message = "is not what the size takes; state one of the two"
            yield Condition(same(self.write * self.bandwidth, self.size), "write", message)
        due = 1 / self.failures if self.states("failures") else self._due()
        stops = self.size / self.bandwidth if self.states("size") else self.write
        message = (
            "is so long that over 30 failures come in it on average, so it would hardly ever get"
            " finished"
        )
        times = {"size": stops, "write": stops, "restart": self.restart, "compared": self.compared}
        for name in filter(self.states, times):
            yield Condition(times[name] * due <= 30, name, message)

    def _due(self) -> Expr:
        """The failures per second of all components."""
        rates = elementwise(lambda n, m: n / m, self.components, self.lifetimes)
        return total(rates if isinstance(rates, list) else [rates])

    @property
    def _stop(self) -> Expr:
        return self.write if self.states("write") else self.writing

    @property
    def _apart(self) -> Expr:
        return self.failures if self.states("failures") else self.between

    @property
    def _one_kind(self) -> bool:
        return isinstance(self.components, tuple) and len(self.components) == 1

    def _lost(self, stop: Expr, apart: Expr, interval: Expr) -> Expr:
        """The part of the wall time that an *interval* loses."""
        tried = apart * (exp((interval + stop) / apart) - 1)
        if self.states("restart"):
            tried = tried * exp(self.restart / apart)
        return 1 - interval / tried

    def _by_parts(self, stop: Expr, apart: Expr) -> Equations:
        """What is lost as part of the work, for a *stop* much shorter than the time *apart*."""
        yield self.to_writes, stop / self.interval
        lost, compared = 2 * self.to_writes, stop / self.compared + self.compared / (2 * apart)
        why = "as much to work done again"
        if self.states("restart"):
            lost, compared = lost + self.restart / apart, compared + self.restart / apart
            why += ", and restarts"
        yield self.parts, lost, why
        if self.states("compared"):
            yield self.compared_parts, compared

    def equations(self) -> Equations:
        stop = self.write
        if not self.states("write"):
            yield self.writing, self.size / self.bandwidth
            stop = self.writing
        apart = self.failures
        if not self.states("failures"):
            yield self.rates, elementwise(lambda n, m: n / m, self.components, self.lifetimes)
            yield self.failure_rate, total(self.rates)
            if self._one_kind:
                apart = self.lifetimes[0] / self.components[0]
                yield self.between, apart, ADDED
            else:
                yield self.between, 1 / total(self.rates), ADDED
            yield self.blamed, elementwise(lambda r: r / self.failure_rate, self.rates)
            apart = self.between
        yield self.interval, *self._best(stop, apart)
        if self.formula == "young":
            yield from self._by_parts(stop, apart)
        yield self.stretch, self._stretched(stop, apart, self.interval)
        yield self.loss, self._lost(stop, apart, self.interval)
        if self.states("compared"):
            yield self.writes, stop / self.compared
            yield self.compared_stretch, self._stretched(stop, apart, self.compared)
            yield self.compared_loss, self._lost(stop, apart, self.compared)

    def mechanism(self) -> str:
        if not self.states("restart"):
            return super().mechanism()
        return (
            "Short intervals cost many checkpoints, long ones much work at each failure: in between"
            " the loss is least. After a failure the training restarts and does again the work"
            " since the last checkpoint, on average about half an interval."
        )

    @property
    def _is_rare(self) -> tuple[Rel, ...]:
        """Whether so little is lost that the first order is as good as the complete model."""
        compared = (self.compared_parts <= Fraction(1, 5),) if self.states("compared") else ()
        return self.parts <= Fraction(1, 10), *compared

    def conclusion(self) -> Iterator[Said]:
        lost = "checkpoints, work done again and restarts"
        if not self.states("restart"):
            lost = "checkpoints and work done again"
        whole = f"{{loss %}} of the wall time is lost, to {lost}."
        start = "Write checkpoints {interval} of work apart: "
        if self.formula != "young":
            yield Sentence(f"{start}{whole}")
        else:
            yield First(self._split(start), Sentence(f"{start}{whole}"))
        if not self.states("compared"):
            return
        same_interval = Sentence("That is the stated interval.", same(self.interval, self.compared))
        by_parts = self._other("compared_parts", self.compared_parts - self.parts, self._is_rare)
        complete = self._other("compared_loss", self.compared_loss - self.loss)
        first_order = by_parts if self.formula == "young" else ()
        yield First(same_interval, *first_order, *complete)

    def _other(self, lost: str, more: Expr, when: tuple[Rel, ...] = ()) -> Iterator[Sentence]:
        """What the stated interval loses: *lost*, so much *more* than the best interval, by the
        model that also says what that one loses."""
        begins = f"With {{compared}} of work between them it would be {{{lost} %}}"
        for sign, word in ((1, "more"), (-1, "less")):
            between = sign * more * self._apart
            words = f"{begins}, {{between}} {word} between two failures."
            yield Sentence(words, (*when, between > 0), between=between)
        yield Sentence(f"{begins}, as much.", when)

    def _split(self, start: str) -> Said:
        """What is lost to what, to first order."""
        lost = (
            f"{start}{{parts %}} of the time is lost, as much to checkpoints as to work done again"
        )
        plain = Sentence(f"{lost}.", self._is_rare)
        if not self.states("restart"):
            return plain
        more = f"{lost}, the rest to restarts."
        return First(Sentence(more, (*self._is_rare, self.restart > 0)), plain)

    def insights(self) -> Iterator[Said]:
        stop, apart, tau = self._stop, self._apart, self.interval
        half, twice = (self._lost(stop, apart, other) for other in (tau / 2, 2 * tau))
        numbers = "half the interval loses {half %}, twice the interval {twice %}"
        yield from self._completely()
        flat = (half >= self.loss, twice >= self.loss, *map(self._is_near, (half, twice)))
        room = self._is_rare if self.formula == "young" and self.states("compared") else ()
        flat = (*flat, *room)
        yield First(
            Sentence(f"The minimum is flat: {numbers}.", flat, half=half, twice=twice),
            Sentence(
                "The estimate is too long here, as a checkpoint takes long beside the time between"
                " failures: half the interval would lose only {half %}.",
                half < self.loss,
                half=half,
            ),
            Sentence(f"{numbers[0].upper()}{numbers[1:]}.", room, half=half, twice=twice),
        )
        if self.states("compared"):
            return
        sooner, oftener = self._best(stop / 2, apart)[0], self._best(stop, apart / 2)[0]
        yield Sentence(
            "Checkpoints twice as fast: {sooner} and {less %} lost; twice the failures:"
            " {oftener} and {more %}.",
            sooner=sooner,
            less=self._lost(stop / 2, apart, sooner),
            oftener=oftener,
            more=self._lost(stop, apart / 2, oftener),
        )

    def _completely(self) -> Iterator[Said]:
        """What the first order leaves out, where the answer is of first order."""
        if self.formula != "young":
            return
        slots = {"whole": self._lost(self._stop, self._apart, self.interval)}
        amount = "it is {whole %}"
        if self.states("compared"):
            slots["other"] = self._lost(self._stop, self._apart, self.compared)
            amount = "they are {whole %} and {other %}"
        text = f"That is to first order; by Daly's complete model, as below, {amount} of all time."
        yield Sentence(text, (*self._is_rare, self.parts > Fraction(1, 100)), **slots)

    def crosschecks(self) -> Iterator[Crosscheck]:
        if self.formula != "young":
            return
        interval, lost = self.interval, self.parts
        if self.states("compared"):
            interval, lost = self.compared, self.compared_parts
        made = self._apart / interval * self._stop + interval / 2
        counted = "checkpoints and half an interval"
        if self.states("restart"):
            made, counted = made + self.restart, "checkpoints, half an interval, a restart"
        with_stated = ", {interval} apart," if self.states("compared") else ""
        text = f"between two failures{with_stated or ','} {counted}"
        relation = same(made / self._apart, lost)
        yield Crosscheck(text, relation, self._is_rare, interval=interval)

    def premises(self) -> Iterator[Premise]:
        yield Premise(
            "training stops while it writes",
            "write",
        )
        yield Premise("failures come at a steady rate")
        if self.states("restart"):
            yield Premise("reading the last checkpoint is part of the restart")
        else:
            yield Premise("a restart takes no time", "restart")
        if self.states("failures"):
            yield Premise("the time between failures is that of the whole machine", "components")
        else:
            yield Premise("any failure stops the whole machine")

    def arguments(self) -> Iterator[Argument]:
        stop, apart, tau = self._stop, self._apart, self.interval
        if self.formula == "young":
            lost = "lost per second of work: pauses, work redone"
            yield Stationary(tau, stop / tau + tau / (2 * apart), tau, lost, "Young 1974")
        if self.formula == "exact":
            slope = same((tau / apart - 1) * exp(tau / apart - 1), -exp(-(1 + stop / apart)))
            least = "where the slope of the wall time (below) in τ is 0"
            yield Equated(tau, slope, least, "W is Lambert's function")

    def laws(self) -> Iterator[Law]:
        if self.states("compared"):
            x, seconds = "compared_stretch", ("write", "size", "restart")
            for name in filter(self.states, seconds):
                yield Rises(x, name, "all stops take time, and failures come in it")
            if self.states("failures"):
                yield Falls(x, "failures", "fewer failures cost less")
            if self.formula == "exact":
                yield Holds(self.stretch <= self.compared_stretch, "the best costs no more")
            lost = self.compared_stretch - 1
            yield Holds(self.writes <= lost, "checkpoints are part of the loss")
        if self.states("failures") and self.formula != "young":
            yield Holds(self.interval <= self.failures, "longer ones would seldom get through")

    def _is_near(self, lost: Expr) -> Rel:
        """Whether with that much *lost* the same work takes at most 5 % more wall time."""
        return 1 - self.loss <= Num(Fraction(105, 100)) * (1 - lost)

    def _best(self, stop: Expr, apart: Expr) -> tuple[Expr, str]:
        young: Expr = sqrt(2 * stop * apart)
        if self.formula == "young":
            return young, ""
        if self.formula == "exact":
            # where the derivative of the cost is 0, (1 − τ/M)·e^(τ/M) is e^(−C/M)
            return apart * (1 + lambert(-exp(-(1 + stop / apart)))), ""
        part = stop / (2 * apart)
        series = young * (1 + sqrt(part) / 3 + part / 9) - stop
        often = (
            apart,
            stop >= 2 * apart,
            "Daly's estimate where a checkpoint takes twice the time between failures or more",
        )
        why = "Young's root, corrected by Daly to higher order, less the checkpoint itself"
        return cases(often, otherwise=series, why=why), ""

    def _stretched(self, stop: Expr, apart: Expr, interval: Expr) -> Expr:
        """The wall time over the work, by Daly's complete model."""
        tried = apart * (exp((interval + stop) / apart) - 1) / interval
        return exp(self.restart / apart) * tried if self.states("restart") else tried
