"""How long does an all-reduce take?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ddcalc.formula.algebra import (
    NEVER,
    NOTHING,
    Expr,
    Num,
    Rel,
    cases,
    ceiling_log2,
    floor_log2,
    floor_power2,
    largest,
    same,
    smallest,
)
from ddcalc.formula.expression import symbols
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Ranking, Shape
from ddcalc.problem.sentences import After, Crosscheck, First, Premise, Said, Sentence
from ddcalc.types.communication._algorithms import (
    ALGORITHMS,
    ONE_NODE,
    Ranks,
    Setting,
    Way,
    without_ones,
)
from ddcalc.types.communication._all_reduce_words import (
    BETWEEN,
    HAPPENS,
    IN_TURN,
    INSIDE,
    LEAVING,
    MEET,
    MOVED,
    NOUNS,
    ONE_BY_ONE,
    ONE_KIND,
    ONE_LINK,
    TWO_LEVEL,
    UNCLEAR,
    UNRANKED,
    WAITING,
    WHY,
    served,
)
from ddcalc.types.communication._reduction import Reduction


class Allreduce(Reduction):
    """How long does an all-reduce take?

    Every worker has a vector, and all want the sum of all vectors. In a round each worker sends a
    message and receives another one at the same time; a message takes its latency, and its bytes
    pass the link at its bandwidth. One round follows the other.

    The time is that of all rounds, and of adding up where its speed is stated. With any number of
    workers: a ring has one chunk for each, and both ways round sends half of it each way, over two
    links at once; a tree is as deep as log₂ p rounded up. The double tree of NCCL sends half of the
    data along each of two binary trees, in small blocks that follow each other: only the first
    one's latency counts. Recursive doubling and halving-doubling need a power of two: the workers
    beyond the largest one hand in their data first, in one more round, and get the result in
    another (MPICH). On a parameter server a link takes one message after the other.

    In nodes a worker has one link inside and one out, or shares the latter with its node; messages
    that leave a node at once share its bandwidth. A tree, recursive doubling and halving-doubling
    then work inside all nodes and between them in turn, each as with as many workers as a node has,
    or as there are nodes. Halving-doubling begins inside the nodes, as MPICH's all-reduce does, or
    between them, as its reduce-scatter does: the first messages are the largest. In every round of
    a ring some message leaves its node; links inside must not be slower then. Servers that are
    workers are the first ones.

    `--size` is what one worker has. `--algorithm all` ranks the algorithms, but for the ring with
    twice the links and the double tree, whose blocks cost nothing of their own, and says at which
    size the order changes; `--versus tree` finds the size at which two take equally long, or which
    one is faster at every size. The bus bandwidth is that of nccl-tests (doc/PERFORMANCE.md),
    whatever the algorithm.
    """

    answer = "time"
    terms = ("ring all-reduce", "parameter server", "data parallelism")
    source = (
        "Thakur, Rabenseifner and Gropp, Optimization of Collective Communication Operations in"
        " MPICH, IJHPCA 19(1), 2005; MPICH, src/mpi/coll/allreduce (other numbers than powers of"
        " two) and reduce_scatter (partners in the other half first); Patarasuk and Yuan, J."
        " Parallel Distrib. Comput. 69(2), 2009 (ring); Sanders, Speck and Träff, Parallel"
        " Computing 35(12), 2009, and NCCL, src/graph/trees.cc and tuning.cc (double tree)"
    )

    @classmethod
    def neighbours(cls, shape: Shape) -> Iterator[tuple[str, str, Shape]]:
        """All but a ranking, what is in it, and another algorithm to compare with."""
        ranked = ("algorithm", "all") in shape.reading
        for name, option, other in super().neighbours(shape):
            if option != "all" and name != "versus" and not (ranked and name == "algorithm"):
                yield name, option, other

    def needs(self) -> Iterator[tuple[str, ...]]:
        yield from super().needs()
        if self.states("nodes"):
            yield ("workers_per_node",)
        yield "workers", "nodes"
        if "two_level" in (self.algorithm, self.versus):
            yield ("nodes",)
            yield ("workers_per_node",)

    def conditions(self) -> Iterator[Condition]:
        yield from super().conditions()
        in_nodes = self.nodes * self.workers_per_node
        if self.states("workers") and self.states("nodes"):
            message = "is not {nodes} times {workers_per_node}, as many as the nodes have"
            yield Condition(same(self.workers, in_nodes), "workers", message)
        if self.states("servers") and self.server == "worker":
            workers = self.workers if self.states("workers") else in_nodes
            message = "is more than there are workers to run on"
            yield Condition(self.servers <= workers, "servers", message)
        if self.states("nodes") and "double_tree" in self._used:
            inner = self.states("inner_latency") or self.states("inner_bandwidth")
            if inner or self.uplink == "shared":
                yield Condition(NEVER, "nodes", ONE_KIND)
        if self._waits("inner_latency"):
            message = f"is more than the latency between nodes; {UNCLEAR}"
            yield Condition(self.inner_latency <= self.latency, "inner_latency", message)
        if self._waits("inner_bandwidth"):
            outside = self.links * self.bandwidth if self.states("links") else self.bandwidth
            message = f"is less than a worker has between nodes; {UNCLEAR}"
            yield Condition(self.inner_bandwidth >= outside, "inner_bandwidth", message)

    def laws(self) -> Iterator[Law]:
        for name in ("size", "parameters", "latency", "inner_latency", "calls"):
            yield Rises("time", name, "there is more to send, or to wait for")
        for name in ("bandwidth", "inner_bandwidth", "reduce"):
            yield Falls("time", name, "the bytes are sent, or added, sooner")
        if self.algorithm in ONE_LINK and self.factor == "exact" and not self.states("nodes"):
            fewest = "no worker over one link does with fewer bytes than a ring"
            yield Holds(self.bus_bandwidth <= self.pace, fewest)

    # In words

    def mechanism(self) -> str:
        name, nodes = self.algorithm, self.states("nodes")
        if name == "parameter_server":
            apart, several = self.server == "apart", self.states("servers")
            shared = self.server_link == "shared" or nodes
            return served(several, apart, self.ways == "both", shared)
        if name == "two_level":
            return TWO_LEVEL[self.levels]
        if not nodes or name in ("all", "double_tree"):
            return HAPPENS[name]
        return HAPPENS[name] + (WAITING if name in ("ring", "bidirectional") else IN_TURN)

    def conclusion(self) -> Iterator[Said]:
        nothing = same(self.time, 0)
        alone = "The all-reduce takes no time: a single worker has nothing to exchange."
        one = "The all-reduce takes {time}"
        several = "The {calls call} take {time} in all, {call} each"
        yield First(
            Sentence(alone, (nothing, same(self._p, 1))),
            Sentence("The all-reduce takes no time: there is neither data nor latency.", nothing),
            *self._repeatedly(several),
            *self._parts(one, ", of which "),
        )
        yield from self._compared()

    def _repeatedly(self, takes: str) -> Iterator[Said]:
        """The same for several calls."""
        if self.states("calls"):
            yield from self._parts(takes, ". In each, ", self.calls > 1)

    def _parts(self, takes: str, within: str, *when: Rel) -> Iterator[Said]:
        """What the time of one call is made of."""
        if self.algorithm == "all":
            for name in self._ranked:
                least = same(self._once, getattr(self, name))
                others = [getattr(self, other) for other in self._ranked if other != name]
                yield Sentence(
                    f"{takes} at best, by {NOUNS[name]}; the other algorithms take {{least}} to"
                    " {most}.",
                    (*when, least),
                    least=smallest(*others),
                    most=largest(*others),
                )
            return
        adding = ", and {reduction_time} adding up" if self._adds else ""
        part = self.latency_time / self._once
        some = (*when, self.latency_time > 0)
        yield Sentence(
            f"{takes}, all of it latency: there is no data.", (*some, same(self.amount, 0))
        )
        yield Sentence(
            f"{takes}{within}{{latency_time}} ({{part %}}) is latency{adding}.",
            (*some, 1000 * part >= 1, 1000 * part <= 999),
            part=part,
        )
        yield Sentence(f"{takes}{within}{{latency_time}} is latency{adding}.", some)
        if adding:
            yield Sentence(
                f"{takes}: {{moving}} for the bytes on their way{adding}.",
                when,
                moving=self._once - self.reduction_time,
            )
        else:
            all_moved = "all of it for bytes on their way: no latency is counted."
            yield Sentence(f"{takes}, {all_moved}", when)

    def _compared(self) -> Iterator[Said]:
        """The other algorithm, and from which size on it is faster."""
        if self.versus == "none":
            return
        other = NOUNS[self.versus]
        in_all = " in all" if self.states("calls") else ""
        yield Sentence(f"With {other} it would be {{other}}{in_all}.")
        if self.algorithm in ("all", self.versus):
            return
        one = NOUNS[self.algorithm]
        flatter, later = self.slope < self.other_slope, self.start - self.other_start
        alike, one_flatter = same(self.slope, self.other_slope), self.slope <= self.other_slope
        yield First(
            Sentence(
                f"Both take equally long for {{crossover}}; {one} is faster for more.", flatter
            ),
            Sentence(f"Both take equally long for {{crossover}}; {other} is faster for more."),
            Sentence("Both are equally fast at every size.", (same(later, 0), alike)),
            Sentence(f"At no size is {other} faster.", (later <= 0, one_flatter)),
            f"At no size is {one} faster.",
        )

    def insights(self) -> Iterator[Said]:
        name, between = self.algorithm, " between nodes" if self.states("nodes") else ""
        faster = After(self.time, bandwidth=2 * self.bandwidth)
        prompter = After(self.time, latency=self.latency / 2)
        half = f"half the latency{between} {{prompter}}"
        twice = f"Twice the bandwidth{between} gives {{faster}}"
        some = self.latency > 0, self.amount > 0, self._p > 1
        gain = Sentence(f"{twice}, {half}.", some, faster=faster, prompter=prompter)
        only = Sentence(f"{twice}.", (self.amount > 0, self.time > 0), faster=faster)
        if not between and name != "all":
            yield from self._limits(gain)
            if self._adds:
                counts = 100 * (self._once - self.reduction_time) >= self._once
                when = (*only.when, same(self.latency, 0), counts)
                yield Sentence(only.text, when, faster=faster)
            if self.versus == "none":
                yield from self._beside()
        elif not (self._waits("inner_latency") or self._waits("inner_bandwidth")):
            yield First(gain, only)
        if between and name not in ("all", "two_level") and self.states("workers_per_node"):
            yield Sentence(
                "In two levels, rings inside the nodes and rings between them, it would take"
                " {levels}."
                if self.levels == "shares"
                else "In two levels, with a leader for each node, it would take {levels}.",
                self.nodes > 1,
                levels=After(self.time, algorithm="two_level"),
            )

    def _limits(self, gain: Sentence) -> Iterator[Said]:
        """Whether latency or bandwidth decides, and from which size on the other one does."""
        lag, move = self._lag, self._move
        if self._adds:
            yield gain
            return
        slots = {**gain.slots, "crossing": self._crossing}
        changed = "twice the bandwidth gives {faster}, half the latency {prompter}"
        yield First(
            Sentence(
                f"Bandwidth is the limit: {changed}. For less than {{crossing}} of data latency is"
                " the larger part.",
                (*gain.when, move > lag),
                **slots,
            ),
            Sentence(
                f"Latency is the limit: {changed}. For more than {{crossing}} of data the bytes"
                " take longer.",
                (*gain.when, move > 0, move < lag),
                **slots,
            ),
        )

    def _beside(self) -> Iterator[Said]:
        """What more workers change, and what another algorithm would."""
        name, p = self.algorithm, self._p
        some = self.latency > 0, self.amount > 0
        if name == "ring" and self.factor == "exact":
            if not self._adds:
                yield Sentence(
                    "With {twice worker} it would take {longer}, and with any number of them less"
                    " than {limit}: each sends less than twice its vector.",
                    (same(self.latency, 0), self.amount > 0, p > 1),
                    twice=2 * p,
                    longer=After(self.time, workers=2 * p),
                    limit=self.time * p / (p - 1),
                )
            yield Sentence(
                "With {twice worker} it would take {longer}: rounds increase, but each worker sends"
                " less than twice its vector, however many there are.",
                (*some, p > 1),
                twice=2 * p,
                longer=After(self.time, workers=2 * p),
            )
            yield Sentence(
                "Halving-doubling needs {few} rounds instead of {rounds} and would take {hd}.",
                (*some, self._move < self._lag, p >= 4),
                few=After(self.rounds, algorithm="halving_doubling"),
                hd=After(self.time, algorithm="halving_doubling"),
            )
        elif name != "ring":
            smaller = " of smaller messages" * (name in ("tree", "recursive_doubling", "naive"))
            yield Sentence(
                f"A ring, with {{many round}}{smaller}, would take {{ring}}.",
                p > 2,
                many=2 * (p - 1),
                ring=After(self.time, algorithm="ring"),
            )

    @property
    def _lag(self) -> Expr:
        """All latency of one call."""
        return self.rounds * self.latency

    @property
    def _move(self) -> Expr:
        """All transfer of one call, by what the page shows."""
        message = self._message(self.algorithm)
        if message is None:
            return self.transfer_time
        return self.rounds * (message / self.pace)

    @property
    def _crossing(self) -> Expr:
        """The size at which latency and transfer take equally long, where all links are alike."""
        message = self._message(self.algorithm)
        if message is None:
            return self.amount * self.latency_time / self.transfer_time
        parts = self._p if self.algorithm == "ring" else Num(1)
        if self.algorithm == "parameter_server" and self.states("servers"):
            parts = self.servers
        return without_ones(parts * self.latency * self.pace)

    def crosschecks(self) -> Iterator[Crosscheck]:
        plain = self.algorithm in ONE_LINK and self.factor == "exact" and not self.states("nodes")
        if plain and self.versus == "none" and not self._adds:
            p, sent = self._p, 2 * (self._p - 1) / self._p * self.amount
            what = "bus bandwidth, at most what a worker can send"
            yield Crosscheck(what, sent / self._once <= self.pace, (p > 1, self.amount > 0))

    def premises(self) -> Iterator[Premise]:
        if self.reduction == "left_out" or not self.states("reduce"):
            yield Premise("adding up takes no time", "reduce" if not self.states("reduce") else "")
        yield Premise("links carry both directions at full speed at once")
        yield Premise("nothing else uses the links")
        if not self.states("nodes"):
            yield Premise("all links are alike", "nodes")
        if self.algorithm == "double_tree":
            yield Premise("the small blocks cost no latency of their own")

    @property
    def _once(self) -> Expr:
        """The letter of the time of one call."""
        return self.call if self.states("calls") else self.time

    def rankings(self) -> Iterator[Ranking]:
        if self.algorithm == "all":
            titles = {name: type(self).quantities[name].title for name in self._ranked}
            times = {title: self._time(name, self.amount) for name, title in titles.items()}
            yield Ranking("Ranking", self.amount, "S_eq", times)

    def equations(self) -> Equations:
        yield from self.sending()
        if not self.states("workers"):
            yield self.all_workers, self.nodes * self.workers_per_node
        yield from self._powers()
        yield from self._slowest()
        yield from self._all() if self.algorithm == "all" else self._one(self.algorithm)
        size = self._repeated(self.amount)
        yield self.algorithm_bandwidth, self._by_time(size)
        yield self.bus_bandwidth, self._by_time(2 * (self._p - 1) / self._p * size)
        if self.versus != "none":
            why = ALGORITHMS[self.versus]
            yield self.other, self._repeated(self._time(self.versus, self.amount)), why
            if self.algorithm not in ("all", self.versus):
                yield from self._line(self.start, self.slope, self.algorithm)
                yield from self._line(self.other_start, self.other_slope, self.versus)
                yield self.crossover, self._meeting()

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
            yield self.inner_rounds, way.inside.rounds, why
            yield self.inner_moved, way.inside.moved
            inside = replace(way.inside, rounds=self.inner_rounds, moved=self.inner_moved)
        yield self.rounds, way.outside.rounds, (BETWEEN if self.states("nodes") else WHY)[name]
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
            parts, why = parts + self.reduction_time, "adding up comes last"
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

    def _line(self, start: Expr, slope: Expr, algorithm: str) -> Equations:
        """One call takes *start*, and *slope* for each byte."""
        spelt, one = _spelt(algorithm), self._way(algorithm, Num(1))
        yield start, self._latency(one), f"{spelt}: its latency"
        whole = self._transfer(one)
        whole = whole + one.added / self.reduce if self._adds else whole
        yield slope, without_ones(whole), f"{spelt}: the rest, divided by the size"

    def _meeting(self) -> Expr:
        """Where the two lines meet at a size that is more than nothing."""
        later, steeper = self.start - self.other_start, self.slope - self.other_slope
        one, other = (_spelt(name) for name in (self.algorithm, self.versus))
        return cases(
            ((self.other_start - self.start) / steeper, later * steeper < 0, MEET),
            (NOTHING, self.start < self.other_start, f"{one} is faster at every size"),
            (NOTHING, self.start > self.other_start, f"{other} is faster at every size"),
            (NOTHING, self.slope < self.other_slope, f"{one} is faster at every size above 0"),
            (NOTHING, self.slope > self.other_slope, f"{other} is faster at every size above 0"),
            otherwise=NOTHING,
            why="both are as fast at every size",
        )


def _spelt(algorithm: str) -> str:
    return algorithm.replace("_", "-")
