"""The entry point: runs one call, and ends the process with its exit code.

It imports as little as possible before it looks after signals.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import NoReturn

    from ddcalc.cli.session import Session

INTERRUPTED, TERMINATED = 130, 143


def main() -> NoReturn:
    """Run the command line of this process and exit; what the streams still hold in the end and can
    no longer write is dropped."""
    try:
        _end_by_signals()
        import gc

        gc.set_threshold(100_000, 20, 20)  # imports make many objects, and all of them stay
        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = INTERRUPTED
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    if "multiprocessing.popen_spawn_posix" in sys.modules:  # processes were started
        sys.exit(code)
    os._exit(code)  # nothing is left to clean up, and taking modules apart takes a fifth of a run


def _end_by_signals() -> None:
    """Ctrl-C and SIGTERM end the process from now on, quietly, but where a command runs.

    There is nothing to finish. An exception would not do: raised while a module is imported, it can
    get lost in a callback of Python's own.
    """
    import signal

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it is ignored
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, lambda *_: os._exit(TERMINATED))


def run(arguments: Sequence[str]) -> int:
    """The exit code of a call with *arguments*."""
    from ddcalc.boundary.output import CLOSED_PIPE, ClosedPipe
    from ddcalc.boundary.signals import Terminated
    from ddcalc.cli.session import Session, width
    from ddcalc.errors import Bug, DdcalcError

    if os.environ.get("COLUMNS"):  # libraries would print nothing at some widths: theirs is ours
        os.environ["COLUMNS"] = str(width())
    session = Session(debug="--debug" in arguments)
    try:
        if "_DDCALC_COMPLETE" in os.environ:
            from ddcalc.cli.app import complete

            return complete(session)
        session.out.write("")  # a closed output is found before the work, not after it
        _called(list(_settled(arguments)), session)
    except ClosedPipe:
        return CLOSED_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Terminated:
        return TERMINATED
    except DdcalcError as error:
        session.refuse(error.singles())
    except Exception as error:  # whatever we did not foresee is our mistake
        session.refuse([Bug(error)])
    session.finish()
    return session.code


def _settled(arguments: Sequence[str]) -> Iterator[str]:
    """The arguments without ``--debug``, with a number after every ``--hint``, and ``help WORD``
    as ``WORD -h``."""
    if arguments[:1] == ["help"]:
        arguments = [*(word for word in arguments[1:2] if word != "help"), "-h"]
    for i, argument in enumerate(arguments):
        if argument == "--debug":
            continue
        yield argument
        following = arguments[i + 1] if i + 1 < len(arguments) else ""
        if argument == "--hint" and not following.lstrip("+-").isdecimal():
            yield "1"


def _called(arguments: list[str], session: Session) -> None:
    """Run what *arguments* name, as Typer reads them."""
    from contextlib import redirect_stdout
    from io import StringIO

    import typer

    from ddcalc.cli.app import application
    from ddcalc.cli.session import BAD_INPUT

    try:
        app = application(arguments, session)
        with redirect_stdout(StringIO()) as said:  # Typer prints its help by itself
            ended = app(args=arguments, standalone_mode=False, prog_name="ddcalc")
        session.out.write(said.getvalue())
    except typer.TyperException as error:
        session.happened(BAD_INPUT)
        from ddcalc.cli.app import misuse

        session.say(misuse(error))
    except typer.Abort:
        raise KeyboardInterrupt from None
    else:
        if ended == INTERRUPTED:  # Typer has caught it
            raise KeyboardInterrupt
        if isinstance(ended, int) and ended:
            session.happened(BAD_INPUT)
