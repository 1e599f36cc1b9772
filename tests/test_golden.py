"""Whole screens, kept as files: the command in the first line, what it prints below; in ``types``
the page of every type's example, with all that it can show.

``DDCALC_UPDATE_GOLDEN=1 pytest tests/test_golden.py`` writes them anew; read the difference.
Escape characters are stored as ``␛``; ``TTY=1`` in the first line stands for a terminal.
"""

import fcntl
import os
import pty
import shlex
import struct
import termios

import pytest
from questions import TYPES, command
from running import ROOT, Ran, ddcalc, started

FOLDER = ROOT / "tests" / "golden"
PAGES = FOLDER / "types"
SCREENS = {path: path.read_text("utf-8").split("\n")[0] for path in sorted(FOLDER.glob("*.txt"))}
for _type in TYPES:
    SCREENS[PAGES / f"{_type.slug}.txt"] = f"$ ddcalc {shlex.join([*command(_type), '--all'])}"


def _screen(command: str) -> str:
    """The command, its output, and behind them standard error and the exit code if there are."""
    words = shlex.split(command.removeprefix("$ "))
    start = words.index("ddcalc")
    settings = dict(word.split("=", 1) for word in words[:start])
    arguments = words[start + 1 :]
    if "TTY" in settings:
        ran = _on_a_terminal(arguments)
    else:
        encoding = settings.get("PYTHONIOENCODING", "utf-8")
        columns = int(settings.get("COLUMNS", 80))
        ran = ddcalc(*arguments, encoding=encoding, columns=columns)
    screen = f"{command}\n{ran.out}"
    if ran.err:
        screen += f"--- standard error\n{ran.err}"
    return screen + (f"--- exit {ran.code}\n" if ran.code else "")


def _on_a_terminal(arguments: list[str]) -> Ran:
    """A call whose standard output is a terminal of 80 columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 80, 0, 0))
    process = started(*arguments, stdout=theirs, text=False, env={"TERM": "xterm"})
    os.close(theirs)
    printed = b""
    try:
        while chunk := os.read(ours, 65536):
            printed += chunk
    except OSError:  # how Linux says that the other end is closed
        pass
    os.close(ours)
    _, err = process.communicate(timeout=60)
    shown = printed.decode().replace("\r\n", "\n").replace("\x1b", "␛")
    return Ran(process.returncode, shown, err.decode())


@pytest.mark.parametrize("path", SCREENS, ids=lambda path: str(path.relative_to(FOLDER))[:-4])
def test_screen(path, monkeypatch):
    monkeypatch.chdir(FOLDER)
    for name in ("NO_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    screen = _screen(SCREENS[path])
    if os.environ.get("DDCALC_UPDATE_GOLDEN"):
        path.write_text(screen, encoding="utf-8")
    assert screen == path.read_text(encoding="utf-8")


def test_no_page_is_left_of_a_type_that_is_gone():
    assert {*PAGES.iterdir()} <= SCREENS.keys()
