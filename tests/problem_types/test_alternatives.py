"""Alternatives side by side: a row each, the best marked, what breaks a condition marked so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from random import Random

import pytest
from running import ddcalc
from stating import derivation

from ddcalc.ask.solve import Derivation
from ddcalc.problem.steps import DefineEach, Table

ORDERS = 12  # drawn for each type


def rows(solved: Derivation, first: str) -> Sequence[Sequence[str]]:
    """The rows of the table whose first column is called *first*."""
    tables = [step for step in solved.shown_steps() if isinstance(step, Table)]
    [table] = [table for table in tables if table.header[0] == first]
    return [[str(cell) for cell in row] for row in table.rows]


def marked(solved: Derivation, first: str) -> dict[str, str]:
    """The words in the last column by what stands in the first one."""
    return {row[0]: row[-1] for row in rows(solved, first) if row[-1]}


@pytest.mark.parametrize("turn", range(ORDERS))
def test_the_soonest_number_of_learners_is_marked(turn: int) -> None:
    random = Random(turn)
    many = random.randint(2, 6)
    times = [random.randint(5, 40) for _ in range(many)]
    epochs = [random.randint(20, 60) for _ in range(many)]
    solved = derivation("crossbow", samples=1000, batch=16, round_times=times, epochs=epochs)
    spans = [Fraction(e * t, i) for i, (t, e) in enumerate(zip(times, epochs, strict=True), 1)]
    rates = [Fraction(i, t) for i, t in enumerate(times, 1)]
    marks = marked(solved, "learners")
    best, busy = "soonest", "most samples"
    assert {n for n, words in marks.items() if best in words} == {
        str(i) for i, span in enumerate(spans, 1) if span == min(spans)
    }
    assert {n for n, words in marks.items() if busy in words} == {
        str(i) for i, rate in enumerate(rates, 1) if rate == max(rates)
    }
    lists = [step for step in solved.shown_steps() if isinstance(step, DefineEach)]
    assert lists
    assert all(step.worked is not None for step in lists)


@pytest.mark.parametrize("turn", range(ORDERS))
def test_all_stragglers_are_marked_and_nobody_waits_for_himself(turn: int) -> None:
    random = Random(turn)
    ready = [5, *(random.randint(0, 5) for _ in range(random.randint(1, 6))), 1]
    solved = derivation("sync-step", finish=ready, aggregate=1, update=1)
    late = {str(i) for i, time in enumerate(ready, 1) if time == max(ready)}
    assert {*marked(solved, "worker")} == late
    waits = {row[0]: row[2] for row in rows(solved, "worker")}
    assert waits == {str(i): str(max(ready) - time) for i, time in enumerate(ready, 1)}
    words = "".join(map(str, solved.commentary().conclusion))
    if len(late) == 1:
        [alone] = late
        assert f"worker {alone} waits" not in words


def test_factors_are_named_by_staleness() -> None:
    stated = {"penalty": "linear", "strength": "0.5", "staleness": 6, "counts": [40, 30, 20, 10]}
    solved = derivation("staleness-penalty", **stated)
    assert [row[0] for row in rows(solved, "staleness")] == ["0", "1", "2", "3"]
    assert [one.symbol for one in solved.quantities["factors"]] == ["w_0", "w_1", "w_2", "w_3"]


@pytest.mark.parametrize("deadline", ["13 min", "14 min", "20 min", "26 min", "10 h"])
@pytest.mark.parametrize("goal", ["time", "cost"])
def test_what_misses_the_deadline_is_too_slow(goal: str, deadline: str) -> None:
    ran = ddcalc(
        *("batch-workers", "--overhead", "40ms", "--per-sample", "0.5ms", "--per-worker", "0.2ms"),
        *("--least-steps", "5000", "--critical-batch", "4096", "--most-workers", "64"),
        *("--price", "2.50USD/h", "--waiting", "30USD/h", "--goal", goal, "--deadline", deadline),
    )
    assert ran.code == 0
    units = {"s": 1, "min": 60, "h": 3600}
    number, unit = deadline.split()
    limit = int(number) * units[unit]
    lines = [line.replace("≈", "") for line in ran.out.splitlines()]
    (head,) = {found[1] for line in lines if (found := re.search(r"T_i \((\w+)\)", line))}
    table = [[cell for cell in re.split(" {2,}", line.strip()) if cell] for line in lines]
    plans = [line for line in table if len(line) >= 5 and line[0].isdecimal()]
    assert len(plans) >= 5
    for _, _, _, time, _, *words in plans:
        assert ("too slow" in ", ".join(words)) == (
            float(time.replace(" ", "")) * units[head] > limit
        )


def test_the_shortest_time_stands_in_the_answer_with_its_batch() -> None:
    stated = {
        "overhead": "40 ms", "per_sample": "0.5 ms", "per_worker": "0.2 ms", "least_steps": 5000,
        "critical_batch": 4096, "most_workers": 64, "price": "2.5 USD/h", "waiting": "30 USD/h",
        "goal": "cost", "deadline": "20 min",
    }  # fmt: skip
    says = "".join(map(str, derivation("batch-workers", **stated).commentary().conclusion))
    assert "27 workers with a batch of 117 each are cheapest" in says
    assert "the shortest time would be about 13.9 min, with 64 workers and a batch of 82" in says


def test_a_brief_page_has_the_formula_of_every_member() -> None:
    call = ["sync-step", "--finish", "1s,2s,4s", "--aggregate", "1s", "--update", "1s"]
    assert "w₂ = t_slow − f₂" in ddcalc(*call, "--steps", "brief").out
    assert "w₂ = t_slow − f₂" in ddcalc(*call, "--all").out
    assert "w₂ = t_slow − f₂" not in ddcalc(*call).out
