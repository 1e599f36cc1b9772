"""ddcalc: distributed-training cost problems, solved exactly and explained step by step.

>>> import ddcalc
>>> exam = ddcalc.solve("epoch-time", samples=76800, batch=1536, epochs=10, workers=6,
...                     download="1.5 s", compute="4 s", upload="1.5 s", aggregate="15 ms")
>>> exam.answer.value
Fraction(1191, 2)
"""

TYPE_CHECKING = False  # what it is while we run; typing takes time to import
if TYPE_CHECKING:
    from ddcalc.api import *  # noqa: F403

__all__ = [  # noqa: F405
    "Answers",
    "Compared",
    "DdcalcError",
    "Found",
    "Loaded",
    "Marks",
    "Problem",
    "Sensitive",
    "Solution",
    "Swept",
    "compare",
    "find",
    "load",
    "mark",
    "sensitivity",
    "solve",
    "sweep",
    "variants",
]
__dir__ = __all__.copy  # the public names, for completion and for ``help(ddcalc)``


def __getattr__(name: str) -> object:
    """The public names, imported when they are used: the command line has its own way in."""
    if name not in __all__:
        raise AttributeError(f"module 'ddcalc' has no attribute {name!r}")
    from ddcalc import api

    return getattr(api, name)
