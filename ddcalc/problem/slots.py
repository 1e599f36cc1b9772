"""The options that name a preset, what can be known of one, and what fills a given.

The presets themselves are read by :mod:`ddcalc.problem.presets`, once one is named.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from ddcalc.numbers.units import unit_named
from ddcalc.problem.quantity import Given
from ddcalc.problem.quantity import given as made

# The options that name a preset, and the kind each one names.
SLOTS: Final = {"device": "device", "link": "link", "inner_link": "link", "model": "model"}
BY_FORMAT: Final = "peak"  # the fact that may differ by number format


FACTS: Final[Mapping[str, Mapping[str, tuple[str, str, Mapping[str, Any]]]]] = {
    "device": {
        "memory": ("data", "memory", {"above": 0}),
        "memory_bandwidth": ("rate", "bandwidth of the memory", {}),
        "price": ("price", "price", {}),
    },
    "link": {
        "bandwidth": ("rate", "bandwidth in each direction", {}),
        "latency": ("duration", "latency of a message", {}),
    },
    "model": {
        "parameters": ("amount", "parameters, with embeddings", {"above": 0}),
        "active_parameters": ("amount", "parameters that one token passes", {"above": 0}),
        "layers": ("count", "layers", {}),
        "heads": ("count", "attention heads of a layer", {}),
        "kv_heads": ("count", "key and value heads of a layer", {}),
        "width": ("count", "width of the model (hidden size)", {}),
        "attention_width": ("count", "heads times their size, if not the width", {}),
        "head_size": ("count", "size of a head, if not width/heads", {}),
        "inner": ("count", "width of the feed-forward part", {}),
        "matrices": ("count", "matrices of a feed-forward part", {}),
        "tables": ("count", "tables of the vocabulary", {}),
        "positions": ("count", "learned positions", {}),
        "biases": ("count", "matrices with biases: 1 of queries, keys, values, 2 of all", {}),
        "norms": ("number", "norms of a layer", {}),
        "last_norms": ("count", "norms outside the layers", {}),
        "norm_vectors": ("count", "vectors of a norm", {}),
        "attention_parameters": ("amount", "parameters of attention in a layer", {}),
        "extra": ("amount", "further parameters", {}),
        "experts": ("count", "experts of a layer", {}),
        "active_experts": ("count", "experts that a token passes", {}),
        "shared_experts": ("count", "experts that every token passes", {}),
        "expert_inner": ("count", "width of an expert", {}),
        "dense_layers": ("count", "layers without experts", {}),
        "vocabulary": ("count", "tokens of the vocabulary", {}),
        "tokens": ("amount", "tokens of the training", {"above": 0}),
    },
}


@cache
def facts_by_kind() -> Mapping[str, Mapping[str, Given]]:
    """What is known of each kind of preset, by the given that would state it."""
    peak = Given("peak", "", "peak, dense", unit_named("TFLOP/s"), above=0)
    return {
        kind: {name: made(of, name, "", title, **more) for name, (of, title, more) in facts.items()}
        | ({"peak": peak} if kind == "device" else {})
        for kind, facts in FACTS.items()
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
