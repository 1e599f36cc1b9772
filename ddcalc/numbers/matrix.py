"""A list of numbers written row by row: ``1 5 2 8; 3 1 9 4``, or a list of lists.

A row ends with a semicolon (the last one may); its values stand behind commas, or else blanks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

END: Final = ";"


def in_rows(texts: str | Iterable[str]) -> bool:
    """Whether *texts*, one or the members of a list, are written row by row."""
    return any(END in text for text in ([texts] if isinstance(texts, str) else texts))


def row(members: Iterable[str]) -> str:
    """The text of a row with these *members*."""
    return ", ".join(members) + END


def rows(texts: str | Sequence[str]) -> list[list[str]]:
    """The values of each row.

    >>> rows("1 5; 3 1"), rows(["1, 2*3;", "3, 1;"])
    ([['1', '5'], ['3', '1']], [['1', '2*3'], ['3', '1']])
    """
    read = []
    for text in [texts] if isinstance(texts, str) else texts:
        pieces = text.split(END)
        if not pieces[-1].strip():
            pieces.pop()
        read += [_values(piece) for piece in pieces]
    return read


def _values(piece: str) -> list[str]:
    return [value.strip() for value in piece.split(",")] if "," in piece else piece.split()
