"""A question of a file with what comes of it: its parts, or its cases, and what was compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ddcalc.ask.solve import Derivation
from ddcalc.errors import DdcalcError
from ddcalc.files.answers import Check
from ddcalc.files.filed_problem import FiledProblem


@dataclass(slots=True)
class Solved:
    """A question, and either its derivation and checks or the errors that prevented them, those of
    what it claims once more by themselves.

    Where givens have several values side by side, each of the *cases* is a derivation; a question
    of *parts* has none of its own.
    """

    question: FiledProblem
    derivation: Derivation | None = None
    cases: list[Derivation] = field(default_factory=list)
    parts: list[Solved] = field(default_factory=list)
    ending: Solved | None = None  # what is said of all parts
    checks: list[Check] = field(default_factory=list)
    limits: list[Check] = field(default_factory=list)  # what was to be met
    errors: list[DdcalcError] = field(default_factory=list)
    of_claims: list[DdcalcError] = field(default_factory=list)

    @property
    def answered(self) -> bool:
        """Whether there is a derivation, and nothing wrong with the problem."""
        if self.parts:
            return not self.errors and all(part.answered for part in self.parts)
        return self.derivation is not None and not self.errors

    @property
    def each(self) -> list[Solved]:
        """Its parts; itself, if it has none."""
        return self.parts or [self]

    @property
    def is_plain(self) -> bool:
        """Whether it has one answer, of one case that stands alone."""
        return not self.parts and len(self.cases) <= 1

    def of_case(self, number: int, checks: Sequence[Check]) -> Sequence[Check]:
        """Those of the *checks* of all cases that are about the case *number*, from 0."""
        each = len(checks) // len(self.cases)
        return checks[number * each : (number + 1) * each]

    def meets(self, number: int) -> bool:
        """Whether all limits are met in the case *number*, from 0."""
        return all(check.agrees for check in self.of_case(number, self.limits))

    @property
    def differs(self) -> list[str]:
        """The parts, or the question itself, in which an answer that the file promises is not the
        derived one."""
        head = self.question.id or f"line {self.question.line}"
        named = [(head, self), *((f"{head}.{one.question.id}", one) for one in self.parts)]
        return [x for x, one in named if any(y.differs for y in (*one.checks, *one.limits))]
