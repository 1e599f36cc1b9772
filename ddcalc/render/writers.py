"""The formats: each with the endings of its files, and how it writes a page.

A format is a name in ``Format`` and a row in ``WRITERS``; a command says which of them it has.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
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
_LINE: Final = json.JSONEncoder(allow_nan=False).encode
PICTURES: Final = (Format.svg, Format.png, Format.pdf)


@dataclass(frozen=True, slots=True)
class Page:
    """What is shown at once, in each of the ways that a format may want; made when it is wanted.

    What is None is left out of such a format; a *text* is a report's.
    """

    blocks: Callable[[], Iterable[Block]] | None = None
    data: Callable[[], Any] | None = None
    text: Callable[[], str] | None = None
    picture: Callable[[str], bytes] | None = None

    def content(self) -> list[Block]:
        """The blocks; none where there are none."""
        return [*self.blocks()] if self.blocks is not None else []


def _screen(page: Page, look: Look) -> str:
    from ddcalc.render.terminal import screen

    return screen.page(blocks, look) if (blocks := page.content()) else ""


def _line(page: Page, _look: Look) -> str:
    return "" if page.data is None else dumped(page.data())


def _report(page: Page, _look: Look) -> str:
    return "" if page.text is None else page.text()


def _no_part(_page: Page, _look: Look) -> str:
    raise AssertionError("is made as a whole")


@dataclass(frozen=True, slots=True)
class Writer:
    """The *endings* of files, of which messages name the first; how a page is written as *part* of
    a document; and the *module* that has the frame around all of them."""

    endings: tuple[str, ...] = ()
    part: Callable[[Page, Look], str] = _no_part
    module: str = ""

    def frame(self, title: str) -> tuple[str, str]:
        """What stands before and behind all pages of a document called *title*."""
        if not self.module:
            return "", ""
        around: tuple[str, str] = _module(self.module).frame(title)
        return around


def _module(name: str) -> Any:
    return import_module(f"ddcalc.render.{name}")


def _markup(endings: tuple[str, ...], name: str) -> Writer:
    """A format of pages that a module makes of blocks."""

    def part(page: Page, _look: Look) -> str:
        blocks = page.content()
        made: str = _module(name).part(blocks) if blocks else ""
        return made

    return Writer(endings, part, name)


WRITERS: Final[dict[Format, Writer]] = {
    Format.text: Writer((".txt",), _screen),
    Format.markdown: _markup((".md", ".markdown"), "markup.markdown"),
    Format.latex: _markup((".tex",), "markup.latex"),
    Format.html: _markup((".html", ".htm"), "markup.html"),
    Format.json: Writer((".json",), lambda page, look: _line(page, look).rstrip()),
    Format.ndjson: Writer((".ndjson",), _line),
    Format.csv: Writer((".csv",), lambda page, look: ""),  # rows are written as they come
    Format.svg: Writer((".svg",)),
    Format.png: Writer((".png",)),
    Format.pdf: Writer((".pdf",)),
    Format.yaml: Writer((".yaml", ".yml"), module="papers.problem_file"),
    Format.moodle: Writer((".xml",), module="papers.quiz"),
    Format.key: Writer(),
    Format.junit: Writer((), _report, "reports"),
    Format.github: Writer((), _report),
}


def written(page: Page, form: Format, look: Look) -> str | bytes:
    """*page* as a whole document: a text that ends in a line break, or a picture."""
    if form in PICTURES:
        if page.picture is None:
            raise BadTarget(f"there is no picture of it; leave --format {form} away")
        picture = page.picture(form)
        return picture.decode() if form is Format.svg else picture
    if form in JSON:  # of words alone these, in Markdown
        data = page.data() if page.data else {"text": WRITERS[Format.markdown].part(page, look)}
        return dumped(data, 2 if form is Format.json else None)
    title = ""
    if form is Format.html:
        from ddcalc.render.markup import html

        title = html.title(page.content())
    return WRITERS[form].part(page, look).join(WRITERS[form].frame(title))


def dumped(data: Any, indent: int | None = None) -> str:
    """*data* as JSON in ASCII, without NaN, and a line break."""
    return (json.dumps(data, indent=indent, allow_nan=False) if indent else _LINE(data)) + "\n"
