"""Presets: devices, links and models by name, with what their makers publish and where it stands.

They are data: ``presets/`` beside this file holds them, a file a kind. Options name them (slots),
and what is known of them fills givens. Values are read when a preset is named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from tomllib import loads
from typing import Any, Final, NamedTuple

from ddcalc.errors import BadValue, UnknownName

_FOLDER: Final = Path(__file__).with_name("presets")

# The options that name a preset, and the kind each one names.
SLOTS: Final = {
    "device": "device", "link": "link", "inner_link": "link", "model": "model", "grid": "grid"
}  # fmt: skip
BY_FORMAT: Final = "peak"  # the fact that may differ by number format

FACTS: Final[Mapping[str, Sequence[str]]] = loads((_FOLDER / "facts.toml").read_text("utf-8"))


class Fact(NamedTuple):
    """The *text* of a value, as a question would state it, and its *source*."""

    text: str
    source: str


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
        named = ", ".join(filter(None, (self.preset.title, dense)))
        return "; ".join(filter(None, (named, self.preset.note, self.fact.source)))


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

    def filling(self, slot: str, fact: str) -> Filling | None:
        """What *fact* (``device.peak``) fills a given with, if the option *slot* names this."""
        for (name, number_format), known in self.facts.items():
            if fact == f"{slot}.{name}":
                return Filling(slot, self, name, number_format, known)
        return None


class Slot(NamedTuple):
    """The option *name* that names a preset, as far as it can be varied."""

    name: str

    @property
    def title(self) -> str:
        return f"{self.name.replace('_', ' ')}, by the name of a preset"

    def read(self, text: str) -> str:
        """The name that *text* means; UnknownName or BadValue where it means none."""
        preset = preset_named(self.name, text)
        return f"{preset.name}:{preset.formats[0]}" if ":" in text else preset.name


def preset_named(slot: str, text: str) -> Preset:
    """The preset that *text* names for the option *slot*: ``H100-SXM``, ``h100 sxm:fp8``, which has
    a peak in that number format alone.

    Case, blanks and hyphens do not matter. Raises UnknownName or BadValue.
    """
    kind = SLOTS[slot]
    known = presets()[kind]
    written, colon, number_format = text.partition(":")
    key = _key(written)
    if (preset := known.get(key)) is None:
        alike = [one.name for other, one in known.items() if key and other.startswith(key)]
        if len(alike) > 1:
            raise BadValue(text, f"is not one preset; write {', '.join(alike[:-1])} or {alike[-1]}")
        names, lists = [one.name for one in known.values()], f"ddcalc presets {kind}"
        raise UnknownName(kind, written.strip(), names, lists, meant="".join(alike))
    number_format = number_format.strip().lower()
    if colon and number_format not in preset.formats:
        formats = ", ".join(filter(None, preset.formats))
        has = f"a peak in {formats}" if formats else "nothing by number format"
        raise BadValue(text, f"is not known in that number format; {preset.name} has {has}")
    facts = ((key, one) for key, one in preset.facts.items() if key[1] in ("", number_format))
    return preset._replace(facts=dict(facts)) if colon else preset


@cache
def presets() -> Mapping[str, Mapping[str, Preset]]:
    """All presets by kind and key."""
    made = {}
    for kind in FACTS:
        text = (_FOLDER / f"{kind}s.toml").read_text(encoding="utf-8")
        entries = loads(text, parse_float=str).items()
        made[kind] = {_key(name): _preset(kind, name, entry) for name, entry in entries}
    return made


def _preset(kind: str, name: str, entry: Mapping[str, Any]) -> Preset:
    peaks = entry.get(BY_FORMAT, {})  # a value, or one for each number format, with one source
    peaks = peaks if isinstance(peaks, dict) else {"": peaks}
    of_peaks = {"source": peaks.get("source", entry["source"])}
    facts = {(BY_FORMAT, key): _fact(x, of_peaks) for key, x in peaks.items() if key != "source"}
    known = (key for key in FACTS[kind] if key in entry and key != BY_FORMAT)
    facts |= {(key, ""): _fact(entry[key], entry) for key in known}
    return Preset(kind, name, entry["title"], entry.get("note", ""), facts)


def _fact(value: Any, entry: Mapping[str, Any]) -> Fact:
    """A *value*, which may have a source of its own, else that of its *entry*."""
    stated = value if isinstance(value, dict) else {"value": value}
    return Fact(str(stated["value"]), stated.get("source", entry["source"]))


def _key(name: str) -> str:
    """What of a *name* counts."""
    return "".join(letter for letter in name.casefold() if letter.isalnum() or letter in ".+")
