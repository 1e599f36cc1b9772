"""ddcalc called as from a shell, in this process or in one of its own."""

import gc
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path
from time import process_time
from typing import Any
from unicodedata import category
from unittest.mock import patch

from ddcalc.cli.main import run

ROOT = Path(__file__).parents[1]
# what stands in a file: a problem that is solved as expected, and a block of the same
GIVEN = "given: {finish: [1 s, 2 s], aggregate: 1 s, update: 1 s}"
GOOD = f"- {{id: good, type: sync-step, {GIVEN}, expect: {{total: 4 s}}}}\n"
BLOCK = """\
  - id: %s
    type: sync-step
    given:
      finish: [1 s, 2 s]
      aggregate: 1 s
      update: 1 s
"""


@dataclass(frozen=True)
class Ran:
    """What a call printed, its exit code, and the processor's seconds."""

    code: int
    out: str
    err: str
    seconds: float = 0


def ddcalc(*arguments: str | Path, encoding: str = "utf-8", columns: int | str = 80) -> Ran:
    """A call in this process, into a pipe of *encoding*."""
    out, err = (TextIOWrapper(BytesIO(), encoding, newline="") for _ in range(2))
    call = [str(argument) for argument in arguments]
    with (
        patch.dict(os.environ, {"COLUMNS": str(columns)}),
        patch("sys.argv", ["ddcalc", *call]),
        patch("sys.stdout", out),
        patch("sys.stderr", err),
    ):
        gc.freeze()  # what other tests have left is not collected at this call's cost
        began = process_time()
        code = run(call)
        seconds = process_time() - began
        gc.unfreeze()
        texts = []
        for stream in (out, err):
            stream.flush()
            stream.seek(0)
            texts.append(stream.read())
    return Ran(code, texts[0], texts[1], seconds)


FORBIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def assert_clean(text: str) -> None:
    """Nothing in *text* that a terminal would obey, and no traceback."""
    wrong = {f"U+{ord(c):04X}" for c in {*text} - {"\n"} if category(c) in FORBIDDEN}
    assert not wrong, f"{wrong} in {text[:300]!r}"
    assert "Traceback (most recent" not in text


def python(
    code: str, *, env: Mapping[str, str] | None = None, flags: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    """*code* run by an interpreter of its own."""
    return subprocess.run(
        [sys.executable, *flags, "-c", code],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONUTF8": "1", "COLUMNS": "80", **(env or {})},
    )


def started(*arguments: str | Path, text: bool = True, **how: Any) -> subprocess.Popen[Any]:
    """``ddcalc`` in a process of its own, with pipes for what it prints; *how* is that of Popen."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": {}, **how}
    pipes["env"] = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", **pipes["env"]}
    call = [sys.executable, "-m", "ddcalc", *map(str, arguments)]
    return subprocess.Popen(call, text=text, encoding="utf-8" if text else None, **pipes)
