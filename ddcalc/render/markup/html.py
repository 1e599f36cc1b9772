"""Web pages that stand alone: no scripts, nothing loaded, formulas in MathML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, assert_never

from ddcalc.ask.solve import Derivation
from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.cleaning import html as escaped
from ddcalc.boundary.limits import TITLE
from ddcalc.numbers.units import Unit
from ddcalc.problem.steps import Exchange, Plot, Tornado
from ddcalc.render import pages
from ddcalc.render.blocks import (
    Block,
    Chain,
    Code,
    Display,
    Drawn,
    Grid,
    Heading,
    Items,
    Paragraph,
    Picture,
    Pieces,
)
from ddcalc.render.notation import BREAK, written
from ddcalc.render.notation.mathml import MathML, mathml_number, operator
from ddcalc.render.pictures import line_chart as chart
from ddcalc.render.pictures import panels, svg, tornado
from ddcalc.render.sides import NOTHING, Amount, Formula, Side, Sides
from ddcalc.render.whole import SOLID, loose, whole

_MATHML: Final = MathML()
_SOLID: Final = re.compile(rf"[^\s<>]*{SOLID}[^\s<>]*")
_STYLE: Final = """
:root { color-scheme: light dark; --ink: #1b1b1f; --soft: #5c5f66; --line: #d6d8dd;
  --paper: #fff; --tint: #f4f5f7; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6ea; --soft: #a2a5ad; --line: #3a3d45;
  --paper: #16171b; --tint: #1f2127; } }
body { margin: 0 auto; max-width: 46rem; padding: 1.5rem 1rem 3rem; color: var(--ink);
  background: var(--paper); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; line-height: 1.25; }
section + section { border-top: 1px solid var(--line); margin-top: 2.5rem; }
p { margin: 1rem 0 .3rem; }
table { border-collapse: collapse; display: block; overflow-x: auto; margin: .3rem 0 1rem; }
th, td { text-align: left; vertical-align: baseline; padding: .15rem .9rem .15rem 0;
  overflow-wrap: normal; }
th { color: var(--soft); font-weight: normal; border-bottom: 1px solid var(--line); }
.formula { margin: .3rem 0; padding: .35rem .6rem; overflow-x: auto; background: var(--tint);
  border-radius: .3rem; }
.formula > div { margin: .15rem 0; padding-left: 1.5rem; text-indent: -1.5rem; }
.formula math { text-indent: 0; math-style: normal; }
.solid { white-space: nowrap; }
.why { color: var(--soft); font-size: .9em; padding-left: 1rem; }
pre { overflow-x: auto; background: var(--tint); padding: .6rem; border-radius: .3rem; }
ul { margin: .3rem 0; padding-left: 1.3rem; }
math { font-size: 1.05em; }
.picture { overflow-x: auto; margin: .3rem 0; }
.picture svg { display: block; min-width: 34rem; }
.panels { overflow-x: auto; margin: .3rem 0; }
.panels svg { display: block; }
summary { color: var(--soft); font-size: .9em; cursor: pointer; }
"""
_HEAD: Final = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
<style>{_STYLE}</style>
</head>
<body>
"""


def page(sections: Iterable[str], title: str = "ddcalc") -> str:
    """A complete page of what :func:`derivation` gave."""
    return opening(title) + "".join(sections) + closing()


def section(
    solved: Derivation, steps: str = "full", unit: Unit | None = None, title: str = ""
) -> str:
    """The derivation of *solved*, under its own *title* if it has one, as part of a page.

    *steps* is ``full``, ``brief`` or ``none``.
    """
    return part(pages.page(solved, steps, unit, clean(title, TITLE)))


def part(told: Iterable[Block]) -> str:
    """*told* as part of a page."""
    return f"<section>\n{''.join(map(_block, told))}</section>\n"


def fragment(solved: Derivation) -> str:
    """The derivation of *solved* for a notebook."""
    return f"<div>{section(solved)}</div>"


def opening(title: str = "ddcalc") -> str:
    """What stands before the first section."""
    return _HEAD.replace("%s", escaped(clean(title, TITLE)))


def closing() -> str:
    """What stands behind the last section."""
    return "</body>\n</html>\n"


def _block(block: Block) -> str:
    match block:
        case Heading(words, level):
            return f"<h{level}>{escaped(words)}</h{level}>\n"
        case Paragraph(pieces, label, number):
            before = "" if number is None else f"{number}. "
            bold = f"<strong>{before}{escaped(label)}</strong>" if label else ""
            return f"<p>{' · '.join(part for part in (bold, _inline(pieces)) if part)}</p>\n"
        case Grid(header, rows):
            return _table(header, rows)
        case Picture(step, table):
            return _picture(step, table)
        case Items(rows):
            items = "".join(f"<li>{_inline(row)}</li>\n" for row in rows)
            return f"<ul>\n{items}</ul>\n"
        case Display(equations):
            lines = "".join(
                f"<div>{_equation(sides) if sides else '⋮'}</div>\n" for sides in equations
            )
            return f'<div class="formula">\n{lines}</div>\n'
        case Chain(sides):
            lines = "".join(map(_link, sides))
            return f'<div class="formula">\n{lines}</div>\n'
        case Code(text):
            return f"<pre>{chr(10).join(map(escaped, text.splitlines()))}</pre>\n"
        case never:
            assert_never(never)


def _table(header: Sequence[str], rows: Sequence[Sequence[Pieces]]) -> str:
    top = "".join(f"<th>{escaped(word)}</th>" for word in header)
    lines = "".join(
        f"<tr>{''.join(f'<td>{_inline(cell)}</td>' for cell in row)}</tr>\n" for row in rows
    )
    return f"<table>\n<tr>{top}</tr>\n{lines}</table>\n"


def _picture(step: Drawn, table: Grid) -> str:
    """The picture, as wide as it is legible, and its table for readers without pictures."""
    look = "panels" if isinstance(step, Exchange) else "picture"
    drawn = _drawn(step)
    words = f"<details>\n<summary>As a table</summary>\n{_block(table)}</details>\n"
    return f'<div class="{look}">\n{drawn}</div>\n{words}'


def _drawn(step: Drawn) -> str:
    match step:
        case Exchange():
            return panels.inline(step)
        case Plot():
            return chart.inline(step.chart)
        case Tornado():
            return tornado.inline(step)
    return svg.inline(step)


def _inline(pieces: Pieces) -> str:
    return "".join(
        _words(piece) if isinstance(piece, str) else _equation(piece) for piece in pieces
    )


def _words(text: str) -> str:
    """*text* whose numbers do not break; what is copied has ordinary blanks."""
    kept = _SOLID.sub(r'<span class="solid">\g<0></span>', whole(escaped(text)))
    return loose(kept)


def _link(side: Side) -> str:
    reason = f'<span class="why">{_words(side.reason)}</span>' if side.reason else ""
    return f"<div>{_equation((side,))} {reason}</div>\n"


def _equation(sides: Sides) -> str:
    """The sides in as many elements as there are places to break the line."""
    pieces = BREAK.join(f" {_side(side)}" for side in sides).split(BREAK)
    return "<wbr>".join(f"<math>{piece.strip()}</math>" for piece in pieces)


def _side(side: Side) -> str:
    return (operator(side.sign) if side.sign else "") + _what(side.what)


def _what(what: Formula | Amount) -> str:
    if isinstance(what, Formula):
        return written(what.expr, _MATHML, what.numbers)
    if what.number == NOTHING:
        return _MATHML.nothing
    unit = f"<mspace width='.25em'/><mtext>{escaped(what.unit)}</mtext>" if what.unit else ""
    return mathml_number(what.number) + unit
