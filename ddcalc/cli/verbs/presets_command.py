"""The verb ``presets``: devices, links and models by name, and where their values stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from ddcalc.cli.documents import Page
from ddcalc.cli.options import argument
from ddcalc.cli.subject import showing
from ddcalc.errors import UnknownName
from ddcalc.problem.known.presets import BY_FORMAT, FACTS, Preset, presets
from ddcalc.render.blocks import Block, Heading, Paragraph, TextTable, words_table

WORDS: Final = argument("WORD", list[str] | None, "Only presets about it: device, H100, ethernet.")
FEW: Final = 8  # presets of which everything is shown
NAMED: Final = ("layers", "heads", "kv_heads", "width", "vocabulary")  # only shown of a few


@showing(WORDS)
def command(words: Sequence[str]) -> Page:
    """The presets that have all *words*: everything of a few, else a table of each kind.

    Raises UnknownName where there are none.
    """
    every = [preset for kind in presets().values() for preset in kind.values()]
    wanted, shown = " ".join(words).casefold().split(), list[Preset]()
    for one in every:
        sources = (fact.source for fact in one.facts.values())
        text = " ".join((f"{one.kind}s", one.name, one.title, one.note, *sources)).casefold()
        shown += [one] * all(word in text for word in wanted)
    if not shown:
        known = [*(f"{kind}s" for kind in FACTS), *(one.name for one in every)]
        raise UnknownName("preset", " ".join(words), known, command="ddcalc presets")

    def blocks() -> Iterator[Block]:
        for kind, members in groupby(shown, attrgetter("kind")):
            yield Heading(f"{kind.capitalize()}s (--{kind})", 2)
            if len(shown) > FEW:
                yield _table(kind, list(members))
                continue
            for preset in members:
                note = f": {preset.note}" if preset.note else ""
                yield Paragraph((f"{preset.title}{note}",), preset.name)
                facts = preset.facts.items()
                rows = ((_meaning(*x), _spaced(fact.text), fact.source) for x, fact in facts)
                yield words_table(("", "value", "source"), rows)
        if len(shown) > FEW:
            yield Paragraph(("With sources, number formats and notes: ddcalc presets NAME.",))

    return Page(blocks, lambda: {"presets": [*map(_data, shown)]})


def _table(kind: str, members: Sequence[Preset]) -> TextTable:
    """The facts that count most, of peaks the usual one, with its number format."""
    facts = FACTS[kind]
    names = [name for name in facts if name not in NAMED and any(x.fact(name) for x in members)]
    rows = []
    for one in members:
        told = [(name, one.fact(name)) for name in names]
        formats = {BY_FORMAT: f" {next(iter(one.formats), '').upper()}".rstrip()}
        row = (f"{_spaced(fact.text)}{formats.get(x, '')}" if fact else "" for x, fact in told)
        rows.append((one.name, *row, one.title))
    return words_table(("name", *map(_meaning, names), "what it is"), rows)


def _meaning(name: str, number_format: str = "") -> str:
    words = name.replace("_", " ").replace("kv", "KV")
    return f"{words} {number_format.upper()}".rstrip() if name == BY_FORMAT else words


def _spaced(text: str) -> str:
    """A whole number in groups of three digits."""
    return f"{int(text):,}".replace(",", " ") if text.isdecimal() else text


def _data(preset: Preset) -> dict[str, Any]:
    return {
        "kind": preset.kind,
        "name": preset.name,
        "title": preset.title,
        "note": preset.note or None,
        "facts": [
            {"name": name, "format": number_format or None, "text": one.text, "source": one.source}
            for (name, number_format), one in preset.facts.items()
        ],
    }
