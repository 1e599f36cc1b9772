"""All-reduces played with real vectors: who sends what to whom in each round.

A vector is a list of cells, each the set of workers that went into it (the bits of a whole number),
so a wrong schedule is seen at the end: every cell must hold everybody, once. Workers stand in nodes
of *each*, numbered node by node; a node of one worker is a worker without a node. A round lasts as
long as its slowest message; messages that leave a node over one link share its bandwidth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

Number = int | Fraction
Several = Sequence[Sequence[int]]


class Message(NamedTuple):
    """*cells* go from one worker to another, and are added there or take the place of others."""

    sender: int
    receiver: int
    cells: dict[int, int]
    adds: bool
    lane: int = 0


class Round(NamedTuple):
    """Cells of the longest message inside of a node, on the busiest link out of one, and added."""

    inside: int
    outside: int
    added: int


@dataclass(frozen=True)
class Links:
    """What messages take between nodes and inside of them."""

    alpha: Number
    pace: Number
    inner_alpha: Number
    inner_pace: Number

    def lasts(self, played: Round, cell: Fraction) -> Fraction:
        """How long the messages of a round take."""
        out = self.alpha + played.outside * cell / self.pace if played.outside else 0
        inner = self.inner_alpha + played.inside * cell / self.inner_pace if played.inside else 0
        return Fraction(max(out, inner))


@dataclass
class Play:
    """*nodes* of *each* workers with so many *cells* each, *sharing* one link out or not."""

    nodes: int
    per_node: int
    cells: int
    sharing: bool = False
    log: list[Round] = field(default_factory=list)
    held: list[dict[int, int]] = field(init=False)
    sent: Counter[int] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.held = [dict.fromkeys(range(self.cells), 1 << w) for w in range(self.workers)]

    @property
    def workers(self) -> int:
        return self.nodes * self.per_node

    def groups(self) -> list[list[int]]:
        """The workers of each node."""
        return [[n * self.per_node + i for i in range(self.per_node)] for n in range(self.nodes)]

    def send(self, a: int, b: int, cells: Iterable[int], lane: int = 0, *, adds: bool) -> Message:
        return Message(a, b, {c: self.held[a][c] for c in cells}, adds, lane)

    def round(self, messages: Iterable[Message]) -> None:
        """All *messages* at once; over each lane a worker sends one and receives one at most."""
        text = list(messages)
        assert text, "an empty round"
        for end in (0, 1):
            used = [(message[end], message.lane) for message in text]
            assert len({*used}) == len(used), "a link carries two messages"
        inside, link, added = 0, Counter[object](), Counter[int]()
        for a, b, cells, adds, lane in text:
            self.sent[a] += len(cells)
            added[b] += adds * len(cells)
            if a // self.per_node == b // self.per_node:
                inside = max(inside, len(cells))
                continue
            for way, w in (("out", a), ("in", b)):
                link[way, w // self.per_node if self.sharing else (w, lane)] += len(cells)
        for _, b, cells, adds, _ in text:
            for cell, who in cells.items():
                assert not adds or not self.held[b][cell] & who, "somebody is counted twice"
                self.held[b][cell] = self.held[b][cell] | who if adds else who
        self.log.append(Round(inside, max(link.values(), default=0), max(added.values())))

    def done(self) -> Play:
        """All hold the sum of all."""
        everyone = (1 << self.workers) - 1
        assert all(who == everyone for held in self.held for who in held.values())
        return self

    def time(self, links: Links, size: Number, speed: Number | None) -> Fraction:
        cell = Fraction(size) / self.cells
        lasted = sum((links.lasts(item, cell) for item in self.log), Fraction(0))
        return lasted + sum(item.added for item in self.log) * cell / speed if speed else lasted


def chunk(cells: int, parts: int, index: int) -> range:
    step = cells // parts
    assert step * parts == cells
    return range(index % parts * step, (index % parts + 1) * step)


# Rings


def ring(play: Play) -> Play:
    _around(play, [[*range(play.workers)]], [range(play.cells)], adds=True)
    _around(play, [[*range(play.workers)]], [range(play.cells)], adds=False)
    return play.done()


def _around(play: Play, rings: Several, shares: Several, *, adds: bool) -> None:
    """Reduce-scatter or all-gather a share of the cells along each of several rings at once."""
    p = len(rings[0])
    for step in range(p - 1):
        sent = []
        for one, share in zip(rings, shares, strict=True):
            for i in range(p):
                cells = [share[c] for c in chunk(len(share), p, i - step + (not adds))]
                sent.append(play.send(one[i], one[(i + 1) % p], cells, adds=adds))
        play.round(sent)


def bidirectional(play: Play) -> Play:
    """Chunks of two cells go the shorter way round; what is as far both ways is divided."""
    p = play.workers
    far = p // 2
    for adds in (True, False):
        for step in range(far):
            half = p % 2 == 0 and step == (0 if adds else far - 1)
            messages = []
            for way in (1, -1):
                for w in range(p):
                    index = (w + way * (far - step) if adds else w - way * step) % p
                    cells = [2 * index, 2 * index + 1]
                    if half:
                        cells = cells[:1] if way == 1 else cells[1:]
                    messages.append(play.send(w, (w + way) % p, cells, way, adds=adds))
            play.round(messages)
    return play.done()


def two_level(play: Play) -> Play:
    """Each worker of a node reduces its share with the workers in the same place of other nodes."""
    groups, k = play.groups(), play.per_node
    whole = [range(play.cells)] * play.nodes
    shares = [chunk(play.cells, k, i + 1) for i in range(k)]
    _around(play, groups, whole, adds=True)
    _around(play, _across(groups), shares, adds=True)
    _around(play, _across(groups), shares, adds=False)
    _around(play, groups, whole, adds=False)
    return play.done()


def leaders(play: Play) -> Play:
    groups = play.groups()
    levels = _up(play, groups)
    first = [[group[0] for group in groups]]
    _around(play, first, [range(play.cells)], adds=True)
    _around(play, first, [range(play.cells)], adds=False)
    _down(play, levels)
    return play.done()


# Trees and pairs


def tree(play: Play) -> Play:
    """To the first worker of each node, to the first of all, and back."""
    groups = play.groups()
    levels = _up(play, groups)
    levels += _up(play, [[group[0] for group in groups]])
    _down(play, levels)
    return play.done()


def _up(play: Play, groups: list[list[int]]) -> list[list[tuple[int, int]]]:
    """Everything to the first of each group; who sent to whom, level by level."""
    distance, levels = 1, []
    while distance < len(groups[0]):
        starts = range(0, len(groups[0]) - distance, 2 * distance)
        levels.append([(group[i + distance], group[i]) for group in groups for i in starts])
        play.round(play.send(a, b, range(play.cells), adds=True) for a, b in levels[-1])
        distance *= 2
    return levels


def _down(play: Play, levels: list[list[tuple[int, int]]]) -> None:
    for pairs in reversed(levels):
        play.round(play.send(b, a, range(play.cells), adds=False) for a, b in pairs)


Pairs = list[tuple[int, int]]
Cells = dict[int, Sequence[int]]  # by worker


def _fold(play: Play, groups: list[list[int]], owned: Cells) -> tuple[list[list[int]], Pairs]:
    """The surplus of each group hands in what it owns; who stays, and who gave to whom."""
    surplus = len(groups[0]) - power(len(groups[0]))
    pairs = [(group[2 * i], group[2 * i + 1]) for group in groups for i in range(surplus)]
    if pairs:
        play.round(play.send(a, b, owned[a], adds=True) for a, b in pairs)
    gone = {a for a, _ in pairs}
    return [[w for w in group if w not in gone] for group in groups], pairs


def _unfold(play: Play, pairs: Pairs, owned: Cells) -> None:
    if pairs:
        play.round(play.send(b, a, owned[a], adds=False) for a, b in pairs)


def power(count: int) -> int:
    """The largest power of two in it."""
    return 1 << (count.bit_length() - 1)


def _exchanges(groups: list[list[int]]) -> list[Pairs]:
    """Who exchanges with whom in each group, a round each."""
    size = len(groups[0])
    distances = [1 << bit for bit in range(size.bit_length() - 1)]
    return [[(g[i], g[i ^ d]) for g in groups for i in range(size)] for d in distances]


def _across(groups: list[list[int]]) -> list[list[int]]:
    """The workers in the same place of all *groups*."""
    return [list(place) for place in zip(*groups, strict=True)]


def recursive_doubling(play: Play) -> Play:
    everything: Cells = {w: range(play.cells) for w in range(play.workers)}
    inner, gave = _fold(play, play.groups(), everything)
    for pairs in _exchanges(inner):
        play.round(play.send(a, b, range(play.cells), adds=True) for a, b in pairs)
    outer, nodes_gave = _fold(play, _across(inner), everything)
    for pairs in _exchanges(outer):
        play.round(play.send(a, b, range(play.cells), adds=True) for a, b in pairs)
    _unfold(play, nodes_gave, everything)
    _unfold(play, gave, everything)
    return play.done()


def halving_doubling(play: Play, *, near: bool = True) -> Play:
    owned: Cells = {w: range(play.cells) for w in range(play.workers)}
    inner, gave = _fold(play, play.groups(), owned)
    halved = _halve(play, inner, owned) if near else []
    before = dict(owned)
    outer, nodes_gave = _fold(play, _across(inner), owned)
    halved_outside = _halve(play, outer, owned)
    if not near:
        halved = _halve(play, _across(outer), owned)
        _double(play, halved, owned)
    _double(play, halved_outside, owned)
    _unfold(play, nodes_gave, before)
    if near:
        _double(play, halved, owned)
    _unfold(play, gave, owned)
    return play.done()


Halved = list[tuple[Pairs, Cells]]


def _halve(play: Play, groups: list[list[int]], owned: Cells) -> Halved:
    """Pairs share what both own, until each worker of a group owns a part; what they owned."""
    log: Halved = []
    for pairs in _exchanges(groups):
        log.append((pairs, dict(owned)))
        low = {}
        for a, b in pairs:
            mine = owned[a]
            assert mine == owned[b]
            half = len(mine) // 2
            low[a] = mine[:half] if a < b else mine[half:]
        play.round(play.send(a, b, low[b], adds=True) for a, b in pairs)
        owned |= low
    return log


def _double(play: Play, log: Halved, owned: Cells) -> None:
    for pairs, before in reversed(log):
        play.round(play.send(a, b, owned[a], adds=False) for a, b in pairs)
        owned |= {a: before[a] for a, _ in pairs}


def naive(play: Play) -> Play:
    """Everyone to everyone: to the others of the node, then to those of the next node, and on."""
    local = [dict(held) for held in play.held]
    shifts = [(0, i) for i in range(1, play.per_node)]
    shifts += [(n, i) for n in range(1, play.nodes) for i in range(play.per_node)]
    for nodes, places in shifts:
        sent = []
        for worker, cells in enumerate(local):
            node, place = divmod(worker, play.per_node)
            to = (node + nodes) % play.nodes * play.per_node + (place + places) % play.per_node
            sent.append(Message(worker, to, cells, adds=True))
        play.round(sent)
    return play.done()


# Two binary trees along which an all-reduce goes at once, those of NCCL's pictures
# (src/graph/trees.cc): a tree in order over all workers but the first, which stands above it; the
# second one is its mirror image, or for an odd number of workers shifted by one.

Tree = dict[int, int]  # the parent of each worker but the root


def below(first: int, count: int) -> tuple[int | None, Tree]:
    """The root of a tree in order over *count* workers from *first* on, and the parents in it."""
    if not count:
        return None, {}
    top = 1
    while 2 * top <= count:
        top *= 2
    root, parents = first + top - 1, {}
    for start, size in ((first, top - 1), (root + 1, count - top)):
        child, inner = below(start, size)
        parents |= inner
        if child is not None:
            parents[child] = root
    return root, parents


def trees(workers: int) -> tuple[Tree, Tree]:
    root, one = below(1, workers - 1)
    if root is not None:
        one[root] = 0

    def other(worker: int) -> int:
        return workers - 1 - worker if workers % 2 == 0 else (worker + 1) % workers

    return one, {other(child): other(parent) for child, parent in one.items()}


def two_trees(workers: int) -> tuple[int, int, int]:
    """The height of the higher tree; over how many edges one worker sends, or receives, at most,
    where each block goes up and down all of them (halves of the data); the most children, of both
    trees together, that one worker has."""
    both, children, sends = trees(workers), Counter[int](), Counter[int]()
    for child, parent in (edge for tree in both for edge in tree.items()):
        children[parent] += 1
        sends.update((child, parent))  # and receives as often

    def above(tree: Tree, worker: int) -> int:
        return 1 + above(tree, tree[worker]) if worker in tree else 0

    height = max((above(tree, worker) for tree in both for worker in tree), default=0)
    return height, max(sends.values(), default=0), max(children.values(), default=0)
