"""Presets: devices, links and models by name, with what their makers publish and where it stands.

They are data: ``presets/`` beside this file holds ours, a file a kind, and a ``ddcalc.toml`` in the
current folder or above it, or in the user's configuration folder, adds to them or overrides them.
No file is read before a preset is named.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from ddcalc.boundary.cleaning import clean
from ddcalc.errors import (
    BadFile,
    BadNumber,
    BadSheet,
    BadValue,
    DdcalcError,
    OverLimit,
    Place,
    UnknownName,
    raise_all,
)
from ddcalc.problem.quantity import Given
from ddcalc.problem.slots import BY_FORMAT, SLOTS, Fact, NamedPreset, Preset, facts_by_kind

FILE: Final = "ddcalc.toml"
LARGEST: Final = 1 << 16  # bytes of a file
WIDEST: Final = 1000  # characters of a line: the memory for dotted keys grows with their square
PLACED: Final = 50  # errors whose lines are looked for: more are counted only
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}")
TITLE: Final = 200  # characters of a title, a source or a note

_WORDS: Final = ("title", "source", "note")
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


Presets = Mapping[str, Mapping[str, Preset]]
"""Presets by kind and key."""


def preset_named(slot: str, text: str, every: Presets | None = None) -> NamedPreset:
    """The preset that *text* names for the option *slot*: ``H100-SXM``, ``h100 sxm:fp8``.

    It is one of *every* preset, which are read where they are not at hand. Case, blanks and hyphens
    do not matter. Raises UnknownName or BadValue, and what is wrong with a file of the user's.
    """
    kind = SLOTS[slot]
    known = (every or presets())[kind]
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


def presets() -> Presets:
    """All presets by kind and key: ours, and over them the user's and those of the project.

    Raises what is wrong with a file: BadFile, or Several.
    """
    return _merged(*map(_stamped, own_files()))


@cache
def published() -> Presets:
    """The presets of this package by kind and key."""
    made = {}
    for kind in facts_by_kind():
        path = _FOLDER / f"{kind}s.toml"
        text = path.read_text(encoding="utf-8")
        reading = _Presets(text, path.name, {})
        made[kind] = reading.entries(kind, reading.table, ())
        raise_all(reading.errors)
    return made


# The user's files

files_used: Final[dict[str, None]] = {}
"""The files of which a question has got a value, in the order of their use."""

_Stamp = tuple[str, int, int]


@lru_cache(maxsize=4)
def _merged(*files: _Stamp) -> Presets:
    made = dict(published())
    for name, *_ in files:
        made = _Presets(_text(name), name, made).kinds()
    return made


def own_files() -> Iterator[str]:
    """The files that there are: the user's, then that of the project, which is read over it."""
    if os.path.lexists(mine := os.path.join(_configuration(), FILE)):
        yield mine
    try:
        folder = os.getcwd()
    except OSError:
        return
    while not os.path.lexists(nearest := os.path.join(folder, FILE)):
        if folder == (folder := os.path.dirname(folder)):
            return
    if nearest != mine:
        yield nearest


def _configuration() -> str:
    """The folder of the user's own settings."""
    if sys.platform == "win32":
        return os.path.join(os.environ.get("APPDATA", ""), "ddcalc")
    usual = os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(os.environ.get("XDG_CONFIG_HOME") or usual, "ddcalc")


def _stamped(name: str) -> _Stamp:
    """The file *name* with what changes when it does."""
    try:
        status = os.stat(name)
    except OSError:
        return name, 0, 0
    return name, status.st_mtime_ns, status.st_size


def _text(name: str) -> str:
    """The checked text of a file; BadFile (OverLimit) where it cannot be read."""
    from ddcalc.boundary.source import Source

    pieces, size = [], 0
    for piece in Source(name).chunks():
        pieces.append(piece)
        size += len(piece.encode())
        if size > LARGEST:
            raise OverLimit(f"is larger than {LARGEST} bytes, the most that is read", Place(name))
    return "".join(pieces)


class _Presets:
    """The presets of one TOML file, over those *known*; what is wrong with them is kept."""

    def __init__(self, text: str, file: str, known: Presets) -> None:
        self.lines, self.file, self.known = text.splitlines(), file, known
        self.errors: list[DdcalcError] = []
        self.table = self._parsed(text)

    def kinds(self) -> dict[str, Mapping[str, Preset]]:
        """All presets by kind, those *known* with what the file says of them."""
        made = dict(self.known)
        for kind, table in self.table.items():
            if kind not in facts_by_kind():
                self._refuse(UnknownName("kind of preset", kind, facts_by_kind()), (kind,))
            elif not isinstance(table, dict):
                example = f"{kind} holds presets by name, for example [{kind}.mine]"
                self._refuse(BadSheet(example), (kind,))
            else:
                made[kind] = {**made[kind], **self.entries(kind, table, (kind,))}
        raise_all(self.errors)
        return made

    def entries(
        self, kind: str, table: Mapping[str, Any], above: tuple[str, ...]
    ) -> dict[str, Preset]:
        """The presets in *table* by key."""
        made = {}
        for name, entry in table.items():
            path = (*above, name)
            if not NAME.fullmatch(name):
                reason = "is not a name: letters, digits, dot, dash, plus and underscore"
                self._refuse(BadValue(name, reason), path)
            elif not isinstance(entry, dict):
                example = 'a preset holds facts by name, for example bandwidth = "10 Gbit/s"'
                self._refuse(BadSheet(example), path)
            else:
                made[_key(name)] = self._preset(kind, name, entry, path)
        return made

    def _parsed(self, text: str) -> dict[str, Any]:
        import tomllib

        for number, line in enumerate(self.lines, 1):
            if len(line) > WIDEST:
                reason = f"more than {WIDEST} characters in one line"
                raise OverLimit(reason, Place(self.file, number))
        try:
            return tomllib.loads(text.replace("\r\n", "\n"), parse_float=str)
        except tomllib.TOMLDecodeError as error:
            says, _, at = str(error).partition(" (at ")
            numbers = re.findall(r"\d+", at) or [len(self.lines)]
            place = Place(self.file, *map(int, numbers))
            raise BadFile(f"invalid TOML: {says[:1].lower()}{says[1:]}", place) from None
        except (ValueError, RecursionError):
            reason = "invalid TOML: too many digits in a number, or brackets in brackets"
            raise BadFile(reason, Place(self.file)) from None

    def _preset(
        self, kind: str, name: str, entry: Mapping[str, Any], path: tuple[str, ...]
    ) -> Preset:
        givens = facts_by_kind()[kind]
        before = self.known.get(kind, {}).get(_key(name))
        words = {key: self._word(entry[key], (*path, key)) for key in _WORDS if key in entry}
        source = words.get("source") or FILE
        facts = dict(before.facts) if before else {}
        peaks = dict(before.peaks) if before else {}
        for key, value in entry.items():
            if key in _WORDS:
                continue
            if key not in givens:
                self._refuse(UnknownName("key", key, [*givens, *_WORDS]), (*path, key))
            elif key == BY_FORMAT:
                peaks = self._peaks(value, source, (*path, key))
            elif (fact := self._fact(givens[key], value, source, (*path, key))) is not None:
                facts[key] = fact
        title = words.get("title") or (before.title if before else name)
        note = words.get("note", before.note if before else "")
        return Preset(kind, before.name if before else name, title, note, facts, peaks)

    def _peaks(self, value: Any, source: str, path: tuple[str, ...]) -> dict[str, Fact]:
        """Peaks by number format, or one that is none's in particular."""
        given = facts_by_kind()["device"][BY_FORMAT]
        if not isinstance(value, dict) or "value" in value:
            fact = self._fact(given, value, source, path)
            return {"": fact} if fact else {}
        source = self._word(value["source"], (*path, "source")) if "source" in value else source
        read = {
            name.lower(): self._fact(given, one, source, (*path, name))
            for name, one in value.items()
            if name != "source"
        }
        return {name: fact for name, fact in read.items() if fact}

    def _fact(self, given: Given, value: Any, source: str, path: tuple[str, ...]) -> Fact | None:
        if isinstance(value, dict):
            if unknown := [key for key in value if key not in ("value", "source")]:
                error = UnknownName("key", unknown[0], ("value", "source"))
                self._refuse(error, (*path, unknown[0]))
                return None
            source = self._word(value["source"], (*path, "source")) if "source" in value else source
            value = value.get("value")
        if isinstance(value, bool) or not isinstance(value, str | int):
            self._refuse(BadSheet(f"{path[-1]} is one text with its unit, or a number"), path)
            return None
        text = str(value)
        try:
            given.read(text)
        except BadNumber as error:
            self._refuse(error, path)
            return None
        return Fact(text, source, self.file if self.known else "")

    def _word(self, value: Any, path: tuple[str, ...]) -> str:
        if not isinstance(value, str) or len(value) > TITLE or "\n" in value:
            self._refuse(BadSheet(f"{path[-1]} is one line of at most {TITLE} characters"), path)
            return ""
        return clean(value)

    def _refuse(self, error: DdcalcError, path: tuple[str, ...]) -> None:
        """Keep an *error* about the key at the end of *path*."""
        placed = len(self.errors) < PLACED
        error.place = Place(self.file, self._line(path) if placed else 0)
        self.errors.append(error)

    def _line(self, path: tuple[str, ...]) -> int:
        """The line in which the key at the end of *path* most likely stands: TOML does not say."""
        at = 0
        for key in path:
            word = re.compile(rf"(?<![\w.-]){re.escape(key)}(?![\w-])|\.{re.escape(key)}(?![\w-])")
            for number in range(at, len(self.lines)):
                line = self.lines[number]
                if not line.lstrip().startswith("#") and word.search(line):
                    at = number
                    break
        return at + 1


def _key(name: str) -> str:
    """What of a *name* counts."""
    return "".join(letter for letter in name.casefold() if letter.isalnum() or letter in ".+")
