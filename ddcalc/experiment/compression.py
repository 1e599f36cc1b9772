"""What of a gradient is sent: fewer bits a value, or only the largest values.

What is not sent is kept by the worker and added to its next message (error feedback: Seide et al.
2014 for quantization, Stich et al. 2018 for sparsification).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from ddcalc.experiment.drawing import Floats

WORD = 32  # bits of a value that is sent whole, and of its place


@dataclass(frozen=True, slots=True)
class Compression:
    """quantize: each value is rounded to the nearest of 2^*bits* - 1 levels from minus the largest
    value to the largest; top: the *share* of values that are largest in size is sent, the others
    are not."""

    kind: Literal["quantize", "top"]
    bits: int = 0
    share: Fraction = Fraction(0)

    def sent(self, message: Floats) -> Floats:
        """What the server gets of *message*."""
        return self._rounded(message) if self.kind == "quantize" else self._largest(message)

    @property
    def size(self) -> Fraction:
        """The size of a message, in those of one with a 32-bit value for each parameter.

        Of the top ones each needs its place, too: more than half of the values are more than all.
        """
        return Fraction(self.bits, WORD) if self.kind == "quantize" else 2 * self.share

    def _rounded(self, message: Floats) -> Floats:
        sizes = np.abs(message)
        if self.bits == 1:  # there is room for the sign alone: all get the mean size
            signed: Floats = np.copysign(sizes.mean(), message)
            return signed
        levels = 2 ** (self.bits - 1) - 1  # above 0, and as many below
        step = sizes.max() / levels or 1.0
        rounded: Floats = np.rint(message / step) * step
        return rounded

    def _largest(self, message: Floats) -> Floats:
        kept = max(int(self.share * len(message)), 1)
        sent = np.zeros_like(message)
        places = np.argpartition(np.abs(message), len(message) - kept)[-kept:]
        sent[places] = message[places]
        return sent
