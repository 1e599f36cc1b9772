"""Problem files written out: a command line as a file, and an example to start from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from ddcalc.ask.solve import Result, Results, Text, first, solve
from ddcalc.boundary.nodes import Entries, Node, Scalar
from ddcalc.boundary.nodes import Sequence as Listed
from ddcalc.files.filed_problem import FiledProblem
from ddcalc.files.solved import Solved
from ddcalc.formula.expression import Expr
from ddcalc.numbers.display import SIGNIFICANT, exact_text, rounded
from ddcalc.numbers.irrational import Approximate, ratio
from ddcalc.problem.own import FORMULA
from ddcalc.problem.problem import Problem
from ddcalc.problem.stated import example_texts, filled_in
from ddcalc.problem.stated_formulas import step_in
from ddcalc.render.notation.plain import code

Answers = Sequence[Sequence[Results]]  # of each case
Block = Mapping[str, "str | Block"]  # by key
MODELINE = "# yaml-language-server: $schema=.ddcalc.schema.json\n"
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ./^*_+-]*[A-Za-z0-9)]|[A-Za-z0-9]")


def opening(heads: Mapping[str, str], names: Mapping[str, int]) -> str:
    """What stands above problems: *heads* of an exam, and who has which version, in *names*."""
    lines = [f"{key}: {_quoted(text)}\n" for key, text in heads.items()]
    lines += ["names:\n"] * bool(names)
    lines += [f"  {_quoted(who)}: {version}\n" for who, version in names.items()]
    return f"{MODELINE}{''.join(lines)}problems:\n"


def frame(_title: str) -> tuple[str, str]:
    """What stands before all problems of a file, and behind them."""
    return opening({}, {}), ""


def problem_file(
    problem: type[Problem],
    texts: Mapping[str, Text],
    steps: Sequence[str] = (),
    wanted: Sequence[str] = (),
    **asks: Text | None,
) -> str:
    """A problem file that asks what *texts* ask, with *steps* of its own, for the quantities
    *wanted* or as *asks* says: what to ``find``, ``where``, within which ``limit``."""
    keys = {key: text for key, text in asks.items() if text}
    if wanted and "find" not in keys:
        keys["quantity"] = [*wanted] if len(wanted) > 1 else wanted[0]
    given, filled = filled_in(problem, texts, str(keys.get("find", "")))
    says = {key: f"  # {one.preset.name}: {one.says}" for key, one in filled.items()}
    stated = {key: f"{_written(value)}{says.get(key, '')}" for key, value in given.items()}
    own = {_quoted(f"{n} = {formula}"): _quoted(why) for n, formula, why in map(step_in, steps)}
    entries: Block = {
        "type": problem.slug,
        **{key: _written(text) for key, text in keys.items()},
        "given": stated | {key: _quoted(formula) for key, formula in problem.stated_so.items()},
        "steps": own,
    }
    lines = [f"  - id: {problem.slug}", *_lines(entries, "    ")]
    return opening({}, {}) + "".join(f"{line}\n" for line in lines)


def _lines(entries: Block, indent: str) -> Iterator[str]:
    """The lines of *entries* that say something."""
    for key, value in entries.items():
        if isinstance(value, Mapping) and value:
            yield f"{indent}{key}:"
            yield from _lines(value, f"{indent}  ")
        elif value:
            yield f"{indent}{key}: {value}"


def question_entry(
    name: str, done: Solved, answers: Sequence[tuple[Answers, str]], source: str
) -> Iterator[str]:
    """The lines of a question, or of a problem without parts, as it is *done*: what a part asks is
    written as it was, with the *answers* of each of its cases and how it is marked."""
    head, indent = done.question, "    "
    parts, shared = head.parts or [head], {id(one) for one in head.shared.values()}
    yield from (f"  - id: {name}", f"{indent}source: {_quoted(source)}")
    if done.parts:
        used = {id(one) for part in parts for one in (*part.given.values(), *part.told.values())}
        used |= {id(one) for name, one in head.shared.items() if f"{{{name}}}" in head.text}
        given = {n: _node(one[1]) for n, one in head.shared.items() if id(one) in used}
        yield from _lines({**_titled(head), "given": given}, indent)
        yield f"{indent}parts:"
    for part, one, (cases, marking) in zip(parts, done.each, answers, strict=True):
        model = next((one for one in parts if part.like == one.id), None)
        known = shared | {id(one) for one in (model.given.values() if model else ())}
        every = part.given | part.told | part.made
        own = {n: one for n, one in every.items() if id(one) not in known}
        expect = _expected(cases)
        verdicts = ["met" if one.meets(i) else "not met" for i in range(len(one.cases))]
        if "not met" in verdicts:
            expect["limit"] = _listed(verdicts) if len(verdicts) > 1 else verdicts[0]
        if done.parts:
            yield f"      - id: {part.id}"
            indent = "        "
        yield from _lines({**_asking(part, own), "expect": expect, "marking": marking}, indent)


def _titled(question: FiledProblem) -> dict[str, str]:
    texts = {"title": question.title, "text": question.text}
    texts |= {name: note.text for name, note in question.notes.items()}
    return {key: _quoted(text) for key, text in texts.items() if text}


def _asking(part: FiledProblem, given: Entries) -> Block:
    """What a *part* asks, *given* what it states itself."""
    kind = "" if part.kind == FORMULA.slug else part.kind
    texts = {"like": part.like, "type": kind, "name": part.name}
    nodes = {key: getattr(part, key) for key in ("formula", "find", "where", "quantity", "limit")}
    return {
        **_titled(part),
        **{key: _quoted(text) for key, text in texts.items() if text},
        **{key: _node(value) for key, value in nodes.items() if value is not None},
        "steps": {_quoted(name): _node(value) for name, (_, value) in part.steps.items()},
        "given": {name: _node(value) for name, (_, value) in (given | part.sought).items()},
    }


def _node(node: Node) -> str:
    """A *node* on one line."""
    if isinstance(node, Scalar):
        return _quoted(node.text)
    if isinstance(node, Listed):
        return _listed(map(_node, node.items))
    pairs = (f"{_quoted(name)}: {_node(value)}" for name, (_, value) in node.entries.items())
    return f"{{{', '.join(pairs)}}}"


def _expected(cases: Answers) -> dict[str, str]:
    """What is expected of each of the *cases*; of several, a list of what they come to."""
    rows = [(results[0], [*map(_all_stated, results)]) for results in zip(*cases, strict=True)]
    return {
        first(one).name: stated[0] if len(stated) == 1 else _listed(stated)
        for one, stated in rows
        if len(stated) == 1 or isinstance(one, Result)
    }


def _listed(texts: Iterable[str]) -> str:
    return f"[{', '.join(texts)}]"


def example_file(problem: type[Problem]) -> str:
    """A problem file with the type's example, the meaning of every name, and the answer."""
    texts = example_texts(problem)
    solved = solve(problem, texts)
    rows = [(f"{name}: {_written(x)}", problem.givens[name].title) for name, x in texts.items()]
    if reading := solved.stated.shape.reading:
        rows.append(("", "how the question is read; strike out a # to read it otherwise"))
    for name, option in reading:
        options, is_usual = problem.choices[name].options, option == problem.choices[name].default
        shown = f"{'# ' * is_usual}{name}: {option.replace('_', '-')}"
        others = ", ".join(one.replace("_", "-") for one in options if one != option)
        rows.append((shown, f"{options[option]} (or {others})"))
    wide = max(len(shown) for shown, _ in rows)
    asked = {"type": problem.slug, "title": _quoted(problem.question())}
    lines = [
        f"  - id: {problem.slug}-1",
        *_lines({**asked, "source": "where the question comes from"}, "    "),
        "    given:",
        *(f"      {shown:<{wide}}  # {says}" for shown, says in rows),
        "    expect:  # a difference makes 'ddcalc solve' exit with 1",
        f"      {solved.answer.name}: {_stated(solved.answer)}",
    ]
    return opening({}, {}) + "".join(f"{line}\n" for line in lines)


def _stated(result: Result) -> str:
    """The value as a problem file states it: exactly, or to some digits if it is rounded."""
    if isinstance(result.value, Approximate):
        return f"{{value: {_rounded(result)}, digits: {SIGNIFICANT}}}"
    if result.value is None:
        return "null"
    if isinstance(result.value, Expr):
        return code(result.value)
    return exact_text(result.value, result.unit)


def _rounded(result: Result) -> str:
    assert isinstance(result.value, int | Fraction)
    shown = rounded(ratio(result.value, result.unit.worth), SIGNIFICANT)
    return exact_text(shown * result.unit.worth, result.unit)


def _all_stated(result: Results) -> str:
    """One value, or a list of them."""
    if isinstance(result, Result):
        return _stated(result)
    if not any(isinstance(one.value, Approximate) for one in result):
        return _listed(map(_stated, result))
    rounded_ones = [_rounded(one) for one in result if isinstance(one.value, int | Fraction)]
    return f"{{value: [{', '.join(rounded_ones)}], digits: {SIGNIFICANT}}}"


def _written(value: str | Sequence[str]) -> str:
    return _quoted(value) if isinstance(value, str) else f"[{', '.join(map(_quoted, value))}]"


def _quoted(text: str) -> str:
    """*text* as a YAML scalar, quoted unless it certainly need not be."""
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)
