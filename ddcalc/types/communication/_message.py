"""What every question about messages states: how much is sent, over which links."""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.formula.algebra import Expr, same
from ddcalc.numbers.units import BYTE, BYTE_PER_SECOND
from ddcalc.problem.problem import Condition, Equations, Problem
from ddcalc.problem.quantity import choice, count, data, derived, duration, facts, rate


class Message(Problem):
    """A message of some bytes, sent over links that have a latency and a bandwidth.

    Its size is stated, or follows from a number of parameters. A worker sends at the bandwidth of
    one link, times its links, and at half of that where both directions were counted.
    """

    size = data("S", "size of the data", optional=True, example="100 MB")
    parameters = count(
        "P", "parameters that are sent", optional=True,
        filled_by=facts("model.parameters", unless=["size"]),
    )  # fmt: skip
    bytes_per_parameter = data("w", "size of one parameter", optional=True, bare=True)
    latency = duration(
        "alpha", "latency of a message", default="0 s", group="latency",
        filled_by=facts("link.latency"),
    )  # fmt: skip
    bandwidth = rate(
        "B", "bandwidth of a link", group="transfer", example="100 GB/s",
        filled_by=facts("link.bandwidth"),
    )  # fmt: skip
    links = count("l", "links of a worker, side by side", optional=True)

    direction = choice(
        "what the bandwidth counts",
        one_way="the bandwidth counts one direction",
        two_way="the bandwidth counts both directions together",
    )

    message = derived("n", "Size of the data", "", BYTE)
    way = derived("W", "Bandwidth of a worker, one way", "", BYTE_PER_SECOND)

    def needs(self) -> Iterator[tuple[str, ...]]:
        yield "size", "parameters"
        if self.states("parameters"):
            yield ("bytes_per_parameter",)

    def conditions(self) -> Iterator[Condition]:
        if self.states("size") and self.states("parameters"):
            yield Condition(
                same(self.parameters * self.bytes_per_parameter, self.size),
                "size",
                "is not what {parameters} parameters have; state one of the two",
            )

    def sending(self) -> Equations:
        """The size and the bandwidth, where they are not simply stated."""
        if not self.states("size"):
            yield self.message, self.parameters * self.bytes_per_parameter
        both = self.direction == "two_way"
        if both or self.states("links"):
            whole = self.links * self.bandwidth if self.states("links") else self.bandwidth
            said = ["links work side by side"] * self.states("links")
            said += ["half of what both directions carry together"] * both
            yield self.way, whole / 2 if both else whole, "; ".join(said)

    @property
    def amount(self) -> Expr:
        """The letter of the size."""
        return self.size if self.states("size") else self.message

    @property
    def pace(self) -> Expr:
        """The letter of the bandwidth at which one worker sends."""
        plain = self.direction == "one_way" and not self.states("links")
        return self.bandwidth if plain else self.way
