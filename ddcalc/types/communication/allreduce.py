"""How long does an all-reduce take?"""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.formula.algebra import (
    NEVER,
    Expr,
    Num,
    Rel,
    largest,
    same,
    smallest,
)
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Ranking, Shape
from ddcalc.problem.sentences import (
    After,
    Argument,
    Crosscheck,
    Equated,
    First,
    Premise,
    Said,
    Sentence,
)
from ddcalc.types.communication._algorithms import (
    ALGORITHMS,
    without_ones,
)
from ddcalc.types.communication._all_reduce_words import (
    HAPPENS,
    IN_TURN,
    NOUNS,
    ONE_KIND,
    ONE_LINK,
    OPPOSITE,
    TWO_LEVEL,
    UNCLEAR,
    WAITING,
    served,
)
from ddcalc.types.communication._rounds import Rounds

IN_ROUNDS = {"ring", "bidirectional", "tree", "recursive_doubling", "halving_doubling"}


class Allreduce(Rounds):
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
    keywords = (
        "every worker ends up with the sum of all gradients; compare all-reduce algorithms;"
        " fastest all-reduce; ring, tree, halving-doubling, recursive doubling; time to average"
        " gradients; hierarchical all-reduce; NCCL algorithm; alpha-beta cost"
    )
    terms = (
        "ring all-reduce",
        "parameter server",
        "data parallelism",
        "alpha-beta model",
        "bus bandwidth",
    )
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
        if self.algorithm in IN_ROUNDS and not self.states("nodes"):
            one = "The all-reduce takes {rounds round} and {time}"
        if self.versus != "none" and self.algorithm != "all":
            one = f"With {NOUNS[self.algorithm]} {one[0].lower()}{one[1:]}"
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
        yield First(
            Sentence(
                f"With {other} it takes {{other}}{in_all}, {{times}} times as long.",
                (self.other > self.time, self.time > 0),
                times=self.other / self.time,
            ),
            f"With {other} it takes {{other}}{in_all}.",
        )
        if self.algorithm in ("all", self.versus):
            return
        one = NOUNS[self.algorithm]
        (start, slope), (other_start, other_slope) = self._two_lines
        flatter, later = slope < other_slope, start - other_start
        yield First(
            Sentence(
                f"Both take equally long for {{crossover}} of data; for more, {one} is faster.",
                flatter,
            ),
            Sentence(
                f"Both take equally long for {{crossover}} of data; for more, {other} is faster."
            ),
            Sentence(
                "Both are equally fast at every size.", (same(later, 0), same(slope, other_slope))
            ),
            *self._never_faster(other, later <= 0, slope <= other_slope),
            *self._never_faster(one, later >= 0, slope >= other_slope, first=True),
        )

    def _never_faster(self, which: str, *when: Rel, first: bool = False) -> Iterator[Said]:
        """Why *which* of two algorithms, the *first* or the other one, is faster at no size."""
        its, mine = self._two_lines
        (start, slope), (than_start, than_slope) = (its, mine) if first else (mine, its)
        says = f"At no size is {which} faster: its latency is {{late}}"
        slots = {"late": start, "than": than_start, "slow": slope, "quick": than_slope}
        longer, slower = start > than_start, slope > than_slope
        against, alike = ", against {than},", " with both,"
        apart = "and its time per byte {slow}, against {quick}."
        same_slope = "and its time per byte {slow} with both."
        yield Sentence(f"{says}{against} {apart}", (*when, longer, slower), **slots)
        yield Sentence(f"{says}{alike} {apart}", (*when, slower), **slots)
        yield Sentence(f"{says}{against} {same_slope}", when, **slots)

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
            elif name != self.versus:
                yield from self._in_the_limit()
        elif name == "two_level":
            yield from self._by_level()
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

    def _by_level(self) -> Iterator[Said]:
        """What each of the two levels takes."""
        latency = self.inner_latency if self.states("inner_latency") else self.latency
        inside = self.inner_rounds * latency + self.inner_moved / self._inner_pace
        outside = self.rounds * self.latency + self.moved / self.pace
        some = self.nodes > 1, self.workers_per_node > 1, self.time > 0
        slots = {"inside": inside, "outside": outside}
        begin = "The rounds inside the nodes take {inside}, those between them {outside}"
        yield First(
            Sentence(
                f"{begin}: links between nodes are the limit.", (*some, outside > inside), **slots
            ),
            Sentence(
                f"{begin}: links inside nodes are the limit.", (*some, outside < inside), **slots
            ),
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
                f"Bandwidth is the limit: {changed}. Below {{crossing}} of data"
                " latency is the larger part.",
                (*gain.when, move > lag),
                **slots,
            ),
            Sentence(
                f"Latency is the limit: {changed}. Above {{crossing}} of data bandwidth would be.",
                (*gain.when, move > 0, move < lag),
                **slots,
            ),
        )

    def _in_the_limit(self) -> Iterator[Said]:
        """How much faster than the other algorithm one is for very large data."""
        (_, slope), (_, other) = self._two_lines
        says = "The larger the data, the less latency counts: {} then becomes up to {{ratio}} times"
        says += " as fast."
        more = (self.latency > 0, self._p > 2)
        names = NOUNS[self.algorithm], NOUNS[self.versus]
        yield First(
            Sentence(says.format(names[1]), (*more, slope > other, other > 0), ratio=slope / other),
            Sentence(says.format(names[0]), (*more, other > slope, slope > 0), ratio=other / slope),
        )
        if "halving_doubling" not in (self.algorithm, self.versus):
            yield Sentence(
                "Halving-doubling, in {few} rounds with ever smaller messages, would take {hd}.",
                (*more, self.amount > 0, self._p >= 4),
                few=After(self.rounds, algorithm="halving_doubling"),
                hd=After(self.time, algorithm="halving_doubling"),
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
                "With {twice worker} it would take {longer}: rounds increase, but what a worker"
                " sends, {sent} here, stays below twice its vector however many there are.",
                (*some, p > 1),
                twice=2 * p,
                sent=2 * (p - 1) / p * self.amount,
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
                (p > 2, self.amount > 0),
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

    def arguments(self) -> Iterator[Argument]:
        if self.versus not in ("none", self.algorithm) and self.algorithm != "all":
            (start, slope), (other_start, other_slope) = self._two_lines
            size = self.crossover
            says = "latency and bytes of each; both need the same time"
            both = same(start + size * slope, other_start + size * other_slope)
            yield Equated(self.crossover, both, says)

    def premises(self) -> Iterator[Premise]:
        if self.reduction == "left_out" or not self.states("reduce"):
            yield Premise("adding up takes no time", "reduce" if not self.states("reduce") else "")
        yield Premise("links carry both directions at full speed at once")
        yield Premise("nothing else uses the links")
        if not self.states("nodes"):
            yield Premise("all links are alike", "nodes")
        if "bidirectional" in self._used:
            yield Premise(OPPOSITE)
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
