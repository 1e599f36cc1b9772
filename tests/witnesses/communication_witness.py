"""Collectives, messages and overlap: messages played round by round, events, and bytes counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import messages
from asking import Question, witness
from messages import Links, Number, Play

MOST = 128  # workers that are played


def size_of(question: Question) -> Number:
    if "size" in question:
        return Fraction(question["size"])
    return Fraction(question["parameters"] * question["bytes_per_parameter"])


def pace_of(question: Question) -> Fraction:
    """What one worker sends in a second, one way, over all its links."""
    ways = 2 if question["direction"] == "two_way" else 1
    return Fraction(question["bandwidth"] * question.get("links", 1), ways)


# All-reduce


@dataclass(frozen=True)
class Played:
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

    def __init__(self, question: Question) -> None:
        self.question = question
        self.in_nodes = "nodes" in question
        self.nodes = question["nodes"] if self.in_nodes else question["workers"]
        self.per_node = question["workers_per_node"] if self.in_nodes else 1
        self.workers = self.nodes * self.per_node
        self.size = size_of(question)
        self.sharing = self.in_nodes and question["uplink"] == "shared"
        counted = question["reduction"] == "counted"
        self.speed = question.get("reduce") if counted else None
        self.links = self._links()

    def _links(self) -> Links:
        question, pace = self.question, pace_of(self.question)
        alpha, inner_pace = question["latency"], pace
        if "inner_bandwidth" in question:
            ways = 2 if question["direction"] == "two_way" else 1
            inner_pace = Fraction(question["inner_bandwidth"], ways)
        return Links(alpha, pace, question.get("inner_latency", alpha), inner_pace)

    def played(self, algorithm: str) -> Played | None:
        """None for what is not played: factors that are rounded."""
        rounded = self.question["factor"] == "two"
        if rounded and algorithm in ("ring", "bidirectional", "two_level"):
            return None
        if algorithm == "parameter_server":
            return self._served()
        if algorithm == "double_tree":
            return self._two_trees()
        return self._rounds(algorithm)

    def _rounds(self, algorithm: str) -> Played:
        p, q, k = self.workers, self.nodes, self.per_node
        powers = messages.power(q) * messages.power(k)
        cells = {"ring": p, "bidirectional": 2 * p, "halving_doubling": powers}.get(algorithm, 1)
        run = getattr(messages, algorithm)
        if algorithm == "halving_doubling":
            run = partial(run, near=self.question["partners"] == "near")
        if algorithm == "two_level":
            leaders = self.question["levels"] == "leaders"
            run, cells = (messages.leaders, q) if leaders else (run, p)
        play = run(Play(q, k, cells, self.sharing))
        part = Fraction(self.size) / cells
        outside = [item for item in play.log if item.outside]
        inside = [item for item in play.log if not item.outside]
        return Played(
            time=lambda size: play.time(self.links, size, self.speed),
            rounds=len(outside),
            moved=sum(item.outside for item in outside) * part,
            added=sum(item.added for item in play.log) * part,
            sent=max(play.sent.values(), default=0) * part,
            inner_rounds=len(inside),
            inner_moved=sum(item.inside for item in inside) * part,
        )

    def _two_trees(self) -> Played:
        """More and smaller blocks come as near to these bytes as one likes."""
        height, busiest, children = messages.two_trees(self.workers)
        halves, added, rounds = Fraction(busiest, 2), Fraction(children, 2), 2 * height

        def time(size: Number) -> Fraction:
            adding = added * size / self.speed if self.speed else 0
            return rounds * self.links.alpha + halves * size / self.links.pace + adding

        size = self.size
        return Played(time, rounds, halves * size, added * size, halves * size)

    def _served(self) -> Played:
        """Every worker's message to every server, on the links it takes; as many turns as the
        busiest link has messages are enough (Kőnig)."""
        question, p = self.question, self.workers
        shards, apart = question.get("servers", 1), question["server"] == "apart"
        back = question["ways"] == "both"
        link: Counter[object] = Counter()
        sent = Counter(dict.fromkeys(range(p), 0))
        for w in range(p):
            for j in range(shards):
                if apart or j != w:
                    link.update(self._taken(w, j, apart=apart))
                    sent[w] += 1
                    sent[j] += back and not apart
        ways = 2 if back else 1
        inner = max((n for at, n in link.items() if at[0] == "inside"), default=0)  # type: ignore[index]
        outer = max((n for at, n in link.items() if at[0] == "outside"), default=0)  # type: ignore[index]
        links = self.links

        def time(size: Number) -> Fraction:
            part = Fraction(size, shards)
            inside = inner * (links.inner_alpha + part / links.inner_pace)
            between = outer * (links.alpha + part / links.pace)
            adding = (p - 1) * part / self.speed if self.speed else 0
            return Fraction(ways * max(inside, between) + adding)

        part = Fraction(self.size, shards)
        turns = ways * (outer or inner)
        return Played(time, turns, turns * part, (p - 1) * part, max(sent.values()) * part)

    def _taken(self, worker: int, server: int, *, apart: bool) -> list[tuple[object, ...]]:
        """The links that a message from *worker* to *server* takes, one with all its messages."""
        home, there = worker // self.per_node, server // self.per_node
        mine = () if self.question["server_link"] == "shared" else (worker,)
        if not apart and home == there:
            return [("inside", "out", worker), ("inside", "in", server, *mine)]
        taken = [("outside", "out", worker), ("outside", "in", server, *mine)]
        if self.sharing:
            taken.append(("outside", "node out", home))
            taken += [] if apart else [("outside", "node in", there)]
        return taken


@witness("allreduce")
def allreduce(question: Question) -> dict[str, Any]:
    machine = Machine(question)
    if machine.workers > MOST:
        return {}
    play = machine.played(question["algorithm"])
    if play is None:
        return {}
    calls = question.get("calls", 1)
    call = play.time(machine.size)
    answers = {"time": calls * call, "sent": calls * play.sent}
    answers |= {"call": call} if "calls" in question else {}
    answers |= {"added": play.added} if machine.speed else {}
    waits = {"ring", "bidirectional"} | (
        {"parameter_server"} if question["server"] == "worker" else set()
    )
    if question["algorithm"] in waits or not machine.in_nodes:
        answers["rounds"] = play.rounds + play.inner_rounds
        answers["moved"] = play.moved + play.inner_moved
    else:
        answers |= {"rounds": play.rounds, "moved": play.moved}
        if play.inner_rounds:
            answers |= {"inner_rounds": play.inner_rounds, "inner_moved": play.inner_moved}
    return answers | _bandwidths(machine, calls, answers["time"]) | _versus(machine, question, play)


def _bandwidths(machine: Machine, calls: int, time: Fraction) -> dict[str, Any]:
    if not time:
        return {"algorithm_bandwidth": None, "bus_bandwidth": None}
    p, size = machine.workers, calls * machine.size
    return {
        "algorithm_bandwidth": size / time,
        "bus_bandwidth": Fraction(2 * (p - 1), p) * size / time,
    }


def _versus(machine: Machine, question: Question, mine: Played) -> dict[str, Any]:
    """The other algorithm, and where both take as long, from two points of each line."""
    name = question["versus"]
    other = None if name == "none" else machine.played(name)
    if other is None:
        return {}
    answers: dict[str, Any] = {"other": question.get("calls", 1) * other.time(machine.size)}
    if name != question["algorithm"]:
        ahead = [mine.time(size) - other.time(size) for size in (0, 1)]
        steeper = ahead[1] - ahead[0]
        at = -ahead[0] / steeper if steeper else Fraction(0)
        answers["crossover"] = at if at > 0 else None
    return answers


# One operation, hop by hop


@witness("collective")
def collective(question: Question) -> dict[str, Any]:
    p, operation, way = question["workers"], question["operation"], question["algorithm"]
    if p > MOST or question["factor"] == "whole":
        return {}
    size, part = Fraction(size_of(question)), Fraction(size_of(question)) / p
    if operation in ("broadcast", "reduce"):
        rounds, added, link = _to_one(p, way)
        carried = link * size
        moved, adding = rounds * size, added * size if operation == "reduce" else Fraction(0)
    else:
        log, link = _parts(p, operation, way)
        rounds, carried = len(log), link * part
        moved = sum((Fraction(busiest) for busiest in log), Fraction(0)) * part
        adding = (p - 1) * part if operation == "reduce_scatter" else Fraction(0)
    latency, transfer = rounds * question["latency"], moved / pace_of(question)
    call = max(latency, transfer) if question["together"] == "larger" else latency + transfer
    answers: dict[str, Any] = {"rounds": rounds, "moved": moved}
    if "reduce" in question and operation in ("reduce", "reduce_scatter"):
        answers["added"] = adding
        call += adding / question["reduce"]
    calls = question["calls"]
    answers |= {"call": call, "time": calls * call, "volume": calls * carried}
    bus = size if operation in ("broadcast", "reduce") else (p - 1) * part
    return answers | {
        "algorithm_bandwidth": size / call if call else None,
        "bus_bandwidth": bus / call if call else None,
    }


def _to_one(p: int, way: str) -> tuple[int, int, int]:
    """Rounds until everybody has what one had; backwards it is a reduce, in which a worker adds so
    many arrays one after the other, round by round. Last the arrays over the busiest link: from one
    to the next of a ring, else to the switch or from it."""
    parent, when = {}, {0: 0}
    while len(when) < p:
        now = max(when.values()) + 1
        for w in [w for w, r in when.items() if r < now]:
            for to in _next(p, way, w, now):
                if to < p and to not in when:
                    when[to], parent[to] = now, w
    rounds = max(when.values())
    if way == "bidirectional":  # on the shorter side a worker begins later, not earlier
        short = [w for w in when if w > p // 2]
        when |= {w: when[w] + rounds - len(short) for w in short}
    into = Counter((when[w], parent[w]) for w in parent)
    adding = sum(max(n for (r, _), n in into.items() if r == now) for now in _upto(rounds))
    if way in ("ring", "bidirectional"):
        link = Counter[object]((a, b) for b, a in parent.items())
    else:
        link = Counter[object](parent.values())  # nobody gets it twice
    return rounds, adding, max(link.values(), default=0)


def _upto(rounds: int) -> range:
    return range(1, rounds + 1)


def _next(p: int, way: str, worker: int, now: int) -> list[int]:
    """To whom *worker*, who has the array, hands it on in a round."""
    return {
        "ring": [worker + 1],
        "bidirectional": [(worker + 1) % p, (worker - 1) % p],
        "pairs": [now] if worker == 0 else [],
        "tree": [worker + 2 ** (now - 1)],
    }[way]


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
    rounds = 1 + max((hop for hop, _, _ in link), default=-1)
    carried: Counter[tuple[int, int]] = Counter()
    for (_, at, step), halves in link.items():
        carried[at, step] += halves
    log: list[Number] = [
        Fraction(max(n for (r, _, _), n in link.items() if r == hop), 2) for hop in range(rounds)
    ]
    return log, Fraction(max(carried.values(), default=0), 2)


def _doubling(p: int, operation: str) -> list[Number]:
    """Binomial trees, Bruck's all-gather and all-to-all, and halves."""
    distances = [1 << bit for bit in range((p - 1).bit_length())]
    if operation == "all_to_all":
        return [sum(1 for block in range(p) if block & d) for d in distances]
    if operation in ("gather", "scatter"):  # the subtree of whoever sends the most
        return [min(d, p - d) for d in distances]
    held, carried = 1, []
    for d in distances:
        carried.append(min(d, p - held))
        held += carried[-1]
    return [Fraction(item) for item in carried]


# Messages and benchmarks


@witness("transfer")
def transfer(question: Question) -> dict[str, Any]:
    """Bytes leave one after the other, and every one waits for all hops."""
    size, pace = Fraction(size_of(question)), pace_of(question)
    waiting = Fraction(question["latency"] * question["hops"])
    time = waiting + size / pace
    return {
        "first": waiting,
        "transfer": time - waiting,
        "time": time,
        "balance": waiting * pace,
        "share": size / pace / time if time else None,
    }


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


@witness("bus-bandwidth")
def bus_bandwidth(question: Question) -> dict[str, Any]:
    answers: dict[str, Any] = {}
    if "listed_bus_bandwidth" in question:
        bus = question["listed_bus_bandwidth"]
    else:
        measured = question.get("algorithm_bandwidth")
        if measured is None:
            measured = Fraction(question["size"]) / question["time"]
        n = question["workers"]
        if n > 10**4:
            return {}
        answers["factor"] = carried(question["collective"], n)
        bus = answers["factor"] * measured
    share = {"share": Fraction(bus) / question["wire"]} if "wire" in question else {}
    return answers | share | {"bus_bandwidth": bus}


# Beside computation


@witness("buckets")
def buckets(question: Question) -> dict[str, Any]:
    """Each bucket is ready when its gradients are computed; the link takes one after the other."""
    compute, alpha = Fraction(question["compute"]), question["latency"]
    whole = Fraction(question.get("volume", 1))
    moving = question.get("communication")
    if "bandwidth" in question:
        moving = whole / question["bandwidth"]
    size = Fraction(question["bucket"]) if "bucket" in question else whole / question["parts"]
    if whole / size > 2000:
        return {}

    def sent(sizes: list[Fraction]) -> Fraction:
        computed = free = Fraction(0)
        for item in sizes:
            computed += compute * item / whole
            free = max(free, computed) + alpha + moving * item / whole
        return free

    sizes, left = [], whole
    while left > 0:
        sizes.append(min(size, left))
        left -= sizes[-1]
    backward, messages = sent(sizes), len(sizes) * alpha + moving
    total, single = question["before"] + backward, question["before"] + sent([whole])
    return {
        "buckets": len(sizes),
        "backward": backward,
        "total": total,
        "messages": messages,
        "exposed": backward - compute,
        "hidden": 1 - (backward - compute) / messages if messages else None,
        "single": single,
        "speedup": single / total,
    } | ({"last": sizes[-1]} if "bucket" in question else {})


@witness("overlap")
def overlap(question: Question) -> dict[str, Any]:
    """Intervals side by side: what may be hidden runs while there is computing, the rest after.
    Compressed messages go round by round, each with its latency."""
    compute, hidden = Fraction(question["compute"]), Fraction(question["overlapped"])
    busy, latency = compute + question.get("encoding", 0), Fraction(question.get("latency", 0))

    def takes(busy: Fraction, sent: Fraction) -> Fraction:
        may = hidden * (min(busy, sent) if question["part_of"] == "shorter" else sent)
        return busy + sent - min(may, busy)

    full = question.get("communication")
    if "bandwidth" in question:
        full = Fraction(question["volume"]) / question["bandwidth"]
    ratio, waits, part = question.get("compression", 1), latency, Fraction(1)
    if "workers" in question and question["aggregation"] == "gathered":
        rounds = 2 * (question["workers"] - 1)  # of a ring, which passes a part of p in each
        waits = sum((latency / rounds for _ in range(rounds // 2)), Fraction(0))
        part = Fraction(rounds // 2 * question["workers"], rounds)
    sent, whole = waits + part * full / ratio, latency + Fraction(full)
    step, before = takes(busy, sent), takes(compute, whole)
    answers = {"step": step, "exposed": step - busy, "serial": compute + whole}
    answers |= {"least": max(busy, sent), "speedup": (compute + whole) / step}
    answers["ratio"] = whole / compute if compute else None
    if "compression" in question:
        answers |= {"compressed": sent, "before": before, "saved": before - step}
        answers |= {"gain": before / step, "limit": before / busy if busy else None}
    if "volume" in question:
        room = busy - waits
        least = part * question["volume"] / ratio / room if room > 0 else None
        answers["enough"] = least if hidden == 1 else None
    return answers
