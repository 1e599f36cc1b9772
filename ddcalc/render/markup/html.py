"""Web pages that stand alone: no scripts, nothing loaded, formulas in MathML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Final, assert_never

from latex2mathml.converter import convert

from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.cleaning import html as escaped
from ddcalc.boundary.limits import TITLE
from ddcalc.problem.said.steps import Drawn
from ddcalc.render import blocks, pictures
from ddcalc.render.blocks import ANSWER
from ddcalc.render.markup.latex import signed
from ddcalc.render.notation import unbroken
from ddcalc.render.sides import Pieces, Side, Sides
from ddcalc.render.stages import plain
from ddcalc.render.terminal import gantt
from ddcalc.render.whole import SOLID, Look, loose, whole

_SOLID: Final = re.compile(rf"[^\s<>]*{SOLID}[^\s<>]*")


def part(content: Iterable[blocks.Block]) -> str:
    """*content* as part of a page, with links from what a part of a question has from another one
    (``from (a)``, ``as in (a)``) to where that stands."""
    shown = [*plain(content)]
    page, name = "".join(map(_block, shown)), title(shown)
    for label in {one.label for one in shown if isinstance(one, blocks.Paragraph)}:
        if label.startswith("("):
            at = re.sub(r"\W+", "-", f"{name} {label}").strip("-")
            page = page.replace(f"<p><strong>{label}<", f'<p id="{at}"><strong>{label}<', 1)
            link = rf'\1<a href="#{at}">{label}</a>'
            page = re.sub(rf"(\b(?:from|in) ){re.escape(label)}", link, page)
    return f"<section>\n{page}</section>\n"


def title(content: Iterable[blocks.Block]) -> str:
    """What a page of *content* is called: its first heading."""
    headings = (block.words for block in content if isinstance(block, blocks.Heading))
    return next(filter(None, headings), "ddcalc")


def frame(title: str) -> tuple[str, str]:
    """What stands before the first part of a page called *title*, and behind the last."""
    of = files(__package__)
    head, rules = (of.joinpath(f"page.{x}").read_text("utf-8") for x in ("html", "css"))
    return head % (escaped(clean(title, TITLE)), rules), "</body>\n</html>\n"


def _block(block: blocks.Plain) -> str:
    match block:
        case blocks.Heading(words, level):
            return f"<h{level}>{escaped(words)}</h{level}>\n"
        case blocks.Paragraph(pieces, label):
            bold = f"<strong>{escaped(label)}</strong>" if label else ""
            look = ' class="answer"' if label == ANSWER else ""
            return f"<p{look}>{' · '.join(text for text in (bold, _inline(pieces)) if text)}</p>\n"
        case blocks.TextTable(header, rows):
            return _table(header, rows)
        case blocks.Picture(step):
            return _picture(step)
        case blocks.Items(rows, marks):
            heads = [f"{escaped(mark)} " for mark in marks] or [""] * len(rows)
            pairs = zip(heads, rows, strict=True)
            items = "".join(f"<li>{head}{_inline(row)}</li>\n" for head, row in pairs)
            look = ' class="marked"' if marks else ""
            return f"<ul{look}>\n{items}</ul>\n"
        case blocks.Display(equations):
            every = (_equation(sides) if sides else "⋮" for sides in equations)
            lines = "".join(map("<div>{}</div>\n".format, every))
            return f'<div class="formula">\n{lines}</div>\n'
        case blocks.Chain(sides):
            whys = (f'<span class="why">{_words(x.reason)}</span>' * bool(x.reason) for x in sides)
            links = zip((_equation((side,)) for side in sides), whys, strict=True)
            lines = "".join(f"<div>{equation} {why}</div>\n" for equation, why in links)
            return f'<div class="formula">\n{lines}</div>\n'
        case blocks.Code(text):
            return f"<pre>{chr(10).join(map(escaped, text.splitlines()))}</pre>\n"
        case never:
            assert_never(never)


def _table(header: Sequence[str], rows: Sequence[Sequence[Pieces]]) -> str:
    columns = ([row[i] for row in rows] for i in range(len(header)))
    looks = [' class="amount"' if blocks.are_amounts(one) else "" for one in columns]
    heads = zip(looks, header, strict=True)
    top = "".join(f"<th{look}>{escaped(word)}</th>" for look, word in heads)
    top = f"<thead>\n<tr>{top}</tr>\n</thead>\n" if any(header) else ""
    cells = ([f"<td{x}>{_inline(one)}</td>" for x, one in zip(looks, y, strict=True)] for y in rows)
    lines = "".join(f"<tr>{''.join(one)}</tr>\n" for one in cells)
    return f"<table>\n{top}<tbody>\n{lines}</tbody>\n</table>\n"


def _picture(step: Drawn) -> str:
    """The picture, as wide as it is legible, and in characters for readers without pictures."""
    text = gantt.text(step, Look())
    said = _block(blocks.Code(text)) if text else ""
    if not (drawn := pictures.inline(step)):
        return said
    said = f"<details>\n<summary>As text</summary>\n{said}</details>\n" if said else ""
    return f'<div class="picture">\n{drawn}</div>\n{said}'


def _inline(pieces: Pieces) -> str:
    return "".join(_words(one) if isinstance(one, str) else _equation(one) for one in pieces)


def _words(text: str) -> str:
    """*text* whose numbers do not break; what is copied has ordinary blanks."""
    return loose(_SOLID.sub(r'<span class="solid">\g<0></span>', whole(escaped(text))))


def _equation(sides: Sides) -> str:
    """The sides, each an element, between which the line may break."""
    return "<wbr>".join(map(_side, sides))


def _side(side: Side) -> str:
    """A side as MathML, made by a library from what it is in LaTeX."""
    tex = unbroken(signed(side)).replace(r"\(^2\)", "²").replace(r"\%", "\uff05")
    made = convert("{} " * bool(side.sign) + tex).replace("\uff05", "%")  # not a comment
    return f"<math>{made.partition('>')[2]}"  # which needs no namespace in HTML
