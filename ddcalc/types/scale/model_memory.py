"""How much memory do the states of a model take?"""

from collections.abc import Iterator, Mapping

from ddcalc.formula.algebra import Expr, cases, ceiling, floor, same, total
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Number
from ddcalc.numbers.amounts import ROUNDED, common, in_sentence, in_unit
from ddcalc.numbers.units import BYTE
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import amount, choice, count, data, derived, facts
from ddcalc.problem.sentences import Crosscheck, First, Premise, Said, Sentence
from ddcalc.problem.steps import Step, Table

THREE = (
    "Training keeps three things for every parameter: its weight, its gradient, and what the"
    " optimizer remembers of it."
)
SPLIT = " Before that, the model is cut into s equal parts."
STAGES = (
    "nothing",
    "optimizer states (ZeRO 1)",
    "and gradients (ZeRO 2)",
    "and weights (ZeRO 3)",
)
HELD = {
    "none": "Every data-parallel worker holds all of this.",
    "stage_1": (
        "Each worker holds all weights and gradients but updates only its share of the parameters,"
        " so it keeps the optimizer states of that share alone."
    ),
    "stage_2": (
        "Each worker holds all weights but updates only its share of the parameters, so it keeps"
        " the summed gradients and optimizer states of that share alone."
    ),
    "stage_3": (
        "Each worker keeps all three for its share of the parameters alone, and fetches the other"
        " weights when they are needed."
    ),
}


class ModelMemory(Problem):
    """How much memory do the states of a model take?

    Training keeps three things for every parameter: its weight, its gradient, and what the
    optimizer remembers of it. Data-parallel workers each hold all of this, a copy like every other,
    unless they share it out; tensor and pipeline parallelism cut the model into parts before that.

    In mixed precision with Adam the three take 2, 2 and 12 bytes: weight and gradient in 16 bits,
    and for the optimizer a copy of the weight, the momentum and the variance in 32 bits. With plain
    SGD in 32 bits they take 4, 4 and 0. ZeRO shares out the optimizer's states in stage 1, the
    gradients too in stage 2, the weights as well in stage 3. Activations are not part of it; they,
    and what else a device holds, are stated.
    """

    answer = "device"
    keywords = (
        "VRAM; GPU memory; does the model fit; ZeRO stages; FSDP; sharded optimizer states; Adam"
        " states; mixed-precision memory; out of memory"
    )
    terms = ("data parallelism", "ZeRO", "mixed precision", "model parallelism")
    source = (
        "Rajbhandari et al., ZeRO, SC 2020, arXiv:1910.02054, section 3.1 (16 bytes a parameter)"
        " and section 5 (the stages)"
    )

    parameters = amount(
        "N", "parameters of the model", above=0, example="7.5B",
        filled_by=facts("model.parameters"),
    )  # fmt: skip
    weight = data("w", "weight of a parameter", bare=True, default="2 B")
    gradient = data("g", "gradient of a parameter", bare=True, default="2 B")
    optimizer = data("o", "optimizer states of a parameter", bare=True, default="12 B")
    workers = count("n", "data-parallel workers", default="1", example="64")
    split = count("s", "devices that split one model (tensor times pipeline)", optional=True)
    other = data("a", "activations and the rest on a device", optional=True)
    capacity = data(
        "M", "memory of a device", above=0, optional=True, filled_by=facts("device.memory")
    )

    zero = choice(
        "what data-parallel workers share out",
        none="every worker holds all of it",
        stage_1="ZeRO 1: optimizer states shared out",
        stage_2="ZeRO 2: optimizer states and gradients shared out",
        stage_3="ZeRO 3: all states shared out, weights too",
        also="0 none 1 stage_1 2 stage_2 3 stage_3"
        " zero_0 none zero_1 stage_1 zero_2 stage_2 zero_3 stage_3",
    )

    total = derived("S", "All states of the model", "each parameter has all three", BYTE, least=0)
    weights = derived("W", "Weights on a device", "", BYTE, least=0)
    gradients = derived("G", "Gradients on a device", "", BYTE, least=0)
    adaptive = derived("O", "Optimizer states on a device", "", BYTE, least=0)
    device = derived("D", "States on a device", "", BYTE, least=0, better="less")
    needed = derived(
        "D_all", "Memory that a device needs", "activations and the rest come on top", BYTE,
        least=0, better="less",
    )  # fmt: skip
    spare = derived("L", "What a device has left", "below 0 it does not fit", BYTE, better="more")
    largest = derived(
        "N_max", "Parameters that would fit",
        "memory for the states grows with the parameters, the rest does not",
        least=0, better="more",
    )  # fmt: skip

    def mechanism(self) -> str:
        return f"{THREE} {HELD[self.zero]}{SPLIT if self.states('split') else ''}"

    def conclusion(self) -> Iterator[Said]:
        parts = "{weights} of weights, {gradients} of gradients and {adaptive} of optimizer states"
        several = self.devices > 1
        if self.states("capacity"):
            yield self._fitting()
            yield self._stages_that_fit()
        alone = self.total / self.split if self.states("split") else self.total
        yield First(
            Sentence(
                f"The states of the model take {{device}} on each device: {parts}. Without sharing"
                " they would take {alone} there.",
                self.device < alone,
                alone=alone,
            ),
            Sentence(
                f"The states of the model take {{total}} in all, of which each device holds"
                f" {{device}}: {parts}.",
                (several, self.device < self.total),
            ),
            Sentence(
                f"The states of the model take {{device}}, and each device holds all of them:"
                f" {parts}.",
                several,
            ),
            f"The states of the model take {{device}}: {parts}.",
        )
        if self.states("other") and not self.states("capacity"):
            yield "With activations and the rest a device needs {needed}."

    def _fitting(self) -> Said:
        """Whether a device has memory enough."""
        needs = "with activations and the rest ({other}) " if self.states("other") else ""
        held = self.needed if self.states("other") else self.device
        return First(
            Sentence(
                f"It fits: {needs}a device uses {{held}} of its {{capacity}}.",
                held <= self.capacity,
                held=held,
            ),
            Sentence(
                f"That does not fit: {needs}a device needs {{held}}, {{less}} more than its"
                " {capacity}.",
                held=held,
                less=-self.spare,
            ),
        )

    def _stages_that_fit(self) -> Said:
        """With which stages it fits: the more is shared out, the less a device needs."""
        fits = [(self.workers > 1, self._needs(stage) <= self.capacity) for stage in range(4)]
        without = "without sharing"
        at_once = "It fits without ZeRO." if self.zero == "none" else f"It fits {without}, too."
        return First(
            Sentence(at_once, fits[0]),
            Sentence(f"It fits with ZeRO stages 1, 2 and 3, but not {without}.", fits[1]),
            Sentence(
                f"It fits with ZeRO stages 2 and 3, but not with stage 1 or {without}.", fits[2]
            ),
            Sentence(
                f"It fits with ZeRO stage 3 alone, not with stages 1 and 2 or {without}.", fits[3]
            ),
            Sentence("It fits with none of the ZeRO stages.", self.workers > 1),
        )

    def _needs(self, stage: int) -> Expr:
        """What a device would need in that stage of ZeRO; 0 is without sharing."""
        model = self.parameters / self.split if self.states("split") else self.parameters
        held = model * total(
            size / self.workers if stage >= first else size for _, size, first in self._parts()
        )
        return held + self.other if self.states("other") else held

    def pictures(self, values: Mapping[str, Number]) -> Iterator[Step]:
        if not self.states("capacity") or values["workers"] == 1:
            return
        known = {one.letter: values[name] for name, one in self.givens.items() if name in values}
        capacity = values["capacity"]
        needs = [evaluate(self._needs(stage), known) for stage in range(4)]
        unit = common([capacity, *needs], BYTE) or BYTE
        amounts = [in_unit(need, unit, exact=ROUNDED) for need in needs]
        rows = tuple(
            (
                shared,
                amount.number if amount.exact else f"≈ {amount.number}",
                "fits" if need <= capacity else "does not fit",
            )
            for shared, need, amount in zip(STAGES, needs, amounts, strict=True)
        )
        header = ("shared out", f"a device needs ({unit.name})", "")
        yield Table("What fits", f"a device has {in_sentence(capacity, BYTE)}", header, rows)

    def insights(self) -> Iterator[Said]:
        if self.states("capacity"):
            yield self._enough()
            yield self._fitting_model()
        if self.zero == "none":
            yield Sentence(
                "More workers take nothing off a device: {workers} copies of the same states fill"
                " {all} together.",
                self.workers > 1,
                all=self.devices * self.device,
            )
        elif self.zero != "stage_3":
            held = "the weights and the gradients" if self.zero == "stage_1" else "the weights"
            kept = self._bytes(shared=False)
            fits = (self.spare >= 0,) if self.states("capacity") else ()
            yield Sentence(
                f"However many workers share, a device keeps {{kept}}: {held} are not shared out.",
                (kept > 0, self.device > kept, *fits),
                kept=kept,
            )
        else:
            yield Sentence(
                "Twice as many workers halve it, to {half}: nothing is held twice.",
                half=self.device / 2,
            )
        if self.states("capacity"):
            return
        yield self._usual()
        yield Sentence(
            "The optimizer's states are {part %} of what a device holds.",
            self.adaptive > self.weights + self.gradients,
            part=self.adaptive / self.device,
        )

    def _fitting_model(self) -> Said:
        """The largest model that would fit."""
        room = self._room
        return First(
            Sentence(
                "With any number of parameters it would not fit: activations and the rest alone"
                " take as much as a device has, or more.",
                room <= 0,
            ),
            Sentence("Not even one parameter would fit.", self.largest < 1),
            Sentence(
                "A model of at most {most parameter} would fit into the {room} that are left"
                " for its states.",
                most=floor(room * self.parameters / self.device),
                room=room,
            ),
        )

    def _usual(self) -> Said:
        """What the usual bytes of a parameter are."""
        usual = (self.weight, 2), (self.gradient, 2), (self.optimizer, 12)
        return Sentence(
            "Adam in mixed precision takes 16 bytes a parameter: 2 for the weight, 2 for the"
            " gradient, 4 each for a 32-bit weight, momentum and variance.",
            tuple(same(size, number) for size, number in usual),
        )

    def _enough(self) -> Said:
        """How many devices it takes until it fits."""
        room = self._room
        if self.zero == "none":
            whole = self.split * self.device if self.states("split") else self.device
            parts = ceiling(whole / room)
            text = "It would fit if {parts device} split one model."
            return Sentence(text, (self.spare < 0, room > 0), parts=parts)
        shared, without = self._bytes(shared=True), room
        if self.zero != "stage_3":
            without = room - self._bytes(shared=False)
        least = ceiling(shared / without)
        why = "a device then has room for its part of the {shared} that are shared out"
        return First(
            Sentence(
                "No number of workers makes it fit: what they do not share out leaves no room.",
                (self.spare < 0, without <= 0, room > 0),
            ),
            Sentence(
                f"It would fit from {{least worker}} on: {why}.",
                (self.spare < 0, without > 0),
                least=least,
                shared=shared,
            ),
            Sentence(
                f"It fits from {{least worker}} on: {why}.",
                (least > 1, least < self.workers, without > 0),
                least=least,
                shared=shared,
            ),
        )

    def crosschecks(self) -> Iterator[Crosscheck]:
        held = [size / self.workers if self._stage() >= first else size
                for _, size, first in self._parts()]  # fmt: skip
        bytes_held = held[0] + held[1] + held[2]
        if self.zero == "stage_3":
            yield Crosscheck(
                "all {devices device} hold each state once",
                same(self.devices * self.device, self.total),
                self.devices > 1,
                devices=self.devices,
            )
        else:
            model = self.parameters / self.split if self.states("split") else self.parameters
            yield Crosscheck(
                "a parameter's bytes on a device, times the parameters",
                same(bytes_held * model, self.device),
            )

    def premises(self) -> Iterator[Premise]:
        if not self.states("other"):
            yield Premise("activations are not counted", "other")
        yield Premise("everything is split evenly")
        yield Premise("no communication buffers, no gaps between blocks of memory")

    @property
    def devices(self) -> Expr:
        """All devices."""
        return self.workers * self.split if self.states("split") else self.workers

    def conditions(self) -> Iterator[Condition]:
        held = self.weight + self.gradient + self.optimizer
        yield Condition(held > 0, "weight", "is nothing, and so are gradient and optimizer")

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
            room = self._room
            yield self.spare, self.capacity - held
            fits = floor(room * self.parameters / self.device)
            if self.states("other"):
                fits = cases((0, room <= 0, "the rest leaves no room"), otherwise=fits)
            yield self.largest, fits

    def laws(self) -> Iterator[Law]:
        yield Holds(self.device <= self.total, "a device holds no more than all there is")
        yield Rises("device", "parameters", "each parameter has states")
        yield Falls("device", "workers", "shared out among more, each holds less")
        if self.states("split"):
            yield Falls("device", "split", "of a model in more parts each device holds less")
        if self.states("capacity"):
            fits = self.spare >= 0
            yield Holds(self.largest >= floor(self.parameters), "what fits is no larger", fits)

    @property
    def _room(self) -> Expr:
        """What a device has for the states."""
        return self.capacity - self.other if self.states("other") else self.capacity

    def _stage(self) -> int:
        return 0 if self.zero == "none" else int(self.zero[-1])

    def _bytes(self, *, shared: bool) -> Expr:
        """What workers share out of the states of their part of the model, or what they do not."""
        model = self.parameters / self.split if self.states("split") else self.parameters
        return model * total(
            size for _, size, first in self._parts() if (self._stage() >= first) == shared
        )

    def _parts(self) -> Iterator[tuple[Expr, Expr, int]]:
        """What a device holds, the bytes of a parameter, and the stage that shares it out."""
        yield self.weights, self.weight, 3
        yield self.gradients, self.gradient, 2
        yield self.adaptive, self.optimizer, 1
