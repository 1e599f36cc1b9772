"""A real editor server (yaml-language-server): what it underlines, shows and offers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from running import ddcalc

from ddcalc.problem.catalog import catalog, other_names

SERVER = shutil.which("yaml-language-server")
TEXT = """# yaml-language-server: $schema=.ddcalc.schema.json
problems:
  - id: a
    type: transfer
    given: {size: 1 GB, latency: 1.5 secnd}
    expect: {totl: 3}
  - id: b
    type: 
"""
SETTINGS = {"validate": True, "hover": True, "completion": True}
Message = dict[str, Any]


class Editor:
    """A file open in the server."""

    def __init__(self, folder: Path, text: str) -> None:
        assert SERVER
        (folder / "a.yaml").write_text(text)
        self.uri = (folder / "a.yaml").as_uri()
        self.server = subprocess.Popen(
            [SERVER, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.asked = 0
        client = {"workspace": {"configuration": True}, "textDocument": {"hover": {}}}
        about = {"processId": os.getpid(), "rootUri": folder.as_uri(), "capabilities": client}
        self.ask("initialize", about)
        self.send(method="initialized", params={})
        document = {"uri": self.uri, "languageId": "yaml", "version": 1, "text": text}
        self.send(method="textDocument/didOpen", params={"textDocument": document})

    def send(self, **message: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.server.stdin
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.server.stdin.flush()

    def received(self) -> Message:
        assert self.server.stdout
        size = 0
        while line := self.server.stdout.readline().strip():
            name, _, value = line.partition(b":")
            size = int(value) if name.lower() == b"content-length" else size
        message: Message = json.loads(self.server.stdout.read(size))
        return message

    def until(self, wanted: Callable[[Message], bool]) -> Message:
        """The next message that is *wanted*; what the server asks is answered."""
        while True:
            message = self.received()
            if wanted(message):
                return message
            if "id" in message and "method" in message:
                items = (message.get("params") or {}).get("items", [])
                answers = [SETTINGS if one.get("section") == "yaml" else None for one in items]
                self.send(id=message["id"], result=answers)

    def ask(self, method: str, params: Message) -> Any:
        self.asked += 1
        self.send(id=self.asked, method=method, params=params)
        return self.until(lambda one: one.get("id") == self.asked and "method" not in one)["result"]

    def at(self, method: str, line: int, character: int) -> Any:
        place = {"line": line, "character": character}
        return self.ask(method, {"textDocument": {"uri": self.uri}, "position": place})


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Editor]:
    (tmp_path / ".ddcalc.schema.json").write_text(ddcalc("schema").out)
    opened = Editor(tmp_path, TEXT)
    yield opened
    opened.server.kill()
    opened.server.communicate()


@pytest.mark.skipif(SERVER is None, reason="no yaml-language-server (npm)")
def test_a_real_editor_server(editor: Editor) -> None:
    published = editor.until(lambda one: one.get("method") == "textDocument/publishDiagnostics")
    wrong = [
        (one["range"]["start"]["line"], one["message"])
        for one in published["params"]["diagnostics"]
    ]
    assert (4, "not a time: write a unit such as s, ms, min or h") in wrong
    assert (5, "Property totl is not allowed.") in wrong
    assert (4, 'Missing property "bandwidth".') in wrong
    for line, character, says in (
        (1, 3, "questions to solve"),
        (2, 5, "a name, once in a file"),
        (3, 12, "How long does it take to send a message?"),
        (4, 6, "what the question states"),
        (4, 14, "size of the data"),
    ):
        shown = json.dumps(editor.at("textDocument/hover", line, character))
        assert says in shown
        assert "Allowed Values" not in shown
    offered = editor.at("textDocument/completion", 7, 10)["items"]
    assert [one["label"] for one in offered] == [*catalog(), *other_names()]
    assert all(one["documentation"] for one in offered)
