"""Buckets of gradients that a link sends while the next ones are computed, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ddcalc.formula.expression import Number
from ddcalc.numbers.display import counted, quantity_text
from ddcalc.numbers.units import SECOND
from ddcalc.problem.steps import Bar, Lane, Timeline

BARS: Final = 40  # buckets that are drawn


@dataclass(frozen=True, slots=True)
class Pipeline:
    """So many buckets (*count*), alike but for the last one; all times in seconds.

    Their gradients are computed one bucket after the other from the time *before* on, each in
    *filling*; a link sends each in *sending* as soon as it is complete and the link is free.
    """

    before: Number
    count: int
    filling: Number
    sending: Number
    last_filling: Number
    last_sending: Number

    def picture(self) -> Timeline:
        """What is computed and what is sent, when; of many buckets the first ones."""
        computed, sent = self._bars()
        shown = min(self.count, BARS)
        ahead = [Bar(0, self.before, "before")] if self.before else []
        lanes = (Lane("worker", (*ahead, *computed[:shown])), Lane("link", tuple(sent[:shown])))
        why = "the link sends each as soon as it is computed and the one before is sent"
        if left := self.count - shown:
            why += f"; {counted(left, 'more bucket')} not drawn"
        else:
            why += f"; from {quantity_text(computed[-1].end, SECOND)} on nothing is hidden"
        end = sent[-1].end
        return Timeline("The buckets on their way", why, lanes, end, 2 * left, "end")

    def _bars(self) -> tuple[Sequence[Bar], Sequence[Bar]]:
        computed: list[Bar] = []
        sent: list[Bar] = []
        ready, free = self.before, self.before
        for i in range(1, self.count + 1):
            is_last = i == self.count
            start, ready = ready, ready + (self.last_filling if is_last else self.filling)
            computed.append(Bar(start, ready, str(i)))
            begin = max(ready, free)
            free = begin + (self.last_sending if is_last else self.sending)
            sent.append(Bar(begin, free, str(i), kind="send"))
        return computed, sent
