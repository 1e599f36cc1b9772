"""Sentences where the numbers are at an edge: what is said there, and what is not."""

from __future__ import annotations

import pytest
from running import ddcalc

BREAKEVEN = "breakeven --download 1.5s --compute 4s --upload 1.5s"
RAMP = "batch-ramp --batches 2047,2048 --increment 1 --ramp-samples 1 --samples"
GATHERED = "accumulation --workers 2 --small-batch 64 --pass-time 1s"
PLANS = "batch-workers --overhead 30ms --per-sample 1ms --least-steps 3000 --critical-batch 100"
SAID = [  # a question, what is said, and what is not
    (f"{GATHERED} --passes 4 --exchange 1s --exchanged each", "(together 50 % of the step)", ""),
    (f"{GATHERED} --target 2", "One pass would do with 1 sample of a", "The same 1 pass"),
    (f"{BREAKEVEN} --aggregate 15ms", "longer even with one.", "1 worker on"),
    (f"{BREAKEVEN} --aggregate 1/100000s", "computation: with one fewer it takes as long.", "4 s;"),
    (
        f"{BREAKEVEN} --aggregate 3/200000s --relation reaches",
        "computation, by 5 µs; with one fewer it takes 10 µs less.",
        "about 4 s against 4 s",
    ),
    (
        f"{BREAKEVEN} --aggregate 1/100000s --relation reaches",
        "as computation: with one fewer it takes 10 µs less.",
        "about 4 s",
    ),
    (
        "split-batch --compute 24s --aggregate 1/4000000s",
        "250 ns of aggregation and save less computing",
        "of computing.",
    ),
    ("sync-step --finish 1s,2s,2s --aggregate 1s --update 1s", "the other one waits", "others"),
    (
        "sync-step --finish 0.38s,3000s --aggregate 0.3s --update 0.25s",
        "wait 50 % of it for the last gradient; the rest is waiting for the server.",
        "0.02 %",
    ),
    (f"{RAMP} 300000", "during the first update; the other 146 have a batch of 2 048", "1 update;"),
    (f"{RAMP} 4095", "during the first update; the last one has a batch", "the other 1"),
    (
        "batch-ramp --samples 300000 --batches 1,1 --parts 1,1 --constant 300000",
        "300 000 updates, 300 000 times the 1 of a constant batch",
        "10⁶ %",
    ),
    (
        "batch-ramp --samples 300000 --batches 512,2048 --parts 1,1",
        "only where an update does not take longer in proportion to its batch",
        "takes no longer",
    ),
    (f"{PLANS} --most-workers 1 --deadline 1s", "One worker does not meet", "of those up to 1"),
    (
        "crossbow --round-times 4s,3000s --samples 1 --batch 1 --epochs 2,1/1000",
        "1 learner, which takes 8 s, about 5.333 times as long.",
        "% longer",
    ),
    ("crossbow --models 1 --gradients 2 --average 2 --eta 0.1", "It is 0.8 from", "1/1"),
    (
        "crossbow --models 1,2,3 --gradients 2,1,1 --average 2 --eta 0.1 --alpha 0 --previous 1",
        "leaves every learner alone.",
        "the average where it is",
    ),
    (
        "crossbow --models 1,3 --gradients 2,1 --average 2 --eta 0.1 --alpha 1",
        "The average stays at 2.",
        "move the average",
    ),
    (
        "low-rank --rows 4096 --columns 4096 --rank 20 --wanted 1",
        "The largest rank with no more bytes than the matrix is 2 048.",
        "1 times fewer",
    ),
    (
        "low-rank --rows 65536 --columns 1 --rank 1 --wanted 4.92",
        "Even rank 1 has more bytes than the matrix.",
        "only about 1.",
    ),
    (
        "low-rank --rows 20 --columns 12534 --rank 4 --bandwidth 1B/s --decode 1s",
        "Yes, it is worth it",
        "only 4.992 times as fast",
    ),
    (
        "low-rank --rows 1 --columns 4096 --rank 1 --bandwidth 21250000000/7B/s --workers 2",
        "takes about 1.318 ns longer with compression than the 5.397 µs without.",
        "and only",
    ),
    ("quantize --values 25M --levels 1", "up to about 70.71 times", "every 1 value"),
    ("quantize --values 100 --levels 30", "at most 11.2 % of the square", "at most 11.1 %"),
    ("sparsify --values 3000 --kept 5 --index bitmap", "Up to 99.9 %", "up to 99.8 %"),
    ("error-feedback --vector 62/7,5,5,5,6", "so far is no more", "In length"),
    ("stale-sum --low 1 --high 7 --alpha 1/5", "more than about 0.1429 (1/b)", "= about"),
    (
        "error-feedback --vector 1.111111,2,3,4,590 --method top_k --kept 1",
        "never adds up to more than 4 times the sizes of one gradient, about 2 400.",
        "= about",
    ),
    (
        "stale-sum --low 1 --high 7 --alpha 1/7 --beta 1/10 --ages 2",
        "to 95.8 % of itself or less",
        "95.7 %",
    ),
    ("staleness-penalty --strength 100 --staleness 15", "next to nothing of the", "takes 100 %"),
    ("staleness-penalty --strength 3 --staleness 2", "takes 95 % of what is left", "half of it"),
    (
        "sync-interval --communication 12.2ms --weight 1s --drift 1/1000",
        "after every 4 local steps",
        "flat",
    ),
    (
        "ridge --targets 6.44,3 --inputs 60,800 --eta 0.24",
        "The true curvature is about 1 287 200; the bounds are 0.48 (a) and 1 287 200 (b).",
        "in all, less than 1",
    ),
    (
        "divergence --starts 0s,0.1s --update 0.2s --horizon 0.4s --compare same-time",
        "1 gradient that only the asynchronous run has made adds at most ηΔ",
        "1 gradients",
    ),
]


@pytest.mark.parametrize(("call", "said", "unsaid"), SAID, ids=[call for call, *_ in SAID])
def test_sentence_at_an_edge(call: str, said: str, unsaid: str) -> None:
    shown = ddcalc(*call.split(), columns=200)
    page = " ".join(shown.out.partition("\nAnswer")[2].split())
    assert not shown.code
    assert said in page
    assert not unsaid or unsaid not in page
