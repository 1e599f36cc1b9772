"""The theorems on stale gradients under their own name, at the edges of their conditions."""

from __future__ import annotations

import pytest
from running import ddcalc


@pytest.mark.parametrize("alpha", ["0.2,0,0.01", "0.2,0.01,0", "0.2,0.01", "0.2,0"])
def test_an_age_that_is_left_out_is_told_alike(alpha: str) -> None:
    """No coefficient may be 0 but behind the last age that is used."""
    for part in ("theorems", "conditions"):
        ran = ddcalc("staleness", *f"--low 1 --high 4 --alpha {alpha} --part {part}".split())
        assert ("no coefficient may be below some" in ran.out) == (",0,0" in alpha)


def test_a_coefficient_just_above_the_limit_differs_from_it() -> None:
    ran = ddcalc("stale-sum", "--low", "1", "--high", "7", "--alpha", "0.1429", columns=200)
    assert "is about 4.286×10⁻⁵ more than 0.1429 (1/b)" in " ".join(ran.out.split())
