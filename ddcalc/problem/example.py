"""The example of a problem type, as its declaration states it."""

from __future__ import annotations

from ddcalc.problem.problem import Problem


def example_texts(problem: type[Problem]) -> dict[str, str | list[str]]:
    """The texts of the example of *problem* by name of given, a list where it takes one."""
    texts: dict[str, str | list[str]] = {}
    for name, given in problem.givens.items():
        parts = [part.strip() for part in given.example.split(",")]
        if given.example:
            texts[name] = parts if given.many == "list" or len(parts) > 1 else given.example
    return texts
