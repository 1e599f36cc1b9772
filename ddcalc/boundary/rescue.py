"""Problems that were complete before an error, although the parser had not said so yet.

A YAML parser looks ahead: it fails at a wrong line before it has told the end (in brackets: even
the beginning) of what stands above that line. What stands above is read again by itself.
"""

from __future__ import annotations

from collections.abc import Callable

import yaml

from ddcalc.errors import BadFile

MOST = 2_000  # lines that are looked at

Lines = Callable[[int], str | None]


def complete_lines(error: Exception, first: int, first_line: int, line_text: Lines) -> str | None:
    """The lines from *first* on that hold whole list elements above where *error* is.

    None where there are none, or where the wrong line may belong to the last of them.
    """
    wrong, column = _where(error, first_line)
    lines = [line_text(number) for number in range(first, min(wrong, first + MOST))]
    if not lines or None in lines or wrong - first > MOST:
        return None
    known = [line or "" for line in lines]
    while known and not known[0].lstrip().startswith("-"):
        del known[0]
    if not known:
        return None
    dash = _indent(known[0])
    told = line_text(wrong) or ""
    begins = _indent(told) + 1 if told.strip() else column
    last = next(line for line in reversed(known) if line.strip() and _indent(line) == dash)
    in_brackets = last.lstrip("- ").startswith("{")  # then nothing below can belong to it
    if (begins > dash + 1 and not in_brackets) or told.lstrip().startswith("#"):
        return None
    return "".join("\n" for _ in range(len(lines) - len(known))) + "\n".join(known) + "\n"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _where(error: Exception, first_line: int) -> tuple[int, int]:
    """The line and column (from 1) of a parser's or decoder's *error*."""
    if isinstance(error, BadFile) and error.place:
        return error.place.line, error.place.column
    mark = getattr(error, "problem_mark", None) if isinstance(error, yaml.YAMLError) else None
    return (mark.line + first_line, mark.column + 1) if mark else (0, 0)
