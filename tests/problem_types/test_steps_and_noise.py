"""training-steps, noise-scale and learning-rate: a rounded warm-up, and what is refused."""

from __future__ import annotations

import pytest
from stating import refusals, results


def test_warm_up_as_a_part_of_all_steps_is_rounded_up() -> None:
    stated = {"samples": 1001, "batch": 10, "epochs": 3}
    assert results("training-steps", **stated, warmup_part="10 %")["warmup_steps"] == 31  # of 303


MEASURED = {"small": "2", "large": "4", "small_square": "3", "large_square": "2"}
STEPS = {"samples": "100", "batch": "10"}


@pytest.mark.parametrize(
    ("slug", "given", "parameter", "message"),
    [
        ("training-steps", {"samples": "100"}, "", "batch or small_batch"),
        ("training-steps", STEPS | {"small_batch": "4"}, "batch", "leave it out"),
        (
            "training-steps", STEPS | {"batch": "101", "last_batch": "drop"}, "samples",
            "do not fill one batch",
        ),
        ("training-steps", STEPS | {"warmup_epochs": "2"}, "warmup_epochs", "more than all"),
        ("noise-scale", MEASURED | {"large": "2"}, "small", "is not smaller"),
        ("noise-scale", MEASURED | {"large_square": "3"}, "large_square", "no noise"),
        ("noise-scale", MEASURED | {"large_square": "1.5"}, "large_square", "no gradient"),
        ("noise-scale", {"variance": "1"}, "", "square"),
        ("noise-scale", MEASURED | {"noise_scale": "3"}, "noise_scale", "in one way"),
        ("learning-rate", {"rate": "1", "batch": "1", "new_batch": "2", "step": "1"}, "", "warmup"),
    ],
)  # fmt: skip
def test_refused(slug: str, given: dict[str, str], parameter: str, message: str) -> None:
    [(name, text)] = refusals(slug, **given)
    assert (name or "") == parameter
    assert message in text
