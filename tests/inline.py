"""Work that a call shares out, done at once in this process."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import Any

import pytest

from ddcalc.boundary import workers
from ddcalc.boundary.workers import WorkerEnded


class Inline(Executor):
    """Works at once, on what is left of data that was sent; ends where a text is *deadly*."""

    jobs = 2

    def __init__(self, deadly: str = "poison") -> None:
        self.deadly, self.tasks = deadly, 0

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.tasks += 1
        if self.deadly in str(arguments):
            future.set_exception(WorkerEnded(-9))
        else:
            sent = pickle.loads(pickle.dumps((work, arguments)))
            future.set_result(pickle.loads(pickle.dumps(sent[0](*sent[1]))))
        return future


def worked_here(monkeypatch: pytest.MonkeyPatch) -> Inline:
    """Who works where there are jobs."""
    executor = Inline()

    @contextmanager
    def opened(*_: object) -> Iterator[Executor]:
        yield executor

    monkeypatch.setattr(workers, "open_executor", opened)
    return executor
