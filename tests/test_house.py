"""The house does not grow: its lines are at most what ``ceiling.txt`` says, and those only fall; no
module, function or room is large; and each idea stands where it is looked for.

What is larger than it should be is named in ``exceptions.txt`` with its size; that only shrinks.
"""

import ast
from collections import Counter
from pathlib import Path

import pytest
from test_layers import MODULES, trees

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "ddcalc"
TYPES = PACKAGE / "types"
LONGEST_SHEET = 270
CEILINGS = dict(line.split() for line in (TESTS / "ceiling.txt").read_text("utf-8").splitlines())


def _lines(paths: list[Path]) -> int:
    return sum(len(path.read_text("utf-8").splitlines()) for path in paths)


PARTS = {
    "engine": [path for path in PACKAGE.rglob("*.py") if TYPES not in path.parents],
    "types": [*TYPES.rglob("*.py"), *TYPES.rglob("*.sheet")],
    "tests": [*TESTS.rglob("*.py")],
}


@pytest.mark.parametrize("part", PARTS)
def test_no_part_grows(part):
    """Where lines went, lower the number with them; nothing may be added to it."""
    assert _lines(PARTS[part]) <= int(CEILINGS[part])


def test_no_sheet_of_equations_is_long():
    sheets = [path for path in TYPES.rglob("*.sheet") if "\nmodel: " not in path.read_text("utf-8")]
    lengths = {path.name: _lines([path]) for path in sheets}
    assert {name: length for name, length in lengths.items() if length > LONGEST_SHEET} == {}


# Modules, functions, rooms, ideas

MOST = {"module": 400, "function": 40, "room": 14, "verb": 100}
EXCEPTIONS = [line.split() for line in (TESTS / "exceptions.txt").read_text("utf-8").splitlines()]
NODES = {name: [*ast.walk(tree)] for name, tree in trees().items()}
SIGNS = {"Add", "Mul", "Neg", "Div", "Pow"}
PLACES = {
    "formulas": {"formula.algebra", "formula.domain", "formula.evaluation", "render.notation",
                 "ask.mark.slips"},
    "ast.BinOp": {"numbers.number", "problem.sheet.formulas"},
    "sys.argv": {"cli.main"},
    "sentence": {name for kind, name, *_ in EXCEPTIONS if kind == "sentence"},
}  # fmt: skip


def _sizes(of: str) -> dict[str, int]:
    if of == "room":
        files = (name for name, path in MODULES.items() if path.stem != "__init__")
        return Counter(name.rpartition(".")[0] for name in files)
    if of == "function":
        return {
            f"{name}.{node.name}": (node.end_lineno or 0) - node.lineno + 1
            for name, nodes in NODES.items() for node in nodes if isinstance(node, ast.FunctionDef)
        }  # fmt: skip
    chosen = (name for name in MODULES if of == "module" or name.startswith("cli.verbs."))
    return {name: _lines([MODULES[name]]) for name in chosen}


@pytest.mark.parametrize("of", MOST)
def test_nothing_is_larger_than_it_should_be(of):
    sizes, most = _sizes(of), {name: int(*size) for kind, name, *size in EXCEPTIONS if kind == of}
    assert {name: size for name, size in sizes.items() if size > most.get(name, MOST[of])} == {}
    assert {name for name in most if sizes.get(name, 0) <= MOST[of]} == set(), "strike them out"


def test_each_idea_stands_in_its_place():
    """A formula is walked by a domain; what simplifies, compiles and writes it, and slips, take it
    apart besides. Arithmetic is read in two languages: of numbers and of formulas. What is more
    than the sentence of its package is an exception."""
    found = {idea: set[str]() for idea in PLACES}
    for name, nodes in NODES.items():
        imports = (node for node in nodes if isinstance(node, ast.ImportFrom))
        taken = SIGNS & {alias.name for one in imports for alias in one.names}
        if len(taken) > 1 and not name.startswith("types."):
            found["formulas"].add(name)
        if MODULES[name].stem == "__init__" and len(trees()[name].body) > 1:
            found["sentence"].add(name)
        used = {ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute)}
        for idea in PLACES.keys() & used:
            found[idea].add(name)
    assert found == PLACES
