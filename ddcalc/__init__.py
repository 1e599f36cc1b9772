"""ddcalc: distributed-training cost problems, solved exactly and explained step by step.

>>> import ddcalc
>>> exam = ddcalc.solve("epoch-time", samples=76800, batch=1536, epochs=10, workers=6,
...                     download="1.5 s", compute="4 s", upload="1.5 s", aggregate="15 ms")
>>> exam.answer.value
Fraction(1191, 2)
"""

from ddcalc.api import Solution, solve
from ddcalc.errors import DdcalcError
from ddcalc.problem import Problem

__all__ = ["DdcalcError", "Problem", "Solution", "solve"]
