"""The pages of the glossary: one of each term, and one that lists them all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ddcalc.problem.terms import Term
from ddcalc.render.blocks import Block, Code, Grid, Heading, Paragraph
from ddcalc.render.manual import broken

Data = dict[str, str | list[str] | list[dict[str, str]]]


def page(term: Term, types: Sequence[str]) -> Iterator[Block]:
    """What *term* is, when it helps and hurts, its formula, and what to try.

    *types* are the slugs of the problem types that name it.
    """
    yield Heading(term.name)
    yield Paragraph((term.words,))
    yield Paragraph((term.helps,), "Helps")
    yield Paragraph((term.hurts,), "Hurts")
    yield Paragraph((), "Formula")
    yield Code("\n".join(term.formula))
    yield Paragraph((term.letters,), "Letters")
    for trial in term.trials:
        yield Paragraph((f"{trial.shows}:",), "Try")
        command, *options = trial.command.split(" --")
        yield Code(broken(command, [f"--{option}" for option in options]))
    if types:
        yield Paragraph((f"{', '.join(types)} (ddcalc show TYPE)",), "Problem types")
    yield Paragraph((", ".join(term.see),), "See also")
    yield Paragraph((", ".join(term.aliases),), "Also found under")
    yield Paragraph((term.source,), "Source")


def index(terms: Iterable[Term]) -> Iterator[Block]:
    """A line of each of *terms*."""
    yield Grid(("term", "what it is"), tuple(((t.name,), (t.summary,)) for t in terms))
    yield Paragraph(("ddcalc explain TERM tells more of one; its other names will do as well.",))


def data(term: Term, types: Sequence[str]) -> Data:
    """*term* and the problem *types* that name it, ready for JSON."""
    return {
        "name": term.name,
        "aliases": list(term.aliases),
        "summary": term.summary,
        "words": term.words,
        "helps": term.helps,
        "hurts": term.hurts,
        "formula": list(term.formula),
        "letters": term.letters,
        "try": [{"command": each.command, "shows": each.shows} for each in term.trials],
        "types": list(types),
        "see": list(term.see),
        "source": term.source,
    }
