"""The verb ``check``: the answers of students marked."""

from __future__ import annotations

from typing import Annotated

import typer

from ddcalc.cli.delivery import file, form, replace
from ddcalc.cli.mark_format import MarkFormat
from ddcalc.cli.session import Session

Sheet = Annotated[str, typer.Argument(metavar="SHEET", help="The problem file, or - for stdin.")]
Answers = Annotated[
    str | None,
    typer.Argument(
        metavar="ANSWERS",
        help="Answers: CSV, YAML or JSON; without them, what the sheet itself claims is marked.",
        show_default=False,
    ),
]

INTO = "Write into FILE, as its suffix says (.csv, …)."


def add(app: typer.Typer, session: Session) -> None:
    """Add the verb to *app*."""

    @app.command("check")
    def check(
        sheet: Sheet,
        answers: Answers = None,
        format: Annotated[MarkFormat | None, form(MarkFormat)] = None,
        output: Annotated[str | None, file(INTO)] = None,
        force: Annotated[bool, replace()] = False,
    ) -> None:
        """Mark answers: right, rounded, in a wrong unit, or wrong, and by which slip.

        A table (CSV) has one answer a row under the names student, problem, quantity, answer;
        or one student a row and a column for each question, named problem or problem.quantity.
        In YAML: students: {ann: {ps-epochs: {total: 588.47 s}}}.
        """
        from ddcalc.cli.checking import Checking, Target

        target = Target(format, output, force)
        target.check([sheet, *([answers] if answers else [])])
        Checking(session, target).run(sheet, answers)
