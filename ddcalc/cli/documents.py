"""One writer for what every command prints: pages, one or a stream of them, in any format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO

from ddcalc.boundary import files
from ddcalc.boundary.signals import Terminated
from ddcalc.cli.formats import Format, Steps, Target
from ddcalc.render.writers import WRITERS, dumped
from ddcalc.render.writers import Page as Page

if TYPE_CHECKING:
    from ddcalc.boundary.journal import Journal
    from ddcalc.problem.steps import Chart, Report


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


@dataclass
class Document:
    """The pages of one call, *many* things by name, written as they come: what is finished stays
    readable however the call ends. A file has all of them or none; a *journal* is written on.

    A web page is called *title*. *head* stands above the pages of a text or a table, and
    *between*, by format, between two pages; what *last* gives is the page after all others.
    """

    target: Target
    many: str
    title: str = ""
    head: str = ""
    between: Mapping[Format, str] = field(default_factory=dict)
    last: Callable[[], Page | None] = lambda: None
    journal: Journal | None = None
    _empty: bool = True
    _file: Journal | BinaryIO | None = None

    def __post_init__(self) -> None:
        self.form, self.look = self.target.form, self.target.look
        self.title = self.title or f"ddcalc: {self.many}"
        self.between = {Format.markdown: "\n", **self.between}
        if self.form is Format.json:
            self.between = {Format.json: ",\n"}

    @contextmanager
    def opened(self) -> Iterator[Document]:
        """The document itself, which begins now and has its end in the end."""
        target, self._file = self.target, self.journal
        with ExitStack() as stack:
            if target.output is not None and self._file is None:
                file = files.whole(target.output, target.force, target.inputs)
                self._file = stack.enter_context(file)
            self.write(self._beginning())
            try:
                yield self
            except (KeyboardInterrupt, Terminated):
                self.write(self._end())
                raise
            self.write(self._end())
        if target.output is not None:
            target.session.say(f"wrote {files.shown(target.output)}\n")

    def add(self, page: Page) -> None:
        """Write one more page."""
        self.put(WRITERS[self.form].part(page, self.look))

    def put(self, text: str) -> None:
        """Write the *text* of one more page, with what parts it from the page before."""
        if not text:
            return
        first = "\n" if self.form is Format.json else ""
        between = first if self._empty else self.between.get(self.form, "")
        self._empty = False
        self.write(between + text)

    def write(self, text: str) -> None:
        """Write *text*, made here."""
        if self._file is None:
            self.target.session.out.write(text)
        else:
            self._file.write(text.encode("utf-8", "backslashreplace"))

    def _beginning(self) -> str:
        match self.form:
            case Format.json:
                from ddcalc.render.json import SCHEMA_VERSION

                return f'{{"schema_version": {SCHEMA_VERSION}, "{self.many}": ['
            case Format.text | Format.csv:
                return self.head
            case form:
                return WRITERS[form].frame(self.title)[0]

    def _end(self) -> str:
        page = self.last()
        if self.form is Format.json:
            more = f", {dumped(page.data())[1:]}" if page and page.data else "}\n"
            return f"\n]{more}"
        closing = WRITERS[self.form].frame(self.title)[1]
        if page is None:
            return closing
        between = self.between.get(self.form, "")
        return between + WRITERS[self.form].part(page, self.look) + closing
