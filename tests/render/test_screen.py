"""Pages on a terminal: at any width nothing is lost or torn, and colours change no word."""

from __future__ import annotations

import re
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ddcalc.render.blocks import Items, Paragraph, Pieces, Remark, TextTable
from ddcalc.render.terminal.screen import page
from ddcalc.render.whole import Look

WORD = st.text("ab⌈≈é漢🙂", min_size=1, max_size=9)
WORDS = st.lists(WORD, min_size=1, max_size=9).map(" ".join)


def table(header: list[str], rows: list[list[str]]) -> TextTable:
    cells: list[tuple[Pieces, ...]] = [tuple((words,) for words in row) for row in rows]
    return TextTable(tuple(header), tuple(cells))


def letters(text: str) -> list[str]:
    return sorted(re.sub(r"\s", "", text))


@given(WORDS, st.integers(20, 60))
def test_words_are_cut_between_and_never_lost(words: str, width: int) -> None:
    said = Paragraph((words,))
    for block, before in ((said, ""), (Items(((words,),)), "-"), (Remark("so", (said,)), "so")):
        lines = page([block], Look(width)).splitlines()
        assert all(cell_len(line) <= width for line in lines)
        assert letters(before + words) == letters("".join(lines))
        if "🙂" not in words and "漢" not in words:
            assert all(word in "\n".join(lines) for word in words.split())


@given(st.lists(st.tuples(WORD, WORDS, WORDS), min_size=1, max_size=4), st.integers(24, 90))
def test_no_cell_of_a_table_is_lost(rows: list[tuple[str, str, str]], width: int) -> None:
    shown = page([table(["", "", ""], [list(row) for row in rows])], Look(width))
    assert not Counter(letters("".join(map("".join, rows)))) - Counter(letters(shown))
