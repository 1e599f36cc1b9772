"""Web pages: complete, well formed, without scripts, and safe for what users write."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest
from pages import section, solved
from running import ddcalc

from ddcalc.boundary.cleaning import html as escaped
from ddcalc.render.markup import html

HOSTILE = "\"'><script>alert(1)</script><img src=x onerror=y> & &amp; \x1b[31m\u202e javascript:x"

TRANSFER = ["--size", "1GB", "--latency", "1ms", "--bandwidth", "1GB/s"]


def test_a_page_stands_alone() -> None:
    page = section(html, solved("epoch-time"), title=HOSTILE).join(html.frame(HOSTILE))
    assert "default-src 'none'; style-src 'unsafe-inline'" in page
    assert '<html lang="en">' in page
    assert "prefers-color-scheme: dark" in page
    assert f"<title>{escaped(HOSTILE)}</title>" in page
    body = page[page.index("<body>") :]
    names = set(re.findall(r"<(\w+)", page))
    assert not names & {"script", "a", "img", "link", "iframe", "object", "form", "base"}
    assert not re.search(r"<[^>]*\s(?:on\w+|href|src)\s*=", body)
    assert "\x1b" not in page
    assert "\u202e" not in page


def test_schedules_are_pictures_with_a_table() -> None:
    pytest.importorskip("matplotlib")
    drawn = section(html, solved("divergence"))
    root = ET.fromstring(drawn.replace("<wbr>", "<wbr/>"))
    assert len(root.findall("div[@class='picture']/{*}svg[@role='img']")) == 1
    (table,) = root.findall("details/table")
    assert len(table.findall("tbody/tr")) > 5


@pytest.mark.parametrize(
    ("call", "title"),
    [
        (["transfer", *TRANSFER], "How long does it take to send a message?"),
        (["sensitivity", "transfer", *TRANSFER], "What moves T: "),
        (["sweep", "transfer", *TRANSFER[:2], "--vary", "latency=1ms,2ms", *TRANSFER[4:]], "How "),
        (["solve", "problems/exam.yaml"], "problems/exam.yaml"),
        (["show", "transfer"], "How long does it take to send a message?"),
        (["explain", "straggler"], "straggler"),
    ],
)
def test_a_page_is_called_as_its_question(call: list[str], title: str) -> None:
    page = ddcalc(*call, "--format", "html").out
    assert re.findall("<title>(.*)</title>\n<style>", page)[0].startswith(title)
