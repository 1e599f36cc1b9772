"""``explain``: the words of the field, and the commands that show what they mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from ddcalc.cli.session import Session
from ddcalc.errors import UnknownName
from ddcalc.problem.catalog import catalog, refuse_former, types_with

if TYPE_CHECKING:
    from ddcalc.boundary.output import Output
    from ddcalc.render.blocks import Block
    from ddcalc.render.data import Data


class TermFormat(StrEnum):
    """How a term is explained."""

    text = "text"
    markdown = "markdown"
    latex = "latex"
    html = "html"
    json = "json"


def _completed(incomplete: str) -> Iterator[str]:
    from ddcalc.problem.terms import terms

    return (each.slug for each in terms().values() if each.slug.startswith(incomplete))


Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="TERM",
        help="A word of the field, for example straggler or SSP; none lists them all.",
        show_default=False,
        autocompletion=_completed,
    ),
]


def add(app: typer.Typer, session: Session) -> None:
    """Add the verb to *app*."""

    @app.command()
    def explain(
        words: Words = None,
        format: Annotated[TermFormat, typer.Option("--format")] = TermFormat.text,
    ) -> None:
        """What a word of the field means, when it helps and hurts, and what to try."""
        try:
            told = _term(words, format, session.out) if words else _index(format, session.out)
        except UnknownName as error:
            session.refuse([error])
            _show_instead(error.name.replace("_", "-"), session)
        else:
            session.out.write(told)


def _show_instead(name: str, session: Session) -> None:
    """Where *name* is a problem type, which ``show`` tells about, say so."""
    if name in catalog():
        session.tell(f"{name} is a problem type: ddcalc show {name}\n")


def _term(words: list[str], form: TermFormat, out: Output) -> str:
    from ddcalc.problem.terms import term_named
    from ddcalc.render import glossary

    refuse_former("-".join(words).replace("_", "-"))
    term = term_named(" ".join(words))
    types = list(types_with(term.name))
    if form is TermFormat.json:
        return _json(glossary.data(term, types))
    return _page(glossary.page(term, types), form, out)


def _index(form: TermFormat, out: Output) -> str:
    from ddcalc.problem.terms import terms
    from ddcalc.render import glossary

    everything = terms().values()
    if form is TermFormat.json:
        told = [glossary.data(term, list(types_with(term.name))) for term in everything]
        return _json({"terms": told})
    return _page(glossary.index(everything), form, out)


def _json(told: Data) -> str:
    from ddcalc.render.data import dumped

    return dumped(told, 2) + "\n"


def _page(told: Iterable[Block], form: TermFormat, out: Output) -> str:
    match form:
        case TermFormat.markdown:
            from ddcalc.render import markdown

            return markdown.page(told)
        case TermFormat.latex:
            from ddcalc.render import latex

            return latex.document([latex.part(told)])
        case TermFormat.html:
            from ddcalc.render import html

            return html.page([html.part(told)])
        case _:
            from ddcalc.cli.present import look
            from ddcalc.render import manual

            return manual.page(told, look(out))
