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
from two_trees import TwoTrees

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
        self.each = question["workers_per_node"] if self.in_nodes else 1
        self.workers = self.nodes * self.each
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
        p, q, k = self.workers, self.nodes, self.each
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
        outside = [each for each in play.log if each.outside]
        inside = [each for each in play.log if not each.outside]
        return Played(
            time=lambda size: play.time(self.links, size, self.speed),
            rounds=len(outside),
            moved=sum(each.outside for each in outside) * part,
            added=sum(each.added for each in play.log) * part,
            sent=max(play.sent.values(), default=0) * part,
            inner_rounds=len(inside),
            inner_moved=sum(each.inside for each in inside) * part,
        )

    def _two_trees(self) -> Played:
        """More and smaller blocks come as near to these bytes as one likes: see its own test."""
        trees = TwoTrees(self.workers)
        children = [len(trees.children(0, w) + trees.children(1, w)) for w in trees.all]
        halves, added = Fraction(trees.busiest, 2), Fraction(max(children), 2)
        rounds = 2 * trees.height

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
        sent = Counter({w: 0 for w in range(p)})
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
        home, there = worker // self.each, server // self.each
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
    if question["algorithm"] == "all":
        return _all(machine, question)
    play = machine.played(question["algorithm"])
    if play is None:
        return {}
    calls = question.get("calls", 1)
    call = play.time(machine.size)
    found = {"time": calls * call, "sent": calls * play.sent}
    found |= {"call": call} if "calls" in question else {}
    found |= {"added": play.added} if machine.speed else {}
    waits = {"ring", "bidirectional"} | (
        {"parameter_server"} if question["server"] == "worker" else set()
    )
    if question["algorithm"] in waits or not machine.in_nodes:
        found["rounds"] = play.rounds + play.inner_rounds
        found["moved"] = play.moved + play.inner_moved
    else:
        found |= {"rounds": play.rounds, "moved": play.moved}
        if play.inner_rounds:
            found |= {"inner_rounds": play.inner_rounds, "inner_moved": play.inner_moved}
    return found | _bandwidths(machine, calls, found["time"]) | _versus(machine, question, play)


def _all(machine: Machine, question: Question) -> dict[str, Any]:
    names = ["ring", "tree", "recursive_doubling", "halving_doubling", "parameter_server", "naive"]
    names += ["two_level"] if machine.in_nodes else []
    if question["factor"] == "two":
        return {}
    plays = {name: machine.played(name) for name in names}
    times = {name: play.time(machine.size) for name, play in plays.items() if play}
    calls = question.get("calls", 1)
    found: dict[str, Any] = {**times, "time": calls * min(times.values())}
    return found | _bandwidths(machine, calls, found["time"])


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
    found: dict[str, Any] = {"other": question.get("calls", 1) * other.time(machine.size)}
    if name != question["algorithm"]:
        ahead = [mine.time(size) - other.time(size) for size in (0, 1)]
        steeper = ahead[1] - ahead[0]
        at = -ahead[0] / steeper if steeper else Fraction(0)
        found["crossover"] = at if at > 0 else None
    return found
