"""Hostile files that are too large or too odd to be kept as text: made when they are needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from harness import AFTER, AFTER_LINE, BEFORE, GOOD_LINE, HEAD, Case, Wanted

PLAIN = "finish: [1 s], aggregate: 1 s, update: 1 s"
BOTH = ("before", "after")
# where in a problem of step() its first finish, its aggregate, and one more parameter stand
FINISH, AGGREGATE, MORE = 45, 62, 80


def step(**given: str) -> str:
    """A sync-step problem as an element of a list, some of its givens replaced."""
    texts = {"finish": "[1 s]", "aggregate": "1 s", "update": "1 s", **given}
    inside = ", ".join(f"{name}: {text}" for name, text in texts.items())
    return f"- {{id: x, type: sync-step, given: {{{inside}}}}}\n"


def between(
    name: str, body: str, *wanted: Wanted, more: bool = False, solved: tuple[str, ...] = ()
) -> Case:
    """*body* between two good problems, which are solved."""
    return Case(
        name,
        (HEAD + BEFORE + body + AFTER).encode(),
        wanted,
        (*BOTH, *solved),
        2 if wanted else 0,
        more,
    )


def lost(name: str, body: str, *wanted: Wanted) -> Case:
    """*body* between two good problems, of which it costs the second one."""
    return Case(name, (HEAD + BEFORE + body + AFTER).encode(), wanted, ("before",), more=True)


def broken(name: str, content: bytes, line: int, column: int | None, says: str) -> Case:
    """A good problem, and what ends the file."""
    return Case(name, content, (Wanted("file", line, column, says),), ("before",))


def nested(depth: int) -> str:
    return "[" * depth + "1 s" + "]" * depth


def numbers() -> Iterator[Case]:
    """Texts of numbers at the limits of their length; the others are in ``test_number.py``."""

    def refused(name: str, text: str, says: str, kind: str = "number") -> Case:
        body = step(finish="[1 s]", update="1 s", aggregate=text)
        column = body.index("aggregate") + len("aggregate: ") + 1
        return between(name, body, Wanted(kind, 3, column, says))

    def solved(name: str, text: str) -> Case:
        return between(name, step(aggregate=text), solved=("x",))

    yield solved("200 characters", "1 + " * 49 + "1 *1")
    yield refused("201 characters", "1 + " * 49 + "1 * 1", "200 characters")
    yield refused("4 097 digits", "9" * 4097, "characters in one value", "limit")
    yield refused("a million digits", "9" * 1_000_000, "characters in one value", "limit")
    yield refused("a million brackets in quotes", f"'{'(' * 1_000_000}'", "characters", "limit")
    yield refused("a tower of 4 000 characters", "**".join(["9"] * 1300), "200 characters")
    yield refused("a digit, a thousand spaces, a digit", f'"1{" " * 1000}1"', "200 characters")


def lists() -> Iterator[Case]:
    """Long lists, deep ones, many events."""
    long = ", ".join(["1 s"] * 9_999)
    yield between("10 000 elements", step(finish=f"[{long}, 2 s]"), solved=("x",))
    yield between(
        "10 001 elements",
        step(finish=f"[{long}, 2 s, 3 s]"),
        Wanted("limit", 3, FINISH + len(long) + 7, "10000 elements"),
    )
    yield between(
        "190 000 elements",
        step(finish=f"[{','.join('1' * 190_000)}]"),
        Wanted("limit", 3, FINISH + 20_000, "10000 elements"),
        more=True,
    )
    shares = ", ".join(["7"] * 10_000)
    federated = (
        "- {id: x, type: federated, given: {batch: 1, download: 1, upload: 1, %s: [%s], %s}}\n"
    )
    speeds = ", ".join(f"{i} s" for i in range(10_000))
    yield between("10 000 shares", federated % ("shares", shares, "compute: 1"), solved=("x",))
    yield between("10 000 speeds", federated % ("compute", speeds, "samples: 10000"), solved=("x",))
    yield between(
        "9 900 wrong units",
        step(finish=f"[{', '.join(['1 sx'] * 9_900)}]"),
        Wanted("unit", 3, FINISH, "unknown unit 'sx'"),
        more=True,
    )
    keys = ", ".join(f"k{i}: 1" for i in range(9_000))
    yield between(
        "9 000 unknown parameters",
        step(aggregate=f"1 s, {keys}"),
        Wanted("unknown", 3, AGGREGATE + 5, "unknown parameter 'k0'"),
        more=True,
    )


def depths() -> Iterator[Case]:
    """Nesting at the limit, above it, and where the file is given up."""
    deep = Wanted("limit", 3, FINISH + 17, "nested more than 20 deep")
    plain = Wanted("sheet", 3, FINISH, "plain values")
    yield between("nested 20 deep", step(finish=nested(18)), plain)
    yield between("nested 21 deep", step(finish=nested(19)), deep, more=True)
    yield between("nested 900 deep", step(finish=nested(900)), deep, more=True)
    for depth, text in {
        "lists": "[" * 10_000,
        "closed lists": nested(10_000),
        "mappings": "{a: " * 10_000,
        "million lists": "[" * 500_000,
    }.items():
        yield lost(f"nested 10 000 deep: {depth}", step(finish=text))
    indented = "".join(f"{' ' * (i + 2)}a:\n" for i in range(2_000))
    yield lost("block mappings 2 000 deep", f"- id: x\n{indented}")
    yield lost("block lists 10 000 deep", "- " * 10_000 + "1\n")


def events() -> Iterator[Case]:
    """Problems of 20 000 events and more; a scalar is one, a mapping or list two."""

    def keys(count: int) -> str:
        # id, type: 4 scalars, the mapping 2, given 1 and its mapping 2: 9 events without the keys
        inside = ", ".join(f"k{i}: 1" for i in range(count))
        return f"- {{id: x, type: sync-step, given: {{{inside}}}}}\n"

    yield between(
        "19 999 events", keys(9_995), Wanted("unknown", 3, 36, "unknown parameter 'k0'"), more=True
    )
    yield between(
        "20 001 events",
        keys(9_996),
        Wanted("limit", 3, 3, "more than 20000 YAML events"),
        more=True,
    )
    yield lost("220 000 events in one problem", keys(120_000))
    bomb = "a0: &a0 [x, x]\n" + "".join(
        f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 40)
    )
    yield Case(
        "a billion laughs", bomb.encode(), (Wanted("sheet", 1, 5, "anchor '&a0'"),), more=True
    )
    merges = "x0: &x0 {a: 1}\n" + "".join(
        f"x{i}: &x{i} {{<<: [*x{i - 1}, *x{i - 1}]}}\n" for i in range(1, 30)
    )
    yield Case(
        "merge keys of merge keys", merges.encode(), (Wanted("sheet", 1, 5, "anchor"),), more=True
    )
    given = ", ".join([f"<<: *d{i}" for i in range(50)])
    yield between(
        "fifty merge keys",
        f"- {{id: x, given: {{{given}}}}}\n",
        Wanted("sheet", 3, 19, "merge key"),
        more=True,
    )


def texts() -> Iterator[Case]:
    """Long scalars and comments."""
    title = "- {id: x, type: sync-step, title: %s, given: {" + PLAIN + "}}\n"
    yield between("a title of 4 096 characters", title % ("t" * 4096), solved=("x",))
    yield between(
        "a title of 4 097 characters",
        title % ("t" * 4097),
        Wanted("limit", 3, 35, "4097 characters in one value; 4096 are allowed"),
    )
    yield between("a title of 500 combining marks", title % ("e" + "\u0301" * 500), solved=("x",))
    yield between(
        "a key of 900 characters",
        step(**{"k" * 900: "1"}),
        Wanted("unknown", 3, MORE, "unknown parameter"),
    )
    key = step(**{"k" * 5000: "1"})  # YAML itself allows 1 024 characters
    yield lost("a key of 5 000 characters", key, Wanted("file", 3, 5080, "not valid YAML"))
    key = step(**{f"? {'k' * 5000} ": "1"})
    yield between(
        "an explicit key of 5 000 characters",
        key,
        Wanted("limit", 3, MORE + 2, "5000 characters"),
        more=True,
    )
    yield between("a comment of 900 kB", f"# {'c' * 900_000}\n")
    for name, text in {
        "a comment of 3 MB": f"# {'c' * 3_000_000}\n",
        "3 MB of comments": f"# {'c' * 100}\n" * 30_000,
        "a text of 3 MB": step(aggregate="9" * 3_000_000),
        "an open quote and 3 MB": f'- "{"q" * 3_000_000}\n',
        "3 MB of spaces": f"-{' ' * 3_000_000}\n",
        "3 MB of line breaks": "\n" * 3_000_000,
    }.items():
        # a further problem in between: the parser looks one token ahead
        yield lost(name, step() + text)


def encodings() -> Iterator[Case]:
    """Bytes that are no clean UTF-8, after a good problem."""
    good = (HEAD + BEFORE).encode()
    line, column = 3, 15
    for name, odd, says in (
        ("NUL", b"\0", "U+0000"),
        ("a bell", b"\a", "U+0007"),
        ("escape", b"\x1b[31m", "U+001B"),
        ("a form feed", b"\f", "U+000C"),
        ("DEL", b"\x7f", "U+007F"),
        ("NEL", "\x85".encode(), "U+0085"),
        ("C1", "\x9b".encode(), "U+009B"),
        ("a line separator", "\u2028".encode(), "U+2028"),
        ("a paragraph separator", "\u2029".encode(), "U+2029"),
        ("an inner byte order mark", "\ufeff".encode(), "U+FEFF"),
        ("a non-character", "\uffff".encode(), "U+FFFF"),
        ("a lone surrogate", b"\xed\xa0\x80", "0xed"),
        ("Latin-1", b"\xe9", "0xe9"),
        ("a lone continuation", b"\x80", "0x80"),
        ("an overlong slash", b"\xc0\xaf", "0xc0"),
        ("five bytes", b"\xf8\x88\x80\x80\x80", "0xf8"),
        ("beyond Unicode", b"\xf4\x90\x80\x80", "0xf4"),
        ("half a character at the end", b"\xe2\x82", "0xe2"),
        ("0xff", b"\xff", "0xff"),
    ):
        content = good + b"- {id: x, t: '" + odd + (b"" if "at the end" in name else b"'}\n")
        yield broken(f"bytes: {name}", content, line, column, says)
    text = HEAD + BEFORE
    for name in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"):
        column = 2 if name.endswith("-le") else 1
        yield Case(name, text.encode(name), (Wanted("file", 1, column, "as UTF-8"),))
    yield Case("UTF-7", b"+AHA-roblems:\n", (), more=True)
    yield Case("NULs only", b"\0" * 4096, (Wanted("file", 1, 1, "U+0000"),))
    yield Case("gzip", b"\x1f\x8b\x08\x00" + bytes(range(256)), (Wanted("file", 1, 1, ""),))
    yield Case("all bytes", bytes(range(256)), (Wanted("file", 1, 1, "U+0000"),))
    yield Case(
        "two byte order marks", "\ufeff\ufeffa".encode(), (Wanted("file", 1, 1, "very start"),)
    )
    yield Case(
        "only a byte order mark", b"\xef\xbb\xbf", (Wanted("sheet", None, None, "is empty"),)
    )
    yield Case("only line breaks", b"\n\r\n\r", (Wanted("sheet", None, None, "is empty"),))
    yield Case("only spaces", b"   ", (Wanted("sheet", None, None, "is empty"),))
    yield Case("a byte order mark", "\ufeff".encode() + text.encode(), (), ("before",), 0)
    yield Case("CR LF", text.replace("\n", "\r\n").encode(), (), ("before",), 0)
    yield Case("CR", text.replace("\n", "\r").encode(), (), ("before",), 0)
    yield Case("no line break at the end", text.rstrip("\n").encode(), (), ("before",), 0)
    late = text.replace("\n", "\r\n").encode() + b"- {id: \x1b}\r\n"
    yield broken("a control after CR LF", late, 3, 8, "U+001B")


def many() -> Iterator[Case]:
    """Many errors: fifty are written out, the rest is counted (see check)."""
    for count in (50, 51, 500):
        keys = ", ".join(f"k{i}: 1" for i in range(count))
        yield between(
            f"{count} errors in a problem",
            step(aggregate=f"1 s, {keys}"),
            Wanted("unknown", 3, AGGREGATE + 5, "'k0'"),
            more=True,
        )
    wrong = "".join(
        step().replace("id: x", f"id: w{i}").replace("[1 s]", "yes") for i in range(300)
    )
    yield between("300 wrong problems", wrong, Wanted("number", 3, FINISH, "is a word"), more=True)


def lines() -> Iterator[Case]:
    """Lines of ndjson at their limits."""

    def ndjson(name: str, line: str, *wanted: Wanted, solved: tuple[str, ...] = ()) -> Case:
        text = f"{GOOD_LINE}\n{line}\n{AFTER_LINE}\n"
        return Case(
            name,
            text.encode(),
            wanted,
            (*BOTH, *solved),
            2 if wanted else 0,
            bool(wanted),
            ".ndjson",
        )

    whole = GOOD_LINE.replace("before", "x")
    yield ndjson(
        "a line of 1 MiB", whole[:-1] + " " * ((1 << 20) - len(whole)) + "}", solved=("x",)
    )
    yield ndjson(
        "a line of 1 MiB and one",
        whole[:-1] + " " * ((1 << 20) + 1 - len(whole)) + "}",
        Wanted("limit", 2, None, "characters in one line"),
    )
    yield ndjson(
        "a line of 5 MB", '{"id": "' + "x" * 5_000_000, Wanted("limit", 2, None, "one line")
    )
    brackets = (
        '{"id": "x", "type": "sync-step", "given": {"finish": ' + "[" * 5_000 + "]" * 5_000 + "}}"
    )
    yield Case(
        "a line nested 5 000 deep",
        f"{GOOD_LINE}\n{brackets}\n{AFTER_LINE}\n".encode(),
        (),
        BOTH,
        2,
        True,
        ".ndjson",
    )
    digits = whole.replace('"update": 1', f'"update": {"9" * 5000}')
    yield ndjson(
        "a number of 5 000 digits",
        digits,
        Wanted("limit", 2, digits.index("999") + 1, "characters"),
    )
    yield ndjson(
        "a number of 4 000 digits",
        whole.replace('"update": 1', f'"update": {"9" * 4000}'),
        Wanted("number", 2, digits.index("999") + 1, "200 characters"),
    )
    yield Case(
        "an odd byte in a line",
        f"{GOOD_LINE}\n".encode() + b'{"id": "\xff"}\n',
        (Wanted("file", 2, 9, "0xff"),),
        ("before",),
        2,
        False,
        ".ndjson",
    )


GROUPS: tuple[Callable[[], Iterator[Case]], ...] = (
    numbers, lists, depths, events, texts, encodings, many, lines,
)  # fmt: skip


def made() -> list[Case]:
    """All of them."""
    return [case for group in GROUPS for case in group()]
