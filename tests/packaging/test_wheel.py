"""The wheel, built through an sdist, in an environment of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.packages import tool
from support.repository import ROOT


def _run(*command: str, cwd: Path) -> str:
    run = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout + run.stderr


@pytest.mark.slow
def test_a_wheel_built_through_an_sdist_builds_a_package(tmp_path: Path) -> None:
    _run(sys.executable, "-m", "build", "--outdir", str(tmp_path / "dist"), str(ROOT), cwd=tmp_path)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    assert len(list((tmp_path / "dist").glob("*.tar.gz"))) == 1
    _run(sys.executable, "-m", "venv", str(tmp_path / "venv"), cwd=tmp_path)
    python = tmp_path / "venv" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    _run(str(python), "-m", "pip", "install", "-q", str(wheel), cwd=tmp_path)
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "a.json").write_text(json.dumps(tool("a", {"type": "array"})), "utf-8")
    run = _run(str(python.with_name("mcpgen")), "build", "schemas/", cwd=tmp_path)
    assert "generated: 1 tool" in run
    printed = _run(
        str(python), "-c", "import generated; print(generated.AResult([1]).to_wire()['content'])", cwd=tmp_path
    )
    assert json.loads(printed.replace("'", '"')) == [{"type": "text", "text": "[1]"}]


def test_help_needs_no_heavy_import() -> None:
    """`mcpgen --help` must answer at once: none of the libraries that take their time may be imported."""
    code = (
        "import sys; sys.argv = ['mcpgen', '--help']\n"
        "from mcpgen.cli import app\n"
        "try: app()\n"
        "except SystemExit: pass\n"
        "heavy = {'pydantic', 'black', 'datamodel_code_generator', 'jinja2', 'jsonschema_rs', 'ruamel', 'rich'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    run = _run(sys.executable, "-c", code, cwd=ROOT)
    assert run.rstrip().endswith("[]"), run
