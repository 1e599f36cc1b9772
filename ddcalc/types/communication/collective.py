"""How long does a collective operation take?"""

from collections.abc import Iterator

from ddcalc.formula.algebra import (
    NOTHING,
    Expr,
    Num,
    Rel,
    Sym,
    cases,
    ceiling,
    ceiling_log2,
    floor,
    floor_log2,
    largest,
    same,
    smallest,
)
from ddcalc.numbers.units import BYTE, BYTE_PER_SECOND, SECOND
from ddcalc.problem.laws import Falls, Holds, Law, Rises
from ddcalc.problem.problem import Condition, Equations, Shape
from ddcalc.problem.quantity import choice, count, derived, rate
from ddcalc.problem.sentences import (
    After,
    Argument,
    First,
    Premise,
    Said,
    Sentence,
    Summed,
)
from ddcalc.types.communication._algorithms import Cost
from ddcalc.types.communication._all_reduce_words import OPPOSITE
from ddcalc.types.communication._collective_words import NOUNS, ROUNDS, SENT, WANTED
from ddcalc.types.communication._message import Message

OPERATIONS = {
    "all_gather": "all-gather: all workers get the array, of which each has a part",
    "reduce_scatter": "reduce-scatter: each worker gets its part of the sum of the arrays",
    "broadcast": "broadcast: all workers get the array that one has",
    "reduce": "reduce: one worker gets the sum of the arrays",
    "all_to_all": "all-to-all: each worker sends each other one a part of its data",
    "gather": "gather: one worker gets the array, of which each has a part",
    "scatter": "scatter: each worker gets its part of the array that one has",
}
WAYS = {
    "ring": "a ring, one way round",
    "bidirectional": "a ring, both ways round at once, over a link each",
    "pairs": "straight to each other one, through a switch",
    "tree": "in few rounds, at distances that double (tree, Bruck)",
}
PARTS = ("all_gather", "reduce_scatter", "gather", "scatter")


class Collective(Message):
    """How long does a collective operation take?

    The workers send each other parts of arrays, or whole ones, round by round: all at the same time
    within a round, one round after the other. A round takes the latency of a message and the time
    that its bytes need on a link.

    Reduce-scatter, all-gather, broadcast, reduce, all-to-all, gather or scatter, over a ring, a
    ring used both ways (a TPU's axis), a switch, or along a tree. The size is that of nccl-tests:
    of the whole array, in an all-to-all of what each worker has. The bandwidth is that of one link,
    one way: a ring used both ways sends over two of them at once.

    In each round what has not arrived goes one hop; over a switch, straight to its worker. A line
    used both ways takes as long as a ring one way round for an all-gather or reduce-scatter; for a
    broadcast, reduce, gather or scatter too, if the root stands at an end. Along a tree, an
    all-gather is Bruck's, for any number of workers, a gather or scatter binomial; reduce-scatter
    by halves and Bruck's all-to-all need a power of two here.

    The time is rounds times latency, plus bytes over bandwidth; or the larger of the two, as in How
    to Scale Your Model. All-reduce has a type of its own.
    """

    answer = "time"
    keywords = (
        "broadcast, reduce, gather, scatter, all-gather, reduce-scatter, all-to-all; MPI"
        " collectives"
    )
    terms = ("ring all-reduce", "alpha-beta model")
    source = (
        "Thakur, Rabenseifner and Gropp, Optimization of Collective Communication Operations in"
        " MPICH, IJHPCA 19(1), 2005; Austin et al., How to Scale Your Model, Google DeepMind 2025,"
        " part 3 (Sharding); NVIDIA nccl-tests, doc/PERFORMANCE.md"
    )

    workers = count("p", "workers", example="8")
    reduce = rate("g", "how fast a worker adds up", optional=True, group="adding up")
    calls = count("c", "calls, one after the other", default="1")

    operation = choice("the operation", **OPERATIONS)
    algorithm = choice("how it is sent", **WAYS)
    factor = choice(
        "what each worker gets",
        exact="a worker has its own part already: (p − 1)/p of the array is sent",
        whole="the whole array counts as sent, with a worker's own part",
    )
    together = choice(
        "latency and transfer",
        added="latency is added to the transfer",
        larger="latency and transfer overlap fully: only the longer one counts",
    )

    rounds = derived("R", "Rounds", "")
    part = derived("C", "One message", "", BYTE)
    round_time = derived(
        "t_1", "One round", "the message starts, then its bytes pass the link", SECOND
    )
    moved = derived("D", "Bytes in these rounds", "one message after the other", BYTE)
    latency_time = derived("t_lat", "Latency", "each round waits for it once", SECOND)
    transfer_time = derived("t_move", "Transfer", "the bytes pass the link", SECOND)
    added = derived("A", "Bytes added up", "one after the other", BYTE)
    reduction_time = derived("t_add", "Adding up", "", SECOND)
    call = derived("t_call", "One call", "", SECOND)
    time = derived("T", "Time", "one call after the other", SECOND, better="less")
    volume = derived("V", "Bytes over the busiest link", "one way, in all calls", BYTE)
    algorithm_bandwidth = derived(
        "b_alg", "Algorithm bandwidth", "size by time", BYTE_PER_SECOND, better="more"
    )
    bus_bandwidth = derived(
        "b_bus", "Bus bandwidth", "times nccl-tests' factor for this operation", BYTE_PER_SECOND,
        better="more",
    )  # fmt: skip

    @classmethod
    def neighbours(cls, shape: Shape) -> Iterator[tuple[str, str, Shape]]:
        """All but other operations: the question names one."""
        for name, option, other in super().neighbours(shape):
            if name != "operation":
                yield name, option, other

    def conditions(self) -> Iterator[Condition]:
        yield from super().conditions()
        if self.algorithm == "tree" and self.operation in ("reduce_scatter", "all_to_all"):
            yield Condition(
                same(floor_log2(self.workers), ceiling_log2(self.workers)),
                "workers",
                "is not a power of two, which this needs; choose a ring or pairs",
            )

    def laws(self) -> Iterator[Law]:
        for name in ("size", "parameters", "latency", "calls"):
            yield Rises("time", name, "there is more to send, or to wait for")
        yield Rises("rounds", "workers", "more of them have to be reached")
        yield Falls("time", "bandwidth", "the bytes follow each other faster")
        if self.algorithm != "bidirectional" and self.operation != "all_to_all":
            because = "a link of the busiest worker carries at least what the factor counts"
            yield Holds(self.volume >= self.calls * self._bus_size(), because, self.workers > 1)

    @property
    def _message(self) -> Expr | None:
        """What the message of a round has, where all rounds are alike."""
        whole = self.operation in ("broadcast", "reduce")
        if whole:
            return self.amount
        if self.algorithm == "tree":
            return self.amount / 2 if self.operation == "all_to_all" else None
        if self.algorithm == "bidirectional" or self.factor == "whole":
            return None
        through = self.operation == "all_to_all" and self.algorithm == "ring"
        return None if through else self.amount / self.workers

    # In words

    def mechanism(self) -> str:
        return f"{WANTED[self.operation]} {SENT[self.algorithm][self.operation]}"

    def conclusion(self) -> Iterator[Said]:
        name = NOUNS[self.operation]
        one, calls = (
            f"The {name} takes {{time}}",
            "The {calls call} take {time} in all, {call} each",
        )
        yield First(
            Sentence(
                f"A single worker has nothing to send: the {name} takes no time.",
                (same(self.workers, 1), same(self.time, 0)),
            ),
            Sentence(
                f"The {name} takes no time: there is neither data nor latency.", same(self.time, 0)
            ),
            *self._parts(one, same(self.calls, 1), ", of which "),
            *self._parts(calls, self.calls > 1, ". Of the total, "),
        )

    def _parts(self, takes: str, when: Rel, of_which: str) -> Iterator[Said]:
        """What the time of one call is made of."""
        adds = self.states("reduce") and self.operation in ("reduce", "reduce_scatter")
        adding = ", and {all_adding} adding up" if adds else ""
        slots: dict[str, Expr] = {"all_latency": self.calls * self.latency_time}
        if adds:
            slots["all_adding"] = self.calls * self.reduction_time
        if self.together == "larger":
            lag, move = self.latency_time, self.transfer_time
            after = "; adding up takes {reduction_time} more" if adds else ""
            bytes_first = f"the bytes need {{transfer_time}}, which hides the latency{after}."
            latency_first = f"the latency is {{latency_time}}, which hides the transfer{after}."
            yield Sentence(f"{takes}: {bytes_first}", (when, move >= lag, self.latency > 0))
            yield Sentence(f"{takes}: {latency_first}", (when, self.latency > 0))
        share = f"{{all_latency}} ({{lag %}}) is latency{adding}."
        part = self.latency_time * self.calls / self.time
        some = when, self.latency_time > 0
        nothing = f"{takes}, all of it latency: there is no data."
        yield Sentence(nothing, (*some, same(self.amount, 0)))
        shown = 1000 * part >= 1, 1000 * part <= 999
        yield Sentence(f"{takes}{of_which}{share}", (*some, *shown), lag=part, **slots)
        yield Sentence(f"{takes}{of_which}{{all_latency}} is latency{adding}.", some, **slots)
        if adding:
            slots["all_moving"] = self.calls * self.transfer_time
            on_their_way = "{all_moving} is for the bytes on their way"
            yield Sentence(f"{takes}{of_which}{on_their_way}{adding}.", when, **slots)
        else:
            bytes_only = f"{takes}, all of it for bytes on their way: no latency is counted."
            yield Sentence(bytes_only, when)

    def insights(self) -> Iterator[Said]:
        if self.together == "added":
            yield from self._limits()
        elif self.operation != "reduce" or not self.states("reduce"):
            yield Sentence(
                "Latency is hidden unless there are less than {crossing} of data.",
                (self.transfer_time > self.latency_time, self.latency > 0),
                crossing=self.amount * self.latency_time / self.transfer_time,
            )
        name, p = self.operation, self.workers
        few = After(self.rounds, algorithm="tree")
        faster = After(self.time, algorithm="tree")
        if self.algorithm in ("ring", "pairs") and name in ("broadcast", "reduce", *PARTS):
            if name == "reduce_scatter":  # along a tree, for powers of two only
                return
            yield Sentence(
                "Along a tree {few} rounds would do instead of {rounds}, in {faster}.",
                (p > 3, self.time > 0),
                few=few,
                faster=faster,
            )

    def _limits(self) -> Iterator[Said]:
        """Whether latency or bandwidth decides, and from which size on the other one does."""
        message, lag = self._message, self.rounds * self.latency
        move = self.transfer_time if message is None else self.rounds * (message / self.pace)
        some = self.latency > 0, self.amount > 0, self.workers > 1
        slots: dict[str, Expr | After] = {
            "faster": After(self.time, bandwidth=2 * self.bandwidth),
            "prompter": After(self.time, latency=self.latency / 2),
            "crossing": self.amount * lag / move,
        }
        changed = "twice the bandwidth gives {faster}, half the latency {prompter}"
        if self.states("reduce"):
            yield Sentence(f"{changed[0].upper()}{changed[1:]}.", some, **slots)
            return
        yield Sentence(
            "Twice the bandwidth gives {faster}.",
            (same(self.latency, 0), self.time > 0),
            faster=slots["faster"],
        )
        yield First(
            Sentence(
                f"Bandwidth is the limit: {changed}. Below {{crossing}} of data"
                " latency is the larger part.",
                (*some, move > lag),
                **slots,
            ),
            Sentence(
                f"Latency is the limit: {changed}. Above {{crossing}} of data bandwidth would be.",
                (*some, move < lag),
                **slots,
            ),
        )

    def arguments(self) -> Iterator[Argument]:
        if self.operation == "all_to_all" and self.algorithm == "ring":
            i, p = Sym("i"), self.workers
            says = "all rounds, the last one first: i parts of S/p in each"
            if self.states("size"):
                yield Summed(self.moved, i * (self.amount / p), i, Num(1), p - 1, says)

    def premises(self) -> Iterator[Premise]:
        if self.operation in ("reduce", "reduce_scatter") and not self.states("reduce"):
            yield Premise("adding up takes no time", "reduce")
        yield Premise("links carry both directions at full speed at once")
        yield Premise("nothing else uses the links, and all links are alike")
        if self.algorithm == "bidirectional" and self.operation not in ("broadcast", "reduce"):
            yield Premise(OPPOSITE)
        if self._handed_on:
            yield Premise("an array is handed on whole, not in blocks that follow each other")

    @property
    def _handed_on(self) -> bool:
        return self.operation in ("broadcast", "reduce") and self.algorithm != "pairs"

    def equations(self) -> Equations:
        yield from self.sending()
        p, exact = self.workers, self.factor == "exact"
        cost = operation_cost(self.operation, self.algorithm, p, self.amount, exact=exact)
        yield self.rounds, cost.rounds, ROUNDS[self.algorithm]
        yield self.moved, cost.moved
        parts, why = self.latency_time + self.transfer_time, "nothing of it overlaps"
        if (message := self._message) is not None and self.together == "added":
            if message != self.amount:
                half = self.operation == "all_to_all" and self.algorithm == "tree"
                cut = "half of the data" if half else "one of p equal parts"
                yield self.part, message, cut
                message = self.part
            yield self.round_time, self.latency + message / self.pace
            parts, why = self.rounds * self.round_time, "the rounds follow one another"
        yield self.latency_time, self.rounds * self.latency
        yield self.transfer_time, self.moved / self.pace
        if self.together == "larger":
            parts, why = largest(self.latency_time, self.transfer_time), "the larger of the two"
        if self.states("reduce") and self.operation in ("reduce", "reduce_scatter"):
            yield self.added, cost.added
            yield self.reduction_time, self.added / self.reduce
            parts, why = parts + self.reduction_time, "adding up comes on top"
        yield self.call, parts, why
        yield self.time, self.calls * parts, why
        yield from self._carried()
        yield self.algorithm_bandwidth, self._by_time(self.amount)
        yield self.bus_bandwidth, self._by_time(self._bus_size())

    def _carried(self) -> Equations:
        once = busiest(self.operation, self.algorithm, self.workers, self.amount, self.moved)
        beside = "; links side by side count as one" if self.states("links") else ""
        yield self.volume, self.calls * once, f"{type(self).volume.why}{beside}"

    def _bus_size(self) -> Expr:
        whole: Expr = self.amount
        parted = self.operation in (*PARTS, "all_to_all")
        return (self.workers - 1) / self.workers * whole if parted else whole

    def _by_time(self, size: Expr) -> Expr:
        return cases((size / self.call, self.call > 0), otherwise=NOTHING, why="no time passes")


# What an operation costs. Whole messages are handed on; nothing is cut to be on several hops at
# once. The links of the worker that gathers or scatters carry as much as the busiest ones of an
# all-gather, in as many rounds.


def operation_cost(operation: str, way: str, p: Expr, size: Expr, *, exact: bool) -> Cost:
    """The *operation* among *p* workers; not *exact*: with (p − 1)/p taken for 1."""
    if operation == "all_to_all" and way == "ring":
        return Cost(p - 1, (p - 1) / 2 * size, Num(0) * size)
    rule = {"bidirectional": _bidirectional, "tree": _tree}.get(way, _ring)
    return rule(operation, p, size, exact)


def busiest(operation: str, way: str, p: Expr, size: Expr, moved: Expr) -> Expr:
    """The bytes over the busiest link, one way, of those *moved* one after the other.

    All of these pass one link, but for an array that is handed on: each link of a ring carries it
    once, while the next hops wait.
    """
    handed_on = operation in ("broadcast", "reduce") and way in ("ring", "bidirectional")
    return smallest(p - 1, 1) * size if handed_on else moved


def _part(p: Expr, size: Expr, exact: bool) -> Expr:
    return (p - 1) / p * size if exact else size


def _with_sums(operation: str, cost: Cost) -> Cost:
    """*cost*, with nothing added up unless the operation sums."""
    sums = operation in ("reduce", "reduce_scatter")
    return cost if sums else Cost(cost.rounds, cost.moved, Num(0) * cost.moved)


def _ring(operation: str, p: Expr, size: Expr, exact: bool) -> Cost:
    """p − 1 hops along a ring, or to p − 1 others in turn."""
    moved = (p - 1) * size if operation in ("broadcast", "reduce") else _part(p, size, exact)
    return _with_sums(operation, Cost(p - 1, moved, _added(operation, p, size, moved)))


def _added(operation: str, p: Expr, size: Expr, moved: Expr) -> Expr:
    """Nobody adds an own part to itself, even if all of the array counts as sent."""
    return (p - 1) / p * size if operation == "reduce_scatter" else moved


def _bidirectional(operation: str, p: Expr, size: Expr, exact: bool) -> Cost:
    """Half way round at most; what has as far both ways goes half this way, half that."""
    hops = floor(p / 2)
    if operation in PARTS:
        moved = _part(p, size, exact)
        return _with_sums(operation, Cost(hops, moved / 2, (p - 1) / p * size))
    if operation == "all_to_all":
        return Cost(hops, floor(p * p / 4) / 2 * (size / p), Num(0) * size)
    added = smallest(ceiling(p / 2), p - 1) * size
    return _with_sums(operation, Cost(hops, hops * size, added))


def _tree(operation: str, p: Expr, size: Expr, exact: bool) -> Cost:
    depth = ceiling_log2(p)
    if operation in PARTS:
        moved = _part(p, size, exact)
    else:
        moved = depth * size / 2 if operation == "all_to_all" else depth * size
    return _with_sums(operation, Cost(depth, moved, _added(operation, p, size, moved)))
