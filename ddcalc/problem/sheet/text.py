"""The text of a sheet, each of whose characters knows its place, and its outline."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from ddcalc.errors import BadFile, Place, quote

HEADS: Final = (
    "answer", "also", "keywords", "terms", "source", "group", "include", "breakdown", "model",
    "data",
)  # fmt: skip
DECLARING: Final = ("given", "choose", "results", "let", "steps")
SAYING: Final = (
    "need", "refuse", "heading", "mechanism", "conclude", "means", "check", "assume", "derive",
    "laws", "table", "ranking", "picture", "examples",
)  # fmt: skip
SECTIONS: Final = (*DECLARING, *SAYING)
_BEGINS: Final = re.compile(rf"[a-z_]+: |(?:{'|'.join(SECTIONS)})$")  # prose begins otherwise
_STRUCTURE: Final = r'["()\[\]{}]'


@cache
def _marks(mark: str) -> re.Pattern[str]:
    return re.compile(f"{_STRUCTURE}|{re.escape(mark)}")


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of a sheet: *words*, and where they stand, as (offset, line, column) of each run."""

    words: str
    runs: tuple[tuple[int, int, int], ...]
    file: str

    def place(self, offset: int = 0, length: int = 1) -> Place:
        """Where the character at *offset* stands."""
        start, line, column = self.runs[self._run(offset)]
        return Place(self.file, line, column + offset - start, length)

    def _run(self, offset: int) -> int:
        return bisect_right(self.runs, offset, key=lambda run: run[0]) - 1

    def wrong(self, reason: str, offset: int = 0, length: int = 0) -> BadFile:
        """What is wrong at *offset*, as an error to raise.

        A *reason* may continue what stands there.
        """
        length = length or max(1, len(self.words) - offset)
        if reason.startswith(("is ", "has ", "goes ", "comes ", "can ")):
            reason = f"{quote(self.words[offset : offset + length])} {reason}"
        return BadFile(reason, self.place(offset, length))

    def cut(self, start: int, end: int | None = None) -> Text:
        """The words from *start* to *end* without blanks around them."""
        end = len(self.words) if end is None else end
        part = self.words[start:end]
        words = part.strip()
        start += len(part) - len(part.lstrip()) if words else 0
        first = self._run(start)
        runs = tuple(
            (max(at - start, 0), line, column + max(start - at, 0))
            for i, (at, line, column) in enumerate(self.runs[first:])
            if i == 0 or at < start + len(words)
        )
        return Text(words, runs, self.file)

    def find(self, mark: str) -> int:
        """Where *mark* stands first outside of brackets and quotes; -1 if nowhere."""
        depth, quoted = 0, False
        for match in _marks(mark).finditer(self.words):
            char = match[0]
            if char == '"':
                quoted = not quoted
            elif not quoted and char == mark and not depth:
                return match.start()
            elif not quoted and char in "([{":
                depth += 1
            elif not quoted and char in ")]}":
                depth -= 1
        return -1

    def parted(self, mark: str) -> tuple[Text, Text | None]:
        """What stands before *mark*, and behind it, if there is one."""
        at = self.find(mark)
        return (self, None) if at < 0 else (self.cut(0, at), self.cut(at + len(mark)))

    def both(self, mark: str, form: str) -> tuple[Text, Text]:
        """What stands before *mark* and behind it; else BadFile, which tells the right *form*."""
        before, behind = self.parted(mark)
        if behind is None:
            raise self.wrong(f"is written {form}")
        return before, behind

    def split(self, mark: str) -> list[Text]:
        """The parts between the *mark*s; none of no words."""
        parts: list[Text] = []
        rest: Text | None = self if self.words else None
        while rest is not None:
            part, rest = rest.parted(mark)
            parts.append(part)
        return parts

    def __add__(self, other: Text) -> Text:
        shift = len(self.words) + 1
        moved = tuple((at + shift, line, column) for at, line, column in other.runs)
        return Text(f"{self.words} {other.words}", self.runs + moved, self.file)


@dataclass(slots=True)
class Node:
    """A line and the lines that are indented below it."""

    text: Text
    indent: int
    children: list[Node] = field(default_factory=list)

    def whole(self) -> Text:
        """The line and all below it as one text."""
        text = self.text
        for child in self.children:
            text = text + child.whole()
        return text


def outline(source: str, file: str) -> tuple[str, list[Node]]:
    """The paragraphs that begin a sheet, and the outline of what follows them."""
    lines = source.split("\n")
    begin = next(
        (
            i for i, line in enumerate(lines)
            if _BEGINS.match(line.rstrip()) and not (i and lines[i - 1].strip())
        ),
        len(lines),
    )  # fmt: skip
    prose = "\n".join(line.strip() for line in lines[:begin] if not line.startswith("#"))
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\n+", prose.strip("\n"))]
    return "\n\n".join(paragraphs), list(_nodes(lines, begin, file))


def _nodes(lines: list[str], begin: int, file: str) -> Iterator[Node]:
    top: list[Node] = []
    above: list[Node] = []
    for number, line in enumerate(lines[begin:], begin + 1):
        words = line.strip()
        if not words or words.startswith("#"):
            continue
        indent = len(line) - len(line.lstrip())
        text = Text(words, ((0, number, indent + 1),), file)
        if "\t" in line[:indent]:
            raise text.wrong("is indented with a tab; indent with blanks")
        node = Node(text, indent)
        while above and above[-1].indent >= indent:
            above.pop()
        (above[-1].children if above else top).append(node)
        above.append(node)
    return iter(top)
