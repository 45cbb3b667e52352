"""What is said of libraries that are newer than what was tested."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError

import pytest
from mcpgen import libraries


def _install(monkeypatch: pytest.MonkeyPatch, **versions: str) -> None:
    def find_version(name: str) -> str:
        try:
            return versions[name.replace("-", "_")]
        except KeyError:
            raise PackageNotFoundError(name) from None

    monkeypatch.setattr(libraries, "version", find_version)


@pytest.mark.parametrize("installed", ["24.1.0", "26.3.1", "26.10.0", "26.10.1"])
def test_tested_versions_are_nothing_to_speak_of(installed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _install(monkeypatch, black=installed, datamodel_code_generator="0.53.0")
    assert libraries.list_untested() == []


@pytest.mark.parametrize("installed", ["26.10.2", "26.11.0", "27.1.0rc1", "100.0"])
def test_a_newer_version_is_named_with_what_to_install(installed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _install(monkeypatch, black=installed)
    assert libraries.list_untested() == [
        f"black {installed} is newer than 26.10.1, the newest that mcpgen was tested with: if generated files differ "
        "from those of other machines, install black<=26.10.1"
    ]


def test_what_is_not_installed_is_nothing_to_speak_of(monkeypatch: pytest.MonkeyPatch) -> None:
    _install(monkeypatch)
    assert libraries.list_untested() == []
