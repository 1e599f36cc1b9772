"""Presets: devices, links and models by name, with what their makers publish and where it stands.

They are data: ``presets/`` beside this file holds them, a file a kind. No file is read before a
preset is named.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
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
    if colon and number_format not in preset.peaks:
        formats = ", ".join(filter(None, preset.peaks))
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
    facts = {key: entry[key] for key in FACTS[kind] if key in entry}
    peaks = facts.pop(BY_FORMAT, {})
    return Preset(
        kind, name, entry["title"], entry.get("note", ""),
        {key: _fact(value, entry) for key, value in facts.items()},
        dict(_peaks(peaks if isinstance(peaks, dict) else {"": peaks}, entry)),
    )  # fmt: skip


def _peaks(peaks: Mapping[str, Any], entry: Mapping[str, Any]) -> Iterator[tuple[str, Fact]]:
    """Peaks by number format; those that share a source say it once."""
    source = peaks.get("source", entry["source"])
    for name, value in peaks.items():
        if name != "source":
            yield name, _fact(value, {"source": source})


def _fact(value: Any, entry: Mapping[str, Any]) -> Fact:
    """A *value*, which may have a source of its own, else that of its *entry*."""
    stated = value if isinstance(value, dict) else {"value": value}
    return Fact(str(stated["value"]), stated.get("source", entry["source"]))


def _key(name: str) -> str:
    """What of a *name* counts."""
    return "".join(letter for letter in name.casefold() if letter.isalnum() or letter in ".+")
