"""The steps that a part of a question shows, and which of them are worked in numbers alone, as by
hand: formulas of its author that rest on nothing but results. Letters are for what is given, varied
or found, and for what has no words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeVar

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.solve import Derivation
from ddcalc.formula.expression import Num, Number, Sym
from ddcalc.formula.expression import letters as letters_in
from ddcalc.problem.own import FORMULA
from ddcalc.problem.quantity import StatedBound
from ddcalc.problem.said.steps import Define, Exchange, Step, Table, Timeline
from ddcalc.problem.stated_formulas import conclusions, is_side, told_later
from ddcalc.render import story

if TYPE_CHECKING:
    from ddcalc.files.solved import Solved

StepT = TypeVar("StepT", bound=Step)
FEW: Final = 2  # cases, each of which is worked by itself
STEPS: Final = 3  # that are different in them


def steps_of(case: Derivation, part: Solved, everything: bool = False) -> Iterator[Step]:
    """The steps of a *case* of *part* on which its answer rests, unless *everything* is wanted, but
    for those that are but stated; tables and pictures only of a whole play, or of a search."""
    for step in (x for x in _steps_of(case, part, everything) if not is_stated(x, part)):
        yield worked(step, part) if isinstance(step, Define) else step


def _steps_of(case: Derivation, part: Solved, everything: bool) -> Iterator[Step]:
    if everything or (at := case.at) is None:
        yield from case.shown_steps(everything)
        return
    is_found, wanted = isinstance(case, Inversion), case.stated.shape.wanted
    names = [limit.name for limit in part.limits]
    names += [x.relation.other.name for x in part.limits if x.relation and x.relation.other]
    compared = case.question.compared if isinstance(case, Inversion) else {}
    names += [name for name, one in compared.items() if not isinstance(one, StatedBound)]
    is_brief = is_found or len(part.cases) > 1  # then the first sentence is enough
    basis = at.commentary().basis(is_brief, () if is_found or wanted else names)
    own = case.problem.own_steps
    later = at.problem.quantities.keys() & {*(x for x, *_ in conclusions(own)), *told_later(own)}
    basis |= at.commentary().basis(names=[*names, *later]) if names or later else basis
    steps, is_solved = [*case.shown_steps(names=[*names, *later])], False
    origin, shown = at.commentary().problem.origin, {getattr(x, "name", None) for x in case.steps}
    told = {*wanted, *later, *(names if len(part.cases) > 1 else ())}  # whatever a proof has said
    needs = (x for x in steps if isinstance(x, Define) and x.name in told)
    told |= {letter for one in needs for letter in letters_in(one.applied)}
    for step in steps:
        name = getattr(step, "name", None)
        is_new = not isinstance(step, Define) or name not in shown or {name, step.symbol} & told
        if is_solved and not is_new:
            continue  # what the proof has said
        is_argued = is_found and bool(getattr(step, "argument", ()))
        if isinstance(step, Table | Timeline | Exchange):
            lists = {origin[one][0].name for one in getattr(step, "letters", ())}
            kept = is_found or not (wanted or names or at.working.plan or lists - basis)
        else:
            kept = name in basis or name not in at.problem.quantities
        if kept:
            yield step
        if is_argued and name == case.answer.name:
            is_solved = True


def is_stated(step: Step, part: Solved) -> bool:
    """Whether *step* is a side of a relation that says itself what it is."""
    is_found = part.question.find is not None or len(part.cases) > 1
    is_alone = is_found or isinstance(getattr(step, "formula", None), Num | Sym)
    return is_side(getattr(step, "name", None) or "") and is_alone


def are_few(part: Solved) -> bool:
    """Whether each case of *part* is worked by itself: of few, in which few steps differ."""
    if len(part.cases) > FEW:
        return False
    sides = (_steps_of(case, part, everything=False) for case in part.cases)
    first, *others = ({x.name: x.value for x in side if isinstance(x, Define)} for side in sides)
    return len({name for x in others for name in x if x[name] != first.get(name)}) <= STEPS


def worked(step: Define, part: Solved) -> Define:
    """A *step* of *part*, told in numbers without letters if it is worked by hand in each case."""
    own = part.cases if all(x.problem.slug == FORMULA.slug for x in part.cases) else ()
    steps = ((x, case) for case in own for x in case.steps if isinstance(x, Define))
    alone = [_is_by_hand(*one) for one in steps if one[0].name == step.name]
    return replace(step, told=step.told or (bool(alone) and all(alone) and are_few(part)))


def without_letter(step: StepT, needed: set[str]) -> StepT:
    """*step* without its letter, if it is told in numbers, and that is not *needed* elsewhere."""
    if not isinstance(step, Define) or not step.told or needed & {step.symbol, *step.also}:
        return step
    return replace(step, symbol="", also=())


def _is_by_hand(step: Define, case: Derivation) -> bool:
    """Whether *step* is a formula of the author's with words of its own that rests on results alone
    in this *case*, and comes to a number."""
    no_own = isinstance(case, Inversion) or story.is_named(step) or step.open or step.argument
    if no_own or isinstance(step.formula, Num) or not isinstance(step.value, Number):
        return False
    stated = {one.symbol for one in case.givens if not story.is_result(one)}
    stated |= {x.symbol for x in case.steps if isinstance(x, Define) and isinstance(x.formula, Num)}
    return stated.isdisjoint(letters_in(step.applied))
