"""What is trained: a model whose parameters are one vector. Here softmax regression, or a fully
connected network in front of it; LeNet has a module of its own, for it needs PyTorch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import isqrt
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ddcalc.errors import BadValue
from ddcalc.experiment.samples import PARAMETERS, Data, Floats, Single, Whole, uniform
from ddcalc.experiment.setting import Setting


class Learner(Protocol):
    """A model with this number of *parameters*; samples are rows of inputs with their labels."""

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
        return Dense((data.features, *setting.hidden, data.classes))
    try:
        from ddcalc.experiment.lenet import LeNet
    except ImportError:
        reason = "needs the extra torch: python3 -m pip install 'ddcalc[torch]'"
        raise BadValue("lenet", reason).about("model") from None
    rows, columns = data.image or (isqrt(data.features),) * 2
    if rows * columns != data.features:
        reason = f"takes images; {data.features} inputs are no square of pixels"
        raise BadValue("lenet", reason).about("model")
    try:
        return LeNet((rows, columns), data.classes)
    except ValueError:
        reason = f"takes images of at most 32 x 32 pixels; these have {rows} x {columns}"
        raise BadValue("lenet", reason).about("model") from None


BLOCK = 4096  # samples whose scores are worked out at once


class Dense:
    """Layers of *sizes* units, the first of which are the inputs and the last the classes.

    Hidden units are rectified, the loss is the mean cross-entropy of the softmax of the last layer.
    With no hidden layer it is softmax regression. All parameters are one vector: of each layer the
    weights (inputs by units, row by row), then the biases.
    """

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = tuple(sizes)
        self.parameters = sum((inputs + 1) * units for inputs, units in pairwise(self.sizes))

    def start(self, seed: int) -> Floats:
        """First parameters: weights uniform within ±√(6/(inputs + units)) (Glorot and Bengio 2010,
        equation 16), biases 0."""
        vector = np.zeros(self.parameters)
        for layer, (weights, _) in enumerate(self._layers(vector)):
            width = np.sqrt(6 / sum(weights.shape))
            drawn = uniform(weights.size, seed, PARAMETERS, layer)
            weights[:] = (width * (2 * drawn - 1)).reshape(weights.shape)
        return vector

    def gradient(self, vector: Floats, inputs: Floats, labels: Whole) -> Floats:
        """The gradient of the mean loss of the samples (rows of *inputs*) at *vector*."""
        slope = np.empty_like(vector)
        layers, into = list(self._layers(vector)), list(self._layers(slope))
        values = [inputs]
        for weights, biases in layers[:-1]:
            values.append(np.maximum(values[-1] @ weights + biases, 0))
        error = _softmax(values[-1] @ layers[-1][0] + layers[-1][1])
        error[np.arange(len(labels)), labels] -= 1
        error /= len(labels)
        for i in reversed(range(len(layers))):
            np.matmul(values[i].T, error, out=into[i][0])
            error.sum(axis=0, out=into[i][1])
            if i:
                error = (error @ layers[i][0].T) * (values[i] > 0)
        return slope

    def loss(self, vector: Floats, inputs: Floats | Single, labels: Whole) -> float:
        """The mean loss of the samples; not finite where the parameters are too large.

        It is as precise as the *inputs* are.
        """
        total = 0.0
        for scores, wanted in self._scored(vector, inputs, labels):
            scores -= scores.max(axis=1, keepdims=True)
            of_all = np.log(np.exp(scores).sum(axis=1))
            total += (of_all - scores[np.arange(len(wanted)), wanted]).sum().item()
        return total / len(labels)

    def right(self, vector: Floats, inputs: Floats | Single, labels: Whole) -> int:
        """How many of the samples get their label."""
        scored = self._scored(vector, inputs, labels)
        return sum(int((scores.argmax(axis=1) == wanted).sum()) for scores, wanted in scored)

    def _scored(
        self, vector: Floats, inputs: Floats | Single, labels: Whole
    ) -> Iterator[tuple[Any, Whole]]:
        """The scores of the samples, some at a time, with their labels."""
        *hidden, (weights, biases) = self._layers(vector.astype(inputs.dtype, copy=False))
        for start in range(0, len(labels), BLOCK):
            values = inputs[start : start + BLOCK]
            for within, offset in hidden:
                values = np.maximum(values @ within + offset, 0)
            yield values @ weights + biases, labels[start : start + BLOCK]

    def _layers(self, vector: NDArray[Any]) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
        """Weights and biases of each layer, as views into *vector*."""
        at = 0
        for inputs, units in pairwise(self.sizes):
            end = at + inputs * units
            yield vector[at:end].reshape(inputs, units), vector[end : end + units]
            at = end + units


def _softmax(scores: Floats) -> Floats:
    """The probabilities that *scores*, row by row, stand for; written over them."""
    scores -= scores.max(axis=1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    return scores
