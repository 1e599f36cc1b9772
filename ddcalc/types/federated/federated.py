"""How long do federated rounds take, and how much do they send?"""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.formula.algebra import (
    NEVER,
    Expr,
    Num,
    ceiling,
    elementwise,
    floor,
    largest,
    same,
    total,
)
from ddcalc.numbers.units import BYTE, SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem, Shape
from ddcalc.problem.quantity import LESS, choice, count, data, derived, duration, number, rate

WORK = ("samples", "shares")  # what the local work follows from
SIZE = ("model", "parameters")
TRANSFERS = (("download", "downlink"), ("upload", "uplink"))


class Federated(Problem):
    """How long do federated rounds take, and how much do they send?

    In each round every device that takes part receives the model, trains on its own samples for
    some local epochs and sends its model back; the round lasts as long as its slowest device.
    Samples are shared equally unless the share of each device is given; devices are alike unless
    each one's computation is given. Instead of all that, the time of the local work may be stated.
    An allowance for slow devices makes a round longer by a part.

    Transfers are stated as times, or follow from the size of the model and the bandwidth to and
    from a device. The links of the server are taken to be no limit. State the model by its size, or
    by its parameters and the size of one. What a device sends back is as large, or of a stated
    size, or compressed. With the size of the model, the bytes that all rounds send follow; without
    any local work they are the answer.

    Another method that takes more or fewer rounds to the same accuracy, each with as much traffic,
    is compared where its rounds are stated: so FedAvg is compared with FedSGD.
    """

    answer = "total"
    terms = ("federated averaging", "local SGD")
    source = (
        "McMahan et al., AISTATS 2017, arXiv:1602.05629: Algorithm 1 (rounds, the share of"
        " clients), section 2 (u = E·n/B), Table 2 (u = E·n/(K·B), the expected number; the"
        " comparison by rounds); bytes follow by multiplying"
    )

    samples = count("N", "training samples of all devices", optional=True, example="204800")
    devices = count("D", "devices", optional=True, example="8")
    shares = count("s", "training samples of each device", many="list", of="device", optional=True)
    batch = count("B", "samples in a local batch", words=("all",), optional=True, example="32")
    local_epochs = count("E", "local epochs in a round", default="1", example="10")
    rounds = count("G", "rounds, each with one exchange", default="1")
    participation = number(
        "c", "share of the devices that take part in a round", least=0, most=1, optional=True
    )
    download = duration(
        "t_down", "model, server to device", group="transfer", optional=True, example="7 s"
    )
    compute = duration(
        "t_comp", "one update on a device", many="either", of="device", group="computation",
        optional=True, example="4 s",
    )  # fmt: skip
    upload = duration(
        "t_up", "model, device to server", group="transfer", optional=True, example="7 s"
    )
    local_work = duration(
        "t_w", "local work in a round, instead of samples", optional=True, group="computation"
    )
    allowance = number(
        "a", "part by which slow devices make a round longer", least=0, optional=True
    )
    model = data("S", "size of the model", optional=True, group="transfer")
    parameters = count("P", "parameters, instead of a size", optional=True)
    bytes_per_parameter = data("w", "size of one parameter", bare=True, optional=True)
    update = data("S_up", "size of what a device sends back, if not the model's", optional=True)
    compression = number(
        "k", "how many times smaller it is when compressed", above=0, optional=True
    )
    downlink = rate("b_down", "bandwidth to a device", optional=True, group="transfer")
    uplink = rate("b_up", "bandwidth from a device", optional=True, group="transfer")
    other_rounds = count("G_o", "rounds of a method to compare with", optional=True)

    updates_choice = choice(
        "updates in a local epoch",
        name="updates",
        whole="a small last batch is a whole update",
        mean="the expected number of updates, which may be fractional",
    )
    uneven = choice(
        "samples that the devices cannot share equally",
        largest="the largest share counts",
        error="shares must be equal",
    )
    ways = choice(
        "what counts as sent",
        both="models to the devices, and what they send back",
        uploads="what the devices send back alone",
    )

    participants = derived(
        "m", "Devices in a round",
        "at least one, and no part of one; alike and side by side, they change no time", least=1,
    )  # fmt: skip
    samples_per_device = derived("n", "Samples per device", "equal shares", many="shares", least=0)
    updates_per_epoch = derived(
        "u", "Updates per local epoch", "one for each batch", many="shares", least=0
    )
    updates = derived(
        "U", "Updates in a round", "every local epoch has as many", many="shares", least=0
    )
    local_time = derived(
        "t_loc", "Local work", "a device makes its updates one after the other", SECOND,
        many=("shares", "compute"), **LESS,
    )  # fmt: skip
    slowest = derived("t_slow", "The slowest device", "the round waits for it", SECOND, **LESS)
    model_size = derived("S_m", "Size of the model", "every parameter", BYTE, least=0)
    sent_back = derived("S_b", "Sent back by a device", "compressed", BYTE, least=0)
    arriving = derived("t_in", "Model to a device", "size by bandwidth", SECOND, **LESS)
    leaving = derived("t_out", "Back from a device", "size by bandwidth", SECOND, **LESS)
    round_time = derived("t_round", "One round", "one exchange each way", SECOND, **LESS)
    total = derived("T", "Total", "round after round", SECOND, **LESS)
    device_sent = derived("V_d", "Sent for a device in a round", "both ways", BYTE, **LESS)
    round_sent = derived("V_r", "Sent in a round", "for every device that takes part", BYTE, **LESS)
    sent = derived("V", "Sent in all", "round after round", BYTE, **LESS)
    fewer = derived("q", "How many times fewer rounds", "than the other method takes", least=0)
    spared = derived("V_s", "Less sent than by the other method", "negative: more", BYTE)

    @classmethod
    def answer_in(cls, shape: Shape) -> str:
        """The bytes where nothing says how long a device works."""
        return "total" if {*WORK, "local_work"} & {*shape.stated} else "sent"

    @classmethod
    def neighbours(cls, shape: Shape) -> Iterator[tuple[str, str, Shape]]:
        """The choices that concern what is stated."""
        stated = {*shape.stated}
        for name, option, other in super().neighbours(shape):
            if {*(SIZE if name == "ways" else WORK)} & stated:
                yield name, option, other

    @property
    def _works(self) -> bool:
        """Whether the local work follows from samples."""
        return self.states_any(*WORK)

    @property
    def _sized(self) -> bool:
        return self.states_any(*SIZE)

    def needs(self) -> Iterator[tuple[str, ...]]:
        if self._works:
            yield from (("batch",), ("compute",))
            if not self.states("shares") and not isinstance(self.compute, tuple):
                yield "devices", "shares"
            for time, link in TRANSFERS:
                yield time, *SIZE
                if self._sized:
                    yield link, time
        else:
            learning = self.states_any("batch", "compute")
            yield (*WORK, "local_work") if learning else (*WORK, "local_work", *SIZE)
            if self._sized or self.states("participation"):
                yield ("devices",)
            if self.states("allowance"):
                yield "local_work", "downlink", "uplink"
        if self.states_any("downlink", "uplink", "update", "compression", "other_rounds"):
            yield SIZE
        if self.states("parameters"):
            yield "bytes_per_parameter", "model"

    def conditions(self) -> Iterator[Condition]:
        if self._works:
            yield from self._of_the_work()
            if self.states("local_work"):
                yield Condition(NEVER, "local_work", "is stated beside samples; state one of both")
        if self.states(*SIZE, "bytes_per_parameter"):
            by_parameters = same(self.model, self.parameters * self.bytes_per_parameter)
            message = "is not that of the parameters; state one of the two"
            yield Condition(by_parameters, "model", message)
        if self.states("participation") and self._unlike:
            yield Condition(
                self.participation >= 1,
                "participation",
                "says how many devices take part, not which; of unlike devices the time depends"
                " on that",
            )
        if self._sized:
            model = self._model()
            sent = {
                "download": (self.download * self.downlink, model),
                "upload": (self.upload * self.uplink, self._back(model)),
            }
            for time, link in TRANSFERS:
                if self.states(time, link):
                    message = "is not what the model takes; state one of the two"
                    yield Condition(same(*sent[time]), time, message)

    def _of_the_work(self) -> Iterator[Condition]:
        """Devices, shares and samples fit each other."""
        if self.states("shares"):
            listed = len(self.shares)
            if self.states("devices"):
                message = f"does not fit the {listed} shares"
                yield Condition(same(self.devices, Num(listed)), "devices", message)
            if self.states("samples"):
                message = "is not the sum of the shares"
                yield Condition(same(self.samples, total(self.shares)), "samples", message)
        elif self.uneven == "error":
            shared = floor(self.samples / self._devices) * self._devices
            message = "cannot be shared equally by {devices device}"
            yield Condition(same(shared, self.samples), "samples", message)
        if isinstance(self.compute, tuple):
            message = f"lists {len(self.compute)} devices, but there are {{devices}}"
            yield Condition(same(self._devices, Num(len(self.compute))), "compute", message)
        if self.batch != "all":
            everything = self.samples if self.states("samples") else total(self.shares)
            yield Condition(
                self.batch <= everything, "batch", "is a batch larger than all the data"
            )

    def laws(self) -> Iterator[Law]:
        if self._works:
            local = self.local_time if isinstance(self.local_time, tuple) else (self.local_time,)
            for time in local:
                yield Holds(self.round_time >= time, "a round waits for every device")
        longer = "every round takes as long or longer"
        for name in ("rounds", "local_epochs", "download", "upload", "model", "local_work"):
            yield Rises("total", name, longer)
        if self._sized:
            if self.states("participation"):
                devices = "only devices that there are take part"
                yield Holds(self.participants <= self._devices, devices)
            for name in ("rounds", "devices", "participation"):
                yield Rises("sent", name, "there are as many messages, or more")
            yield Falls("sent", "compression", "what is sent back is smaller")
        for link in ("downlink", "uplink"):
            yield Falls("total", link, "the same bytes take less time")

    def equations(self) -> Equations:
        if self.states("participation"):
            yield self.participants, largest(floor(self.participation * self._devices), 1)
        if self._works:
            yield from self._samples_per_device()
            yield from self._updates()
            yield self.local_time, elementwise(lambda u, t: u * t, self.updates, self.compute)
            if isinstance(self.local_time, tuple):
                yield self.slowest, largest(*self.local_time)
        model = self.model_size
        if self.states("model"):
            model = self.model
        elif self._sized:
            yield self.model_size, self._model()
        back = self.update if self.states("update") else model
        if self.states("compression"):
            yield self.sent_back, self._back(back)
            back = self.sent_back
        yield from self._times(model, back)
        if self._sized:
            yield from self._traffic(model, back)

    @property
    def _devices(self) -> Expr:
        """The number of devices: stated, or as many as a list has."""
        if self.states("devices"):
            return self.devices
        return Num(len(self.shares if self.states("shares") else self.compute))

    @property
    def _unlike(self) -> bool:
        return self.states("shares") or isinstance(self.compute, tuple)

    def _model(self) -> Expr:
        """The size of the model, by the givens alone."""
        stated = self.states("model")
        return self.model if stated else self.parameters * self.bytes_per_parameter

    def _back(self, model: Expr) -> Expr:
        """What a device sends back, by the givens and the size of its *model*."""
        back = self.update if self.states("update") else model
        return back / self.compression if self.states("compression") else back

    def _samples_per_device(self) -> Equations:
        if self.states("shares"):
            yield self.samples_per_device, list(self.shares), "as stated"
        elif self.updates_choice == "mean":
            yield self.samples_per_device, self.samples / self._devices, "on average"
        elif self.uneven == "largest":
            share = ceiling(self.samples / self._devices)
            yield self.samples_per_device, share, "equal shares, the largest counts"
        else:
            yield self.samples_per_device, self.samples / self._devices

    def _updates(self) -> Equations:
        whole = self.updates_choice == "whole"
        if self.batch == "all":
            per_epoch = elementwise(lambda _: Num(1), self.samples_per_device)
            why = "the whole share is one batch"
        else:
            batches = elementwise(lambda samples: samples / self.batch, self.samples_per_device)
            per_epoch = elementwise(ceiling, batches) if whole else batches
            small = "is a whole update" if whole else "counts in part"
            why = f"a small last batch {small}"
        yield self.updates_per_epoch, per_epoch, why
        yield self.updates, elementwise(lambda u: self.local_epochs * u, self.updates_per_epoch)

    def _times(self, model: Expr, back: Expr) -> Equations:
        """How long a round takes, as far as that is stated."""
        parts: list[Expr] = []
        if self.states("download"):
            parts.append(self.download)
        elif self.states("downlink"):
            yield self.arriving, model / self.downlink
            parts.append(self.arriving)
        if self._works:
            parts.append(self.slowest if isinstance(self.local_time, tuple) else self.local_time)
        elif self.states("local_work"):
            parts.append(self.local_work)
        if self.states("upload"):
            parts.append(self.upload)
        elif self.states("uplink"):
            yield self.leaving, back / self.uplink
            parts.append(self.leaving)
        if not parts:
            return
        once = sum(parts[1:], parts[0])
        if self.states("allowance"):
            yield self.round_time, once * (1 + self.allowance), "and slow devices take longer"
        else:
            yield self.round_time, once
        yield self.total, self.rounds * self.round_time

    def _traffic(self, model: Expr, back: Expr) -> Equations:
        """What the rounds send."""
        once = back
        if self.ways == "both":
            yield self.device_sent, model + back
            once = self.device_sent
        devices = self.participants if self.states("participation") else self._devices
        yield self.round_sent, devices * once
        yield self.sent, self.rounds * self.round_sent
        if self.states("other_rounds"):
            yield self.fewer, self.other_rounds / self.rounds
            yield self.spared, (self.other_rounds - self.rounds) * self.round_sent
