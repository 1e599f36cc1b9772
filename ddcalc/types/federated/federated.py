"""How long do federated rounds with several local epochs take?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import Expr, Num, ceiling, each, floor, largest, same, total
from ddcalc.numbers.units import SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import LESS, choice, count, data, derived, duration, number, rate


class Federated(Problem):
    """How long do federated rounds with several local epochs take?

    In each round every device that takes part receives the model, trains on its own samples for
    some local epochs and sends its model back; the round lasts as long as its slowest device.
    Samples are shared equally unless the share of each device is given; devices are alike unless
    each one's computation is given.

    Transfers are stated as times, or follow from the size of the model and the bandwidth to and
    from a device. The links of the server are taken to be no limit. How many bytes all rounds send
    is asked by ``ddcalc federated-traffic``.
    """

    answer = "total"
    terms = ("federated averaging", "local SGD")
    source = (
        "McMahan et al., AISTATS 2017, arXiv:1602.05629: Algorithm 1, section 2 (u = E·n/B),"
        " Table 2 (u = E·n/(K·B), the expected number)"
    )

    samples = count("N", "training samples of all devices", optional=True, example="204800")
    devices = count("D", "devices", optional=True, example="8")
    shares = count("s", "training samples of each device", many="list", of="device", optional=True)
    batch = count("B", "samples in a local batch", words=("all",), example="32")
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
        example="4 s",
    )  # fmt: skip
    upload = duration(
        "t_up", "model, device to server", group="transfer", optional=True, example="7 s"
    )
    model = data("S", "size of the model, instead of times", optional=True, group="transfer")
    downlink = rate("b_down", "bandwidth to a device", optional=True, group="transfer")
    uplink = rate("b_up", "bandwidth from a device", optional=True, group="transfer")

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

    participants = derived(
        "m",
        "Devices in a round",
        "at least one, and no part of one; alike and side by side, they change no time",
        least=1,
    )
    samples_per_device = derived("n", "Samples per device", "equal shares", many="shares", least=0)
    updates_per_epoch = derived(
        "u", "Updates per local epoch", "one for each batch", many="shares", least=0
    )
    updates = derived(
        "U", "Updates in a round", "every local epoch has as many", many="shares", least=0
    )
    local_time = derived(
        "t_loc",
        "Local work",
        "a device makes its updates one after the other",
        SECOND,
        many=("shares", "compute"),
        **LESS,
    )
    slowest = derived("t_slow", "The slowest device", "the round waits for it", SECOND, **LESS)
    arriving = derived("t_in", "Model to a device", "size by bandwidth", SECOND, **LESS)
    leaving = derived("t_out", "Model from a device", "size by bandwidth", SECOND, **LESS)
    round_time = derived("t_round", "One round", "one exchange each way", SECOND, **LESS)
    total = derived("T", "Total", "round after round", SECOND, **LESS)

    def laws(self) -> Iterator[Law]:
        local = self.local_time if isinstance(self.local_time, tuple) else (self.local_time,)
        for time in local:
            yield Holds(self.round_time >= time, "a round waits for every device")
        for name in ("rounds", "local_epochs", "download", "upload", "model"):
            if name in ("rounds", "local_epochs") or self.states(name):
                yield Rises("total", name, "every round takes as long or longer")
        for link in ("downlink", "uplink"):
            if self.states(link):
                yield Falls("total", link, "the same model takes less time")

    def needs(self) -> Iterator[tuple[str, ...]]:
        yield "samples", "shares"
        if not self.states("shares") and not isinstance(self.compute, tuple):
            yield "devices", "shares"
        for time, link in (("download", "downlink"), ("upload", "uplink")):
            yield time, "model"
            if self.states("model"):
                yield link, time
            if self.states(link):
                yield ("model",)

    def conditions(self) -> Iterator[Condition]:
        if self.states("shares"):
            yield from self._shares_agree()
        if isinstance(self.compute, tuple):
            yield Condition(
                same(self._devices(), Num(len(self.compute))),
                "compute",
                f"lists {len(self.compute)} devices, but there are {{devices}}",
            )
        if self.states("participation") and (
            self.states("shares") or isinstance(self.compute, tuple)
        ):
            yield Condition(
                self.participation >= 1,
                "participation",
                "says how many devices take part, not which; of unlike devices the time depends"
                " on that",
            )
        if self.uneven == "error" and not self.states("shares"):
            shared = floor(self.samples / self._devices()) * self._devices()
            yield Condition(
                same(shared, self.samples),
                "samples",
                "cannot be shared equally by {devices device}",
            )
        for name, link in (("download", self.downlink), ("upload", self.uplink)):
            if self.states(name) and self.states("model") and self.states(f"{name[:-4]}link"):
                found = "is not what the model takes; state one of the two"
                time = self.download if name == "download" else self.upload
                yield Condition(same(time * link, self.model), name, found)
        if self.batch != "all":
            yield Condition(
                self.batch <= self._samples(), "batch", "is a batch larger than all the data"
            )

    def equations(self) -> Equations:
        if self.states("participation"):
            yield self.participants, largest(floor(self.participation * self._devices()), 1)
        yield from self._samples_per_device()
        yield from self._updates()
        yield from self._local_time()
        local = self.slowest if isinstance(self.local_time, tuple) else self.local_time
        down, up = self.download, self.upload
        if not self.states("download"):
            yield self.arriving, self.model / self.downlink
            down = self.arriving
        if not self.states("upload"):
            yield self.leaving, self.model / self.uplink
            up = self.leaving
        yield self.round_time, down + local + up
        yield self.total, self.rounds * self.round_time

    def _devices(self) -> Expr:
        """The number of devices: stated, or as many as a list has."""
        if self.states("devices"):
            return self.devices
        return Num(len(self.shares if self.states("shares") else self.compute))

    def _samples(self) -> Expr:
        if self.states("samples"):
            return self.samples
        return total(self.shares)

    def _shares_agree(self) -> Iterator[Condition]:
        listed = len(self.shares)
        if self.states("devices"):
            yield Condition(
                same(self.devices, Num(listed)), "devices", f"does not fit the {listed} shares"
            )
        if self.states("samples"):
            yield Condition(
                same(self.samples, total(self.shares)),
                "samples",
                "is not the sum of the shares",
            )

    def _samples_per_device(self) -> Equations:
        if self.states("shares"):
            yield self.samples_per_device, list(self.shares), "as stated"
        elif self.updates_choice == "mean":
            yield self.samples_per_device, self.samples / self._devices(), "on average"
        elif self.uneven == "largest":
            share = ceiling(self.samples / self._devices())
            yield self.samples_per_device, share, "equal shares, the largest counts"
        else:
            yield self.samples_per_device, self.samples / self._devices()

    def _updates(self) -> Equations:
        whole = self.updates_choice == "whole"
        if self.batch == "all":
            per_epoch = each(lambda _: Num(1), self.samples_per_device)
            why = "the whole share is one batch"
        else:
            batches = each(lambda samples: samples / self.batch, self.samples_per_device)
            per_epoch = each(ceiling, batches) if whole else batches
            small = "is a whole update" if whole else "counts in part"
            why = f"a small last batch {small}"
        yield self.updates_per_epoch, per_epoch, why
        yield self.updates, each(lambda once: self.local_epochs * once, self.updates_per_epoch)

    def _local_time(self) -> Equations:
        yield self.local_time, each(lambda u, t: u * t, self.updates, self.compute)
        if isinstance(self.local_time, tuple):
            yield self.slowest, largest(*self.local_time)
