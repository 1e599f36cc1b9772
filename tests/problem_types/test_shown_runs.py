"""What is drawn and told of runs, rings, buckets and schedules: each table and bar follows from
the one before, and ends when the equations say."""

from fractions import Fraction
from itertools import pairwise
from operator import add, mul
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from questions import asked, results

from ddcalc.ask.find.finding import find
from ddcalc.problem.known.catalog import problem_named
from ddcalc.problem.said.steps import Exchange, Timeline

Texts = dict[str, str | list[str]]

SCHEMES = ("sync", "ssp", "async", "local_sgd", "k_of_n")

PARAMETERS: Texts = {"staleness": "1", "local_steps": "2", "wait_for": "2"}


seconds = st.fractions(min_value=Fraction(1, 4), max_value=4, max_denominator=4)
small = st.fractions(min_value=0, max_value=2, max_denominator=4)


@st.composite
def workloads(draw: st.DrawFn) -> Texts:
    """Any small workload."""
    periods = draw(st.lists(seconds, min_size=1, max_size=4))
    texts: Texts = {"periods": [f"{time} s" for time in periods]}
    texts["horizon"] = f"{draw(seconds) * 8} s"
    for name in ("download", "upload", "aggregation", "update_time"):
        if draw(st.booleans()):
            texts[name] = f"{draw(small)} s"
    if draw(st.booleans()):
        texts["starts"] = [f"{draw(small)} s" for _ in periods]
    for name in ("order", "read", "server", "late"):
        texts[name] = draw(st.sampled_from(list(problem_named("timeline").choices[name].options)))
    texts |= PARAMETERS | {"wait_for": str(draw(st.integers(1, len(periods))))}
    return texts


@settings(deadline=None, max_examples=40)
@given(workloads(), st.sampled_from(SCHEMES))
def test_all_time_is_accounted_for(texts, scheme):
    solved = asked("timeline", **texts, scheme=scheme)
    (picture,) = [step for step in solved.steps if isinstance(step, Timeline)]
    starts = texts.get("starts", ["0 s"] * len(picture.lanes))
    end = solved.values["ended"]
    for lane, start in zip(picture.lanes, starts, strict=True):
        bars = [bar for bar in lane.bars if bar.start < bar.end]
        assert all(before.end == after.start for before, after in pairwise(bars))
        if not picture.shown and bars:
            assert (bars[0].start, bars[-1].end) == (Fraction(start.split()[0]), end)


STUDY: Texts = {
    "periods": ["1 s"], "workers": "4", "scheme": "async", "distribution": "exponential",
    "seed": "3", "horizon": "40 s",
}  # fmt: skip


def test_runs_go_on_until_the_standard_error_is_small():
    """The fewest pieces of runs that do, with the average of as many runs."""
    values = results("timeline", **STUDY, within="1 %")
    runs = values["runs_played"]
    assert 50 < runs < 500
    again = results("timeline", **STUDY, runs=runs)
    assert values["mean_gradients"] == again["mean_gradients"]
    assert results("timeline", **STUDY, within="10 %")["runs_played"] == 50


TYPE, RING = "ring-trace", ("op", "way", "first", "uneven")
OPERATIONS: dict[str, Any] = {"sum": add, "mean": add, "max": max, "min": min, "prod": mul}


@st.composite
def questions(draw: st.DrawFn) -> dict[str, Any]:
    p, n = draw(st.integers(1, 8)), draw(st.integers(1, 12))
    random, parts = Random(draw(st.integers(0, 10**6))), (1, 1, 2, 7, 12)
    vectors = [Fraction(random.randrange(-99, 99), random.choice(parts)) for _ in range(p * n)]
    choices = problem_named(TYPE).choices
    options = {name: draw(st.sampled_from([*choices[name].options])) for name in RING}
    return {"vectors": vectors, "processes": p, **options}


def exchanges(stated: dict[str, Any]) -> list[Exchange]:
    return [step for step in asked(TYPE, **stated).steps if isinstance(step, Exchange)]


# The messages, one by one


def replayed(step: Exchange, before: Exchange, op: str, processes: int) -> None:
    """The table after *step* follows from the one before it and from the messages alone."""
    assert len({message.sender for message in step.sent}) == len(step.sent)
    for message in step.sent:
        assert message.receiver == message.sender % processes + 1
    touched = {(m.receiver, m.part): m for m in step.sent}
    for j, row in enumerate(step.holds, 1):
        for k, part in enumerate(row):
            old = before.holds[j - 1][k].values
            message = touched.get((j, k))
            assert part.changed == (message is not None)
            if message is None:
                assert part.values == old
            elif step.how == "received":
                assert part.values == message.values
            else:
                pairs = zip(message.values, old, strict=True)
                new = [OPERATIONS[op](Fraction(a), Fraction(b)) for a, b in pairs]
                divided = part.complete and op == "mean"
                assert list(part.values) == [v / processes if divided else v for v in new]


@settings(max_examples=80, deadline=None)
@given(stated=questions())
def test_every_table_follows_from_the_one_before(stated):
    text = exchanges(stated)
    p, way = stated["processes"], stated["way"]
    assert len(text) == 1 + (p - 1) * (1 if way == "whole" else 2)
    start = [v for row in text[0].holds for part in row for v in part.values]
    assert start == stated["vectors"]
    assert all(part.complete for row in text[-1].holds for part in row if part.values)
    for before, step in pairwise(text):
        replayed(step, before, stated["op"], p)
        if way == "chunks":
            held = {(m.sender, m.number): m.values for m in step.sent}
            assert all(before.holds[j - 1][k - 1].values == v for (j, k), v in held.items())
            assert len({m.number for m in step.sent}) == len(step.sent)


CORES: dict[str, object] = {"starts": ["0.15 s", "0.2 s", "0.25 s", "0.5 s"]}
CORES |= {"update": "0.2 s", "horizon": "0.6 s"}


@pytest.mark.parametrize(
    "more",
    [{}, {"compare": "same-time"}, {"operations": "2"}, {"operations": "8"}, {"starts": ["2 s"]}],
)
def test_what_ends_in_time_is_not_drawn_as_not_done(more):
    """An update that ends by the end of the picture is done; it may only not be counted."""
    solved = asked("divergence", **CORES | more)
    (timeline,) = (step for step in solved.steps if isinstance(step, Timeline))
    assert timeline.name == ("end" if {*more} & {"operations", "starts"} else "horizon")
    for lane in timeline.lanes:
        for bar, behind in pairwise((*lane.bars, None)):
            assert bar is not None
            assert bar.end > timeline.horizon or bar.label != "not done"
            assert bar.end <= timeline.horizon or bar.label in ("not done", "not counted")
            assert behind is None or bar.end == behind.start  # a core starts again at once


def test_long_costs_are_rounded_up_by_next_to_nothing():
    slope, exact = Fraction(1, 1237), [Fraction(0)]
    for data in range(1, 301):  # three cores: each update sees those of the rounds before
        seen = (data - 1) // 3 * 3
        exact.append(min(Fraction(2), slope * (data - 1 - seen + sum(exact[1 : seen + 1]))))
    sizes = {"operations": "300", "eta": "1/1237", "delta": "1237", "lipschitz": "1"}
    cores = CORES | {"starts": ["0 s"] * 3, "update": "1 s"}
    value = asked("divergence", **cores, **sizes).answer.value
    assert isinstance(value, Fraction)
    assert value.denominator < 10**220  # not one of thousands of digits
    assert 0 < value - sum(exact) < Fraction(1, 10**95)


ALGEBRA: dict[str, Any] = {"latency": "10 us", "bandwidth": "100 GB/s", "size": "100 MB"}


@pytest.mark.parametrize("p", [2, 3, 12, 16])
def test_the_fastest_algorithm_is_found(p):
    kind, asked = problem_named("allreduce"), {**ALGEBRA, "workers": str(p)}
    ways = [way for way in kind.choices["algorithm"].options if way != "two_level"]
    times: Any = {way: results("allreduce", **asked, algorithm=way)["time"] for way in ways}
    found = find(kind, "algorithm", ["time is least"], asked)
    assert {*found.outcome.options} == {x for x in ways if times[x] == min(times.values())}
