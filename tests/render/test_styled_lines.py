"""Lines with styles are those that Rich lays out, whatever the words and the width."""

from __future__ import annotations

from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text
from running import python

from ddcalc.render.terminal import lines
from ddcalc.render.terminal.lines import broken, filled_up, grid, row, run, written
from ddcalc.render.whole import loose, whole

WORD = st.text("ab⌈≈−é漢🙂", min_size=1, max_size=9)
STYLE = st.sampled_from(["", "bold", "dim", "bold green"])
WORDS = st.lists(WORD, min_size=1, max_size=9).map(" ".join)
WIDTH = st.integers(8, 40)


def foldable(words: str, style: str = "") -> Text:
    """*words* for Rich, with numbers that stay whole."""
    return Text(whole(words), style, overflow="fold")


def rich(shown: RenderableType, width: int, colour: bool) -> str:
    """What Rich prints, without blanks at the ends of lines."""
    console = Console(
        file=StringIO(), width=width, force_terminal=colour, highlight=False, markup=False,
        color_system="standard" if colour else None, emoji=False, legacy_windows=False,
    )  # fmt: skip
    console.print(shown)
    assert isinstance(console.file, StringIO)
    text = loose(console.file.getvalue())
    return lines._ENDS.sub(lambda end: end.group().replace(" ", ""), text)


@given(st.lists(st.tuples(WORDS, STYLE), min_size=1, max_size=3), WIDTH, st.booleans())
def test_words_are_broken_as_rich_breaks_them(
    pieces: list[tuple[str, str]], width: int, colour: bool
) -> None:
    pieces = [(f"{words} ", style) for words, style in pieces]
    theirs = Text.assemble(*pieces, overflow="fold")
    theirs.plain = whole(theirs.plain)
    assert written(broken(pieces, width), colour) == rich(theirs, width, colour)


@given(st.lists(st.tuples(WORD, WORD, WORDS), min_size=1, max_size=4), st.integers(36, 60))
def test_columns_are_as_wide_as_richs(rows: list[tuple[str, str, str]], width: int) -> None:
    table = Table.grid(padding=(0, 2))
    table.add_column(overflow="fold", no_wrap=True)
    table.add_column(no_wrap=True, justify="right")
    table.add_column(overflow="fold")
    for cells in rows:
        table.add_row(*(foldable(cell) for cell in cells))
    ours = grid([[*map(run, cells)] for cells in rows], width, kept=[0, 1], right=[1])
    assert written(ours, colour=False) == rich(table, width, colour=False)


@given(st.lists(st.tuples(WORD, WORDS), min_size=1, max_size=4), WIDTH, WIDTH, st.booleans())
def test_a_table_has_richs_head(
    cells: list[tuple[str, str]], first: int, second: int, colour: bool
) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    (left, right), *others = cells
    table.add_column(foldable(left), width=first, justify="right")
    table.add_column(foldable(right), width=second)
    for words in others:
        table.add_row(*(foldable(cell, "bold") for cell in words))
    widths = [first, second]
    titles = zip((left, right), widths, strict=True)
    heads = [broken(run(title, "dim"), width) for title, width in titles]
    made = [*row(heads, widths, right=[0], head="dim")]
    for words in others:
        body = [broken(run(cell, "bold"), w) for cell, w in zip(words, widths, strict=True)]
        made += row(body, widths, right=[0])
    assert written(made, colour) == rich(table, 100, colour)


def test_characters_that_are_taken_for_narrow_are() -> None:
    assert [one for one in lines._NARROW if cell_len(one) != 1] == []


def test_a_line_is_filled_up_in_its_style() -> None:
    assert filled_up(run("a", "bold"), 3, "bold") == (("a  ", "bold"),)
    assert filled_up(run("a", "dim"), 3, "bold") == (("a", "dim"), ("  ", "bold"))
    assert filled_up(run("a "), 3, "", on_right=True) == (("  a", ""),)


@pytest.mark.parametrize("colour", ["", "1"])
def test_a_page_is_printed_without_a_console(colour: str) -> None:
    ran = python(
        "import sys; from ddcalc.cli.main import run; run(sys.argv[1:] or ['epoch-time', "
        "'--samples', '9', '--batch', '3', '--epochs', '1', '--workers', '2', '--download', '1s', "
        "'--compute', '1s', '--upload', '1s', '--aggregate', '1s']); "
        "print('rich.console' in sys.modules, 'rich.table' in sys.modules, file=sys.stderr)",
        env={"FORCE_COLOR": colour},
    )
    assert ran.stderr == "False False\n"
