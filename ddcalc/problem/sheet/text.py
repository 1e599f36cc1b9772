"""The text of a sheet, each of whose characters knows its place, and its outline."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from ddcalc.errors import BadFile, Place, quote

_PROSE_ENDS: Final = re.compile(r"(?:\A|\n[ \t]*\n)(?=[a-z_]+(?:: |\s*\n[ \t])|use [\w-]+ as )")
_CONTINUES: Final = ("is ", "has ", "goes ", "comes ", "can ", "ends ")  # what stands there


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A piece of a sheet: its *words*, and where in the *source* each character is, and the end."""

    words: str
    at: Sequence[int]
    source: str
    file: str

    def place(self, offset: int = 0, length: int = 1) -> Place:
        """Where the character at *offset* stands."""
        at = self.at[offset]
        line = self.source.count("\n", 0, at) + 1
        return Place(self.file, line, at - self.source.rfind("\n", 0, at), length)

    def wrong(self, reason: str, offset: int = 0, length: int = 0) -> BadFile:
        """What is wrong at *offset*, as an error to raise; a *reason* may go on from its words."""
        length = length or max(1, len(self.words) - offset)
        if reason.startswith(_CONTINUES):
            reason = f"{quote(self.words[offset : offset + length])} {reason}"
        return BadFile(reason, self.place(offset, length))

    def cut(self, start: int, end: int | None = None) -> Text:
        """The words from *start* to *end* without blanks around them."""
        part = self.words[start:end]
        words = part.strip()
        start += len(part) - len(part.lstrip()) if words else 0
        return Text(words, self.at[start : start + len(words) + 1], self.source, self.file)

    def find(self, mark: str) -> int:
        """Where *mark* stands first outside of brackets and quotes; -1 if nowhere."""
        depth, quoted = 0, False
        for match in re.finditer(rf'["()\[\]{{}}]|{re.escape(mark)}', self.words):
            char = match[0]
            if char == '"':
                quoted = not quoted
            elif quoted:
                continue
            elif char == mark and not depth:
                return match.start()
            elif char != mark:
                depth += 1 if char in "([{" else -1
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

    def split(self, mark: str) -> Iterator[Text]:
        """The parts between the *mark*s; none of no words."""
        rest: Text | None = self if self.words else None
        while rest is not None:
            part, rest = rest.parted(mark)
            yield part


NOWHERE: Final = Text("", (0,), "", "")  # where what no sheet says is declared


@dataclass(slots=True)
class Node:
    """A line and the lines that are indented below it."""

    text: Text
    indent: int
    children: list[Node] = field(default_factory=list)

    def whole(self) -> Text:
        """The line and all below it as one text."""
        texts = [*self._texts()]
        if len(texts) == 1:
            return self.text
        at = [at for text in texts for at in text.at]
        return Text(" ".join(one.words for one in texts), at, self.text.source, self.text.file)

    def _texts(self) -> Iterator[Text]:
        yield self.text
        for child in self.children:
            yield from child._texts()


def outline(source: str, file: str) -> tuple[str, list[Node]]:
    """The paragraphs that begin a sheet, and the outline of what follows them."""
    start = _PROSE_ENDS.search(source)
    begin = start.end() if start else len(source)
    prose = "\n".join(x.strip() for x in source[:begin].split("\n") if not x.startswith("#"))
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\n+", prose.strip("\n"))]
    return "\n\n".join(paragraphs), _nodes(source, begin, file)


def _nodes(source: str, at: int, file: str) -> list[Node]:
    """The lines from *at* on, those that are indented below others as their children."""
    root = Node(Text("", (), source, file), -1)
    above = [root]
    for line in source[at:].split("\n"):
        words = line.strip()
        indent = len(line) - len(line.lstrip())
        if words and not words.startswith("#"):
            start = at + indent
            text = Text(words, range(start, start + len(words) + 1), source, file)
            if "\t" in line[:indent]:
                raise text.wrong("is indented with a tab; indent with blanks")
            while above[-1].indent >= indent:
                above.pop()
            node = Node(text, indent)
            above[-1].children.append(node)
            above.append(node)
        at += len(line) + 1
    return root.children
