"""Fuzzing guided by coverage, of what reads texts: numbers, units, relations, formulas in answers,
YAML and ndjson. Only ddcalc's own errors may come out.

    pip install atheris
    python tests/hostile/fuzz_covered.py number -max_total_time=600
    python tests/hostile/fuzz_covered.py yaml corpus/ -max_total_time=600

Behind the name of a reader stand the options of libFuzzer, and a folder that it keeps what reaches
new code in. Without ``atheris`` the same readers are tried by ``test_properties.py``.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

try:
    import atheris
except ImportError:
    sys.exit("this one needs atheris: pip install atheris")

with atheris.instrument_imports(include=["ddcalc"]):
    from ddcalc.ask.find.inverse import relations_of
    from ddcalc.boundary.reader import read
    from ddcalc.boundary.source import Source, inputs
    from ddcalc.errors import DdcalcError
    from ddcalc.formula.expression import Fun, Mul, Num, Sym
    from ddcalc.formula.stated_terms import states
    from ddcalc.numbers.number import parse
    from ddcalc.numbers.units import SECOND, shown_in
    from ddcalc.problem.catalog import problem_named

FOLDER = Path(tempfile.mkdtemp())
PRODUCT = Mul((Num(4), Sym("eta"), Sym("Delta")))
RULE = Sym("w_0") - Sym("eta") * Fun("indexed", (Sym("G"), Num(1), Num(1)))
EPOCHS = problem_named("epoch-time").quantities


def _file(suffix: str) -> Callable[[bytes], object]:
    def reads(data: bytes) -> None:
        path = FOLDER / f"input{suffix}"
        path.write_bytes(data)
        for source in inputs([str(path)]):
            if isinstance(source, Source):
                list(read(source))

    return reads


def _text(reads: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda data: reads(data.decode("utf-8", "replace"))


READERS: dict[str, Callable[[bytes], object]] = {
    "number": _text(parse),
    "unit": _text(lambda text: shown_in(SECOND, text)),
    "relation": _text(lambda text: relations_of([text], EPOCHS, "where")),
    "formula": _text(lambda text: (states(text, PRODUCT), states(text, RULE))),
    "yaml": _file(".yaml"),
    "ndjson": _file(".ndjson"),
}


def main() -> None:
    """Fuzz the reader that is named."""
    if len(sys.argv) < 2 or sys.argv[1] not in READERS:
        sys.exit(f"name a reader: {', '.join(READERS)}")
    reads = READERS[sys.argv.pop(1)]

    def once(data: bytes) -> None:
        with suppress(DdcalcError):
            reads(data)

    atheris.Setup(sys.argv, once)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
