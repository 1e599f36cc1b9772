"""Timelines: what must hold for every run, and averages of many."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from ddcalc.ask.solve import Derivation, solve
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.steps import Timeline

Texts = dict[str, str | list[str]]

SCHEMES = ("sync", "ssp", "async", "local_sgd", "k_of_n")

KNOWN: Texts = {"periods": ["1 s", "2 s", "4 s"], "horizon": "24 s"}
PARAMETERS: Texts = {"staleness": "1", "local_steps": "2", "wait_for": "2"}


def played(**texts: str | list[str]) -> Derivation:
    """The derivation of a timeline."""
    return solve(problem_named("timeline"), texts)


def known(**texts: str | list[str]) -> Derivation:
    """The derivation of the known workload: periods 1, 2 and 4 s over 24 s."""
    return played(**{**KNOWN, **texts})


seconds = st.fractions(min_value=Fraction(1, 4), max_value=4, max_denominator=4)
small = st.fractions(min_value=0, max_value=2, max_denominator=4)


@st.composite
def workloads(draw: st.DrawFn) -> Texts:
    """Any small workload."""
    periods = draw(st.lists(seconds, min_size=1, max_size=4))
    texts: Texts = {
        "periods": [f"{time} s" for time in periods],
        "horizon": f"{draw(seconds) * 8} s",
    }
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
def test_all_time_is_accounted_for(texts: Texts, scheme: str) -> None:
    solved = played(**texts, scheme=scheme)
    (picture,) = [step for step in solved.steps if isinstance(step, Timeline)]
    starts = texts.get("starts", ["0 s"] * len(picture.lanes))
    end = solved.values["ended"]
    for lane, start in zip(picture.lanes, starts, strict=True):
        bars = [bar for bar in lane.bars if bar.start < bar.end]
        assert all(before.end == after.start for before, after in pairwise(bars))
        if not picture.shown and bars:
            assert (bars[0].start, bars[-1].end) == (Fraction(start.split()[0]), end)


@settings(deadline=None, max_examples=15)
@given(workloads())
def test_side_by_side_is_each_alone(texts: Texts) -> None:
    values = played(**texts, scheme="all").values
    for i, scheme in enumerate(SCHEMES):
        alone = played(**texts, scheme=scheme).values
        for name, listed in (
            ("gradients", "gradients_by_scheme"),
            ("updates", "updates_by_scheme"),
            ("mean_idle", "idle_by_scheme"),
            ("mean_staleness", "staleness_by_scheme"),
        ):
            together = values[listed]
            assert isinstance(together, tuple)
            assert together[i] == alone[name], (scheme, name)
    counts = values["gradients_by_scheme"]
    assert isinstance(counts, tuple)
    assert values["gradients"] == max(counts)


STUDY: Texts = {
    "periods": ["1 s"], "workers": "4", "scheme": "async", "distribution": "exponential",
    "seed": "3", "horizon": "40 s",
}  # fmt: skip


def test_runs_go_on_until_the_standard_error_is_small() -> None:
    """The fewest pieces of runs that do, with the average of as many runs."""
    values = played(**STUDY, within="1 %").values
    runs = values["runs_played"]
    assert isinstance(runs, int)
    assert 50 < runs < 500
    assert values["mean_gradients"] == played(**STUDY, runs=str(runs)).values["mean_gradients"]
    assert played(**STUDY, within="10 %").values["runs_played"] == 50
