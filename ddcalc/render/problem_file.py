"""Problem files written out: a command line as a file, and an example to start from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from ddcalc.ask.solve import Result, Results, Text, first, solve
from ddcalc.formula.expression import Expr
from ddcalc.numbers.display import SIGNIFICANT, exact_text, rounded
from ddcalc.numbers.irrational import Approximate, ratio
from ddcalc.problem.own import step_in
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Choice
from ddcalc.problem.stated import example_texts, filled_in
from ddcalc.render.notation.plain import code

MODELINE = "# yaml-language-server: $schema=.ddcalc.schema.json\n"
OPENING = f"{MODELINE}problems:\n"
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ./^*_+-]*[A-Za-z0-9)]|[A-Za-z0-9]")


def frame(_title: str) -> tuple[str, str]:
    """What stands before all problems of a file, and behind them."""
    return OPENING, ""


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
    lines = entry(problem.slug, problem, texts, (), **keys)
    return OPENING + "\n".join([*lines, *_own([*map(step_in, steps)]), ""])


def _own(steps: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    """The lines of the *steps* that a problem adds to its type."""
    if steps:
        yield "    steps:"
    for name, formula, says in steps:
        yield f"      {_quoted(f'{name} = {formula}')}: {_quoted(says)}"


def entry(
    name: str,
    problem: type[Problem],
    texts: Mapping[str, Text],
    expected: Iterable[Results],
    **keys: Text,
) -> list[str]:
    """The lines of one problem called *name* that asks what *texts* ask; results are *expected*;
    *keys* are what else stands there. What presets state stands there itself, for machines that
    have other presets; so do formulas and steps of the question."""
    given, filled = filled_in(problem, texts, str(keys.get("find", "")))
    says = {key: f"  # {one.preset.name}: {one.says}" for key, one in filled.items()}
    results = list(expected)
    return [
        f"  - id: {name}",
        f"    type: {problem.slug}",
        *(f"    {key}: {_written(text)}" for key, text in keys.items()),
        "    given:",
        *(f"      {key}: {_written(value)}{says.get(key, '')}" for key, value in given.items()),
        *(f"      {key}: {_quoted(formula)}" for key, formula in problem.stated_so.items()),
        *_own(problem.own_steps),
        *["    expect:"] * bool(results),
        *(f"      {first(one).name}: {_all_stated(one)}" for one in results),
    ]


def example_file(problem: type[Problem]) -> str:
    """A problem file with the type's example, the meaning of every name, and the answer."""
    texts = example_texts(problem)
    solved = solve(problem, texts)
    stated = [(name, _written(value), problem.givens[name].title) for name, value in texts.items()]
    chosen = [
        (name, option.replace("_", "-"), _with_others(problem.choices[name], option))
        for name, option in solved.stated.shape.reading
    ]
    exact = "" if isinstance(solved.answer.value, Approximate) else "exact; "
    return MODELINE + "\n".join(
        [
            "problems:",
            f"  - id: {problem.slug}-1",
            f"    type: {problem.slug}",
            f"    title: {_quoted(problem.question())}",
            "    source: where the question comes from",
            "    given:",
            *_commented(stated),
            *(
                ["      # how the question is read; leave a line out for the usual reading"]
                * bool(chosen)
            ),
            *_commented(chosen),
            f"    expect:  # {exact}a difference makes 'ddcalc solve' exit with 1",
            f"      {solved.answer.name}: {_stated(solved.answer)}",
            "",
        ]
    )


def _with_others(choice: Choice, option: str) -> str:
    """What an *option* means, and what else may stand there: ``… (or ssp, async)``."""
    others = [name.replace("_", "-") for name in choice.options if name != option]
    return f"{choice.options[option]} (or {', '.join(others)})"


def _commented(rows: list[tuple[str, str, str]]) -> list[str]:
    wide = max((len(f"{name}: {value}") for name, value, _ in rows), default=0)
    return [f"      {f'{name}: {value}':<{wide}}  # {comment}" for name, value, comment in rows]


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
        return f"[{', '.join(map(_stated, result))}]"
    rounded_ones = [_rounded(one) for one in result if isinstance(one.value, int | Fraction)]
    return f"{{value: [{', '.join(rounded_ones)}], digits: {SIGNIFICANT}}}"


def _written(value: str | Sequence[str]) -> str:
    return _quoted(value) if isinstance(value, str) else f"[{', '.join(map(_quoted, value))}]"


def _quoted(text: str) -> str:
    """*text* as a YAML scalar, quoted unless it certainly need not be."""
    if _PLAIN.fullmatch(text):
        return text
    return json.dumps(text, ensure_ascii=False)
