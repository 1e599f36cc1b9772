"""LaTeX documents that need no more than article, Latin Modern, amsmath, amssymb and geometry."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.resources import files
from typing import Final, assert_never

from ddcalc.boundary.cleaning import latex as escaped
from ddcalc.numbers.amounts import Amount
from ddcalc.render import blocks
from ddcalc.render.notation import in_rows, unbroken, written
from ddcalc.render.notation.tex import Latex, latex_amount, width
from ddcalc.render.sides import NO_VALUE, Pieces, ShownFormula, Side
from ddcalc.render.stages import plain
from ddcalc.render.terminal import gantt
from ddcalc.render.whole import Look

ROWS = 40  # rows of a table on one page
WIDE = 88  # digits of a formula on a line
LINE = 84  # characters on a line
NARROW = 14  # characters of a column that is never broken
DIGITS = 76  # of a formula on a line of Markdown
GAP = 3  # characters between two columns
SMALL = 0.8  # of a usual letter is a small one
SIGN = 4  # characters of a mark that stands in the margin
TALL = 20  # width from which the first side is one like others
INDENT = r"\qquad "  # of a side that goes on

Texts = Callable[[str], str]

_LATEX = Latex()
_SIGNS = {"≤": r"\le", "≥": r"\ge", "≈": r"\approx"}

_LOW = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_LOW_RUNS = re.compile("([₀-₉]+)")
CLOSING: Final = "\\end{document}\n"


def frame(_title: str) -> tuple[str, str]:
    """What stands before and behind all parts of a document."""
    return files(__package__).joinpath("page.tex").read_text("utf-8"), CLOSING


def part(content: Iterable[blocks.Block]) -> str:
    """*content* as part of a document."""
    written = ((block, _block(block)) for block in plain(content))
    return "".join(f"{_lead(block)}{text}\n" for block, text in written if text)


def words(text: str) -> str:
    """*text* cleaned and escaped for LaTeX's text; subscript digits are kept."""
    every = enumerate(_LOW_RUNS.split(text))
    return "".join(rf"$_{{{x.translate(_LOW)}}}$" if i % 2 else escaped(x) for i, x in every)


def _lead(block: blocks.Plain) -> str:
    """What keeps a block on the page of the words before it, where it belongs to them."""
    if isinstance(block, blocks.Display | blocks.Chain):
        return ""
    is_apart = isinstance(block, blocks.TextTable | blocks.Items | blocks.Picture)
    return "\\par\\nopagebreak\n" if is_apart else "\n"


def _block(block: blocks.Plain) -> str:
    match block:
        case blocks.Heading(text, level):
            return rf"\{'sub' * (level - 1)}section*{{{words(text)}}}"
        case blocks.Paragraph(pieces, label):
            bold = rf"\textbf{{{words(label)}}}" if label else ""
            return r" \textperiodcentered{} ".join(text for text in (bold, inlined(pieces)) if text)
        case blocks.TextTable(header, rows):
            return "\n\n".join(_tables(header, rows))
        case blocks.Picture(step):
            return _block(blocks.Code(gantt.text(step, Look(unicode=False))))
        case blocks.Items(rows, marks):
            short = all(len(mark) < SIGN for mark in marks)  # long ones would stand in the margin
            heads = [f"[{words(mark)}]" if short else f"[]{words(mark)}" for mark in marks]
            heads = heads or ["{}"] * len(rows)
            pairs = zip(heads, rows, strict=True)
            items = "".join(f"\\item{head} {inlined(row)}\n" for head, row in pairs)
            return f"\\begin{{itemize}}\n{items}\\end{{itemize}}"
        case blocks.Display():
            return _display(equations(block.equations, WIDE))
        case blocks.Chain(sides):
            return _display(reasoned(sides, words, WIDE))
        case blocks.Code(text):
            lines = ("~".join(map(words, line.split(" "))) for line in text.splitlines())
            return "\n".join(rf"\texttt{{{line}}}\\" for line in lines)
        case never:
            assert_never(never)


def inlined(pieces: Pieces, spelt: Callable[[str], str] = words) -> str:
    """*pieces* as text with formulas, its words as *spelt*."""
    return "".join(spelt(x) if isinstance(x, str) else f"${inline(x)}$" for x in pieces)


def _display(tex: str) -> str:
    return f"\\[\n{tex}\n\\]"


def _tables(header: Sequence[str], rows: Sequence[Sequence[Pieces]]) -> Iterator[str]:
    """A table, or several where it has more rows than a page."""
    cells = [[(word,) for word in header], *rows]
    widths = (  # about how many characters wide each of them is
        [sum(len(x) if isinstance(x, str) else width(inline(x)) for x in cell) for cell in row]
        for row in cells
    )
    columns, small = _columns([*map(max, zip(*widths, strict=True))])
    top = " & ".join(rf"\textit{{{words(title)}}}" for title in header)
    for start in range(0, len(rows), ROWS):
        lines = [" & ".join(map(inlined, row)) for row in rows[start : start + ROWS]]
        body = "".join(f"{line} \\\\\\relax\n" for line in lines)  # [ must not follow \\\\
        head = rf"{top} \\ \hline"
        table = f"\\begin{{tabular}}{{@{{}}{columns}@{{}}}}\n{head}\n{body}\\end{{tabular}}"
        yield f"{{\\footnotesize\n{table}}}" if small else table


def _columns(widest: Sequence[int]) -> tuple[str, bool]:
    """Columns of so many characters at most, on the left, and whether letters are to be small; wide
    ones share what the others leave, if all are too wide and a word fits into each."""
    long = sum(widest) + GAP * len(widest)
    whole = sum(wide for wide in widest if wide > NARROW)
    room = LINE - long + whole
    if long <= LINE or not whole or (long <= LINE / SMALL and room < whole / 2):
        return "l" * len(widest), long > LINE
    shares = (max(0.05, wide / whole * max(room, 0) / LINE) for wide in widest)
    return "".join(
        rf"p{{{share:.3f}\linewidth}}" if wide > NARROW else "l"
        for share, wide in zip(shares, widest, strict=True)
    ), False


# Equations on one line, or broken and aligned


def inline(sides: Iterable[Side]) -> str:
    """All *sides* on one line."""
    return unbroken(" ".join(map(signed, sides)))


def equations(members: Iterable[Sequence[Side] | None], line: int = DIGITS) -> str:
    """Equations in rows that are aligned behind their heads; None for some that are left out."""
    rows: list[str] = []
    for sides in members:
        rows += [r"& \;\vdots"] if sides is None else _rows(sides, line)
    return _aligned(rows) if len(rows) > 1 else "".join(rows).replace("& ", "", 1)


def _rows(sides: Sequence[Side], line: int) -> Iterator[str]:
    """The rows of an equation, with & where they are aligned; a wide head is a side like others."""
    head, *others = map(signed, sides)
    if not others or width(head) > TALL:
        head, others = "", [head, *others]
    for row in in_rows(others, line - width(head), width, INDENT):
        yield f"{unbroken(head)} & {row}".lstrip()
        head = ""


def reasoned(sides: Sequence[Side], texts: Texts, line: int = DIGITS) -> str:
    """A chain with the reason of each side behind it, or below it where there is no room.

    *texts* escapes a reason for LaTeX's text.
    """
    first, *others = sides
    is_head = bool(others) and not first.reason and width(inline([first])) <= TALL
    groups = [[*_rows(both, line)] for both in ([(first, others[0])] if is_head else [(first,)])]
    groups += [[f"& {row}" for row in in_rows([signed(side)], line, width, INDENT)]
               for side in others[is_head:]]  # fmt: skip
    widest = max(width(row) for group in groups for row in group)
    beside = widest + max(len(side.reason) for side in sides) <= line + TALL // 2
    rows: list[str] = []
    for side, group in zip(sides[is_head:], groups, strict=True):
        reason = rf"\text{{{texts(side.reason)}}}" if side.reason else ""
        if reason and beside:
            group[-1] += rf" && {reason}"
        else:
            lines = textwrap.wrap(side.reason, line - TALL)
            group += [rf"& \qquad \text{{{texts(text)}}}" for text in lines]
        rows += group
    return _aligned(rows)


def _aligned(rows: Iterable[str]) -> str:
    """*rows*, with & where they are aligned."""
    lines = " \\\\\n".join(rows)
    return f"\\begin{{aligned}}\n{lines}\n\\end{{aligned}}"


def signed(side: Side) -> str:
    """A side behind its sign, with marks where a line may break."""
    return f"{_SIGNS.get(side.sign, side.sign)} {_broken(side.what)}".strip()


def _broken(what: ShownFormula | Amount) -> str:
    if isinstance(what, ShownFormula):
        return written(what.expr, _LATEX, what.numbers)
    return _LATEX.nothing if what is NO_VALUE else latex_amount(what.number, what.unit)
