"""Results that follow one from the other: some of them replaced, and what then becomes of the rest.

A student's own results, a slip in a formula, a given that was misread, a result rounded too early:
each is a chain in which something stands that the question does not say.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, Known, Number, letters
from ddcalc.numbers.number import plain

# what evaluating raises where a part has no value
NO_VALUE = (ArithmeticError, AttributeError, TypeError, ValueError)

Instead = Mapping[str, Expr | Number]


@dataclass(frozen=True)
class ResultChain:
    """The *formulas* of derived letters, in order, and the values that are *known* of all letters;
    both in base units."""

    formulas: Mapping[str, Expr]
    known: Known

    def rests_on(self, letter: str) -> Set[str]:
        """*letter* and all that it is derived from."""
        needed = {letter}
        for one, formula in reversed([*self.formulas.items()]):
            if one in needed:
                needed.update(letters(formula))
        return needed

    def again(self, instead: Instead, needed: Set[str]) -> ResultChain | None:
        """This chain with other numbers or formulas *instead* of some, and what is *needed* worked
        out anew from them; None where that has no value.

        Whatever is replaced by a number is given from then on.
        """
        formulas = {
            letter: rule
            for letter, formula in self.formulas.items()
            if isinstance(rule := instead.get(letter, formula), Expr)
        }
        known, touched = dict(self.known), set(instead)
        known.update((k, rule) for k, rule in instead.items() if not isinstance(rule, Expr))
        try:
            for letter, rule in formulas.items():
                if letter in instead or (
                    letter in needed and not touched.isdisjoint(letters(rule))
                ):
                    value = evaluate(rule, known)
                    known[letter] = None if value is None else plain(value)
                    touched.add(letter)
        except NO_VALUE:
            return None
        return ResultChain(formulas, known)
