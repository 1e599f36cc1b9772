"""What SymPy came to is kept: the shipped answers are what it says today, and one that is broken,
wrong or made by another version is never believed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from random import Random
from unittest.mock import patch

import kept_forms
import pytest
from running import python

from ddcalc.boundary.files import keep
from ddcalc.formula import cas, kept
from ddcalc.formula.algebra import largest
from ddcalc.formula.expression import Expr, Num, Rel, Sym
from ddcalc.formula.kept import SHIPPED, solution, solved_for, written

m, a, b = map(Sym, "mab")
RANK = {"a": 0, "b": 1, "m": 2}
RELATION = Rel("==", m * a, b + 2 * m)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The user's folder, empty, and none of the shipped answers."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(kept, "_shipped", lambda digest: None)
    kept._folder.cache_clear()
    yield Path(kept._folder())
    kept._folder.cache_clear()


@pytest.fixture
def asked() -> Iterator[list[str]]:
    """What SymPy is asked for while the test runs."""
    questions: list[str] = []
    usual = cas.solved_for

    def noted(unknown: str, *rest: object) -> object:
        questions.append(unknown)
        return usual(unknown, *rest)  # type: ignore[arg-type]

    with patch.object(cas, "solved_for", noted):
        yield questions


def _solved() -> Expr:
    return solution("a type", "m", RELATION, RANK)


def test_the_shipped_answers_are_those_of_sympy() -> None:
    """All made anew in a process of its own; ``python tests/kept_forms.py`` writes them."""
    code = "import kept_forms, sys; sys.stdout.write(kept_forms.lines())"
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env
    )
    assert ran.stdout == SHIPPED.read_text(encoding="utf-8"), kept_forms.__doc__


def test_every_shipped_answer_can_be_read() -> None:
    digests = [line.partition(" ")[0] for line in SHIPPED.read_text("utf-8").splitlines()]
    assert digests == sorted({*digests})
    assert all(kept._shipped(digest) for digest in digests)


def test_an_answer_is_asked_for_once(folder: Path, asked: list[str]) -> None:
    first = _solved()
    assert len([*folder.iterdir()]) == len(asked) == 1
    assert _solved() == first
    assert asked == ["m"]


@pytest.mark.parametrize(
    "other",
    [
        lambda: solved_for("m", m * a, b + 3 * m, RANK),
        lambda: solved_for("m", m * a, b + 2 * m, {"a": 1, "b": 0}),
        lambda: solved_for("a", m * a, b + 2 * m, RANK),
    ],
)
def test_another_question_has_another_answer(
    folder: Path, asked: list[str], other: Callable[[], object]
) -> None:
    _solved()
    other()
    assert len(asked) == 2


def _flipped(text: str) -> str:
    return text.replace('"b"', '"a"', 1)


def _signed(text: str) -> str:
    """A wrong answer with a right check."""
    digest, _, answer = text.split(" ", 2)
    return kept.line(digest, _flipped(answer).rstrip())


def _with(answer: str) -> Callable[[str], str]:
    return lambda text: kept.line(text.split(" ")[0], answer)


DEEP = "[" * 9000 + "]" * 9000
BROKEN: list[Callable[[str], str]] = [
    lambda text: "",
    lambda text: text[: len(text) // 2],
    lambda text: "\ud800",
    lambda text: text * 2000,
    _flipped,
    _signed,
    *map(_with, ["", "null", "true", "{}", "[]", "1e999", "NaN", DEEP, '["list"]', '["list",1,2]']),
    _with('["list",["function","__import__","a"],1]'),
    _with('["list","c",1]'),
    _with('["list",["/",1,0],["number",1,0]]'),
    _with('["list",["^",9,["^",9,["^",9,9]]],1]'),
]


@pytest.mark.parametrize("broken", BROKEN)
def test_an_answer_that_is_broken_or_wrong_is_made_anew(
    folder: Path, asked: list[str], broken: Callable[[str], str]
) -> None:
    right = _solved()
    (file,) = folder.iterdir()
    good = file.read_bytes()
    file.write_bytes(broken(good.decode()).encode(errors="surrogatepass"))
    assert _solved() == right
    assert len(asked) == 2
    assert file.read_bytes() == good


@pytest.mark.parametrize("kind", ["pipe", "folder", "link"])
def test_what_is_no_file_is_left_alone(folder: Path, asked: list[str], kind: str) -> None:
    right = _solved()
    (file,) = folder.iterdir()
    file.unlink()
    {"pipe": os.mkfifo, "folder": os.mkdir, "link": lambda name: os.symlink("/dev/zero", name)}[
        kind
    ](file)
    assert _solved() == right
    assert len(asked) == 2


def test_a_folder_that_cannot_be_written(
    folder: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.parent.parent.mkdir(exist_ok=True)
    folder.parent.write_text("a file where the folder should be")
    assert _solved() == _solved()
    assert len(asked) == 2


def test_a_folder_does_not_grow_for_ever(folder: Path) -> None:
    for name in "abcd":
        keep(str(folder), name, name, 3)
    assert sorted(path.name for path in folder.iterdir()) == ["a", "b", "c"]


def test_many_write_at_once(folder: Path, asked: list[str]) -> None:
    """Threads here, processes there: every reader gets a whole answer, and no stray is left."""
    code = f"""
from ddcalc.formula import kept
from ddcalc.formula.expression import Rel, Sym
kept._shipped = lambda digest: None
for i in range(40):
    m, a, b = map(Sym, "mab")
    print(kept.solution("a type", "m", Rel("==", m * a, b + i % 4 * m), {RANK!r}))
"""
    with ThreadPoolExecutor(4) as pool:
        ran = [*pool.map(lambda _: python(code), range(4))]
    assert {process.stderr for process in ran} == {""}
    assert len({process.stdout for process in ran}) == 1
    assert len([*folder.iterdir()]) == 4


def test_other_makers_keep_apart(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept._folder.cache_clear()
    monkeypatch.setattr("importlib.metadata.version", lambda name: "99")
    assert kept._folder() != str(folder)


def _formula(random: Random, depth: int = 4) -> Expr:
    if not depth or random.random() < 0.2:
        number = Fraction(random.randrange(-9, 10), random.randrange(1, 4))
        return random.choice([m, a, b, Num(number), Num(int(number))])
    one, other = (_formula(random, depth - 1) for _ in range(2))
    two = Num(2)
    made = [one + other, one - other, one * other, one / other, one**two, -one, largest(one, other)]
    return random.choice(made)


def test_formulas_are_read_as_they_were_written() -> None:
    random = Random(7)
    for formula in (_formula(random) for _ in range(300)):
        read = kept._InLetters({"a", "b", "m"}).read(written(formula))
        assert (read, repr(read)) == (formula, repr(formula))
