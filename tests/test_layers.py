"""The plan of the house: what stands where, imports that point one way, and nothing sliced or grown
out of hand. The README's "How the house is built" tells the same."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import ddcalc

ROOT = Path(ddcalc.__file__).parent

# The whole plan, in the order of imports: nothing imports from below its own line.
PLAN = """
errors memory
numbers
boundary schedule
formula
problem
types
ask
sheet
experiment
render
cli api
"""
RANK = {name: rank for rank, line in enumerate(PLAN.splitlines()) for name in line.split()}
RANK |= {"__init__": len(RANK), "__main__": len(RANK)}

LONGEST_MODULE, LONGEST_FUNCTION = 600, 40
ENTRIES = 14
# What is not yet as it should be: these limits only ever fall.
THIN = 26  # modules of under 60 lines with one importer
NAMED_ALIKE = 95  # classes outside types/ that share their name with another one
MODULES_ALIKE = 81

RICH = ("terminal.progress", "terminal.screen")


# What a type may know besides its own subject's folder.
TYPES_KNOW = {"errors", "memory", "numbers", "schedule", "formula", "problem"}
TYPES_USE = {"__future__", "collections", "dataclasses", "fractions", "functools", "itertools"}
TYPES_USE |= {
    "abc",
    "contextlib",
    "math",
    "random",
    "typing",
    "bisect",
    "heapq",
    "operator",
    "statistics",
    "csv",
    "decimal",
}


def _name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {_name(path): path for path in sorted(ROOT.rglob("*.py"))}
TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in MODULES.items()}


def _imported(name: str) -> Iterator[str]:
    """Everything that module *name* imports, in functions too."""
    for node in ast.walk(TREES[name]):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} imports relatively"
            origin = node.module or ""
            for each in node.names:
                module = f"{origin}.{each.name}".removeprefix("ddcalc.") in MODULES
                yield f"{origin}.{each.name}" if module else origin


def _own(name: str) -> list[str]:
    """The modules of ours that module *name* imports."""
    ours = [each for each in _imported(name) if each.partition(".")[0] == "ddcalc"]
    return [each.removeprefix("ddcalc").lstrip(".") or "__init__" for each in ours]


def _foreign(name: str) -> list[str]:
    return [each for each in _imported(name) if each.partition(".")[0] != "ddcalc"]


def _room(name: str) -> str:
    return name.partition(".")[0]


def test_the_plan() -> None:
    entries = {_room(name) for name in MODULES} - {"__init__", "__main__"}
    assert entries == {name for name in RANK if name[0] != "_"}
    assert len(entries) <= ENTRIES


def test_imports_point_up_the_plan() -> None:
    for name in MODULES:
        for other in _own(name):
            same = _room(other) == _room(name)
            assert same or RANK[_room(other)] < RANK[_room(name)], f"{name} imports {other}"


def test_no_cycles() -> None:
    TopologicalSorter({name: {*_own(name)} - {name} for name in MODULES}).prepare()


def test_types_know_mathematics_and_their_own_subject_only() -> None:
    for name in MODULES:
        if _room(name) != "types":
            continue
        subject = ".".join(name.split(".")[:2])
        for ours in _own(name):
            assert ours.startswith(subject) or _room(ours) in TYPES_KNOW, f"{name} imports {ours}"
        for foreign in _foreign(name):
            assert foreign.partition(".")[0] in TYPES_USE, f"{name} imports {foreign}"
        names = {node.id for node in ast.walk(TREES[name]) if isinstance(node, ast.Name)}
        assert not names & {"print", "open", "eval", "exec", "input", "__import__"}


def test_libraries_stay_in_their_rooms() -> None:
    allowed = {
        "mpmath": {"numbers.irrational"},
        "sympy": {f"formula.{name}" for name in ("cas", "linear", "polynomial", "zeros")},
        "rich": {f"render.{name}" for name in RICH},
        "yaml": {"boundary"},
        "numpy": {"ask.sweep", "experiment", "render.point_lines"},
        "orjson": {"render.point_lines"},
        "plotille": {"render.terminal.plot"},
        "sklearn": {"experiment.data"},
        "torch": {"experiment.lenet"},
        "typer": {"cli"},
        "click": set[str](),
    }
    for name in MODULES:
        for imported in _foreign(name):
            homes = allowed.get(_room(imported))
            if homes is not None:
                folders = {name.rpartition(".")[0], _room(name), name}
                assert homes & folders, f"{name} imports {imported}"


def test_what_imports_pytorch_is_imported_only_when_asked() -> None:
    """In a function, and by one module."""
    lenet = "experiment.lenet"
    assert [name for name in MODULES if lenet in _own(name)] == ["experiment.learner"]
    tops = [node for node in TREES["experiment.learner"].body if isinstance(node, ast.ImportFrom)]
    assert all(node.module != f"ddcalc.{lenet}" for node in tops)


def test_nobody_prints_but_the_output() -> None:
    for name, tree in TREES.items():
        called = {*_called(tree)}
        assert "print" not in called, name
        assert "eval" not in called, name
        assert "exec" not in called or name == "formula.evaluation", name


def _called(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id


def test_nothing_grows_out_of_hand() -> None:
    sizes = {name: _lines(name) for name in MODULES}
    for name, length in sizes.items():
        assert length <= min(LONGEST_MODULE, sum(sizes.values()) // 25), f"{name}: {length} lines"
        for node in ast.walk(TREES[name]):
            if isinstance(node, ast.FunctionDef):
                lines = (node.end_lineno or 0) - node.lineno + 1
                assert lines <= LONGEST_FUNCTION, f"{name}.{node.name} has {lines} lines"


def test_ideas_are_not_sliced() -> None:
    importers = Counter(other for name in MODULES for other in {*_own(name)} - {name})
    thin = [
        name for name in MODULES
        if importers[name] == 1 and _lines(name) < 60 and MODULES[name].stem != "__init__"
    ]  # fmt: skip
    assert len(thin) <= THIN, sorted(thin)


def test_names_stand_for_one_thing() -> None:
    classes = Counter(
        node.name
        for name, tree in TREES.items() if _room(name) != "types"
        for node in tree.body if isinstance(node, ast.ClassDef)
    )  # fmt: skip
    alike = {name: count for name, count in classes.items() if count > 1}
    assert sum(alike.values()) <= NAMED_ALIKE, alike
    stems = [name.rpartition(".")[2] for name in MODULES if _room(name) != "types"]
    modules = {name: count for name, count in Counter(stems).items() if count > 1}
    assert sum(modules.values()) <= MODULES_ALIKE, modules


def _lines(name: str) -> int:
    return len(MODULES[name].read_text(encoding="utf-8").splitlines())


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
