"""Sentences at the edges of what they say: one of a kind, nothing, and rounded numbers."""

from __future__ import annotations

import pytest
from running import ddcalc

EPOCHS = "epoch-time --samples 4 --batch 4 --epochs 1 --download 1s --compute 1s --upload 1s"
FEDERATED = "federated --samples 8 --devices 2 --batch 2 --download 0s --upload 7s --compute 0s"
SAYS = {
    f"{EPOCHS} --workers 3 --aggregate 1s": "1 worker would be as fast: it too needs 1 round.",
    FEDERATED: "The upload takes all of the time.",
    "roofline --peak 1TFLOP/s --bandwidth 820GB/s": (
        "at half of it, about 0.6098, to half the peak, 500 GFLOP/s."
    ),
    "update-rule --workers 2 --clock 1000000000 --staleness 2": (
        "of the other's iterations 999 999 998 to 1 000 000 001, up to 4."
    ),
    "update-rule --workers 1 --clock 3 --staleness 2": "hold worker 1's own gradients of",
    "batch-workers --overhead 3s --per-sample 5s --least-steps 10 --critical-batch 1"
    " --most-workers 8 --price 0USD/h --goal cost": "costs nothing, as with any other number, and",
    "training-steps --samples 64 --batch 4 --epochs 1": "would make only 8 steps in this epoch;",
    "overlap --compute 2s --communication 3/35s": "all of the communication (about 0.08571 s)",
    "compute-optimal --compute 1e22/7": "About 1.429×10²¹ operations are best spent",
    "critical-batch --batches 4,8,16 --step-counts 1,1,1": "its batch of 16 takes 1 step:",
}


@pytest.mark.parametrize("call", SAYS)
def test_sentence(call: str) -> None:
    assert SAYS[call] in " ".join(ddcalc(*call.split()).out.split())
