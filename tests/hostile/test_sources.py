"""Files that are none: folders, pipes, devices, sockets, links, and those that cannot be read."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from harness import BEFORE, HEAD, SECONDS, solve_lines
from running import ddcalc

from ddcalc.cli import session
from ddcalc.problem import index

GOOD = HEAD + BEFORE


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good.yaml").write_text(GOOD)
    Path("also.yaml").write_text(GOOD)


def made(name: str) -> str:
    """Something that is no good file, called *name*."""
    match name:
        case "fifo.yaml":
            os.mkfifo(name)
        case "socket.yaml":
            with socket.socket(socket.AF_UNIX) as made_here:
                made_here.bind(name)
        case "folder.yaml":
            Path(name).mkdir()
        case "broken.yaml":
            Path(name).symlink_to("nowhere.yaml")
        case "circle.yaml":
            Path(name).symlink_to(name)
        case "pipe-link.yaml":
            os.mkfifo("pipe")
            Path(name).symlink_to("pipe")
        case "null-link.yaml":
            Path(name).symlink_to("/dev/zero")
        case "empty.yaml":
            Path(name).touch()
        case "large.yaml" | "larger.yaml":
            with open(name, "wb") as file:
                file.truncate((1 << 30) + (name == "larger.yaml"))
        case "under/a/file":
            return "good.yaml/x"
    return name


NAMES = {
    "fifo.yaml": "is a pipe",
    "socket.yaml": "",
    "folder.yaml": "no problem files",
    "broken.yaml": "No such file",
    "circle.yaml": "",
    "pipe-link.yaml": "is a pipe",
    "null-link.yaml": "is a device",
    "empty.yaml": "is empty",
    "large.yaml": "U+0000",
    "larger.yaml": "U+0000",
    "missing.yaml": "No such file",
    "under/a/file": "Not a directory",
    "/dev/null": "is a device",
    "/dev/zero": "is a device",
    "/dev/tty": "",
    "/dev/stdin": "",
    "/proc/self/mem": "",
    "/proc/kmsg": "",
    "\x1b[31m.yaml": r"\x1b[31m.yaml",
    "a\0b": "NUL",
}


@pytest.mark.parametrize("name", NAMES)
def test_refused_and_the_other_files_solved(name: str) -> None:
    ran = solve_lines("good.yaml", made(name), "also.yaml")
    assert ran.code == 2
    before, *wrong, after = [line["status"] for line in ran.lines]
    assert (before, {*wrong}, after) == ("solved", {"error"}, "solved")
    assert len(wrong) == 1 or name == "/proc/kmsg"  # which has lines if the kernel said something
    assert NAMES[name] in ran.lines[1]["error"]["message"] + str(ran.lines[1]["file"])
    assert ran.seconds < SECONDS


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_unreadable() -> None:
    Path("secret.yaml").write_text(GOOD)
    os.chmod("secret.yaml", 0)
    assert solve_lines("secret.yaml", "good.yaml").code == 2


@pytest.mark.parametrize(
    "text",
    [
        "problems:\n" + "- x\n" * 300,
        '{"id": "a", "type": "sync-step"}\n' + "x\n" * 300,
        "type: sync-step\ngiven:\n" + "".join(f"  k{n}: 1 s\n" for n in range(300)),
    ],
    ids=["elements", "lines", "names"],
)
def test_errors_that_are_not_shown_are_counted_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str
) -> None:
    """None of them is put into words, nor is it found out what was meant."""
    done: list[object] = []
    for owner, name in ((session, "diagnostic"), (index, "meanings")):
        usual = getattr(owner, name)

        def counted(*arguments: object, usual: Callable[..., object] = usual) -> object:
            done.append(usual)
            return usual(*arguments)

        monkeypatch.setattr(owner, name, counted)
    (tmp_path / "a").write_text(text)
    ran = ddcalc("solve", tmp_path / "a")
    assert ran.code == 2
    assert ran.err.count("error: ") == session.SHOWN
    assert re.search(r"and 25\d more errors", ran.err)
    assert max(map(done.count, done)) <= session.SHOWN
