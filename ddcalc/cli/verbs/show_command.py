"""The verbs about a problem type: ``show``, ``new`` and ``schema``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from ddcalc.boundary.cleaning import clean
from ddcalc.cli.documents import Page
from ddcalc.cli.options import argument, switch, taking
from ddcalc.cli.session import Session
from ddcalc.cli.subject import showing
from ddcalc.files import schema as problem_files
from ddcalc.problem import sheet as sheets
from ddcalc.problem.known.catalog import problem_named
from ddcalc.render.manual import manual
from ddcalc.render.papers.problem_file import example_file
from ddcalc.render.writers import dumped

EXAMPLES: Final = {
    "show": ["ddcalc show epoch-time", "ddcalc show epoch-time --output epochs.html"],
    "new": ["ddcalc new epoch-time > exam.yaml", "ddcalc new --sheet my-type > my-type.sheet"],
    "schema": ["ddcalc schema > ddcalc.json"],
}
NAME: Final = argument("TYPE", str, "A problem type, as in 'list'.")
FIRST: Final = Path(sheets.__file__).with_name("first.sheet")  # to start from
OF_SHEET: Final = switch("--sheet", "A problem type of your own, called TYPE.")


def command(session: Session, words: Sequence[str]) -> Callable[..., None]:
    """The verb that *words* begin with as a command for Typer."""

    @showing(NAME)
    def show(name: str) -> Page:
        problem = problem_named(name or "")

        def data() -> dict[str, Any]:
            results = {n: q for n, q in problem.quantities.items() if n not in problem.givens}
            return {
                "type": problem.slug,
                "question": problem.question(),
                "about": problem.about,
                "given": problem_files.givens(problem),
                "results": [
                    {"name": name, "symbol": one.letter, "unit": one.unit.name, "title": one.title}
                    for name, one in results.items()
                ],
                "terms": list(problem.terms),
                "source": problem.source,
            }

        return Page(lambda: manual(problem), data)

    def new(words: str, sheet: bool) -> None:
        text = FIRST.read_text(encoding="utf-8").replace("{name}", words) if sheet else ""
        session.out.write(text or example_file(problem_named(words)))

    def schema() -> None:
        session.out.write(dumped(problem_files.schema(), 2))

    made = {
        "show": show(session, words),
        "new": taking(new, [NAME, OF_SHEET]),
        "schema": taking(schema, []),
    }[words[0]]
    made.__doc__ = "\n\n".join(EXAMPLES[words[0]])
    return made


def examine(name: str, session: Session) -> None:
    """Say all that is wrong with the sheet called *name*, or that nothing is."""
    from ddcalc.ask.examine import examined
    from ddcalc.problem.sheet.reading import from_outside

    wrong = examined(Path(name))
    for file, errors in groupby(wrong, lambda error: error.place and error.place.file):
        lines = from_outside(Path(file)).split("\n") if file else []
        session.refuse(errors, dict(enumerate(lines, 1)).get)
    if not wrong:
        session.out.write(f"{clean(name)}: nothing is wrong\n")
