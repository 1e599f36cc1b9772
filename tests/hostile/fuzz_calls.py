"""Random calls of every verb and type, each in a process of its own, held to what every call owes:
an exit code of its own, a word about what is wrong, no traceback, nothing left behind, and an end
within 2 s of the processor's time unless it said beforehand that it takes longer.

    python tests/hostile/fuzz_calls.py --seconds 600 --seed 1

Each call that owes something is printed as it can be typed, with why. The processes are copies of
one that has imported everything, so that the start is not counted, and thousands of calls fit into
a minute. With ``--calls`` they are read from a file, a line each, instead of drawn.
"""

from __future__ import annotations

import argparse
import gc
import os
import resource
import shlex
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import monotonic
from typing import Final

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

from harness import assert_clean
from questions import TYPES, Kind, example, specimen

from ddcalc.cli.main import run
from ddcalc.numbers.units import UNITS
from ddcalc.problem.quantity import Derived, Given

SECONDS: Final = 2.0  # of the processor, for a call
CEILING: Final = 12  # seconds after which a call is killed
BEFOREHAND: Final = "takes a while"  # in what a call says before it takes longer
CODES: Final = (0, 1, 2, 3)
PROBLEMS: Final = sorted((Path(__file__).parents[2] / "problems").glob("*.yaml"))
FORMATS: Final = ("text", "markdown", "latex", "html", "json", "ndjson", "csv", "svg", "yaml")
ODD: Final = (
    "", " ", "0", "-1", "1e30", "1e-30", "2^60", "9^9^9", "1/3", "six", "yes", "nan", "1:30", "017",
    "[", "[/nope]", "[bold]x", "\x1b[31m", "\u202e", "\ud800", "x" * 5000, "(" * 300, "1," * 3000,
    "3," * 300 + "3", "1s;2s", "±", "4±", "±1", "5..", "..5", "5±500 %",
    "%", "auto", "-", "--", "=",
)  # fmt: skip
SCALES: Final = (1, 1, 1, 2, 3, 7, 10, 24, 100, 1000, 10**4, 10**5, 10**6, 10**9, 10**15)


class Draw(Random):
    """A seeded source of calls."""

    def chance(self, one_in: int) -> bool:
        return self.randrange(one_in) == 0

    def number(self, given: Given | Derived) -> str:
        """A number that *given* may admit, in a unit."""
        size = self.choice(SCALES)
        number = str(self.randint(1, 9) * size)
        if not getattr(given, "whole", False) and self.chance(2):
            number = self.choice((f"0.{number}", f"{number}.{self.randint(1, 99)}", f"1/{number}"))
        units = [name for name, unit in UNITS.items() if unit.dimension == given.unit.dimension]
        unit = self.choice(units) if units and self.chance(3) else given.unit.name
        return f"{number}{' ' * bool(unit)}{unit}"

    def value(self, given: Given, usual: str | list[str]) -> str:
        """What *given* may be stated as: near what is *usual*, far from it, uncertain, or odd."""
        many = given.many != "one"
        one = usual if isinstance(usual, str) else self.choice(usual or [""])
        match self.randrange(10):
            case 0 | 1:
                return self.number(given)
            case 2:
                return specimen(given, self.randrange(4))
            case 3 if many:
                length = self.choice((1, 2, 3, 8, 24, 25, 100, 1000, 9000))
                return ",".join(
                    self.number(given) if self.chance(3) else one for _ in range(length)
                )
            case 4:
                return f"{one}±{self.randint(1, 50)} %"
            case 5:
                return f"{specimen(given)}..{self.number(given)}"
            case 6:
                return self.choice(ODD)
            case 7 if given.words:
                return self.choice([*given.words])
        return one if isinstance(usual, str) else ",".join(usual)


@dataclass
class Calls:
    """Calls drawn from what the types declare."""

    draw: Draw

    def __iter__(self) -> Iterator[list[str]]:
        verbs = (self._type, self._sensitivity, self._variants, self._compare, self._sweep)
        ways = (*verbs, *verbs, self._type, self._variants, self._of_file, self._words)
        while True:
            yield self.draw.choice(ways)()

    def _kind(self) -> Kind:
        return self.draw.choice(TYPES)

    def _stated(self, kind: Kind) -> list[str]:
        """Options that state a question: its example with a few things changed."""
        usual = example(kind)
        stated: dict[str, str | list[str]] = {**usual}
        changes = self.draw.choice((0, 1, 1, 2, 3, 8))
        for name in self.draw.sample([*kind.givens], min(changes, len(kind.givens))):
            given = kind.givens[name]
            stated[name] = self.draw.value(given, usual.get(name, specimen(given)))
        for name, choice in kind.choices.items():
            if self.draw.chance(3):
                stated[name] = self.draw.choice([*choice.options, "nothing"])
        if self.draw.chance(12) and stated:
            del stated[self.draw.choice([*stated])]
        return [f"--{name.replace('_', '-')}={_joined(text)}" for name, text in stated.items()]

    def _type(self) -> list[str]:
        kind = self._kind()
        call = [kind.slug, *self._stated(kind)]
        results = [name for name, one in kind.quantities.items() if isinstance(one, Derived)]
        if self.draw.chance(3):
            find, result = self.draw.choice([*kind.givens]), self.draw.choice(results)
            call = [word for word in call if not word.startswith(f"--{find.replace('_', '-')}=")]
            sign = self.draw.choice(("<=", ">=", "<", ">", "=", "!"))
            bound = self.draw.number(kind.quantities[result])
            call += [f"--find={find}", f"--where={result} {sign} {bound}"]
        if self.draw.chance(4):
            name = self.draw.choice([*kind.quantities, "MFU", "all"])
            unit = f"--unit={self.draw.choice([*UNITS])}"
            named = (f"--quantity={name}", f"--mine={name}=1")
            call += [self.draw.choice((*named, unit, "--hint", "--all", "--exact"))]
        return self._shown(call)

    def _sensitivity(self) -> list[str]:
        kind = self._kind()
        by = ["--swing=25%"] if self.draw.chance(5) else []
        return self._shown(["sensitivity", kind.slug, *self._stated(kind), *by])

    def _variants(self) -> list[str]:
        kind = self._kind()
        call = ["variants", kind.slug, *self._stated(kind), f"--seed={self.draw.randrange(9)}"]
        call += [f"--count={self.draw.choice((0, 1, 2, 3, 10))}"]
        if self.draw.chance(3):
            call += [f"--{self.draw.choice(('keep', 'vary', 'results'))}="
                     f"{self.draw.choice([*kind.quantities, 'expected'])}"]  # fmt: skip
        if self.draw.chance(4):
            call += [f"--{self.draw.choice(('choices', 'points', 'digits'))}=3"]
        if self.draw.chance(5):
            form = self.draw.choice(("moodle", "gift", "key", "yaml"))
            return [*call, f"--format={form}"]
        return self._shown(call)

    def _compare(self) -> list[str]:
        kind = self._kind()
        name = self.draw.choice([*kind.givens])
        usual = example(kind).get(name, specimen(kind.givens[name]))
        against = f"{name}={self.draw.value(kind.givens[name], usual)}"
        return self._shown(["compare", kind.slug, *self._stated(kind), f"--against={against}"])

    def _sweep(self) -> list[str]:
        kind = self._kind()
        name = self.draw.choice([*kind.givens])
        given, most = kind.givens[name], self.draw.choice((3, 10, 1000))
        unit = f" {given.unit.name}" if given.unit.name else ""
        axis = self.draw.choice((f"1..{most}{unit}", f"1,2,{most}{unit}", f"1..{most}{unit}:x2"))
        stated = [one for one in self._stated(kind) if f"--{name.replace('_', '-')}=" not in one]
        return self._shown(["sweep", kind.slug, *stated, f"--vary={name}={axis}"])

    def _of_file(self) -> list[str]:
        verb = self.draw.choice(("solve", "check", "variants", "sensitivity"))
        return self._shown([verb, str(self.draw.choice(PROBLEMS))])

    def _words(self) -> list[str]:
        verb = self.draw.choice(("list", "explain", "show", "presets", "new", "schema", "help"))
        words = ("lars", "straggler", "ring", "epoch-time", "ssp", "MFU", *ODD)
        return [verb, self.draw.choice(words)]

    def _shown(self, call: list[str]) -> list[str]:
        if self.draw.chance(3):
            call = [*call, f"--format={self.draw.choice(FORMATS)}"]
        if self.draw.chance(15):
            call = [*call, self.draw.choice(("--force", "--steps=brief", "--debug", "--nope"))]
        return call


def _joined(texts: str | list[str]) -> str:
    return texts if isinstance(texts, str) else ",".join(texts)


@dataclass(frozen=True)
class Ended:
    """How a process ended: its wait *status*, its *seconds* of the processor, what it printed."""

    status: int
    seconds: float
    out: str
    err: str

    def owes(self, left: list[str]) -> Iterator[str]:
        """What is wrong with that, if anything; *left* are the files that it left behind."""
        code = os.waitstatus_to_exitcode(self.status)
        if code < 0 and BEFOREHAND not in self.err:
            yield f"killed by signal {-code} after {self.seconds:.1f} s"
        elif code not in CODES and code > 0:
            yield f"exit code {code}"
        if code and not (self.err + self.out).strip():
            yield f"code {code} without a word"
        if not code and not self.out.strip() and not self.err.strip():
            yield "silent"
        if self.seconds > SECONDS and BEFOREHAND not in self.err:
            yield f"{self.seconds:.1f} s of the processor"
        if left:
            yield f"left {', '.join(left)}"
        try:
            assert_clean(self.err + self.out)
        except AssertionError as error:
            yield str(error)[:200]


def ended(call: list[str], folder: Path) -> Ended:
    """How *call* ends in a copy of this process, in a *folder* of its own."""
    printed = [folder.parent / name for name in ("out", "err")]
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (CEILING, CEILING))
        os.chdir(folder)
        for number, path in enumerate(printed, 1):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        code = 99
        try:
            code = run(call)
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)
    _, status, used = os.wait4(child, 0)
    out, err = (path.read_text(encoding="utf-8", errors="replace") for path in printed)
    return Ended(status, used.ru_utime + used.ru_stime, out, err)


def written(path: Path) -> Iterator[list[str]]:
    """The calls in a file, a line each."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield shlex.split(line)


def warm_up() -> None:
    """Import what calls import, once for all."""
    from importlib import import_module

    for name in ("sympy", "mpmath", "numpy", "rich.progress"):
        import_module(name)
    for verb in (Path(__file__).parents[2] / "ddcalc").rglob("*.py"):
        parts = verb.relative_to(Path(__file__).parents[2]).with_suffix("").parts
        if parts[-1] not in ("__main__", "__init__") and "experiment" not in parts:
            import_module(".".join(parts))
    gc.freeze()


def main() -> int:
    """Draw and make calls until the time is over; 1 if any owes something."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--calls", type=Path)
    stated = options.parse_args()
    calls = written(stated.calls) if stated.calls else iter(Calls(Draw(stated.seed)))
    warm_up()
    until, made, wrong = monotonic() + stated.seconds, 0, 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "here"
        folder.mkdir()
        for call in calls:
            if monotonic() > until:
                break
            made += 1
            ending = ended(call, folder)
            if owed := [*ending.owes([path.name for path in folder.iterdir()])]:
                wrong += 1
                shown = shlex.join(call).encode("utf-8", "backslashreplace").decode()
                print(f"{'; '.join(owed)}\n    {shown}", flush=True)
    print(f"{made} calls, {wrong} of which owe something")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
