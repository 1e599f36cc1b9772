"""Sensitivity: how much each given moves the answer, what decides it, and how sure it is."""

from __future__ import annotations

from ddcalc.ask.sensitivity.sensitivity import (
    TEN_PER_CENT,
    Draw,
    Sensitivity,
    sensitivity,
)

__all__ = ["TEN_PER_CENT", "Draw", "Sensitivity", "sensitivity"]
