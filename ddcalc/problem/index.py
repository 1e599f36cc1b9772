"""The index of the problem types: which of them a phrase of anybody's is about, and by which words.

It is made from what types declare of themselves (question, keywords, givens, results, choices,
terms, manual) and from the groups of words in ``synonyms.toml`` beside this file.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches
from functools import cache
from math import log
from pathlib import Path
from typing import Any, Final

from ddcalc.errors import BrokenType
from ddcalc.problem.catalog import Entry, catalog
from ddcalc.problem.terms import terms

Stems = frozenset[str]

_DATA: Final = Path(__file__).with_name("synonyms.toml")
_WORD: Final = re.compile(r"[^\W_]+(?:'s\b)?")
_ENDING: Final = re.compile(  # of words whose first three letters stay
    r"(?<=\w{3})(?:i[sz]ations?|ations?|ions?|i[sz]ings?|i[sz]ed?|i[sz]es|nesse?s?|ments?|ously|ous"
    r"|ings?|ing|edly|ed|est|ely|ly|al|ally|es|e|ies|y|'s|s)$"
)
_PART: Final = 0.8  # what a synonym is worth beside the word itself
MOST: Final = 5


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

    def in_passage(self, stems: Stems) -> float:
        """How well words with these *stems* say it, from 0 to 1."""
        return max((worth for way, worth in self.ways.items() if way <= stems), default=0)


@dataclass(frozen=True, slots=True)
class Reason:
    """The *words* of a phrase that a *passage* has."""

    words: tuple[str, ...]
    passage: Passage


@dataclass(frozen=True, slots=True)
class Match:
    """A type that a phrase may be about, and why; without reasons only its name is like it."""

    entry: Entry
    score: float
    reasons: tuple[Reason, ...] = ()


def matches(phrase: str, most: int = MOST) -> list[Match]:
    """The types that *phrase* may be about, the likeliest first; the nearest names if it is about
    none."""
    wanted = _wanted(phrase)
    ranked = [_match(entry, passages, wanted) for entry, passages in _passages().values()]
    ranked = [match for match in ranked if match.score]
    if not ranked:
        ranked = [Match(entry, _likeness(phrase, entry)) for entry, _ in _passages().values()]
    return sorted(ranked, key=lambda match: -match.score)[:most]


def meanings(word: str, texts: Mapping[str, str], most: int = 3) -> list[str]:
    """The keys of those *texts* that *word* may mean, the likeliest first."""
    wanted = _wanted(word)
    scored = {
        name: sum(
            one.in_passage(_stems(name)) * 3 + one.in_passage(_stems(text)) for one in wanted
        )
        for name, text in texts.items()
    }
    return sorted((name for name in scored if scored[name]), key=lambda n: -scored[n])[:most]


@cache
def foreign_options() -> Mapping[str, str]:
    """Options of other programs, without dashes, and what to write here."""
    options: dict[str, str] = _data()["options"]
    return options


def _match(entry: Entry, passages: Sequence[Passage], wanted: Sequence[Wanted]) -> Match:
    """How much of what is *wanted* the *passages* of a type say: each word where it is said best,
    and the passage that says the largest part at once."""
    worth = {
        passage: {one: hit for one in wanted if (hit := one.in_passage(passage.stems))}
        for passage in passages
    }
    best: dict[Wanted, tuple[float, Passage]] = {}
    together = 0.0
    for passage, hits in worth.items():
        for one, hit in hits.items():
            score = hit * passage.weight * _rarity(one)
            if score > best.get(one, (0.0, passage))[0]:
                best[one] = score, passage
        covered = {
            stem for one in hits for way in one.ways if way <= passage.stems for stem in way
        }
        if hits:
            whole = sum(hit * _rarity(one) for one, hit in hits.items())
            part = len(covered) / len(passage.stems)
            together = max(together, passage.weight * whole * part)
    score = sum(single for single, _ in best.values()) + together
    return Match(entry, score, tuple(_reasons(worth, best)))


def _reasons(
    worth: Mapping[Passage, Mapping[Wanted, float]], best: Mapping[Wanted, tuple[float, Passage]]
) -> Iterator[Reason]:
    """The fewest passages that say all the words, the one that says most of them first."""
    left = dict(best)
    while left:
        passage = max(
            worth,
            key=lambda p: sum(hit * p.weight * _rarity(one) for one, hit in worth[p].items() if one in left),
        )
        words = [one for one in left if one in worth[passage]]
        yield Reason(tuple(one.said for one in words), passage)
        for one in words:
            del left[one]


@cache
def _passages() -> Mapping[str, tuple[Entry, tuple[Passage, ...]]]:
    """What each type says of itself; types that cannot be loaded are left out."""
    loaded = {}
    for slug, entry in catalog().items():
        with suppress(BrokenType):
            loaded[slug] = entry, tuple(_said_by(entry))
    return loaded


def _said_by(entry: Entry) -> Iterator[Passage]:
    problem = entry.load()
    yield _passage("name", entry.slug, 3)
    yield _passage("question", problem.question(), 3)
    for phrase in filter(None, problem.keywords.split(";")):
        yield _passage("", phrase.strip(), 3)
    yield _passage("subject", entry.group(), 1)
    for given in problem.givens.values():
        yield _passage(f"--{given.flag}", f"{given.title} ({given.flag})", 1.5)
    for choice in problem.choices.values():
        for option, sentence in choice.options.items():
            name = option.replace("_", "-")
            yield _passage(f"--{choice.flag} {name}", f"{name}: {sentence}", 1.2)
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


def _passage(where: str, text: str, weight: float) -> Passage:
    return Passage(where, text, weight, _stems(text))


@cache
def _rarity(wanted: Wanted) -> float:
    """How much a word says of a type, by how few types have it; twice that of a word in half."""
    every = _passages().values()
    having = sum(
        any(one.weight > 1 and wanted.in_passage(one.stems) for one in passages)
        for _, passages in every
    )
    return log(1 + len(every) / (1 + having))


def _wanted(phrase: str) -> list[Wanted]:
    """The words of *phrase* that may say what it is about, and the phrases among them; a word that
    no type has is taken to be the one most like it."""
    said = [word.casefold() for word in _WORD.findall(phrase)]
    stems = list(map(_stem, said))
    wanted: dict[str, dict[Stems, float]] = {}
    for key, members in _synonyms().items():
        for start in range(len(stems) - len(key) + 1):
            if (*stems[start : start + len(key)],) == key:
                ways = wanted.setdefault(" ".join(said[start : start + len(key)]), {})
                ways.update(dict.fromkeys(members, _PART))
                ways[frozenset(key)] = 1
    for word, stem in zip(said, stems, strict=True):
        if word not in wanted and word not in _ignored() and not word.isdigit():
            near = [] if stem in _vocabulary() else get_close_matches(stem, _vocabulary(), 1, 0.75)
            ways = wanted.setdefault(word, {frozenset({stem}): 1})
            ways.update({frozenset({other}): _PART for other in near})
    return [Wanted(word, ways) for word, ways in wanted.items()]


@cache
def _vocabulary() -> Stems:
    """The stems of all words that types use of themselves."""
    every = (passage.stems for _, passages in _passages().values() for passage in passages)
    return frozenset().union(*every)


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
        keys = [tuple(map(_stem, map(str.casefold, _WORD.findall(one)))) for one in group]
        for key in keys:
            meant[key] = meant.get(key, frozenset()) | frozenset(map(frozenset, keys))
    return meant


def _likeness(phrase: str, entry: Entry) -> float:
    return SequenceMatcher(None, phrase.casefold(), entry.slug).ratio()


def _stems(text: str) -> Stems:
    return frozenset(_stem(word.casefold()) for word in _WORD.findall(text))


@cache
def _stem(word: str) -> str:
    """*word* in small letters without the ending of its form.

    >>> [_stem(word) for word in ("quantize", "quantization", "workers", "bus")]
    ['quant', 'quant', 'worker', 'bus']
    """
    return _ENDING.sub("", word)
