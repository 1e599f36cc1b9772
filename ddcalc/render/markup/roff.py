"""Pages for ``man``: roff with the macros of man(7), which groff and mandoc read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final, assert_never

from ddcalc.boundary.cleaning import clean
from ddcalc.render import blocks

_ESCAPED: Final = str.maketrans({"\\": "\\e", "-": "\\-", "^": "\\(ha", "`": "\\(ga", "~": "\\(ti"})


def page(content: Iterable[blocks.Block], name: str, version: str) -> str:
    """The manual page called *name*, whose first heading says what it is about."""
    title, *others = content
    words = title.words if isinstance(title, blocks.Heading) else ""
    lines = [
        f'.TH {_escaped(name.upper())} 1 "" "ddcalc {_escaped(version)}" "User Commands"',
        ".SH NAME",
        f"{_escaped(name)} \\- {_escaped(words)}",
        ".SH DESCRIPTION",
    ]
    lines += (line for block in others for line in _block(block))
    return "".join(f"{line}\n" for line in _without_needless(lines))


def _without_needless(lines: Iterable[str]) -> Iterator[str]:
    """*lines* without the beginnings of paragraphs that nothing follows, or nothing precedes."""
    before = ""
    for line, following in pairwise([*lines, ".SH"]):
        empty = before.startswith(".SH") or following.startswith((".SH", ".PP", ".TP", ".EX"))
        if line != ".PP" or not empty:
            yield line
            before = line


def _block(block: blocks.Block) -> Iterator[str]:
    match block:
        case blocks.Entries(_, rows):
            for name, symbol, bodies in rows:
                yield ".TP"
                yield f"\\fB{_escaped(name)}\\fR {_inline(symbol)}".rstrip()
                yield from _separated(map(_inline, bodies))
            yield ".PP"
        case _:
            for simple in blocks.plain([block]):
                yield from _plain(simple)


def _plain(block: blocks.Plain) -> Iterator[str]:
    match block:
        case blocks.Heading(words, _):
            yield f".SH {_escaped(words).upper()}"
        case blocks.Paragraph(pieces, label, _):
            yield ".PP"
            bold = f"\\fB{_escaped(label)}\\fR: " if label and pieces else ""
            bold = bold or (f"\\fB{_escaped(label)}\\fR" if label else "")
            yield _line(bold + _inline(pieces))
        case blocks.TextTable(_, rows):
            for first, *rest in rows:
                yield ".TP"
                yield f"\\fB{_inline(first)}\\fR"
                yield _line("; ".join(filter(None, map(_inline, rest))) or "\\&")
            yield ".PP"
        case blocks.Picture(_, table):
            if table:
                yield from _plain(table)
        case blocks.Items(rows):
            for row in rows:
                yield ".IP \\(bu 2"
                yield _line(_inline(row))
            yield ".PP"
        case blocks.Display(equations):
            yield from _code(_inline((sides,)) if sides else "..." for sides in equations)
        case blocks.Chain(sides):
            yield from _code([_inline((sides,))])
        case blocks.Code(text):
            yield from _code(map(_escaped, text.splitlines()))
        case blocks.Blanks() | blocks.Contents():  # of exams and of long pages: in no manual
            return
        case never:
            assert_never(never)


def _code(lines: Iterable[str]) -> Iterator[str]:
    """*lines* as they stand."""
    yield from (".PP", ".RS 4", ".EX", *(_line(line) for line in lines), ".EE", ".RE", ".PP")


def _separated(lines: Iterable[str]) -> Iterator[str]:
    for i, line in enumerate(lines):
        if i:
            yield ".br"
        yield _line(line)


def _line(text: str) -> str:
    """*text* that does not look like a request."""
    return f"\\&{text}" if text.startswith((".", "'")) else text


def _inline(pieces: blocks.Pieces) -> str:
    return "".join(
        _escaped(piece)
        if isinstance(piece, str)
        else _escaped(" ".join(f"{side.sign} {side.what}".strip() for side in piece))
        for piece in pieces
    )


def _escaped(words: str) -> str:
    return clean(words).translate(_ESCAPED)
