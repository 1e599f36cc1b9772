"""Shapes of a page that Rich has not: a body beside its label, equations, arguments, drawings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.segment import Segment
from rich.text import Text

from ddcalc.errors import BadValue
from ddcalc.problem.steps import Plot, Timeline
from ddcalc.render.story import Sides
from ddcalc.render.terminal import gantt
from ddcalc.render.terminal.equations import equation
from ddcalc.render.whole import Look, whole

INDENT: Final = 3  # columns of a step's number, and before what belongs to a line
NARROWEST: Final = 20  # columns beside a label; with fewer it stands above
REASON: Final = 24  # columns of the reasons beside the lines of an argument, at least

_COLOURS: Final[dict[gantt.Part, str]] = {
    "axis": "dim",
    "plain": "",
    "horizon": "bold",
    "down": "green",
    "compute": "cyan",
    "up": "magenta",
    "server": "yellow",
    "send": "magenta",
    "wait": "dim",
    "not done": "dim",
    "not counted": "dim",
    "dropped": "red",
    "interrupted": "red",
    "many": "bold",
}


@dataclass(frozen=True, slots=True)
class Beside:
    """A *label*, and a *body* that begins so many columns from the left, or below where it would
    have less than NARROWEST."""

    label: str
    body: RenderableType
    indent: int
    style: str = "bold"

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        label, style, indent = self.label, console.get_style(self.style), self.indent
        if options.max_width - indent < NARROWEST:
            yield from (Segment(label.strip(), style), Segment.line())
            label, indent = "", INDENT
        room = options.update(width=max(1, options.max_width - indent))
        for line in Segment.split_lines(console.render(self.body, room)):
            yield Segment(f"{label:<{indent}}", style)
            yield from line
            yield Segment.line()
            label = ""


@dataclass(frozen=True, slots=True)
class Equation:
    """An equation, or a chain of them with reasons, on as many lines as it needs."""

    sides: Sides
    look: Look

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        yield as_it_is("\n".join(equation(self.sides, self.look, options.max_width)))


@dataclass(frozen=True, slots=True)
class Argument:
    """Lines of an argument, each with its reason, beside it where there is room."""

    lines: Sides
    look: Look

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        formulas = [equation((side,), self.look, options.max_width) for side in self.lines]
        edge = max(len(line) for formula in formulas for line in formula) + INDENT
        room = options.max_width - edge
        for side, (*above, last) in zip(self.lines, formulas, strict=True):
            reason = self.look.spelt(side.reason)
            yield from map(as_it_is, above)
            if reason and room >= max(REASON, len(reason) / 2):
                yield Beside(last, Text(whole(reason)), edge, style="")
                continue
            yield as_it_is(last)
            if reason:
                yield Padding(Text(whole(reason)), (0, 0, 0, INDENT))


@dataclass(frozen=True, slots=True)
class FromWidth:
    """What is *made* for the width that there is."""

    made: Callable[[int], RenderableType]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.made(options.max_width)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A timeline, or curves; where these cannot be drawn, how to see them."""

    step: Timeline | Plot
    look: Look

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        look = self.look._replace(width=options.max_width)
        if isinstance(self.step, Timeline):
            for line in gantt.lines(self.step, look):
                styled = ((words, _COLOURS[part]) for words, part in line)
                yield Text.assemble(*styled, no_wrap=True, overflow="crop")
            return
        from ddcalc.render.terminal import plot

        try:
            yield as_it_is("\n".join(plot.lines(self.step.chart, look)))
        except BadValue:
            yield Text("(drawn by --output FILE.svg, or here with the extra plot)")


def as_it_is(text: str) -> Text:
    """Lines that are not broken."""
    return Text(text, no_wrap=True, overflow="ignore")
