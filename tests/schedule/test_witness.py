"""The engine against a witness that only knows the definitions, and against SimPy."""

from dataclasses import replace

import pytest
import witness_schemes
from hypothesis import given
from hypothesis import settings as running
from playing import of_setting, settings
from simpy_witness import CASES
from witness_schemes import Setting

HORIZON = 40


def _agrees(setting: Setting) -> None:
    gradients = [tuple(gradient) for gradient in of_setting(setting, HORIZON)]
    assert gradients == witness_schemes.played(setting, HORIZON)


@running(max_examples=500)
@given(settings())
def test_every_field_of_every_gradient(setting: Setting) -> None:
    _agrees(setting)


@given(settings(least=0))
def test_computations_that_take_no_time(setting: Setting) -> None:
    _agrees(replace(setting, up=max(setting.up, 1)))


@given(settings(["cancel"], most=20))
def test_many_workers_that_are_interrupted(setting: Setting) -> None:
    _agrees(setting)


@pytest.mark.parametrize("name", [name for name in CASES if CASES[name].workers == 8])
def test_simpy_counts_the_same(name: str) -> None:
    assert CASES[name].ours() == CASES[name].theirs()
