"""What quantities are called inside of sentences: the number of workers, the total time."""

from __future__ import annotations

import re
from typing import Final

from ddcalc.formula.letters import letter
from ddcalc.numbers.units import ONE
from ddcalc.problem.quantity import Quantity

_ENDS: Final = re.compile(
    r" (?:of|that|on|in|until|with|per|for|at|by|to|from|after|before|between|than|over|up|besides|"
    r"without|which|whose|if|as|below|above|inside|since|wanted|left|sent|read|written|a second|"
    r"used|wasted|lost|dropped|needed|allowed|reached|counted|made|saved|finished)"
    r"\b|[,;:(]"
)
_BARE: Final = re.compile(
    r"(?:a|all|an|any|each|every|how|its|one|the|two|what|where|whether|which|who|with|adding|"
    r"computing|decoding|encoding|exchanging|processing|reading|sending|waiting|writing)\b|[^a-z]"
)
_CLAUSE: Final = re.compile(
    r"^(?:when|what|where|whether|which|who|how|with|if)\b|[,;]|(?<! that)(?<! which) is "
)
_LIKE_ONE: Final = ("ss", "us", "is")  # words that end so are not several


def named(name: str) -> str:
    """*name* without what is said behind a comma or in brackets."""
    return re.split(r"[,;:(]", name, maxsplit=1)[0].strip()


def is_several(name: str) -> bool:
    """Whether *name* is of several things: workers, samples per second."""
    head = _ENDS.split(name, maxsplit=1)[0]
    return head.endswith("s") and not head.endswith(_LIKE_ONE) and " and " not in head


def singular(name: str) -> str:
    """One of several: worker, mini-batch that is left."""
    head = _ENDS.split(name, maxsplit=1)[0]
    one = re.sub(r"(?<=ch|sh|ss)es$|(?<=x)es$|s$", "", re.sub(r"ies$", "ys", head))
    return one + name[len(head) :]


def is_counted(quantity: Quantity) -> bool:
    """Whether it is how many of something there are."""
    plain = not re.match(r"(?:how|what|when|where|whether|which)\b", quantity.called)
    return plain and quantity.unit.dimension == ONE and is_several(quantity.called)


def is_clause(quantity: Quantity) -> bool:
    """Whether its name is more of a sentence than of a noun."""
    return bool(_CLAUSE.search(quantity.called))


def the(quantity: Quantity) -> str:
    """What *quantity* is called in a sentence: the number of workers, the total time; its letter
    first where its name is more of a clause."""
    name = named(quantity.called)
    if is_counted(quantity):
        return f"the number of {name}"
    if is_clause(quantity):
        return f"{letter(quantity.letter)} ({quantity.called})"
    return name if _BARE.match(name) else f"the {name}"


def are(quantity: Quantity) -> str:
    """The verb behind that: is, or are."""
    several = is_several(quantity.called) and not is_counted(quantity) and not is_clause(quantity)
    return "are" if several else "is"
