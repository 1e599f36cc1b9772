"""Presets: devices, links and models by name, with what their makers publish and where it stands.

They are data: ``presets/`` beside this file holds them, a file a kind. No file is read before a
preset is named.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from ddcalc.errors import BadValue, UnknownName
from ddcalc.problem.slots import BY_FORMAT, FACTS, SLOTS, Fact, NamedPreset, Preset

_FOLDER: Final = Path(__file__).with_name("presets")


class Slot(NamedTuple):
    """The option *name* that names a preset, as far as it can be varied."""

    name: str

    @property
    def title(self) -> str:
        return f"{self.name.replace('_', ' ')}, by the name of a preset"

    def read(self, text: str) -> str:
        """The name that *text* means; UnknownName or BadValue where it means none."""
        named = preset_named(self.name, text)
        end = f":{named.number_format}" if named.number_format else ""
        return named.preset.name + end


def preset_named(slot: str, text: str) -> NamedPreset:
    """The preset that *text* names for the option *slot*: ``H100-SXM``, ``h100 sxm:fp8``.

    Case, blanks and hyphens do not matter. Raises UnknownName or BadValue.
    """
    kind = SLOTS[slot]
    known = presets()[kind]
    written, colon, number_format = text.partition(":")
    key = _key(written)
    preset = known.get(key)
    if preset is None:
        alike = [one.name for other, one in known.items() if key and other.startswith(key)]
        if len(alike) > 1:
            raise BadValue(text, f"is not one preset; write {', '.join(alike[:-1])} or {alike[-1]}")
        names = alike or [one.name for one in known.values()]
        raise UnknownName(kind, written.strip(), names, command=f"ddcalc presets {kind}")
    number_format = number_format.strip().lower()
    if colon and number_format not in preset.formats:
        formats = ", ".join(filter(None, preset.formats))
        has = f"a peak in {formats}" if formats else "nothing by number format"
        raise BadValue(text, f"is not known in that number format; {preset.name} has {has}")
    return NamedPreset(slot, preset, number_format)


@cache
def presets() -> Mapping[str, Mapping[str, Preset]]:
    """All presets by kind and key."""
    made = {}
    for kind in FACTS:
        text = (_FOLDER / f"{kind}s.toml").read_text(encoding="utf-8")
        entries = tomllib.loads(text, parse_float=str).items()
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
