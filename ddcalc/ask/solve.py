"""Solve a stated question: the answer, every quantity, the steps, and the other readings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

from ddcalc.ask.commentary import Commentary, Share, shares
from ddcalc.ask.unused import Unused, idle, unused
from ddcalc.ask.working import Working, working
from ddcalc.errors import UNANSWERED
from ddcalc.formula.expression import Expr, Num, Number, Sym
from ddcalc.numbers.amounts import amount_text
from ddcalc.numbers.display import equal
from ddcalc.numbers.units import Unit
from ddcalc.problem.plan import Values, read_for
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Quantity
from ddcalc.problem.said.alternatives import side_by_side
from ddcalc.problem.said.speaker import Filled
from ddcalc.problem.said.steps import Compare, Define, State, Step, Value
from ddcalc.problem.stated import Stated, Texts, stated_units
from ddcalc.problem.stated_formulas import NAME

Text = str | list[str]
ELSEWHERE = "see ddcalc "  # and the type that has the steps to a result


# Not frozen: a batch makes very many, and frozen ones take twice as long.
@dataclass(slots=True, repr=False)
class Result:
    """A quantity with its *value*: exact, in base units; *unit* is the one to show it in.

    ``str()`` is the value as people read it: ``595.5 s``, ``≈ 66.67``.
    """

    name: str
    symbol: str
    unit: Unit
    value: Value

    def __str__(self) -> str:
        if self.value is None:
            return "no value"
        if isinstance(self.value, Expr):
            return repr(self.value)
        return amount_text(self.value, self.unit)

    def __repr__(self) -> str:
        return f"<{equal(self.name, str(self))}>"


Results = Result | tuple[Result, ...]
"""A quantity, or the members of one that is a list."""


def singles(results: Results) -> tuple[Result, ...]:
    """A result alone, or the members of a list."""
    return results if isinstance(results, tuple) else (results,)


def first(results: Results) -> Result:
    """A result, or the first of a list."""
    return singles(results)[0]


@dataclass(slots=True)
class Assumption:
    """A choice that shaped the answer: which *option*, and what that *says*.

    *unused* says why it did not, where the question states it all the same.
    """

    choice: str
    option: str
    says: str
    unused: str = ""

    @property
    def remark(self) -> str:
        """What it says, and why it does not count, if that is so."""
        return f"{self.says} ({self.unused})" if self.unused else self.says


@dataclass(slots=True, repr=False)
class Reading:
    """The *answer* when one choice is read differently."""

    choice: str
    option: str
    says: str
    answer: Result

    def __repr__(self) -> str:
        return f"<{self.choice}={self.option}: {self.answer}>"


class Derivation:
    """A solved question. The cheap part is done at once, explanations when they are asked for."""

    def __init__(self, stated: Stated, worked: Working | None = None) -> None:
        self.stated = stated
        self.problem: type[Problem] = stated.problem
        self.working = worked or working(stated)
        self.values: Values = self.working.values

    @property
    def at(self) -> Derivation | None:
        """The question itself; of an inverse one that at the answer, None where there is none."""
        return self

    @property
    def answer(self) -> Result:
        """The quantity asked for."""
        name = self.working.answer
        value = self.values[name]
        assert not isinstance(value, tuple)
        return first(_results(self.problem.quantities[name], value))

    def named(self, told: Collection[str]) -> dict[str, Filled]:
        """What is asked for and not *told* already: what it is called, with its value in words."""
        return self.commentary().named(told)

    @cached_property
    def _given(self) -> dict[str, Value | tuple[Value, ...]]:
        """What is stated, and what is left open, by name."""
        stated, givens = self.stated.values, self.problem.givens.items()
        free = {n: Sym(one.letter) for n, one in givens if one.free and n not in stated}
        return {**stated, **free}

    def value(self, name: str) -> Value | tuple[Value, ...]:
        """What *name* is, if that is known; other quantities may not be worked out for it."""
        return self._given[name] if name in self._given else self.values.get(name)

    @cached_property
    def quantities(self) -> Mapping[str, Results]:
        """Givens and derived quantities by name; a tuple for a list."""
        known, declared = {**self._given, **self.values}, self.problem.quantities
        return {name: _results(declared[name], value) for name, value in known.items()}

    @property
    def told(self) -> Mapping[str, Results]:
        """The same, as the words of an author tell them."""
        return self.quantities

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """What is stated, then what follows, each with its reason."""
        return (*self.givens, *self.working.steps())

    def shown_steps(self, everything: bool = False, names: Collection[str] = ()) -> Iterator[Step]:
        """The steps that the answer rests on, and what is said of it or of what else has one of
        the *names*; *everything*: all of them, as of a model, whose lists have no others."""
        if everything and self.working.plan is not None:
            return iter(self.steps)
        steps = self.steps if everything else self.needed_steps(names)
        return side_by_side(steps, self.commentary().speaker, everything)

    def needed_steps(self, names: Collection[str] = ()) -> Iterator[Step]:
        """The same, every list with the formulas of all its members, and what is looked up in
        other types without formulas."""
        says, kept = self.commentary(), True
        basis = says.basis(names=names) if names else ()
        for step in self.steps:
            if not isinstance(step, Compare):  # which proves the step before it
                kept = getattr(step, "name", None) in basis or not says.is_aside(step)
            if kept or isinstance(step, State):
                yield looked_up(step, says.looked_up)

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        """The answers with one choice changed at a time, those that differ; none where only lists,
        or what does not exist, are asked for."""
        wanted = self.stated.shape.wanted
        if wanted and self.working.answer not in wanted:
            return ()
        mine, quantity = self.answer.value, self.problem.quantities[self.working.answer]
        readings = []
        for name, option, answer in self.working.others():
            try:
                value = answer()
            except UNANSWERED:
                continue  # this reading does not admit the question
            if value != mine:
                says = self.problem.choices[name].options[option]
                readings.append(Reading(name, option, says, first(_results(quantity, value))))
        return tuple(readings)

    @cached_property
    def stated_units(self) -> Mapping[str, Unit]:
        """The units in which givens are stated, by letter."""
        return stated_units(self.stated)

    @cached_property
    def assumptions(self) -> tuple[Assumption, ...]:
        """The choices that shaped the answer, and those that the question made itself."""
        idle = {remark.name: remark.says for remark in self.unused}
        named = {reading.choice for reading in self.readings}
        named |= {*self.working.named} | self.stated.said
        choices = self.problem.choices
        told = ((name, option) for name, option in self.stated.shape.reading if name in named)
        made = (Assumption(x, one, choices[x].options[one], idle.get(x, "")) for x, one in told)
        return tuple(made)

    @cached_property
    def unused(self) -> tuple[Unused, ...]:
        """What the question states that does not count under its choices."""
        if self.stated.shape.spared:
            return ()
        return unused(self._named, self.working.read, self.working.idle)

    @property
    def idle(self) -> Set[str]:
        """The givens with a usual value, not stated, on which nothing rests."""
        return frozenset() if self.stated.shape.spared else idle(self._named, self.working.read)

    @cached_property
    def _named(self) -> Stated:
        """What is stated, with what presets state that count for nothing at all: it was named."""
        left, filled = idle(self.stated, self.working.read), self.stated.filled
        counting = {filling.slot for name, filling in filled.items() if name not in left}
        named = {name for name, filling in filled.items() if filling.slot not in counting}
        return replace(self.stated, said=self.stated.said | named) if named else self.stated

    @cached_property
    def shares(self) -> tuple[Share, ...]:
        """Where a time goes, by groups of givens, summing to 1; empty where that says nothing."""
        plan = self.working.plan
        return () if plan is None else shares(plan, self.working.letters)

    @cached_property
    def _commentaries(self) -> dict[Unit | None, Commentary]:
        return {}

    def commentary(self, unit: Unit | None = None) -> Commentary:
        """What is said beside the steps, with the answer in *unit* if one is given."""
        if unit not in self._commentaries:
            chosen = {self.working.answer: unit} if unit else {}
            self._commentaries[unit] = Commentary(self.stated, self.working, chosen)
        return self._commentaries[unit]

    @property
    def title(self) -> str:
        """The question in a sentence."""
        return self.commentary().problem.heading()

    @cached_property
    def givens(self) -> list[State]:
        """The statements, which are the first of its steps."""
        return self._givens()

    def _givens(self) -> list[State]:
        made, essential = givens(self.stated, self.unused, self.idle), self.essential
        return [one for one in made if essential is None or one.name in essential]

    @property
    def essential(self) -> Set[str] | None:
        """The quantities on which what is asked for rests; None where all are shown."""
        if self.stated.is_played or not self.stated.shape.wanted:
            return None
        return self.commentary().essential


def looked_up(step: Step, types: Mapping[str, str]) -> Step:
    """*step* without its formula where one of the *types*, by name, is said to have that."""
    if not (isinstance(step, Define) and step.name in types and isinstance(step.value, Number)):
        return step
    why = ELSEWHERE + types[step.name]
    return replace(step, applied=Num(step.value), numbers={}, why=why, argument=(), parts=None)


def givens(
    stated: Stated, unused: Iterable[Unused] = (), idle: Set[str] = frozenset()
) -> Iterator[State]:
    """What is stated, with what of it is *unused*, and what is left open.

    Usual values that are *idle* are left out.
    """
    words = dict(stated.shape.words)
    noted = {remark.name: remark.says for remark in unused}
    for name, given in stated.problem.givens.items():
        if name in idle:
            continue
        if (measured := stated.measured.get(name)) is not None:
            yield State(
                name, given.letter, given.bare_title, given.unit,
                written=measured,
                many=name in stated.lists,
                said=name in stated.said,
                unused=noted.get(name, ""),
                preset=stated.filled[name].says if name in stated.filled else given.source,
            )  # fmt: skip
        elif name in words or given.free:
            word = words.get(name, "")
            yield State(name, given.letter, given.title, given.unit, None, word=word)


def texts_of(stated: Stated) -> dict[str, Text]:
    """The texts that state *stated*, without usual values, as declared; presets by name."""
    texts: dict[str, Text] = {**dict(stated.shape.words), **dict(stated.shape.reading)}
    for name, one in stated.measured.items():
        texts[name] = [x.text for x in one] if name in stated.lists else one[0].text
    order = [*stated.problem.givens, *stated.problem.choices]
    said = {name: texts[name] for name in order if name in stated.said and name in texts}
    return {**stated.presets, **said}


def told_apart(cases: Sequence[Derivation]) -> Iterator[str]:
    """What is stated for each of the *cases* alone: ``workers = 12``, ``ring``."""
    choices = cases[0].problem.choices
    stated = [{**x.problem.formulas(), **texts_of(x.stated)} for x in cases]
    columns: dict[str, list[str]] = {}
    for name in sorted(stated[0], key=lambda name: name not in choices):
        texts = plainly(name, [str(one.get(name)) for one in stated], cases)
        is_choice = name in choices
        columns[name] = [choices[name].called(x) if is_choice else f"{name} = {x}" for x in texts]
    spoken = (filter(None, map(case_of, case.givens)) for case in cases)
    columns["results"] = [", ".join(dict.fromkeys(every)) for every in spoken]
    rest = cases[0].problem.following()
    told = telling({name: column for name, column in columns.items() if name not in rest})
    for i, case in enumerate(cases):
        yield ", ".join(column[i] for name, column in told.items() if name != case.answer.name)


def plainly(name: str, texts: list[str], cases: Sequence[Derivation]) -> list[str]:
    """The *texts* by which *cases* state *name*; of formulas not all names, what they come to."""
    is_made = any(name in case.problem.formulas() for case in cases)
    if not is_made or len({*texts}) == 1 or all(map(NAME.fullmatch, texts)):
        return texts
    known = (case.quantities.get(name) for case in cases)
    return [str(first(x)) if x else text for x, text in zip(known, texts, strict=True)]


def case_of(state: State) -> str:
    """Of which of several cases of an earlier part *state* is a result; often empty."""
    return state.title.rpartition(" in (")[2][:-1].partition(", ")[2] if "." in state.name else ""


def telling(columns: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Of *columns*, a text for each case, the first and no more than tell these apart."""
    varied = {name: column for name, column in columns.items() if len({*column}) > 1}
    first, others = [*varied][:1], [*varied][1:]
    few = ([*first, *more] for size in range(3) for more in combinations(others, size))
    rows = len({*zip(*varied.values(), strict=True)})
    told = (x for x in few if len({*zip(*(varied[n] for n in x), strict=True)}) == rows)
    return {name: varied[name] for name in next(told, varied)}


def solve(problem: type[Problem], texts: Texts, wanted: Sequence[str] = ()) -> Derivation:
    """Answer *problem* for texts such as ``{"workers": "6", "download": "1.5 s"}``: what it asks,
    or the quantities *wanted* (names or letters), for which only what they rest on is needed.

    Raises DdcalcError (Several, where more than one thing is wrong).
    """
    return Derivation(read_for(problem, texts, wanted))


def _results(quantity: Quantity, value: Value | tuple[Value, ...]) -> Results:
    name, unit = quantity.name, quantity.unit
    if not isinstance(value, tuple):
        return Result(name, quantity.letter, unit, value)
    letters = quantity.lettered(len(value))
    return tuple(Result(name, x, unit, one) for x, one in zip(letters, value, strict=True))
