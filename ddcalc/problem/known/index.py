"""The index of the problem types: which of them a phrase of anybody's is about, and by which words.

It is made from what types declare of themselves (question, keywords, givens, results, choices,
terms, manual) and from the groups of words in ``synonyms.toml`` beside this file.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from math import log
from operator import itemgetter
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from ddcalc.memory import remembered
from ddcalc.problem.known.catalog import GROUPS, Entry, catalog
from ddcalc.problem.known.explained import terms

Stems = frozenset[str]
Ways: TypeAlias = Mapping[Stems, float]  # all that may stand for a word or phrase, and its worth
Wanted: TypeAlias = Mapping[str, Ways]  # by what was said

_DATA: Final = tomllib.loads(Path(__file__).with_name("synonyms.toml").read_text("utf-8"))
_IGNORED: Final = frozenset(_DATA["ignored"].split())
_WORD: Final = re.compile(r"[^\W_]+(?:'s\b)?")
_ENDING: Final = re.compile(  # of words whose first three letters stay
    r"(?<=\w{3})(?:i[sz]ations?|ations?|ions?|i[sz]ings?|i[sz]ed?|i[sz]es|nesse?s?|ments?|ously|ous"
    r"|ings?|ing|edly|ed|est|ely|ly|al|ally|es|e|ies|y|'s|s)$"
)
_PART: Final = 0.8  # what a synonym is worth beside the word itself
SURE: Final = 0.8  # how like a name a word is that is taken for a misspelling of it
MOST: Final = 5  # types that are shown
LIKE: Final = 0.6  # how like a name a phrase is that is shown for it
TELLING: Final = 2  # how rare one of the words is that types have, where others are foreign to all
ENOUGH: Final = 8  # what a type must then score
LONGEST: Final = 1000  # characters of a phrase that are read


class Passage(NamedTuple):
    """A piece of *text* that a type says of itself, *where* it does, and what it *weighs*."""

    where: str
    text: str
    weight: float
    stems: Stems


@dataclass(frozen=True, slots=True)
class Match:
    """A type that a phrase may be about, and the words of it that passages of the type say; without
    these *reasons* only its name is like it."""

    entry: Entry
    score: float
    reasons: Mapping[Passage, Sequence[str]] = field(default_factory=dict)


def matches(phrase: str) -> list[Match]:
    """The types that *phrase* may be about, the likeliest first; those with a name like it if it is
    about none; none where nothing fits."""
    every = (passage.stems for entry in catalog().values() for passage in _said_by(entry))
    wanted = _wanted(phrase, frozenset().union(*every) - frozenset(map(_stem, _IGNORED)))
    # how much a word says of a type, by how few types have it; twice that of a word in half
    rare = {said: log(1 + len(catalog()) / (1 + _having(x, 1))) for said, x in wanted.items()}
    scored = [_match(entry, wanted, rare) for entry in catalog().values()]
    ranked = sorted(scored, key=lambda match: -match.score)
    if _fits(wanted, rare, ranked[0].score):
        return [match for match in ranked[:MOST] if match.score]
    alike = get_close_matches(phrase[:LONGEST].casefold(), catalog(), MOST, LIKE)
    return [Match(catalog()[slug], 0) for slug in alike]


def _fits(wanted: Wanted, rare: Mapping[str, float], best: float) -> bool:
    """Whether a phrase is about any type: types have all its words, or enough of them, and one that
    few types have."""
    known = [said for said, ways in wanted.items() if _having(ways, 0)]
    if {word for said in known for word in (said, *said.split())} >= wanted.keys():
        return best > 0
    return best >= ENOUGH and max(map(rare.__getitem__, known), default=0) >= TELLING


def subject_named(phrase: str) -> str | None:
    """The subject of types that *phrase* names by some of its words, if it names one."""
    words = _stems(phrase)
    return next((name for name in GROUPS.values() if words and words <= _stems(name)), None)


def meanings(word: str, texts: Mapping[str, str], most: int = 3) -> list[str]:
    """The keys of those *texts* that *word* may mean, the likeliest first: those of which, and of
    whose texts, it says most."""
    every = [*_wanted(word).values()]

    def share(stems: Stems, ways: Ways) -> float:
        return max((x * len(w) / len(stems) for w, x in ways.items() if w <= stems), default=0)

    scored = dict.fromkeys(texts, 0.0)
    for name, text in texts.items():
        own, more = _stems(name), _stems(text)
        scored[name] = max((share(own, x) + share(more, x) / 2 for x in every), default=0)
    likely = [name for name, score in scored.items() if score > max(scored.values()) / 2]
    return sorted(likely, key=lambda name: -scored[name])[:most]


def _match(entry: Entry, wanted: Wanted, rare: Mapping[str, float]) -> Match:
    """How much of what is *wanted* a type says: each word where it is said best, and the passage
    of which most is wanted."""
    together, best = 0.0, dict[str, tuple[float, Passage]]()
    has = {word: [x for x in ways if entry.slug in _saying(x, 0)] for word, ways in wanted.items()}
    has = {word: ways for word, ways in has.items() if ways}  # of which most types have few
    for passage in _said_by(entry):
        gained, said = 0.0, set[str]()
        for word, ways in has.items():
            if held := [way for way in ways if way <= passage.stems]:
                gain = max(map(wanted[word].__getitem__, held)) * passage.weight * rare[word]
                gained += gain
                said.update(*held)
                best[word] = max(best.get(word, (0.0, passage)), (gain, passage), key=itemgetter(0))
        together = max(together, gained * len(said) / max(len(passage.stems), 1))
    reasons: dict[Passage, list[str]] = {}
    for word, (_, passage) in sorted(best.items(), key=lambda hit: -hit[1][0]):
        reasons.setdefault(passage, []).append(word)
    return Match(entry, sum(gain for gain, _ in best.values()) + together, reasons)


@cache
def _said_by(entry: Entry) -> Sequence[Passage]:
    """What a type says of itself."""
    problem, made = entry.load(), list[Passage]()

    def says(weight: float, where: str, text: str, name: str = "") -> None:
        made.append(Passage(where, text, weight, _stems(f"{name} {text}")))

    says(3, "name", entry.slug)
    says(3, "question", problem.question())
    for phrase in filter(None, problem.keywords.split(";")):
        says(3, "keywords", phrase.strip())
    says(1, "subject", entry.group)
    for given in problem.givens.values():
        says(1.5, f"--{given.flag}", given.title, given.flag)
    for choice in problem.choices.values():
        for option, sentence in choice.options.items():
            name = option.replace("_", "-")
            says(1.2, f"--{choice.flag} {name}", sentence, name)
    for quantity in problem.quantities.values():
        if quantity.name not in problem.givens:
            says(1.2, "works out", quantity.title)
    for term in (terms()[name] for name in problem.terms if name in terms()):
        for alias in (term.name, *term.aliases):
            says(1.5, f"explain {term.slug}", alias)
        says(0.7, f"explain {term.slug}", term.summary)
    for sentence in re.split(r"(?<=[.?:;])\s", problem.manual()):
        says(0.7, "manual", sentence)
    return made


def _having(ways: Ways, above: float) -> int:
    """How many types have a word, in passages that weigh more than *above*."""
    return len({slug for way in ways for slug in _saying(way, above)})


@remembered
def _saying(way: Stems, above: float) -> Collection[str]:
    """The types that say it this *way* in a passage that weighs more than *above*."""
    said = ((slug, _said_by(entry)) for slug, entry in catalog().items())
    return {slug for slug, every in said if any(x.weight > above and way <= x.stems for x in every)}


def _wanted(phrase: str, known: Stems = frozenset()) -> Wanted:
    """The words of *phrase* that may say what it is about, and the phrases among them; a word that
    is not *known* may be the known one most like it."""
    said = [word.casefold() for word in _WORD.findall(phrase[:LONGEST])]
    stems = list(map(_stem, said))
    wanted: dict[str, dict[Stems, float]] = {}
    for key, members in _synonyms().items():
        for start in range(len(stems) - len(key) + 1):
            if (*stems[start : start + len(key)],) == key:
                ways = wanted.setdefault(" ".join(said[start : start + len(key)]), {})
                ways.update(dict.fromkeys(members, _PART))
                ways[frozenset(key)] = 1
    for word, stem in zip(said, stems, strict=True):
        if word in wanted or word in _IGNORED or len(word) == 1 or word[0].isdigit():
            continue
        near = [] if stem in known else get_close_matches(stem, known, 1, SURE)
        wanted[word] = {frozenset({other}): _PART for other in near} | {frozenset({stem}): 1}
    return wanted


@cache
def _synonyms() -> Mapping[tuple[str, ...], frozenset[Stems]]:
    """Each word or phrase as its stems, with all that it may stand for."""
    meant: dict[tuple[str, ...], frozenset[Stems]] = {}
    for group in _DATA["groups"]:
        keys = [tuple(map(_stem, _WORD.findall(one.casefold()))) for one in group]
        for key in keys:
            meant[key] = meant.get(key, frozenset()) | frozenset(map(frozenset, keys))
    return meant


def _stems(text: str) -> Stems:
    return frozenset(_stem(word.casefold()) for word in _WORD.findall(text))


@cache
def _stem(word: str) -> str:
    """*word* in small letters without the ending of its form."""
    return _ENDING.sub("", word)
