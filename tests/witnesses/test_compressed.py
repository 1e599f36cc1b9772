"""Compressed gradients and their witness: every way to exchange them, and any vector."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest
from compression_witness import errors, gather, outcomes, ring
from hypothesis import given, settings
from hypothesis import strategies as st
from test_witnesses import witnessed

from ddcalc.ask.examine import broken_laws
from ddcalc.ask.solve import Derivation

VALUES = st.fractions(min_value=-5, max_value=5, max_denominator=8)
VECTORS = st.lists(VALUES, min_size=1, max_size=6)
TIMES = st.builds(lambda n, d: f"{Fraction(n, d)} s", st.integers(0, 500), st.sampled_from([7, 10]))
SIDES = st.integers(1, 50)
EXCHANGES = st.fixed_dictionaries(
    {"aggregation": st.sampled_from(["gathered", "server", "added"]), "encode": TIMES},
    optional={
        "workers": st.integers(1, 60),
        "bandwidth": st.sampled_from(["1 B/s", "100 B/s", "1 GB/s"]),
        "decode": TIMES,
        "full": st.sampled_from([8, 16, 32, 64]),
    },
)


def agreed(slug: str, **stated: Any) -> Derivation:
    """The solved question, with which the witness and all laws agree."""
    answers = witnessed(slug, **stated)
    assert [*broken_laws(answers, Random(0))] == []
    return answers


# Every way to exchange


@given(SIDES, st.integers(2, 32), EXCHANGES)
@settings(max_examples=50)
def test_quantized_messages(values: int, bits: int, exchange: dict[str, Any]) -> None:
    if exchange["aggregation"] == "added":
        exchange |= {"aggregation": "gathered"}
    agreed("quantize", values=values, bits=bits, **exchange)


@given(
    SIDES,
    st.data(),
    st.sampled_from(["shortest", "stated", "bitmap"]),
    st.sampled_from(["top_k", "random_k", "unbiased"]),
    EXCHANGES,
)
@settings(max_examples=75)
def test_sparse_messages(
    values: int, data: st.DataObject, index: str, method: str, exchange: dict[str, Any]
) -> None:
    if method == "top_k" and exchange["aggregation"] == "added":
        exchange |= {"aggregation": "gathered"}
    kept = data.draw(st.integers(1, values))
    agreed("sparsify", values=values, kept=kept, index=index, method=method, **exchange)


@given(SIDES, SIDES, st.data(), EXCHANGES)
@settings(max_examples=50)
def test_factors(rows: int, columns: int, data: st.DataObject, exchange: dict[str, Any]) -> None:
    rank = data.draw(st.integers(1, min(rows, columns)))
    agreed("low-rank", rows=rows, columns=columns, rank=rank, **exchange)


@given(
    st.fixed_dictionaries(
        {
            "compute": TIMES,
            "communication": TIMES,
            "compression": st.fractions(
                min_value=Fraction(1, 10), max_value=99, max_denominator=10
            ),
            "encoding": st.just("1 ms") | TIMES,
            "overlapped": st.sampled_from(["0", "1/2", "1"]),
            "part_of": st.sampled_from(["communication", "shorter"]),
            "aggregation": st.sampled_from(["gathered", "added"]),
        },
        optional={"workers": st.integers(2, 60), "latency": TIMES},
    )
)
@settings(max_examples=75)
def test_steps(stated: dict[str, Any]) -> None:
    times = [stated[name] for name in ("compute", "encoding", "communication")]
    if not any(Fraction(time.split()[0]) for time in times):
        stated |= {"compute": "1 s"}
    agreed("overlap", **stated)


@pytest.mark.parametrize("size", [1, 3, 10])
def test_from_so_many_workers_on_gathering_moves_more(size: int) -> None:
    """The number is the last one with which it does not, found by passing messages."""
    dense = Fraction(100)
    loses = [p for p in range(2, 41) if gather(p, dense / size) > ring(p, dense)]
    answers = agreed(
        "low-rank", rows=60, columns=60, rank=30 // size, workers=2, aggregation="gathered"
    )
    assert answers.values["most_workers"] == loses[0] - 1


# Any vector


@given(
    VECTORS,
    st.sampled_from(["qsgd", "qsgd_max", "terngrad", "sign", "one_bit"]),
    st.integers(2, 5),
    st.none() | st.integers(1, 7),
)
@settings(max_examples=50)
def test_quantized_vectors(
    vector: list[Fraction], scheme: str, bits: int, bucket: int | None
) -> None:
    more = {} if bucket is None else {"bucket": bucket}
    agreed("quantize", vector=vector, scheme=scheme, bits=bits, **more)


@given(VECTORS, st.sampled_from(["qsgd_max", "terngrad"]), st.integers(0, 99))
@settings(max_examples=50)
def test_what_is_drawn_is_a_possible_rounding(vector: list[Fraction], way: str, seed: int) -> None:
    answers = agreed("quantize", vector=vector, scheme=way, bits=2, seed=seed)
    scale = max(map(abs, vector))
    possible = [sent for chance, sent in outcomes(vector, scale, 1) if chance] if scale else []
    message = answers.values["quantized"]
    assert isinstance(message, tuple)
    assert not scale or [*message] in possible


@given(VECTORS, st.data(), st.sampled_from(["top_k", "random_k", "unbiased"]), st.integers(0, 99))
@settings(max_examples=50)
def test_sparse_vectors(
    vector: list[Fraction], data: st.DataObject, method: str, seed: int
) -> None:
    kept = data.draw(st.integers(1, len(vector)))
    answers = agreed("sparsify", vector=vector, kept=kept, method=method, seed=seed)
    factor = Fraction(len(vector), kept) if method == "unbiased" else 1
    assert answers.values["error"] in errors(vector, kept, factor)
    message = answers.values["sparse"]
    assert isinstance(message, tuple)
    assert {*message} <= {Fraction(0), *(factor * value for value in vector)}
    assert sum(value != 0 for value in message) <= kept


@given(
    VECTORS, st.integers(1, 12), st.sampled_from(["sign", "one_bit", "top_k"]), st.integers(1, 6)
)
@settings(max_examples=50)
def test_fed_back_vectors(vector: list[Fraction], rounds: int, method: str, kept: int) -> None:
    kept = min(kept, len(vector))
    agreed("error-feedback", vector=vector, rounds=rounds, method=method, kept=kept)
