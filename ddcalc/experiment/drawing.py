"""Random numbers that any version of NumPy draws alike, and the order of the samples.

They come from the raw 64 bits of PCG64 (O'Neill 2014) started by a SeedSequence, whose streams
NumPy keeps for ever (NEP 19); those of its distributions may change. One seed of a run feeds
several streams: of the parameters, and of the order of every pass over the data.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Single = NDArray[np.float32]
Whole = NDArray[np.int64]
Bytes = NDArray[np.uint8]

PARAMETERS, ORDER, SPLIT = 1, 2, 3  # streams of one seed
KEPT = 8  # passes whose order is kept; of older ones it is drawn again


def uniform(size: int, *stream: int) -> Floats:
    """So many numbers from 0 up to 1, multiples of 2^-53."""
    return (_raw(size, *stream) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def permutation(size: int, *stream: int) -> Whole:
    """The numbers below *size* in a random order."""
    return np.argsort(_raw(size, *stream), kind="stable")


def _raw(size: int, *stream: int) -> NDArray[np.uint64]:
    drawn: NDArray[np.uint64] = np.random.PCG64(np.random.SeedSequence(stream)).random_raw(size)
    return drawn


class Queue:
    """The samples in the order in which they are handed out: pass after pass, each reshuffled.

    Its places are the same whoever takes them, so that every scheme meets the same mini-batches.
    """

    def __init__(self, samples: int, seed: int) -> None:
        self.samples, self.seed = samples, seed
        self._orders: dict[int, Whole] = {}

    def take(self, start: int, size: int) -> Whole:
        """The samples at *size* places from *start* (counted from 0) on."""
        parts = []
        while size:
            number, at = divmod(start, self.samples)
            part = self._order(number)[at : at + size]
            parts.append(part)
            start, size = start + len(part), size - len(part)
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _order(self, number: int) -> Whole:
        if number not in self._orders:
            if len(self._orders) == KEPT:
                del self._orders[min(self._orders)]
            self._orders[number] = permutation(self.samples, self.seed, ORDER, number)
        return self._orders[number]
