"""How long does a training take, and what MFU does it reach?"""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.formula.algebra import Expr, Num, Rel, ceiling, same
from ddcalc.numbers.units import FLOP, HOUR, TOKEN_PER_SECOND, USD, unit_named
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem, Shape
from ddcalc.problem.quantity import (
    amount,
    choice,
    count,
    derived,
    duration,
    elapsed,
    facts,
    given,
    number,
    price,
    share,
    token_rate,
)
from ddcalc.problem.sentences import (
    Argument,
    Crosscheck,
    First,
    Premise,
    Rewritten,
    Said,
    Sentence,
)

TFLOP_PER_SECOND = unit_named("TFLOP/s")

BY_TOKENS = ("rate", "device_rate", "step_time")
BY_OPERATIONS = ("utilization", "achieved")
SPEEDS = (*BY_OPERATIONS, *BY_TOKENS, "device_time")  # the first that is stated counts
ATTENTION = ("layers", "heads", "head_size", "width", "sequence")

WITH_AGAIN = "what is stated as achieved counts what is computed again"
AGAIN = "f_r counts on top of f: 6 and 2 for example, not 8 and 2"
SCALED = "2·f: 12 with f = 6, 16 with 8"
MODEL_ALONE = "without f_r: the MFU, if f is what the model needs alone"
WHICH_PEAK = "is the peak that of the number format in use, dense or with sparsity"
ASK = f"{WHICH_PEAK}, are all devices counted, and is N what one token passes?"


class TrainingTime(Problem):
    """How long does a training take, and what MFU does it reach?

    Every token passes every parameter: forward with a multiplication and an addition, backward with
    twice that. The devices share these operations and work side by side, as a rule below their
    peak, since they also wait for data.

    Training a transformer of N parameters on D tokens takes about 6·N·D floating-point operations.
    Of a mixture of experts only the active parameters count. Attention is left out unless the shape
    is stated: it adds 2·f·L·h·q·s for each token of a sequence of s in L layers of h heads of size
    q, 12·L·h·q·s with the usual 6 operations f (with 8, attention is computed again as well). That
    is more than a quarter of 6·N for 8B parameters, 32 layers, a width of 4096 and 8192 tokens.

    The devices share the operations; each manages a part of its peak, the utilization. The model's
    (MFU) counts what the model needs. Where activations are computed a second time, two operations
    more are made (``--recomputed 2``), 8 in all; the hardware's (HFU) counts these as well. Say
    which one is stated by ``--counts``. With ``--operations 8`` all 8 count, so it is the HFU.

    State how fast it goes in one way: by the peak of a device and the utilization; by the
    operations per second that a device achieves; by tokens per second, of all devices or of each;
    by the tokens and the time of a step; or by the device-hours in all. Where operations and their
    speed are known, tokens per second follow, and the other way round.

    Where a speed in tokens was measured and no tokens of the whole training are stated, the answer
    is the part of the peak that is reached, the MFU.
    """

    answer = "time"
    keywords = (
        "how long to train a language model; FLOPs of training; 6ND; MFU; HFU; GPU hours; tokens"
        " per second; days on so many GPUs"
    )
    terms = ("speed-up", "FLOPs", "MFU")
    source = (
        "6·N·D: Kaplan et al., Scaling Laws for Neural Language Models, arXiv:2001.08361; 8 with"
        " recomputation, and the time as C/(n·X): Narayanan et al., Efficient Large-Scale Language"
        " Model Training on GPU Clusters, SC 2021, arXiv:2104.04473; attention, MFU and HFU:"
        " Chowdhery et al., PaLM, arXiv:2204.02311, appendix B"
    )

    parameters = amount(
        "N", "parameters that a token passes", above=0, optional=True, example="70B",
        filled_by=facts("model.active_parameters", "model.parameters", unless=["compute"]),
    )  # fmt: skip
    tokens = amount(
        "D", "tokens of the training", above=0, optional=True, example="15T",
        filled_by=facts("model.tokens", unless=["compute"], beside=["utilization", "achieved"]),
    )  # fmt: skip
    operations = given(
        "f", "operations for each parameter and token", FLOP, above=0, bare=True, default="6 FLOP"
    )
    recomputed = given(
        "f_r", "operations that are made again, for each parameter and token", FLOP, least=0,
        bare=True, optional=True,
    )  # fmt: skip
    layers = count(
        "L", "layers, to count attention", optional=True, group="attention",
        filled_by=facts("model.layers", beside=["sequence"]),
    )  # fmt: skip
    heads = count("h", "attention heads of a layer", optional=True, group="attention")
    head_size = count("q", "size of a head", optional=True, group="attention")
    width = count(
        "d", "width of attention, heads times their size", optional=True, group="attention",
        filled_by=facts("model.width", unless=["heads", "head_size"], beside=["sequence"]),
    )  # fmt: skip
    sequence = count("s", "tokens of a sequence", optional=True, group="attention")
    devices = count("n", "devices (GPUs, TPUs)", default="1", example="1024")
    compute = given("C", "operations of the training", FLOP, above=0, bare=True, optional=True)
    peak = given(
        "P", "peak of a device", TFLOP_PER_SECOND, above=0, optional=True,
        example="989.5 TFLOP/s", filled_by=facts("device.peak"),
    )  # fmt: skip
    utilization = number(
        "u", "part of the peak that is reached (MFU, or HFU)",
        above=0, most=1, optional=True, example="0.5",
    )  # fmt: skip
    achieved = given(
        "X",
        "operations per second that a device achieves",
        TFLOP_PER_SECOND,
        above=0,
        optional=True,
    )
    rate = token_rate("r", "tokens per second, all devices", optional=True)
    device_rate = token_rate("r_1", "tokens per second of each device", optional=True)
    batch = amount("B", "tokens in a step", above=0, optional=True)
    step_time = duration("t_step", "time of a step", above=0, optional=True)
    device_time = given("H", "device-hours in all", HOUR, above=0, optional=True)
    price = price("p", "price of a device", optional=True, filled_by=facts("device.price"))

    scores = choice(
        "which scores of attention count",
        all="the scores of all pairs of tokens count",
        causal="half of the scores count: about those of earlier tokens",
    )
    counts = choice(
        "whether what is computed again counts as achieved",
        model="only operations that the model needs count as achieved (MFU)",
        hardware="operations that are made again count as achieved, too (HFU)",
    )

    attention = derived("F_a", "Operations of attention for each token", SCALED, FLOP)
    per_token = derived("F", "Operations for each token", "", FLOP)
    needed = derived("C_all", "Operations", "", FLOP)
    made = derived("C_made", "Operations, with those that are made again", AGAIN, FLOP)
    speed = derived(
        "X_u", "Operations per second of a device", "", TFLOP_PER_SECOND,
        better="more",
    )  # fmt: skip
    together = derived(
        "r_all", "Tokens per second, all devices", "", TOKEN_PER_SECOND, better="more"
    )
    time = elapsed("T", "Time of the training", "the devices work side by side")
    device_hours = derived("H_all", "Device-hours", "", HOUR, better="less")
    cost = derived("M", "Cost", "every device is paid for all the time", USD, better="less")
    reached = share("u_X", "Part of the peak that is reached", "", better="more")
    hardware = share("u_H", "The same with what is computed again (HFU)", AGAIN, better="more")
    steps = derived("S", "Steps", "the last one may be smaller")
    step = elapsed("t_B", "Time of a step", "")

    @classmethod
    def answer_in(cls, shape: Shape) -> str:
        """The part of the peak where a speed in tokens is stated, but not how many there are."""
        only_speed = not {"tokens", "device_time"} & {*shape.stated}
        return "reached" if only_speed and {*BY_TOKENS} & {*shape.stated} else "time"

    def needs(self) -> Iterator[tuple[str, ...]]:
        yield SPEEDS
        if self.states("utilization"):
            yield ("peak",)
        if self.states("step_time"):
            yield ("batch",)
        if self.states_any(*BY_OPERATIONS):
            yield "compute", "parameters"
            if not self.states("compute"):
                yield ("tokens",)
        if self.states_any(*BY_TOKENS):
            whole = self.states_any("compute", "price", "device_time")
            yield from [("tokens",)] if whole else [("tokens", "parameters"), ("tokens", "peak")]
        if self.states_any(*ATTENTION):
            yield from (("layers",), ("sequence",), ("width", "heads"), ("width", "head_size"))

    def conditions(self) -> Iterator[Condition]:
        if self.states("heads", "head_size", "width"):
            message = "is not {heads} heads times {head_size}; state one of the two"
            yield Condition(same(self.heads * self.head_size, self.width), "width", message)
        by, *others = self._speeds
        time = self._time_by(by)
        for other in others:
            message = f"does not fit what {by} says; state one of the two"
            yield Condition(same(self._time_by(other), time), other, message)
        if self.states("compute", "parameters", "tokens"):
            message = "is not that of the model and tokens; leave it out"
            yield Condition(same(self.compute, self._of_model()), "compute", message)
        if self.states("peak") and (self._knows_work or by in BY_OPERATIONS):
            yield self._possible(by, time)

    def _possible(self, by: str, time: Expr) -> Condition:
        """No device makes more operations per second than its peak."""
        again = self._more() if self.states("recomputed") else 1
        if by not in BY_OPERATIONS:
            most = self.devices * self.peak * time
            message = f"takes more than the peak of {{devices device}}; {ASK}"
            return Condition(self._work() * again <= most, by, message)
        if self.counts == "hardware":
            again = 1
        if by == "utilization":
            message = "leaves no room in the peak for what is computed again; is it the HFU?"
            return Condition(self.utilization * again <= 1, by, message)
        message = f"is more than the peak of a device; {WHICH_PEAK}?"
        if self.states("recomputed") and self.counts == "model":
            message = f"with what is computed again {message}"
        return Condition(self.achieved * again <= self.peak, by, message)

    # What the givens say by themselves

    @property
    def _speeds(self) -> list[str]:
        """The givens that state a speed; the first one counts."""
        return [name for name in SPEEDS if self.states(name)]

    @property
    def _knows_work(self) -> bool:
        """Whether the operations of the training, or of each token, are known."""
        return self.states("compute") or (
            self.states("parameters") and (self.states("tokens") or not self._has_time)
        )

    @property
    def _has_time(self) -> bool:
        return self.answer_in(self.shape) == "time"

    def _work(self) -> Expr:
        """The operations that the model needs."""
        return self.compute if self.states("compute") else self._of_model()

    def _of_model(self) -> Expr:
        """The same by the model and its tokens, for one token where no more are stated."""
        work = self.operations * self.parameters
        if self.states("sequence"):
            work = work + self._in_attention()
        return work * self.tokens if self.states("tokens") else work

    def _in_attention(self) -> Expr:
        """The operations of attention for each token."""
        wide = self.width if self.states("width") else self.heads * self.head_size
        twice = 2 if self.scores == "all" else 1
        return twice * self.operations * self.layers * wide * self.sequence

    def _more(self) -> Expr:
        """How many times the model's operations are made, if some are made again."""
        return (self.operations + self.recomputed) / self.operations

    def _time_by(self, speed: str) -> Expr:
        """The time by one statement of the *speed*, of one token where no more are stated."""
        tokens = self.tokens if self.states("tokens") else Num(1)
        match speed:
            case "rate":
                return tokens / self.rate
            case "device_rate":
                return tokens / (self.devices * self.device_rate)
            case "step_time":
                return tokens * self.step_time / self.batch
            case "device_time":
                return self.device_time / self.devices
        work = self._work()
        if self.states("recomputed") and self.counts == "hardware":
            work = work * self._more()
        pace = self.peak * self.utilization if speed == "utilization" else self.achieved
        return work / (self.devices * pace)

    def laws(self) -> Iterator[Law]:
        yield Falls("time", "devices", "without communication, more devices share the same work")
        yield Falls("time", "utilization", "each device does more")
        yield Rises("time", "tokens", "there is more to do")
        for name in ("parameters", "sequence"):
            why = "there is more to do for each token"
            yield Rises("time", name, why)
            yield Rises("reached", name, why)
        yield Falls("reached", "peak", "the same speed is less of a higher peak")
        if self.states("recomputed", "peak"):
            stated = self.states("utilization")
            model = self.utilization if stated and self.counts == "model" else self.reached
            whole = self.utilization if stated and self.counts == "hardware" else self.hardware
            yield Holds(model <= whole, "the HFU counts more operations than the MFU")

    # What is said of it

    def mechanism(self) -> str:
        by = self._speeds[0]
        if not self._has_time:
            return (
                "Every token passes every parameter: forward with a multiplication and an addition,"
                " backward with twice that. The tokens of a second therefore say how many"
                " operations the devices make in it, and that is compared with their peak."
            )
        if by in BY_OPERATIONS:
            return super().mechanism()
        if by == "device_time":
            return (
                "All devices work side by side from start to end, so that the device-hours are"
                " shared out equally among them."
            )
        says = (
            "All devices work side by side, each on its part of the tokens, and keep their speed to"
            " the end: the training lasts until the last token has passed."
        )
        if not self._reaches_part:
            return says
        part = "What part of the peak that is follows from the operations that the tokens need."
        return f"{says} {part}"

    def conclusion(self) -> Iterator[Said]:
        if not self._has_time:
            yield from self._conclusion_on_speed()
            return
        cost = " and costs {cost}" if self.states("price") else ""
        begin = f"The training takes {{time}} on {{devices device}}{cost}"
        yield First(*(Sentence(f"{begin}{end}.", when) for end, when in self._ends()))
        if self.states("batch", "tokens"):
            of = "" if self._speeds[0] == "step_time" else " of {step}"
            yield First(
                Sentence("It makes one step only, of fewer tokens.", self.batch > self.tokens),
                Sentence(f"It makes {{steps step}}{of}.", same(self.steps, self._filled_steps)),
                f"It makes {{steps step}}{of}, the last of them shorter.",
            )

    @property
    def _filled_steps(self) -> Expr:
        """The steps of the training, the last one in parts."""
        return self.tokens / self.batch

    def _ends(self) -> Iterator[tuple[str, Rel | None]]:
        """Which part of the peak is reached, if that is derived."""
        by, stated = self._speeds[0], self.states("utilization")
        again = self.states("recomputed")
        known = self._knows_work or by == "achieved"
        if not self.states("peak"):
            yield "", None
        elif stated and not again:
            yield ", at {utilization %} of {devices|its|their} peak", None
        elif not known:
            yield "", None
        elif not again:
            yield "; the MFU is {reached %}", self.operations <= 6
            yield "; {reached %} of the peak are reached", None
        elif not stated:
            yield "; the MFU is {reached %}, the HFU {hardware %}", self.operations <= 6
            more = "{reached %} of the peak are reached, and {hardware %} with what is made again"
            yield f"; {more}", None
        elif self.counts == "model":
            yield "; the HFU is {hardware %}", self.operations <= 6
            yield "; with what is computed again, {hardware %} of the peak are reached", None
        else:
            yield "; the MFU is {reached %}", self.operations <= 6
            yield "; without what is computed again, {reached %} of the peak are reached", None

    def _conclusion_on_speed(self) -> Iterator[Said]:
        attained = "each device attains {speed} of its {peak}"
        if self.states("recomputed"):
            again = f"{attained} with what is counted in {{operations}} a parameter and token"
            yield First(
                Sentence(
                    f"The MFU is {{reached %}}: {attained} with what the model needs. With what is"
                    " computed again it is {hardware %} (HFU).",
                    self.operations <= 6,
                ),
                f"{{reached %}} of the peak are reached: {again}. With what is made again they are"
                " {hardware %}.",
            )
            return
        yield First(
            Sentence(f"The MFU is {{reached %}}: {attained}.", self.operations <= 6),
            f"{{reached %}} of the peak are reached: {attained}, if each parameter and token takes"
            " {operations}. Where that counts what is computed again, it is the HFU.",
        )

    def insights(self) -> Iterator[Said]:
        by = self._speeds[0]
        if self.states("sequence") and self._knows_work and not self.states("compute"):
            whole = self.operations * self.parameters + self.attention
            yield Sentence(
                "Attention makes {part %} of the operations; a sequence twice as long would make"
                " it {more %}.",
                part=self.attention / whole,
                more=2 * self.attention / (whole + self.attention),
            )
        if not self._has_time:
            yield Sentence(
                "Were the whole peak reached, the same devices would pass {most token} a second.",
                most=self.devices * self.peak / self.per_token,
            )
            return
        verb = "passes" if by in BY_TOKENS else "has to pass"
        if by == "utilization":
            less, more = self.utilization - Num(1) / 10, self.utilization + Num(1) / 10
            yield Sentence(
                "At {less %} of the peak it would take {longer}, at {more %} only {shorter}.",
                (self.utilization >= Num(1) / 5, self.utilization <= Num(7) / 10),
                less=less,
                more=more,
                longer=self.time * self.utilization / less,
                shorter=self.time * self.utilization / more,
            )
        elif self._reaches_part:
            if not self.states("recomputed"):
                yield from self._on_part()
        elif self.states("tokens") and by != "device_rate":
            yield Sentence(
                f"Each device {verb} {{apiece token}} a second: compare that with a test run.",
                apiece=self.tokens / (self.time * self.devices),
            )
        yield from self._if_less_counts()

    def _if_less_counts(self) -> Iterator[Said]:
        """How long it takes if the utilization, or the days, are not all for the model."""
        by = self._speeds[0]
        counted = self.states_any("recomputed", "compute", "sequence") or self.counts == "hardware"
        if by == "utilization" and not counted:
            yield Sentence(
                "If the {utilization %} counted activations that are computed a second time (HFU, 8"
                " operations instead of 6), it would take {longer}.",
                same(self.operations, 6),
                longer=self.time * 4 / 3,
            )
        if self.states_any("sequence", "price"):
            return
        yield Sentence(
            "If only 90 % of the days were productive, because of failures and restarts, it would"
            " take {longer}.",
            self.time > 10**6,
            longer=self.time * 10 / 9,
        )

    @property
    def _reaches_part(self) -> bool:
        """Whether the part of the peak follows from a speed in tokens, or from a time."""
        return self.states("peak") and self._knows_work and self._speeds[0] not in BY_OPERATIONS

    def _on_part(self) -> Iterator[Said]:
        """What a larger part of the peak would save."""
        whole = self.reached + Num(1) / 100
        priced = self.states("price")
        saves = "{less} and {money}" if priced else "{less}"
        slots = {"less": self.time * (1 - self.reached / whole), "full": self.time * self.reached}
        if priced:
            slots["money"] = self.cost * (1 - self.reached / whole)
        yield Sentence(
            f"A further 1 % of the peak would save {saves}; with all of it the training would"
            " take {full}.",
            whole <= 1,
            **slots,
        )

    def crosschecks(self) -> Iterator[Crosscheck]:
        by = self._speeds[0]
        if by not in BY_OPERATIONS or not self.states("parameters", "tokens"):
            return
        if self.states("compute") or (self.states("recomputed") and self.counts == "hardware"):
            return
        work = self.operations * self.parameters
        if self.states("sequence"):
            work = work + self.attention
        passed = self.tokens / (self.devices * self.time)
        speed = self.speed if by == "utilization" else self.achieved
        text = "{passed token} a second on each device, each of them {work}"
        yield Crosscheck(text, same(passed * work, speed), passed=passed, work=work)

    def premises(self) -> Iterator[Premise]:
        if self._has_time:
            yield Premise("the training never stops for a failure", "checkpoint-interval")
        if self._knows_work and not self.states("compute"):
            yield Premise("N counts active parameters only (mixtures of experts)")
            if not self.states("sequence"):
                yield Premise("the scores of attention are left out", "sequence")
        if self.states("peak"):
            yield Premise("the peak is that of the number format in use")
        if self._has_time and self._speeds[0] in BY_OPERATIONS:
            yield Premise("each device reaches as much, however many there are")
        elif self._has_time:
            yield Premise("the speed stays the same from start to end")
        else:
            yield Premise("the speed is that of the training itself, not of loading or saving")

    def arguments(self) -> Iterator[Argument]:
        if not self._knows_work or self.states("compute"):
            return
        six, letter = {"f": 6}, self.parameters
        work: Expr = 2 * letter + 4 * letter
        if self.states("sequence"):
            work = work + self.attention
            wide = self.width if self.states("width") else self.heads * self.head_size
            pairs = 2 * wide * self.sequence if self.scores == "all" else wide * self.sequence
            half = "" if self.scores == "all" else ", with half of the tokens"
            why = f"each layer: scores, then the sum that they weigh{half}; backward twice that"
            line = 3 * self.layers * (pairs + pairs)
            yield Rewritten(self.attention, ((line, why),), "PaLM, appendix B", six)
        why = (
            "2 forward: a multiplication, an addition; 4 backward: the same for the gradients of"
            " input and weight"
        )
        if self._has_time:
            yield Rewritten(self.needed, ((work * self.tokens, why),), "", six)
        else:
            yield Rewritten(self.per_token, ((work, why),), "", six)

    def equations(self) -> Equations:
        if self._knows_work and not self.states("compute"):
            yield from self._operations()
        by = self._speeds[0]
        if not self._has_time:
            yield from self._measured(by)
            return
        work = self.compute if self.states("compute") else self.needed
        if by in BY_OPERATIONS:
            yield from self._by_operations(by, work)
        elif by == "device_time":
            yield self.time, self.device_time / self.devices
        else:
            yield from self._together(by)
            yield self.time, self.tokens / (self.rate if by == "rate" else self.together)
        if by != "device_time":
            yield self.device_hours, self.devices * self.time
        hours = self.device_time if by == "device_time" else self.device_hours
        if by not in BY_OPERATIONS and self._knows_work:
            yield self.speed, work / hours
        if self.states("peak") and (self._knows_work or by == "achieved"):
            yield from self._reached(by)
        if self.states("price"):
            yield self.cost, self.price * hours
        if self.states("batch", "tokens"):
            yield self.steps, ceiling(self.tokens / self.batch)
            if by != "step_time":
                yield self.step, self.time * self.batch / self.tokens

    def _operations(self) -> Equations:
        """The operations of the training, or of each token where it has no end."""
        work = self.operations * self.parameters
        if self.states("sequence"):
            yield self.attention, self._in_attention()
            work = work + self.attention
        if self._has_time:
            yield self.needed, work * self.tokens
        else:
            yield self.per_token, work

    def _measured(self, by: str) -> Equations:
        """The speed of a training of which only tokens per second are known."""
        yield from self._together(by)
        tokens = self.rate if by == "rate" else self.together
        yield self.speed, self.per_token * tokens / self.devices
        yield from self._reached(by)

    def _by_operations(self, by: str, work: Expr) -> Equations:
        if self.states("recomputed") and self.counts == "hardware":
            yield self.made, work * self._more()
            work = self.made
        if by == "utilization":
            yield self.speed, self.peak * self.utilization
        pace = self.speed if by == "utilization" else self.achieved
        yield self.time, work / (self.devices * pace)
        if self.states("tokens"):
            yield self.together, self.tokens / self.time

    def _together(self, by: str) -> Equations:
        """The tokens per second of all devices, unless they are stated."""
        if by == "device_rate":
            yield self.together, self.devices * self.device_rate
        elif by == "step_time":
            yield self.together, self.batch / self.step_time

    def _reached(self, by: str) -> Equations:
        """The parts of the peak that are not stated."""
        pace = self.achieved if by == "achieved" else self.speed
        stated, part = by == "utilization", pace / self.peak
        if not self.states("recomputed"):
            if not stated:
                yield self.reached, part
        elif by in BY_OPERATIONS and self.counts == "hardware":
            if not stated:
                yield self.hardware, part, WITH_AGAIN
            whole = self.utilization if stated else self.hardware
            yield self.reached, whole / self._more(), MODEL_ALONE
        else:
            if not stated:
                yield self.reached, part, MODEL_ALONE
            model = self.utilization if stated else self.reached
            yield self.hardware, model * self._more()
