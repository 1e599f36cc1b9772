"""A question of several parts: each may be like an earlier one, and stand on what those come to."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from collections.abc import Mapping as Mapped
from dataclasses import replace
from itertools import chain
from typing import Final

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.solve import Derivation, texts_of
from ddcalc.boundary.nodes import Entries, Mapping, Node, Scalar, id_in, named, no_name, texts_in
from ddcalc.boundary.nodes import Sequence as Listed
from ddcalc.errors import BadSheet, DdcalcError, Missing, Place, Repeated, UnknownName, raise_all
from ddcalc.files.defaults import Defaults
from ddcalc.files.filed_problem import FiledProblem, understood
from ddcalc.files.problem_keys import unused
from ddcalc.numbers.number import split
from ddcalc.numbers.units import Unit
from ddcalc.problem import stated_formulas
from ddcalc.problem.asking import asked
from ddcalc.problem.earlier import FromPart
from ddcalc.problem.problem import Problem
from ddcalc.problem.stated import Texts, filled_in
from ddcalc.problem.stated_formulas import ASIDE, NOTED, is_made, is_plain, renamed, told_in
from ddcalc.problem.together import Member, Whole, whole

MOST: Final = 500  # parts of a question
BRACED: Final = re.compile(r"(?<=\{)[^\W\d]\w*(?=[\[}]| in )")  # what a conclusion tells
GOES_ON: Final = re.compile(r"(.*\D)\d+")  # the id of a part, without words, that goes on: a2
INHERITED: Final = ("type", "formula", "name", "given", "steps", "quantity", "ask", "find", "where")
_ASKED: Final = ("quantity", "ask")
_FOUND: Final = ("find", "where")


def parts_in(head: FiledProblem, node: Mapping, defaults: Defaults) -> Iterator[FiledProblem]:
    """The parts of the question *node*, each as if it stood alone, with what it is like put in."""
    listed = node.entries["parts"][1]
    assert isinstance(listed, Listed)
    below = defaults.with_shared(head.given)
    head.shared = {**below.shared, **below.of_parts}
    merged: dict[str, Mapping] = {}
    for number, one in enumerate(listed.items[:MOST], 1):
        if not isinstance(one, Mapping):
            head.refuse(BadSheet("a part is a mapping with an id, and a type or a formula"), one)
            continue
        known = id_in(one)
        name = known.text if known else str(number)
        full, wrong, above = _full(_made_of_itself(one, head.shared), merged)
        is_new = name.lower() not in map(str.lower, merged)
        error = (no_name(name, "id of a part") if known else None) if is_new else Repeated(name)
        if "parts" in full.entries:
            wrong.append((BadSheet("a part has no parts"), full.entries["parts"][0]))
            full = replace(full, entries={n: x for n, x in full.entries.items() if n != "parts"})
        merged.setdefault(name, full)
        part = understood(full, below.with_shared({**above, **head.given}), head.file)
        part.id = name
        _follow(part, one, merged)
        if wrong:  # what it would have from there is not missing
            part.errors = [error for error in part.errors if not isinstance(error, Missing)]
        for found, at in ((error, known), *wrong):
            if found is not None:
                part.refuse(found, at)
                part.problem = None
        yield part
    _refuse_unused(head, [*head.parts])
    for error in untold(head):
        head.refuse(error, head.words)
    if head.notes and head.parts:
        head.ending = _ending(head, node, below.with_shared(head.given))
    if not listed.items:
        head.refuse(BadSheet("has no parts; a part is a mapping with an id and a type"), listed)
    if len(listed.items) > MOST:
        head.refuse(BadSheet(f"has more than {MOST} parts"), listed.items[MOST])


def _ending(head: FiledProblem, node: Mapping, defaults: Defaults) -> FiledProblem:
    """What the question *node* says of all parts of *head*, which goes on with the last one."""
    notes: Entries = {name: node.entries[name] for name in head.notes}
    notes["steps"] = Scalar("steps"), Mapping({})
    ending = understood(Mapping(notes), defaults, head.file)
    ending.goes_on = head.parts[-1].id or ""
    return ending


def _follow(part: FiledProblem, one: Mapping, merged: Mapped[str, Mapping]) -> None:
    """Note with which of the parts *merged* so far *part* goes on, and what *one* states as a
    number of what the part before it finds."""
    if not part.text and (goes_on := GOES_ON.fullmatch(part.id or "")) and goes_on[1] in merged:
        part.goes_on = goes_on[1]
    before = merged.get(part.like) or merged.get(part.goes_on)
    if before and "find" in before.entries and part.find is None:
        sought = {*map(named, texts_in(before.entries["find"][1]))}
        mine = {n: texts_in(x) for n, (_, x) in _block(one.entries, "given").items()}
        part.instead = {n for n in mine if n in sought and all(map(is_plain, mine[n]))}


def units_of(part: FiledProblem) -> Iterator[tuple[str, Unit | None]]:
    """The units of numbers with a formula for some cases, as in others, those of bounds for own
    steps, and those asked for."""
    for name, (_, node) in part.made.items():
        units = stated_formulas.units_in("; ".join(filter(is_plain, texts_in(node))))
        yield from ((name, unit) for unit in sorted(units, key=lambda one: one.worth)[:1])
    bounds = stated_formulas.bound_units([*texts_in(part.limit), *texts_in(part.where)])
    yield from ((name, unit) for name, unit in bounds if name in part.origin)
    yield from part.asked


def _refuse_unused(head: FiledProblem, parts: Sequence[FiledProblem]) -> None:
    """What the question gives to parts of which none has such a given, or speaks of it."""
    kinds = [part.problem for part in parts if part.problem is not None]
    known = {name for kind in kinds for name in (*kind.givens, *kind.choices, *kind.slots)}
    steps = (name for part in parts for name in (*map(named, part.steps), *part.told, *part.made))
    used, said = {*known, *steps, *told_in(head.text)}, "; ".join(part.written for part in parts)
    for name, (key, _) in head.given.items():
        if name.replace("-", "_") not in used and len(kinds) == len(parts):
            head.refuse(UnknownName("given", name, known, why=unused(name, said)).about(name), key)


def _full(
    one: Mapping, earlier: dict[str, Mapping]
) -> tuple[Mapping, list[tuple[DdcalcError, Node]], Entries]:
    """The part *one* with what it has from the one that it is like, what is wrong there, and what
    is given in that."""
    stated = one.entries.get("like")
    if stated is None or not isinstance(stated[1], Scalar):
        return one, [], {}
    if (model := earlier.get(stated[1].text)) is None:
        return one, [(UnknownName("earlier part", stated[1].text, earlier), stated[1])], {}
    above = _block(model.entries, "given")
    kept: Entries = {name: model.entries[name] for name in INHERITED if name in model.entries}
    finds, sought = "find" in one.entries, {**kept, **one.entries}.get("find")
    unknown = {*map(named, texts_in(sought[1]))} if sought else set[str]()
    # it finds another given, states the one that is found there, or asks for other results
    if finds or unknown & {*map(named, _block(one.entries, "given"))}:
        kept = {name: entry for name, entry in kept.items() if name not in _FOUND}
    if finds or any(name in one.entries for name in _ASKED):
        kept = {name: entry for name, entry in kept.items() if name not in _ASKED}
    entries = kept | one.entries
    if "where" in model.entries and not entries.keys() & {*_FOUND, *_ASKED, "limit"}:
        words = stated_formulas.NAME.match(" ".join(texts_in(model.entries["where"][1])))
        if words:  # what was compared, as all else may not be stated
            entries["ask"] = model.entries["where"][0], Scalar(words[0])
    if finds and "find" in model.entries:  # what is found again, among the same values
        unknown -= {*map(named, texts_in(model.entries["find"][1]))}
    its = {n: x for n, x in _block(kept, "given").items() if not finds or named(n) not in unknown}
    steps = _block(kept, "steps")
    for n, (key, says) in [*steps.items()]:  # without what is concluded there
        if isinstance(says, Scalar):
            steps = {**steps, n: (key, replace(says, text=says.text.partition(" => ")[0]))}
    mine = {*map(named, (*_block(one.entries, "given"), *_block(one.entries, "steps")))}
    for name, inherited in (("given", its), ("steps", steps)):
        if name in kept and isinstance(block := entries[name][1], Mapping):
            left = {n: x for n, x in inherited.items() if named(n) not in mine}
            both = left | _block(one.entries, name)
            entries[name] = entries[name][0], Mapping(both, block.line, block.column)
    cases = {n: (key, x.items[0]) for n, (key, x) in above.items()
             if finds and named(n) in unknown and isinstance(x, Listed)}  # fmt: skip
    return Mapping(entries, one.line, one.column), [], above | cases  # no values to find among


def _made_of_itself(one: Mapping, shared: Entries) -> Mapping:
    """The part *one*, in which a given that is a formula of itself speaks of that of the part which
    it is like, ``n: 2*n`` is ``n: 2*a.n``, or of the number that all parts have *shared*."""
    like = texts_in(one.entries.get("like", (0, None))[1])

    def said(name: str, node: Node) -> Node:
        if isinstance(node, Listed):
            return replace(node, items=[said(name, item) for item in node.items])
        if isinstance(node, Scalar) and is_made(node.text, {name}):
            number = "".join(texts_in(shared[name][1])) if name in shared else name
            is_number = re.fullmatch(r"[\de. ]+", split(number)[0])
            meant = f"{like[0]}.{name}" if like else number if is_number else name
            return replace(node, text=renamed(node.text, {name: meant}))
        return node

    given = {n: (key, said(named(n), x)) for n, (key, x) in _block(one.entries, "given").items()}
    if given == _block(one.entries, "given"):
        return one
    block = {"given": (one.entries["given"][0], Mapping(given, one.line))}
    return replace(one, entries={**one.entries, **block})


def _block(entries: Entries, name: str) -> Entries:
    """What stands below *name* among *entries*; nothing where that is no mapping."""
    block = entries[name][1] if name in entries else None
    return block.entries if isinstance(block, Mapping) else {}


def steps_of(
    part: FiledProblem, earlier: Mapped[str, Sequence[Derivation]]
) -> tuple[list[tuple[str, str, str]], dict[str, list[str]]]:
    """The steps that a part adds to its type, those of its relations and formula among them, and
    the relations by key; a2 speaks of results of a, an *earlier* part, as if they were its own."""
    kind = part.problem
    assert kind is not None
    steps = _own_steps(part, kind)
    its, begun = dict[str, str](), part.goes_on or GOES_ON.sub(r"\1", part.id or "")
    for before, cases in earlier.items() if begun in earlier else ():
        if cases and begun in (before, before.rstrip("0123456789")):
            its |= {n: f"{before}.{n}" for n in cases[0].quantities if "." not in n}
    if its:  # but for names that it has itself
        own = {*kind.quantities, *kind.choices, *part.made, *(name for name, *_ in steps)}
        own |= {word for one in kind.choices.values() for word in one.options}
        its = {name: said for name, said in its.items() if name not in own}
    for i, (name, words, says) in enumerate(steps if its else ()):
        what, _ = stated_formulas.asked_in(words)
        formula = renamed(what, its) + words[len(what) :]
        steps[i] = name, formula, renamed(says, its, BRACED)
    relations = defaultdict[str, list[str]](list)
    stated = {"where": part.where, "limit": part.limit, "assert": part.claim}
    for option, at in ((option, at) for option, at in stated.items() if at):
        said = (renamed(text, its, BRACED).partition(": ") for text in texts_in(at))
        count, texts = len(steps), [renamed(x, its) + "".join(title) for x, *title in said]
        relations[option] = stated_formulas.relations_in(texts, option, kind.quantities, steps)
        part.spelt |= zip(relations[option], texts_in(at), strict=True)
        part.origin |= {name: (option, at) for name, _, _ in steps[count:]}
    then = {name for name, *_ in stated_formulas.conclusions(steps)} - ASIDE
    if part.is_silent and not (part.limit or then):
        found = ", or leave it out for what is found" * (part.find is not None)
        raise BadSheet(f"asks for nothing: conclude something by then{found}").about("quantity")
    return steps, relations


def _own_steps(part: FiledProblem, kind: type[Problem]) -> list[tuple[str, str, str]]:
    """The steps that *part* states, its formula, and what its words name, and limits compare."""
    steps = list[tuple[str, str, str]]()
    for key, node in part.steps.values():
        says = node.text if isinstance(node, Scalar) and node.text not in ("null", "~") else ""
        try:
            steps.append(stated_formulas.step_in(key.text, says))
            if steps[-1][0] in part.origin:
                raise Repeated(steps[-1][0])
            part.origin[steps[-1][0]] = "step", key
        except DdcalcError as error:
            part.refuse(error.about("step"), key)
    if part.formula is not None:
        name = part.name or "value"
        steps.append((name, part.formula.text, name.replace("_", " ")))
        part.origin[name] = "formula", part.formula
    told: dict[str, tuple[str, Node]] = {n: (one.text, one) for n, one in part.notes.items()}
    if (limit := part.limit) is not None:
        said = " ".join(texts_in(limit))
        names = stated_formulas.NAME.findall(stated_formulas.without_sizes(said))
        said += "".join(f" {{{x}}}" for x in names if x in kind.givens and x in part.given)
        told |= {"limit": (said, limit)} if told_in(said) else {}
    for note, (words, at) in told.items():
        steps.append((NOTED[note], "1", f" => {words.replace(f'{{{part.id}.', '{')}"))
        part.origin[NOTED[note]] = note, at
    return steps


def asked_by(question: FiledProblem) -> tuple[type[Problem], Texts, list[str]]:
    """What a question that is no part asks: its type with what it adds to that, the texts of its
    numbers, and what must hold for an unknown. Raises DdcalcErrors about what is wrong with it."""
    assert question.problem is not None
    try:
        steps, relations = steps_of(question, {})
        kind, texts = asked(question.problem, question.texts, steps)
    except DdcalcError as error:
        for single in error.singles():
            question.locate(single)
    raise_all(question.errors)
    return kind, texts, relations["where"]


def untold(question: FiledProblem) -> Iterator[DdcalcError]:
    """What is wrong with ``{names}`` in the text of a question: nothing is given for them, there or
    in parts."""
    every = (question, *question.parts) if "{" in question.text else ()  # few have such names
    stated = (its.items() for x in every for its in (x.given, x.told, x.sought, x.made))
    given = {named(name): len(texts_in(at)) for name, (_, at) in chain.from_iterable(stated)}
    for told in stated_formulas.NAMED.finditer(question.text):
        if told[3] or int(told[2] or 0) > given.get(told[1], -1):
            why = ", which is a result: a text says what is given" * ("." in told[1])
            error = UnknownName("given", told[0][1:-1], given, why=why)
            if "\n" not in question.text.strip():
                error.place = Place("", 1, told.start(1) + 1, len(told[0]) - 2)
            yield error.about("text")


def taken_together(
    head: FiledProblem, parts: Mapped[str, Sequence[Derivation]]
) -> tuple[type[Whole], Texts, list[str]]:
    """The question of all *parts* that equations answer, as one, the texts of its givens, and what
    is left out: parts that search, or are played, or rest on those, or on lists.

    What the question shares, or a part has from another one, stands once; of cases, each is a part:
    ``b_1``, of the question ``q`` without parts ``q_1``.
    """
    members, left = dict[str, Member](), list[str]()
    texts: dict[str, str | Sequence[str]] = {}
    shared = head.shared if head.parts else head.given
    named: dict[int | str, str] = {id(entry): name for name, entry in shared.items()}
    for question in head.parts or [head]:
        cases = parts.get(question.id or "", ())
        for i, solved in enumerate(cases, 1):
            name = re.sub(r"\W", "_", question.id or "question")  # as formulas have it
            name = f"{'' if name.isidentifier() else 'q_'}{name}{f'_{i}' * (len(cases) > 1)}"
            alone = isinstance(solved, Inversion) or solved.stated.is_played
            called = None if alone else _called(name, question, solved, members, named)
            if called is None:
                left.append(f"({name})")
                continue
            members[name] = member = Member(name, solved.problem, called, solved.answer.name)
            numbers, _ = filled_in(solved.problem, texts_of(solved.stated))
            for local, text in numbers.items():
                texts.setdefault(member.name_of(local), text)
    if not members:
        raise BadSheet("has no part that equations answer, so nothing of it varies")
    return whole(head.id or "question", head.title, [*members.values()]), texts, left


def _called(
    name: str,
    question: FiledProblem,
    solved: Derivation,
    members: Mapped[str, Member],
    named: dict[int | str, str],
) -> dict[str, str] | None:
    """What the givens of the part *name* are called in the whole, which *named* says of those met
    before; None where it rests on a part that is left out."""
    called, choices = dict[str, str](), solved.problem.choices
    for key, entry in question.given.items():
        local = key.replace("-", "_")
        is_one = local in choices or solved.stated.alone(local)
        if is_one and isinstance(entry[1], Listed):  # of cases, each has its own
            called[local] = f"{name}.{local}"
            continue
        if local in solved.problem.stated_so:
            continue  # its formula speaks of what this part has
        called[local] = named.setdefault(id(entry), f"{name}.{local}")
    for local, choice in choices.items():  # what nobody states is read alike
        alike = named.setdefault(local, ",".join(choice.options)) == ",".join(choice.options)
        if alike and local not in {*called, *solved.problem.quantities}:
            called[local] = local
    for local, given in solved.problem.givens.items():
        if isinstance(given, FromPart):
            part, _, result = given.result.partition(".")
            if part not in members or result not in members[part].kind.quantities:
                return None  # of a part that is left out, or a member of a list
            called[local] = members[part].name_of(result)
    return called
