"""What the package must not contain: read from its syntax trees."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import ddcalc

PACKAGE = Path(ddcalc.__file__).parent
TREES = {
    str(file.relative_to(PACKAGE)): ast.parse(file.read_text(encoding="utf-8"))
    for file in sorted(PACKAGE.rglob("*.py"))
}
CALLS = [
    (name, node) for name, tree in TREES.items() for node in ast.walk(tree)
    if isinstance(node, ast.Call)
]  # fmt: skip

# calls that read or run a text as code or as objects, by the last part of the name
NEVER = {
    "safe_load", "safe_load_all", "full_load", "unsafe_load", "load_all", "sympify", "parse_expr",
    "parse_latex", "S", "lambdify", "eval", "compose", "construct_document", "literal_eval",
    "system", "popen", "Popen", "__import__", "pickle", "nsimplify",
}  # fmt: skip
ONLY = {
    "exec": {"formula/evaluation.py"},
    "compile": {"formula/evaluation.py"},
    "import_module": {"problem/catalog.py", "cli/app.py"},
    "print": set(),
    "input": set(),
}
WRITER = "boundary/files.py"
WRITES = {
    "write_text", "write_bytes", "fdopen", "touch", "mkdir", "makedirs", "mkfifo", "mknod",
    "symlink", "symlink_to", "hardlink_to", "unlink", "remove", "rmdir", "rmtree", "rename",
    "truncate", "ftruncate", "chmod", "chown", "utime",
}  # fmt: skip
CHANGES = ("os.replace(", "os.link(", "shutil.copy", "shutil.move")
# libraries that nothing imports: they run programs, unpack objects or call other machines
ABSENT = {"pickle", "marshal", "shelve", "subprocess", "tempfile", "requests", "urllib", "socket"}


def called(node: ast.Call) -> str:
    """The last part of the name that is called; neither re.compile nor console.print counts."""
    function = node.func
    if isinstance(function, ast.Attribute):
        of = function.value.id if isinstance(function.value, ast.Name) else ""
        return "" if of in ("re", "console") else function.attr
    return function.id if isinstance(function, ast.Name) else ""


def imported(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def test_no_text_becomes_code() -> None:
    for name, node in CALLS:
        word = called(node)
        assert word not in NEVER, (name, node.lineno, word)
        assert name in ONLY.get(word, {name}), (name, node.lineno, word)
        assert word != "load" or not _is_yaml(node), (name, node.lineno)


def _is_yaml(node: ast.Call) -> bool:
    function = node.func
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id in ("yaml", "pickle", "marshal")
    )


def test_nothing_is_opened_for_writing() -> None:
    """Only the writer writes files; elsewhere the null device is all that is opened to write."""
    for name, node in CALLS:
        if name == WRITER:
            continue
        word = called(node)
        assert word not in WRITES, (name, node.lineno, word)
        said = ast.unparse(node)
        assert not said.startswith(CHANGES), (name, node.lineno, said)
        if word == "open" and any(flag in said for flag in ("O_WRONLY", "O_RDWR", "O_CREAT")):
            assert said == "os.open(os.devnull, os.O_WRONLY)", (name, node.lineno, said)
        if word == "open":
            texts = [
                part.value
                for part in [*node.args, *(keyword.value for keyword in node.keywords)]
                if isinstance(part, ast.Constant) and isinstance(part.value, str)
            ]
            modes = [text for text in texts if set(text) <= set("rwaxbt+") and text]
            assert not any(set(mode) & set("wax+") for mode in modes), (name, node.lineno)


def test_what_runs_programs_or_calls_other_machines_is_not_imported() -> None:
    for name, tree in TREES.items():
        for module in imported(tree):
            assert module.partition(".")[0] not in ABSENT, (name, module)


def test_no_markup() -> None:
    """Rich gets Text objects; nothing may switch markup, emoji or highlighting on."""
    for name, node in CALLS:
        assert called(node) not in ("from_markup", "render_markup", "from_ansi"), (
            name,
            node.lineno,
        )
        for keyword in node.keywords:
            if keyword.arg in ("markup", "emoji", "highlight"):
                assert isinstance(keyword.value, ast.Constant), (name, node.lineno)
                assert keyword.value.value is False, (name, node.lineno)
    for name, tree in TREES.items():
        assert "rich.markup" not in set(imported(tree)), name


def test_json_has_no_nan() -> None:
    for name, node in CALLS:
        if called(node) == "dumps" and ast.unparse(node.func) != "orjson.dumps":  # it has none
            keywords = {keyword.arg for keyword in node.keywords}
            plain = isinstance(node.args[0], ast.Name) and node.args[0].id == "text"
            assert plain or "allow_nan" in keywords, (name, node.lineno)


def test_numbers_are_never_read_by_float() -> None:
    """``float`` stands only where a value is told, a setting of the tests is read, many runs of a
    schedule are averaged, or what is worth an exact look is chosen."""
    allowed = {"render/data.py", "sheet/batch.py", "cli/progress.py"}
    allowed |= {
        "numbers/approximate.py",
        "numbers/irrational.py",
    }  # how far a value may be off, never a value
    allowed |= {"ask/mark/chain.py", "ask/sensitivity/telling.py", "ask/sensitivity/ranges.py"}
    allowed |= {"ask/sweep/best.py", "ask/sweep/column.py"}
    allowed |= {"boundary/numbers.py"}  # samples to learn from
    allowed |= {
        "schedule/distributions.py",
        "schedule/times.py",
        "types/schedules/timeline/workload.py",
    }
    for name, node in CALLS:
        if called(node) == "float":
            plain = node.args and isinstance(node.args[0], ast.Constant)
            assert plain or name in allowed or name.startswith("render/"), (name, node.lineno)
