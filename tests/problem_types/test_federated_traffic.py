"""federated-traffic against a ledger in which every message is entered."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stating import readings, refusals, results

SIZES = st.integers(1, 10**9)
TIMES = st.fractions(0, 100, max_denominator=20)


@settings(max_examples=200, deadline=None)
@given(
    size=SIZES,
    update=st.none() | SIZES,
    compression=st.none() | st.fractions(Fraction(1, 2), 100, max_denominator=10),
    devices=st.integers(1, 30),
    participation=st.fractions(0, 1, max_denominator=30),
    rounds=st.integers(1, 10),
    links=st.tuples(SIZES, SIZES),
    compute=TIMES,
    allowance=st.fractions(0, 1, max_denominator=10),
)
def test_every_message_is_entered(
    size: int,
    update: int | None,
    compression: Fraction | None,
    devices: int,
    participation: Fraction,
    rounds: int,
    links: tuple[int, int],
    compute: Fraction,
    allowance: Fraction,
) -> None:
    stated: dict[str, Any] = {"size": f"{size} B", "devices": devices, "rounds": rounds}
    stated |= {"participation": participation, "compute": compute, "allowance": allowance}
    stated |= {"downlink": f"{links[0]} B/s", "uplink": f"{links[1]} B/s", "other_rounds": 7}
    stated |= {"update": f"{update} B"} if update else {}
    stated |= {"compression": compression} if compression else {}
    found = results("federated-traffic", **stated)
    back = Fraction(update or size) / (compression or 1)
    some = max(devices * participation.numerator // participation.denominator, 1)
    ledger, clock = [], Fraction(0)
    for _ in range(rounds):
        ends = []
        for _ in range(some):
            ledger += [Fraction(size), back]
            ends.append(Fraction(size, links[0]) + compute + back / links[1])
        clock += max(ends) + max(ends) * allowance
    assert (found["total"], found["time"]) == (sum(ledger), clock)
    assert found["spared"] == sum(ledger) * 7 / rounds - sum(ledger)
    assert readings("federated-traffic", **stated) == {("ways", "uploads"): sum(ledger[1::2])}


def test_the_cases_as_published() -> None:
    """A calculator's worked example: 100 clients, 50 MB, 20 Mbit/s, 30 s, 50 rounds, 10 %."""
    link = {"downlink": "20 Mbit/s", "uplink": "20 Mbit/s"}
    found = results(
        "federated-traffic", devices=100, size="50 MB", rounds=50, compute="30 s", allowance="10 %",
        **link,
    )  # fmt: skip
    assert (found["round_time"], found["time"]) == (77, 3850)
    assert found["total"] == 500 * 10**9
    assert results("federated-traffic", devices=100, size="1 B", rounds=20, other_rounds=626)[
        "fewer"
    ] == Fraction(313, 10)  # McMahan et al., Table 2: 31.3 times


@pytest.mark.parametrize(
    ("given", "parameter", "told"),
    [
        ({"size": "50"}, "size", "needs a unit"),
        ({"size": "50 Mb"}, "size", "Gbit"),
        ({"size": "50 MB", "compression": "0"}, "compression", "more than 0"),
        ({"size": "50 MB", "participation": "1.1"}, "participation", "at most 1"),
        ({"size": "50 MB", "uplink": "10 Mbps"}, "uplink", "bits"),
        (
            {"size": "50 MB", "parameters": "10M", "bytes_per_parameter": "4"}, "size",
            "state one of the two",
        ),
    ],
)  # fmt: skip
def test_refused(given: dict[str, str], parameter: str, told: str) -> None:
    [(name, text)] = refusals("federated-traffic", devices="10", **given)
    assert name == parameter
    assert told in text
