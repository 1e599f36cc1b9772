"""The verb ``sensitivity``: what moves the answer of a question, and how sure it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import StrEnum
from fractions import Fraction
from inspect import Parameter
from typing import TYPE_CHECKING, Any, Final

from ddcalc.cli.documents import deliver, report_page
from ddcalc.cli.formats import DRAWN, Steps, Target
from ddcalc.cli.options import STEPS, argument, delivery, option
from ddcalc.cli.session import Session
from ddcalc.cli.subject import Given, one, refusing, type_named_in, with_givens
from ddcalc.errors import BadNumber, BadValue, DdcalcError

if TYPE_CHECKING:
    from ddcalc.problem.problem import Problem
    from ddcalc.sheet.batch import Solved

MOST: Final = 100_000  # runs
HELP: Final = """\
    ddcalc sensitivity epoch-time --samples 76800 … --compute "4±0.5 s" --workers 5..8

    ddcalc sensitivity FILE ID

Givens may be uncertain: 4±0.5 s, 4 s ± 10 %, 3..5 s. The answer's range is shown, and with --seed
quantiles.
"""
WORDS: Final = argument("TYPE|FILE ID", list[str], "A problem type, or a problem file and an id.")


class Distribution(StrEnum):
    """How the number behind ± is spread."""

    uniform = "uniform"
    normal = "normal"


def command(session: Session, arguments: Sequence[str]) -> Callable[..., None]:
    """The verb as a command for Typer, with the options of the type that *arguments* name."""
    problem = type_named_in(arguments)
    options = [WORDS, *_options(problem), STEPS, *delivery(DRAWN)]

    def run(
        words: list[str],
        given: Given,
        by: str,
        draw_seed: int | None,
        draw_runs: int,
        distribution: Distribution,
        steps: Steps,
        **delivered: Any,
    ) -> None:
        from ddcalc.ask.sensitivity import Draw, sensitivity
        from ddcalc.ask.sensitivity.telling import report, tornado
        from ddcalc.render.json import verb_data
        from ddcalc.render.pictures.tornado import picture

        target = Target(DRAWN, **delivered)
        with refusing(session, target, problem, ("by", "seed", "runs")):
            target.check([] if problem else words[:1])
            draw = None if draw_seed is None else Draw(draw_seed, draw_runs, distribution.value)
            share = _share(by)
            subject = one(problem, words, given, session, _usable)
            if subject is None:
                return
            moved = sensitivity(subject.problem, subject.texts, share, draw)
            page = report_page(report(moved), steps, lambda: verb_data.sensitivity(moved))
            page = replace(page, picture=lambda: picture(tornado(moved)))
            deliver(page, target, session)

    return with_givens(run, options, problem)


def _options(problem: type[Problem] | None) -> list[Parameter]:
    """Options of the verb; those that the type has too are called ``--draw-…``."""
    taken = problem.givens if problem else {}
    seed, runs = (f"--draw-{name}" if name in taken else f"--{name}" for name in ("seed", "runs"))
    spread = "Of the number after ±: the ends of a range, or a deviation. (default: uniform)"
    return [
        option("--by", str, "Swing of the tornado chart. (default: 10%)", "10%", metavar="SHARE"),
        option(
            seed,
            int | None,
            "Draw uncertain givens at random, from this seed.",
            name="draw_seed",
            metavar="N",
        ),
        option(
            runs,
            int,
            "How often they are drawn. (default: 1000)",
            1000,
            "draw_runs",
            metavar="N",
            min=1,
            max=MOST,
        ),
        option("--distribution", Distribution, spread, Distribution.uniform),
    ]


def _usable(done: Solved) -> bool:
    """Whether a problem of a file can be asked about: solved, or uncertain."""
    from ddcalc.ask.sensitivity.uncertain import certain

    if done.answered or done.question.problem is None:
        return done.answered
    try:
        return bool(certain(done.question.problem, done.question.texts)[1])
    except DdcalcError:
        return True  # which is refused when it is read once more


def _share(text: str) -> Fraction:
    """The share that *text* (``10%``, ``0.1``) says; BadValue unless it is between 0 and 1."""
    from ddcalc.numbers.number import parse, split

    number, unit = split(text.strip())
    try:
        value = Fraction(parse(number)) / (100 if unit == "%" else 1)
    except BadNumber as error:
        raise error.about("by") from None
    if unit not in ("", "%") or not 0 < value < 1:
        raise BadValue(text, "is no share; write for example 10%").about("by")
    return value
