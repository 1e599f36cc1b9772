"""The formats: each with the endings of its files, and how it writes a page.

A format is a name in ``Format`` and a row in ``WRITERS``; a command says which of them it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from ddcalc.errors import BadTarget

if TYPE_CHECKING:
    from ddcalc.render.blocks import Block
    from ddcalc.render.whole import Look


class Format(StrEnum):
    """What is printed; *key* is that of an exam, in the format of its file; *junit* and *github*
    are reports on problem files, which have no ending of their own, so that their files may have
    any that is not another format's."""

    text = "text"
    markdown = "markdown"
    latex = "latex"
    html = "html"
    json = "json"
    ndjson = "ndjson"
    csv = "csv"
    svg = "svg"
    png = "png"
    pdf = "pdf"
    yaml = "yaml"
    moodle = "moodle"
    key = "key"
    junit = "junit"
    github = "github"


JSON: Final = (Format.json, Format.ndjson)
PICTURES: Final = (Format.svg, Format.png, Format.pdf)


@dataclass(frozen=True, slots=True)
class Page:
    """What is shown at once, in each of the ways that a format may want; made when it is wanted.

    Without a *text* of its own a screen shows the *blocks*; *charts* stand behind them in HTML,
    where links can name the *place*. What is None is left out of such a format.
    """

    blocks: Callable[[], Iterable[Block]] | None = None
    data: Callable[[], Any] | None = None
    text: Callable[[Look], str] | None = None
    charts: Callable[[], Iterable[Block]] = tuple
    place: str = ""
    picture: Callable[[str], bytes] | None = None
    rows: Callable[[Format], str] | None = None

    def content(self) -> list[Block]:
        """The blocks; none where there are none."""
        return [*self.blocks()] if self.blocks is not None else []


def _screen(page: Page, look: Look) -> str:
    if page.text is not None:
        return page.text(look)
    from ddcalc.render.terminal import screen

    return screen.page(blocks, look) if (blocks := page.content()) else ""


def _markdown(page: Page, _look: Look) -> str:
    from ddcalc.render.markup import markdown

    return markdown.page(blocks) if (blocks := page.content()) else ""


def _latex(page: Page, _look: Look) -> str:
    from ddcalc.render.markup import latex

    return latex.part(blocks) if (blocks := page.content()) else ""


def _html(page: Page, _look: Look) -> str:
    from ddcalc.render.markup import html

    if not (blocks := page.content()):
        return ""
    charts = (html.part([chart]) for chart in page.charts())
    return html.part(blocks, page.place) + "".join(charts)


def _data(page: Page, _look: Look) -> str:
    return "" if page.data is None else dumped(page.data())


def _rows(page: Page, _look: Look) -> str:
    return "" if page.rows is None else page.rows(Format.csv)


def _report(page: Page, look: Look) -> str:
    return "" if page.text is None else page.text(look)


def _no_part(_page: Page, _look: Look) -> str:
    raise AssertionError("is made as a whole")


def _unframed(_title: str) -> tuple[str, str]:
    return "", ""


def _latex_frame(_title: str) -> tuple[str, str]:
    from ddcalc.render.markup import latex

    return latex.OPENING, latex.CLOSING


def _html_frame(title: str) -> tuple[str, str]:
    from ddcalc.render.markup import html

    return html.opening(title), html.CLOSING


def _moodle_frame(_title: str) -> tuple[str, str]:
    from ddcalc.render import quiz

    return quiz.OPENING, quiz.CLOSING


def _yaml_frame(_title: str) -> tuple[str, str]:
    from ddcalc.render.problem_file import OPENING

    return OPENING, ""


@dataclass(frozen=True, slots=True)
class Writer:
    """The *endings* of files, of which messages name the first; how a page is written as *part* of
    a document, and what *frame* stands around all of them, given a title."""

    endings: tuple[str, ...] = ()
    part: Callable[[Page, Look], str] = _no_part
    frame: Callable[[str], tuple[str, str]] = _unframed


WRITERS: Final[dict[Format, Writer]] = {
    Format.text: Writer((".txt",), _screen),
    Format.markdown: Writer((".md", ".markdown"), _markdown),
    Format.latex: Writer((".tex",), _latex, _latex_frame),
    Format.html: Writer((".html", ".htm"), _html, _html_frame),
    Format.json: Writer((".json",), _data),
    Format.ndjson: Writer((".ndjson",), _data),
    Format.csv: Writer((".csv",), _rows),
    Format.svg: Writer((".svg",)),
    Format.png: Writer((".png",)),
    Format.pdf: Writer((".pdf",)),
    Format.yaml: Writer((".yaml", ".yml"), frame=_yaml_frame),
    Format.moodle: Writer((".xml",), frame=_moodle_frame),
    Format.key: Writer(),
    Format.junit: Writer((), _report),
    Format.github: Writer((), _report),
}


def written(page: Page, form: Format, look: Look) -> str | bytes:
    """*page* as a whole document: a text that ends in a line break, or a picture."""
    if form in PICTURES:
        if page.picture is None:
            raise BadTarget(f"there is no picture of it; leave --format {form} away")
        picture = page.picture(form)
        return picture.decode() if form is Format.svg else picture
    if page.rows and form in (Format.csv, Format.ndjson):
        return page.rows(form)
    if form is Format.json and page.data:
        return dumped(page.data(), 2)
    title = ""
    if form is Format.html:
        from ddcalc.render.markup import html

        title = html.title(page.content())
    return WRITERS[form].part(page, look).join(WRITERS[form].frame(title))


def dumped(data: Any, indent: int | None = None) -> str:
    """*data* as JSON, and a line break."""
    from ddcalc.render.json import dumped

    return dumped(data, indent) + "\n"
