"""The wheel contains what the package needs, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_wheel(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "-w", str(tmp_path), str(ROOT)], check=True, capture_output=True)
    [wheel] = tmp_path.glob("ddcalc-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    packages = [ROOT / "ddcalc", ROOT / "ddcalc_experiment"]
    modules = {str(path.relative_to(ROOT)) for one in packages for path in one.rglob("*.py")}
    assert modules <= names
    data = {
        f"ddcalc/{name}" for name in ("py.typed", "render/markup/page.css", "render/words.toml")
    }
    data |= {f"ddcalc/problem/{name}.toml" for name in ("synonyms", "terms")}
    data |= {str(path.relative_to(ROOT)) for path in (ROOT / "ddcalc").rglob("topics/*.md")}
    data |= {str(path.relative_to(ROOT)) for one in packages for path in one.rglob("*.sheet")}
    data |= {str(path.relative_to(ROOT)) for path in (ROOT / "ddcalc").rglob("presets/*.toml")}
    data.add("ddcalc/problem/sheet/sheet.tmLanguage.json")
    others = {name for name in names - modules if ".dist-info/" not in name}
    assert others == data
