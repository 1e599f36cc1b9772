"""What is trained: a model whose parameters are one vector, whatever computes it."""

from __future__ import annotations

from math import isqrt
from typing import Protocol

from ddcalc.errors import BadValue
from ddcalc.experiment.data import Data
from ddcalc.experiment.drawing import Floats, Single, Whole
from ddcalc.experiment.model import Model
from ddcalc.experiment.setting import Setting


class Learner(Protocol):
    """A model of so many *parameters*; samples are rows of inputs with their labels."""

    parameters: int

    def start(self, seed: int) -> Floats:
        """First parameters."""

    def gradient(self, vector: Floats, inputs: Floats, labels: Whole) -> Floats:
        """The gradient of the mean loss of the samples at *vector*."""

    def loss(self, vector: Floats, inputs: Single, labels: Whole) -> float:
        """The mean loss of the samples; not finite where the parameters are too large."""

    def right(self, vector: Floats, inputs: Single, labels: Whole) -> int:
        """How many of the samples get their label."""


def learner(setting: Setting, data: Data) -> Learner:
    """The model that *setting* wants for *data*.

    Raises BadValue where LeNet lacks its library, or the inputs are no image that it takes.
    """
    if setting.model == "dense":
        return Model((data.features, *setting.hidden, data.classes))
    try:
        from ddcalc.experiment.lenet import LeNet
    except ImportError:
        told = "needs the extra torch: python3 -m pip install 'ddcalc[torch]'"
        raise BadValue("lenet", told).about("model") from None
    rows, columns = data.image or (isqrt(data.features),) * 2
    if rows * columns != data.features:
        told = f"takes images; {data.features} inputs are no square of pixels"
        raise BadValue("lenet", told).about("model")
    try:
        return LeNet((rows, columns), data.classes)
    except ValueError:
        told = f"takes images of at most 32 x 32 pixels; these have {rows} x {columns}"
        raise BadValue("lenet", told).about("model") from None
