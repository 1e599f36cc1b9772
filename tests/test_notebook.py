"""A real notebook, run by a real kernel: what it shows of each kind of result."""

from __future__ import annotations

from typing import Any

import pytest

nbclient = pytest.importorskip("nbclient")  # with IPython and a kernel: too much for the extra test
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")

GIVEN = 'size="1GB", latency="1ms", bandwidth="1GB/s"'
CELLS = {
    "import ddcalc": [],
    f'ddcalc.solve("transfer", {GIVEN})': ["Answer", "<math>"],
    f'ddcalc.sensitivity("transfer", {GIVEN})': ["<svg "],
    'ddcalc.sweep("transfer", vary={"size": "1MB..1TB:x10"}, latency="1ms", bandwidth="1GB/s")': [
        "<svg ",
        "smallest time = 2 ms",
    ],
    f'ddcalc.compare(ddcalc.solve("transfer", {GIVEN}), {{"latency": "2ms"}})': ["<table>"],
    f'ddcalc.mark("transfer", answers={{"time": "1 s"}}, {GIVEN})': ["<table>"],
    'ddcalc.solve("timeline", periods=["1 s", "2 s"], horizon="4 s")': ["<svg"],
}


@pytest.mark.filterwarnings("ignore")  # of what runs kernels
def test_a_notebook_shows_pages_with_pictures() -> None:
    notebook = nbformat.v4.new_notebook(cells=[*map(nbformat.v4.new_code_cell, CELLS)])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    for cell, wanted in zip(notebook.cells, CELLS.values(), strict=True):
        assert not any(output.output_type == "error" for output in cell.outputs)
        shown: dict[str, Any] = cell.outputs[0].data if cell.outputs else {}
        for words in wanted:
            assert words in shown["text/html"], cell.source
        if wanted:
            assert len(shown["text/plain"].splitlines()) == 1
            assert shown["text/markdown"].count("|") > 4
