"""What is trained: a model whose parameters are one vector. Here a fully connected network, or
softmax regression; LeNet has a module of its own, for it needs PyTorch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import isqrt
from typing import Protocol

import numpy as np

from ddcalc.errors import BadValue
from ddcalc_experiment.samples import SIDE, Data, Floats, Whole


class Learner(Protocol):
    """A model with so many *parameters*, which *start* with weights uniform within ±√(6/(inputs +
    outputs)) (Glorot and Bengio 2010, equation 16) and biases 0. Of samples, a row each, it tells
    the *scores* of the classes, and the *gradient* of their mean cross-entropy."""

    parameters: int

    def start(self, seed: int) -> Floats: ...
    def gradient(self, vector: Floats, inputs: Floats, labels: Whole) -> Floats: ...
    def scores(self, vector: Floats, inputs: Floats) -> Floats: ...


def learner(model: str, hidden: Sequence[int], data: Data) -> Learner:
    """The *model* for *data*; *hidden* are the layers of a dense one.

    Raises BadValue where LeNet lacks its library, or the inputs are no image that it takes.
    """
    features = data.inputs.shape[1]
    if model == "dense":
        return Dense((features, *hidden, data.classes))
    side = isqrt(features)
    if side * side != features or side > SIDE:
        reason = f"takes squares of at most {SIDE} x {SIDE} pixels; {features} inputs are none"
        raise BadValue(model, reason).about("model")
    try:
        from ddcalc_experiment.lenet import LeNet
    except ImportError:
        reason = "needs the extra torch: python3 -m pip install 'ddcalc[torch]'"
        raise BadValue(model, reason).about("model") from None
    return LeNet(side, data.classes)


class Dense:
    """Layers of *sizes* units, the first of which are the inputs and the last the classes; hidden
    units are rectified. The vector has the weights of each layer, row by row, then its biases."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = tuple(sizes)
        self.parameters = sum((inputs + 1) * units for inputs, units in pairwise(self.sizes))

    def start(self, seed: int) -> Floats:
        draw, vector = np.random.default_rng(seed), np.zeros(self.parameters)
        for weights, _ in self._layers(vector):
            width = np.sqrt(6 / sum(weights.shape))
            weights[:] = draw.uniform(-width, width, weights.shape)
        return vector

    def gradient(self, vector: Floats, inputs: Floats, labels: Whole) -> Floats:
        slope, layers = np.empty_like(vector), [*self._layers(vector)]
        *values, error = self._values(vector, inputs)
        error = np.exp(error - error.max(axis=1, keepdims=True))
        error /= error.sum(axis=1, keepdims=True)
        error[np.arange(len(labels)), labels] -= 1
        error /= len(labels)
        for i, (of_weights, of_biases) in reversed([*enumerate(self._layers(slope))]):
            of_weights[:], of_biases[:] = values[i].T @ error, error.sum(axis=0)
            error = (error @ layers[i][0].T) * (values[i] > 0) if i else error
        return slope

    def scores(self, vector: Floats, inputs: Floats) -> Floats:
        return self._values(vector, inputs)[-1]

    def _values(self, vector: Floats, inputs: Floats) -> list[Floats]:
        """The inputs, then what the units of each layer come to, the last ones not rectified."""
        values = [inputs]
        for i, (weights, biases) in enumerate(self._layers(vector)):
            values[i] = np.maximum(values[i], 0) if i else inputs
            values.append(values[i] @ weights + biases)
        return values

    def _layers(self, vector: Floats) -> Iterator[tuple[Floats, Floats]]:
        """Weights and biases of each layer, as views into *vector*."""
        at = 0
        for inputs, units in pairwise(self.sizes):
            end = at + inputs * units
            yield vector[at:end].reshape(inputs, units), vector[end : end + units]
            at = end + units
