"""What happens in a training run, and who waits for whom?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ddcalc.numbers.units import BYTE, PER_SECOND, PERCENT, SECOND
from ddcalc.problem.play import Outcome, PlayedGivens, PlayedProblem
from ddcalc.problem.problem import Shape
from ddcalc.problem.quantity import LESS, choice, count, data, derived, duration, number
from ddcalc.types.schedules.timeline.account import outcome
from ddcalc.types.schedules.timeline.question import ALONE, ALTERNATIVES, Question

MORE: Final[dict[str, Any]] = {"least": 0, "better": "more"}
SCHEME_ORDER = "in this order: sync, ssp, async, local SGD, k of n"


class Timeline(PlayedProblem):
    """What happens in a training run, and who waits for whom?

    Workers compute gradients on the parameters that a server keeps. A worker gets the parameters,
    computes, sends its gradient, and the server adds it in; then it gets the parameters again, as
    soon as the scheme lets it.

    A single time for a gradient stands for all workers. Transfers do not slow each other down: each
    worker has its own link to the server. All times are exact, workers that act at one instant do
    so in the order of their numbers, and what happens exactly at the horizon counts.

    The staleness of a gradient is the number of updates between the parameters that it is taken at
    and the update that it becomes part of. Under ssp and async every gradient is an update. What is
    updated while parameters are on their way to a worker is not in them, so a download makes its
    gradient as stale as an upload of the same length. How far a worker is ahead is counted in
    gradients of its own, when it reads the parameters: when they are sent to it, or with
    --read start when it starts to compute. A transfer counts as sent when it has arrived.

    The same computations are played whatever the scheme, so that schemes can be compared:
    --scheme all puts them side by side, in the order sync, ssp, async, local SGD, k of n. Times may
    be fixed, listed step by step, or drawn from a distribution and rounded to a millionth of the
    mean; the same seed always draws the same times.
    """

    answer = "gradients"
    shares_work = ("runs", "within")
    source = (
        "review questions on synchronisation; Ho et al. 2013 (ssp), Stich 2019 (local SGD),"
        " Chen et al. 2016 (backup workers), the poster on staleness (late gradients reused)"
    )

    keywords = (
        "Gantt chart; schedule of workers; BSP, SSP, ASP, local SGD compared; waiting and idle"
        " time of workers; gradients by a time; simulate synchronisation schemes"
    )
    terms = (
        "synchronous",
        "stale-synchronous",
        "asynchronous",
        "local SGD",
        "backup worker",
        "k of n",
        "straggler",
        "staleness",
    )

    workers = count("n", "workers", most=10_000, optional=True)
    periods = duration(
        "t_comp",
        "computing one gradient, by worker",
        many="list",
        of="worker",
        above=0,
        optional=True,
        example="1 s, 2 s, 4 s",
    )
    step_times = duration(
        "t_step",
        "computing one gradient after the other, then again from the first",
        many="list",
        of="step",
        above=0,
        optional=True,
    )
    starts = duration("t_0", "when each worker starts", many="list", of="start", optional=True)
    horizon = duration("T", "when the run ends", above=0, optional=True, example="24 s")
    nth_update = count("N", "update whose time is asked for", optional=True)
    download = duration("t_down", "parameters, server to worker", optional=True)
    upload = duration("t_up", "gradient, worker to server", optional=True)
    aggregation = duration("t_agg", "adding one gradient at the server", optional=True)
    update_time = duration("t_upd", "one update of the parameters", optional=True)
    staleness = count(
        "s",
        "lead in gradients up to which a worker may go on",
        least=0,
        words=("infinity",),
        optional=True,
    )
    local_steps = count("H", "local steps before an average", optional=True)
    wait_for = count("k", "gradients that an update waits for", optional=True)
    batch = count("b", "samples in one gradient", optional=True)
    model_size = data("M", "size of the parameters, and of a gradient", above=0, optional=True)
    seed = count("seed", "seed of drawn times", least=0, optional=True)
    shift = duration("t_min", "least time of the shifted exponential distribution", optional=True)
    spread = duration("sigma", "standard deviation; of uniform times half the width", optional=True)
    tail = number("alpha", "exponent of the Pareto distribution", above=1, optional=True)
    runs = count("R", "runs to average over, with one seed after the other", least=2, optional=True)

    within = number(
        "epsilon",
        "standard error of the average at most, as a share of it: as many runs as that takes",
        above=0,
        most=1,
        optional=True,
    )

    scheme = choice(
        "the way to synchronise",
        sync="synchronous: every update waits for every worker",
        ssp="stale-synchronous: nobody starts while further ahead of the slowest than the bound",
        **{"async": "asynchronous: nobody waits for anybody"},
        local_sgd="local SGD: workers make steps of their own, then average",
        k_of_n="k of n: an update waits for the fastest workers only",
        all="all schemes, side by side",
        also="bsp sync synchronous sync asp async asynchronous async",
    )
    late = choice(
        "gradients that an update of k of n did not wait for",
        drop="late gradients are dropped when they arrive",
        reuse="late gradients are used in the next update",
        cancel="late computations are interrupted by the update",
    )
    order = choice(
        "what happens at one instant",
        in_turn="workers that are done at the same instant go one after the other, by number",
        writes_first="workers that are done at the same instant all write before anybody reads",
    )
    read = choice(
        "which parameters a worker computes on",
        arrival="parameters as they are when the server sends them",
        start="idealised: parameters as they are when the computation starts, though sent earlier",
    )
    server = choice(
        "how the server adds gradients in",
        serial="the server adds one gradient after the other",
        lock_free="the server adds all gradients that are there at once, without locks",
    )
    step_times_for = choice(
        "whose the listed step times are",
        every_worker="every worker computes for the listed times",
        each_worker="the listed times are the first worker's, then the next one's",
    )
    distribution = choice(
        "how computation times are distributed",
        constant="computation times are fixed",
        exponential="exponential computation times of the stated mean",
        shifted_exponential="a least time, and exponential times on top, of the stated mean",
        uniform="uniform computation times around the stated mean",
        normal="normal computation times around the mean, drawn anew until positive",
        lognormal="lognormal computation times of the stated mean",
        pareto="Pareto computation times of the stated mean",
        also="gaussian normal",
    )

    clocks = derived(
        "c", "Computations that each worker has finished", "counted in the schedule",
        many="periods", least=0,
    )  # fmt: skip
    updates = derived("U", "Updates of the parameters", "counted in the schedule", least=0)
    unused = derived(
        "L", "Gradients thrown away", "dropped on arrival, or interrupted", least=0, better="less"
    )
    ended = derived(
        "D", "How long the run takes", "until the horizon, or the update asked", SECOND, least=0
    )
    nth_time = derived(
        "t_N", "Time of update N", "read off the schedule", SECOND, least=0, better="less"
    )
    update_rate = derived(
        "r_U", "Updates per second", "all updates, divided by the whole time", PER_SECOND, **MORE
    )
    gradient_rate = derived(
        "r_G", "Gradients per second", "those that are used", PER_SECOND, **MORE
    )
    sample_rate = derived(
        "r_b", "Samples per second", "a batch for each gradient", PER_SECOND, **MORE
    )
    busy = derived(
        "p", "Share of its time that each worker computes", "else it waits, sends or is not there",
        PERCENT, many="periods", least=0, most=1, better="more",
    )  # fmt: skip
    idle = derived(
        "w", "Share of its time that each worker waits", "for other workers or for the server",
        PERCENT, many="periods", least=0, most=1, better="less",
    )  # fmt: skip
    mean_idle = derived(
        "w_mean", "Share of waiting on average", "of all workers", PERCENT, least=0, most=1,
        better="less",
    )  # fmt: skip
    mean_staleness = derived(
        "tau", "Mean staleness", "each gradient that is used counts once", **LESS
    )
    max_staleness = derived("tau_max", "Largest staleness", "of a gradient that is used", **LESS)
    ahead = derived(
        "a", "Largest lead over the slowest worker", "in gradients, when reading", least=0
    )
    sent = derived(
        "V", "Data sent", "parameters down and gradients up, as often as sent", BYTE, **LESS
    )
    runs_played = derived(
        "R_made", "Runs averaged over", "until the standard error is small", least=2
    )
    mean_gradients = derived("G_mean", "Gradients on average", "over all the runs", **MORE)
    gradients_by_scheme = derived("G_by", "Gradients by scheme", SCHEME_ORDER)
    updates_by_scheme = derived("U_by", "Updates by scheme", SCHEME_ORDER)
    idle_by_scheme = derived("w_by", "Waiting by scheme", SCHEME_ORDER, PERCENT)
    staleness_by_scheme = derived("tau_by", "Mean staleness by scheme", SCHEME_ORDER)
    nth_time_by_scheme = derived("t_by", "Time of update N by scheme", SCHEME_ORDER, SECOND)
    sample_rate_by_scheme = derived(
        "r_by", "Samples per second by scheme", SCHEME_ORDER, PER_SECOND
    )
    sent_by_scheme = derived("V_by", "Data sent by scheme", SCHEME_ORDER, BYTE)
    mean_gradients_by_scheme = derived("M_by", "Gradients on average by scheme", SCHEME_ORDER)
    gradients = derived(
        "G", "Gradients used", "those in the updates that are made by the end", **MORE
    )

    def needs(self) -> Iterator[tuple[str, ...]]:
        """The end of the run, times, and what the scheme and the distribution take."""
        yield "horizon", "nth_update"
        yield "periods", "step_times"
        if self.step_times_for == "each_worker":
            yield ("step_times",)
        for option in (self.scheme, self.distribution):
            yield from ((name,) for name in ALONE.get(option, ()))
        if self.distribution != "constant":
            yield ("seed",)

    @classmethod
    def neighbours(cls, shape: Shape) -> Iterator[tuple[str, str, Shape]]:
        """Other readings of the same workload; other times would be another question."""
        alone = ("scheme", "all") not in shape.reading
        for name, option, other in super().neighbours(shape):
            if name in ALTERNATIVES and option != "all" and (alone or name != "scheme"):
                yield name, option, other

    def play(self, given: PlayedGivens) -> Outcome:
        """Play the workload under the scheme, or under all of them."""
        reading = dict(self.shape.reading) | dict(self.shape.words)
        return outcome(Question(given, reading), self.declared())
