"""An interview: what is missing of a question, asked for at a terminal, a prompt for each given."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import typer

from ddcalc.cli.givens import listed
from ddcalc.cli.session import Session
from ddcalc.errors import BadTarget, DdcalcError, Missing, Several
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Given
from ddcalc.problem.stated import read

Stated = dict[str, str | list[str]]


@dataclass(frozen=True, slots=True)
class Interview:
    """Asks for the givens of *problem* that *check* finds missing, on standard error, so that the
    answer alone is on standard output."""

    problem: type[Problem]
    check: Callable[[Stated], None]
    session: Session

    def held(self, stated: Mapping[str, str | list[str]]) -> Stated:
        """What was answered, where so much is *stated*; the command that it makes is printed.

        Raises BadTarget where there is no terminal, Missing at the end of input, and what *check*
        raises besides Missing.
        """
        if not (sys.stdin and sys.stdin.isatty()):
            reason = "there is no terminal to ask in; state everything as options"
            raise BadTarget(reason).about("--ask")
        texts: dict[str, str] = {}
        answered: Stated = {}
        while missing := self._missing({**stated, **answered}):
            for i, name in enumerate(missing):
                for given, text in self._one_of(missing[i:], name.split(" or ")):
                    texts[given.flag] = text
                    answered[given.name] = listed(given, text)
        options = [part for flag, text in texts.items() for part in (f"--{flag}", text)]
        words = [word for word in sys.argv[1:] if word != "--ask"]
        self.session.say(f"\n{shlex.join(['ddcalc', *words, *options])}\n\n")
        return answered

    def _missing(self, stated: Stated) -> list[str]:
        """The givens that are missing; several of which one is enough are parted by ``or``."""
        try:
            self.check(stated)
        except DdcalcError as error:
            singles = error.singles()
            missing = [n for one in singles if isinstance(one, Missing) for n in one.names]
            if wrong := [one for one in singles if not isinstance(one, Missing)]:
                raise Several(wrong) from None
            if not {part for name in missing for part in name.split(" or ")} <= {
                *self.problem.givens
            }:
                raise
            return missing
        return []

    def _one_of(self, missing: list[str], names: list[str]) -> list[tuple[Given, str]]:
        """The first of the givens called *names* that is answered; all but the last may be left
        out."""
        for i, name in enumerate(names, 1):
            given = self.problem.givens[name]
            others = [] if i == len(names) else names[i:]
            try:
                text = self._answer(given, others)
            except typer.Abort as abort:
                self.session.say("\n")
                if isinstance(abort.__context__, EOFError):
                    raise Missing(missing) from None
                raise
            if text:
                return [(given, text)]
        return []

    def _answer(self, given: Given, others: list[str]) -> str:
        """What is typed for *given*, once it can be read; nothing if there are *others*."""

        def checked(text: str) -> str:
            if text.strip():
                self._check_alone(given, text.strip())
            return text.strip()

        usual = "" if others else None
        text = typer.prompt(_prompt(given, others), usual, value_proc=checked, show_default=False,
                            err=True)  # fmt: skip
        return str(text)

    def _check_alone(self, given: Given, text: str) -> None:
        """Raise what is wrong with *text* by itself, for the prompt to show."""
        try:
            read(self.problem, {given.name: listed(given, text)})
        except DdcalcError as error:
            for single in error.singles():
                if not isinstance(single, Missing) and (single.parameter or given.name).startswith(
                    given.name
                ):
                    raise typer.BadParameter(str(single)) from None


def _prompt(given: Given, others: list[str]) -> str:
    """What a given is, its unit, an example, and what may be stated instead."""
    unit = f", in {given.unit.name}" if given.unit.name else ""
    many = ", a list" if given.many == "list" else ""
    example = f" (for example {given.example})" if given.example else ""
    skip = f" [Enter: {' or '.join(others)} instead]" if others else ""
    return f"{given.name}: {given.title}{unit}{many}{example}{skip}"
