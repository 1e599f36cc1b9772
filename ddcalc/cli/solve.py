"""The verb ``solve``: problem files in batch."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from ddcalc.cli.delivery import amount, form
from ddcalc.cli.present import Format, Steps
from ddcalc.cli.session import Session


class Diagnostics(StrEnum):
    """How errors are told."""

    full = "full"
    short = "short"


Files = Annotated[
    list[str], typer.Argument(metavar="FILE|FOLDER|-", help="Problem files; - is standard input.")
]

USUAL = "full for one problem, none for several"


def add(app: typer.Typer, session: Session) -> None:
    """Add the verb to *app*."""

    @app.command("solve")
    def solve(
        files: Files,
        steps: Annotated[Steps | None, amount(USUAL)] = None,
        format: Annotated[Format, form(Format)] = Format.text,
        diagnostics: Annotated[
            Diagnostics,
            typer.Option(
                "--diagnostics",
                metavar="full|short",
                help="Errors in full, or a line each. (default: full)",
                show_default=False,
            ),
        ] = Diagnostics.full,
    ) -> None:
        """Solve problem files; compare the answers they state."""
        from ddcalc.cli.batch import Batch

        session.short = diagnostics is Diagnostics.short
        Batch(session, format, steps).run(files)
