"""A long run is ended at random moments, by kill -9, Ctrl-C and SIGTERM, and gone on with each
time: nothing is lost, nothing comes twice, no process and no temporary file is left behind."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

CODES = {signal.SIGKILL: -9, signal.SIGINT: 130, signal.SIGTERM: 143}
LINGERING = 5.0  # seconds that processes have for following one that was killed


@dataclass
class Batch:
    """A folder with *problems* in two files, and what a whole run writes for them."""

    folder: Path
    problems: int
    jobs: int
    whole: bytes = b""
    seen: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.folder.mkdir()
        half = self.problems // 2
        yaml = (f"  - {_problem(i)}\n" for i in range(half))
        (self.folder / "a.yaml").write_text("problems:\n" + "".join(yaml))
        lines = (f"{_problem(i)}\n" for i in range(half, self.problems))
        (self.folder / "b.ndjson").write_text("".join(lines))
        call = [*self._call(), "--format", "ndjson"]
        ran = subprocess.run(call, cwd=self.folder, capture_output=True, check=False)
        assert ran.returncode == 2, ran.stderr
        self.whole = ran.stdout

    def _call(self) -> list[str]:
        jobs = ["--jobs", str(self.jobs)] if self.jobs > 1 else []
        return [sys.executable, "-m", "ddcalc", "solve", "a.yaml", "b.ndjson", *jobs]

    def _started(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*self._call(), "--output", "out.ndjson", "--resume"],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def end(self, seconds: float, number: signal.Signals, *, working: bool = False) -> bool:
        """Start a run, or go on with it, and end it after so many *seconds*, of work where it is to
        be *working*; whether that came in time. While Python itself is started, a signal is for
        that."""
        before, size = self._lines(), len(self._content())
        process = self._started()
        while working and len(self._content()) == size and process.poll() is None:
            time.sleep(0.01)
        time.sleep(seconds)
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
        early = number == signal.SIGINT and b"KeyboardInterrupt" in err
        in_time = early or process.returncode in (CODES[number], -number)
        assert in_time or process.returncode == 2, (process.returncode, err)
        # a process that is being started when its parent is killed has nobody who hides its words
        orphaned = number == signal.SIGKILL and b"spawn_main" in err
        assert early or orphaned or b"Traceback" not in err, (number, err)
        lines = self._lines()
        assert lines >= before, "lines were lost"
        if number != signal.SIGKILL:
            assert self._content().count(b"\n") == lines, "a line is torn"
        self.seen["in time" if in_time else "too late"] += 1
        self.seen["lines written"] += lines - before
        self._alone(process.pid)
        return in_time

    def finish(self) -> None:
        """Go on to the end, which is that of a whole run, and once more, which changes nothing."""
        for _ in range(2):
            process = self._started()
            _, err = process.communicate(timeout=600)
            assert process.returncode == 2, err
            assert self._content() == self.whole
        assert b"nothing to do" in err
        left = {path.name for path in self.folder.iterdir()}
        assert left == {"a.yaml", "b.ndjson", "out.ndjson", "out.ndjson.run"}, left

    def clear(self) -> None:
        """Take away what was written."""
        (self.folder / "out.ndjson").unlink(missing_ok=True)
        (self.folder / "out.ndjson.run").unlink(missing_ok=True)

    def _content(self) -> bytes:
        path = self.folder / "out.ndjson"
        return path.read_bytes() if path.exists() else b""

    def _lines(self) -> int:
        """How many whole lines there are, which are the first ones of a whole run."""
        content = self._content()
        kept = content[: content.rfind(b"\n") + 1]
        assert self.whole.startswith(kept), "the lines are not those of a whole run"
        return kept.count(b"\n")

    def _alone(self, session: int) -> None:
        """No process is left of a *session*."""
        until = time.monotonic() + LINGERING
        while left := _processes(session):
            assert time.monotonic() < until, f"processes are left: {left}"
            time.sleep(0.05)


def _problem(number: int) -> str:
    given = {"finish": ["1 s", f"{number} s"], "aggregate": "1 s", "update": "1 s"}
    kind = "sync-stp" if number % 97 == 50 else "sync-step"
    return json.dumps({"id": f"p{number}", "type": kind, "given": given})


def _processes(session: int) -> list[str]:
    """What runs in a *session*."""
    left = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            state = (path / "stat").read_text().rpartition(")")[2].split()
            if int(state[3]) == session and state[0] != "Z":
                left.append((path / "cmdline").read_text().replace("\0", " "))
        except OSError:  # it has ended
            continue
    return left
