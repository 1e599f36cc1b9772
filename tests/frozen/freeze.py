"""What the program says, words and values apart from layout, as text that git compares.

``python tests/frozen/freeze.py [NAME]...`` writes ``words/`` (all, or the files of these names);
with ``--check`` the calls that stand there are made again and each difference is printed.

A file is calls (``$ ddcalc …``, and the exit code unless it is 0), each with its words, in lines
that hang on nothing but the words. Long lines and those without a digit that the call, or the
first one of its file, has said before are only counted: ``… 3``. Of JSON there are the values that
pages do not show, in the order of their names. Which calls there are: ``calls.py``, ``wrong.txt``.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import chdir
from difflib import unified_diff
from functools import cache
from pathlib import Path
from textwrap import TextWrapper
from typing import Any

HERE = Path(__file__).parent
ROOT, WORDS = HERE.parents[1], HERE / "words"
sys.path.insert(0, str(HERE.parent))

from running import ddcalc  # noqa: E402

Call = tuple[str, ...]
_DRAWN = re.compile(r".*[\u2500-\u259f\u2800-\u28ff].*|··+|[-=_]{2,}|&|\\hline|\\\\\\relax")
_LAYOUT = re.compile(
    r".*\\begin\{document\}|\\par\\nopagebreak"
    r"|\\(begin|end)\{(tabular|document)\}(\{@?\S*\})?",
    re.DOTALL,
)  # fmt: skip
_BREAK = re.compile(r"(?<=[^0-9][.;?·]) | (?==)|(?<![0-9]) (?=(?:[0-9]+ )?[A-Z][a-z]+ )")
_PAGE = {"mechanism", "premises", "insights", "shares", "checks_made"}  # of JSON, shown as text


def said(call: Call) -> list[str]:
    """The exit code of *call* unless it is 0, and its words and values."""
    with chdir(ROOT):
        ran = ddcalc(*call)
    form = call[call.index("--format") + 1] if "--format" in call else "text"
    wrong = [line for line in ran.err.splitlines() if not line.startswith("note: ")]
    lines = [f"exit {ran.code}", *_folded(" ".join(wrong))] if ran.code else []
    if ran.out and form in ("json", "ndjson"):
        data = [
            json.loads(text) for text in (ran.out.splitlines() if form != "json" else [ran.out])
        ]
        if call[0] == "ask":
            return [data[0]["types"][0]["type"]]
        left_out = _PAGE if form == "json" else _PAGE | {"assumptions", "readings"}
        data = [{key: one[key] for key in one.keys() - left_out} for one in data]
        return lines + [line for one in data for line in _flat("", one)]
    return lines + _folded(_LAYOUT.sub(" ", ran.out) if form == "latex" else ran.out)


def _folded(text: str) -> list[str]:
    """The words of *text*, in lines that hang on nothing but the words."""
    words = " ".join(word for word in text.split() if not _DRAWN.fullmatch(word))
    fill = TextWrapper(100, break_long_words=False, break_on_hyphens=False)
    return [line for part in _BREAK.split(words) for line in fill.wrap(part)]


def _flat(name: str, data: Any) -> Iterator[str]:
    """*data* in lines: one for each key, or for each of what is listed below it."""
    if isinstance(data, dict) and "exact" not in data:
        for key in sorted(data):
            yield from _flat(f"{name}.{key}".lstrip("."), data[key])
    elif isinstance(data, list) and any(isinstance(one, dict | list) for one in data):
        yield from (f"{name}: {_short(one)}" for one in data)
    else:
        yield f"{name}: {_short(data)}"


def _short(data: Any) -> str:
    """Values without their names, by these names; a quantity is exact, with its unit, as text."""
    if isinstance(data, dict):
        kept = data.keys() - ({"name", "symbol", "value"} if data.get("exact") else set())
        if data.get("text") in (data.get("exact"), f"{data.get('exact')} {data.get('unit')}"):
            kept -= {"text"}
        return " | ".join(_short(data[key]) for key in sorted(kept))
    return " ".join(data.split()) if isinstance(data, str) else json.dumps(data, ensure_ascii=False)


@cache
def _wordy(call: Call) -> frozenset[str]:
    """The lines of *call* that are counted where they come again."""
    return frozenset(filter(_is_wordy, said(call)))


def _is_wordy(line: str) -> bool:
    return len(line) > 30 or not re.search(r"[0-9]", line)


def block(call: Call, first: Call) -> str:
    """*call* and what it says; words that it or *first* says before are counted."""
    known = {*_wordy(first)} if call != first else {*()}
    lines, again = [f"$ {shlex.join(('ddcalc', *call))}"], 0
    for line in said(call):
        if line in known:
            again += 1
            continue
        lines += [f"… {again}", line] if again else [line]
        again = 0
        if _is_wordy(line):
            known.add(line)
    lines += [f"… {again}"] if again else []
    assert not any(line.startswith("$ ddcalc") for line in lines[1:]), call
    return "\n".join(lines) + "\n"


def frozen(name: str) -> dict[Call, str]:
    """The calls of the file *name*, with their blocks."""
    parts = re.split(r"^(?=\$ ddcalc)", (WORDS / f"{name}.txt").read_text("utf-8"), flags=re.M)[1:]
    return {tuple(shlex.split(part.partition("\n")[0])[2:]): part for part in parts}


def main(arguments: Sequence[str]) -> int:
    """Write the words of all files, or of those that are named; or compare them."""
    names, differs = [word for word in arguments if not word.startswith("-")], False
    if "--check" in arguments:
        for name in names or sorted(file.stem for file in WORDS.glob("*.txt")):
            before = frozen(name)
            now = "".join(block(call, next(iter(before))) for call in before)
            for line in unified_diff("".join(before.values()).splitlines(), now.splitlines(),
                                     name, "now", lineterm=""):  # fmt: skip
                print(line)
                differs = True
        return int(differs)
    WORDS.mkdir(exist_ok=True)
    from calls import fresh

    files = fresh()
    for name in names or files:
        calls = list(dict.fromkeys(files[name]))
        text = "".join(block(call, calls[0]) for call in calls)
        (WORDS / f"{name}.txt").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
