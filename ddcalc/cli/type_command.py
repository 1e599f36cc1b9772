"""A call of a problem type's command: what of the answer is shown, how, and where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Final

from ddcalc.ask.solve import Derivation, singles
from ddcalc.cli.documents import Format, Page, Steps, Target, named, shows_unused
from ddcalc.cli.options import listed_names
from ddcalc.cli.session import DIFFERS, Session, Waiting
from ddcalc.cli.type_options import texts
from ddcalc.errors import BadTarget, BadUnit, DdcalcError, Missing, blaming, raise_all
from ddcalc.files.batch import worked
from ddcalc.files.filed_problem import stated_here
from ddcalc.files.solved import Solved
from ddcalc.numbers.units import Unit, unit_named
from ddcalc.problem.plan import quantity_named
from ddcalc.problem.problem import Problem
from ddcalc.problem.stated_formulas import asked_in
from ddcalc.render.writers import written

if TYPE_CHECKING:
    from ddcalc.files.answers import Check
    from ddcalc.render.blocks import Block
    from ddcalc.render.json.step_data import Data
    from ddcalc.render.pages import Detail

StatedTexts = dict[str, str | list[str]]

ALONE: Final = {  # what an option does, and what it does not go with
    "--bare": ("prints plain values", ("--as-yaml", "--hint", "--steps", "--format", "--output")),
    "--hint": ("is not written into a file", ("--output",)),
    "--mine": ("marks an answer", ("--as-yaml", "--hint", "--bare", "--quantity", "--steps")),
}


@dataclass
class TypeCall:
    """One call of the command of a *problem* type: where it writes, and what its options say is
    *wanted* of the answer."""

    session: Session
    problem: type[Problem]
    target: Target
    wanted: SimpleNamespace

    def __post_init__(self) -> None:
        wanted, text = self.wanted, self.target.form is Format.text
        self.names = listed_names(wanted.quantity)  # of the quantities asked for, if they are named
        # whether only values are printed, for machines
        self.plain = wanted.bare or (bool(self.names) and wanted.steps is None and text)
        # whether a page is printed, which says by itself what is unused and what holds
        is_other = self.plain or wanted.as_yaml or wanted.hint is not None
        self.is_page = not is_other and wanted.mine is None

    def run(self, given: dict[str, list[str] | None]) -> None:
        """Answer and write; what is wrong is refused."""
        wanted, asked = self.wanted, [] if self.wanted.find else self.names
        try:
            stated, misused = texts(self.problem, given)
            raise_all([*misused, *self._misdirected()])
            question = stated_here(
                self.problem, stated, wanted.own_steps, find=wanted.find, where=wanted.where,
                quantity=asked, limit=wanted.limits, claim=wanted.claims,
            )  # fmt: skip
            with Waiting(self.session):
                done = worked(question)
                raise_all(done.errors)
                made = self._made(done, stated)
            self.target.write(made)
        except DdcalcError as error:
            self.target.refuse(error, self.problem)
            if any(isinstance(single, Missing) for single in error.singles()):
                self.session.say(f"an example: ddcalc show {self.problem.slug}\n")
        else:
            self._note(done)

    def _misdirected(self) -> list[DdcalcError]:
        """What is wrong with the file and the options beside it."""
        wanted = self.wanted
        stated = {
            "--as-yaml": wanted.as_yaml, "--bare": wanted.bare, "--hint": wanted.hint,
            "--mine": wanted.mine, "--quantity": self.names, "--steps": wanted.steps,
            "--format": self.target.format not in (None, Format.text),
            "--output": self.target.output,
        }  # fmt: skip
        lacks_find = wanted.where and not wanted.find
        wrong: list[DdcalcError] = [Missing(["find"])] if lacks_find else []
        refused: set[str] = set()
        for option, (does, others) in ALONE.items():
            for one in others:
                if stated[option] and stated[one] and one not in refused:
                    refused.add(one)
                    wrong.append(BadTarget(f"{option} {does}; leave {one} away").about(option))
        try:
            self.target.check()
        except DdcalcError as error:
            wrong.append(error)
        return wrong

    def _made(self, done: Solved, stated: StatedTexts) -> str | bytes:
        """What is wanted of the solution."""
        solved, wanted = done.cases[0], self.wanted
        unit = self._unit(solved)
        if wanted.as_yaml:
            from ddcalc.render.papers.problem_file import problem_file

            asks = {"find": wanted.find, "where": wanted.where, "limit": wanted.limits}
            return problem_file(self.problem, stated, wanted.own_steps, self.names, **asks)
        if wanted.hint is not None:
            from ddcalc.render import stages

            if not (hints := [*stages.hints(solved, wanted.hint)]):
                self.session.note("no step leads to this answer; leave --hint away to see it")
            return written(Page(lambda: hints), Format.text, self.target.look)
        if self.plain:
            return self._values(solved, unit)
        if wanted.mine is None:
            from ddcalc.render.pages import Detail

            depth = (wanted.steps or Steps.full).value
            detail = Detail(depth, unit, wanted.everything, wanted.exact)
            page = derivation_page(solved, detail, done.checks, done.limits)
        else:
            page = self._marked(solved, wanted.mine)
        with blaming("--output" if self.target.output else "--format"):
            return written(page, self.target.form, self.target.look)

    def _marked(self, solved: Derivation, mine: str) -> Page:
        """The marks of the answers in *mine*, which differ where one is not right."""
        from ddcalc.ask.mark.grading import StudentMarks
        from ddcalc.files.keys import answers_in, keys_to
        from ddcalc.render.json import verb_data
        from ddcalc.render.papers import marks

        unit = self.wanted.unit
        with blaming("mine"):
            keys = keys_to(solved, {solved.answer.name: {"unit": unit}} if unit else {})
        handed, wrong = keys.marked(answers_in(mine))
        raise_all(wrong)
        if any(mark.verdict not in ("right", "rounded") for mark in handed.marks):
            self.session.happened(DIFFERS)
        unnamed = StudentMarks("", [("", mark) for mark in handed.marks])
        return Page(
            lambda: marks.page(unnamed, "Mark"),
            lambda: {"problem": solved.problem.slug, "mine": verb_data.credited(handed)},
        )

    def _values(self, solved: Derivation, unit: Unit | None) -> str:
        """The values of the quantities named, or of the answer, one a line, for machines."""
        from ddcalc.render.json import machine_text

        lines = []
        for name, _ in map(asked_in, self.names or [solved.answer.name]):
            wanted = quantity_named(solved.quantities, solved.problem, name)
            members = singles(solved.quantities[wanted])
            alike = unit and members and members[0].unit.dimension == unit.dimension
            chosen = unit if alike else None
            lines.append(",".join(machine_text(one, chosen, self.wanted.bare) for one in members))
        return "".join(f"{line}\n" for line in lines)

    def _unit(self, solved: Derivation) -> Unit | None:
        """The unit that is stated for the answer, or for one of the values that are printed alone;
        BadUnit where none of these is measured in it."""
        if self.wanted.unit is None:
            return None
        sizes = [solved.answer.unit.dimension]
        if self.plain and self.names:
            declared = solved.problem.quantities
            asked = (name for name, _ in map(asked_in, self.names))
            wanted = [quantity_named(declared, solved.problem, name) for name in asked]
            sizes = [declared[name].unit.dimension for name in wanted]
        with blaming("unit"):
            unit = unit_named(self.wanted.unit.strip(), dimension=sizes[0])
            if unit.dimension not in sizes:
                wants = " or ".join(dict.fromkeys(map(str, sizes)))
                raise BadUnit(unit.name, f"measures {unit.dimension}; the answer is {wants}")
        return unit

    def _note(self, done: Solved) -> None:
        """Say what a page would: what is stated without effect, and what holds, else exit 1."""
        solved = done.cases[0]
        for check in (*done.limits, *done.checks):
            if not self.is_page or (not check.agrees and self.target.output):
                self.session.say(f"{check.name}: {check.says}\n")
            if not check.agrees:
                self.session.happened(DIFFERS)
        if self.wanted.as_yaml or self.wanted.hint is not None:
            return
        if self.plain and self.wanted.find and solved.answer.value is None:
            from ddcalc.render.story import says

            self.session.note(f"--find {self.wanted.find}", says(solved, self._unit(solved)))
        if self.is_page and shows_unused(self.target.form, self.wanted.steps or Steps.full):
            return
        for unused in solved.unused:
            if unused.noted:
                self.session.note(f"--{unused.name}".replace("_", "-"), unused.says)


def derivation_page(
    solved: Derivation, detail: Detail, checks: Sequence[Check] = (), limits: Sequence[Check] = ()
) -> Page:
    """A derivation as a page, with what was to hold; BadTarget where its picture is wanted and it
    has none."""

    def blocks() -> Iterator[Block]:
        from ddcalc.render import pages

        yield from pages.derivation(solved, detail, limits=limits)
        yield from pages.checks([("", one) for one in checks])

    def data() -> Data:
        from ddcalc.render.json import derivation

        return derivation(solved, detail.steps != "none", detail.unit, checks, limits)

    def picture(form: str) -> bytes:
        from ddcalc.problem.said.steps import Drawn
        from ddcalc.render import pictures

        for step in (one for one in solved.steps if isinstance(one, Drawn)):
            return pictures.of(step, form)
        instead = named((Format.html, Format.markdown, Format.latex, Format.text))
        raise BadTarget(f"{solved.problem.slug} has no picture; write {instead} instead")

    return Page(blocks, data, picture=picture)
