"""The options that name a preset, what can be known of one, and what fills a given.

The presets themselves are read by :mod:`ddcalc.problem.presets`, once one is named.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from ddcalc.numbers.units import DATA, ENERGY, MASS, MONEY, ONE, TIME, WORK, Dimension

# The options that name a preset, and the kind each one names.
SLOTS: Final = {
    "device": "device", "link": "link", "inner_link": "link", "model": "model", "grid": "grid"
}  # fmt: skip
BY_FORMAT: Final = "peak"  # the fact that may differ by number format

# What can be known of each kind of preset, in the order in which it is shown, and what it measures.
FACTS: Final[Mapping[str, Mapping[str, Dimension]]] = {
    "device": {
        "memory": DATA,
        "memory_bandwidth": DATA / TIME,
        "power": ENERGY / TIME,  # the most that it may draw
        "price": MONEY / TIME,
        "peak": WORK / TIME,
    },
    "link": {"bandwidth": DATA / TIME, "latency": TIME},
    "model": {
        "parameters": ONE,  # with embeddings
        "active_parameters": ONE,  # those that one token passes
        "layers": ONE,
        "heads": ONE,
        "kv_heads": ONE,
        "width": ONE,
        "attention_width": ONE,  # heads times their size, if not the width
        "head_size": ONE,  # if not width/heads
        "inner": ONE,  # width of the feed-forward part
        "matrices": ONE,  # of a feed-forward part
        "tables": ONE,  # of the vocabulary
        "positions": ONE,  # that are learned
        "biases": ONE,  # matrices that have some: 1 of queries, keys, values, 2 of all
        "norms": ONE,  # of a layer
        "last_norms": ONE,  # outside the layers
        "norm_vectors": ONE,
        "attention_parameters": ONE,  # of a layer
        "extra": ONE,  # further parameters
        "experts": ONE,
        "active_experts": ONE,
        "shared_experts": ONE,
        "expert_inner": ONE,  # width of an expert
        "dense_layers": ONE,  # those without experts
        "vocabulary": ONE,
        "tokens": ONE,  # of the training
    },
    "grid": {"intensity": MASS / ENERGY},
}


class Fact(NamedTuple):
    """The *text* of a value, as a question would state it, and its *source*."""

    text: str
    source: str


class Preset(NamedTuple):
    """What is known of a device, a link or a model: its *facts* by name and number format, which
    peaks have, the usual one first (empty where there is one, and for what is no peak)."""

    kind: str
    name: str
    title: str
    note: str
    facts: Mapping[tuple[str, str], Fact]

    @property
    def formats(self) -> list[str]:
        """The number formats in which it has a peak, the usual one first."""
        return [number_format for name, number_format in self.facts if name == BY_FORMAT]

    def fact(self, name: str) -> Fact | None:
        """The fact called *name*, a peak in the usual number format."""
        return next((fact for (one, _), fact in self.facts.items() if one == name), None)


class Filling(NamedTuple):
    """What fills a given: a *fact* of a *preset*, as the option *slot* names it."""

    slot: str
    preset: Preset
    name: str  # of the fact
    number_format: str
    fact: Fact

    @property
    def says(self) -> str:
        """Where the value is from: ``H100 SXM, dense BF16; NVIDIA H100 datasheet, 2023``."""
        dense = f"dense {self.number_format.upper()}" if self.number_format else ""
        parts = filter(None, (self.preset.title, dense, self.preset.note))
        return f"{', '.join(parts)}; {self.fact.source}"


class NamedPreset(NamedTuple):
    """A *preset* as a question names it, with a *number_format* for its peak (or none)."""

    slot: str
    preset: Preset
    number_format: str

    def filling(self, fact: str) -> Filling | None:
        """What *fact* (``device.peak``) fills a given with; None where it is not known."""
        for (name, number_format), known in self.preset.facts.items():
            fits = name != BY_FORMAT or self.number_format in ("", number_format)
            if fact == f"{self.slot}.{name}" and fits:
                return Filling(self.slot, self.preset, name, number_format, known)
        return None
