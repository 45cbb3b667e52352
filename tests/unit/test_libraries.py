"""What is said of libraries that are newer than what was tested."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError

import pytest
from mcpgen import libraries
from mcpgen.schema.shipped_code import load_runtime_module


def _install(monkeypatch: pytest.MonkeyPatch, **versions: str) -> None:
    def find_version(name: str) -> str:
        try:
            return versions[name.replace("-", "_")]
        except KeyError:
            raise PackageNotFoundError(name) from None

    monkeypatch.setattr(libraries, "version", find_version)


@pytest.mark.parametrize(
    "installed", ["24.1.0", "26.3.1", "26.10.0", "26.10.1", "26.10.1.post1", "26.10.1+local.1", "unknown"]
)
def test_tested_versions_are_nothing_to_speak_of(installed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _install(monkeypatch, black=installed, datamodel_code_generator="0.53.0")
    assert libraries.list_untested() == []


@pytest.mark.parametrize("installed", ["26.10.1.1", "26.10.2", "26.11.0", "27.1.0rc1", "100.0"])
def test_a_newer_version_is_named_with_what_to_install(installed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _install(monkeypatch, black=installed)
    assert libraries.list_untested() == [
        f"black {installed} is newer than 26.10.1, the newest that mcpgen was tested with: if generated files differ "
        "from those of other machines, install black<=26.10.1"
    ]


def test_what_is_not_installed_is_nothing_to_speak_of(monkeypatch: pytest.MonkeyPatch) -> None:
    _install(monkeypatch)
    assert libraries.list_untested() == []


VERSIONS = [
    ("2.1", True),
    ("2.1.0", True),
    ("2.1rc1", True),
    ("2.1.post1", True),
    ("2.99+local", True),
    ("2.0.9.post1", False),
    ("3", False),
    ("3.0.dev0", False),
    ("3.0a1", False),
    ("", False),
    ("unknown", False),
]


@pytest.mark.parametrize(("version", "expected"), VERSIONS)
def test_mcpgen_and_generated_code_support_the_same_versions(
    version: str, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert libraries.is_release_between(version, "2.1", "3") == expected
    module = load_runtime_module("sdk_versions")
    monkeypatch.setattr(module, "version", lambda name: version)
    requirement = module.SdkRequirement("mcp", ("mcp",), "2.1", "3")
    if expected:
        requirement.check_version()
    else:
        with pytest.raises(module.WrongSdk):
            requirement.check_version()
