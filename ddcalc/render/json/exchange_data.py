"""An exchange as plain data: messages and holdings, every value exact."""

from __future__ import annotations

from typing import Any

from ddcalc.numbers.number import spelt
from ddcalc.problem.steps import Exchange

Data = dict[str, Any]


def exchange(step: Exchange) -> Data:
    """The messages of *step*, and what each process then holds."""
    sent = [
        {
            "from": each.sender,
            "to": each.receiver,
            step.what: each.number or None,
            "values": list(map(spelt, each.values)),
        }
        for each in step.sent
    ]
    holds = [
        [
            {
                "values": list(map(spelt, each.values)),
                "changed": each.changed,
                "complete": each.complete,
            }
            for each in row
        ]
        for row in step.holds
    ]
    return {"phase": step.phase, "parts": list(step.parts), "sent": sent, "holds": holds}
