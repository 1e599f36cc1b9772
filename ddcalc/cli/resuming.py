"""Files that a call goes on with (``--resume``): of what run they are, and what they have."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ddcalc.boundary import files
from ddcalc.boundary.journal import Origin, contents, resumed
from ddcalc.boundary.signals import Terminated
from ddcalc.errors import BadTarget, Place
from ddcalc.files.batch import Finished

if TYPE_CHECKING:
    from ddcalc.boundary.journal import Journal
    from ddcalc.cli.formats import Target
    from ddcalc.cli.session import Session


@contextmanager
def resuming(
    session: Session, target: Target, options: Mapping[str, str], inputs: Sequence[str]
) -> Iterator[Journal]:
    """The file of *target*, which a call with the same *options*, of those that change its lines,
    and the same *inputs* goes on with; how far it has come is said."""
    from importlib.metadata import version

    assert target.output is not None
    name = files.shown(target.output)
    stated = {option: value for option, value in options.items() if value}
    origin = Origin(version("ddcalc"), stated, contents(inputs))
    with resumed(target.output, origin) as journal:
        if journal.finished:
            session.say(f"{name} is complete, with {_lines(journal.kept)}: nothing to do\n")
        elif journal.kept:
            session.say(f"{name} has {_lines(journal.kept)} already: going on after them\n")
        try:
            yield journal
        except (KeyboardInterrupt, Terminated):
            journal.flush()
            has = f"{name} has {_lines(journal.count)}"
            session.say(f"interrupted: {has}; the same call goes on after them\n")
            raise


def _lines(count: int) -> str:
    from ddcalc.numbers.display import counted

    return counted(count, "line")


def finished_problems(journal: Journal) -> Iterator[Finished]:
    """The problems that *journal* has from earlier."""
    for number, line in enumerate(journal.lines(), 1):
        try:
            data = json.loads(line)
            checks = [(check["ours"], check["agrees"]) for check in data.get("checks", ())]
            kind = data["error"]["kind"] if data["status"] == "error" else ""
            yield Finished(
                data["id"],
                kind,
                sum(not agrees for _, agrees in checks),
                any(ours and not agrees for ours, agrees in checks),
            )
        except (ValueError, TypeError, KeyError, AttributeError):
            raise foreign(journal, number) from None


def foreign(journal: Journal, number: int) -> BadTarget:
    """That line *number* of *journal* is not of this run."""
    reason = f"line {number} is not of this run; remove the file to begin anew"
    return BadTarget(reason, Place(files.shown(journal.name), number))
