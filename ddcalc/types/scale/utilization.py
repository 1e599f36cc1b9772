"""What part of the devices' peak does a training reach (MFU)?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import Expr, same
from ddcalc.numbers.units import FLOP, HOUR, TOKEN_PER_SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations
from ddcalc.problem.quantity import amount, derived, duration, given, share, token_rate
from ddcalc.types.scale._operations import (
    AGAIN,
    ASK,
    MFU_OR_HFU,
    MODEL_ALONE,
    TFLOP_PER_SECOND,
    Transformer,
)


class Utilization(Transformer):
    """What part of the devices' peak does a training reach (MFU)?

    The model FLOPs utilization (MFU) counts the operations that the model needs, about 6 for each
    parameter and token, over those that the devices could have made. What is computed a second time
    to save memory does not count; the hardware FLOPs utilization (HFU) counts it as well: state
    ``--recomputed 2`` if all activations are. With ``--operations 8`` all 8 count, so what comes
    out is the HFU.

    Attention is left out unless the shape is stated: it adds 12·L·h·q·s for each token of a
    sequence of s in L layers of h heads of size q, which is more than a quarter of 6·N for 8B
    parameters, 32 layers, a width of 4096 and 8192 tokens.

    State what was measured in one way: tokens a second, of all devices or of each; the tokens and
    the time of a step; or the tokens of the whole training with its time or its device-hours. Of a
    mixture of experts only the active parameters count.
    """

    answer = "utilization"
    terms = ("speed-up",)
    source = (
        "MFU with attention, and HFU: Chowdhery et al., PaLM, arXiv:2204.02311, appendix B; 6"
        " operations for each parameter and token: Kaplan et al., arXiv:2001.08361; 8 with"
        " recomputation: Narayanan et al., SC 2021, arXiv:2104.04473"
    )

    parameters = amount("N", "parameters that a token passes", above=0, example="7B")
    peak = given("P", "peak of a device", TFLOP_PER_SECOND, above=0, example="989 TFLOP/s")
    rate = token_rate("r", "tokens a second, all devices", optional=True, example="150000 tokens/s")
    device_rate = token_rate("r_1", "tokens a second of each device", optional=True)
    batch = amount("B", "tokens in a step", above=0, optional=True)
    step_time = duration("t_step", "time of a step", above=0, optional=True)
    time = duration("T", "time of the training", above=0, optional=True)
    device_time = given("H", "device-hours of the training", HOUR, above=0, optional=True)

    each = derived("r_n", "Tokens a second of each device", "an equal share", TOKEN_PER_SECOND)
    per_token = derived("F", "Operations for each token", "it passes each parameter", FLOP)
    achieved = derived(
        "X", "Operations a second of a device", "of each token all", TFLOP_PER_SECOND, better="more"
    )
    utilization = share("u", "Part of the peak", MFU_OR_HFU, better="more")
    hardware = share("u_x", "With what is computed again (HFU)", AGAIN, better="more")

    def needs(self) -> Iterator[tuple[str, ...]]:
        yield "rate", "device_rate", "step_time", "time", "device_time"
        if self.states("step_time"):
            yield ("batch",)
        if self.states("time") or self.states("device_time"):
            yield ("tokens",)
        yield from super().needs()

    def conditions(self) -> Iterator[Condition]:
        yield from super().conditions()
        name, *others = rates = self._rates()
        made = self.for_a_token() * rates[name]
        if self.states("recomputed"):
            made = made * self.more()
        told = f"takes more than the peak of {{devices device}}; {ASK}"
        yield Condition(made <= self.peak, name, told)
        for other in others:
            yield Condition(
                same(rates[name], rates[other]), other,
                f"does not fit what {name} says; state one of the two",
            )  # fmt: skip

    def _rates(self) -> dict[str, Expr]:
        """Tokens a second of each device by each statement, from the first that counts."""
        said: dict[str, Expr] = {}
        if self.states("device_rate"):
            said["device_rate"] = self.device_rate
        if self.states("rate"):
            said["rate"] = self.rate / self.devices
        if self.states("step_time"):
            said["step_time"] = self.batch / (self.devices * self.step_time)
        if self.states("device_time"):
            said["device_time"] = self.tokens / self.device_time
        if self.states("time"):
            said["time"] = self.tokens / (self.devices * self.time)
        return said

    def laws(self) -> Iterator[Law]:
        yield Rises("utilization", "parameters", "each token takes more operations")
        yield Rises("utilization", "sequence", "each token attends to more of them")
        yield Falls("utilization", "peak", "the same speed is less of a higher peak")
        yield Falls("utilization", "time", "the same operations took longer")
        if self.states("recomputed"):
            because = "the HFU counts more operations than the MFU"
            yield Holds(self.utilization <= self.hardware, because)

    def equations(self) -> Equations:
        by, each = next(iter(self._rates().items()))
        if by != "device_rate":
            yield self.each, each
        yield from self.attending()
        passed = self.operations * self.parameters
        yield self.per_token, passed + self.attention if self.shaped else passed, self.counted_why()
        yield self.achieved, self.per_token * (each if by == "device_rate" else self.each)
        if not self.states("recomputed"):
            yield self.utilization, self.achieved / self.peak
        else:
            yield self.utilization, self.achieved / self.peak, MODEL_ALONE
            yield self.hardware, self.utilization * self.more()
