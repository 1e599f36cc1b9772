"""A call of a problem type's command: what of the answer is shown, how, and where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ddcalc.ask.solve import Derivation, singles, solve
from ddcalc.cli.documents import Page, entry, failure, report_page
from ddcalc.cli.formats import Format, Steps, Target, named, shows_unused
from ddcalc.cli.givens import TABLE, texts
from ddcalc.cli.options import listed_names
from ddcalc.cli.session import DIFFERS, Session, width
from ddcalc.cli.subject import named_as_options
from ddcalc.cli.waiting import Waiting
from ddcalc.errors import BadTarget, BadUnit, DdcalcError, Missing, Several
from ddcalc.numbers.units import Unit, unit_named
from ddcalc.problem.plan import quantity_named, read_for
from ddcalc.problem.problem import Problem
from ddcalc.problem.sheet.modelled import ModelledProblem
from ddcalc.problem.steps import Compare, Exchange, State
from ddcalc.render.whole import wrapped
from ddcalc.render.writers import written

if TYPE_CHECKING:
    from ddcalc.files.answers import Check
    from ddcalc.render.blocks import Block
    from ddcalc.render.json.step_data import Data
    from ddcalc.render.pages import Detail
    from ddcalc.render.whole import Look

StatedTexts = dict[str, str | list[str]]


ALONE: Final = {  # what an option does, and what it does not go with
    "--bare": ("prints plain values", ("--as-yaml", "--hint", "--steps", "--format", "--output")),
    "--hint": ("is not written into a file", ("--output",)),
    "--mine": ("marks an answer", ("--as-yaml", "--hint", "--bare", "--quantity")),
}


@dataclass
class TypeCall:
    """One call of the command: what of the answer is shown, how, and where."""

    session: Session
    problem: type[Problem]
    target: Target
    as_yaml: bool
    find: str | None
    where: list[str]
    hint: int | None
    unit: str | None
    mine: str | None
    steps: Steps | None
    everything: bool
    exact: bool
    quantity: list[str]
    bare: bool
    claims: list[str]

    @property
    def depth(self) -> Steps:
        """How much is explained: as wanted, or all, but only the mark of somebody's answer."""
        return self.steps or (Steps.full if self.mine is None else Steps.none)

    @property
    def names(self) -> list[str]:
        """The quantities asked for, if they are named."""
        return listed_names(self.quantity)

    @property
    def plain(self) -> bool:
        """Whether only values are printed, for machines."""
        by_name = bool(self.names) and self.steps is None
        return self.bare or (by_name and self.target.form is Format.text)

    def run(self, given: dict[str, list[str] | None]) -> None:
        """Answer and write; what is wrong is refused."""
        try:
            stated, misused = texts(self.problem, given)
            misused = [*misused, *self._misdirected()]
            is_long = self.find is not None or issubclass(self.problem, ModelledProblem)
            with Waiting(self.session) if is_long else nullcontext():
                solved = self._solved(stated, misused)
                checks = self._checks(solved)
                text = self._text(solved, stated, checks)
            self.target.write(text, self.session)
        except DdcalcError as error:
            self._refuse(error)
        else:
            self._note(solved)
            self._judge(checks)

    @property
    def is_page(self) -> bool:
        """Whether a page is printed, which says by itself what is unused and what holds."""
        return not (self.plain or self.as_yaml or self.hint is not None)

    def _misdirected(self) -> list[DdcalcError]:
        """What is wrong with the file and the options beside it."""
        stated = {
            "--as-yaml": self.as_yaml, "--bare": self.bare, "--hint": self.hint,
            "--mine": self.mine, "--quantity": self.names, "--steps": self.steps,
            "--format": self.target.format not in (None, Format.text),
            "--output": self.target.output,
        }  # fmt: skip
        wrong: list[DdcalcError] = [Missing(["find"])] if self.where and not self.find else []
        refused: set[str] = set()
        for option, (does, others) in ALONE.items():
            misfits = [one for one in others if stated[one] and stated[option]]
            wrong += [
                BadTarget(f"{option} {does}; leave {one} away").about(option)
                for one in misfits
                if one not in refused
            ]
            refused.update(misfits)
        return wrong + self.target.errors()

    def _solved(self, stated: StatedTexts, misused: list[DdcalcError]) -> Derivation:
        """The solution; everything that is wrong at once where there is none."""
        try:
            if not misused:
                return self._answered(stated)
            self._check(stated)
        except DdcalcError as error:
            named = {single.parameter or "" for single in misused}
            named |= {*self.problem.table} if TABLE in named else set()
            others = [single for single in error.singles() if single.parameter not in named]
            for single in others:
                if isinstance(single, Missing):
                    single.names = [n for n in single.names if not named & {*n.split(" or ")}]
            others = [one for one in others if not isinstance(one, Missing) or one.names]
            raise Several([*misused, *others]) from None
        raise Several(misused)

    def _answered(self, stated: StatedTexts) -> Derivation:
        """The question worked out, or its unknown found."""
        if self.find is None:
            return solve(self.problem, stated, self.names)
        from ddcalc.ask.find import find

        return find(self.problem, self.find, self.where, stated)

    def _check(self, stated: StatedTexts) -> None:
        """Raise what is wrong with the numbers, where they will not be worked with."""
        if self.find is None:
            read_for(self.problem, stated, self.names)
        else:
            from ddcalc.ask.find import inverse_question

            inverse_question(self.problem, self.find, self.where, stated)

    def _checks(self, solved: Derivation) -> list[Check]:
        """Whether what must hold does."""
        if not self.claims:
            return []
        from ddcalc.files.answers import asserted

        return asserted(solved, self.claims)

    def _judge(self, checks: Sequence[Check]) -> None:
        """Exit 1 where something does not hold, and say so where the page does not."""
        alone = self.mine is not None and self.depth is Steps.none
        shown = self.is_page and not alone
        for check in checks:
            if not shown or (not check.agrees and self.target.output):
                self.session.say(f"{check.name}: {check.says}\n")
            if not check.agrees:
                self.session.happened(DIFFERS)

    def _text(
        self, solved: Derivation, stated: StatedTexts, checks: Sequence[Check]
    ) -> str | bytes:
        """What is wanted of the solution."""
        unit = self._units(solved)
        if self.as_yaml:
            from ddcalc.render.problem_file import problem_file

            return problem_file(solved.problem, stated, self.find, self.where, self.names)
        if self.hint is not None:
            if not (hints := _hints(solved, self.hint)):
                self.session.note("no step leads to this answer; leave --hint away to see it")
            return hints
        if self.plain:
            return self._values(solved, unit)
        from ddcalc.render.pages import Detail

        detail = Detail(self.depth.value, unit, self.everything, self.exact)
        page = derivation_page(solved, detail, checks)
        if self.mine is not None:
            page = self._marked(solved, self.mine, None if self.depth is Steps.none else page)
        try:
            return written(page, self.target.form, self.target.look(self.session.out))
        except BadTarget as error:
            raise error.about("--output" if self.target.output else "--format") from None

    def _marked(self, solved: Derivation, mine: str, working: Page | None) -> Page:
        """The marks of the answers in *mine*, which differ where one is not right; below the
        *working*, if that is wanted."""
        from ddcalc.ask.mark.grading import StudentMarks
        from ddcalc.files.answer_key import answers_in, key
        from ddcalc.render import marks
        from ddcalc.render.json import verb_data

        marking = {} if self.unit is None else {solved.answer.name: {"unit": self.unit}}
        try:
            against = key(solved, marking)
            made = list(against.marks(answers_in(against, mine)))
        except DdcalcError as error:
            raise Several([single.about("mine") for single in error.singles()]) from None
        if any(mark.verdict not in ("right", "rounded") for mark in made):
            self.session.happened(DIFFERS)
        name = solved.problem.slug
        handed = StudentMarks("", [(name, mark) for mark in made])
        report = report_page(marks.report(handed, "Mark"), Steps.full)

        def blocks() -> Iterator[Block]:
            yield from working.blocks() if working and working.blocks else ()
            yield from report.blocks() if report.blocks else ()

        def data() -> Data:
            before = working.data() if working and working.data else {"problem": name}
            return before | {"mine": verb_data.credited(handed)}

        def text(look: Look) -> str:
            above = "" if working is None else entry(working, Format.text, look) + "\n"
            return f"{above}{marks.alone(made, look)}\n"

        return Page(blocks, data, text)

    def _values(self, solved: Derivation, unit: Unit | None) -> str:
        """The values of the quantities named, or of the answer, one a line, for machines."""
        from ddcalc.render.json import machine_text

        lines = []
        for name in self.names or [solved.answer.name]:
            wanted = quantity_named(solved.quantities, solved.problem, name)
            chosen = unit if unit and wanted == solved.answer.name else solved.units.get(wanted)
            members = singles(solved.quantities[wanted])
            lines.append(",".join(machine_text(one, chosen, self.bare) for one in members))
        return "".join(f"{line}\n" for line in lines)

    def _units(self, solved: Derivation) -> Unit | None:
        """The unit of the answer; those of quantities that are named go to what is *solved*."""
        answer, problem = solved.answer, solved.problem
        declared = problem.quantities
        wanted = [quantity_named(declared, problem, name) for name in self.names] or [answer.name]
        chosen: dict[str, Unit] = {}
        plain: Unit | None = None  # of the answer, whose steps stay in the units that fit
        for text in self.unit.split(",") if self.unit is not None else ():
            name, is_named, unit_text = text.rpartition("=")
            try:
                names = [quantity_named(solved.quantities, problem, name)] if is_named else wanted
                sizes = {one: declared[one].unit.dimension for one in names}
                unit = unit_named(unit_text.strip(), dimension=sizes[names[0]])
                measured = [one for one, size in sizes.items() if size == unit.dimension]
                if not measured:
                    of = names[0] if is_named else "the answer"
                    wants = " or ".join(dict.fromkeys(map(str, sizes.values())))
                    raise BadUnit(unit.name, f"measures {unit.dimension}; {of} is {wants}")
                if again := next((one for one in measured if one in chosen), ""):
                    raise BadUnit(text.strip(), f"is a second unit for {again}; write one")
            except DdcalcError as error:
                raise error.about("unit") from None
            chosen |= dict.fromkeys(measured, unit)
            if answer.name in measured and not (is_named or self.names):
                plain = unit
        solved.show_in({n: one for n, one in chosen.items() if not plain or n != answer.name})
        return plain

    def _note(self, solved: Derivation) -> None:
        """Say what is stated without effect, where what is shown does not."""
        if self.as_yaml or self.hint is not None:
            return
        if self.plain and self.find and solved.answer.value is None:
            from ddcalc.render.story import says

            self.session.note(f"--find {self.find}", says(solved, self._units(solved)))
        if not self.plain and shows_unused(self.target.form, self.depth):
            return
        for unused in solved.unused:
            if unused.noted:
                self.session.note(f"--{unused.name}".replace("_", "-"), unused.says)

    def _refuse(self, error: DdcalcError) -> None:
        if self.target.printed_json:
            self.session.out.write(failure([error], self.problem, self.target.form))
        self.session.refuse(
            named_as_options(
                error, self.problem, ("find", "unit", "where", "quantity", "mine", "assert")
            )
        )
        if any(isinstance(single, Missing) for single in error.singles()):
            self.session.say(f"an example: ddcalc show {self.problem.slug}\n")


def derivation_page(solved: Derivation, detail: Detail, checks: Sequence[Check] = ()) -> Page:
    """A derivation as a page, with what was to hold; BadTarget where its picture is wanted and it
    has none."""

    def blocks() -> Iterator[Block]:
        from ddcalc.render import pages

        yield from pages.derivation(solved, detail)
        yield from pages.checks(checks)

    def data() -> Data:
        from ddcalc.render.json import derivation

        return derivation(solved, detail.steps != "none", detail.unit, checks)

    return Page(blocks, data, picture=lambda form: _picture(solved, form))


def _picture(solved: Derivation, form: str) -> bytes:
    """The schedule or the curves of *solved* as a picture."""
    from ddcalc.render import pictures
    from ddcalc.render.exchange import DRAWN

    if drawn := pictures.of_steps(solved.steps, form):
        return drawn
    many = any(isinstance(step, Exchange) for step in solved.steps)
    why = f" of more than {DRAWN} processes" if many else ""
    instead = named((Format.html, Format.markdown, Format.latex, Format.text))
    raise BadTarget(f"{solved.problem.slug} has no picture{why}; write {instead} instead")


def _hints(solved: Derivation, count: int) -> str:
    """The ideas and formulas of the first steps, with numbers but for the last one."""
    from ddcalc.render import story

    steps = [step for step in solved.shown_steps() if not isinstance(step, State | Compare)]
    margin = " " * 3
    lines: list[str] = []
    for i, step in enumerate(steps[:count], 1):
        idea = story.hint(step, solved.problem)
        lines += wrapped(idea, width(), initial_indent=f"{i:<3}", subsequent_indent=margin)
        formula = story.hinted(step, i < count)
        indents = {"initial_indent": margin, "subsequent_indent": 2 * margin}
        lines += wrapped(formula, width(), **indents) if formula else []
    return "".join(f"{line}\n" for line in lines)
