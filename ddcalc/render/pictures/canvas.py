"""What all pictures share: the frame, colours for light and dark, words, shapes and the legend.

A picture is SVG that stands alone, loads nothing and says in words what it shows. Kinds of shapes
differ in outline as well as in colour. There are no ids, so that any number of pictures may stand
on one page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from string import Template
from typing import Final

from ddcalc.boundary.cleaning import html as escaped

WIDE = 720  # of a drawing, in its own units
SHOWN = 960  # pixels of a picture that stands alone
HEAD, LINE = 30, 24  # heights of a heading, and of a line of words below
ROW, BAR = 28, 18  # heights of a row, and of a bar in it
EDGE = 8  # what stays free at the sides
SWATCH = 26  # width of a look in the legend
LETTER = 7.6  # width of a character, about as wide as they come

# Kinds keep apart, and from the paper, for readers with colour blindness too; pages use the first
# five as well.
LIGHT: Final = {
    "paper": "#ffffff",
    "beyond": "#f0f1f4",
    "grid": "#d6d8dd",
    "ink": "#1b1b1f",
    "soft": "#5c5f66",
    "compute": "#1a63d6",
    "on": "#ffffff",
    "down": "#0a4a4a",
    "up": "#6a1b8a",
    "server": "#b27c00",
    "wait": "#7f8187",
    "lost": "#8a2400",
}
DARK: Final = {
    "paper": "#16171b",
    "beyond": "#202228",
    "grid": "#3a3d45",
    "ink": "#e6e6ea",
    "soft": "#a2a5ad",
    "compute": "#a9cdfb",
    "on": "#0c0d10",
    "down": "#3fdc9f",
    "up": "#c850d8",
    "server": "#f2c744",
    "wait": "#767b85",
    "lost": "#e2472f",
}
_SHAPES: Final = """
text{font:12px system-ui,sans-serif}
.heading{font-weight:bold;font-size:14px}
.middle{text-anchor:middle}
.end{text-anchor:end}
.hit{fill:none;pointer-events:all}
"""
_COLOURS: Final = """
.paper{fill:$paper}
text{fill:$ink}
.soft{fill:$soft}
.on{fill:$on}
.grid{stroke:$grid}
"""

Draw = Callable[[str, float, float], str]


@dataclass(frozen=True)
class Style:
    """A kind of picture: the *name* of its class, and what its *shapes* look like; *colours* name
    those of the palette as ``$ink``. A rule of CSS a line."""

    name: str
    shapes: str
    colours: str

    @cached_property
    def sheet(self) -> str:
        """The style sheet, which holds for this kind alone."""
        colours = Template(self._scoped(_COLOURS + self.colours))
        whole = "{max-width:min(100%,60rem);height:auto;color-scheme:light dark}"
        return (
            f"<style>\n.{self.name}{whole}\n{self._scoped(_SHAPES + self.shapes)}"
            f"{colours.substitute(LIGHT)}@media (prefers-color-scheme:dark){{\n"
            f"{colours.substitute(DARK)}}}</style>\n"
        )

    def _scoped(self, rules: str) -> str:
        parted = (rule.split("{") for rule in rules.split("\n") if rule)
        return "".join(
            f"{','.join(f'.{self.name} {one}' for one in looks.split(','))}{{{rest}\n"
            for looks, rest in parted
        )

    def frame(
        self,
        title: str,
        words: str,
        body: str,
        size: tuple[float, float],
        top: float = 0,
        shown: float | None = SHOWN,
    ) -> str:
        """The picture of *body*, from *top* to the height of its *size*, so many pixels wide (as
        wide as there is room for: None); *words* say what it shows."""
        wide, tall = size[0], size[1] - top
        box = f'viewBox="0 {tenth(top)} {tenth(wide)} {tenth(tall)}"'
        pixels = (
            'width="100%"'
            if shown is None
            else f'width="{tenth(shown)}" height="{tenth(round(tall * shown / wide, 1))}"'
        )
        paper = f'y="{tenth(top)}" width="{tenth(wide)}" height="{tenth(tall)}"'
        description = f"<desc>{escaped(words)}</desc>\n" if words else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{self.name}" role="img" {pixels} {box}'
            f">\n<title>{escaped(title)}</title>\n{description}"
            f'{self.sheet}<rect class="paper" {paper}/>\n{body}</svg>\n'
        )


def document(picture: str) -> str:
    """*picture* as a file."""
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{picture}'


def legend(
    marks: Iterable[tuple[str, str]], draw: Draw, swatch: float, y: float, room: float = WIDE
) -> tuple[str, float]:
    """What each look means, below each other from *y* on where there is no *room*, and the end of
    the last line; *draw* draws a look *swatch* wide."""
    drawn, x = "", float(EDGE)
    for look, words in marks:
        wide = entry_width(words, swatch)
        if x > EDGE and x + wide > room:
            x, y = float(EDGE), y + LINE
        drawn += draw(look, x, y) + words_at(x + swatch + 6, y, words)
        x += wide
    return drawn, y


def entry_width(words: str, swatch: float) -> float:
    """What an entry of a legend takes."""
    return swatch + 6 + width(words) + 12


def width(words: str) -> float:
    """About how wide *words* are."""
    return len(words) * LETTER


def words_at(x: float, y: float, words: str, look: str = "") -> str:
    """*words* of the class *look*, which begin at a place."""
    named = f' class="{look}"' if look else ""
    return f'<text{named} x="{tenth(x)}" y="{tenth(y)}">{escaped(words)}</text>\n'


def rectangle(x: float, y: float, width: float, height: float, look: str) -> str:
    """A rectangle of the class *look*."""
    place = f'x="{tenth(x)}" y="{tenth(y)}"'
    size = f'width="{tenth(width)}" height="{tenth(height)}"'
    return f'<rect class="{look}" {place} {size}/>\n'


def explained(words: str, shapes: str) -> str:
    """*shapes* with *words* for readers who point at them."""
    return f"<g><title>{escaped(words)}</title>{shapes}</g>\n"


def tenth(number: float) -> str:
    """A coordinate, to a tenth."""
    return f"{round(number, 1):.10g}"
