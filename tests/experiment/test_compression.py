"""What is sent of gradients, and that nothing of them is lost."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import tiny

from ddcalc.experiment.samples import uniform
from ddcalc.experiment.setting import Compression, contender
from ddcalc.experiment.training import Training

MESSAGE = 2 * uniform(101, 4) - 1


@pytest.mark.parametrize("bits", [2, 3, 4, 8, 16])
def test_values_are_rounded_to_the_nearest_level(bits):
    sent = Compression("quantize", bits=bits).sent(MESSAGE)
    step = abs(MESSAGE).max() / (2 ** (bits - 1) - 1)
    assert abs(sent - MESSAGE).max() <= step / 2 * (1 + 1e-12)
    assert len({round(one / step) for one in sent}) <= 2**bits - 1


def test_one_bit_is_the_sign():
    sent = Compression("quantize", bits=1).sent(MESSAGE)
    assert {*abs(sent)} == {abs(MESSAGE).mean()}
    assert (np.sign(sent) == np.sign(MESSAGE)).all()


@pytest.mark.parametrize(("share", "kept"), [("1/1000", 1), ("1/10", 10), ("1/2", 50), ("1", 101)])
def test_the_largest_values_are_sent(share, kept):
    sent = Compression("top", share=Fraction(share)).sent(MESSAGE)
    largest = sorted(range(101), key=lambda i: -abs(MESSAGE[i]))[:kept]
    assert np.flatnonzero(sent).tolist() == sorted(largest)
    assert (sent[largest] == MESSAGE[largest]).all()


def test_nothing_stays_nothing():
    for one in (Compression("quantize", bits=1), Compression("quantize", bits=4)):
        assert not one.sent(np.zeros(5)).any()


@pytest.mark.parametrize(
    ("text", "size"),
    [("sync+quantize:8", "1/4"), ("async+top:1%", "1/50"), ("ssp:1+top:0.25", "1/2")],
)
def test_sizes_of_messages_shorten_their_way(text, size):
    made = tiny.experiment([text], upload="8 s")
    chosen = next(one for one in made.contenders if one.compression)
    assert made.workload(chosen, 1).up == 8 * Fraction(size)
    assert contender(chosen.key, 3) == chosen


@pytest.mark.parametrize("scheme", ["drop:2", "async", "local:3"])
def test_all_values_are_the_same_as_no_compression(scheme):
    kind = scheme.partition(":")[0]
    plain = tiny.trained(tiny.experiment([scheme], (3,)), kind)
    made = tiny.experiment([f"{scheme}+top:100%"], (3,))
    chosen = made.contenders[-1]
    packed = Training(made, tiny.data(), chosen, 1)
    packed.train()
    assert packed.parameters == pytest.approx(plain.parameters, rel=1e-12, abs=1e-14)


def test_what_is_not_sent_is_kept_for_the_next_message():
    made = tiny.experiment(["async+top:30%"])
    training = Training(made, tiny.data(), made.contenders[-1], 1)
    wanted, sent = np.zeros(15), np.zeros(15)
    for i in range(20):
        gradient = uniform(15, 8, i) - 0.5
        wanted += gradient
        sent += training._message(1, gradient)
    assert sent + training._kept[1] == pytest.approx(wanted, abs=1e-12)
    assert not training._kept.get(2, np.zeros(1)).any()
