"""Compare: two questions side by side, and by how much each change moved the answer."""

from __future__ import annotations

from collections.abc import Sequence

from ddcalc.ask.compare.comparison import Comparison
from ddcalc.ask.solve import Derivation
from ddcalc.numbers.units import Measured
from ddcalc.problem.stated import Stated, Texts, read

__all__ = ["Comparison", "against", "texts_of"]


def against(base: Derivation, changed: Texts) -> Derivation:
    """The question of *base* with what *changed* states instead, solved.

    Raises DdcalcError (Several, where more than one thing is wrong).
    """
    named = {name.replace("-", "_"): text for name, text in changed.items()}
    return Derivation(read(base.problem, {**texts_of(base.stated), **named}))


def texts_of(stated: Stated) -> dict[str, str | Sequence[str]]:
    """The texts that state *stated*, without usual values."""
    texts: dict[str, str | Sequence[str]] = {
        name: option for name, option in stated.shape.reading if name in stated.said
    }
    texts.update(stated.shape.words)
    for name, measured in stated.measured.items():
        if name in stated.said:
            texts[name] = _texts(measured)
    return texts


def _texts(measured: Measured | tuple[Measured, ...]) -> str | Sequence[str]:
    if isinstance(measured, tuple):
        return [each.text for each in measured]
    return measured.text
