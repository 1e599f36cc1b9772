"""The options that name a preset, what can be known of one, and what fills a given.

The presets themselves are read by :mod:`ddcalc.problem.presets`, once one is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
    """What is known of a device, a link or a model: its *facts* by name.

    The *peaks* are by number format, the usual one first (its name is empty where there is one).
    """

    kind: str
    name: str
    title: str
    note: str
    facts: Mapping[str, Fact]
    peaks: Mapping[str, Fact]

    def fact(self, name: str, number_format: str = "") -> Fact | None:
        """The fact called *name*, a peak in the *number_format* (default: the usual one)."""
        if name == BY_FORMAT and self.peaks:
            return self.peaks[number_format or next(iter(self.peaks))]
        return self.facts.get(name)

    def listed(self) -> Iterator[tuple[str, str, Fact]]:
        """All facts with their names, and the number formats of peaks."""
        yield from ((BY_FORMAT, number_format, one) for number_format, one in self.peaks.items())
        yield from ((name, "", one) for name, one in self.facts.items())


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

    def filling(self, name: str) -> Filling | None:
        """What the fact called *name* fills a given with; None where it is not known."""
        fact = self.preset.fact(name, self.number_format)
        if fact is None:
            return None
        usual = next(iter(self.preset.peaks), "")
        shown = (self.number_format or usual) if name == BY_FORMAT else ""
        return Filling(self.slot, self.preset, name, shown, fact)
