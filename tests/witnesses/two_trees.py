"""An all-reduce along two binary trees at once, played block by block; nothing is shared with what
is tested.

The trees are those of NCCL's pictures (src/graph/trees.cc): a tree in order over all workers but
the first, which stands above it; the second one is its mirror image, or for an odd number of
workers shifted by one. In a time slot a worker sends one block and receives another one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

Tree = dict[int, int]  # the parent of each worker but the root
Edge = tuple[int, int, int, bool]  # tree, from, to, whether upwards


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


@dataclass(frozen=True)
class TwoTrees:
    """*workers* that share a vector of so many *blocks* in each half, one for each tree."""

    workers: int
    blocks: int = 1

    @cached_property
    def trees(self) -> tuple[Tree, Tree]:
        return trees(self.workers)

    @cached_property
    def edges(self) -> list[Edge]:
        """Each block goes over each of them once."""
        pairs = [(t, child, up) for t, tree in enumerate(self.trees) for child, up in tree.items()]
        return [e for t, c, u in pairs for e in ((t, c, u, True), (t, u, c, False))]

    @property
    def height(self) -> int:
        def above(tree: Tree, worker: int) -> int:
            return 1 + above(tree, tree[worker]) if worker in tree else 0

        return max((above(tree, worker) for tree in self.trees for worker in tree), default=0)

    @property
    def busiest(self) -> int:
        """The edges over which one worker sends, or receives, at most: halves of the data."""
        return max((sum(e[end] == w for e in self.edges) for end in (1, 2) for w in self.all),
                   default=0)  # fmt: skip

    @property
    def all(self) -> range:
        return range(self.workers)

    def children(self, tree: int, worker: int) -> list[int]:
        return [child for child, parent in self.trees[tree].items() if parent == worker]

    def slots(self) -> int:
        """Slots that pass until every worker has the sum of every block.

        Edges take turns so that nobody sends or receives two blocks at once: as many turns as the
        busiest worker has edges are enough (König).
        """
        held = {(t, w, b): {w} for t in (0, 1) for w in self.all for b in range(self.blocks)}
        turns, passed = self._turns(), 0
        gone = dict.fromkeys(self.edges, 0)
        while any(count < self.blocks for count in gone.values()):
            now = [e for e in turns[passed % len(turns)] if self._ready(e, gone)]
            for t, a, b, up in now:
                block = gone[t, a, b, up]
                arriving = held[t, a, block]
                held[t, b, block] = held[t, b, block] | arriving if up else arriving
            for edge in now:
                gone[edge] += 1
            passed += 1
        assert all(who == {*self.all} for who in held.values())
        return passed

    def _ready(self, edge: Edge, gone: dict[Edge, int]) -> bool:
        t, a, _, up = edge
        if gone[edge] == self.blocks:
            return False
        parent = self.trees[t].get(a)
        if up or parent is None:
            needed: Iterator[int] = (gone[t, c, a, True] for c in self.children(t, a))
        else:
            needed = iter([gone[t, parent, a, False]])
        return all(count > gone[edge] for count in needed)

    def _turns(self) -> list[list[Edge]]:
        """The edges in as many groups as the busiest worker has, of which each has one at most."""
        group: dict[Edge, int] = {}
        used: dict[tuple[int, int], dict[int, Edge]] = {}  # by end and worker: group to edge
        for edge in self.edges:
            ends = [(1, edge[1]), (2, edge[2])]
            a, b = (self._free(used.setdefault(end, {})) for end in ends)
            if a != b:
                self._swap(ends[1], a, b, used, group)
            self._put(edge, a, used, group)
        return [[e for e, g in group.items() if g == turn] for turn in range(self.busiest)]

    def _free(self, taken: dict[int, Edge]) -> int:
        return next(turn for turn in range(self.busiest) if turn not in taken)

    def _swap(
        self,
        end: tuple[int, int],
        a: int,
        b: int,
        used: dict[tuple[int, int], dict[int, Edge]],
        group: dict[Edge, int],
    ) -> None:
        """Exchange *a* and *b* along the path from *end*, so that *a* is free there."""
        path, at, turn = [], end, a
        while edge := used.setdefault(at, {}).get(turn):
            path.append(edge)
            at = (2, edge[2]) if at[0] == 1 else (1, edge[1])
            turn = b if turn == a else a
        for edge in path:
            for side in ((1, edge[1]), (2, edge[2])):
                used[side].pop(group[edge])
        for edge in path:
            self._put(edge, b if group[edge] == a else a, used, group)

    @staticmethod
    def _put(
        edge: Edge,
        turn: int,
        used: dict[tuple[int, int], dict[int, Edge]],
        group: dict[Edge, int],
    ) -> None:
        group[edge] = turn
        for side in ((1, edge[1]), (2, edge[2])):
            assert turn not in used[side]
            used[side][turn] = edge
