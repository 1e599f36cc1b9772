"""Problem files written out: a command line as a file, and an example to start from."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from ddcalc.ask.solve import Derivation, Result, solve
from ddcalc.example import example_texts
from ddcalc.expression import Expr
from ddcalc.number import Number, quotient
from ddcalc.problem import Problem
from ddcalc.render.formula import code
from ddcalc.units import Unit

MODELINE = "# yaml-language-server: $schema=.ddcalc.schema.json\n"
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ./^*_+-]*[A-Za-z0-9)]|[A-Za-z0-9]")

Stated = str | list[str]


def problem_file(problem: type[Problem], texts: Mapping[str, Stated]) -> str:
    """A problem file that asks what *texts* ask."""
    given = [f"      {name}: {_written(value)}" for name, value in texts.items()]
    return MODELINE + "\n".join(
        [
            "problems:",
            f"  - id: {problem.slug}",
            f"    type: {problem.slug}",
            "    given:",
            *given,
            "",
        ]
    )


def example_file(problem: type[Problem]) -> str:
    """A problem file with the type's example, the meaning of every name, and the answer."""
    texts = example_texts(problem)
    solved = solve(problem, texts)
    stated = [(name, _written(value), problem.givens[name].title) for name, value in texts.items()]
    chosen = [
        (name, option.replace("_", "-"), problem.choices[name].options[option])
        for name, option in solved.stated.shape.reading
    ]
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
            "    expect:  # exact; a difference makes 'ddcalc solve' exit with 1",
            *_expected(solved),
            "",
        ]
    )


def _commented(rows: list[tuple[str, str, str]]) -> list[str]:
    wide = max((len(f"{name}: {value}") for name, value, _ in rows), default=0)
    return [f"      {f'{name}: {value}':<{wide}}  # {comment}" for name, value, comment in rows]


def _expected(solved: Derivation) -> list[str]:
    return [f"      {solved.answer.name}: {_exact(solved.answer)}"]


def _exact(result: Result) -> str:
    """The value as a problem file states it, exactly."""
    if result.value is None:
        return "null"
    if isinstance(result.value, Expr):
        return code(result.value)
    return exact_text(result.value, result.unit)


def exact_text(value: Number, unit: Unit) -> str:
    """*value*, in base units, as an exact number of *unit* that the number grammar reads."""
    worth = unit.worth
    told = quotient(value.numerator * worth.denominator, value.denominator * worth.numerator)
    return f"{_decimal(told)} {unit.name}".rstrip()


def _decimal(value: Number) -> str:
    """An exact decimal where there is one, else a fraction."""
    denominator, places = value.denominator, 0
    while (10**places) % denominator and places < 40:
        places += 1
    if (10**places) % denominator or not places:
        return str(value)
    digits = str(abs(value.numerator) * 10**places // denominator).rjust(places + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def _written(value: Stated) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_quoted, value))}]"
    return _quoted(value)


def _quoted(text: str) -> str:
    """*text* as a YAML scalar, quoted unless it certainly need not be."""
    if _PLAIN.fullmatch(text):
        return text
    return json.dumps(text)
