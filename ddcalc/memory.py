"""Functions that remember their results, typed as what they are."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar, cast

F = TypeVar("F", bound=Callable[..., object])
MOST = 512  # results kept of each function


def remembered(function: F) -> F:
    """*function*, whose arguments are hashable, with its last results kept."""
    return cast(F, lru_cache(maxsize=MOST)(function))


def last_remembered(function: F) -> F:
    """*function*, whose arguments are hashable, with its last result kept."""
    return cast(F, lru_cache(maxsize=1)(function))
