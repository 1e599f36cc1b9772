"""What cannot be written is said or passed over as promised, never lost in silence."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys

import pytest

from ddcalc.boundary.output import Output, ascii_only
from ddcalc.boundary.signals import Terminated, interruptible
from ddcalc.errors import OutputFailed

WRITER = """
import sys
from ddcalc.boundary.output import CLOSED_PIPE, ClosedPipe, Output
from ddcalc.errors import OutputFailed
try:
    for _ in range(LOOPS):
        Output().write(TEXT)
except ClosedPipe:
    sys.exit(CLOSED_PIPE)
except OutputFailed as error:
    sys.stderr.write(str(error))
    sys.exit(3)
"""


def run(text: str, redirect: str = "", loops: int = 1, **environment: str) -> tuple[int, str, str]:
    """Exit code, output and messages of a process that writes *text*."""
    code = WRITER.replace("TEXT", repr(text)).replace("LOOPS", str(loops))
    done = subprocess.run(
        ["bash", "-c", f'set -o pipefail; "$0" -c "$1" {redirect}', sys.executable, code],
        capture_output=True,
        env={**os.environ, **environment},
        check=False,
    )
    return done.returncode, done.stdout.decode("latin-1"), done.stderr.decode()


def test_a_full_disk() -> None:
    code, _, message = run("x", "> /dev/full")
    assert (code, message) == (3, "cannot write standard output: No space left on device")


def test_closed_output() -> None:
    code, _, message = run("x", ">&-")
    assert (code, message) == (3, "cannot write standard output: it is closed")


def test_a_closed_pipe_is_quiet() -> None:
    assert run("x" * 100_000, "| true", loops=50) == (141, "", "")


def test_a_stream_of_ones_own() -> None:
    stream = io.StringIO()
    output = Output(stream)
    output.write("⌈1⌉")
    assert (stream.getvalue(), output.unicode, output.interactive) == ("⌈1⌉", True, False)
    stream.close()
    with pytest.raises(OutputFailed):
        output.write("x")
    with pytest.raises(OutputFailed, match="standard error: it is closed"):
        Output(None, "standard error").write("x")


def test_after_a_failure_nothing_seems_written() -> None:
    with open("/dev/full", "w") as full:  # the stream's own closing must be quiet, too
        output = Output(full, "the list")
        for _ in range(2):
            with pytest.raises(OutputFailed, match="the list"):
                output.write("x")


def test_ascii_only() -> None:
    assert ascii_only("⌊a₁₂⌋·η − ‖∇f‖ ≈ 3 × Δ… ✓✗ ─│├") == (
        "floor(a_12)*eta - ||grad f|| ~= 3 x Delta... okwrong -|+"
    )
    assert ascii_only("2·√50 + √x₁₂/√λ − √(a/b)") == (
        "2*sqrt(50) + sqrt(x_12)/sqrt(lambda) - sqrt(a/b)"
    )


def test_sigterm_is_an_exception_once() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(Terminated), interruptible():
        os.kill(os.getpid(), signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is before
