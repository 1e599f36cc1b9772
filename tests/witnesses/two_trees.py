"""Two binary trees along which an all-reduce goes at once; nothing is shared with what is tested.

The trees are those of NCCL's pictures (src/graph/trees.cc): a tree in order over all workers but
the first, which stands above it; the second one is its mirror image, or for an odd number of
workers shifted by one.
"""

from __future__ import annotations

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
    """*workers* that share a vector, half of it along each tree."""

    workers: int

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
