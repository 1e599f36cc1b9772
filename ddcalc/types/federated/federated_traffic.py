"""How much do federated rounds send, and in what time?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import Expr, floor, largest, same
from ddcalc.numbers.units import BYTE, SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import LESS, choice, count, data, derived, duration, number, rate


class FederatedTraffic(Problem):
    """How much do federated rounds send, and in what time?

    In each round every device that takes part receives the model and sends an update back: as
    large as the model, of a stated size, or so many times smaller when compressed. State the model
    by its size, or by its parameters and the size of one. The server sends and receives what all
    these devices do.

    With the bandwidth of a device, or with the time of its local work, the time of a round follows:
    the model arrives, the device works, its update leaves; devices do so side by side, and the
    links of the server are taken to be no limit. An allowance for slow devices makes a round longer
    by a part.

    Another method that takes more or fewer rounds to the same accuracy, each with as much traffic,
    is compared where its rounds are stated: so FedAvg is compared with FedSGD. How many updates a
    device makes in a round, and what samples it has, is asked by ``ddcalc federated``.
    """

    answer = "total"
    terms = ("federated averaging", "local SGD")
    source = (
        "rounds, the share of clients and the comparison by rounds: McMahan et al., AISTATS 2017,"
        " arXiv:1602.05629, Algorithm 1 and Table 2; bytes follow by multiplying"
    )

    size = data("S", "size of the model", optional=True, example="50 MB")
    parameters = count("P", "parameters, instead of a size", optional=True)
    bytes_per_parameter = data("w", "size of one parameter", bare=True, optional=True)
    update = data("S_up", "size of an update, if not of the model", optional=True)
    compression = number(
        "k", "how many times smaller an update is when compressed", above=0, optional=True
    )
    devices = count("D", "devices", example="100")
    participation = number(
        "c", "share of the devices that take part in a round", least=0, most=1, default="1"
    )
    rounds = count("G", "rounds", default="1", example="50")
    downlink = rate("b_down", "bandwidth to a device", optional=True, group="transfer")
    uplink = rate("b_up", "bandwidth from a device", optional=True, group="transfer")
    compute = duration("t_comp", "local work in a round", optional=True, group="computation")
    allowance = number(
        "a", "part by which slow devices make a round longer", least=0, optional=True
    )
    other_rounds = count("G_o", "rounds of a method to compare with", optional=True)

    ways = choice(
        "what counts as sent",
        both="models to the devices, and their updates",
        uploads="updates alone",
    )

    model = derived("S_m", "Size of the model", "every parameter", BYTE, least=0)
    sent_back = derived("U", "Size of an update", "what a device sends back", BYTE, least=0)
    participants = derived("m", "Devices in a round", "at least one, and no part of one", least=1)
    device = derived("V_d", "Sent for a device in a round", "model and update", BYTE, **LESS)
    round_sent = derived("V_r", "Sent in a round", "for every device that takes part", BYTE, **LESS)
    total = derived("V", "Sent in all", "round after round", BYTE, **LESS)
    downloading = derived("t_down", "Model to a device", "size by bandwidth", SECOND, **LESS)
    uploading = derived("t_up", "Update from a device", "size by bandwidth", SECOND, **LESS)
    round_time = derived("t_round", "One round", "one after the other", SECOND, **LESS)
    time = derived("T", "Time of all rounds", "round after round", SECOND, **LESS)
    fewer = derived("q", "How many times fewer rounds", "than the other method takes", least=0)
    spared = derived("V_s", "Less sent than by the other method", "negative: more", BYTE)

    def laws(self) -> Iterator[Law]:
        yield Holds(self.participants <= self.devices, "only devices that there are take part")
        for name in ("rounds", "devices", "participation"):
            yield Rises("total", name, "there are as many messages, or more")
        if self.states("compression"):
            yield Falls("total", "compression", "updates are smaller")
        for link in ("downlink", "uplink"):
            if self.states(link):
                yield Falls("time", link, "the same bytes take less time")

    def needs(self) -> Iterator[tuple[str, ...]]:
        yield "size", "parameters"
        if self.states("parameters"):
            yield "bytes_per_parameter", "size"
        if self.states("allowance"):
            yield "downlink", "uplink", "compute"

    def conditions(self) -> Iterator[Condition]:
        if self.states("size") and self.states("parameters") and self.states("bytes_per_parameter"):
            yield Condition(
                same(self.size, self.parameters * self.bytes_per_parameter), "size",
                "is not that of the parameters; state one of the two",
            )  # fmt: skip

    def equations(self) -> Equations:
        model = self.size
        if not self.states("size"):
            yield self.model, self.parameters * self.bytes_per_parameter
            model = self.model
        back = self.update if self.states("update") else model
        if self.states("compression"):
            yield self.sent_back, back / self.compression, "so many times smaller"
            back = self.sent_back
        yield self.participants, largest(floor(self.participation * self.devices), 1)
        if self.ways == "both":
            yield self.device, model + back
        sent = self.device if self.ways == "both" else back
        yield self.round_sent, self.participants * sent
        yield self.total, self.rounds * self.round_sent
        yield from self._times(model, back)
        if self.states("other_rounds"):
            yield self.fewer, self.other_rounds / self.rounds
            yield self.spared, (self.other_rounds - self.rounds) * self.round_sent

    def _times(self, model: Expr, back: Expr) -> Equations:
        """How long a round takes, as far as that is stated."""
        parts: list[Expr] = []
        if self.states("downlink"):
            yield self.downloading, model / self.downlink
            parts.append(self.downloading)
        if self.states("compute"):
            parts.append(self.compute)
        if self.states("uplink"):
            yield self.uploading, back / self.uplink
            parts.append(self.uploading)
        if not parts:
            return
        once = sum(parts[1:], parts[0])
        if self.states("allowance"):
            yield self.round_time, once * (1 + self.allowance), "and slow devices take longer"
        else:
            yield self.round_time, once
        yield self.time, self.rounds * self.round_time
