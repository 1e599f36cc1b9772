"""Collectives played with real vectors: who sends what to whom in each round.

Nothing is shared with what is tested. A vector is a list of cells, each the set of workers that
went into it, so a wrong schedule is seen at the end: every cell must hold everybody, once. A round
lasts as long as its longest message; what arrives is added before the next round begins.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

Cells = dict[int, tuple[int, ...]]  # contributions by cell, in any order
Sent = tuple[int, int, Iterable[int], bool]  # from, to, cells, whether they are added


@dataclass
class Play:
    """*workers* with *cells* cells each; all lists count cells, which *size* shares equally."""

    workers: int
    cells: int
    held: list[Cells] = field(default_factory=list)
    rounds: int = 0
    moved: int = 0  # cells of the longest message, round after round
    added: int = 0  # cells that the busiest worker adds, round after round
    sent: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.held:
            self.held = [dict.fromkeys(range(self.cells), (w,)) for w in range(self.workers)]
        self.sent = [0] * len(self.held)

    def round(self, messages: Iterable[Sent]) -> None:
        """All *messages* at once; nobody sends two, nobody receives two."""
        told = [(a, b, list(cells), adds) for a, b, cells, adds in messages]
        assert told, "an empty round"
        for end in (0, 1):
            ends = [message[end] for message in told]
            assert len(set(ends)) == len(ends), "a link carries two messages"
        arriving = [(b, {c: self.held[a][c] for c in cells}, adds) for a, b, cells, adds in told]
        for to, cells, adds in arriving:
            for cell, what in cells.items():
                self.held[to][cell] = self.held[to].get(cell, ()) + what if adds else what
        self.rounds += 1
        self.moved += max(len(cells) for _, _, cells, _ in told)
        self.added += max((len(cells) for _, _, cells, adds in told if adds), default=0)
        for a, _, cells, _ in told:
            self.sent[a] += len(cells)

    def check(self, everyone: int, who: Iterable[int]) -> None:
        """Each of *who* holds the sum of *everyone* in every cell."""
        for worker in who:
            assert sorted(self.held[worker]) == list(range(self.cells))
            for what in self.held[worker].values():
                assert sorted(what) == list(range(everyone))


def chunk(cells: int, parts: int, index: int) -> range:
    step = cells // parts
    assert step * parts == cells
    return range(index % parts * step, (index % parts + 1) * step)


def ring(p: int) -> Play:
    play = Play(p, p)
    for adds in (True, False):
        for step in range(p - 1):
            shift = 0 if adds else 1
            play.round((w, (w + 1) % p, chunk(p, p, w - step + shift), adds) for w in range(p))
    play.check(p, range(p))
    return play


def bidirectional(p: int) -> Play:
    """Chunks of two cells go the shorter way round; what is as far both ways is divided."""
    play = Play(p, 2 * p)
    for adds in (True, False):
        for step in range(p // 2):
            last = p % 2 == 0 and step == (0 if adds else p // 2 - 1)
            ways = [_one_way(p, way, step, adds=adds, half=last) for way in (1, -1)]
            _at_once(play, ways)
    play.check(p, range(p))
    return play


def _one_way(p: int, way: int, step: int, *, adds: bool, half: bool) -> list[Sent]:
    """What each worker hands on this *way* round: chunk by chunk, or *half* of one."""
    far = p // 2  # hops that a chunk makes this way
    sent: list[Sent] = []
    for w in range(p):
        index = w + way * (far - step) if adds else w - way * step
        cells = [2 * (index % p), 2 * (index % p) + 1]
        if half:
            cells = cells[:1] if way == 1 else cells[1:]
        sent.append((w, (w + way) % p, cells, adds))
    return sent


def _at_once(play: Play, ways: list[list[Sent]]) -> None:
    """Both ways in one round, over links of their own."""
    one, other = (Play(play.workers, play.cells, [dict(h) for h in play.held]) for _ in ways)
    for copy, messages in zip((one, other), ways, strict=True):
        before = [dict(held) for held in copy.held]
        copy.round(messages)
        for w in range(play.workers):
            for cell, what in copy.held[w].items():
                if what != before[w][cell]:
                    _arrived(play, w, cell, before[w][cell], what)
    play.rounds += 1
    play.moved += max(one.moved, other.moved)
    play.added += one.added + other.added
    play.sent = [a + b + c for a, b, c in zip(play.sent, one.sent, other.sent, strict=True)]


def _arrived(
    play: Play, w: int, cell: int, before: tuple[int, ...], after: tuple[int, ...]
) -> None:
    adds = after[: len(before)] == before
    play.held[w][cell] = play.held[w][cell] + after[len(before) :] if adds else after


def tree(p: int) -> Play:
    play, everything = Play(p, 1), range(1)
    distance, levels = 1, []
    while distance < p:
        pairs = [(w + distance, w) for w in range(0, p - distance, 2 * distance)]
        levels.append(pairs)
        play.round((a, b, everything, True) for a, b in pairs)
        distance *= 2
    for pairs in reversed(levels):
        play.round((b, a, everything, False) for a, b in pairs)
    play.check(p, range(p))
    return play


def folded(p: int, cells: int) -> tuple[Play, list[int], list[tuple[int, int]]]:
    """The surplus workers hand in their vectors; who stays, and who gave to whom."""
    play, core = Play(p, cells), 1
    while core * 2 <= p:
        core *= 2
    pairs = [(2 * i, 2 * i + 1) for i in range(p - core)]
    if pairs:
        play.round((a, b, range(cells), True) for a, b in pairs)
    gone = {a for a, _ in pairs}
    return play, [w for w in range(p) if w not in gone], pairs


def unfold(play: Play, pairs: list[tuple[int, int]]) -> Play:
    if pairs:
        play.round((b, a, range(play.cells), False) for a, b in pairs)
    play.check(play.workers, range(play.workers))
    return play


def recursive_doubling(p: int) -> Play:
    play, stay, pairs = folded(p, 1)
    distance = 1
    while distance < len(stay):
        play.round((stay[i], stay[i ^ distance], range(1), True) for i in range(len(stay)))
        distance *= 2
    return unfold(play, pairs)


def halving_doubling(p: int) -> Play:
    cells = 1
    while cells * 2 <= p:
        cells *= 2
    play, stay, pairs = folded(p, cells)
    owned = [range(cells) for _ in stay]
    distances = []
    distance = cells // 2
    while distance:
        halves = []
        for i, mine in enumerate(owned):
            low, high = mine[: len(mine) // 2], mine[len(mine) // 2 :]
            halves.append((low, high) if not i & distance else (high, low))
        play.round((stay[i], stay[i ^ distance], halves[i][1], True) for i in range(cells))
        owned = [keep for keep, _ in halves]
        distances.append(distance)
        distance //= 2
    for distance in reversed(distances):
        play.round((stay[i], stay[i ^ distance], owned[i], False) for i in range(cells))
        others = [owned[i ^ distance] for i in range(cells)]
        owned = [
            range(min(a.start, b.start), max(a.stop, b.stop))
            for a, b in zip(owned, others, strict=True)
        ]
    return unfold(play, pairs)


def naive(p: int) -> Play:
    play = Play(p, 1)
    own = [dict(held) for held in play.held]
    for shift in range(1, p):
        before = play.held
        play.held = [dict(held) for held in own]
        fresh = [before[w] for w in range(p)]
        play.round((w, (w + shift) % p, range(1), False) for w in range(p))
        for w in range(p):
            fresh[w][0] = fresh[w][0] + play.held[w][0]
        play.held = fresh
        play.added += 1
    play.check(p, range(p))
    return play


def server(p: int, servers: int, *, own: bool, shared: bool, back: bool) -> Play:
    """Servers behind the workers (*own*) or on the first workers; each has one shard."""
    hosts = [p + j for j in range(servers)] if own else list(range(servers))
    play = Play(p, servers, [dict.fromkeys(range(servers), (w,)) for w in range(p)])
    play.held += [{} for _ in range(servers)] if own else []
    play.sent = [0] * len(play.held)
    jobs = [(w, j) for w in range(p) for j in range(servers) if hosts[j] != w]
    turns = _turns(jobs, shared=shared)
    for adds in (True, False) if back else (True,):
        for turn in turns:
            _turn(play, turn, hosts, adds=adds)
    shards = [len(play.held[host][j]) for j, host in enumerate(hosts)]
    assert shards == [p] * servers
    if back:
        play.check(p, range(p))
    play.added = p - 1  # a server that gets p vectors adds p − 1 times, whatever comes when
    return play


def _turns(jobs: list[tuple[int, int]], *, shared: bool) -> list[list[tuple[int, int]]]:
    """Jobs in as few turns as a search by colours finds; a worker sends one message in each."""
    colours: list[dict[str, dict[int, tuple[int, int]]]] = []
    degree: dict[tuple[str, int], int] = {}
    for w, j in jobs:
        degree["w", w] = degree.get(("w", w), 0) + 1
        if shared:
            degree["s", j] = degree.get(("s", j), 0) + 1
    most = max(degree.values(), default=0)
    colours = [{"w": {}, "s": {}} for _ in range(most)]
    for w, j in jobs:
        free = [i for i, c in enumerate(colours) if w not in c["w"]]
        if not shared:
            colours[free[0]]["w"][w] = (w, j)
            continue
        both = [i for i in free if j not in colours[i]["s"]]
        if not both:  # swap two colours along the path from the server (Kőnig)
            a = free[0]
            b = next(i for i, c in enumerate(colours) if j not in c["s"])
            _swap(colours[a], colours[b], j)
            both = [a]
        colours[both[0]]["w"][w] = colours[both[0]]["s"][j] = (w, j)
    return [list(c["w"].values()) for c in colours]


def _swap(
    a: dict[str, dict[int, tuple[int, int]]], b: dict[str, dict[int, tuple[int, int]]], j: int
) -> None:
    path, side, at, colour = [], "s", j, a
    while at in colour[side]:
        job = colour[side][at]
        path.append((job, colour))
        side, at = ("w", job[0]) if side == "s" else ("s", job[1])
        colour = b if colour is a else a
    for job, colour in path:
        del colour["w"][job[0]], colour["s"][job[1]]
    for job, colour in path:
        other = b if colour is a else a
        other["w"][job[0]] = other["s"][job[1]] = job


def _turn(play: Play, turn: list[tuple[int, int]], hosts: list[int], *, adds: bool) -> None:
    sent = [(w, hosts[j], [j], True) if adds else (hosts[j], w, [j], False) for w, j in turn]
    receivers: dict[int, tuple[int, ...]] = {}
    for a, b, (j,), more in sent:
        what = play.held[a][j]
        if more:
            play.held[b][j] = play.held[b].get(j, ()) + what
        else:
            receivers[b] = what
            play.held[b][j] = what
        play.sent[a] += 1
    play.rounds += 1
    play.moved += 1


@dataclass(frozen=True)
class Links:
    """What a message and an addition take."""

    alpha: Fraction
    pace: Fraction
    speed: Fraction | None = None

    def time(self, play: Play, size: Fraction) -> Fraction:
        cell = size / play.cells
        lasted = play.rounds * self.alpha + play.moved * cell / self.pace
        return lasted if self.speed is None else lasted + play.added * cell / self.speed
