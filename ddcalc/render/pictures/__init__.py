"""Pictures as SVG: of the steps that have one, of all of a question's, and of charts.

A kind of step that is drawn has a module of its own; here it is found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from ddcalc.problem.steps import Exchange, Plot, Step, Timeline, Tornado


def inline(step: Timeline | Exchange | Plot | Tornado) -> str:
    """*step* as an element of a page; empty where its table says it better."""
    from ddcalc.render.pictures import exchange, line_chart, timeline, tornado

    match step:
        case Timeline():
            return timeline.inline(step)
        case Exchange():
            return exchange.inline(step) if exchange.is_drawn(step) else ""
        case Plot(chart=chart):
            return line_chart.inline(chart)
        case Tornado():
            return tornado.inline(step)
        case never:
            assert_never(never)


def document(steps: Sequence[Step]) -> str:
    """The picture of a question's *steps* as a file; empty where there is none."""
    from ddcalc.render.pictures import exchange, line_chart, timeline, tornado

    exchanges = [step for step in steps if isinstance(step, Exchange)]
    if exchanges and exchange.is_drawn(exchanges[0]):
        return exchange.picture(exchanges)
    drawn = next((step for step in steps if isinstance(step, Plot | Timeline | Tornado)), None)
    match drawn:
        case Timeline():
            return timeline.picture(drawn)
        case Plot(chart=chart):
            return line_chart.picture(chart)
        case Tornado():
            return tornado.picture(drawn)
    return ""
