"""What an all-reduce takes by each algorithm: over which links, in which rounds."""

from __future__ import annotations

from dataclasses import replace

from ddcalc.formula.algebra import (
    NOTHING,
    Expr,
    Num,
    cases,
    ceiling_log2,
    floor_log2,
    floor_power2,
    same,
    smallest,
)
from ddcalc.formula.expression import symbols
from ddcalc.problem.problem import Equations
from ddcalc.types.communication._algorithms import (
    ALGORITHMS,
    ONE_NODE,
    Ranks,
    Setting,
    Way,
    without_ones,
    without_reasons,
)
from ddcalc.types.communication._all_reduce_words import (
    BETWEEN,
    INSIDE,
    LEAVING,
    MEET,
    MOVED,
    ONE_BY_ONE,
    UNRANKED,
    WHY,
)
from ddcalc.types.communication._reduction import Reduction


class Rounds(Reduction):
    """The equations of an all-reduce, algorithm by algorithm."""

    # Who takes part, and over which links

    @property
    def _p(self) -> Expr:
        """The letter of the number of workers."""
        return self.workers if self.states("workers") else self.all_workers

    @property
    def _ranked(self) -> list[str]:
        """The algorithms that are ranked: those that are possible here, over equally many links,
        of messages that cost their latency each."""
        out = {"bidirectional", "double_tree"}
        if not self.states("nodes"):
            out.add("two_level")
        return [name for name in ALGORITHMS if name not in out]

    @property
    def _used(self) -> set[str]:
        """The algorithms that the answer or the comparison rests on."""
        used = {*self._ranked} if self.algorithm == "all" else {self.algorithm}
        return used | ({self.versus} - {"none"})

    def _way(self, algorithm: str, size: Expr) -> Way:
        ranks, nodes = Ranks(self._p, self.depth, self.doublings, self.core), None
        if self.states("nodes"):
            k, q = self.workers_per_node, self.nodes
            nodes = (
                Ranks(k, self.inner_depth, self.inner_doublings, self.inner_core),
                Ranks(q, self.outer_depth, self.outer_doublings, self.outer_core),
            )
        setting = Setting(
            ranks,
            nodes,
            servers=self.servers if self.states("servers") else None,
            exact=self.factor == "exact",
            near=self.partners == "near",
            leaders=self.levels == "leaders",
            shared_uplink=self.uplink == "shared" and nodes is not None,
            server_apart=self.server == "apart",
            shared_link=self.server_link == "shared",
            back=self.ways == "both",
        )
        return setting.way(algorithm, size)

    def _powers(self) -> Equations:
        """The logarithms that the algorithms need: of all workers, or of both levels."""
        needed: set[str] = set()
        for way in (self._way(name, self.amount) for name in self._used):
            parts = [way.outside] if way.inside is None else [way.outside, way.inside]
            for expr in (way.sent, *(e for c in parts for e in (c.rounds, c.moved, c.added))):
                needed |= {*symbols(expr)}
        p, k, q = self._p, self.workers_per_node, self.nodes
        rules: list[tuple[Expr, Expr]] = [
            (self.depth, ceiling_log2(p)),
            (self.doublings, floor_log2(p)),
            (self.core, floor_power2(p)),
            (self.inner_depth, ceiling_log2(k)),
            (self.outer_depth, ceiling_log2(q)),
            (self.inner_doublings, floor_log2(k)),
            (self.outer_doublings, floor_log2(q)),
            (self.inner_core, floor_power2(k)),
            (self.outer_core, floor_power2(q)),
        ]
        return (rule for rule in rules if needed.issuperset(symbols(rule[0])))

    def _waits(self, inner: str) -> bool:
        """Whether links that are waited for have the given *inner* in a single node."""
        mixed = {"ring", "bidirectional"}
        mixed |= {"parameter_server"} if self.server == "worker" else set()
        return self.states("nodes") and self.states(inner) and bool(self._used & mixed)

    def _slowest(self) -> Equations:
        """The links that a round waits for which uses both kinds."""
        single = same(self.nodes, 1)
        if self._waits("inner_latency"):
            alone = (self.inner_latency, single, ONE_NODE)
            yield self.slowest_latency, cases(alone, otherwise=self.latency, why=LEAVING)
        if self._waits("inner_bandwidth"):
            alone = (self._inner_pace, single, ONE_NODE)
            yield self.slowest_bandwidth, cases(alone, otherwise=self.pace, why=LEAVING)

    @property
    def _inner_pace(self) -> Expr:
        """The bandwidth inside of a node, one way."""
        if not self.states("inner_bandwidth"):
            return self.pace
        both = self.inner_bandwidth
        return both / 2 if self.direction == "two_way" else both

    # What an algorithm takes

    def _one(self, name: str) -> Equations:
        way, inside = self._way(name, self.amount), None
        if way.inside is not None:
            why = INSIDE.get(name, type(self).inner_rounds.why)
            yield self.inner_rounds, without_reasons(way.inside.rounds), why
            yield self.inner_moved, way.inside.moved
            inside = replace(way.inside, rounds=self.inner_rounds, moved=self.inner_moved)
        around = way.outside.rounds
        around = without_reasons(around) if self.states("nodes") else around
        yield self.rounds, around, (BETWEEN if self.states("nodes") else WHY)[name]
        yield self.moved, way.outside.moved, self._carried(name)
        outside = replace(way.outside, rounds=self.rounds, moved=self.moved)
        lettered = replace(way, outside=outside, inside=inside)
        parts, why = self.latency_time + self.transfer_time, type(self).time.why
        if (message := self._message(name)) is not None:
            if message != self.amount:
                yield self.chunk, message, self._cut(name)
                message = self.chunk
            alone = replace(way, outside=replace(way.outside, rounds=Num(1), moved=message))
            yield self.round_time, without_ones(self._latency(alone) + self._transfer(alone))
            parts, why = self.rounds * self.round_time, "one round after the other"
        yield self.latency_time, self._latency(lettered)
        yield self.transfer_time, self._transfer(lettered)
        if self._adds:
            yield self.added, way.added
            yield self.reduction_time, self.added / self.reduce
            parts, why = parts + self.reduction_time, "adding up comes on top"
        yield from self._calls(parts, why)
        yield self.sent, self._repeated(way.sent)

    def _message(self, name: str) -> Expr | None:
        """What the message of a round has, where all rounds are alike."""
        if name == "ring":
            return self.amount / self._p if self.factor == "exact" else None
        if name == "parameter_server":
            return self.amount / self.servers if self.states("servers") else self.amount
        alike = name in ("tree", "recursive_doubling", "naive") and not self.states("nodes")
        return self.amount if alike else None

    @staticmethod
    def _cut(name: str) -> str:
        return "a chunk for each worker" if name == "ring" else "a part for each server"

    def _all(self) -> Equations:
        for name in self._ranked:
            yield getattr(self, name), self._time(name, self.amount)
        times = [getattr(self, name) for name in self._ranked]
        alone = "" if self.states("nodes") else ", two levels (no nodes are stated)"
        yield from self._calls(smallest(*times), f"the fastest one; {UNRANKED}{alone}")

    def _carried(self, name: str) -> str:
        """What the bytes of the rounds are, between nodes if there are any."""
        if self.states("nodes") and self.uplink == "shared" and name != "parameter_server":
            return "over the busiest link, one way"
        return MOVED.get(name, ONE_BY_ONE)

    def _calls(self, once: Expr, why: str) -> Equations:
        if self.states("calls"):
            yield self.call, once, why
            yield self.time, self.calls * self.call, "one call after the other"
        else:
            yield self.time, once, why

    def _repeated(self, once: Expr) -> Expr:
        return self.calls * once if self.states("calls") else once

    @property
    def _adds(self) -> bool:
        return self.states("reduce") and self.reduction == "counted"

    def _time(self, algorithm: str, size: Expr) -> Expr:
        """One call in a single formula."""
        way = self._way(algorithm, size)
        time = self._latency(way) + self._transfer(way)
        return time + way.added / self.reduce if self._adds else time

    def _latency(self, way: Way) -> Expr:
        waits = way.waits and self._waits("inner_latency")
        outside = way.outside.rounds * (self.slowest_latency if waits else self.latency)
        alpha = self.inner_latency if self.states("inner_latency") else self.latency
        return outside if way.inside is None else way.inside.rounds * alpha + outside

    def _transfer(self, way: Way) -> Expr:
        waits = way.waits and self._waits("inner_bandwidth")
        outside = way.outside.moved / (self.slowest_bandwidth if waits else self.pace)
        return outside if way.inside is None else way.inside.moved / self._inner_pace + outside

    def _by_time(self, size: Expr) -> Expr:
        return cases((size / self.time, self.time > 0), otherwise=NOTHING, why="no time passes")

    # Two algorithms as two lines

    @property
    def _two_lines(self) -> tuple[tuple[Expr, Expr], tuple[Expr, Expr]]:
        """What the algorithm and the other one take without data, and for each byte."""
        return self._start_and_slope(self.algorithm), self._start_and_slope(self.versus)

    def _start_and_slope(self, algorithm: str) -> tuple[Expr, Expr]:
        one = self._way(algorithm, Num(1))
        whole = self._transfer(one)
        whole = whole + one.added / self.reduce if self._adds else whole
        return self._latency(one), without_ones(whole)

    def _line(self, start: Expr, slope: Expr, algorithm: str) -> Equations:
        """One call takes *start*, and *slope* for each byte."""
        spelt, (first, slowness) = _spelt(algorithm), self._start_and_slope(algorithm)
        yield start, first, f"{spelt}: its latency"
        yield slope, slowness, f"{spelt}: the rest, divided by the size"

    def _meeting(self) -> Expr:
        """Where the two lines meet at a size that is more than nothing."""
        (start, slope), (other_start, other_slope) = self._two_lines
        later, steeper = start - other_start, slope - other_slope
        one, other = (_spelt(name) for name in (self.algorithm, self.versus))
        return cases(
            ((other_start - start) / steeper, later * steeper < 0, MEET),
            (NOTHING, start < other_start, f"{one} is faster at every size"),
            (NOTHING, start > other_start, f"{other} is faster at every size"),
            (NOTHING, slope < other_slope, f"{one} is faster at every size above 0"),
            (NOTHING, slope > other_slope, f"{other} is faster at every size above 0"),
            otherwise=NOTHING,
            why="both are as fast at every size",
        )


def _spelt(algorithm: str) -> str:
    return algorithm.replace("_", "-")
