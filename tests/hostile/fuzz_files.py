"""Problem files, ndjson and tables of answers with random bytes changed, each read in a process of
its own, held to what every call owes (see ``fuzz_calls.py``).

    python tests/hostile/fuzz_files.py --seconds 600 --seed 1
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from time import monotonic
from typing import Final

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

from fuzz_calls import PROBLEMS, ended, warm_up
from harness import GOOD_LINE, cases

PIECES: Final = (
    *(b"\0", b"\xff", b"\xc3", b"\xe2\x80\xa8", b"\x1b[2J", b"[", b"]", b"{", b"}", b"&a ", b"*a"),
    *(
        b"!!",
        b"<<: ",
        b"? ",
        b"- ",
        b"|\n",
        b">\n",
        b": ",
        b",",
        b'"',
        b"'",
        b"#",
        b"\n",
        b"\r",
        b"\t",
    ),
    *(b"9" * 50, b"1e99", b"-", b"..", b"null", b"=1+1", b"null,", b"[" * 60, b"{a: " * 30, b"nan"),
)
ANSWERS: Final = (
    b"student,problem,quantity,answer\nann,ps-epochs,total,595.5 s\nbob,ps-epochs,,600\n"
    b"student,ps-epochs,breakeven\nann,595.5 s,3\nbob,\xe2\x80\x93,part 1: 3; part 2: 4\n"
)


def mutated(draw: Random, content: bytes) -> bytes:
    """*content* with a few bytes changed, lost, doubled or moved."""
    data = bytearray(content)
    for _ in range(draw.choice((1, 1, 2, 4, 16))):
        at = draw.randrange(len(data) + 1)
        end = min(len(data), at + draw.choice((1, 2, 8, 100)))
        match draw.randrange(5):
            case 0:
                data[at:at] = draw.choice(PIECES)
            case 1:
                del data[at:end]
            case 2:
                data[at:at] = data[at:end] * draw.choice((1, 2, 50))
            case 3 if at < len(data):
                data[at] = draw.randrange(256)
            case _:
                piece = bytes(data[at:end])
                del data[at:end]
                where = draw.randrange(len(data) + 1)
                data[where:where] = piece
    return bytes(data)


def files(draw: Random) -> Iterator[tuple[str, bytes, list[str]]]:
    """Names and contents of files, and what is called with each."""
    yaml = [path.read_bytes() for path in PROBLEMS if path.stat().st_size < 20_000]
    yaml += [case.content for kind in ("item", "file") for case in cases(kind)]
    lines = [case.content for case in cases("ndjson")] + [f"{GOOD_LINE}\n".encode() * 3]
    sheet = str(next(path for path in PROBLEMS if path.name == "exam.yaml"))
    while True:
        verb = draw.choice(("solve", "solve", "check", "variants"))
        match draw.randrange(4):
            case 0:
                yield "lines.ndjson", mutated(draw, draw.choice(lines)), ["solve"]
            case 1:
                yield "answers.csv", mutated(draw, ANSWERS), ["check", sheet]
            case 2:
                yield "answers.yaml", mutated(draw, b"students: {ann: {ps-epochs: 1 s}}\n"), [
                    "check", sheet,
                ]  # fmt: skip
            case _:
                yield "sheet.yaml", mutated(draw, draw.choice(yaml)), [verb]


def main() -> int:
    """Mutate and read until the time is over; 1 if any call owes something."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--keep", type=Path, help="a folder for the files that lead to findings")
    stated = options.parse_args()
    warm_up()
    until, made, wrong = monotonic() + stated.seconds, 0, 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "here"
        folder.mkdir()
        for name, content, call in files(Random(stated.seed)):
            if monotonic() > until:
                break
            made += 1
            path = Path(place) / name
            path.write_bytes(content)
            form = ["--format=json"] if made % 3 == 0 else []
            ending = ended([*call, str(path), *form], folder)
            if owed := [*ending.owes([one.name for one in folder.iterdir()])]:
                wrong += 1
                print(
                    f"{'; '.join(owed)}\n    {call} {name} {json.dumps(repr(content)[:3000])}",
                    flush=True,
                )
                if stated.keep is not None:
                    stated.keep.mkdir(exist_ok=True)
                    shutil.copy(path, stated.keep / f"{made}-{name}")
    print(f"{made} files, {wrong} of which owe something")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
