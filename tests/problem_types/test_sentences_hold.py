"""Sentences of the types on batches and scale: what they say holds, by counting it another way."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import product
from math import exp
from typing import Any

import pytest
from running import ddcalc
from stating import derivation, results

WEAK = "scaling --processors 16,64 --times 100s,102s --work grows"
PERFECT = "critical-batch --batches 512,1024 --step-counts 50000,25000"
DALY = "checkpoint-interval --write 3600s --failures 1000s --formula daly"
KINDS = "checkpoint-interval --write 30s --components 32,4,1 --lifetimes 25000h,8000h,100000h"
TIED = "speedup --processors 100 --serial 0 --one 100s --communication 5s --growth each"
MEMORY = "model-memory --parameters 7B --workers 8 --zero stage-2 --capacity 16GB --other"
TRAINED = "training-time --parameters 70B --tokens 15T --devices 1024 --peak 989.5TFLOP/s"
BATCHES = "batch-size --overhead 10ms --per-sample 1ms --least-steps 3000 --critical-batch 100"
RUNS = "critical-batch --batches 512,1024,2048 --step-counts 50000,28000,20000"
RENTED = (
    "cost-breakeven --first-once 0USD --first-use 4USD --second-once 30000USD --second-use 1USD"
)

SAID = [  # a call, what it says, and what it does not say
    (WEAK, "a serial part of 2.6 % of the first run's work would explain that.", "run's time"),
    (f"{RUNS} --batch 4096", "fewer steps and about 1.52 times the samples that it gives", "that"
     " saves"),
    (PERFECT, "every batch takes the same 25.6 million samples.", "twice the fewest"),
    (f"{PERFECT} --batch 2048", "A batch of 2 048 takes 12 500 steps and 25.6 million", "largest"),
    (DALY, "Half the interval loses 99.2 %, twice the interval 99.3 %.", "flat"),
    (KINDS, "0.5 % of the time is lost, as much to checkpoints as to work done again.", "0.3 %"),
    (f"{KINDS} --compared 1h", "it would be 0.9 %, about 2 h 6 min more between", "0.4 % of the"),
    (TIED, "a processor more than 4 adds 5 s and saves 5 s.", "only"),
    (f"{MEMORY} 20GB", "With any number of parameters it would not fit", "It would fit"),
    (f"{MEMORY} 16GB", "With any number of parameters it would not fit", "Not even one"),
    (f"{TRAINED} --achieved 400TFLOP/s --recomputed 2 --counts hardware",
     "(HFU) · what is stated as achieved counts what is computed again", "(HFU) · f_r counts"),
    (f"{TRAINED} --achieved 400TFLOP/s --operations 8 --layers 80 --width 8192 --sequence 4096",
     "for each token · 2·f: 12 with f = 6, 16 with 8", "12·L"),
    (f"{BATCHES} --workers 8 --largest-batch 4 --batch 3", "76.9 % of each of them is fixed.",
     "however small"),
    (f"{BATCHES} --workers 8 --all", "as long as 2 < (a + c)·B_crit/(b·n)", "1 + 1 <"),
    (f"{BATCHES} --workers 8", "steps are not rounded up", "whole steps"),
    ("noise-scale --noise-scale 0.5 --batch 1 --least-steps 1000", "less than one: even the"
     " gradient of a single sample", "0.5 of this batch"),
    ("roofline --peak 1TFLOP/s --bandwidth 8TB/s", "With any number of tokens computation is",
     "with fewer"),
    ("scaling --processors 2,4 --times 10s,6s --all", "one processor's time · by Karp and Flatt",
     "part of one processor's time (Karp"),
    (f"{RENTED} --use 9999.9999", "0.0003 USD", "saves only 30 000 USD of the 30 000 USD"),
    (f"{RENTED} --use 10001", "3 USD (0.01 %) less", "price of 4 USD were about 4 USD"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "says", "never"), SAID)
def test_it_says(call: str, says: str, never: str) -> None:
    ran = ddcalc(*call.split(), columns=1000)
    said = " ".join(ran.out.split())
    assert ran.code == 0
    assert says in said
    assert never not in said


def test_the_cases_of_the_critical_batch_are_unlike() -> None:
    shown = " ".join(ddcalc("show", "critical-batch", columns=1000).out.split())
    assert "B_crit = 0 if E_min = 0, no value if S_min = 0, else E_min/S_min" in shown


def test_perfect_scaling_has_an_efficiency_and_steps() -> None:
    for fit in ("samples", "steps"):
        runs = {"batches": [512, 1024, 2048], "step_counts": [50000, 25000, 12500], "fit": fit}
        found = results("critical-batch", **runs, batch=100)
        assert [found[name] for name in ("critical", "efficiency", "predicted")] == [
            None,
            1,
            256000,
        ]


@pytest.mark.parametrize(("growth", "communication"), [*product(("each", "tree"), (1, 3, 10, 60))])
def test_no_number_of_processors_is_faster_than_the_best(growth: str, communication: int) -> None:
    for serial, many in product((0, Fraction(1, 10), Fraction(1, 2), 1), (1, 7, 64)):
        stated = {"processors": many, "serial": serial, "one": "100 s", "growth": growth}
        found = results("speedup", **stated, communication=f"{communication} s")

        def time(p: int, serial: Fraction | int = serial) -> Fraction | int:
            sends = p if growth == "each" else (p - 1).bit_length()
            return serial * 100 + (1 - serial) * Fraction(100, p) + sends * communication * (p > 1)

        first = min(range(1, 400), key=time)
        assert (found["best"], found["soonest"]) == (first, time(first))


def spoken(slug: str, **stated: str) -> tuple[Any, str]:
    """The exact values of a question, and all that its answer means."""
    words = derivation(slug, **stated).commentary().insights
    return results(slug, **stated), " ".join("".join(map(str, one)) for one in words)


@pytest.mark.parametrize(("write", "failures"), [*product((1, 60, 900, 5000), (600, 10**4, 10**6))])
def test_a_flat_minimum_takes_hardly_longer_beside_it(write: int, failures: int) -> None:
    for formula in ("young", "daly", "exact"):
        stated = {"write": f"{write} s", "failures": f"{failures} s", "formula": formula}
        found, said = spoken("checkpoint-interval", **stated)

        def wall(tau: float) -> float:
            return failures * (exp((tau + write) / failures) - 1) / tau

        tau = float(found["interval"])
        beside = max(wall(tau / 2), wall(2 * tau)) / wall(tau)
        assert ("is flat" in said) == (beside <= 1.05 and wall(tau / 2) >= wall(tau))


@pytest.mark.parametrize(("a", "b", "workers"), [*product((1, 10, 70), ("1", "1/3"), (1, 8))])
def test_a_bound_in_per_cent_is_one(a: int, b: str, workers: int) -> None:
    lines = {"overhead": f"{a} s", "per_sample": f"{b} s", "workers": str(workers)}
    found, said = spoken("batch-size", **lines, least_steps="7", critical_batch="100")
    best = found["best"]

    def time(batch: Fraction | int) -> Fraction:
        return (1 + Fraction(100) / (workers * batch)) * (a + Fraction(b) * batch)

    for bound in re.findall(r"at most ([\d.]+) % longer", said):
        tried = [Fraction(best, 2), *range(-(-best // 2), 2 * best + 1)]
        assert max(map(time, tried)) <= time(best) * (1 + Fraction(bound) / 100)
