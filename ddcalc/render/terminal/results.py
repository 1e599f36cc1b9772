"""Problems of a file for people at a terminal: in full with their checks, or a line each."""

from __future__ import annotations

from rich.text import Text

from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.limits import TITLE
from ddcalc.numbers.display import ABOUT
from ddcalc.render import checks, story
from ddcalc.render.terminal.derivations import derivation
from ddcalc.render.terminal.layout import Look
from ddcalc.render.terminal.screen import printed
from ddcalc.sheet.answers import Check
from ddcalc.sheet.batch import Solved

NAME, ANSWER = 26, 22  # columns of the summary


def problem(done: Solved, steps: str, look: Look) -> str:
    """A solved problem of a file: its title, its derivation, and its stated answers."""
    assert done.derivation is not None
    question = done.question
    names = [text for text in (question.id, question.title) if text]
    head = [Text(clean("  ".join(names), TITLE), "bold underline"), Text()] if names else []
    told = printed(head, look) + derivation(done.derivation, steps, look)
    below = [Text(), *(_check(check, look) for check in done.checks)] if done.checks else []
    return told + printed(below, look)


def summary_head(look: Look) -> str:
    """The head of the lines that :func:`summary` makes."""
    return printed(
        [Text(f"{'problem':<{NAME}}  {'answer':<{ANSWER}}  stated answers", "bold")], look
    )


def summary(done: Solved, look: Look) -> str:
    """What the problem is called, its answer and how many stated ones agree, on a line; below it
    those that do not."""
    question = done.question
    where = f"{question.file}:{question.line}" if question.line else question.file
    name = question.id or question.title or where
    wrong: list[Check] = []
    if done.derivation is None or not done.answered:
        answer, verdict = "not solved", ""
    else:
        value = story.answer_text(done.derivation)
        sign = " " if value.startswith(ABOUT) else " = "
        answer = f"{look.letter(done.derivation.answer.symbol)}{sign}{value}"
        wrong, verdict = checks.wrong(done.checks), checks.counted(done.checks)
    dots = 0 if look.unicode else len(look.spelt("…")) - 1
    room = max(ANSWER, look.width - NAME - 4 - len(verdict) - dots)
    shown = look.spelt(clean(look.spelt(answer), room))
    told = f"{clean(name, NAME):<{NAME}}  {shown:<{ANSWER}}  {verdict}"
    return printed([Text(told.rstrip()), *(_check(check, look, "  ") for check in wrong)], look)


def _check(check: Check, look: Look, margin: str = "") -> Text:
    told = Text(look.spelt(f"{margin}{checks.stated(check)}  "))
    return told.append(look.spelt(checks.verdict(check)), "" if check.agrees else "bold red")
