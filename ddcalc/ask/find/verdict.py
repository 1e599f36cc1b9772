"""The answer of a search in one line, and why it is the answer in another one."""

from __future__ import annotations

from dataclasses import dataclass

from ddcalc.ask.find.answer import Answer, Sought
from ddcalc.ask.find.number_line import Piece
from ddcalc.ask.find.words import full_amount, pieces_text
from ddcalc.formula.letters import letter as letter_of
from ddcalc.numbers.display import number_text
from ddcalc.numbers.units import Unit
from ddcalc.problem.quantity import Given


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was *sought* for a given, and its *answer*; *idle* if it changes nothing.

    Other values than those *admitted* are no question of this type.
    """

    given: Given
    admitted: tuple[Piece, ...]
    sought: Sought
    answer: Answer
    idle: bool = False

    def says(self, unit: Unit) -> str:
        """The answer and all solutions, in *unit*."""
        letter = self._letter
        match self.answer.kind:
            case "none":
                return f"no {letter} does it{self._idle()}"
            case "always":
                return f"{self._every(unit)} does it{self._idle()}"
        told = self._reached(unit) if self.answer.reached else self._end(unit)
        if self.answer.kind == "only":
            return f"{told}, and no other"
        more = "" if self.sought.complete else " so far"
        return f"{told}  (solutions{more}: {pieces_text(self.sought.solutions, letter, unit)})"

    def in_short(self, unit: Unit) -> str:
        """All solutions that are known, in *unit*, and what is not decided."""
        if self.answer.kind in ("none", "always"):
            return self.says(unit)
        known = pieces_text(self.sought.solutions, self._letter, unit)
        if self.sought.complete:
            return known
        left = pieces_text(self.sought.open, self._letter, unit)
        return f"{known} so far (not decided: {left})"

    def proof(self) -> str:
        """How many pieces of the number line were examined, and what that shows."""
        pieces = self._pieces()
        if not self.sought.complete:
            left = pieces_text(self.sought.open, self._letter, self.given.unit)
            return f"the search was ended after {pieces}; not decided: {left}"
        return (
            f"{self._every(self.given.unit)} was examined, in {pieces}: exact bounds or an exact"
            " formula decide a piece as a whole, or it is split"
        )

    def given_up(self) -> str:
        """Why there is no answer."""
        letter, unit = self._letter, self.given.unit
        left = pieces_text(self.sought.open, letter, unit)
        known = pieces_text(self.sought.solutions, letter, unit) or f"no {letter}"
        return f"gave up after {self._pieces()}: not decided is {left}; elsewhere {known} does it"

    @property
    def _letter(self) -> str:
        return letter_of(self.given.letter)

    def _idle(self) -> str:
        return f": {self._letter} does not change what is compared" if self.idle else ""

    def _every(self, unit: Unit) -> str:
        told = pieces_text(self.admitted, self._letter, unit)
        return told if told.startswith("every ") else f"every {told}"

    def _pieces(self) -> str:
        count = self.sought.examined
        return "one piece" if count == 1 else f"{number_text(count)[0]} pieces"

    def _reached(self, unit: Unit) -> str:
        assert self.answer.end is not None
        told = full_amount(self.answer.end, unit)
        sign = "≈" if told.startswith("about ") else "="
        return f"{self._letter} {sign} {told.removeprefix('about ')}"

    def _end(self, unit: Unit) -> str:
        """The end of the solutions, which is no solution itself."""
        if self.answer.end is None:
            return "there is no least one"
        sign = "<" if self.answer.kind == "greatest" else ">"
        return f"{self._letter} {sign} {full_amount(self.answer.end, unit)}"
