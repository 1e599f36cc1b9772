"""Kills ``variants --output EXAM --key KEY --force`` at random moments and counts what a
reader then finds: a whole pair, or (between the moves) an exam without a key, which the next write
mends.

    python tests/hostile/kill_exchange.py --kills 200 --seed 1
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random
from time import monotonic, sleep

from ddcalc.boundary import files

GIVEN = "--samples=76800 --batch=1536 --workers=6 --download=1.5s --compute=4s --upload=1.5s"


def call(folder: Path, seed: int) -> subprocess.Popen[bytes]:
    """Other versions of an exam and its key in *folder*, for each *seed*."""
    made = [f"--seed={seed}", "--count=3", "--output=exam.md", "--key=key.md", "--force"]
    return subprocess.Popen(
        [sys.executable, "-m", "ddcalc", "variants", "epoch-time", *GIVEN.split(), *made],
        cwd=folder,
        stderr=subprocess.DEVNULL,
    )


def pair(folder: Path) -> tuple[str, str]:
    """What is in the two files."""
    paths = [folder / f"{name}.md" for name in ("exam", "key")]
    exam, key = (path.read_text() if path.exists() else "" for path in paths)
    return exam, key


def kills(count: int, seed: int, folder: Path) -> Counter[str]:
    """What *count* kills left."""
    random, found = Random(seed), Counter[str]()
    pairs, takes = [], 0.0
    for one in (0, 1):
        began = monotonic()
        call(folder, one).wait()
        takes = monotonic() - began
        pairs.append(pair(folder))
    assert pairs[0] != pairs[1]
    for number in range(count):
        process = call(folder, number % 2)
        sleep(takes * random.uniform(0.5, 1.1))
        process.kill()
        process.wait()
        exam, key = pair(folder)
        whole, alone = (exam, key) in pairs, not key
        files.write(str(folder / "another"), "", force=True)
        mended = pair(folder) in pairs and not [*folder.glob(".ddcalc-*")]
        kind = "a whole pair" if whole else "an exam without a key, mended"
        found[kind if mended and (whole or alone) else "torn"] += 1
    return found


def main() -> int:
    """Kill; 1 if any kill left what the next write did not mend."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    options.add_argument("--kills", type=int, default=200)
    options.add_argument("--seed", type=int, default=0)
    stated = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = kills(stated.kills, stated.seed, Path(folder))
    print(", ".join(f"{count} times {kind}" for kind, count in found.items()))
    return bool(found["torn"])


if __name__ == "__main__":
    sys.exit(main())
