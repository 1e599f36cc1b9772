"""How long does a training take on so many devices?"""

from collections.abc import Iterator

from ddcalc.algebra import Expr, ceiling, same
from ddcalc.problem import Condition, Equations, Problem
from ddcalc.quantity import Given, amount, count, derived, duration, number, price, token_rate
from ddcalc.units import FLOP, HOUR, SECOND, TOKEN_PER_SECOND, USD, unit_named

TFLOP_PER_SECOND = unit_named("TFLOP/s")


class TrainingTime(Problem):
    """How long does a training take on so many devices?

    Training a transformer of N parameters on D tokens takes about 6·N·D floating-point operations:
    two for each parameter and token forward, four backward; 8 instead of 6 if activations are
    computed a second time. Of a mixture of experts only the active parameters count. The devices
    share the operations; each manages a part of its peak, the utilization (MFU).

    State how fast it goes in one way: by the peak of a device and the utilization; by the
    operations a second that a device achieves; by tokens a second, of all devices or of each; by
    the tokens and the time of a step; or by the device-hours in all. Where operations and their
    speed are known, tokens a second follow, and the other way round.

    What part of the peak a training reaches that was measured is asked by ``ddcalc utilization``.
    """

    answer = "time"
    group = "scaling and cost"
    terms = ("speed-up",)
    source = (
        "6·N·D: Kaplan et al., Scaling Laws for Neural Language Models, arXiv:2001.08361; 8 with"
        " recomputation, and the time as C/(n·X): Narayanan et al., Efficient Large-Scale Language"
        " Model Training on GPU Clusters, SC 2021, arXiv:2104.04473"
    )

    parameters = amount(
        "N", "parameters that a token passes", above=0, optional=True, example="70B"
    )
    tokens = amount("D", "tokens of the training", above=0, optional=True, example="15T")
    operations = Given(
        "f", "operations for each parameter and token", FLOP, above=0, bare=True, default="6 FLOP"
    )
    compute = Given("C", "operations of the training", FLOP, above=0, bare=True, optional=True)
    devices = count("n", "devices (GPUs, TPUs)", default="1", example="1024")
    peak = Given(
        "P", "peak of a device", TFLOP_PER_SECOND, above=0, optional=True, example="989.5 TFLOP/s"
    )
    utilization = number(
        "u", "part of the peak that is reached (MFU)", above=0, most=1, optional=True, example="0.5"
    )
    achieved = Given(
        "X", "operations a second that a device achieves", TFLOP_PER_SECOND, above=0, optional=True
    )
    rate = token_rate("r", "tokens a second, all devices", optional=True)
    device_rate = token_rate("r_1", "tokens a second of each device", optional=True)
    batch = amount("B", "tokens in a step", above=0, optional=True)
    step_time = duration("t_step", "time of a step", above=0, optional=True)
    device_time = Given("H", "device-hours in all", HOUR, above=0, optional=True)
    price = price("p", "price of a device", optional=True)

    needed = derived("C_all", "Operations", "each token passes each parameter", FLOP)
    speed = derived(
        "X_u", "Operations a second of a device", "a part of its peak", TFLOP_PER_SECOND
    )
    together = derived("r_all", "Tokens a second", "all devices", TOKEN_PER_SECOND)
    time = derived("T", "Time of the training", "the devices work side by side", SECOND)
    device_hours = derived("H_all", "Device-hours", "each device is busy all the time", HOUR)
    cost = derived("M", "Cost", "every device is paid for all the time", USD)
    reached = derived("u_X", "Part of the peak that is reached (MFU)", "achieved over peak")
    steps = derived("S", "Steps", "the last one may be smaller")
    step = derived("t_B", "Time of a step", "its part of the tokens", SECOND)

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

    def conditions(self) -> Iterator[Condition]:
        name, speed = next(iter(self._times().items()))
        for other, time in self._times().items():
            if other != name:
                yield Condition(
                    same(time, speed), other, f"does not fit what {name} says; state one of the two"
                )
        if all(map(self.states, ("compute", "parameters", "tokens"))):
            made = self.operations * self.parameters * self.tokens
            yield Condition(
                same(self.compute, made), "compute",
                "is not that of the model and tokens; leave it out",
            )  # fmt: skip

    def _times(self) -> dict[str, Expr]:
        """The time by each statement of a speed, from the first that counts."""
        operations = self.operations * self.parameters * self.tokens
        work = self.compute if self.states("compute") else operations
        said: dict[str, Expr] = {}
        if self.states("utilization"):
            said["utilization"] = work / (self.devices * self.peak * self.utilization)
        if self.states("achieved"):
            said["achieved"] = work / (self.devices * self.achieved)
        if self.states("rate"):
            said["rate"] = self.tokens / self.rate
        if self.states("device_rate"):
            said["device_rate"] = self.tokens / (self.devices * self.device_rate)
        if self.states("step_time"):
            said["step_time"] = self.tokens * self.step_time / self.batch
        if self.states("device_time"):
            said["device_time"] = self.device_time / self.devices
        return said

    def equations(self) -> Equations:
        by = next(iter(self._times()))
        known = self.states("compute") or (self.states("parameters") and self.states("tokens"))
        if known and not self.states("compute"):
            yield self.needed, self.operations * self.parameters * self.tokens
        work = self.compute if self.states("compute") else self.needed
        if by in ("utilization", "achieved"):
            yield from self._by_operations(by, work)
        elif by == "device_time":
            yield self.time, self.device_time / self.devices
        else:
            yield from self._by_tokens(by)
        if by != "device_time":
            yield self.device_hours, self.devices * self.time
        hours = self.device_time if by == "device_time" else self.device_hours
        if by not in ("utilization", "achieved") and known:
            yield self.speed, work / hours, "operations over device-hours"
        if self.states("peak") and by != "utilization" and (known or by == "achieved"):
            yield self.reached, (self.achieved if by == "achieved" else self.speed) / self.peak
        if self.states("price"):
            yield self.cost, self.price * hours
        yield from self._steps(by)

    def _by_operations(self, by: str, work: Expr) -> Equations:
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

    def _steps(self, by: str) -> Equations:
        if self.states("batch") and self.states("tokens"):
            yield self.steps, ceiling(self.tokens / self.batch)
            if by != "step_time":
                yield self.step, self.time * self.batch / self.tokens
