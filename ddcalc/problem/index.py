"""The index of the problem types: which of them a phrase of anybody's is about, and by which words.

It is made from what types declare of themselves (question, keywords, givens, results, choices,
terms, manual) and from the groups of words in ``synonyms.toml`` beside this file.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from math import log
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

from ddcalc.problem.catalog import GROUPS, Entry, catalog
from ddcalc.problem.explained import terms

Stems = frozenset[str]

_DATA: Final = Path(__file__).with_name("synonyms.toml")
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


@dataclass(frozen=True, slots=True, eq=False)
class Passage:
    """A piece of *text* that a type says of itself, *where* it does, and what it *weighs*."""

    where: str
    text: str
    weight: float
    stems: Stems


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """A word or phrase that was *said*, and all that may stand for it, each with its worth."""

    said: str
    ways: Mapping[Stems, float]

    def worth_in(self, stems: Stems) -> float:
        """How well words with these *stems* say it, from 0 to 1."""
        return max((worth for way, worth in self.ways.items() if way <= stems), default=0)


@dataclass(frozen=True, slots=True)
class Match:
    """A type that a phrase may be about, and the words of it that passages of the type say; without
    these *reasons* only its name is like it."""

    entry: Entry
    score: float
    reasons: Mapping[Passage, Sequence[str]] = field(default_factory=dict)


def matches(phrase: str, most: int = MOST) -> list[Match]:
    """The types that *phrase* may be about, the likeliest first; those with a name like it if it is
    about none; none where nothing fits."""
    wanted = _wanted(phrase, _vocabulary())
    scored = [_match(entry, passages, wanted) for entry, passages in _passages().values()]
    ranked = sorted(scored, key=lambda match: -match.score)
    if _fits(wanted, ranked[0].score):
        return [match for match in ranked[:most] if match.score]
    alike = get_close_matches(phrase[:LONGEST].casefold(), _passages(), most, LIKE)
    return [Match(catalog()[slug], 0) for slug in alike]


def _fits(wanted: Sequence[Wanted], best: float) -> bool:
    """Whether a phrase is about any type: types have all its words, or enough of them, and one that
    few types have."""
    known = [one for one in wanted if _having(one)]
    of_types = {word for one in known for word in (one.said, *one.said.split())}
    if of_types.issuperset(one.said for one in wanted):
        return best > 0
    return best >= ENOUGH and max(map(rarity, known), default=0) >= TELLING


def is_known(phrase: str) -> bool:
    """Whether types use all words of *phrase* of themselves, so that none is misspelt."""
    return _stems(phrase) <= _vocabulary()


def subject_named(phrase: str) -> str | None:
    """The subject of types that *phrase* names by some of its words, if it names one."""
    words = _stems(phrase)
    return next((name for name in GROUPS.values() if words and words <= _stems(name)), None)


def meanings(word: str, texts: Mapping[str, str], most: int = 3) -> list[str]:
    """The keys of those *texts* that *word* may mean, the likeliest first."""
    wanted = _wanted(word)
    scored = {
        name: max((_share(one, name) + _share(one, text) / 2 for one in wanted), default=0)
        for name, text in texts.items()
    }
    likely = [name for name in scored if scored[name] > max(scored.values()) / 2]
    return sorted(likely, key=lambda name: -scored[name])[:most]


def _share(wanted: Wanted, text: str) -> float:
    """How much of *text* is a word for what is *wanted*, from 0 to 1."""
    stems = _stems(text)
    shares = (worth * len(way) / len(stems) for way, worth in wanted.ways.items() if way <= stems)
    return max(shares, default=0)


def _match(entry: Entry, passages: Sequence[Passage], wanted: Sequence[Wanted]) -> Match:
    """How much of what is *wanted* the *passages* of a type say: each word where it is said best,
    and the passage of which most is wanted."""
    single = together = 0.0
    best: dict[Wanted, tuple[float, Passage]] = {}
    for passage in passages:
        hits = {one: worth for one in wanted if (worth := one.worth_in(passage.stems))}
        gains = [worth * passage.weight * rarity(one) for one, worth in hits.items()]
        said = frozenset[str]().union(*(w for one in hits for w in one.ways if w <= passage.stems))
        together = max(together, sum(gains) * len(said) / max(len(passage.stems), 1))
        for one, gain in zip(hits, gains, strict=True):
            best[one] = max(best.get(one, (0.0, passage)), (gain, passage), key=itemgetter(0))
    reasons: dict[Passage, list[str]] = {}
    for one, (gain, passage) in sorted(best.items(), key=lambda hit: -hit[1][0]):
        single += gain
        reasons.setdefault(passage, []).append(one.said)
    return Match(entry, single + together, reasons)


@cache
def _passages() -> Mapping[str, tuple[Entry, tuple[Passage, ...]]]:
    """What each type says of itself."""
    return {slug: (entry, tuple(_said_by(entry))) for slug, entry in catalog().items()}


def _said_by(entry: Entry) -> Iterator[Passage]:
    problem = entry.load()
    yield _passage("name", entry.slug, 3)
    yield _passage("question", problem.question(), 3)
    for phrase in filter(None, problem.keywords.split(";")):
        yield _passage("keywords", phrase.strip(), 3)
    yield _passage("subject", entry.group, 1)
    for given in problem.givens.values():
        yield _passage(f"--{given.flag}", given.title, 1.5, given.flag)
    for choice in problem.choices.values():
        for option, sentence in choice.options.items():
            name = option.replace("_", "-")
            yield _passage(f"--{choice.flag} {name}", sentence, 1.2, name)
    for quantity in problem.quantities.values():
        if quantity.name not in problem.givens:
            yield _passage("works out", quantity.title, 1.2)
    for name in problem.terms:
        if name in terms():
            term = terms()[name]
            for alias in (name, *term.aliases):
                yield _passage(f"explain {term.slug}", alias, 1.5)
            yield _passage(f"explain {term.slug}", term.summary, 0.7)
    for sentence in re.split(r"(?<=[.?:;])\s", problem.manual()):
        yield _passage("manual", sentence, 0.7)


def _passage(where: str, text: str, weight: float, name: str = "") -> Passage:
    return Passage(where, text, weight, _stems(f"{name} {text}"))


@cache
def rarity(wanted: Wanted) -> float:
    """How much a word says of a type, by how few types have it; twice that of a word in half."""
    return log(1 + len(_passages()) / (1 + _having(wanted, above=1)))


def _having(wanted: Wanted, above: float = 0) -> int:
    """How many types have a word, in passages that weigh more than *above*."""
    return sum(
        any(one.weight > above and wanted.worth_in(one.stems) for one in passages)
        for _, passages in _passages().values()
    )


def _wanted(phrase: str, known: Stems = frozenset()) -> list[Wanted]:
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
        if word in wanted or word in _ignored() or len(word) == 1 or word[0].isdigit():
            continue
        near = [] if stem in known else get_close_matches(stem, known, 1, SURE)
        wanted[word] = {frozenset({other}): _PART for other in near} | {frozenset({stem}): 1}
    return [Wanted(word, ways) for word, ways in wanted.items()]


@cache
def _vocabulary() -> Stems:
    """The stems of all words that types use of themselves, but those that say nothing."""
    every = (passage.stems for _, passages in _passages().values() for passage in passages)
    return frozenset().union(*every) - frozenset(map(_stem, _ignored()))


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(_DATA.read_text(encoding="utf-8"))


@cache
def _ignored() -> frozenset[str]:
    return frozenset(_data()["ignored"].split())


@cache
def _synonyms() -> Mapping[tuple[str, ...], frozenset[Stems]]:
    """Each word or phrase as its stems, with all that it may stand for."""
    meant: dict[tuple[str, ...], frozenset[Stems]] = {}
    for group in _data()["groups"]:
        keys = [tuple(map(_stem, _WORD.findall(one.casefold()))) for one in group]
        for key in keys:
            meant[key] = meant.get(key, frozenset()) | frozenset(map(frozenset, keys))
    return meant


def _stems(text: str) -> Stems:
    return frozenset(_stem(word.casefold()) for word in _WORD.findall(text))


@cache
def _stem(word: str) -> str:
    """*word* in small letters without the ending of its form.

    >>> [_stem(word) for word in ("quantize", "quantization", "workers", "bus")]
    ['quant', 'quant', 'worker', 'bus']
    """
    return _ENDING.sub("", word)
