"""Settings for all tests, and what holds for every child process that they start."""

import gc
import os
import signal
import subprocess
from collections.abc import Generator
from contextlib import suppress
from typing import Any

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings

# Examples take milliseconds, but a loaded machine must not fail one. New ones are looked for at the
# desk; `--hypothesis-profile=ci` tries half as many of every property, the same in every run.
settings.register_profile("ddcalc", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, database=None, print_blob=True)
settings.load_profile("ddcalc")

gc.set_threshold(100_000, 20, 20)  # as the program has it

for _forced in ("FORCE_COLOR", "CLICOLOR_FORCE"):  # screens are compared without colours
    os.environ.pop(_forced, None)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What is asked of a problem type stands together, so that one process remembers what is worked
    out of it; in the profile ci the examples of every property are halved, whatever their number.
    """
    items.sort(key=_type)
    if config.getoption("--hypothesis-profile") != "ci":
        return
    for test in {getattr(item, "obj", None) for item in items}:
        chosen = getattr(test, "_hypothesis_internal_use_settings", None)
        if test is not None and chosen is not None:
            half = settings(chosen, max_examples=-(-chosen.max_examples // 2))
            test._hypothesis_internal_use_settings = half


def _type(item: pytest.Item) -> str:
    """The problem type that a test is about; "" where it is not about one."""
    told = getattr(item, "callspec", None)
    return str(getattr(told.params.get("problem"), "slug", "")) if told else ""


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Doctests stand in the package only: test modules are not searched for them."""
    return [file for file in (yield) if not isinstance(file, DoctestModule)]


@pytest.fixture(scope="session", autouse=True)
def interruptible():
    """Children can be interrupted, though a shell starts ``pytest &`` with SIGINT ignored."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of the test, in which it runs."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def children_end():
    """No child outlives its test, whatever became of the test."""
    started: list[subprocess.Popen[Any]] = []
    usual = subprocess.Popen.__init__

    def noted(self: subprocess.Popen[Any], *arguments: Any, **more: Any) -> None:
        usual(self, *arguments, **more)
        started.append(self)

    subprocess.Popen.__init__ = noted  # type: ignore[method-assign]
    try:
        yield
    finally:
        subprocess.Popen.__init__ = usual  # type: ignore[method-assign]
        for process in started:
            if process.poll() is None:
                process.kill()
                process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream is not None and not stream.closed:
                    with suppress(OSError):
                        stream.close()
