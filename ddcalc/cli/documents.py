"""One writer for what every command prints: pages, one or a stream of them, in any format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, assert_never

from ddcalc.boundary import files
from ddcalc.boundary.signals import Terminated
from ddcalc.cli.formats import JSON, PICTURES, Format, Steps, Target
from ddcalc.cli.session import Session
from ddcalc.errors import DdcalcError

if TYPE_CHECKING:
    from ddcalc.boundary.journal import Journal
    from ddcalc.problem.problem import Problem
    from ddcalc.problem.steps import Chart, Report
    from ddcalc.render.blocks import Block
    from ddcalc.render.whole import Look


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


def written(page: Page, form: Format, look: Look) -> str | bytes:
    """*page* as a whole document: a text that ends in a line break, or a picture."""
    if page.picture and form in PICTURES:
        picture = page.picture(form)
        return picture.decode() if form is Format.svg else picture
    if page.rows and form in (Format.csv, Format.ndjson):
        return page.rows(form)
    if form in JSON and page.data:
        return _json(page.data(), 2 if form is Format.json else None)
    if form is Format.html:
        return _web_page(page)
    return part(page, form, look).join(_frame(form))


def deliver(page: Page, target: Target, session: Session, inputs: Sequence[str] = ()) -> None:
    """Write *page* to *target*; *inputs* are files that stay."""
    made = written(page, target.form, target.look(session.out))
    target.write(made, session, inputs)


def below(blocks: Callable[[], Iterable[Block]], data: Callable[[], Any] | None = None) -> Page:
    """A page of *blocks* that a screen shows below a blank line, at the end of a list of lines."""

    def text(look: Look) -> str:
        from ddcalc.render.terminal import screen

        return f"\n{screen.page(blocks(), look)}"

    return Page(blocks, data, text)


def report_page(
    report: Report, steps: Steps, extra: Callable[[], Any] = dict, charts: Sequence[Chart] = ()
) -> Page:
    """The *report* of a verb as a page, with *charts* below its answer; *extra* is what stands
    before it in JSON."""
    from ddcalc.render import pages
    from ddcalc.render.json import verb_data

    return Page(
        lambda: pages.report(report, steps.value, charts=charts),
        lambda: {**extra(), **verb_data.report(report, steps is not Steps.none)},
    )


def failure(errors: Sequence[DdcalcError], problem: type[Problem] | None, form: Format) -> str:
    """The object that stands for an answer where there is none but *errors*."""
    from ddcalc.render import json

    failed = json.failed(errors, problem.slug if problem else None)
    return _json(failed, 2 if form is Format.json else None)


class Document:
    """The pages of one call, *many* things by name, written as they come: what is finished stays
    readable however the call ends. A file has all of them or none; a *journal* is written on.

    A web page is called *title*. *head* stands above the pages of a text or a table, and
    *between*, by format, between two pages; what *last* gives is the page after all others.
    """

    def __init__(
        self,
        target: Target,
        session: Session,
        many: str,
        *,
        title: str = "",
        head: str = "",
        between: dict[Format, str] | None = None,
        last: Callable[[], Page | None] = lambda: None,
        inputs: Sequence[str] = (),
        journal: Journal | None = None,
    ) -> None:
        self.target, self.session, self.many, self.last = target, session, many, last
        self.form, self.look = target.form, target.look(session.out)
        self.head, self.inputs, self.title = head, inputs, title or f"ddcalc: {many}"
        self.between = {Format.markdown: "\n", **(between or {})}
        self._empty = True
        self._files = ExitStack()
        self._file: Journal | BinaryIO | None = journal

    def __enter__(self) -> Document:
        target = self.target
        if target.output is not None and self._file is None:
            file = files.whole(target.output, force=target.force, inputs=self.inputs)
            self._file = self._files.enter_context(file)
        match self.form:
            case Format.json:
                from ddcalc.render.json import SCHEMA_VERSION

                self.write(f'{{"schema_version": {SCHEMA_VERSION}, "{self.many}": [')
            case Format.text | Format.csv:
                self.write(self.head)
            case Format.html:
                from ddcalc.render.markup import html

                self.write(html.opening(self.title))
            case form:
                self.write(_frame(form)[0])
        return self

    def add(self, page: Page) -> None:
        """Write one more page."""
        self.put(entry(page, self.form, self.look))

    def put(self, text: str) -> None:
        """Write the *text* of one more page, with what parts it from the page before."""
        if not text:
            return
        between = "" if self._empty else self.between.get(self.form, "")
        if self.form is Format.json:
            between = "\n" if self._empty else ",\n"
        self._empty = False
        self.write(between + text)

    def placed(self, text: str, place: str) -> str:
        """The *text* of a page, which links can name a *place* where there are links."""
        if self.form is not Format.html or not text:
            return text
        from ddcalc.render.markup import html

        return html.placed(text, place)

    def write(self, text: str) -> None:
        """Write *text*, made here."""
        if self._file is None:
            self.session.out.write(text)
        else:
            self._file.write(text.encode("utf-8", "backslashreplace"))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None or issubclass(kind, KeyboardInterrupt | Terminated):
                self.write(self._end())
        except BaseException as failed:
            self._files.__exit__(type(failed), failed, failed.__traceback__)
            raise
        self._files.__exit__(kind, error, trace)
        if kind is None and self.target.output is not None:
            self.session.say(f"wrote {files.shown(self.target.output)}\n")

    def _end(self) -> str:
        page = self.last()
        if self.form is Format.json:
            more = f", {_json(page.data())[1:]}" if page and page.data else "}\n"
            return f"\n]{more}"
        closing = _frame(self.form)[1]
        if page is None:
            return closing
        if self.form is Format.ndjson:
            return _json(page.data()) if page.data else ""
        between = self.between.get(self.form, "")
        return between + part(page, self.form, self.look) + closing


def entry(page: Page, form: Format, look: Look) -> str:
    """*page* as one of the pages of a document."""
    if form not in JSON:
        return part(page, form, look)
    text = "" if page.data is None else _json(page.data())
    return text.rstrip() if form is Format.json else text


def part(page: Page, form: Format, look: Look) -> str:
    """*page* as part of a document."""
    match form:
        case Format.text:
            return page.text(look) if page.text is not None else _on_screen(page, look)
        case Format.junit | Format.github:
            return page.text(look) if page.text is not None else ""
        case Format.csv:
            return page.rows(form) if page.rows else ""
        case Format.markdown | Format.latex | Format.html:
            return _marked_up(page, form)
        case Format.json | Format.ndjson | Format.svg | Format.png | Format.pdf:
            raise AssertionError(f"{form} is made of a page as a whole")
        case Format.yaml | Format.moodle | Format.key:
            raise AssertionError(f"{form} is made of a problem or an exam, not of a page")
        case never:
            assert_never(never)


def _on_screen(page: Page, look: Look) -> str:
    blocks = list(page.blocks()) if page.blocks is not None else []
    if not blocks:
        return ""
    from ddcalc.render.terminal import screen

    return screen.page(blocks, look)


def _marked_up(page: Page, form: Literal[Format.markdown, Format.latex, Format.html]) -> str:
    blocks = list(page.blocks()) if page.blocks is not None else []
    if not blocks:
        return ""
    match form:
        case Format.markdown:
            from ddcalc.render.markup import markdown

            return markdown.page(blocks)
        case Format.latex:
            from ddcalc.render.markup import latex

            return latex.part(blocks)
        case Format.html:
            from ddcalc.render.markup import html

            return html.part(blocks, page.place) + "".join(
                html.part([chart]) for chart in page.charts()
            )
        case never:
            assert_never(never)


def _web_page(page: Page) -> str:
    """*page* as a web page that is called as its first heading says."""
    from ddcalc.render.markup import html

    content = [*page.blocks()] if page.blocks is not None else []
    sections = [html.part(blocks) for blocks in (content, *([c] for c in page.charts())) if blocks]
    return html.page(sections, html.title(content))


def _frame(form: Format) -> tuple[str, str]:
    """What stands before the first page, and after the last."""
    match form:
        case Format.latex:
            from ddcalc.render.markup import latex

            return latex.OPENING, latex.CLOSING
        case Format.html:
            from ddcalc.render.markup import html

            return html.opening(), html.CLOSING
        case Format.moodle:
            from ddcalc.render import quiz

            return quiz.OPENING, quiz.CLOSING
        case Format.yaml:
            from ddcalc.render.problem_file import OPENING

            return OPENING, ""
        case Format.text | Format.markdown | Format.key:
            return "", ""
        case Format.json | Format.ndjson | Format.csv | Format.junit | Format.github:
            return "", ""
        case Format.svg | Format.png | Format.pdf:
            return "", ""
        case never:
            assert_never(never)


def _json(data: Any, indent: int | None = None) -> str:
    from ddcalc.render.json import dumped

    return dumped(data, indent) + "\n"
