"""federated against devices that are dealt their samples and train batch by batch."""

from __future__ import annotations

from fractions import Fraction
from itertools import cycle
from math import ceil
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stating import readings, refusals, results, times

EXAM: dict[str, Any] = {
    "samples": 204800,
    "devices": 8,
    "batch": 32,
    "local_epochs": 10,
    "download": "7 s",
    "compute": "4 s",
    "upload": "7 s",
}
UPDATES = ("whole", "mean")


def dealt(samples: int, devices: int) -> list[int]:
    """Samples dealt out one by one."""
    hands = [0] * devices
    for _, device in zip(range(samples), cycle(range(devices)), strict=False):
        hands[device] += 1
    return hands


def trained(share: int, batch: int | str, epochs: int) -> int:
    """The updates of a device that takes its samples batch by batch."""
    count = 0
    for _ in range(epochs):
        left = share
        while left > 0:
            left -= left if batch == "all" else min(left, int(batch))
            count += 1
    return count


def in_parts(share: int, batch: int | str, epochs: int) -> Fraction:
    """The updates of a device, a small last batch being a part of one."""
    return Fraction(epochs) if batch == "all" else epochs * Fraction(share, int(batch))


def rounds(stated: dict[str, Any], work: list[Fraction]) -> Fraction:
    """The clock after all rounds, each as long as the device with the most *work* takes."""
    clock = Fraction(0)
    for _ in range(stated["rounds"]):
        clock += stated["download"] + sorted(work)[-1] + stated["upload"]
    return clock


@st.composite
def questions(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "local_epochs": draw(st.integers(1, 5)),
        "rounds": draw(st.integers(1, 5)),
        "download": draw(times()),
        "compute": draw(times()),
        "upload": draw(times()),
    }


@st.composite
def shared_equally(draw: st.DrawFn) -> dict[str, Any]:
    samples = draw(st.integers(1, 500))
    batch = draw(st.one_of(st.just("all"), st.integers(1, samples)))
    return {
        **draw(questions()),
        "samples": samples,
        "devices": draw(st.integers(1, 30)),
        "batch": batch,
    }


@st.composite
def shared_as_stated(draw: st.DrawFn) -> dict[str, Any]:
    shares = draw(st.lists(st.integers(1, 300), min_size=1, max_size=6))
    batch = draw(st.one_of(st.just("all"), st.integers(1, sum(shares))))
    return {**draw(questions()), "shares": shares, "batch": batch}


speeds = st.lists(times(), min_size=1, max_size=6)


@settings(max_examples=300, deadline=None)
@given(stated=shared_equally())
def test_equal_shares(stated: dict[str, Any]) -> None:
    epochs, batch = stated["local_epochs"], stated["batch"]
    hands = dealt(stated["samples"], stated["devices"])
    updates = [trained(share, batch, epochs) for share in hands]
    answers = results("federated", **stated)
    assert answers["samples_per_device"] == max(hands)
    assert answers["updates"] == max(updates)
    assert answers["total"] == rounds(stated, [u * stated["compute"] for u in updates])


@settings(max_examples=300, deadline=None)
@given(stated=shared_equally())
def test_the_mean_is_that_of_all_devices(stated: dict[str, Any]) -> None:
    epochs, batch = stated["local_epochs"], stated["batch"]
    hands = dealt(stated["samples"], stated["devices"])
    updates = [in_parts(share, batch, epochs) for share in hands]
    mean = sum(updates, Fraction(0)) / len(updates)
    answers = results("federated", **stated, updates="mean")
    assert answers["samples_per_device"] == Fraction(sum(hands), len(hands))
    assert answers["updates"] == mean
    assert answers["total"] == rounds(stated, [mean * stated["compute"]])


@settings(max_examples=300, deadline=None)
@given(stated=shared_as_stated(), how=st.sampled_from(UPDATES))
def test_shares_of_their_own(stated: dict[str, Any], how: str) -> None:
    count = trained if how == "whole" else in_parts
    epochs, batch = stated["local_epochs"], stated["batch"]
    updates = [count(share, batch, epochs) for share in stated["shares"]]
    work = [Fraction(u) * stated["compute"] for u in updates]
    answers = results("federated", **stated, updates=how)
    assert answers["samples_per_device"] == stated["shares"]
    assert answers["updates"] == updates
    assert answers["local_time"] == work
    assert answers["slowest"] == max(work)
    assert answers["total"] == rounds(stated, work)


@settings(max_examples=300, deadline=None)
@given(stated=shared_equally(), compute=speeds, counted=st.booleans())
def test_speeds_of_their_own(
    stated: dict[str, Any], compute: list[Fraction], counted: bool
) -> None:
    # the slowest device is dealt to first, so that it has one of the largest shares
    hands = dealt(stated["samples"], len(compute))
    slowest_first = sorted(compute, reverse=True)
    work = [
        trained(share, stated["batch"], stated["local_epochs"]) * item
        for share, item in zip(hands, slowest_first, strict=True)
    ]
    stated = {**stated, "compute": compute, "devices": len(compute)}
    if not counted:
        del stated["devices"]
    assert results("federated", **stated)["total"] == rounds(stated, work)


@settings(max_examples=200, deadline=None)
@given(stated=shared_equally(), part=st.fractions(0, 1, max_denominator=50))
def test_participants_are_counted_in_whole_devices(stated: dict[str, Any], part: Fraction) -> None:
    invited = 0
    while Fraction(invited + 1, stated["devices"]) <= part:
        invited += 1
    answers = results("federated", **stated, participation=part)
    assert answers["participants"] == (invited or 1)
    assert answers["total"] == results("federated", **stated)["total"]


@settings(max_examples=200, deadline=None)
@given(stated=shared_equally(), how=st.sampled_from(UPDATES))
def test_uneven_shares_can_be_an_error(stated: dict[str, Any], how: str) -> None:
    hands = dealt(stated["samples"], stated["devices"])
    stated = {**stated, "updates": how}
    wrong = refusals("federated", **stated, uneven="error")
    if len(set(hands)) == 1:
        assert wrong == []
        largest = results("federated", **stated, uneven="largest")
        assert results("federated", **stated, uneven="error") == largest
    else:
        devices = f"{stated['devices']:,}".replace(",", " ")
        problem = f"'{stated['samples']}' cannot be shared equally by {devices} devices"
        assert wrong == [("samples", problem)]


def test_the_exam_by_name() -> None:
    answers = results("federated", **EXAM)
    assert {name: value for name, value in answers.items() if name not in EXAM | {"rounds": 1}} == {
        "samples_per_device": 25600,
        "updates_per_epoch": 800,
        "updates": 8000,
        "local_time": 32000,
        "round_time": 32014,
        "total": 32014,
    }
    assert readings("federated", **EXAM) == {}


def test_uneven_exam_read_otherwise() -> None:
    assert readings("federated", **{**EXAM, "samples": 204801}) == {
        ("updates", "mean"): 14 + 40 * Fraction(204801, 8 * 32)
    }


@pytest.mark.parametrize(
    ("changes", "parameter"),
    [
        ({"batch": 204801}, "batch"),
        ({"shares": [1, 2], "samples": 3, "batch": 1}, "devices"),
        ({"shares": [1, 2], "samples": 4, "devices": 2, "batch": 1}, "samples"),
        ({"shares": [1, 2], "samples": 3, "devices": 2, "batch": 4}, "batch"),
        ({"compute": [1, 2, 3]}, "compute"),
        ({"compute": [1, 2, 3], "shares": [1, 2], "samples": 3, "devices": 2}, "compute"),
        ({"samples": "204800 s"}, "samples"),
        ({"batch": "every"}, "batch"),
        ({"participation": "1.01"}, "participation"),
        ({"participation": "-0.1"}, "participation"),
        ({"shares": [1, 0]}, "shares[2]"),
        ({"shares": []}, "shares"),
        ({"compute": []}, "compute"),
        ({"compute": ["1 s", "2 x"]}, "compute[2]"),
        ({"rounds": 0}, "rounds"),
        ({"updates": "median"}, "updates"),
    ],
)
def test_refused(changes: dict[str, Any], parameter: str) -> None:
    assert [name for name, _ in refusals("federated", **{**EXAM, **changes})] == [parameter]


def test_a_batch_as_large_as_all_the_data_is_the_limit() -> None:
    assert results("federated", **{**EXAM, "batch": 204800})["updates"] == 10


@pytest.mark.parametrize(
    ("left_out", "missing"),
    [
        ("samples", "samples or shares or local_work"),
        ("devices", "devices or shares"),
        ("batch", "batch"),
        ("compute", "compute"),
    ],
)
def test_missing(left_out: str, missing: str) -> None:
    stated = {name: value for name, value in EXAM.items() if name != left_out}
    assert refusals("federated", **stated) == [(None, f"missing: {missing}")]


def test_what_shares_and_lists_replace() -> None:
    alone = {name: value for name, value in EXAM.items() if name not in ("samples", "devices")}
    assert results("federated", **alone, shares=[25600] * 8)["total"] == 32014
    assert results("federated", **{**alone, "compute": [4] * 8}, samples=204800)["total"] == 32014


def test_huge_counts_stay_exact() -> None:
    stated = {**EXAM, "samples": "1e30", "devices": 7, "batch": 3}
    largest = ceil(Fraction(10**30, 7))
    assert results("federated", **stated)["updates"] == 10 * ceil(Fraction(largest, 3))


@pytest.mark.parametrize(
    ("given", "parameter", "shown"),
    [
        ({}, None, "download or model or parameters"),
        ({"model": "1 MB"}, None, "downlink or download"),
        ({"download": "1 s", "upload": "1 s", "uplink": "1 MB/s"}, None, "model"),
        (
            {"download": "3 s", "model": "1 MB", "downlink": "1 MB/s", "uplink": "1 MB/s"},
            "download", "is not what the model takes",
        ),
        ({"model": "1 MB", "downlink": "1 Mbps", "uplink": "1 MB/s"}, "downlink", "bits"),
    ],
)  # fmt: skip
def test_transfers_refused(given: dict[str, str], parameter: str | None, shown: str) -> None:
    work = {"samples": "100", "devices": "4", "batch": "5", "compute": "1 s"}
    answers = refusals("federated", **work, **given)
    assert answers[0][0] == parameter
    assert any(shown in text for _, text in answers)


@pytest.mark.parametrize(
    ("given", "parameter", "message"),
    [
        ({"model": "50 Mb"}, "model", "Gbit"),
        ({"compression": "2"}, None, "model or parameters"),
        ({"parameters": "1M"}, None, "bytes_per_parameter or model"),
        ({"model": "50 MB", "allowance": "0.1"}, None, "local_work or downlink or uplink"),
        ({"samples": "9", "local_work": "1 s"}, "local_work", "state one of both"),
        (
            {"model": "50 MB", "parameters": "10M", "bytes_per_parameter": "4"}, "model",
            "state one of the two",
        ),
    ],
)  # fmt: skip
def test_traffic_refused(given: dict[str, str], parameter: str | None, message: str) -> None:
    work = {"batch": "1", "compute": "1 s", "download": "0 s", "upload": "0 s"}
    refused = refusals("federated", devices="10", **given, **(work if "samples" in given else {}))
    assert any(parameter == name and message in text for name, text in refused), refused
