"""Two binary trees along which an all-reduce goes at once; nothing is shared with what is tested.

The trees are those of NCCL's pictures (src/graph/trees.cc): a tree in order over all workers but
the first, which stands above it; the second one is its mirror image, or for an odd number of
workers shifted by one.
"""

from __future__ import annotations

from collections import Counter

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
