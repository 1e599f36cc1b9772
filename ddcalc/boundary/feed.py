"""Text on its way to a parser: looked at from the front, bounded, errors kept for the end."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Final

from ddcalc.boundary import limits
from ddcalc.boundary.decoding import breaks
from ddcalc.errors import BadFile, OverLimit, Place

_QUIET: Final = "more than 1 MiB up to here in one text or comment, the most that is read"


class Feed:
    """The stream that the YAML parser reads from.

    ``failure`` is what ended the source early. The text before it is handed out first; then
    ``read`` raises it, since an end of input would make the last scalar look complete.
    """

    __slots__ = (
        "_chunks",
        "_file",
        "_line",
        "_quiet",
        "_ready",
        "_since",
        "count",
        "failure",
        "line_text",
    )

    def __init__(
        self,
        chunks: Iterator[str],
        file: str,
        line_text: Callable[[int], str | None] = lambda _: None,
    ) -> None:
        self._chunks = chunks
        self._file = file
        self.line_text = line_text  # a line that was read lately, by its number
        self._ready: deque[str] = deque()
        self._line = 1
        self._quiet, self._since = 0, -1  # characters read since that count of events
        self.count = 0  # events so far, kept by the builder
        self.failure: BadFile | None = None

    def first_line(self) -> str:
        """The first line that is not blank, "" where it is longer than a line may be."""
        parts: list[str] = []
        size = 0
        while size <= limits.LINE and (chunk := self._pull()):
            self._ready.append(chunk)
            size += len(chunk)
            fresh = chunk if parts else chunk.lstrip(" \t\r\n")
            parts += [fresh] if fresh else []
            if "\n" in fresh or "\r" in fresh:
                return "".join(parts).splitlines()[0]
        return "" if size > limits.LINE or self.failure else "".join(parts)

    def chunks(self) -> Iterator[str]:
        """All the text, from the very start; raises ``failure`` at its end."""
        while chunk := self._ready.popleft() if self._ready else self._pull():
            yield chunk
        if self.failure:
            raise self.failure

    def read(self, _size: int = 0, /) -> str:
        """The next piece for the parser; raises ``failure``, or OverLimit after 1 MiB in vain."""
        chunk = self._ready.popleft() if self._ready else self._pull()
        if not chunk and self.failure:
            raise self.failure
        if self.count != self._since:
            self._quiet, self._since = 0, self.count
        self._quiet += len(chunk)
        if self._quiet > limits.QUIET:
            raise OverLimit(_QUIET, Place(self._file, self._line))
        self._line += breaks(chunk)
        return chunk

    def _pull(self) -> str:
        try:
            return "" if self.failure else next(self._chunks, "")
        except BadFile as error:
            self.failure = error
            return ""
