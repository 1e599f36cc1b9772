"""Tables of examples in files beside the tests that ask them.

A row is a line, its cells stand between tabs, lines that begin with ``#`` are remarks; escapes are
Python's, and ``REPEAT:x:9`` (``REPEAT:x:9|`` before a digit) stands for nine times x, in which
``№`` is the number of the turn, from 0, and ``⇥`` as many blanks.
"""

import re
from pathlib import Path

TESTS = Path(__file__).parent
_REPEATED = re.compile(r"REPEAT:(.*?):([0-9]+)\|?", re.DOTALL)


def rows(name: str) -> list[list[str]]:
    """The rows of the table of that *name*, below the folder of the tests."""
    lines = (TESTS / name).read_text("utf-8").split("\n")
    return [[*map(meant, line.split("\t"))] for line in lines if line and line[0] != "#"]


def meant(cell: str) -> str:
    """What is written in a *cell*."""
    text = cell.encode("latin-1", "backslashreplace").decode("unicode_escape")
    return _REPEATED.sub(_turns, text)


def _turns(found: re.Match[str]) -> str:
    if not {*"№⇥"} & {*found[1]}:
        return found[1] * int(found[2])
    turns = range(int(found[2]))
    return "".join(found[1].replace("№", str(i)).replace("⇥", " " * i) for i in turns)
