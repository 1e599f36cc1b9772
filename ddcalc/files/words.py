"""The words around the questions of an exam, in a language of ours or that of a TOML file."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from tomllib import TOMLDecodeError, loads

from ddcalc.boundary.source import Source
from ddcalc.errors import BadSheet, Place, UnknownName
from ddcalc.memory import remembered


@remembered
def words_in(language: str) -> Mapping[str, str]:
    """The words of a *language* by the English ones.

    Raises BadFile or BadSheet where there are no such words, UnknownName for one that no paper has.
    """
    table = loads(files(__package__).joinpath("words.toml").read_text("utf-8"))
    if language in table:
        return dict(table[language])
    if "." not in language:
        raise UnknownName("language", language, [*table, "FILE.toml"])
    try:
        mine = loads("".join(Source(language).chunks()))
    except TOMLDecodeError as error:
        raise BadSheet(f"is no TOML: {error}", Place(language)) from None
    for name, said in mine.items():
        if name not in table["english"]:
            raise UnknownName("word", name, table["english"]).about("words", Place(language))
        if not isinstance(said, str):
            raise BadSheet(f"{name} is one text", Place(language))
    return mine
