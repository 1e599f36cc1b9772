"""The exam's questions, as givens are written."""

from __future__ import annotations

from ddcalc.problem.stated import Texts

BREAKEVEN: Texts = {"download": "1.5 s", "compute": "4 s", "upload": "1.5 s", "aggregate": "15 ms"}
EXAM: Texts = {"samples": "76800", "batch": "1536", "epochs": "10", "workers": "6", **BREAKEVEN}
