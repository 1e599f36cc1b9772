"""Collectives, messages and overlap: messages played round by round, events, and bytes counted."""

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import messages
from asking import Answers, Question, known, witness
from messages import Links, Number, Play

MOST = 128  # workers that are played


def size_of(q: Question) -> Number:
    return Fraction(q.parameters * q.bytes_per_parameter if q.size is None else q.size)


def pace_of(q: Question, bandwidth: Any, links: int = 1) -> Fraction:
    """What one worker sends in a second, one way, over all its links."""
    return Fraction(bandwidth * links, 2 if q.direction == "two_way" else 1)


# All-reduce


class Played(NamedTuple):
    """What an algorithm takes: rounds and bytes between nodes (or of all), inside of them, the
    bytes added one after the other and those that the busiest worker sends."""

    time: Callable[[Number], Fraction]
    rounds: int
    moved: Fraction
    added: Fraction
    sent: Fraction
    inner_rounds: int = 0
    inner_moved: Fraction = Fraction(0)


class Machine:
    """The workers of a question, in nodes or alone, and their links."""

    def __init__(self, q: Question) -> None:
        self.q, self.in_nodes = q, q.nodes is not None
        self.nodes = q.nodes if self.in_nodes else q.workers
        self.per_node = q.workers_per_node if self.in_nodes else 1
        self.workers = self.nodes * self.per_node
        self.size = size_of(q)
        self.sharing = self.in_nodes and q.uplink == "shared"
        self.speed = q.reduce if q.reduction == "counted" else None
        pace = inner = pace_of(q, q.bandwidth, q.links or 1)
        if q.inner_bandwidth is not None:
            inner = pace_of(q, q.inner_bandwidth)
        lag = q.latency if q.inner_latency is None else q.inner_latency
        self.links = Links(q.latency, pace, lag, inner)

    def adding(self, size: Number) -> Any:
        return size / self.speed if self.speed else 0

    def played(self, algorithm: str) -> Played | None:
        """None for what is not played: factors that are rounded."""
        if self.q.factor == "two" and algorithm in ("ring", "bidirectional", "two_level"):
            return None
        ways = {"parameter_server": self._served, "double_tree": self._two_trees}
        return ways.get(algorithm, partial(self._rounds, algorithm))()

    def _rounds(self, algorithm: str) -> Played:
        p, q, k = self.workers, self.nodes, self.per_node
        powers = messages.power(q) * messages.power(k)
        cells = {"ring": p, "two_level": p, "bidirectional": 2 * p, "halving_doubling": powers}
        run = getattr(messages, algorithm)
        if algorithm == "halving_doubling":
            run = partial(run, near=self.q.partners == "near")
        if algorithm == "two_level" and self.q.levels == "leaders":
            run, cells = messages.leaders, {algorithm: q}
        play = run(Play(q, k, cells.get(algorithm, 1), self.sharing))
        part = Fraction(self.size) / play.cells
        outside = [item for item in play.log if item.outside]
        inside = [item for item in play.log if not item.outside]
        moved, inner = (sum(item.outside for item in outside), sum(item.inside for item in inside))
        added, sent = sum(item.added for item in play.log), max(play.sent.values(), default=0)
        return Played(
            lambda size: play.time(self.links, size, self.speed), len(outside), moved * part,
            added * part, sent * part, len(inside), inner * part,
        )  # fmt: skip

    def _two_trees(self) -> Played:
        """More and smaller blocks come as near to these bytes as one likes."""
        height, busiest, children = messages.two_trees(self.workers)
        halves, added, rounds = Fraction(busiest, 2), Fraction(children, 2), 2 * height

        def time(size: Number) -> Fraction:
            moved = rounds * self.links.alpha + halves * size / self.links.pace
            return moved + self.adding(added * size)

        moved = halves * self.size
        return Played(time, rounds, moved, added * self.size, moved)

    def _served(self) -> Played:
        """Every worker's message to every server, on the links it takes; as many turns as the
        busiest link has messages are enough (Kőnig)."""
        q, p, links = self.q, self.workers, self.links
        shards, apart, ways = q.servers or 1, q.server == "apart", 2 if q.ways == "both" else 1
        link, sent = Counter[tuple[object, ...]](), Counter(dict.fromkeys(range(p), 0))
        for w in range(p):
            for j in range(shards):
                if apart or j != w:
                    link.update(self._taken(w, j, apart=apart))
                    sent[w] += 1
                    sent[j] += ways == 2 and not apart
        inner, outer = (max([0, *(n for at, n in link.items() if at[0] == where)])
                        for where in ("inside", "outside"))  # fmt: skip

        def time(size: Number) -> Fraction:
            part = Fraction(size, shards)
            inside = inner * (links.inner_alpha + part / links.inner_pace)
            between = outer * (links.alpha + part / links.pace)
            return Fraction(ways * max(inside, between) + self.adding((p - 1) * part))

        part, turns = Fraction(self.size, shards), ways * (outer or inner)
        return Played(time, turns, turns * part, (p - 1) * part, max(sent.values()) * part)

    def _taken(self, worker: int, server: int, *, apart: bool) -> Iterator[tuple[object, ...]]:
        """The links that a message from *worker* to *server* takes, one with all its messages."""
        home, there = worker // self.per_node, server // self.per_node
        mine = () if self.q.server_link == "shared" else (worker,)
        where = "inside" if not apart and home == there else "outside"
        yield from ((where, "out", worker), (where, "in", server, *mine))
        if self.sharing and where == "outside":
            yield where, "node out", home
            if not apart:
                yield where, "node in", there


@witness
def allreduce(q: Question, calls: int = 1) -> Answers:
    machine = Machine(q)
    play = machine.played(q.algorithm) if machine.workers <= MOST else None
    if play is None:
        return {}
    p, call = machine.workers, play.time(machine.size)
    time, volume = calls * call, calls * machine.size
    answers = known(
        time=time, sent=calls * play.sent, call=call if q.calls else ...,
        added=play.added if machine.speed else ...,
        algorithm_bandwidth=volume / time if time else None,
        bus_bandwidth=Fraction(2 * (p - 1), p) * volume / time if time else None,
    )  # fmt: skip
    waits = ("ring", "bidirectional", *(["parameter_server"] if q.server == "worker" else []))
    if q.algorithm in waits or not machine.in_nodes:
        answers["rounds"] = play.rounds + play.inner_rounds
        answers["moved"] = play.moved + play.inner_moved
    else:
        answers |= {"rounds": play.rounds, "moved": play.moved}
        if play.inner_rounds:
            answers |= {"inner_rounds": play.inner_rounds, "inner_moved": play.inner_moved}
    other = None if q.versus == "none" else machine.played(q.versus)
    if other is None:
        return answers
    answers["other"] = calls * other.time(machine.size)
    if q.versus != q.algorithm:  # both take as long: from two points of each line
        ahead = [play.time(size) - other.time(size) for size in (0, 1)]
        steeper = ahead[1] - ahead[0]
        at = -ahead[0] / steeper if steeper else Fraction(0)
        answers["crossover"] = at if at > 0 else None
    return answers


# One operation, hop by hop


@witness
def collective(q: Question) -> Answers:
    p, operation, way = q.workers, q.operation, q.algorithm
    if p > MOST or q.factor == "whole":
        return {}
    size, reduces = Fraction(size_of(q)), operation in ("reduce", "reduce_scatter")
    whole, part = operation in ("broadcast", "reduce"), size / p
    if whole:
        rounds, added, link = _to_one(p, way)
        carried, moved, adding = link * size, rounds * size, added * size
    else:
        log, link = _parts(p, operation, way)
        rounds, carried, adding = len(log), link * part, (p - 1) * part
        moved = sum(map(Fraction, log), Fraction(0)) * part
    both = rounds * q.latency, moved / pace_of(q, q.bandwidth, q.links or 1)
    call = max(both) if q.together == "larger" else sum(both)
    counted = q.reduce is not None and reduces
    call += adding / q.reduce if counted else 0
    bus = size if whole else (p - 1) * part
    return known(
        rounds=rounds, moved=moved, added=adding if counted else ..., call=call,
        time=q.calls * call, volume=q.calls * carried,
        algorithm_bandwidth=size / call if call else None,
        bus_bandwidth=bus / call if call else None,
    )  # fmt: skip


def _to_one(p: int, way: str) -> tuple[int, int, int]:
    """Rounds until everybody has what one had; backwards it is a reduce, in which a worker adds so
    many arrays one after the other, round by round. Last the arrays over the busiest link: from one
    to the next of a ring, else to the switch or from it."""
    parent, when = {}, {0: 0}
    while len(when) < p:
        now = max(when.values()) + 1
        for w in [w for w, r in when.items() if r < now]:
            hands_on = {"ring": [w + 1], "bidirectional": [(w + 1) % p, (w - 1) % p]}
            hands_on |= {"pairs": [now] if w == 0 else [], "tree": [w + 2 ** (now - 1)]}
            for to in hands_on[way]:
                if to < p and to not in when:
                    when[to], parent[to] = now, w
    rounds = max(when.values())
    if way == "bidirectional":  # on the shorter side a worker begins later, not earlier
        short = [w for w in when if w > p // 2]
        when |= {w: when[w] + rounds - len(short) for w in short}
    into = Counter((when[w], parent[w]) for w in parent)
    turns = range(1, rounds + 1)
    adding = sum(max(n for (r, _), n in into.items() if r == now) for now in turns)
    hops = Counter[object](parent.values())  # nobody gets it twice
    if way in ("ring", "bidirectional"):
        hops = Counter((a, b) for b, a in parent.items())
    return rounds, adding, max(hops.values(), default=0)


def _parts(p: int, operation: str, way: str) -> tuple[list[Number], Number]:
    """What the busiest link carries in each round, in parts of 1/p, and the busiest one in all."""
    if way == "tree":
        log = _doubling(p, operation)
        return log, sum(log)
    if operation in ("all_to_all", "gather", "scatter") and way != "pairs":
        ends = range(p) if operation == "all_to_all" else [0]  # a scatter is a gather backwards
        return _handed_on(p, way, [(a, b) for a in range(p) for b in ends if a != b])
    if way == "bidirectional":  # a part goes both ways, half of it the last hop if both are as far
        last = [Fraction(1, 2)] if p % 2 == 0 else []
        return [*[1] * ((p - 1) // 2), *last], Fraction(p - 1, 2)
    return [1] * (p - 1), p - 1


def _handed_on(p: int, way: str, blocks: list[tuple[int, int]]) -> tuple[list[Number], Number]:
    """Every block goes one hop in each round until it is there, the shorter way if both are used;
    what is as far both ways goes half this way, half that."""
    link: Counter[tuple[int, int, int]] = Counter()
    for a, b in blocks:
        ahead, back = (b - a) % p, (a - b) % p
        ways = [(1, ahead, 2)] if way == "ring" or ahead < back else [(-1, back, 2)]
        if way != "ring" and ahead == back:
            ways = [(1, ahead, 1), (-1, back, 1)]
        for step, hops, halves in ways:
            for hop in range(hops):
                link[hop, (a + step * hop) % p, step] += halves
    rounds, carried = 1 + max((hop for hop, _, _ in link), default=-1), Counter[object]()
    for (_, at, step), halves in link.items():
        carried[at, step] += halves
    busiest = (max(n for (r, _, _), n in link.items() if r == hop) for hop in range(rounds))
    return [Fraction(n, 2) for n in busiest], Fraction(max(carried.values(), default=0), 2)


def _doubling(p: int, operation: str) -> list[Number]:
    """Binomial trees, Bruck's all-gather and all-to-all, and halves."""
    distances = [1 << bit for bit in range((p - 1).bit_length())]
    if operation == "all_to_all":
        return [sum(1 for block in range(p) if block & d) for d in distances]
    # the subtree of whoever sends the most; or, of those not held yet, as many as are held
    return [min(d, p - d) for d in distances]


# Messages and benchmarks


@witness
def transfer(q: Question) -> Answers:
    """Bytes leave one after the other, and every one waits for all hops."""
    size, pace = Fraction(size_of(q)), pace_of(q, q.bandwidth, q.links or 1)
    first, moving = Fraction(q.latency * q.hops), size / pace
    share = moving / (first + moving) if first + moving else None
    answers = {"first": first, "transfer": moving, "time": first + moving}
    return answers | {"balance": first * pace, "share": share}


def carried(collective: str, n: int) -> Fraction:
    """What the busiest link of a rank carries one way, by the size: counted message by message."""
    match collective:
        case "all_reduce":  # a ring: every chunk but one is sent twice
            return Fraction(sum(1 for _ in range(2) for chunk in range(n) if chunk), n)
        case "broadcast" | "reduce" | "send":
            return Fraction(1)
        case "in_network":  # the array goes to be summed, and the own part of the sum goes out
            return 1 + Fraction(1, n)
    return Fraction(sum(1 for other in range(n) if other), n)


@witness
def bus_bandwidth(q: Question) -> Answers:
    bus, factor = q.listed_bus_bandwidth, ...
    if bus is None:
        if q.workers > 10**4:
            return {}
        measured = q.algorithm_bandwidth
        factor = carried(q.collective, q.workers)
        bus = factor * (Fraction(q.size) / q.time if measured is None else measured)
    share = ... if q.wire is None else Fraction(bus) / q.wire
    return known(factor=factor, share=share, bus_bandwidth=bus)


# Beside computation


@witness
def buckets(q: Question) -> Answers:
    """Each bucket is ready when its gradients are computed; the link takes one after the other."""
    compute, whole = Fraction(q.compute), Fraction(1 if q.volume is None else q.volume)
    ring = whole if q.workers is None else sum([whole / q.workers] * (q.workers - 1) * 2)
    moving = q.communication if q.bandwidth is None else ring / q.bandwidth
    size = whole / q.parts if q.bucket is None else Fraction(q.bucket)
    if whole / size > 2000:
        return {}

    def sent(sizes: list[Fraction]) -> Fraction:
        computed = free = Fraction(0)
        for item in sizes:
            computed += compute * item / whole
            free = max(free, computed) + q.latency + moving * item / whole
        return free

    sizes, left = [], whole
    while left > 0:
        sizes.append(min(size, left))
        left -= sizes[-1]
    backward, messages = sent(sizes), len(sizes) * q.latency + moving
    total, single = q.before + backward, q.before + sent([whole])
    exposed = backward - compute
    return known(
        buckets=len(sizes), backward=backward, total=total, messages=messages, exposed=exposed,
        hidden=1 - exposed / messages if messages else None, single=single, speedup=single / total,
        last=... if q.bucket is None else sizes[-1],
    )  # fmt: skip


@witness
def overlap(q: Question, encoding: Any = 0, latency: Any = 0, compression: Any = 1) -> Answers:
    """Intervals side by side: what may be hidden runs while there is computing, the rest after.
    Compressed messages go round by round, each with its latency."""
    compute, hidden = Fraction(q.compute), Fraction(q.overlapped)
    busy, waits, part = compute + encoding, Fraction(latency), Fraction(1)

    def takes(busy: Fraction, sent: Fraction) -> Fraction:
        may = hidden * (min(busy, sent) if q.part_of == "shorter" else sent)
        return busy + sent - min(may, busy)

    full = Fraction(q.communication if q.bandwidth is None else Fraction(q.volume) / q.bandwidth)
    if q.workers and q.aggregation == "gathered":
        rounds = 2 * (q.workers - 1)  # of a ring, which passes a part of p in each
        waits = sum((Fraction(latency) / rounds for _ in range(rounds // 2)), Fraction(0))
        part = Fraction(rounds // 2 * q.workers, rounds)
    sent, whole = waits + part * full / compression, latency + full
    step, before = takes(busy, sent), takes(compute, whole)
    answers = {"step": step, "exposed": step - busy, "serial": compute + whole}
    answers |= {"least": max(busy, sent), "speedup": (compute + whole) / step}
    answers["ratio"] = whole / compute if compute else None
    if q.compression is not None:
        answers |= {"compressed": sent, "before": before, "saved": before - step}
        answers |= {"gain": before / step, "limit": before / busy if busy else None}
    if q.volume is not None:
        room = busy - waits
        least = part * q.volume / compression / room if room > 0 else None
        answers["enough"] = least if hidden == 1 else None
    return answers
