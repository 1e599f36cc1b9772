"""What a verb tells of one or several problems, as data."""

from __future__ import annotations

from dataclasses import dataclass

from ddcalc.problem.steps import Step


@dataclass(frozen=True, slots=True)
class Report:
    """A *title*, *steps* that lead to an answer, the *answer* in words (one line; may be empty),
    and *remarks*, each under its label."""

    title: str
    steps: tuple[Step, ...]
    answer: str = ""
    remarks: tuple[tuple[str, str], ...] = ()
