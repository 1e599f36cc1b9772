"""What is said of a call that Typer refuses: the error in our own words, and what was meant."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches

import typer

from ddcalc.boundary.cleaning import clean
from ddcalc.problem.index import foreign_options, meanings

_NOTE = re.compile(r" \((?:required|default: [^)]*)\)$")
SURE = 0.8  # how like an option a word is that is taken for a misspelling of it
_LETTER = re.compile(r"^\S{1,9}: ")


def misuse(error: typer.TyperException) -> str:
    """The text of *error*, cleaned, since it quotes what was typed."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "ddcalc"
    message = clean(error.format_message(), 300).replace("Value error, ", "")
    if context and isinstance(name := getattr(error, "option_name", None), str):
        message = _no_option(clean(name, 80), context.command.params)
    elif message.startswith("No such command") and "Did you mean" not in message:
        message += " To find one: ddcalc ask 'QUESTION'"
    elif message.startswith("Got unexpected extra argument"):
        message += "; a value with a space needs quotes ('1.5 s'), a list has commas (1s,2s)"
    return f"error: {message}\n --> {clean(command, 80)} (see -h)\n"


def _no_option(written: str, parameters: list[typer.core.TyperOption]) -> str:
    """That there is no option *written*, and which of a command's *parameters* is probably meant:
    by another program's name for it, by spelling, or by meaning."""
    says = {
        flag: _LETTER.sub("", _NOTE.sub("", getattr(one, "help", None) or ""))
        for one in parameters
        for flag in one.opts
        if flag.startswith("--")
    }
    word = written.lstrip("-")
    known = foreign_options().get(word, "")
    if known.partition(" ")[0] in says:
        return f"No such option: {written}; write {known}"
    flags = {flag.removeprefix("--"): flag for flag in says}
    meant = get_close_matches(word, flags, 1, SURE) or meanings(word, says) if word else []
    meant = meant or get_close_matches(word, flags, 1)
    named = " or ".join(_named(flags.get(one, one), says) for one in meant)
    return f"No such option: {written}" + (f"; did you mean {named}?" if named else "")


def _named(flag: str, says: Mapping[str, str]) -> str:
    same = flag.removeprefix("--").replace("-", " ") == says[flag]
    return f"{flag} ({says[flag].rstrip('.')})" if says[flag] and not same else flag
