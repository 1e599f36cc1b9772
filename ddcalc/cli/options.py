"""What a command takes: options and words as declarations, of which Typer makes its own, and plain
calls, which are read without it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import NoneType
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, get_args

from ddcalc.cli.formats import Format, Steps

if TYPE_CHECKING:
    import inspect

REQUIRED: Final = ...  # the usual value of a word that must be there
DIGITS: Final = 9  # of a whole number in a plain call


class Parameter(NamedTuple):
    """What a command takes by the keyword *name*: the value of a *flag*, or a word, which has none.

    It is of a *kind*, as the command is annotated: a text, a number, texts, one of some names, or
    True for a flag alone. *more* is for Typer.
    """

    name: str
    flag: str
    kind: Any
    says: str
    usual: Any
    more: Mapping[str, Any]

    @property
    def is_list(self) -> bool:
        """Whether it may be stated more than once."""
        return list[str] in (self.kind, *get_args(self.kind))

    def for_typer(self) -> inspect.Parameter:
        """The same as Typer wants it."""
        import inspect
        from typing import Annotated

        import typer

        shown = {**self.more, "help": self.says, "show_default": False}
        info: Any = typer.Option(self.flag, **shown) if self.flag else typer.Argument(**shown)
        kinds = inspect.Parameter
        place = kinds.KEYWORD_ONLY if self.flag else kinds.POSITIONAL_OR_KEYWORD
        usual = kinds.empty if self.usual is REQUIRED else self.usual
        return kinds(self.name, place, default=usual, annotation=Annotated[self.kind, info])


def option(
    flag: str, kind: Any, says: str, usual: Any = None, name: str = "", **more: Any
) -> Parameter:
    """An option of a verb; the verb is called with the keyword *name*, or that of the *flag*."""
    keyword = name or flag.removeprefix("--").replace("-", "_")
    return Parameter(keyword, flag, kind, says, usual, more)


def several(flag: str, says: str, metavar: str, name: str = "") -> Parameter:
    """An option of a verb that may be given more than once."""
    return option(flag, list[str], says, [], name, metavar=metavar)


def argument(metavar: str, kind: Any, says: str, name: str = "words") -> Parameter:
    """A word of a verb, or all words; the verb is called with the keyword *name*."""
    usual = None if kind in (str | None, list[str] | None) else REQUIRED
    return Parameter(name, "", kind, says, usual, {"metavar": metavar})


STEPS: Final = option(
    "--steps", Steps, "How much to explain. (default: full)", Steps.full, metavar="|".join(Steps)
)
OUTPUT: Final = option(
    "--output", str | None, "Write into FILE, as its suffix says.", metavar="FILE"
)
FORCE: Final = option("--force", bool, "Let --output replace a file.", False)


def form(formats: Sequence[Format], note: str = "") -> Parameter:
    """Which of *formats*, of which the first is usual; a *note* says what some of them are."""
    says = f"What to print: {', '.join(formats)}{note}. (default: {formats[0]})"
    return option("--format", Literal[tuple(formats)] | None, says, metavar="FORMAT")


def delivery(formats: Sequence[Format], note: str = "") -> tuple[Parameter, ...]:
    """In which of *formats*, and into which file."""
    return form(formats, note), OUTPUT, FORCE


def listed_names(texts: Sequence[str]) -> list[str]:
    """The names in an option that may come more than once, and lists them with commas."""
    return [name.strip() for text in texts for name in text.split(",")]


def taking(run: Callable[..., None], options: Sequence[Parameter]) -> Callable[..., None]:
    """*run*, which takes keywords, as a command with *options*."""
    run.options = tuple(options)  # type: ignore[attr-defined]
    return run


def taken(command: Callable[..., object] | None) -> tuple[Parameter, ...]:
    """The options of a *command*."""
    return getattr(command, "options", ())


def for_typer(command: Callable[..., None]) -> Callable[..., None]:
    """*command* with its options as the parameters that Typer looks for."""
    from inspect import Signature

    made = [option.for_typer() for option in taken(command)]
    command.__signature__ = Signature(made)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in made}
    return command


# Plain calls: long options that there are, each once, with values that need no second look


def plainly(options: Sequence[Parameter], arguments: Sequence[str]) -> dict[str, Any] | None:
    """What *arguments* state for *options*, as a command is called with it.

    None where anything is unusual or wrong: then Typer reads them, and says what is.
    """
    stated: dict[str, list[str]] = {}
    words: list[str] = []
    flags = {option.flag: option for option in options if option.flag}
    waiting = iter(arguments)
    for argument in waiting:
        if not argument.startswith("-"):
            words.append(argument)
            continue
        flag, joint, text = argument.partition("=")
        if flag not in flags or (joint and flags[flag].kind is bool):
            return None
        if not joint and flags[flag].kind is not bool:
            text = next(waiting, "-")
            if text.startswith("-"):
                return None  # it may be a value, or one was left out
        stated.setdefault(flag, []).append(text)
    try:
        return dict(_values(options, stated, words))
    except ValueError:
        return None


def _values(
    options: Sequence[Parameter], stated: Mapping[str, list[str]], words: list[str]
) -> Iterator[tuple[str, Any]]:
    """Each of *options* by its name with its value; ValueError where a text is none."""
    left = words
    for option in options:
        if option.flag:
            texts = stated.get(option.flag, [])
        else:
            count = len(left) if option.is_list else 1
            texts, left = left[:count], left[count:]
        yield option.name, _value(option, texts)
    if left:
        raise ValueError("too many words")


def _value(option: Parameter, texts: list[str]) -> Any:
    """What *texts* say for *option*; ValueError where it takes a second look."""
    if not texts:
        if option.usual is REQUIRED:
            raise ValueError(f"{option.name} is missing")
        return [*option.usual] if option.usual == [] else option.usual
    "".join(texts).encode()  # a text of bytes that are no characters is a UnicodeEncodeError
    if option.is_list:
        return texts
    if len(texts) > 1:
        raise ValueError(f"{option.name} is repeated")
    kind, text = _kind(option.kind), texts[0]
    if kind is bool:
        return True
    if kind is str:
        return text
    if kind is int:
        number = int(text) if text.isdecimal() and text.isascii() and len(text) <= DIGITS else -1
        if number < max(0, option.more.get("min") or 0) or option.more.get("max") is not None:
            raise ValueError(text)
        return number
    members: list[str] = [*get_args(kind)] or [*kind]
    return members[members.index(text)]


def _kind(kind: Any) -> Any:
    """A *kind* without None, which stands for what is not stated."""
    left = [one for one in get_args(kind) if one is not NoneType]
    return left[0] if len(left) < len(get_args(kind)) else kind
