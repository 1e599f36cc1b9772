"""Sentences at the edges of what they say: one of a kind, nothing, and rounded numbers."""

from __future__ import annotations

import pytest
from running import ddcalc

EPOCHS = "epoch-time --samples 4 --batch 4 --epochs 1 --download 1s --compute 1s --upload 1s"
FEDERATED = "federated --samples 8 --devices 2 --batch 2 --download 0s --upload 7s --compute 0s"
PIPELINE = "pipeline --stages 4 --micro-batches 8"
SENDING = "collective --size 1MB --bandwidth 1GB/s --latency 1us"
MEASURED = "backup-workers --times 1s,2s,3s,10s --workers 3 --wait-for 2 --fixed 1s"
PARETO = "backup-workers --means 2s --workers 5 --distribution pareto --tail 1.5 --runs 100"
DEVICES = "federated --batch 2 --local-epochs 10 --download 7s --compute 4s --upload 7s"
STALE = "staleness --low 1 --high 2"
SAYS = {
    f"{EPOCHS} --workers 3 --aggregate 1s": "1 worker would be as fast: it too needs 1 round.",
    FEDERATED: "The upload takes all of the time.",
    "roofline --peak 1TFLOP/s --bandwidth 820GB/s": (
        "at half of it, about 0.6098, to half the peak, 500 GFLOP/s."
    ),
    "update-rule --workers 2 --clock 1000000000 --staleness 2": (
        "up to iteration K and worker 1's own up to iteration c − 1, about 2 billion in all."
    ),
    "update-rule --workers 1 --clock 3 --staleness 2": "hold all 2 gradients that the worker has",
    "batch-workers --overhead 3s --per-sample 5s --least-steps 10 --critical-batch 1"
    " --most-workers 8 --price 0USD/h --goal cost": "costs nothing, as with any other number, and",
    "energy --devices 512 --power 310W --duration 20d --pue 1.12": "with a PUE of 1.1 it would be",
    "batch-size --batch 2 --overhead 2s --per-sample 1s --critical-batch 1 --least-steps 6": (
        "With the stated batch of 2 it takes as long."
    ),
    "allreduce --workers 3 --size 1kB --latency 5us --bandwidth 100GB/s --algorithm all": (
        "at best, by sending everything to everyone;"
    ),
    "buckets --volume 21B --bucket 10B --compute 21s --bandwidth 2B/s": "the smaller one",
    "critical-batch --batches 32,64 --step-counts 100,60 --batch 640": "10 times the largest batch",
    "training-steps --samples 64 --batch 4 --epochs 1": "would make only 8 steps in this epoch;",
    "overlap --compute 2s --communication 3/35s": "all of the communication (about 0.08571 s)",
    "compute-optimal --compute 1e22/7": "About 1.429×10²¹ operations are best spent",
    "critical-batch --batches 4,8,16 --step-counts 1,1,1": "its batch of 16 takes 1 step:",
    f"{PIPELINE} --forward 20ms --backward 40ms --schedule gpipe": (
        "11 turns forward, then as many backward: (8 + 4 − 1) · 20 ms + (8 + 4 − 1) · 40 ms"
    ),
    f"{PIPELINE} --chunks 1 --rounds megatron": "The bubble is 27.3 % of the whole time",
    "pipeline --stages 4 --micro-batches 6 --chunks 1 --rounds megatron": "The bubble is 33.3 %",
    f"{SENDING} --workers 4": "Time · the rounds follow one another T =",
    f"{SENDING} --workers 4 --operation reduce --reduce 1GB/s": (
        "Bytes added up · one after the other A ="
    ),
    f"{SENDING} --workers 4 --algorithm bidirectional": (
        "where p is even, what goes to or comes from the worker opposite goes half each way"
    ),
    "allreduce --size 1MB --bandwidth 1GB/s --workers 4 --algorithm bidirectional": (
        "two rings, each with half of the data, would take 2(p − 1)"
    ),
    "backup-workers --means 1s --workers 4": (
        "to wait for fewer of them always gives more gradients a second."
    ),
    f"{MEASURED} --sampling without": "Assumes rounds do not depend on each other ·",
    f"{MEASURED} --sampling with": "the times of workers and rounds do not depend on each other",
    f"{PARETO} --wait-for 5": "its variance is infinite, so there is no standard error.",
    f"{PARETO} --wait-for 4": "with a standard error of",
    "timeline --periods 3s,1s --horizon 2s": "25 % of the time on average, 1 s at most. Check",
    "staleness --low 1 --high 1 --alpha 1": "curvature 1 one update leads to the minimum.",
    f"{STALE} --alpha 1,1 --all": "none may be below some c > 0; this is the largest such c",
    f"{STALE} --alpha 0,0,0.2": (
        "no coefficient may be below some c > 0, and one is 0. Yes, it converges all the same:"
    ),
    f"{STALE} --alpha 0,0,3": "while they add up to less than about 0.309.",
    f"{STALE} --alpha 0.2,0": "and nothing is stale. So it converges:",
    f"{STALE} --alpha 0.2 --updates 8 --all": "4 0.4096",
    "backup-workers --means 1s --workers 2": "for the faster one a round would wait 500 ms,",
    "ring-trace --vectors 1,2,3,4,5,6,7,8,9 --processes 3": (
        "with more processes it would be more on average, but never twice."
    ),
    f"{DEVICES} --samples 10 --devices 24": "(10 updates on a device with the most samples)",
    f"{DEVICES} --samples 48 --devices 24": "(10 updates on each device)",
    f"{DEVICES} --samples 10 --devices 4 --updates mean": "updates on a device on average)",
    f"{DEVICES} --samples 80 --devices 8 --participation 0.1 --model 1MB": (
        "2 MB for the one device that takes part."
    ),
    "timeline --periods 3s,3s --horizon 12s --scheme ssp --staleness 0": (
        "The bound never makes anybody wait here."
    ),
    "timeline --periods 3s,2s --horizon 12s --scheme ssp --staleness 9": (
        "The bound never makes anybody wait here."
    ),
    "timeline --periods 2s,2s,2s,2s,2s,2s,2s --horizon 5s --aggregation 0.1s": (
        "of the time on average, 1 s at most."
    ),
}
HIDES = {  # what would be false
    f"{PIPELINE} --forward 20ms --backward 40ms --schedule gpipe": "the first micro-batch takes",
    "pipeline --stages 4 --micro-batches 1 --chunks 2": "Twice as many chunks",
    f"{SENDING} --workers 4 --calls 1": "the calls",
    f"{SENDING} --workers 4 --operation reduce --reduce 1GB/s": "busiest worker",
    f"{PARETO} --wait-for 5": "Standard errors from what is expected",
    "timeline --periods 0.7s,3s,2s,0.7s,0.7s,1s,2s --horizon 24s --scheme async": (
        "its data count most"
    ),
    "allreduce --size 0B --bandwidth 1GB/s --workers 16 --algorithm naive": "smaller messages",
    "transfer --size 0B --bandwidth 1GB/s": "cutting it up is free",
}


@pytest.mark.parametrize("call", SAYS)
def test_sentence(call: str) -> None:
    assert SAYS[call] in " ".join(ddcalc(*call.split()).out.split())


@pytest.mark.parametrize("call", HIDES)
def test_what_is_not_said(call: str) -> None:
    ran = ddcalc(*call.split())
    assert ran.code == 0
    assert HIDES[call] not in " ".join(ran.out.split())
