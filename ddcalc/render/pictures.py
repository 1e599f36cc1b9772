"""Curves and timelines as pictures, drawn by Matplotlib (the extra ``plot``).

A kind of thing has a pattern or a dash of its own besides its colour. Words stay words in SVG.
Matplotlib is imported when a picture is made.
"""

from __future__ import annotations

import re
import tomllib
import warnings
from collections.abc import Mapping
from fractions import Fraction
from hashlib import sha256
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any, Final, TypeAlias, assert_never

from ddcalc.boundary.cleaning import clean
from ddcalc.errors import BadTarget
from ddcalc.numbers.amounts import count_text
from ddcalc.problem.said.steps import Chart, Drawn, Timeline
from ddcalc.render import timeline

Axes: TypeAlias = Any
Figure: TypeAlias = Any
MISSING: Final = "needs the extra plot: python3 -m pip install 'ddcalc[plot]'"
WIDE: Final = 9.6  # inches of a picture
ROW: Final = 0.36  # inches of a lane, or of a given
LETTER: Final = 0.085  # inches of a character
TITLE, NAME, NOTE = 100, 40, 110  # characters of a title, of a name, and of a line below
MANY: Final = 40  # points of a curve that has no dots any more
TICKS: Final = 14  # numbers on a scale of factors, at most

_LOOKS: Final = tomllib.loads(Path(__file__).with_name("pictures.toml").read_text("utf-8"))
COLOURS: Final = _LOOKS["colours"]


def _coloured(look: Mapping[str, Any]) -> dict[str, Any]:
    """A *look* with the colours that it names."""
    return {key: COLOURS.get(one, one) for key, one in look.items()}


INK: Final = COLOURS["ink"]
CURVES: Final = [
    (COLOURS[x], dash if isinstance(dash, str) else tuple(dash)) for x, dash in _LOOKS["curves"]
]
STYLE: Final = _coloured(_LOOKS["style"])
BARS: Final = {look: _coloured(one) for look, one in _LOOKS["bars"].items()}
_LABEL: Final[dict[str, Any]] = {"ha": "center", "va": "center", "fontsize": 9}
LABELS: Final = (  # on hatches, and on colours
    _LABEL | {"color": INK, "bbox": {"facecolor": "white", "edgecolor": "none", "pad": 1}},
    _LABEL | {"color": "white"},
)
# A picture has light colours; where pages are dark it is turned over, which keeps its contrasts.
DARK: Final = (
    "<style>@media(prefers-color-scheme:dark){"
    "svg.picture{filter:invert(.91) hue-rotate(180deg)}}</style>"
)
_ID: Final = re.compile(r' id="(?!p[0-9a-f]{10}|m[0-9a-f]{10}|h[0-9a-f]{10})[^"]*"')


def missing() -> str:
    """What to install where there is nothing to draw pictures with."""
    return MISSING if find_spec("matplotlib") is None else ""


def inline(step: Drawn) -> str:
    """*step* as an element of a web page; empty where it cannot be drawn: its table says it."""
    if missing():
        return ""
    try:
        picture = of(step, "svg", titled=False).decode()
    except BadTarget:
        return ""
    return picture[picture.index("<svg ") :]


def of(step: Drawn, form: str, *, titled: bool = True) -> bytes:
    """*step* as a file, under its title; BadTarget where it has numbers that no scale holds."""
    import matplotlib

    words = clean(step.title, TITLE)
    file = BytesIO()
    salt = sha256(repr(step).encode("utf-8", "backslashreplace")).hexdigest()
    with matplotlib.rc_context(STYLE | {"svg.hashsalt": salt}), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of characters for which the font has no width
        try:
            figure = _figure(step)
            if titled:
                figure.suptitle(words, x=0.01, horizontalalignment="left", fontweight="bold")
            what: dict[str, Any] = {"Title": words, "Creator": None}
            dated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[form]
            figure.savefig(file, format=form, dpi=150, metadata=what | dated)
        except (OverflowError, ValueError) as error:
            raise BadTarget(f"has numbers too large to draw ({error})") from None
    if form != "svg":
        return file.getvalue()
    svg = _ID.sub("", file.getvalue().decode())
    svg = re.sub(r"<!DOCTYPE[^>]*>\s*|\s*<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    named = svg.replace("<svg ", '<svg class="picture" role="img" ', 1)
    return named.replace("<defs>", f"{DARK}\n <defs>", 1).encode()


def _figure(step: Drawn) -> Figure:
    from matplotlib.figure import Figure as Drawing

    figure: Figure = Drawing(figsize=(WIDE, 1), layout="constrained")
    axes: Axes = figure.add_subplot()
    match step:
        case Timeline():
            _timeline(step, axes)
        case Chart():
            _chart(step, axes)
        case never:
            assert_never(never)
    return figure


def _number(value: float, _: object = None) -> str:
    """The number of a tick, as all numbers are written."""
    return count_text(Fraction(f"{value:.10g}"))


def _chart(chart: Chart, axes: Axes) -> None:
    """Curves, a ring round the best point, and below what they are."""
    axes.figure.set_figheight(4.6)
    several = len(chart.curves) > 1
    for (colour, dash), curve in zip(CURVES, chart.curves, strict=False):
        xs = [float("nan") if dot is None else float(dot.x) for dot in curve.dots]
        ys = [float("nan") if dot is None else float(dot.y) for dot in curve.dots]
        dotted = "o" if len(xs) <= MANY else ""
        label = clean(curve.label, NAME if several else NOTE) or "_"
        axes.plot(xs, ys, color=colour, linestyle=dash, marker=dotted, markersize=3, label=label)
    if (best := chart.best) is not None:
        ring = {"s": 90, "facecolors": "none", "edgecolors": INK, "zorder": 3, "clip_on": False}
        axes.scatter([float(best.x)], [float(best.y)], label=clean(best.words, NOTE), **ring)
    for scale, axis, set_scale, set_name in (
        (chart.x, axes.xaxis, axes.set_xscale, axes.set_xlabel),
        (chart.y, axes.yaxis, axes.set_yscale, axes.set_ylabel),
    ):
        if scale.factors:
            set_scale("log")
            axis.set_minor_formatter(lambda *_: "")
        axis.set_major_formatter(_number)
        set_name(clean(str(scale), NAME))
    places = sorted({dot.x for curve in chart.curves for dot in curve.dots if dot is not None})
    if chart.x.factors and len(places) <= TICKS:
        axes.set_xticks([float(x) for x in places])
    heights = [dot.y for curve in chart.curves for dot in curve.dots if dot is not None]
    if not chart.y.factors and heights and 0 <= 3 * min(heights) < 2 * max(heights):
        axes.set_ylim(bottom=0)  # a curve that falls by a third or more is seen against nothing
    axes.grid(True)
    if chart.left:
        axes.plot([], [], " ", label=f"{chart.left} more curves are not drawn")
    if axes.get_legend_handles_labels()[1]:
        axes.figure.legend(loc="outside lower left", ncols=1 if chart.best or not several else 3)


def _timeline(step: Timeline, axes: Axes) -> None:
    """A lane for each worker from above, a bar for each thing it does, a line at the horizon."""
    last = timeline.extent(step)
    axes.figure.set_figheight(1.3 + ROW * len(step.lanes))
    names = [clean(lane.label, NAME) for lane in step.lanes]
    inch = (WIDE - LETTER * max(map(len, names), default=0) - 0.5) / float(last)
    for look in timeline.marks(step):
        label = timeline.WORDS[look]
        for i, lane in enumerate(step.lanes):
            bars = [bar for bar in lane.bars if timeline.mark(bar) == look and bar.start <= last]
            lengths = [max(float(min(x.end, last) - x.start), 0.02 / inch) for x in bars]
            spans = [*zip((float(bar.start) for bar in bars), lengths, strict=True)]
            if spans:
                drawn = axes.broken_barh(spans, (i - 0.33, 0.66), label=label, **BARS[look])
                drawn.set_in_layout(False)
                label = "_"  # the legend has each look once
            for bar, (start, length) in zip(bars, spans, strict=True):
                words = clean(timeline.label(bar)) if bar.kind in timeline.LABELLED else ""
                if words and len(words) * LETTER < length * inch:
                    look_of = LABELS[look in timeline.LABELLED]
                    text = axes.text(start + length / 2, i, words, **look_of)
                    text.set_in_layout(False)
    if step.horizon <= last:
        axes.axvline(float(step.horizon), color=INK, linestyle="--")
        axes.axvspan(float(step.horizon), float(last), color=COLOURS["beyond"], zorder=0)
    axes.set(xlim=(0, float(last)), ylim=(len(names) - 0.4, -0.6))
    axes.set_yticks(range(len(names)), names)
    axes.tick_params("y", length=0)
    axes.xaxis.set_major_formatter(_number)
    missing = f"; {step.shown} more are not drawn" if step.shown else ""
    axes.set_xlabel(f"seconds; {clean(timeline.horizon(step))}{missing}")
    axes.grid(True, axis="x")
    if step.lanes and timeline.marks(step):
        axes.figure.legend(loc="outside lower left", ncols=7)
