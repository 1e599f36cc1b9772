"""How much memory do the states of a model take?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import Expr, floor, same, total
from ddcalc.numbers.units import BYTE
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import amount, choice, count, data, derived
from ddcalc.problem.sentences import Crosscheck, First, Premise, Said, Sentence


class ModelMemory(Problem):
    """How much memory do the states of a model take?

    Each parameter has a weight, a gradient and the states of the optimizer: with Adam in mixed
    precision a copy of the weight, the momentum and the variance, of 32 bits each.

    In mixed precision with Adam a weight takes 2 bytes, a gradient 2 and the states of the
    optimizer 12: weight and gradient in 16 bits, the rest in 32. With plain SGD in 32 bits they are
    4, 4 and 0.

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
        none="every data-parallel worker holds all states",
        stage_1="ZeRO 1: workers share out the optimizer's states",
        stage_2="ZeRO 2: they share out the gradients, too",
        stage_3="ZeRO 3: they share out the weights, too",
    )

    total = derived("S", "All states of the model", "", BYTE, least=0)
    weights = derived("W", "Weights on a device", "", BYTE, least=0)
    gradients = derived("G", "Gradients on a device", "", BYTE, least=0)
    adaptive = derived("O", "Optimizer states on a device", "", BYTE, least=0)
    device = derived("D", "States on a device", "", BYTE, least=0, better="less")
    needed = derived(
        "D_all", "Memory that a device needs, with the rest", "", BYTE,
        least=0, better="less",
    )  # fmt: skip
    spare = derived("L", "What a device has left", "below 0: it does not fit", BYTE, better="more")
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
                yield part, model * size / self.workers, "each worker keeps its share"
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

    def mechanism(self) -> str:
        told = [super().mechanism()]
        if self.states("split"):
            told.append("Tensor and pipeline parallelism first cut the model into equal parts.")
        told.append(
            {
                "none": "Every data-parallel worker holds all of them.",
                "stage_1": "Every worker holds all weights and gradients, but updates only its"
                " share of the parameters, and keeps the optimizer's states for these alone.",
                "stage_2": "Every worker holds all weights, but keeps gradients and optimizer"
                " states only for its share of the parameters.",
                "stage_3": "Every worker keeps its share of all of them, and fetches weights from"
                " the others when it computes.",
            }[self.zero]
        )
        return " ".join(told)

    def conclusion(self) -> Iterator[Said]:
        yield Sentence(
            "Each device holds {device} of the model's states: {weights} of weights, {gradients} of"
            " gradients and {adaptive} of optimizer states."
        )
        if self.states("other"):
            yield "With activations and the rest, it needs {needed}."
        if self.states("capacity"):
            yield First(
                Sentence(
                    "That fits into {capacity} and leaves {spare}; a model of up to"
                    " {largest parameter} would fit.",
                    self.spare >= 0,
                ),
                Sentence(
                    "That is {more} more than the {capacity} of a device: at most"
                    " {largest parameter} would fit.",
                    more=-self.spare,
                ),
            )

    def insights(self) -> Iterator[Said]:
        stage, n = self._stage(), self.workers
        model = self.parameters / self.split if self.states("split") else self.parameters
        if stage == 0:
            shared = self.device / n
            yield Sentence(
                "All {workers worker} hold the same; sharing it out (ZeRO 3) would leave {shared}"
                " on each, sharing out only the optimizer's states (ZeRO 1) {first}.",
                n > 1,
                shared=shared,
                first=self.weights + self.gradients + self.adaptive / n,
            )
        else:
            kept = [part for part, _, first in self._parts() if stage < first]
            held = self.weights if stage == 2 else self.weights + self.gradients
            names = "weights" if stage == 2 else "weights and gradients"
            if kept:
                yield Sentence(
                    f"However many workers there are, a device holds at least the {{held}} of"
                    f" {names}, {{part %}} of what it holds now.",
                    (held > 0, n > 1),
                    held=held,
                    part=held / self.device,
                )
            sizes = [size for _, size, first in self._parts() if stage >= first]
            part = model * total(sizes) / n
            yield Sentence(
                "With twice the workers it would be {less}.", part > 0, less=self.device - part / 2
            )
        whole = self.weight + self.gradient + self.optimizer
        yield Sentence(
            "Before anything is split or shared, a parameter takes {whole}, of which the"
            " optimizer's states are {part %}.",
            self.optimizer > 0,
            whole=whole,
            part=self.optimizer / whole,
        )

    def crosschecks(self) -> Iterator[Crosscheck]:
        stage = self._stage()
        if stage == 0 and not self.states("split"):
            return
        n = self.workers
        copy: Expr = self.device
        if stage:
            parts = [n * part if stage >= first else part for part, _, first in self._parts()]
            copy = parts[0] + parts[1] + parts[2]
            if stage == 3:
                copy = n * self.device
        if self.states("split"):
            copy = self.split * copy
        text = "all parts of one copy, put together, are all states of the model"
        yield Crosscheck(text, same(copy, self.total))

    def premises(self) -> Iterator[Premise]:
        if not self.states("other"):
            yield Premise("activations and buffers come on top", "other")
        yield Premise("what is shared out or split is divided evenly")
        if self._stage() == 3:
            yield Premise("weights that are fetched for a layer are not counted")

    def _stage(self) -> int:
        return 0 if self.zero == "none" else int(self.zero[-1])

    def _parts(self) -> Iterator[tuple[Expr, Expr, int]]:
        """What a device holds, the bytes of a parameter, and the stage that shares it out."""
        yield self.weights, self.weight, 3
        yield self.gradients, self.gradient, 2
        yield self.adaptive, self.optimizer, 1
