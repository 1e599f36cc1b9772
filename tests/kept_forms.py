"""Writes ``ddcalc/formula/kept.txt``: what SymPy comes to for our own types, as questions ask it.

python tests/kept_forms.py
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from unittest.mock import patch

from questions import TYPES, solved_variants

from ddcalc.ask.solve import Derivation
from ddcalc.boundary.source import Source
from ddcalc.files.batch import solved
from ddcalc.formula import kept

PROBLEMS = Path(__file__).parent.parent / "problems"


def derivations() -> Iterator[Derivation]:
    """Questions of every type: its example with one thing changed, and all that are in files."""
    for problem in TYPES:
        yield from (derivation for _, _, derivation in solved_variants(problem))
    for file in sorted(PROBLEMS.glob("*.yaml")):
        found = (done.derivation for done in solved(Source(str(file))))
        yield from filter(None, found)


@cache
def lines() -> str:
    """The lines of the file, all made anew."""
    with asked() as answers:
        for derivation in derivations():
            assert [*derivation.steps]
            with suppress(ArithmeticError):
                _ = derivation.closed_form
    return "".join(sorted(answers.values()))


@contextmanager
def asked() -> Iterator[dict[str, str]]:
    """The lines of what SymPy is asked inside, which is everything."""
    answers: dict[str, str] = {}

    def keep(digest: str, text: str) -> None:
        answers[digest] = kept.line(digest, text)

    with (
        patch.object(kept, "_shipped", lambda digest: None),
        patch.object(kept, "_of_user", lambda digest: None),
        patch.object(kept, "_remember", keep),
    ):
        yield answers


if __name__ == "__main__":
    kept.SHIPPED.write_text(lines(), encoding="utf-8")
