"""A classifier: softmax regression, or a fully connected network in front of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ddcalc.experiment.drawing import PARAMETERS, Floats, Single, Whole, uniform

BLOCK = 4096  # samples whose scores are worked out at once


class Model:
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
        found = np.empty_like(vector)
        layers, into = list(self._layers(vector)), list(self._layers(found))
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
        return found

    def loss(self, vector: Floats, inputs: Floats | Single, labels: Whole) -> float:
        """The mean loss of the samples; not finite where the parameters are too large.

        It is told as precisely as the *inputs* are.
        """
        total = 0.0
        for scores, own in self._scored(vector, inputs, labels):
            scores -= scores.max(axis=1, keepdims=True)
            of_all = np.log(np.exp(scores).sum(axis=1))
            total += (of_all - scores[np.arange(len(own)), own]).sum().item()
        return total / len(labels)

    def right(self, vector: Floats, inputs: Floats | Single, labels: Whole) -> int:
        """How many of the samples get their label."""
        scored = self._scored(vector, inputs, labels)
        return sum(int((scores.argmax(axis=1) == own).sum()) for scores, own in scored)

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
