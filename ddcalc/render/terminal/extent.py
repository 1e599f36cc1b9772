"""How many lines of a terminal with 80 columns a page takes, so that what stands last on it can be
as much as there is room for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ddcalc.problem.steps import State
from ddcalc.render import blocks, story
from ddcalc.render.blocks import Block, Pieces
from ddcalc.render.story import comparisons
from ddcalc.render.terminal.layout import INDENT, Look, argued, equation
from ddcalc.render.whole import wrapped

LOOK: Final = Look()
PROVED: Final = 11  # columns before a comparison
BESIDE: Final = LOOK.width - 11  # columns right of a label such as "Otherwise"


def extent(content: Iterable[Block]) -> int:
    """How many lines *content* takes; of a picture those that its table would."""
    return sum(map(_lines, content))


def rows(table: blocks.TextTable) -> list[int]:
    """How many lines each row of a *table* takes beside a label."""
    texts = [tuple(map(_text, row)) for row in table.rows]
    others = zip(*(row[1:] for row in texts), strict=True)
    used = sum(max(map(len, column)) + 2 for column in others)
    return [len(wrapped(row[0], max(BESIDE - used, 1))) for row in texts]


def beside(text: str) -> int:
    """How many lines *text* takes beside a label."""
    return len(wrapped(text, BESIDE))


def _lines(block: Block) -> int:
    match block:
        case blocks.Heading(optional=optional):
            return 0 if optional else 2
        case blocks.Paragraph(pieces):
            return len(wrapped(_text(pieces), LOOK.width)) + 1
        case blocks.Givens(states):
            return 2 + sum(map(_given, states))
        case blocks.Stage(body, title, why):
            head = wrapped(f"{title} · {why}" if why else title, LOOK.width - INDENT)
            return len(head) + extent(body)
        case blocks.Proof(compared):
            return sum(len(equation(x, LOOK, PROVED)) for x in comparisons(compared))
        case blocks.Argued(sides):
            return len(argued(sides, LOOK, INDENT))
        case blocks.Display(equations):
            return sum(len(equation(x, LOOK, INDENT)) if x else 1 for x in equations)
        case blocks.Chain(sides):
            return len(equation(sides, LOOK, INDENT))
        case blocks.TextTable(rows=table_rows):
            return len(table_rows) + 1
        case blocks.Picture(table=table):
            return len(table.rows) + 1 if table else 0
        case blocks.Answer(pieces):
            return beside(_text(pieces)) + 2
        case blocks.Remark(_, body):
            return sum(beside(_text(x.pieces)) for x in body if isinstance(x, blocks.Paragraph))
        case _:
            return 0


def _given(step: State) -> int:
    meaning = LOOK.width - 8 - min(len(story.given_text(step)), LOOK.width // 2)
    note = story.note(step)
    return len(wrapped(f"{step.title} ({note})" if note else step.title, meaning))


def _text(pieces: Pieces) -> str:
    return "".join(
        piece if isinstance(piece, str) else " ".join(f"{x.sign} {x.what}".strip() for x in piece)
        for piece in pieces
    )
