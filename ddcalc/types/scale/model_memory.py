"""How much memory do the states of a model take?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import Expr, floor
from ddcalc.numbers.units import BYTE
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import amount, choice, count, data, derived


class ModelMemory(Problem):
    """How much memory do the states of a model take?

    Each parameter has a weight, a gradient and the states of the optimizer. In mixed precision with
    Adam these are 2, 2 and 12 bytes: weight and gradient in 16 bits, and for the optimizer a copy
    of the weight, the momentum and the variance in 32 bits. With plain SGD in 32 bits they are 4, 4
    and 0.

    Data-parallel workers each hold all of it, unless they share it out (ZeRO): in stage 1 the
    optimizer's states, in stage 2 the gradients too, in stage 3 the weights as well. Tensor and
    pipeline parallelism split the model before that. All is shared out evenly. Activations are not
    part of it; they, and what else a device holds, are stated.
    """

    answer = "device"
    terms = ("data parallelism",)
    source = (
        "Rajbhandari et al., ZeRO, SC 2020, arXiv:1910.02054, section 3.1 (16 bytes a parameter)"
        " and section 5 (the stages)"
    )

    parameters = amount("N", "parameters of the model", above=0, example="7.5B")
    weight = data("w", "weight of a parameter", bare=True, default="2 B")
    gradient = data("g", "gradient of a parameter", bare=True, default="2 B")
    optimizer = data("o", "optimizer states of a parameter", bare=True, default="12 B")
    workers = count("n", "data-parallel workers", default="1", example="64")
    split = count("s", "devices that split one model (tensor times pipeline)", optional=True)
    other = data("a", "activations and the rest on a device", optional=True)
    capacity = data("M", "memory of a device", above=0, optional=True)

    zero = choice(
        "what data-parallel workers share out",
        none="every worker holds all of it",
        stage_1="ZeRO 1: the optimizer's states are shared out",
        stage_2="ZeRO 2: and the gradients",
        stage_3="ZeRO 3: and the weights",
    )

    total = derived("S", "All states of the model", "parameters times their states", BYTE, least=0)
    weights = derived("W", "Weights on a device", "its part of the model", BYTE, least=0)
    gradients = derived("G", "Gradients on a device", "its part of the model", BYTE, least=0)
    adaptive = derived("O", "Optimizer states on a device", "its part of the model", BYTE, least=0)
    device = derived(
        "D", "States on a device", "weights, gradients, optimizer", BYTE, least=0, better="less"
    )
    needed = derived(
        "D_all", "Memory that a device needs", "with activations and the rest", BYTE,
        least=0, better="less",
    )  # fmt: skip
    spare = derived("L", "What a device has left", "negative: it does not fit", BYTE, better="more")
    largest = derived(
        "N_max", "Parameters that would fit", "of a model split in the same way",
        least=0, better="more",
    )  # fmt: skip

    def conditions(self) -> Iterator[Condition]:
        held = self.weight + self.gradient + self.optimizer
        yield Condition(held > 0, "weight", "is nothing, and so are gradient and optimizer")
        if self.states("other", "capacity"):
            yield Condition(self.other < self.capacity, "other", "leaves no memory for the model")

    def equations(self) -> Equations:
        yield self.total, self.parameters * (self.weight + self.gradient + self.optimizer)
        model = self.parameters / self.split if self.states("split") else self.parameters
        for part, size, first in self._parts():
            if self._stage() >= first:
                yield part, model * size / self.workers, "shared out among the workers"
            else:
                yield part, model * size
        yield self.device, self.weights + self.gradients + self.adaptive
        held = self.device
        if self.states("other"):
            yield self.needed, self.device + self.other
            held = self.needed
        if self.states("capacity"):
            room = self.capacity - self.other if self.states("other") else self.capacity
            yield self.spare, self.capacity - held
            yield self.largest, floor(room * self.parameters / self.device)

    def laws(self) -> Iterator[Law]:
        yield Holds(self.device <= self.total, "a device holds no more than all there is")
        yield Rises("device", "parameters", "each parameter has states")
        yield Falls("device", "workers", "shared out among more, each holds less")
        if self.states("split"):
            yield Falls("device", "split", "of a model in more parts each device holds less")
        if self.states("capacity"):
            fits = self.spare >= 0
            yield Holds(self.largest >= floor(self.parameters), "what fits is no larger", fits)

    def _stage(self) -> int:
        return 0 if self.zero == "none" else int(self.zero[-1])

    def _parts(self) -> Iterator[tuple[Expr, Expr, int]]:
        """What a device holds, the bytes of a parameter, and the stage that shares it out."""
        yield self.weights, self.weight, 3
        yield self.gradients, self.gradient, 2
        yield self.adaptive, self.optimizer, 1
