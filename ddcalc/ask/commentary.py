"""What is said beside the steps of a question: its answer, what that means, checks."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from ddcalc.ask.working import Working
from ddcalc.formula.evaluation import evaluate, followed, is_decided
from ddcalc.formula.expression import Expr, Known, Number, Sym, letters
from ddcalc.memory import remembered
from ddcalc.numbers.amounts import in_sentence
from ddcalc.numbers.units import TIME, Unit
from ddcalc.problem.plan import EquationPlan
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Given, Quantity
from ddcalc.problem.said.sentences import After, Blank, Premise, Sentence, capital, joined
from ddcalc.problem.said.speaker import Checked, Filled, Speaker, hedged
from ddcalc.problem.said.steps import Step, Timeline
from ddcalc.problem.stated import stated_units
from ddcalc.problem.stated_formulas import is_side, told_later

if TYPE_CHECKING:
    from ddcalc.problem.stated import Stated

MEANINGS: Final = 3  # sentences on what an answer means, at most
SHOWN: Final = 1  # of them that a page shows
PREMISES: Final = 6  # assumptions that are named, at most
HAIR: Final = Fraction(1, 10**12)  # by which times are made longer, to see what they add
NOTHING: Final = Fraction(1, 10**40)  # a share that only rounded numbers leave


class Commentary:
    """What is said of one question that was worked out, in *chosen* units, by name."""

    def __init__(
        self, stated: Stated, working: Working, chosen: Mapping[str, Unit] | None = None
    ) -> None:
        self.working = working
        self.problem: Problem = working.problem
        self.known = working.known
        units = stated_units(stated)
        self.speaker = Speaker(self.problem, self.known, working.again, chosen, units)
        self._quantity = stated.problem.quantities[working.answer]
        declared = stated.problem.quantities
        self._wanted = [declared[name] for name in stated.shape.wanted]
        own = () if self._wanted else (name for name, _, _ in stated.problem.own_steps)
        self._later = told_later(stated.problem.own_steps)
        left = (name for name in own if name not in working.used and name != working.answer)
        self._own = [declared[name] for name in left if not is_side(name)]

    @property
    def mechanism(self) -> str:
        """What happens physically."""
        return "" if self.problem.shape.spared else self.problem.mechanism()

    @cached_property
    def conclusion(self) -> Filled:
        """The answer in words."""
        return self.concluded()

    def named(self, told: Collection[str]) -> dict[str, Filled]:
        """What is asked for and not *told*: what it is called, with its value or why none."""
        asked = self._wanted or (self._quantity, *self._own)
        return {capital(one.called): self._worth(one) for one in asked if one.name not in told}

    def concluded(self, told: Collection[str] = ()) -> Filled:
        """The answer in words; without what is asked for and *told* already, by name, or told by
        what the author concludes from it."""
        declared = self.declared("conclusion")
        told = {*told, *self._later}
        if not self._wanted and not declared and self._quantity.name in told:
            return ()
        if not self._wanted:
            answer = self.speaker.paragraph(declared) or self._plainly(self._quantity)
            return (*answer, *(piece for one in self._own for piece in (" ", *self._plainly(one))))
        said: dict[str, Sequence[Filled]] = {}  # by the first letter that is asked for
        wanted = {one.letter: one for one in self._wanted if one.name not in told}
        for sentence in declared:
            letters = {letter for letter, _ in self.speaker.numbers(sentence)}
            if its := [letter for letter in wanted if letter in letters]:
                said[its[0]] = self.speaker.all([sentence])
                wanted = {letter: one for letter, one in wanted.items() if letter not in letters}
        said |= {letter: [self._plainly(one)] for letter, one in wanted.items()}
        order = sorted(said, key=[one.letter for one in self._wanted].index)
        every = (filled for letter in order for filled in said[letter])
        return tuple(piece for filled in every for piece in (" ", *filled))[1:]

    @cached_property
    def said(self) -> Mapping[str, tuple[Number, ...]]:
        """The numbers that the answer in words says of each quantity, by letter, in order."""
        said: dict[str, tuple[Number, ...]] = {}
        for sentence in self.declared("conclusion"):
            for letter, number in self.speaker.numbers(sentence):
                said[letter] = (*said.get(letter, ()), number)
        return said

    @cached_property
    def insights(self) -> list[Filled]:
        """What the answer means."""
        return self.speaker.all(self.declared("insights"))[:MEANINGS]

    @cached_property
    def checks(self) -> list[Checked]:
        """Second ways to the answer, all of which hold."""
        made = map(self.speaker.checked, self.declared("crosschecks"))
        return [check for check in made if check is not None]

    @cached_property
    def premises(self) -> tuple[Premise, ...]:
        """What is taken for granted, beside the choices."""
        return self.declared("premises")[:PREMISES]

    @cached_property
    def essential(self) -> frozenset[str]:
        """The quantities that the answer and its checks rest on, and of what it means those of a
        play, and those that are argued for."""
        letters = self._said_of("conclusion") | self._said_of("crosschecks")
        argued = {one.of.name for one in self.problem.arguments() if isinstance(one.of, Sym)}
        is_plan = self.working.plan is not None
        meant = self._said_of("insights", MEANINGS if is_plan else SHOWN)
        letters |= meant & argued if is_plan else meant
        shown = (letters - self.working.explained.needless) | self._answered
        return self.working.rests_on(shown, self.looked_up)

    @cached_property
    def looked_up(self) -> Mapping[str, str]:
        """What other types come to, each with that type, where several are used: unless it is asked
        for, a page leaves its steps to them."""
        slugs = {use.alias: use.slug for use in self.problem.sheet.uses}
        names = self.working.values.keys() - {one.name for one in self._wanted}
        used = {name: name.partition(".")[0] for name in names} if len(slugs) > 1 else {}
        return {name: slugs[alias] for name, alias in used.items() if alias in slugs}

    def basis(
        self, first: bool = False, names: Collection[str] = (), but: Collection[str] = ()
    ) -> frozenset[str]:
        """The quantities that the answer in words, or its *first* sentence, rests on; those that
        the *names* alone do, if there are any, not through those called *but*."""
        if names:
            letters = (x for x, (one, _) in self.problem.origin.items() if one.name in names)
            return self.working.rests_on({*letters}, but)
        spoken = [*filter(None, map(self.speaker.spoken, self.declared("conclusion")))]
        shown = spoken[:1] if first and not self._wanted else spoken
        said = [letter for sentence in shown for letter in self._letters(sentence)]
        return self.working.rests_on({*said} | self._answered)

    @property
    def _answered(self) -> set[str]:
        """The letters of what is asked for, and of what the author tells."""
        names = {one.name for one in self._wanted or (self._quantity, *self._own)} | {*self._later}
        origin = self.problem.origin.items()
        return {letter for letter, (quantity, _) in origin if quantity.name in names}

    def is_aside(self, step: Step) -> bool:
        """Whether *step* is shown on demand only: nothing that is said rests on it."""
        name = "" if isinstance(step, Timeline) else getattr(step, "name", None) or step.title
        declared = name in self.problem.quantities
        return name in self.working.asides or (declared and name not in self.essential)

    # What the type declares

    def declared(self, what: str) -> tuple[Any, ...]:
        """What is said of that kind: as the type declares; where other
        quantities are asked for, what is about them alone. A type says nothing where it is spared
        some of what it needs: its sentences count on that."""
        if self.problem.shape.spared:
            return ()
        declared = self.problem.sentences(what)
        if not self._wanted or what == "premises":
            return tuple(declared)
        return tuple(said for said in declared if all(map(self._is_about_wanted, said)))

    def _is_about_wanted(self, sentence: Sentence) -> bool:
        """Whether *sentence* shows something that is asked for, and only what that rests on."""
        changed = [x.what.quantity for x in sentence.blanks if isinstance(x.what, After)]
        letters = self._letters(sentence) | {one.name for one in changed if isinstance(one, Sym)}
        origin, rests = self.problem.origin, self.working.rests_on(self._answered)
        names = {origin[one][0].name for one in letters if one in origin}
        return names <= rests and not letters.isdisjoint(self._answered)

    def _said_of(self, kind: str, most: int | None = None) -> set[str]:
        """The letters of the quantities that the sentences of that *kind* show, *most* of them."""
        spoken = filter(None, map(self.speaker.spoken, self.declared(kind)))
        return {letter for said in islice(spoken, most) for letter in self._letters(said)}

    def _letters(self, sentence: Sentence) -> set[str]:
        """The letters of the quantities that *sentence* shows."""
        known = self.working.letters
        named, deciding = _shown_by(sentence)
        return {*named, *(letter for expr in deciding for letter in followed(expr, known))}

    # Where the type says nothing

    def _plainly(self, quantity: Quantity) -> Filled:
        """What *quantity* is worth by its name, or why it has no value, as a sentence."""
        return tuple(joined((f"{capital(quantity.called)}: ", *self._worth(quantity), ".")))

    def _worth(self, quantity: Quantity) -> Filled:
        """What *quantity* is worth, or why it has no value."""
        members = self.working.values.get(quantity.name)
        if isinstance(members, tuple):
            worth = (one for one in members if isinstance(one, Number))
            return (", ".join(hedged(in_sentence(one, quantity.unit)) for one in worth),)
        said = Sentence((Blank(Sym(quantity.letter), ""),))
        if (filled := self.speaker.filled(said)) is not None:
            return filled
        named = (s for s in self.working.steps() if getattr(s, "name", "") == quantity.name)
        why = next((step.why for step in named), "")
        return (f"none{f', as {why}' if why else ''}",)


@remembered
def _shown_by(sentence: Sentence) -> tuple[frozenset[str], tuple[Expr, ...]]:
    """The letters of the quantities that *sentence* shows whatever their numbers are, and the
    formulas whose letters they decide."""
    parts = [blank.what for blank in sentence.blanks]
    every = [one for what in parts for one in (what if isinstance(what, tuple) else (what,))]
    shown = [one for one in (*every, sentence.relation) if isinstance(one, Expr)]
    deciding = tuple(expr for expr in shown if is_decided(expr))
    plain = {letter for expr in shown if not is_decided(expr) for letter in letters(expr)}
    return frozenset(plain), deciding


@dataclass(slots=True)
class Share:
    """The *part* (0 to 1) of the answer that a *group* of givens is responsible for."""

    group: str
    part: Number


def shares(plan: EquationPlan, known: Known) -> tuple[Share, ...]:
    """The shares in the answer, largest first; empty unless it is a positive time.

    All times longer by a hair, and all rates as much lower, make the answer longer by that hair.
    Group after group, each has the share that it adds, so they sum to 1; what is equally long
    counts for the first group.
    """
    answer = plan.problem.answered
    total = known[answer.letter]
    if answer.unit.dimension != TIME or not total:
        return ()
    powers: dict[str, dict[str, int]] = {}  # of time in the unit of each letter, by group
    for letter, (quantity, _) in plan.problem.origin.items():
        power = quantity.unit.dimension.time
        if isinstance(quantity, Given) and power and letter in known:
            powers.setdefault(quantity.group, {})[letter] = int(power)
    lines = [one for one in plan.needed(answer.letter) if known[one.symbol] is not None]
    moved, before, parts = dict(known), Fraction(total), list[Share]()
    for group, members in powers.items():
        for letter, power in members.items():
            moved[letter] = Fraction(known[letter] or 0) * (1 + HAIR) ** power
        for line in lines:
            moved[line.symbol] = evaluate(line.formula, moved)
        after = Fraction(moved[answer.letter] or 0)
        parts.append(Share(group, (after - before) / (HAIR * Fraction(total))))
        before = after
    shown = [share for share in parts if not -NOTHING <= share.part <= NOTHING]
    return tuple(sorted(shown, key=lambda share: -share.part)) if len(shown) > 1 else ()
