"""The plan of the house: what stands where, imports that point one way, and nothing sliced or grown
out of hand. CONTRIBUTING.md tells the same."""

import ast
import re
from collections import Counter
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import yaml

import ddcalc

ROOT = Path(ddcalc.__file__).parent
EXPERIMENT = ROOT.with_name("ddcalc_experiment")

RULES = yaml.safe_load(Path(__file__).with_name("house.yaml").read_text("utf-8"))
PLAN: list[str] = RULES["plan"]
RANK = {name: rank for rank, line in enumerate(PLAN) for name in line.split()}
RANK |= {"__init__": len(RANK), "__main__": len(RANK)}


def rule(name: str) -> set[str]:
    """The names of a rule."""
    return {*RULES[name].split()}


def _name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {_name(path): path for path in sorted(ROOT.rglob("*.py"))}


@cache
def trees() -> dict[str, ast.Module]:
    """The syntax tree of each module."""
    return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in MODULES.items()}


@cache
def calls() -> list[tuple[str, ast.Call]]:
    """Each call in the package, with its module."""
    every = ((name, node) for name, tree in trees().items() for node in ast.walk(tree))
    return [(name, node) for name, node in every if isinstance(node, ast.Call)]


@cache
def _imported(name: str) -> list[str]:
    """Everything that module *name* imports, in functions too."""
    imported = []
    for node in ast.walk(trees()[name]):
        if isinstance(node, ast.Import):
            imported += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} imports relatively"
            origin = node.module or ""
            for alias in node.names:
                module = f"{origin}.{alias.name}".removeprefix("ddcalc.") in MODULES
                imported.append(f"{origin}.{alias.name}" if module else origin)
    return imported


def _ours(name: str) -> list[str]:
    """The modules of the package that module *name* imports."""
    ours = [module for module in _imported(name) if module.partition(".")[0] == "ddcalc"]
    return [module.removeprefix("ddcalc").lstrip(".") or "__init__" for module in ours]


def _foreign(name: str) -> list[str]:
    return [module for module in _imported(name) if module.partition(".")[0] != "ddcalc"]


def _room(name: str) -> str:
    return name.partition(".")[0]


def test_the_plan():
    entries = {_room(name) for name in MODULES} - {"__init__", "__main__"}
    assert entries == {name for name in RANK if name[0] != "_"}
    house = (ROOT.parent / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("| | |")[2]
    rows = re.findall(r"^\| (.*?) \|", house.partition("\n## ")[0], re.MULTILINE)
    shown = [name for row in rows[1:] for name in re.findall(r"`(\w+)(?:/|\.py)`", row)]
    assert shown == " ".join(PLAN).split()
    paths = re.findall(r"`([a-z_/]+(?:/|\.py))`", house.partition("\n\n")[0])
    assert [path for path in paths if not [*ROOT.rglob(path.rstrip("/"))]] == []


def test_imports_point_up_the_plan():
    pairs = [(name, other) for name in MODULES for other in _ours(name)]
    inside = [(name, other) for name, other in pairs if _room(name) == _room(other)]
    above = [(name, other) for name, other in pairs if RANK[_room(name)] > RANK[_room(other)]]
    assert {*pairs} == {*inside, *above}
    TopologicalSorter({name: {*_ours(name)} - {name} for name in MODULES}).prepare()  # no cycles


def test_types_know_mathematics_and_their_own_subject_only():
    for name in (name for name in MODULES if _room(name) == "types"):
        subject = ".".join(name.split(".")[:2])
        others = [one for one in _ours(name) if not one.startswith(subject)]
        assert {*map(_room, others)} <= rule("types_know"), name
        assert {*map(_room, _foreign(name))} <= rule("types_use"), name
        names = {node.id for node in ast.walk(trees()[name]) if isinstance(node, ast.Name)}
        assert not names & {"print", "open", "eval", "exec", "input", "__import__"}


def test_libraries_stay_in_their_rooms():
    for name in MODULES:
        for imported in _foreign(name):
            homes = RULES["libraries"].get(_room(imported))
            places = {name.rpartition(".")[0], _room(name), name}
            assert homes is None or {*homes.split()} & places, f"{name} imports {imported}"


def test_nothing_knows_the_experiment_but_the_list_of_verbs():
    """It is a package of its own, in which PyTorch is imported by one module, in a function."""
    texts = {name: path.read_text(encoding="utf-8") for name, path in MODULES.items()}
    assert [name for name in MODULES if "ddcalc_experiment" in texts[name]] == ["cli.app"]
    package = {path.stem: path.read_text("utf-8") for path in EXPERIMENT.glob("*.py")}
    assert [name for name, text in package.items() if "import torch" in text] == ["lenet"]
    users = [name for name, text in package.items() if "experiment.lenet" in text]
    assert users == ["learner"]
    tops = [node for node in ast.parse(package["learner"]).body if isinstance(node, ast.ImportFrom)]
    assert all(node.module != "ddcalc_experiment.lenet" for node in tops)


def test_ideas_are_not_sliced():
    importers = Counter(other for name in MODULES for other in {*_ours(name)} - {name})
    once = (name for name, path in MODULES.items() if importers[name] == 1 and path.stem[0] != "_")
    assert not [name for name in once if _lines(name) < 50]


def test_names_stand_for_one_thing():
    ours = [name for name in MODULES if _room(name) != "types"]
    nodes = (node for name in ours for node in trees()[name].body)
    classes = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    stems = Counter(MODULES[name].stem for name in ours if MODULES[name].stem != "__init__")
    assert not {name: count for name, count in (classes + stems).items() if count > 1}


def _lines(name: str) -> int:
    return len(MODULES[name].read_text(encoding="utf-8").splitlines())


def test_every_public_name_is_documented():
    for name, tree in trees().items():
        assert ast.get_docstring(tree), f"{name} has no docstring"
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                assert ast.get_docstring(node), f"{name}.{node.name} has no docstring"


# What the package must not contain


def called(node: ast.Call) -> str:
    """The last part of the name that is called; neither re.compile nor console.print counts."""
    function = node.func
    if isinstance(function, ast.Attribute):
        of = function.value.id if isinstance(function.value, ast.Name) else ""
        return "" if of in ("re", "console") else function.attr
    return function.id if isinstance(function, ast.Name) else ""


def test_no_text_becomes_code():
    for name, node in calls():
        word = called(node)
        assert word not in rule("never"), (name, node.lineno, word)
        assert word != "import_module" or name in rule("importers"), (name, node.lineno)


def test_nothing_is_opened_for_writing():
    """Only the writers write files; elsewhere the null device is all that is opened to write."""
    for name, node in calls():
        if name in rule("writers"):
            continue
        word, said = called(node), ast.unparse(node)
        assert word not in rule("writes"), (name, node.lineno, word)
        assert not said.startswith(tuple(rule("changes"))), (name, node.lineno, said)
        if word == "open":
            if any(flag in said for flag in ("O_WRONLY", "O_RDWR", "O_CREAT")):
                assert said == "os.open(os.devnull, os.O_WRONLY)", (name, node.lineno, said)
            parts = [*node.args, *(keyword.value for keyword in node.keywords)]
            texts = (str(part.value) for part in parts if isinstance(part, ast.Constant))
            modes = [text for text in texts if set(text) <= set("rwaxbt+")]
            assert not set("".join(modes)) & set("wax+"), (name, node.lineno)


def test_what_runs_programs_or_calls_other_machines_is_not_imported():
    """But where a cluster is called, at the address that is stated, and where texts wait."""
    needed = {"boundary.workers": {"socket"}}
    for name in MODULES:
        absent = rule("absent") - needed.get(name, set())
        assert not absent & {module.partition(".")[0] for module in _foreign(name)}, name
        assert "rich.markup" not in _foreign(name), name


def test_numbers_are_never_read_by_float():
    """``float`` stands only where a value is printed, many runs of a schedule are averaged, samples
    are learnt from, how far a value may be off is estimated, what is worth an exact look is chosen,
    or the processor's time is measured."""
    seen = set()
    for name, node in calls():
        if called(node) == "float":
            seen.add(name)
            plain = node.args and isinstance(node.args[0], ast.Constant)
            home = name.startswith("render.") or name in rule("floats")
            assert plain or home, (name, node.lineno)
    assert seen >= rule("floats")
