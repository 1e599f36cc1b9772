"""The verb ``explain``: the words of the field, and the commands that show what they mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from ddcalc.cli.documents import Page, deliver
from ddcalc.cli.formats import PAGES, Target
from ddcalc.cli.options import argument, delivery
from ddcalc.cli.session import Session
from ddcalc.cli.subject import refusing, with_options
from ddcalc.errors import UnknownName
from ddcalc.problem.catalog import catalog, refuse_former, types_with
from ddcalc.problem.terms import Term, term_named, terms
from ddcalc.render import pages
from ddcalc.render.json import verb_data


def _completed(incomplete: str) -> Iterator[str]:
    return (term.slug for term in terms().values() if term.slug.startswith(incomplete))


HELP: Final = ""
OPTIONS: Final = (
    argument(
        "TERM",
        list[str] | None,
        "A word of the field, for example straggler or SSP; none lists them all.",
        autocompletion=_completed,
    ),
    *delivery(PAGES),
)


def command(session: Session, _words: Sequence[str]) -> Callable[..., None]:
    """The verb as a command for Typer."""

    def run(words: list[str] | None, **delivered: Any) -> None:
        target = Target(PAGES, **delivered)
        with refusing(session, target, None):
            target.check()
            refuse_former("-".join(words or ()).replace("_", "-"))
            try:
                page = _of_term(term_named(" ".join(words))) if words else _index()
            except UnknownName as error:
                session.refuse([error])
                if (name := error.name.replace("_", "-")) in catalog():
                    session.say(f"{name} is a problem type: ddcalc show {name}\n")
                return
            deliver(page, target, session)

    return with_options(run, OPTIONS)


def _of_term(term: Term) -> Page:
    types = list(types_with(term.name))
    return Page(lambda: pages.term(term, types), lambda: verb_data.term(term, types))


def _index() -> Page:
    """A line of each term."""

    def data() -> dict[str, Any]:
        return {"terms": [verb_data.term(x, [*types_with(x.name)]) for x in terms().values()]}

    return Page(lambda: pages.terms(terms().values()), data)
