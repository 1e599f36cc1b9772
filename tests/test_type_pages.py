"""The page of every type's example with all that it can show, kept as a file each.

``DDCALC_UPDATE_GOLDEN=1 pytest tests/test_type_pages.py`` writes them anew; read the difference.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from questions import TYPES, Kind, command, of_types
from running import ddcalc

FOLDER = Path(__file__).parent / "golden" / "types"


@of_types
def test_page(problem: Kind) -> None:
    call, file = [*command(problem), "--all"], FOLDER / f"{problem.slug}.txt"
    ran = ddcalc(*call)
    page = f"$ ddcalc {shlex.join(call)}\n{ran.out}{ran.err}"
    if os.environ.get("DDCALC_UPDATE_GOLDEN"):
        file.write_text(page, encoding="utf-8")
    assert page == file.read_text(encoding="utf-8")


def test_no_page_is_left_of_a_type_that_is_gone() -> None:
    assert {file.stem for file in FOLDER.iterdir()} == {problem.slug for problem in TYPES}
