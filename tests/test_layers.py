"""Imports point one way only, and nothing grows out of hand."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import ddcalc

ROOT = Path(ddcalc.__file__).parent
LONGEST_MODULE, LONGEST_FUNCTION = 600, 40

# A module or folder imports from lines above its own only, and never from beside it on its line.
ORDER = """
errors memory shape
number boundary terms
distributions givens
approximate powers_of_two
irrational
chart dimension expression
constant exactness laws
algebra cas coherence evaluation units
algebraic coherent display letters quantity scaling steps
cells defining matrix polynomial problem solving zeros
linear
batching collectives iteration ring schedule stragglers
catalog compression convergence example fitting operations stated
plan ranked values
explanation
play
ask solvers
experiment sheet
render
api cli
__init__ __main__
"""
RANK = {name: rank for rank, line in enumerate(ORDER.splitlines()) for name in line.split()}

SOLVERS_KNOW = {"algebra", "dimension", "errors", "expression", "fitting", "number", "play"}
SOLVERS_KNOW |= {"batching", "collectives", "compression", "convergence", "iteration", "problem"}
SOLVERS_KNOW |= {
    "defining",
    "givens",
    "laws",
    "operations",
    "quantity",
    "ring",
    "schedule",
    "shape",
    "stragglers",
}
SOLVERS_KNOW |= {"steps", "units"}
SOLVERS_USE = {"__future__", "collections.abc", "dataclasses", "fractions", "typing"}


def _name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


MODULES = {_name(path): path for path in sorted(ROOT.rglob("*.py"))}
TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in MODULES.items()}


def _imported(name: str) -> Iterator[str]:
    """Everything that module *name* imports, in functions too; ours without ``ddcalc.``."""
    for node in ast.walk(TREES[name]):
        if isinstance(node, ast.Import):
            yield from (each.name.removeprefix("ddcalc.") for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} imports relatively"
            origin = node.module or ""
            if origin.partition(".")[0] == "ddcalc":
                yield from (_ours(origin, each.name) for each in node.names)
            else:
                yield origin


def _ours(origin: str, name: str) -> str:
    inner = origin.removeprefix("ddcalc").lstrip(".")
    longer = f"{inner}.{name}".lstrip(".")
    return longer if longer in MODULES else inner or "__init__"


def _layer(name: str) -> str:
    return name.partition(".")[0]


def _own(name: str) -> list[str]:
    found = [each for each in _imported(name) if _layer(each) in RANK]
    return [each for each in found if each in MODULES or f"{each}.__init__" in MODULES]


def test_every_module_has_a_layer() -> None:
    assert {_layer(name) for name in MODULES} == set(RANK)


@pytest.mark.parametrize("name", MODULES)
def test_imports_point_down(name: str) -> None:
    mine = _layer(name)
    wrong = [
        other for other in _own(name) if _layer(other) != mine and RANK[_layer(other)] >= RANK[mine]
    ]
    assert not wrong, f"{name} must not import {wrong}"


def test_no_cycles() -> None:
    TopologicalSorter({name: set(_own(name)) - {name} for name in MODULES}).prepare()


@pytest.mark.parametrize("name", [n for n in MODULES if _layer(n) == "solvers"])
def test_solvers_know_mathematics_only(name: str) -> None:
    for imported in _imported(name):
        ours = imported in MODULES or _layer(imported) in RANK
        allowed = SOLVERS_KNOW if ours else SOLVERS_USE
        assert (_layer(imported) if ours else imported) in allowed, f"{name} imports {imported}"
    names = {node.id for node in ast.walk(TREES[name]) if isinstance(node, ast.Name)}
    assert not names & {"print", "open", "eval", "exec", "input", "__import__"}


def test_libraries_stay_in_their_layer() -> None:
    allowed = {
        "mpmath": {"irrational"},
        "sympy": {"cas", "linear", "polynomial", "zeros"},
        "rich": {
            "render.report",
            "render.screen",
            "render.terminal",
            "render.results",
            "render.manual",
        },
        "yaml": {"boundary"},
        "numpy": {"ask.sweep", "experiment", "render.rows"},
        "orjson": {"render.rows"},
        "plotille": {"render.plot"},
        "sklearn": {"experiment.data"},
        "torch": {"experiment.lenet"},
        "typer": {"cli"},
        "click": set[str](),
    }
    for name in MODULES:
        for imported in _imported(name):
            homes = allowed.get(_layer(imported))
            if homes is not None:
                folder = name.rpartition(".")[0]
                assert homes & {name, folder, _layer(name)}, f"{name} imports {imported}"


def test_what_imports_pytorch_is_imported_only_when_asked() -> None:
    """In a function, and by one module."""
    lenet = "experiment.lenet"
    assert [name for name in MODULES if lenet in _imported(name)] == ["experiment.learner"]
    tops = [node for node in TREES["experiment.learner"].body if isinstance(node, ast.ImportFrom)]
    assert all(node.module != f"ddcalc.{lenet}" for node in tops)


def test_nobody_prints_but_the_output() -> None:
    for name, tree in TREES.items():
        called = set(_called(tree))
        assert "print" not in called, name
        assert "eval" not in called, name
        assert "exec" not in called or name == "evaluation", name


def _called(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id


@pytest.mark.parametrize("name", MODULES)
def test_sizes(name: str) -> None:
    length = len(MODULES[name].read_text(encoding="utf-8").splitlines())
    assert length <= LONGEST_MODULE, f"{name} has {length} lines"
    for node in ast.walk(TREES[name]):
        if isinstance(node, ast.FunctionDef):
            lines = (node.end_lineno or 0) - node.lineno + 1
            assert lines <= LONGEST_FUNCTION, f"{name}.{node.name} has {lines} lines"


def test_every_public_name_is_documented() -> None:
    for name, tree in TREES.items():
        assert ast.get_docstring(tree), f"{name} has no docstring"
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                assert ast.get_docstring(node), f"{name}.{node.name} has no docstring"


def test_the_public_face() -> None:
    assert sorted(ddcalc.__all__) == ddcalc.__all__
    for name in ddcalc.__all__:
        assert getattr(ddcalc, name).__doc__
    assert (ROOT / "py.typed").exists()
