"""How long does a training take on so many devices?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import Expr, ceiling, same
from ddcalc.numbers.units import FLOP, HOUR, SECOND, TOKEN_PER_SECOND, USD
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations
from ddcalc.problem.quantity import (
    amount,
    choice,
    derived,
    duration,
    given,
    number,
    price,
    share,
    token_rate,
)
from ddcalc.types.scale._operations import (
    AGAIN,
    ASK,
    MFU_OR_HFU,
    MODEL_ALONE,
    TFLOP_PER_SECOND,
    WHICH_PEAK,
    Transformer,
)

BY_OPERATIONS = ("utilization", "achieved")


class TrainingTime(Transformer):
    """How long does a training take on so many devices?

    Training a transformer of N parameters on D tokens takes about 6·N·D floating-point operations:
    two for each parameter and token forward, four backward. Of a mixture of experts only the active
    parameters count. Attention is left out unless the shape is stated: it adds 12·L·h·q·s for each
    token of a sequence of s in L layers of h heads of size q, which is more than a quarter of 6·N
    for 8B parameters, 32 layers, a width of 4096 and 8192 tokens.

    The devices share the operations; each manages a part of its peak, the utilization. The model's
    (MFU) counts what the model needs. Where activations are computed a second time, two operations
    more are made (``--recomputed 2``), 8 in all; the hardware's (HFU) counts these as well. Say
    which one is stated by ``--counts``. With ``--operations 8`` all 8 count, so it is the HFU.

    State how fast it goes in one way: by the peak of a device and the utilization; by the
    operations a second that a device achieves; by tokens a second, of all devices or of each; by
    the tokens and the time of a step; or by the device-hours in all. Where operations and their
    speed are known, tokens a second follow, and the other way round.

    What part of the peak a training reaches that was measured is asked by ``ddcalc utilization``.
    """

    answer = "time"
    terms = ("speed-up",)
    source = (
        "6·N·D: Kaplan et al., Scaling Laws for Neural Language Models, arXiv:2001.08361; 8 with"
        " recomputation, and the time as C/(n·X): Narayanan et al., Efficient Large-Scale Language"
        " Model Training on GPU Clusters, SC 2021, arXiv:2104.04473; attention, MFU and HFU:"
        " Chowdhery et al., PaLM, arXiv:2204.02311, appendix B"
    )

    tokens = amount("D", "tokens of the training", above=0, optional=True, example="15T")
    compute = given("C", "operations of the training", FLOP, above=0, bare=True, optional=True)
    peak = given(
        "P", "peak of a device", TFLOP_PER_SECOND, above=0, optional=True, example="989.5 TFLOP/s"
    )
    utilization = number(
        "u", "part of the peak that is reached (MFU; HFU if it counts what is computed again)",
        above=0, most=1, optional=True, example="0.5",
    )  # fmt: skip
    achieved = given(
        "X", "operations a second that a device achieves", TFLOP_PER_SECOND, above=0, optional=True
    )
    rate = token_rate("r", "tokens a second, all devices", optional=True)
    device_rate = token_rate("r_1", "tokens a second of each device", optional=True)
    batch = amount("B", "tokens in a step", above=0, optional=True)
    step_time = duration("t_step", "time of a step", above=0, optional=True)
    device_time = given("H", "device-hours in all", HOUR, above=0, optional=True)
    price = price("p", "price of a device", optional=True)

    counts = choice(
        "whether what is computed again counts as achieved",
        model="only operations that the model needs count as achieved (MFU)",
        hardware="operations that are made again count as achieved, too (HFU)",
    )

    needed = derived("C_all", "Operations", "each token passes each parameter", FLOP)
    made = derived("C_made", "With those that are made again", AGAIN, FLOP)
    speed = derived(
        "X_u", "Operations a second of a device", "a part of its peak", TFLOP_PER_SECOND,
        better="more",
    )  # fmt: skip
    together = derived("r_all", "Tokens a second", "all devices", TOKEN_PER_SECOND, better="more")
    time = derived(
        "T", "Time of the training", "the devices work side by side", SECOND, better="less"
    )
    device_hours = derived(
        "H_all", "Device-hours", "each device is busy all the time", HOUR, better="less"
    )
    cost = derived("M", "Cost", "every device is paid for all the time", USD, better="less")
    reached = share("u_X", "Part of the peak that is reached", MFU_OR_HFU, better="more")
    hardware = share("u_H", "With what is computed again (HFU)", AGAIN, better="more")
    steps = derived("S", "Steps", "the last one may be smaller")
    step = derived("t_B", "Time of a step", "its part of the tokens", SECOND, better="less")

    def needs(self) -> Iterator[tuple[str, ...]]:
        yield "utilization", "achieved", "rate", "device_rate", "step_time", "device_time"
        if self.states("utilization"):
            yield ("peak",)
        if self.states("step_time"):
            yield ("batch",)
        if self.states("utilization") or self.states("achieved"):
            yield "compute", "parameters"
            if not self.states("compute"):
                yield ("tokens",)
        if any(map(self.states, ("rate", "device_rate", "step_time"))):
            yield ("tokens",)
        yield from super().needs()

    def conditions(self) -> Iterator[Condition]:
        yield from super().conditions()
        name, speed = next(iter(self._times().items()))
        for other, time in self._times().items():
            if other != name:
                yield Condition(
                    same(time, speed), other, f"does not fit what {name} says; state one of the two"
                )
        if all(map(self.states, ("compute", "parameters", "tokens"))):
            yield Condition(
                same(self.compute, self.for_a_token() * self.tokens), "compute",
                "is not that of the model and tokens; leave it out",
            )  # fmt: skip
        if self.states("peak") and (self._known or name in BY_OPERATIONS):
            yield self._possible(name, speed)

    def _possible(self, by: str, time: Expr) -> Condition:
        """No device makes more operations a second than its peak."""
        again = self.more() if self.states("recomputed") else 1
        if by not in BY_OPERATIONS:
            most = self.devices * self.peak * time
            return Condition(
                self._work() * again <= most, by,
                f"takes more than the peak of {{devices device}}; {ASK}",
            )  # fmt: skip
        if self.counts == "hardware":
            again = 1
        if by == "utilization":
            told = "leaves no room in the peak for what is computed again; is it the HFU?"
            return Condition(self.utilization * again <= 1, by, told)
        told = f"is more than the peak of a device; {WHICH_PEAK}?"
        if self.states("recomputed") and self.counts == "model":
            told = "with what is computed again " + told
        return Condition(self.achieved * again <= self.peak, by, told)

    @property
    def _known(self) -> bool:
        """Whether the operations of the training are known."""
        return self.states("compute") or (self.states("parameters") and self.states("tokens"))

    def _work(self) -> Expr:
        """The operations that the model needs, by the givens alone."""
        if self.states("compute"):
            return self.compute
        return self.for_a_token() * self.tokens

    def _times(self) -> dict[str, Expr]:
        """The time by each statement of a speed, from the first that counts."""
        said: dict[str, Expr] = {}
        for name in filter(self.states, BY_OPERATIONS):
            work = self._work()
            if self.states("recomputed") and self.counts == "hardware":
                work = work * self.more()
            speed = self.peak * self.utilization if name == "utilization" else self.achieved
            said[name] = work / (self.devices * speed)
        if self.states("rate"):
            said["rate"] = self.tokens / self.rate
        if self.states("device_rate"):
            said["device_rate"] = self.tokens / (self.devices * self.device_rate)
        if self.states("step_time"):
            said["step_time"] = self.tokens * self.step_time / self.batch
        if self.states("device_time"):
            said["device_time"] = self.device_time / self.devices
        return said

    def laws(self) -> Iterator[Law]:
        yield Falls("time", "devices", "without communication, more devices share the same work")
        yield Falls("time", "utilization", "each device does more")
        yield Rises("time", "tokens", "there is more to do")
        yield Rises("time", "parameters", "there is more to do for each token")
        yield Rises("time", "sequence", "each token attends to more of them")
        yield Falls("reached", "peak", "the same speed is less of a higher peak")
        if self.states("recomputed") and self.states("peak"):
            yield from self._parts(next(iter(self._times())))

    def _parts(self, by: str) -> Iterator[Law]:
        """The HFU counts more than the MFU, whichever of them is stated."""
        stated = by == "utilization"
        model = self.utilization if stated and self.counts == "model" else self.reached
        whole = self.utilization if stated and self.counts == "hardware" else self.hardware
        yield Holds(model <= whole, "the HFU counts more operations than the MFU")

    def equations(self) -> Equations:
        by = next(iter(self._times()))
        if self._known and not self.states("compute"):
            yield from self.attending()
            passed = self.operations * self.parameters
            each = passed + self.attention if self.shaped else passed
            yield self.needed, each * self.tokens, self.counted_why()
        work = self.compute if self.states("compute") else self.needed
        if by in BY_OPERATIONS:
            yield from self._by_operations(by, work)
        elif by == "device_time":
            yield self.time, self.device_time / self.devices
        else:
            yield from self._by_tokens(by)
        if by != "device_time":
            yield self.device_hours, self.devices * self.time
        hours = self.device_time if by == "device_time" else self.device_hours
        if by not in BY_OPERATIONS and self._known:
            yield self.speed, work / hours, "operations over device-hours"
        if self.states("peak") and (self._known or by == "achieved"):
            yield from self._reached(by)
        if self.states("price"):
            yield self.cost, self.price * hours
        yield from self._steps(by)

    def _by_operations(self, by: str, work: Expr) -> Equations:
        if self.states("recomputed") and self.counts == "hardware":
            yield self.made, work * self.more()
            work = self.made
        if by == "utilization":
            yield self.speed, self.peak * self.utilization
        speed = self.speed if by == "utilization" else self.achieved
        yield self.time, work / (self.devices * speed)
        if self.states("tokens"):
            yield self.together, self.tokens / self.time

    def _by_tokens(self, by: str) -> Equations:
        if by == "device_rate":
            yield self.together, self.devices * self.device_rate
        elif by == "step_time":
            yield self.together, self.batch / self.step_time, "those of a step in its time"
        yield self.time, self.tokens / (self.rate if by == "rate" else self.together)

    def _reached(self, by: str) -> Equations:
        """The parts of the peak that are not stated."""
        speed = self.achieved if by == "achieved" else self.speed
        part, again = speed / self.peak, self.states("recomputed")
        if not again:
            if by != "utilization":
                yield self.reached, part
        elif by in BY_OPERATIONS and self.counts == "hardware":
            if by != "utilization":
                yield self.hardware, part, "achieved over peak"
            whole = self.utilization if by == "utilization" else self.hardware
            yield self.reached, whole / self.more(), MODEL_ALONE
        else:
            if by != "utilization":
                yield self.reached, part, MODEL_ALONE
            own = self.utilization if by == "utilization" else self.reached
            yield self.hardware, own * self.more()

    def _steps(self, by: str) -> Equations:
        if self.states("batch") and self.states("tokens"):
            yield self.steps, ceiling(self.tokens / self.batch)
            if by != "step_time":
                yield self.step, self.time * self.batch / self.tokens
