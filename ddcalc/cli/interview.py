"""An interview: what is missing of a question, asked for at a terminal, a prompt for each given,
and one before them for the choice that decides which are needed."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import typer

from ddcalc.cli.givens import listed
from ddcalc.cli.session import Session
from ddcalc.errors import BadTarget, DdcalcError, Missing, Several
from ddcalc.problem.problem import Problem, Shape
from ddcalc.problem.quantity import Choice, Given
from ddcalc.problem.sentences import series
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
        if (choice := deciding(self.problem)) and choice.name not in stated:
            check = partial(_check_option, choice)
            if option := self._typed(_options(choice), "", check, [choice.name]):
                texts[choice.flag] = answered[choice.name] = option
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
            usual = "" if others else None
            check = partial(self._check_alone, given)
            text = self._typed(_prompt(given, others), usual, check, missing)
            if text:
                return [(given, text)]
        return []

    def _typed(
        self, prompt: str, usual: str | None, check: Callable[[str], None], missing: list[str]
    ) -> str:
        """What is typed at *prompt* once *check* lets it pass; at the end of input so much is
        *missing*."""

        def checked(text: str) -> str:
            if text.strip():
                check(text.strip())
            return text.strip()

        try:
            return str(
                typer.prompt(prompt, usual, value_proc=checked, show_default=False, err=True)
            )
        except typer.Abort as abort:
            self.session.say("\n")
            if isinstance(abort.__context__, EOFError):
                raise Missing(missing) from None
            raise

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


def deciding(problem: type[Problem]) -> Choice | None:
    """The first choice of *problem* on which hangs what has to be stated, such as the scheme of a
    timeline."""
    usual = Shape(tuple((name, choice.default) for name, choice in problem.choices.items()))
    for name, choice in problem.choices.items():
        shapes = (usual.with_choice(name, option) for option in choice.options)
        if len({problem.groups_needed(shape) for shape in shapes}) > 1:
            return choice
    return None


def _check_option(choice: Choice, text: str) -> None:
    """Raise, for the prompt to show, where *choice* has no option called *text*."""
    try:
        choice.read(text)
    except DdcalcError as error:
        raise typer.BadParameter(str(error)) from None


def _options(choice: Choice) -> str:
    """What a choice is about, its options, and the usual one."""
    spelt = [option.replace("_", "-") for option in choice.options]
    return f"{choice.name}: {choice.title}, {series(spelt, 'or')} [Enter: {spelt[0]}]"


def _prompt(given: Given, others: list[str]) -> str:
    """What a given is, its unit, an example, and what may be stated instead."""
    unit = f", in {given.unit.name}" if given.unit.name else ""
    many = ", a list" if given.many == "list" else ""
    example = f" (for example {given.example})" if given.example else ""
    skip = f" [Enter: {' or '.join(others)} instead]" if others else ""
    return f"{given.name}: {given.title}{unit}{many}{example}{skip}"
