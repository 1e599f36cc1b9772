"""Every witness on questions at its type's edges: ties, one of something, all ways to state it.

A row is a type and what may be stated: one of a list, or a function of a random source and of what
has been drawn above; None is not stated. Of what is drawn so, most must have an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from test_witnesses import witnessed

from ddcalc.errors import DdcalcError

Row = Mapping[str, Any]
QUESTIONS, ANSWERED = 40, 20  # drawn of each row, and how many of them must have an answer
TINY = Fraction(1, 10**20)


def whole(least: int, most: int, unit: str = "") -> Callable[..., str]:
    return lambda random, _: f"{random.randint(least, most)} {unit}".strip()


def part(least: int, most: int, of: int, unit: str = "") -> Callable[..., str]:
    return lambda random, _: f"{Fraction(random.randint(least, most), of)} {unit}".strip()


def several(values: Any, least: int, most: int) -> Callable[..., list[Any]]:
    """So many of *values*, a list or what draws one."""

    def draw(random: Random, before: Row) -> list[Any]:
        count = random.randint(least, most)
        return [drawn(values, random, before) for _ in range(count)]

    return draw


def beside(name: str, values: Any) -> Callable[..., list[Any]]:
    """As many as *name* has."""
    return lambda random, before: [drawn(values, random, before) for _ in before[name]]


def up_to(name: str, least: int = 1) -> Callable[..., int]:
    return lambda random, before: random.randint(least, int(before[name]))


def drawn(value: Any, random: Random, before: Row) -> Any:
    return value(random, before) if callable(value) else random.choice(value)


def drawn_row(row: Row, random: Random) -> dict[str, Any]:
    question: dict[str, Any] = {}
    for name, value in row.items():
        question[name] = drawn(value, random, question)
    return {name: value for name, value in question.items() if value is not None}


def tied(
    product: Callable[[int], int], name: str, slope: Callable[[Row], Any], unit: str = ""
) -> dict[str, Any]:
    """A number *name* with which *best* and the next one are equally good, or but for a little."""

    def draw(random: Random, before: Row) -> str:
        off = random.choice([0, 0, TINY, -TINY, Fraction(1, 3)])
        return f"{(product(before['_best']) + off) * slope(before)} {unit}".strip()

    return {"_best": lambda random, _: random.randint(1, 60), name: draw}


def next_best(best: int) -> int:
    return best * (best + 1)


SHORT = part(0, 4, 2, "s")
TIME = part(0, 500, 7, "s")
LINKS = {"latency": ["3 us"], "bandwidth": ["7 GB/s"], "size": ["5040000 B"]}
INSIDE = {"inner_latency": ["1 us", None], "inner_bandwidth": ["60 GB/s", None]}
NODES = {"nodes": [1, 2, 3, 5, 8], "workers_per_node": [1, 2, 3, 4, 6, 8]}
NODES |= {"uplink": ["own", "shared"], **INSIDE}
LIKE = ["ring", "tree", "recursive_doubling", "halving_doubling", "naive", "bidirectional"]
FEW = [*range(1, 18), 31, 32, 33]
ADDED = {"reduce": ["11 GB/s", None]}
SERVED = {"algorithm": ["parameter_server"], "server": ["apart", "worker"]}
SERVED |= {"server_link": ["shared", "one_each"], "ways": ["both", "gather"]}
SERVED |= {"servers": [None, 1, 2, 3, 5, 7], **LINKS, **ADDED}
EXCHANGE = {"encode": TIME, "decode": [None, "1 s"], "workers": [None, 1, 2, 7, 60]}
EXCHANGE |= {"bandwidth": [None, "1 B/s", "1 GB/s"], "full": [None, 8, 64]}
GATHERED = {"aggregation": ["gathered", "server"]}
VECTOR = {"vector": several(part(-40, 40, 8), 1, 6), "seed": whole(0, 99)}
MODEL = {"parameters": whole(1, 10**10), "operations": [4, 6], "devices": whole(1, 12)}
MODEL |= {"recomputed": [None, 1, 2, 3], "peak": [f"{10**6} TFLOP/s"]}
SHAPE = {"layers": whole(1, 12), "sequence": whole(1, 9000), "scores": ["all", "causal"]}
GROWTH = {"growth": ["constant", "each", "tree"], "law": ["amdahl", "gustafson"]}
LINKED: Row = {
    "layers": [12], "width": [64], "heads": [8], "kv_heads": [None, 2], "vocabulary": [100],
    "tensor": [1, 2, 3, 8], "context": [None, 1, 2], "pipeline": [1, 2, 3, 4],
    "chunks": [None, 1, 2], "data": [1, 2, 3, 4], "micro_batch": [1, 2],
    "batch": lambda random, q: random.randint(1, 6) * q["data"] * q["micro_batch"],
    "sequence": [64], "peak": ["1 TFLOP/s"], "utilization": ["1/2"], "node": [1, 4, 8],
    "bandwidth": ["7 GB/s"], "inner_bandwidth": [None, "7 GB/s", "30 GB/s"],
    "latency": ["0 s", "2 us"], "inner_latency": [None, "0 s", "1 us"], "pod": [None, 8, 24],
    "oversubscribed": [1, 7], "overlapped": [None, "0", "1/3", "1"], "zero": ["none", "2", "3"],
    "order": ["megatron", "llama"], "hops": ["waiting", "filling"], "gathers": ["each", "once"],
    "stage_sends": ["whole", "parts"], "gradients": ["after", "along"],
    "sequence_parallel": ["whole", "split"], "recompute": ["none", "selective", "full"],
}  # fmt: skip
OFFERS = dict.fromkeys(("first_once", "first_use", "second_once", "second_use"), whole(0, 3, "USD"))
LATE = {"late": ["drop", "reuse", "cancel"]}
LIMIT = {"low": [1], "high": [4], "alpha": ["1/4", "251/1000", "1/2", "499/1000", "1", "0.6"]}
LIMIT |= {"ages": [1, 3], "beta": ["1/10", "1"]}
TRIP = {"download": SHORT, "upload": SHORT, "aggregate": SHORT}
SERVER = {"server_link": ["one-each", "shared"]}

ROWS: dict[str, Row] = {
    "batch-ramp stages": {
        "samples": whole(1, 3000), "batches": several(whole(1, 60), 1, 4),
        "parts": beside("batches", whole(1, 9)), "constant": whole(1, 90),
        "ending": ["whole", "cut"], "part_of": ["samples", "updates"],
    },
    "batch-ramp increments": {
        "increment": whole(1, 40), "samples": whole(1, 6000), "ramp_samples": whole(1, 4000),
        "batches": lambda random, q: [5, 5 + int(q["increment"]) * random.randint(1, 60)],
        "ending": ["whole", "cut"],
    },
    "critical-batch runs in any order": {
        "batches": several([8, 16, 32, 64], 2, 5), "fit": ["samples", "steps"],
        "step_counts": lambda random, q: [
            1000 * (64 + 4096 // size) + random.randint(0, 9) for size in q["batches"]
        ],
        "batch": whole(1, 99),
    },
    "batch-size ties": {
        "per_sample": whole(1, 100), "workers": whole(1, 50), "critical_batch": whole(1, 10**5),
        **tied(
            next_best, "overhead",
            lambda q: Fraction(int(q["per_sample"]) * int(q["workers"]), int(q["critical_batch"])),
        ),
        "least_steps": [7], "largest_batch": [None, 60], "batch": [None, 50],
    },
    "staleness at the limits of the theorems": LIMIT,
    "staleness ages that are not used": {
        "low": [1], "high": [2], "alpha": several(["0", "0", "0.2", "0.05", "0.02"], 1, 6),
        "updates": [8, 20],
    },
    "staleness-penalty counts": {
        "penalty": ["exponential", "inverse", "polynomial", "linear"], "strength": part(1, 99, 30),
        "staleness": whole(0, 30), "counts": several(whole(0, 20), 1, 30), "step": ["1/8"],
        "oldest": [None, 0, 40],
    },
    "ridge rows at the limit of a theorem": {
        "inputs": [["1", "1", "1/2"], ["1"] * 3, ["1", "1", "2"], ["0"] * 3], "eta": [1],
        "targets": [["1", "2", "3"]], "bound": ["theorem", "trace"],
    },
    "allreduce alone": {
        **LINKS, "workers": FEW, "algorithm": [*LIKE, "double_tree", "all"], **ADDED,
        "partners": ["near", "far"], "versus": ["none", *LIKE],
    },
    "allreduce in nodes": {
        **LINKS, **NODES, **ADDED, "algorithm": [*LIKE, "two_level", "all"],
        "partners": ["near", "far"], "levels": [None, "leaders"],
    },
    "allreduce servers": {**SERVED, "workers": [1, 2, 3, 5, 8]},
    "allreduce servers in nodes": {
        **SERVED, "reduce": [None], "nodes": [1, 2, 3], "workers_per_node": [1, 2, 3],
        "uplink": ["own", "shared"], **INSIDE,
    },
    "collective any": {
        **LINKS, **ADDED, "workers": [*range(1, 10), 12, 16, 17], "calls": [1, 3],
        "algorithm": ["ring", "bidirectional", "pairs", "tree"],
        "operation": [
            "all_gather", "reduce_scatter", "broadcast", "reduce", "all_to_all", "gather", "scatter"
        ],
    },
    "bus-bandwidth factors": {
        "algorithm_bandwidth": ["274 GB/s"], "workers": [2, 3, 8, 72, 5000],
        "wire": [None, "450 GB/s"],
        "collective": [
            "all_reduce", "reduce_scatter", "all_gather", "all_to_all", "broadcast", "reduce",
            "gather", "scatter", "send", "in_network",
        ],
    },
    "overlap compressed": {
        "compute": TIME, "communication": TIME, "compression": part(1, 990, 10),
        "encoding": ["1 ms", "3 s"], "overlapped": ["0", "1/2", "1"],
        "part_of": ["communication", "shorter"], "aggregation": ["gathered", "added"],
        "workers": [None, 2, 60], "latency": [None, "100 ms"],
    },
    "quantize messages": {"values": whole(1, 50), "bits": whole(2, 32), **EXCHANGE, **GATHERED},
    "quantize fractions of a bit": {
        "values": whole(1, 50), "scheme": ["terngrad", "qsgd"], "bits": [2], **EXCHANGE, **GATHERED,
        "average": ["1.58", "1/3", "40"], "measured": [None, "1 B", "9.5 B"], "bucket": [None, 7],
    },
    "sparsify measured": {
        "values": whole(1, 50), "kept": up_to("values"), **EXCHANGE, **GATHERED,
        "measured": ["1 B", "7/3 B"], "index": ["shortest", "bitmap"],
    },
    "quantize vectors": {
        **VECTOR, "bits": whole(2, 5), "bucket": [None, 1, 3, 7],
        "scheme": ["qsgd", "qsgd_max", "terngrad", "sign", "one_bit"],
    },
    "sparsify messages": {
        "values": whole(1, 50), "kept": up_to("values"), **EXCHANGE, **GATHERED,
        "index": ["shortest", "stated", "bitmap"], "method": ["top_k", "random_k", "unbiased"],
    },
    "sparsify added": {
        "values": whole(1, 50), "kept": up_to("values"), **EXCHANGE,
        "method": ["random_k", "unbiased"], "aggregation": ["added"],
    },
    "sparsify vectors": {
        **VECTOR, "kept": lambda random, q: random.randint(1, len(q["vector"])),
        "method": ["top_k", "random_k", "unbiased"],
    },
    "low-rank factors": {
        "rows": whole(1, 50), "columns": whole(50, 60), "rank": up_to("rows"), **EXCHANGE,
        "aggregation": ["gathered", "added", "server"],
    },
    "error-feedback vectors": {
        "vector": VECTOR["vector"], "rounds": whole(1, 12),
        "method": ["sign", "one_bit", "top_k"],
        "kept": lambda random, q: random.randint(1, len(q["vector"])),
    },
    "training-time speeds": {
        **MODEL, **SHAPE, "heads": whole(1, 12), "head_size": [1, 64, 128],
        "rate": whole(1, 10**6), "tokens": [None, 3000],
    },
    "training-time widths": {
        **MODEL, **SHAPE, "width": whole(1, 900), "counts": ["model", "hardware"],
        "tokens": whole(1, 9000), "utilization": [None, "1/7"],
        "achieved": lambda _, q: None if q["utilization"] else "3 TFLOP/s",
    },
    "training-time communication": {
        **MODEL, "tokens": ["1T"], "batch": ["1B", "1T", "2T", "999B"],
        "communication": ["0 s", "5 us"], "overlapped": [None, 0, "0.6"], "utilization": ["1/2"],
        "counts": ["model", "hardware"],
    },
    "energy of devices, or of their hours": {
        "device_time": [None, "1 h", "30.84e6 h"], "power": ["1 W", "700 W"], "duration": ["54 d"],
        "devices": lambda _, q: None if q["device_time"] else 16384, "usage": [None, "1", "1/7"],
        "host": [None, "0 W", "90 W"], "pue": ["1", "1.58"], "intensity": ["0 kg/kWh", "57 g/kWh"],
        "making": [None, "0 kg", "462.5 kg"], "life": lambda _, q: "5 h" if q["making"] else None,
        "tariff": ["0 USD/kWh", "0.3 USD/kWh"], "price": [None, "0 USD/h", "2 USD/h"],
        "exchange": [None, "1.08 USD/EUR"],
    },
    "roofline parts in one node": {
        "peak": whole(1, 500, "FLOP/s"), "bandwidth": whole(1, 500, "B/s"), "size": whole(1, 900),
        "inside": whole(0, 9), "parts": lambda random, q: int(q["inside"]) + random.randint(1, 12),
        "intensity": ["1/2 FLOP/B", "1 FLOP/B", "2 FLOP/B"],
    },
    "roofline products of matrices": {
        "peak": whole(1, 9, "FLOP/s"), "bandwidth": whole(1, 9, "B/s"), "size": [None, 1, 2, 30],
        "inner": whole(1, 20), "columns": whole(1, 20), "value": ["1 B", "2 B", "4 B"],
        "result": ["written", "added"], "operations": ["1 FLOP", "2 FLOP"],
        "tile_rows": lambda random, q: random.choice([None, 1, 3, 30]) if q["size"] else None,
        "tile_columns": lambda random, q: random.randint(1, 20) if q["tile_rows"] else None,
    },
    "scaling times": {
        "processors": several(whole(1, 6), 2, 3), "times": beside("processors", whole(1, 6, "s")),
        "work": ["same", "grows"], "ahead": whole(1, 16),
    },
    "speedup talking": {
        "processors": whole(1, 40), "serial": part(0, 10, 10), "one": whole(1, 200, "s"),
        "communication": whole(0, 3, "s"), **GROWTH,
    },
    "split-batch ties": {
        "aggregate": part(1, 999, 10, "s"), "rest": SHORT, "compared": whole(1, 60),
        **tied(next_best, "compute", lambda q: Fraction(q["aggregate"].split()[0]), "s"),
    },
    "sync-interval ties": {
        "weight": ["1 s"], "drift": part(1, 999, 10), "interval": whole(1, 60),
        **tied(next_best, "communication", lambda q: Fraction(q["drift"]), "s"),
    },
    "update-rule schedules": {
        "periods": several(["1 s", "2 s", "3/2 s"], 1, 3), "clock": whole(1, 3), **LATE,
        "scheme": ["ssp", "sync", "async", "local_sgd", "k_of_n"],
        "worker": lambda random, q: random.randint(1, len(q["periods"])),
        "staleness": [0, 1, 2, "infinity"], "local_steps": whole(1, 4),
        "wait_for": lambda random, q: random.randint(1, len(q["periods"])),
        "order": ["in_turn", "writes_first"],
    },
    "update-rule every order": {
        "workers": [1, 2, 3], "worker": up_to("workers"), "clock": whole(1, 4),
        "staleness": [0, 1, 2, 3, "infinity"], "scheme": ["ssp", "async"],
    },
    "pipeline any": {
        "stages": whole(1, 8), "micro_batches": whole(1, 20), "chunks": [None, 1, 2, 5],
        "samples": [3], "forward": whole(1, 9, "s"), "backward": whole(0, 9, "s"),
        "activations": ["1 B"], "schedule": ["one_f_one_b", "gpipe"], "part_of": ["whole", "ideal"],
    },
    "layout on its links": LINKED,
    "layout in shards": {
        **LINKED, "shards": [2], "data": [2, 4], "zero": ["1", "2", "3"], "node": [4, 8],
        "order": ["megatron", "llama"], "inner_bandwidth": ["30 GB/s"],
    },
    "fsdp-tensor splits": {
        "inner": [64, 4096], "peak": ["1 TFLOP/s"], "bandwidth": ["1 GB/s"], "devices": [1, 12, 64],
        "inner_bandwidth": [None, "1 GB/s", "9 GB/s"], "data_axes": [1, 2], "tensor_axes": [1, 2],
        "batch": [64, 64000], "tensor": [None, 1, 2, 4], "together": ["added", "larger"],
    },
    "layout of experts": {
        "layers": [6], "width": [64], "heads": [8], "vocabulary": [100], "tensor": [1, 2],
        "pipeline": [1, 2], "expert": [1, 2, 4], "data": [4, 8], "experts": [8], "batch": [8, 16],
        "active_experts": [1, 2], "shared_experts": [None, 1], "expert_inner": [None, 32],
        "dense_layers": [None, 2], "sequence": [64], "peak": ["1 TFLOP/s"], "utilization": ["1/2"],
        "bandwidth": ["7 GB/s"], "inner_bandwidth": [None, "30 GB/s"], "node": [4, 8],
        "zero": ["none", "1", "2", "3"], "sequence_parallel": ["whole", "split"],
    },
    "pipeline zero bubble": {
        "stages": whole(1, 6), "forward": [None, "9 s"], "activations": ["1 B"],
        "micro_batches": lambda random, q: random.randint(int(q["stages"]), 14),
        "backward": lambda random, q: q["forward"] and f"{random.randint(12, 20)} s",
        "weight": lambda random, q: q["forward"] and f"{random.randint(0, 9)} s",
        "schedule": ["zb_h1", "zb_h2", "gpipe"],
        "recompute": lambda random, q: random.choice(["none", "full"]) if q["forward"] else None,
        "send": lambda random, q: random.choice([None, "2 s"][: 1 + (q["schedule"] == "gpipe")]),
    },
    "training-steps parts of epochs": {
        "samples": whole(40, 60), "batch": [1, 7, 30, 40, 60, 80], "epochs": part(1, 100, 20),
        "step_time": ["3 s"], "last_batch": ["keep", "joined", "drop"],
    },
    "cost-breakeven ties": {**OFFERS, "per": whole(1, 3), "use": whole(0, 4)},
    "spot as dear": {
        "spot": whole(1, 4, "USD/h"), "on_demand": whole(1, 4, "USD/h"), "lost": ["1 h", "3 h"],
        "overhead": ["0", "0.5", "1"], "strikes": ["always", "working"], "apart": ["4 h"],
    },
    "checkpoint-interval any": {
        "write": whole(1, 50, "s"), "failures": whole(2, 50, "s"), "restart": whole(0, 50, "s"),
        "compared": whole(1, 60, "s"), "formula": ["young", "daly", "exact"],
    },
    "checkpoint-interval goodput": {
        "write": whole(1, 5, "s"), "observed": [1, "6.5", 419], "span": ["54 d", "1000 s"],
        "seen_on": [None, 1, 16384], "devices": lambda _, q: q["seen_on"] and 1024,
        "restart": [None, "0 s", "9 s"], "background": [None, "0 s", "1 s", "20 min"],
        "slowdown": [None, 1, "1.1"], "work": [None, "0.5 s", "54 d"],
    },
    "timeline transfers": {
        "periods": several(["1 s", "1.5 s", "2 s", "4 s"], 1, 4), "horizon": ["30 s"],
        "scheme": ["sync", "ssp", "async", "local-sgd", "k-of-n", "all"], "staleness": [1],
        "local_steps": [2], "wait_for": lambda _, q: max(len(q["periods"]) - 1, 1), **LATE,
        "download": SHORT, "upload": SHORT, "aggregation": SHORT, "update_time": SHORT,
        "read": ["arrival", "start"], "server": ["serial", "lock-free"], "model_size": ["1 B"],
    },
    "backup-workers laws": {
        "means": ["3 s"], "workers": whole(1, 6), "wait_for": up_to("workers"), "fixed": SHORT,
        "distribution": ["exponential", "shifted-exponential", "uniform", "normal", "pareto"],
        "shift": lambda _, q: "2 s" if q["distribution"] == "shifted-exponential" else None,
        "spread": lambda _, q: {"uniform": "2 s", "normal": "0.5 s"}.get(q["distribution"]),
        "tail": lambda _, q: "2.5" if q["distribution"] == "pareto" else None,
        "longer_than": whole(3, 12, "s"),
    },
    "backup-workers measured": {
        "times": [["1 s"] * 3, ["1 s", "2 s", "2 s", "5 s"]], "workers": [3],
        "wait_for": [1, 2, 3], "sampling": ["with", "without"], "longer_than": ["2 s"],
    },
    "backup-workers unlike": {
        "means": several(["1 s", "2 s", "1/3 s", "5/4 s"], 1, 5), "fixed": SHORT,
        "wait_for": lambda random, q: random.randint(1, len(q["means"])), "longer_than": ["4 s"],
    },
    "breakeven ties": {
        **TRIP, **SERVER, "workers": whole(1, 60), "relation": ["exceeds", "reaches"],
        "compute": lambda _, q: _balanced(q),
    },
    "epoch-time dealt": {
        "samples": [8, 9, 47, 48, 49, 95, 97, 145], "batch": [8], "epochs": [1, 3], **SERVER,
        "workers": [1, 2, 6], "compute": ["8 s"], **TRIP, "queue": ["carry", "per_epoch"],
        "last_batch": ["deal"], "batch_for": ["worker", "all_workers"],
    },
    "epoch-time rounds": {
        "samples": whole(48, 200), "batch": [8, 48], "epochs": [1, 3], "workers": [1, 2, 6],
        "compute": ["8 s"], **TRIP, **SERVER, "queue": ["carry", "per_epoch"],
        "last_round": ["partial", "drop", "pad"], "batch_for": ["worker", "all_workers"],
        "last_batch": ["keep", "drop"],
    },
}  # fmt: skip


def _balanced(question: Row) -> str:
    """Computing that lasts as long as all sending with the *workers*, which is no given."""
    down, up, adding = (Fraction(question[name].split()[0]) for name in TRIP)
    links = int(question["workers"]) if question["server_link"] == "shared" else 1
    return f"{links * (down + up) + int(question['workers']) * adding} s"


@pytest.mark.parametrize("name", ROWS)
def test_the_witness_agrees_at_edges(name: str) -> None:
    random, slug, answers = Random(name), name.split()[0], 0
    for _ in range(QUESTIONS):
        question = drawn_row(ROWS[name], random)
        question.pop("_best", None)
        if slug == "breakeven":
            del question["workers"]
        try:
            witnessed(slug, **question)
        except DdcalcError:
            continue
        answers += 1
    assert answers >= ANSWERED
