"""How long do federated rounds take, and how much do they send?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TypeAlias

from ddcalc.formula.algebra import (
    NEVER,
    Expr,
    Num,
    Rel,
    ceiling,
    elementwise,
    floor,
    largest,
    position_of_largest,
    same,
    total,
)
from ddcalc.numbers.units import BYTE, SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem, Shape
from ddcalc.problem.quantity import (
    LESS,
    choice,
    count,
    data,
    derived,
    duration,
    facts,
    number,
    rate,
)
from ddcalc.problem.sentences import After, Crosscheck, First, Premise, Said, Sentence

WORKING = "local work"  # a part of a round
WORK = ("samples", "shares")  # what the local work follows from
SIZE = ("model", "parameters")
Part: TypeAlias = tuple[str, Rel | None]  # of a sentence, and when it is said
TRANSFERS = (("download", "downlink"), ("upload", "uplink"))


class Federated(Problem):
    """How long do federated rounds take, and how much do they send?

    Devices work side by side, so a round takes as long as the slowest of them; but what is sent
    adds up over all of them. Each device receives the model, makes its updates on its own samples
    without any exchange in between, and sends its model back once.

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
    keywords = (
        "FedAvg; on-device training; phones and clients; data stay on the devices; rounds and"
        " local epochs; upload and download of the model; traffic of federated rounds"
    )
    terms = ("federated averaging", "local SGD", "epoch")
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
        "t_down", "model, server to device", group="download", optional=True, example="7 s"
    )
    compute = duration(
        "t_comp", "one update on a device", many="either", of="device", group="computation",
        optional=True, example="4 s",
    )  # fmt: skip
    upload = duration(
        "t_up", "model, device to server", group="upload", optional=True, example="7 s"
    )
    local_work = duration(
        "t_w", "local work of a device in a round", optional=True, group="computation"
    )
    allowance = number(
        "a", "part by which slow devices make a round longer", least=0, optional=True
    )
    model = data("S", "size of the model", optional=True)
    parameters = count(
        "P", "parameters of the model", optional=True,
        filled_by=facts("model.parameters", unless=["model"]),
    )  # fmt: skip
    bytes_per_parameter = data("w", "size of one parameter", bare=True, optional=True)
    update = data("S_up", "size of what a device sends back, if not the model's", optional=True)
    compression = number(
        "k", "how many times smaller it is when compressed", above=0, optional=True
    )
    downlink = rate(
        "b_down", "bandwidth to a device", optional=True, group="download",
        filled_by=facts("link.bandwidth", unless=["download"]),
    )  # fmt: skip
    uplink = rate(
        "b_up", "bandwidth from a device", optional=True, group="upload",
        filled_by=facts("link.bandwidth", unless=["upload"]),
    )  # fmt: skip
    other_rounds = count("G_o", "rounds of a method to compare with", optional=True)

    updates_choice = choice(
        "updates in a local epoch",
        name="updates",
        whole="a small last batch is a whole update",
        mean="the average number of updates, maybe in parts",
    )
    uneven = choice(
        "samples that the devices cannot share equally",
        largest="of shares that differ the largest counts",
        error="shares must be equal",
    )
    ways = choice(
        "what counts as sent",
        both="what goes to the devices counts too",
        uploads="only what comes back counts",
    )

    participants = derived("m", "Devices in a round", "", least=1)
    samples_per_device = derived("n", "Samples per device", "equal shares", many="shares", least=0)
    updates_per_epoch = derived(
        "u", "Updates per local epoch", "one for each batch", many="shares", least=0
    )
    updates = derived("U", "Updates in a round", "no exchange between them", many="shares", least=0)
    local_time = derived(
        "t_loc", "Local work", "a device makes its updates one after the other", SECOND,
        many=("shares", "compute"), **LESS,
    )  # fmt: skip
    slowest = derived("t_slow", "The slowest device", "the round waits for it", SECOND, **LESS)
    model_size = derived("S_m", "Size of the model", "", BYTE, least=0)
    sent_back = derived("S_b", "Sent back by a device", "compressed", BYTE, least=0)
    arriving = derived("t_in", "Model to a device", "", SECOND, **LESS)
    leaving = derived("t_out", "Back from a device", "", SECOND, **LESS)
    round_time = derived(
        "t_round", "One round", "one exchange each way, however many updates", SECOND, **LESS
    )
    total = derived("T", "Total", "rounds follow one another", SECOND, **LESS)
    device_sent = derived(
        "V_d", "Sent for a device in a round", "the model, and what comes back", BYTE, **LESS
    )
    round_sent = derived("V_r", "Sent in a round", "for every device that takes part", BYTE, **LESS)
    sent = derived("V", "Sent in all", "rounds × devices that take part × bytes", BYTE, **LESS)
    fewer = derived("q", "Rounds of the other method for one of these", "", least=0)
    spared = derived(
        "V_s", "Less sent than by the other method", "as much in each round; negative: more", BYTE
    )

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
            message = "is a batch larger than all the data"
            yield Condition(self.batch <= everything, "batch", message)

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

    def mechanism(self) -> str:
        if self._timed:
            return super().mechanism()
        return (
            "What is sent grows with the rounds and with the devices that take part, but not with"
            " the updates that they make in between: in a round each device receives the model,"
            " trains it on its own samples without any exchange, and sends its model back once."
        )

    def conclusion(self) -> Iterator[Said]:
        if self._timed:
            yield from self._time_in_words()
            yield from self._largest_part()
        if self._sized:
            yield from self._traffic_in_words()

    def _largest_part(self) -> Iterator[Said]:
        """Which part of a round takes longest, where there are two or more."""
        parts = self._parts()
        if len(parts) < 2:
            return
        once, sentences = total(time for _, time in parts), []
        for name, time in parts:
            others = [other for _, other in parts if other is not time]
            alone = (*(same(other, 0) for other in others), time > 0)
            most = tuple(time > other for other in others)
            sentences += [
                Sentence(f"The {name} takes all of the time.", alone),
                Sentence(f"The {name} takes the largest part, {{part %}}.", most, part=time / once),
            ]
        yield First(*sentences)

    def _time_in_words(self) -> Iterator[Said]:
        begins: list[Part] = [
            ("The round takes {total}: ", same(self.rounds, 1)),
            ("{rounds} rounds take {total}. Each takes {round_time}: ", None),
        ]
        ways: list[Part] = [*self._work_in_words()]
        slots = {"work": self._work, "transfers": self._transfers}
        if self._works and isinstance(self.local_time, tuple) and len(self.local_time) > 1:
            slots["which"] = position_of_largest(*self.local_time)
            late = total(floor(time / slots["work"]) for time in self.local_time)
            ways.insert(0, ("{work} of local work on device {which} (the slowest)", same(late, 1)))
        ends: list[Part] = [("", None)]
        if self._has_transfers:
            ways_sent = [x for x in self._parts() if x[0] != WORKING]
            sent = " and {transfers} of transfers"
            if len(ways_sent) == 2:
                (_, slots["down"]), (_, slots["up"]) = ways_sent
                sent = ", {down} of download and {up} of upload"
            ends.insert(0, (sent, slots["transfers"] > 0))
        longer: list[Part] = [("", None)]
        if self.states("allowance"):
            longer.insert(0, (", and {allowance %} more for slow devices", self.allowance > 0))
        sentences = []
        for parts in product(begins, ways, ends, longer):
            tests = tuple(test for _, test in parts if test is not None)
            sentences.append(Sentence("".join(text for text, _ in parts) + ".", tests, **slots))
        yield First(*sentences)

    def _work_in_words(self) -> Iterator[Part]:
        if not self._works:
            yield "{work} of local work" if self._has_transfers else "all of it is local work", None
        elif isinstance(self.local_time, tuple):
            only = len(self.local_time) == 1
            yield f"{{work}} of local work on the {'only' if only else 'slowest'} device", None
        else:
            alike = same(floor(self.samples / self._devices) * self._devices, self.samples)
            mean = self.updates_choice == "mean"
            whose = "a device on average" if mean else "a device with the most samples"
            for one, test in (("each device", alike), (whose, None)):
                yield f"{{work}} of local work ({{updates update}} on {one})", test

    def _traffic_in_words(self) -> Iterator[Said]:
        both = "{sent} {sent|is|are} sent, both ways together: {once}", "for"
        back = "{sent} {sent|is|are} sent back: {once}", "from"
        begin, whose = both if self.ways == "both" else back
        one, single = same(self.rounds, 1), same(self._sending, 1)
        slots = {"devices": self._sending, "once": self._once}
        several, devices = f"In all, {begin} per round {whose}", "each of {devices device}"
        only = "one device that takes part" if self.states("participation") else "only device"
        yield First(
            Sentence(f"{begin} {whose} the {only}.", (one, single), **slots),
            Sentence(f"{several} the {only}.", single, **slots),
            Sentence(f"{begin} {whose} {devices}.", one, **slots),
            Sentence(f"{several} {devices}.", None, **slots),
        )
        if self.states("other_rounds"):
            yield First(
                Sentence(
                    "The other method takes {fewer} times as many rounds and sends {spared} more.",
                    self.other_rounds > self.rounds,
                ),
                Sentence(
                    "The other method takes as many rounds and sends as much.",
                    same(self.other_rounds, self.rounds),
                ),
                Sentence(
                    "The other method takes only {other_rounds round} and sends {less} less.",
                    less=-self.spared,
                ),
            )

    def insights(self) -> Iterator[Said]:
        if self._timed and self.states("uplink") and not self.states("upload"):
            longer = 1 + self.allowance if self.states("allowance") else Num(1)
            once = self._transfers + self._work
            yield Sentence(
                "Half as many bytes sent back ({leaving} of a round) would save {spare} in all.",
                (self.leaving > 0, once > self.leaving),
                spare=self.rounds * self.leaving / 2 * longer,
            )
        if self._works and self._has_transfers:
            yield from self._of_exchanges()
        if isinstance(self.local_time, tuple) and self._works:
            yield Sentence(
                "On average a device works for {mean} of these {slowest} and waits the rest.",
                total(self.local_time) < len(self.local_time) * self.slowest,
                mean=total(self.local_time) / len(self.local_time),
            )
        if self._sized and self.states("compression"):
            yield Sentence(
                "Without compression, {plain} would be sent.",
                self.compression > 1,
                plain=After(self.sent, compression=1),
            )

    def _of_exchanges(self) -> Iterator[Said]:
        """What local updates spare."""
        alike = not isinstance(self.local_time, tuple)
        if alike and not self.states("allowance"):
            less = self._work / self.local_epochs
            yield Sentence(
                "With 1 local epoch a round would still take {once}, {part %} of it for transfers:"
                " more local work per round makes transfers matter less, but models drift apart.",
                (self.local_epochs > 1, less > 0, 20 * self._transfers > less),
                once=less + self._transfers,
                part=self._transfers / (less + self._transfers),
            )
        if alike and self.updates_choice == "whole" and not self.states("allowance"):
            often = self.rounds * self.updates * (self._transfers + self.compute)
            yield Sentence(
                "With an exchange after every update, the {count update} of a device would take"
                " {single} each, with transfers, and {often} in all: {times} times as long.",
                (self.updates > 1, self._transfers > 0),
                count=self.rounds * self.updates,
                single=self._transfers + self.compute,
                often=often,
                times=often / self.total,
            )

    def crosschecks(self) -> Iterator[Crosscheck]:
        parts = [time for _, time in self._parts()] if self._timed else []
        if len(parts) > 1 and not self.states("allowance"):
            added = [self.rounds * time for time in parts]
            adds_up = same(sum(added[1:], added[0]), self.total)
            several = self.rounds > 1, self.total > 0
            yield Crosscheck("what each part takes in {rounds} rounds", adds_up, several)

    def premises(self) -> Iterator[Premise]:
        if self._timed:
            if self._works and not self._unlike:
                yield Premise("all devices are equally fast", "compute")
            yield Premise("the server's own links and its averaging are no limit")
        yield Premise("no device drops out of a round")

    @property
    def _timed(self) -> bool:
        """Whether it is said how long a device works."""
        return self._works or self.states("local_work")

    @property
    def _work(self) -> Expr:
        """The local work that a round waits for."""
        if not self._works:
            return self.local_work
        return self.slowest if isinstance(self.local_time, tuple) else self.local_time

    @property
    def _has_transfers(self) -> bool:
        return any(self.states_any(*pair) for pair in TRANSFERS)

    @property
    def _transfers(self) -> Expr:
        """What the transfers of a round take."""
        times = [time for name, time in self._parts() if name != WORKING]
        return sum(times[1:], times[0]) if times else Num(0)

    def _parts(self) -> list[tuple[str, Expr]]:
        """The parts of a round that take time, one after the other, with their names."""
        parts: list[tuple[str, Expr]] = [(WORKING, self._work)]
        if self.states_any(*TRANSFERS[0]):
            time = self.download if self.states("download") else self.arriving
            parts.insert(0, ("download", time))
        if self.states_any(*TRANSFERS[1]):
            parts.append(("upload", self.upload if self.states("upload") else self.leaving))
        return parts

    @property
    def _sending(self) -> Expr:
        """The devices that take part in a round."""
        return self.participants if self.states("participation") else self._devices

    @property
    def _stated_model(self) -> Expr:
        """The size of the model, as a letter."""
        return self.model if self.states("model") else self.model_size

    @property
    def _once(self) -> Expr:
        """What counts as sent for a device in a round."""
        model, back = self._stated_model, self._sent_back
        both = 2 * model if back == model else model + back
        return both if self.ways == "both" else back

    @property
    def _sent_back(self) -> Expr:
        """What a device sends back, as a letter."""
        if self.states("compression"):
            return self.sent_back
        return self.update if self.states("update") else self._stated_model

    def equations(self) -> Equations:
        if self.states("participation"):
            yield self.participants, largest(floor(self.participation * self._devices), 1)
        if self._works:
            yield from self._samples_per_device()
            yield from self._updates()
            yield self.local_time, elementwise(lambda u, t: u * t, self.updates, self.compute)
            if isinstance(self.local_time, tuple):
                yield self.slowest, largest(*self.local_time)
        if self._sized and not self.states("model"):
            yield self.model_size, self._model()
        if self.states("compression"):
            yield self.sent_back, self._back(self._stated_model)
        yield from self._times()
        if self._sized:
            yield from self._traffic()

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
        return self.model if self.states("model") else self.parameters * self.bytes_per_parameter

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
            yield self.samples_per_device, share, "equal shares; the largest counts"
        else:
            yield self.samples_per_device, self.samples / self._devices

    def _share_of_one(self) -> Expr:
        """The samples of each device, where all have as many."""
        share = self.samples / self._devices
        even = self.updates_choice == "mean" or self.uneven != "largest"
        return share if even else ceiling(share)

    def _updates(self) -> Equations:
        whole = self.updates_choice == "whole"
        samples = self.shares if self.states("shares") else self.samples_per_device
        if self.batch == "all":
            per_epoch = elementwise(lambda _: Num(1), samples)
            why = "the whole share is one batch"
        else:
            batches = elementwise(lambda share: share / self.batch, samples)
            per_epoch = elementwise(ceiling, batches) if whole else batches
            small = "counts as one" if whole else "counts in part"
            why = f"a small last batch {small}"
        yield self.updates_per_epoch, per_epoch, why
        if isinstance(per_epoch, list):
            yield self.updates, elementwise(lambda u: self.local_epochs * u, per_epoch)
        elif self.batch == "all":
            yield self.updates, self.local_epochs * self.updates_per_epoch
        else:
            share = self._share_of_one()
            once = ceiling(share / self.batch) if whole else share / self.batch
            yield self.updates, self.local_epochs * once, "epochs × samples of a device / batch"

    def _times(self) -> Equations:
        """How long a round takes, as far as that is stated."""
        if self.states("downlink") and not self.states("download"):
            yield self.arriving, self._stated_model / self.downlink
        if self.states("uplink") and not self.states("upload"):
            yield self.leaving, self._sent_back / self.uplink
        parts = [time for name, time in self._parts() if name != WORKING or self._timed]
        if not parts:
            return
        once = sum(parts[1:], parts[0])
        if self.states("allowance"):
            yield self.round_time, once * (1 + self.allowance), "longer for slow devices"
        else:
            yield self.round_time, once
        yield self.total, self.rounds * self.round_time

    def _traffic(self) -> Equations:
        """What the rounds send."""
        if self.ways == "both":
            yield self.device_sent, self._once
        yield self.round_sent, self._sending * self._once
        yield self.sent, self.rounds * self._sending * self._once
        if self.states("other_rounds"):
            yield self.fewer, self.other_rounds / self.rounds
            yield self.spared, (self.other_rounds - self.rounds) * self.round_sent
