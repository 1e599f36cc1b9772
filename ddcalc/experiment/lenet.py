"""LeNet-5 on PyTorch (the extra ``torch``); nothing else imports PyTorch, and only when asked."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np
import torch
from torch.nn.functional import avg_pool2d, conv2d, cross_entropy, linear, pad, relu

from ddcalc.experiment.samples import PARAMETERS, Floats, Single, Whole, uniform

SIDE = 32  # of the images that LeNet-5 takes
BLOCK = 256  # samples that are worked on at once: more are slower, and take more memory
SHAPES = ((6, 1, 5, 5), (16, 6, 5, 5), (120, 16 * 5 * 5), (84, 120))  # the classes come last


class LeNet:
    """LeNet-5 (LeCun, Bottou, Bengio and Haffner 1998) in the form that is usual now.

    6 filters of 5 by 5, means of 2 by 2, 16 filters of 5 by 5, means of 2 by 2, then 120, 84 and
    *classes* units. Unlike the paper's, hidden units are rectified, each of the 16 filters sees all
    6 maps, means have no parameters, and the loss is the mean cross-entropy of the softmax.

    It takes images of 32 by 32 pixels. Those of *image* (rows, columns) are enlarged by the largest
    whole factor that fits (each pixel becomes a square), then framed with zeros on all sides: 28 by
    28 pixels get 2 on each side, 8 by 8 are enlarged fourfold. Raises ValueError where they are
    larger.

    Parameters are one vector: of each layer the weights, then the biases. They are kept in double
    precision; it computes in single, or in double where *exact*. One thread and deterministic
    algorithms are set for the whole process, so that a seed gives the same numbers again.
    """

    def __init__(self, image: tuple[int, int], classes: int, exact: bool = False) -> None:
        self.image = image
        self.shapes = (*SHAPES, (classes, SHAPES[-1][0]))
        self.parameters = sum(prod(shape) + shape[0] for shape in self.shapes)
        self._type = torch.float64 if exact else torch.float32
        self._factor = SIDE // max(image)
        if not self._factor:
            raise ValueError(image)
        torch.set_num_threads(1)
        torch.use_deterministic_algorithms(True)

    def start(self, seed: int) -> Floats:
        """First parameters: weights uniform within ±√(6/(inputs + outputs)) (Glorot and Bengio
        2010, equation 16; of filters 25 times their maps), biases 0."""
        parts = []
        for layer, shape in enumerate(self.shapes):
            width = np.sqrt(6 / ((shape[0] + shape[1]) * prod(shape[2:])))
            drawn = uniform(prod(shape), seed, PARAMETERS, layer)
            parts += [width * (2 * drawn - 1), np.zeros(shape[0])]
        return np.concatenate(parts)

    def gradient(self, vector: Floats, inputs: Floats, labels: Whole) -> Floats:
        """The gradient of the mean loss of the samples (rows of *inputs*) at *vector*."""
        layers = self._layers(vector)
        for layer in layers:
            layer.requires_grad_()
        for images, wanted in self._blocks(inputs, labels):
            error = cross_entropy(_scores(images, layers), wanted, reduction="sum") / len(labels)
            error.backward()
        slope: Floats = torch.cat([layer.grad.flatten() for layer in layers]).double().numpy()
        return slope

    def loss(self, vector: Floats, inputs: Floats | Single, labels: Whole) -> float:
        """The mean loss of the samples; not a number where the parameters are too large."""
        layers, total = self._layers(vector), 0.0
        with torch.no_grad():
            for images, wanted in self._blocks(inputs, labels):
                total += cross_entropy(_scores(images, layers), wanted, reduction="sum").item()
        return total / len(labels)

    def right(self, vector: Floats, inputs: Floats | Single, labels: Whole) -> int:
        """How many of the samples get their label."""
        layers, count = self._layers(vector), 0
        with torch.no_grad():
            for images, wanted in self._blocks(inputs, labels):
                count += int((_scores(images, layers).argmax(1) == wanted).sum())
        return count

    def _layers(self, vector: Floats) -> list[torch.Tensor]:
        """Weights and biases of each layer, one after the other."""
        whole, at, parts = torch.tensor(vector, dtype=self._type), 0, []
        for shape in self.shapes:
            for part in (shape, shape[:1]):
                parts.append(whole[at : at + prod(part)].reshape(part))
                at += prod(part)
        return parts

    def _blocks(
        self, inputs: Floats | Single, labels: Whole
    ) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        """The samples as images of 32 by 32, some at a time, with their labels."""
        rows, columns = (self._factor * side for side in self.image)
        up, left = (SIDE - rows) // 2, (SIDE - columns) // 2
        frame = (left, SIDE - columns - left, up, SIDE - rows - up)
        for start in range(0, len(labels), BLOCK):
            part = torch.tensor(inputs[start : start + BLOCK], dtype=self._type)
            images = part.reshape(-1, 1, *self.image)
            for axis in (2, 3):
                images = images.repeat_interleave(self._factor, axis)
            yield pad(images, frame), torch.tensor(labels[start : start + BLOCK])


def _scores(images: torch.Tensor, layers: list[torch.Tensor]) -> torch.Tensor:
    """The scores of the classes of *images*."""
    filters, flat = layers[:4], layers[4:]
    for at in (0, 2):
        images = avg_pool2d(relu(conv2d(images, filters[at], filters[at + 1])), 2)
    values = images.flatten(1)
    for at in (0, 2):
        values = relu(linear(values, flat[at], flat[at + 1]))
    return linear(values, flat[4], flat[5])
