"""LeNet-5 on PyTorch (the extra ``torch``), which nothing else imports."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy, interpolate, pad
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from ddcalc_experiment.samples import SIDE, Floats, Whole

BLOCK = 256  # samples that are scored at once


class LeNet:
    """LeNet-5 (LeCun, Bottou, Bengio and Haffner 1998) in the form that is usual now: rectified
    units, means without parameters, each of the 16 filters sees all 6 maps.

    Images of *side* by *side* pixels are enlarged by the largest whole factor that fits, then
    framed with zeros to 32 by 32. It computes in single precision, on one thread and by
    deterministic algorithms (set for the whole process), so that a seed gives the same again.
    """

    def __init__(self, side: int, classes: int) -> None:
        torch.set_num_threads(1)
        torch.use_deterministic_algorithms(True)
        self.side = side
        self.net = nn.Sequential(
            nn.Conv2d(1, 6, 5), nn.ReLU(), nn.AvgPool2d(2),
            nn.Conv2d(6, 16, 5), nn.ReLU(), nn.AvgPool2d(2), nn.Flatten(),
            nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, classes),
        )  # fmt: skip
        self.parameters = sum(part.numel() for part in self.net.parameters())

    def start(self, seed: int) -> Floats:
        torch.manual_seed(seed)
        for part in self.net.parameters():
            (nn.init.xavier_uniform_ if part.dim() > 1 else nn.init.zeros_)(part)
        return self._vector(part.detach() for part in self.net.parameters())

    def gradient(self, vector: Floats, inputs: Floats, labels: Whole) -> Floats:
        self._set(vector)
        self.net.zero_grad()
        cross_entropy(self.net(self._images(inputs)), torch.tensor(labels)).backward()
        return self._vector(part.grad for part in self.net.parameters())

    def scores(self, vector: Floats, inputs: Floats) -> Floats:
        self._set(vector)
        with torch.no_grad():
            blocks = (self.net(images) for images in self._images(inputs).split(BLOCK))
            return np.asarray(torch.cat([*blocks]).numpy(), np.float64)

    def _set(self, vector: Floats) -> None:
        vector_to_parameters(torch.tensor(vector, dtype=torch.float32), self.net.parameters())

    def _vector(self, parts: Iterator[torch.Tensor]) -> Floats:
        return np.asarray(parameters_to_vector(parts).numpy(), np.float64)

    def _images(self, inputs: Floats) -> torch.Tensor:
        """The samples as images of 32 by 32."""
        images = torch.tensor(inputs, dtype=torch.float32).reshape(-1, 1, self.side, self.side)
        images = interpolate(images, scale_factor=SIDE // self.side)
        near, far = (SIDE - images.shape[3]) // 2, (SIDE - images.shape[3] + 1) // 2
        return pad(images, (near, far, near, far))
