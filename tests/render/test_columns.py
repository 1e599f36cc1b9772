"""Tables for which a screen is too narrow: cells in several lines, or rows one by one."""

from __future__ import annotations

from ddcalc.render.terminal.column_widths import by_itself, narrowed, widths

HEADER = ["", "moved", "less", ""]
ROWS = [["p", "3.6 USD/h to 4.4 USD/h", "≈ −0.0875", "████"], ["o", "1 to 2", "187 500 B", ""]]


def test_a_table_that_fits_is_left_as_it_is() -> None:
    assert widths(HEADER, ROWS, 77) == [1, 22, 9, 4]
    assert widths(HEADER, ROWS, 37) == []


def test_words_go_on_below_and_numbers_stay_with_their_units() -> None:
    made = narrowed(HEADER, ROWS, 32)
    assert made is not None
    assert made.rows[0] == ["p", "3.6 USD/h to\n4.4 USD/h", "≈ −0.0875", "████"]
    assert sum(made.widths) + 2 * (len(made.widths) - 1) <= 32
    for row, plain in zip(made.rows, ROWS, strict=True):
        assert [cell.replace("\n", " ") for cell in row] == plain
        for cell, width in zip(row, made.widths, strict=True):
            assert max(map(len, cell.split("\n"))) <= width


def test_no_cell_gets_too_many_lines() -> None:
    assert narrowed(["", "a"], [["x", "one two three four five six"]], 10) is None


def test_a_row_by_itself_says_what_it_is_about_first() -> None:
    assert by_itself(HEADER, ROWS[0], 37) == [
        "p: moved 3.6 USD/h to 4.4 USD/h,", "  less ≈ −0.0875, ████",
    ]  # fmt: skip
    assert by_itself(["update", "at"], ["1", "2 s"], 37) == ["update 1: at 2 s"]


def test_nothing_is_told_of_an_empty_cell() -> None:
    assert by_itself(HEADER, ["p", "1", "", ""], 37) == ["p: moved 1"]
    assert by_itself(["", "", "at"], ["p", "", ""], 37) == ["p"]


def test_what_is_longer_than_a_line_breaks_between_words() -> None:
    lines = by_itself(["", "says"], ["p", "one two three four five six seven eight"], 20)
    assert lines == ["p: says one two", "  three four five", "  six seven eight"]
