"""Files are written whole or not at all, and never over what must stay: in real processes."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from inspect import getsource
from pathlib import Path

import pytest
from running import python

from ddcalc.boundary import files
from ddcalc.errors import BadTarget, OutputFailed

IMPORTS = """from __future__ import annotations
import os, sys, time
from ddcalc.boundary import files"""
OLD, NEW = "old", "new ⌈b⌉ é 漢\n" * 5000


pytestmark = pytest.mark.usefixtures("folder")


def write(name: str, text: str, force: bool = False, inputs: Sequence[str] = ()) -> None:
    with files.whole(name, force, inputs) as file:
        file.write(text.encode())


def strays() -> list[str]:
    return sorted(name for name in os.listdir() if name.startswith(".ddcalc-"))


def stray(process: int, node: str = files._NODE, token: str = "0123456789abcdef") -> Path:
    """A temporary file as *process* would leave it."""
    path = Path(files._NAME.format(node=node, process=process, token=token))
    path.write_text("half")
    return path


def program(code: str) -> str:
    """*code* with the writer imported."""
    return f"{IMPORTS}\n{getsource(write)}\n{code}"


def ran(code: str) -> tuple[int, str]:
    """The exit code of *code* in a process of its own, and what it said."""
    process = python(program(code))
    return process.returncode, process.stdout + process.stderr


def dead() -> int:
    """The id of a process that lives no more."""
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


@pytest.mark.parametrize("name", ["x.txt", "in/x.txt", "in/../x.txt", "-x.txt", "é 漢"])
def test_what_is_written(name):
    Path("in").mkdir()
    write(name, NEW)
    assert Path(name).read_bytes() == NEW.encode()
    usual = os.umask(0o027)
    os.umask(usual)
    assert Path(name).stat().st_mode & 0o777 == 0o666 & ~usual
    write(Path(name).absolute().as_posix(), "shorter", force=True)
    assert Path(name).read_bytes() == b"shorter"
    there = {os.path.normpath(path) for path in Path().rglob("*")}
    assert there == {"in", os.path.normpath(name)}


def linked(name: str, to: str) -> None:
    Path(name).symlink_to(to)


MADE: dict[str, Callable[[], object]] = {
    "a symbolic link": lambda: linked("x", "kept"),
    "a dangling symbolic link": lambda: linked("x", "missing"),
    "a link to a folder": lambda: linked("x", "."),
    "a folder": lambda: Path("x").mkdir(),
    "a pipe": lambda: os.mkfifo("x"),
    "a socket": lambda: socket.socket(socket.AF_UNIX).bind("x"),
    "an existing file": lambda: Path("x").write_text(OLD),
    "an empty file": lambda: Path("x").touch(),
}
ACTS = (files.check, partial(write, text=NEW))
WRITABLE = ("an existing file", "an empty file")


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("act", ACTS)
def test_what_stands_in_the_way(act, kind, force):
    Path("kept").write_text(OLD)
    MADE[kind]()
    before = os.lstat("x")
    if force and kind in WRITABLE:
        write("x", NEW, force=True)
        assert Path("x").read_text() == NEW
        return
    with pytest.raises(BadTarget) as refused:
        act("x", force=force)
    exists = "already exists; use --force to replace it"
    assert str(refused.value).endswith(exists if kind in WRITABLE else "; choose another name")
    assert refused.value.place.file == "x"
    assert os.path.samestat(before, os.lstat("x"))
    assert sorted(os.listdir()) == ["kept", "x"]
    assert Path("kept").read_text() == OLD


@pytest.mark.parametrize("other", ["x", "./x", "in/../x", "symbolic", "hard"])
def test_an_input_is_never_replaced(other, folder):
    Path("in").mkdir()
    Path("x").write_text(OLD)
    linked("symbolic", "x")
    os.link("x", "hard")
    for named in ("x", str(folder / "x")):
        with pytest.raises(BadTarget, match="is read in the same call"):
            write(named, NEW, force=True, inputs=["missing", "\0", other])
    assert Path("x").read_text() == OLD
    write("y", NEW, inputs=[other])
    write("y", OLD, force=True, inputs=[other])


REFUSED = {
    **dict.fromkeys(["", "in/", "/", "a\0b", "\ud800", "in/\ud800"], "is not a name for a file"),
    **dict.fromkeys(["no/x", "dangling/x"], "its folder does not exist; make it first"),
    **dict.fromkeys(["a" * 300, "a/" * 5000 + "x"], "its name is too long; choose a shorter one"),
    "file/x": "what should be its folder is a file",
    "circle/x": "Too many levels of symbolic links",
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("act", ACTS)
def test_names_that_are_refused(name, act):
    Path("in").mkdir()
    Path("file").touch()
    linked("dangling", "missing")
    linked("circle", "circle")
    with pytest.raises((BadTarget, OutputFailed)) as refused:
        act(name)
    assert str(refused.value).endswith(REFUSED[name])
    assert len(str(refused.value)) < 300
    assert sorted(os.listdir()) == ["circle", "dangling", "file", "in"]


# Some machine fails


MACHINES = {
    """
os.chmod(".", 0o555)
if os.geteuid() == 0:  # root gives up being root for it
    os.setgroups([]); os.setegid(65534); os.seteuid(65534)
""": "no permission; choose a folder that you may write in",
    """
import resource  # as on a full disk the first bytes still fit
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
""": "File too large",
}


@pytest.mark.parametrize("code", MACHINES)
def test_a_machine_that_refuses(code):
    Path("x").write_text(OLD)
    writing = f"""
for name in "xy":
    try:
        write(name, {NEW!r}, force=True)
    except files.OutputFailed as error:
        print(error)
"""
    said = MACHINES[code]
    assert ran(code + writing) == (0, f"cannot write x: {said}\ncannot write y: {said}\n")
    Path().chmod(0o755)
    assert (os.listdir(), Path("x").read_text()) == (["x"], OLD)


def refusing(*_: object, **__: object) -> None:
    raise PermissionError(1, "Operation not permitted")


def test_a_file_system_without_links(monkeypatch):
    monkeypatch.setattr(os, "link", refusing)
    write("x", NEW)
    assert (os.listdir(), Path("x").read_text()) == (["x"], NEW)
    with pytest.raises(BadTarget, match="already exists"):
        write("x", OLD)
    monkeypatch.setattr(os, "replace", refusing)
    with pytest.raises(OutputFailed):
        write("y", NEW)
    assert (os.listdir(), Path("x").read_text()) == (["x"], NEW)


# Somebody else is at work in the same folder


def meanwhile(act: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """*act* happens once, when the next file has been filled."""
    fsync = os.fsync

    def acting(descriptor: int) -> None:
        monkeypatch.setattr(os, "fsync", fsync)
        fsync(descriptor)
        act()

    monkeypatch.setattr(os, "fsync", acting)


@pytest.mark.parametrize("force", [False, True])
def test_a_folder_that_is_exchanged(force, monkeypatch):
    for name in ("in", "elsewhere"):
        Path(name).mkdir()

    def exchange() -> None:
        Path("in").rename("moved")
        linked("in", "elsewhere")

    meanwhile(exchange, monkeypatch)
    write("in/x", NEW, force=force)
    assert os.listdir("elsewhere") == []
    assert os.listdir("moved") == ["x"]


RACE = """
os.fsync = lambda descriptor: None  # so that the moves come thick and fast
if not {links}:
    def link(*_, **__): raise PermissionError(1, "Operation not permitted")
    os.link = link
print(os.getpid(), flush=True)
while time.time() < {start}:
    pass
for i in range(100):
    try:
        write(f"x{{i}}", f"{{os.getpid()}} " * 500, force={force})
    except files.BadTarget as error:
        assert "exists" in str(error)
    else:
        print(i)
"""


@pytest.mark.parametrize(("links", "force"), [(True, True), (True, False), (False, False)])
def test_two_writers_at_once(links, force):
    """Without force one of them wins each file, with it the last one; nothing is mixed."""
    code = program(RACE.format(links=links, start=time.time() + 1, force=force))
    with ThreadPoolExecutor(3) as threads:
        writers = [*threads.map(python, [code] * 3)]
    assert [(writer.returncode, writer.stderr) for writer in writers] == [(0, "")] * 3
    won = {process: wins for process, *wins in (map(int, one.stdout.split()) for one in writers)}
    wins = sorted(number for numbers in won.values() for number in numbers)
    assert wins == sorted([*range(100)] * (3 if force else 1))
    for i in range(100):
        texts = {f"{process} " * 500 for process, wins in won.items() if i in wins}
        assert Path(f"x{i}").read_text() in texts
    assert not strays()


# The process ends early


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("after", [True, False])
@pytest.mark.parametrize("call", ["open", "fsync", "link", "replace", "unlink"])
def test_interrupted_at_any_call(call, after, links, force, monkeypatch):
    """By Ctrl-C just before or *after* it, which is not forgotten: no stray, the target whole."""
    if not links:
        monkeypatch.setattr(os, "link", refusing)
    usual = getattr(os, call)
    for wanted in range(5):
        Path("x").unlink(missing_ok=True)
        if force:
            Path("x").write_text(OLD)
        calls = 0

        def interrupted(*args: object, **named: object) -> object:
            nonlocal calls
            calls += 1
            if calls == wanted + 1 and not after:  # noqa: B023
                os.kill(os.getpid(), signal.SIGINT)
            try:
                return usual(*args, **named)
            finally:
                if calls == wanted + 1 and after:  # noqa: B023
                    os.kill(os.getpid(), signal.SIGINT)

        with monkeypatch.context() as patched:
            patched.setattr(os, call, interrupted)
            try:
                write("x", NEW, force=force)
                was_interrupted = False
            except KeyboardInterrupt:
                was_interrupted = True
        assert was_interrupted == (calls > wanted)
        assert set(os.listdir()) <= {"x"}
        assert Path("x").exists() or not force
        assert not Path("x").exists() or Path("x").read_text() in ((OLD, NEW) if force else (NEW,))


# What killed processes leave behind


def test_strays_are_swept_at_the_next_write():
    gone = [stray(dead()), stray(dead(), token="f" * 16)]
    stay = [stray(process) for process in (os.getpid(), os.getppid(), 1)]
    stay += [stray(dead(), node="00000000"), stray(dead(), token="0123")]
    for name in (f"{gone[0].name}.bak", f"x{gone[0].name}", ".ddcalc-notes", ".ddcalc.tmp"):
        stay.append(Path(name))
        stay[-1].touch()
    stay.append(Path(files._NAME.format(node=files._NODE, process=dead(), token="e" * 16)))
    stay[-1].mkdir()
    files.check("x")
    assert all(path.exists() for path in gone)
    write("x", NEW)
    assert not any(path.exists() for path in gone)
    assert all(path.exists() for path in stay)


def test_what_a_killed_process_leaves_is_swept():
    Path("x").write_text(OLD)
    code = """
with files.whole("x", True, ()) as file:
    file.write(b"new")
    os.kill(os.getpid(), 9)
"""
    assert ran(code) == (-signal.SIGKILL, "")
    assert (len(strays()), Path("x").read_text()) == (1, OLD)
    write("y", "")
    assert not strays()
