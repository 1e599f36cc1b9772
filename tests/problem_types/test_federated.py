"""federated: the readings of the exam, its limits, and what it refuses."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any

import pytest
from running import ddcalc
from stating import readings, refusals, results

EXAM: dict[str, Any] = {
    "samples": 204800,
    "devices": 8,
    "batch": 32,
    "local_epochs": 10,
    "download": "7 s",
    "compute": "4 s",
    "upload": "7 s",
}


def test_the_exam_has_no_other_readings() -> None:
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
        ({"batch": "every"}, "batch"),
        ({"samples": 204801, "uneven": "error"}, "samples"),
        ({"participation": "1.01"}, "participation"),
        ({"shares": [1, 0]}, "shares[2]"),
        ({"compute": []}, "compute"),
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
        ({"model": "1 MB", "downlink": "1 mbps", "uplink": "1 MB/s"}, "downlink", "bits"),
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
        ({"model": "50 Mb"}, "model", "Mbit"),
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


def test_the_two_largest_levers_are_named() -> None:
    """Of 22 minutes, not the one of computation, which stands last in the order of gains."""
    call = ("federated", "--upload", "15min", "--download", "6min", "--local-work", "1min")
    text = " ".join(ddcalc(*call).out.split())
    half = "It would be less with half the t_up, 870 s (14 min 30 s); with half the t_down, 1 140 s"
    assert half in text.replace("\u202f", " ").replace("\u00a0", " ").replace("\u2009", " ")


def test_the_server_averages_once_in_a_round_however_slow_the_devices() -> None:
    stated: dict[str, Any] = {**EXAM, "rounds": 3}
    before = results("federated", **stated, allowance="0.5")["total"]
    assert results("federated", **stated, allowance="0.5", averaging="2 s")["total"] == before + 6
    assert results("federated", **stated, allowance="0.5", averaging=0)["total"] == before


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (("0 s", "0 s", "0 s", "2 s"), "Averaging takes all of the time."),
        (("1 s", "1 s", "1 s", "3 s"), "Averaging takes the largest part, 50 %."),
        (("0 s", "3 s", "0 s", "0 s"), "The local work takes all of the time."),
        (("2 s", "1 s", "0 s", "2 s"), None),
        (("2 s", "1 s", "0 s", "1 s"), "The download takes the largest part, 50 %."),
    ],
)
def test_what_takes_longest_counts_averaging(times: tuple[str, ...], said: str | None) -> None:
    names = ("--download", "--local-work", "--upload", "--averaging")
    pairs = [word for pair in zip(names, times, strict=True) for word in pair]
    page = " ".join(ddcalc("federated", *pairs).out.split())
    assert said in page if said else "takes" not in page.split("Answer")[1].split(":")[1]
