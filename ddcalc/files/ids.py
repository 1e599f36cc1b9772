"""The ids of a problem file, each given once, in memory that does not grow with their number.

The first ones stand in a dictionary. Where there are more, all of them move into a database in a
temporary file, which SQLite makes without a name, so that nothing of it stays however a run ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ddcalc.errors import Place

if TYPE_CHECKING:
    from sqlite3 import Connection

AT_HAND: Final = 1 << 15  # ids that are kept in memory
CACHE: Final = 8_000  # kB of the database that are kept in memory
_BEGIN: Final = f"""
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA cache_size = -{CACHE};
    CREATE TABLE ids (id TEXT PRIMARY KEY, line INTEGER, column INTEGER) WITHOUT ROWID;
    BEGIN;
"""
_ADD: Final = "INSERT OR IGNORE INTO ids VALUES (?, ?, ?)"
_FIND: Final = "SELECT line, column FROM ids WHERE id = ?"


class Ids:
    """The ids of *file* so far, without regard to case, and where each of them stood first.

    Where the temporary file cannot be written no more of them are compared, which *remark* says.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.remark = ""
        self._checked = True
        self._places: dict[str, tuple[int, int]] = {}
        self._kept: Connection | None = None

    def first(self, name: str, line: int, column: int) -> Place | None:
        """Where the id *name* stood before; None where it is new, and stands here."""
        key, at = name.lower(), (line, column)
        if not self._checked:
            return None
        if self._kept is not None:
            before = self._seek(key, at)
        else:
            before = self._places.setdefault(key, at)
            if len(self._places) > AT_HAND:
                self._move()
        return None if before is at else Place(self.file, *before)

    def known(self, name: str) -> bool:
        """Whether *name* was given before."""
        if self._kept is None:
            return name.lower() in self._places
        return self._kept.execute(_FIND, (name.lower(),)).fetchone() is not None

    def _move(self) -> None:
        """Take all ids into a database."""
        from sqlite3 import Error, connect

        try:
            self._kept = connect("", isolation_level=None)
            self._kept.executescript(_BEGIN)
            rows = ((name, *at) for name, at in self._places.items())
            self._kept.executemany(_ADD, rows)
        except Error as error:
            self._give_up(error)
        self._places.clear()

    def _seek(self, name: str, at: tuple[int, int]) -> tuple[int, int]:
        """Where *name* stood first, which is *at* where it is new."""
        from sqlite3 import Error

        assert self._kept is not None
        try:
            if self._kept.execute(_ADD, (name, *at)).rowcount:
                return at
            line, column = self._kept.execute(_FIND, (name,)).fetchone()
        except Error as error:
            self._give_up(error)
            return at
        return line, column

    def _give_up(self, error: Exception) -> None:
        self._kept, self._checked = None, False
        self.remark = f"ids are not checked to be unique from here on; temporary file: {error}"
