"""How ddcalc is used: the front page, and what is said of a call that Typer refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from typer.core import TyperGroup

from ddcalc.cli.session import USUAL, width
from ddcalc.problem.catalog import GROUPS
from ddcalc.render.whole import hung

if TYPE_CHECKING:
    import typer
    from typer._click import Context, HelpFormatter

VERBS: Final = {
    "ask": "Which problem type answers a question in your own words.",
    "list": "The problem types by subject, or those about a word.",
    "show": "The manual of a problem type, with an example.",
    "explain": "A word of the field: what it means, helps and hurts.",
    "solve": "Solve problem files; compare the answers they state.",
    "check": "Mark answers, and name the mistake behind a wrong one.",
    "sweep": "A question at very many points: table, chart, the best.",
    "compare": "Two questions side by side: what differs, and why.",
    "sensitivity": "What moves the answer, and how much.",
    "variants": "The same question in other numbers, for exams.",
    "experiment": "Real training: which scheme is first to an accuracy?",
    "presets": "Published values of devices, links, models.",
    "new": "A filled-in problem file to start from.",
    "schema": "The JSON Schema of problem files, for editors.",
}
STARTS: Final = {
    'ddcalc ask "time of 10 epochs on 6 machines"': "which problem type that is",
    "ddcalc epoch-time -h": "what it needs",
}
PURPOSES: Final = {  # what begins with a verb, and those after it
    "ask": "find",
    "solve": "answer",
    "sweep": "vary",
    "variants": "teach",
    "experiment": "try",
    "new": "write",
}
MARGIN: Final = 22
LIKE: Final = 0.7  # how like an option a word is that is taken for a misspelling of it


class FrontPage(TyperGroup):
    """All commands, whose help is the front page."""

    def format_help(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write it."""
        lines = _lines(min(width(), USUAL))
        formatter.write("".join(f"{line}\n" for line in lines))


def _lines(columns: int) -> Iterator[str]:
    says = "Cost problems of distributed training, solved exactly and explained."
    yield hung("", says, columns)
    yield ""
    room = max(map(len, STARTS))
    for command, does in STARTS.items():
        beside = f"{command:<{room}}  {does}"
        yield from [beside] if len(beside) <= columns else [command, f"    {does}"]
    yield ""
    for verb, summary in VERBS.items():
        yield _row(f"{PURPOSES.get(verb, ''):<7}{verb}", summary, columns)
    yield ""
    subjects = ", ".join(GROUPS.values())
    yield _row("subjects", f"{subjects} (ddcalc list communication)", columns)
    yield _row("options", "-h behind any command; --version", columns)


def _row(head: str, says: str, columns: int) -> str:
    return hung(f"{head:<{MARGIN}}", says, columns)


# Calls that are refused


def misuse(error: typer.TyperException) -> str:
    """The text of *error*, cleaned, since it quotes what was typed."""
    from difflib import get_close_matches

    from ddcalc.boundary.cleaning import clean
    from ddcalc.problem.index import meanings

    context = getattr(error, "ctx", None)
    command = context.command_path if context else "ddcalc"
    message = clean(error.format_message(), 300).replace("Value error, ", "")
    if context and isinstance(name := getattr(error, "option_name", None), str):
        says = {
            flag.removeprefix("--"): getattr(option, "help", None) or ""
            for option in context.command.params
            for flag in option.opts
        }
        word = name.lstrip("-")
        near = get_close_matches(word, says, 1, LIKE) or meanings(word, says, 1)
        message = f"No such option: {clean(name, 80)}"
        message += f"; did you mean --{near[0]}?" if near else ""
    elif message.startswith("No such command") and "Did you mean" not in message:
        message += " To find one: ddcalc ask 'QUESTION'"
    elif message.startswith("Got unexpected extra argument"):
        message += "; a value with a space needs quotes ('1.5 s'), a list has commas (1s,2s)"
    return f"error: {message}\n --> {clean(command, 80)} (see -h)\n"
