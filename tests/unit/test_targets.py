"""The table of SDKs and protocol versions is complete, and the only place that names them."""

from __future__ import annotations

import ast
import importlib
import re
import tomllib
from collections import Counter
from dataclasses import fields
from functools import cache
from importlib import metadata
from importlib.metadata import PackageNotFoundError
from typing import Any, get_args

import pytest
from mcpgen import libraries, paths, targets
from mcpgen_runtime import content, server_binding
from mcpgen_runtime import sdk as library_sdk
from sdk import installed
from support.repository import ROOT

SOURCE = ROOT / "codegen" / "mcpgen"
TEMPLATES = paths.find_shipped_folder("templates")
LIBRARY = paths.find_library_file()

VERSION = re.compile(r"\b20\d\d-\d\d-\d\d\b")
SDK = re.compile(r"fastmcp|dedalus|(?<![\w/.-])mcp1?(?=$|\.(?!json)[a-z]|_types|[<>=~]|\s\d|[\"'])")
"""An SDK's name, module, requirement or generation: not `schemas/mcp`, `mcp-protocol-version`, `mcp.json` or `/mcp`."""
NAMES_WITH_ANOTHER_MEANING = [("introspect/client_config.py", "mcp")]
"""A member of an editor's settings."""
NAMES_OF_HOSTS = ("hosts/table.py", "hosts/conversions.py", "lint/clients.py")
"""Modules for which the clients of SDKs are hosts."""
WORTH_PARSING = re.compile(r"20\d\d-|fastmcp|dedalus|[^\w/.-]mcp1?[^\w-]|mcp_types|\"none\"")
"""Found in the source of every module with a string in which one of those is found."""
CAPABILITIES = [field.name for field in fields(targets.ProtocolVersion) if field.name != "name"]
NONE_WITH_ANOTHER_MEANING = {
    "content/conditions.py": 1,  # a test of Jinja
    "introspect/oauth.py": 1,  # how a client without a secret proves who it is
    "ir/code_settings.py": 1,  # a content strategy
    "render/content_view.py": 3,  # the same content strategy
}
TEXTS_WITH_VERSIONS = {
    "hosts/table.py": 1,  # the version of an API
    "lint/client_rules.py": 1,  # words of a message
    "lint/definition_rules.py": 1,  # words of a message
    "lint/linter.py": 3,  # editions of the specification that rules are taken from
}


# --- the tables ------------------------------------------------------------------------------------------------------
def test_the_types_of_the_settings_list_the_tables() -> None:
    assert get_args(targets.SdkName) == targets.SDK_NAMES, "`SdkName` and the rows of `SDKS` differ"
    assert get_args(targets.ProtocolName) == targets.PROTOCOLS, "`ProtocolName` and `PROTOCOL_VERSIONS` differ"


def test_protocol_versions_sort_like_their_names_and_lose_no_capability() -> None:
    assert list(targets.PROTOCOLS) == sorted(set(targets.PROTOCOLS))
    for older, newer in zip(targets.PROTOCOL_VERSIONS, targets.PROTOCOL_VERSIONS[1:], strict=False):
        for capability in CAPABILITIES:
            assert getattr(older, capability) <= getattr(newer, capability)


def test_capabilities_by_version() -> None:
    assert targets.STRUCTURED_CONTENT_SINCE == "2025-06-18"
    assert targets.ANY_JSON_RESULT_SINCE == targets.NEWEST_PROTOCOL == "2026-07-28"
    assert targets.STATELESS_PROTOCOLS == ("2026-07-28",)
    assert targets.HANDSHAKE_PROTOCOLS == ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
    assert targets.OBJECT_RESULT_PROTOCOLS == ("2025-06-18", "2025-11-25")


@pytest.mark.parametrize("version", targets.PROTOCOLS)
def test_each_version_has_a_shipped_schema(version: str) -> None:
    assert (paths.find_shipped_folder("schemas/mcp") / version / "schema.json").is_file()


def test_the_tests_know_each_sdk_and_where_its_servers_are() -> None:
    rows = {row.name: row for row in installed.ROWS}
    assert rows.keys() == {sdk.name for sdk in targets.SDKS}, "`ROWS` in tests/sdk/installed.py and `SDKS` differ"
    for sdk in targets.SDKS:
        assert f"{rows[sdk.name].server_module}.".startswith(f"{sdk.server_module}.")


@pytest.mark.parametrize("sdk", targets.SDKS, ids=lambda sdk: sdk.name)
def test_the_library_supports_the_same_versions(sdk: targets.Sdk) -> None:
    source = (LIBRARY / "sdk" / sdk.name / "__init__.py").read_text("utf-8")
    (call,) = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and node.keywords]
    stated = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
    distributions = (sdk.distributions[-1], *sdk.installed_as)
    assert stated == {"sdk": sdk.name, "distributions": distributions, "oldest": sdk.oldest, "below": sdk.below}
    project = tomllib.loads((ROOT / "runtime" / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["optional-dependencies"][sdk.name] == [f"{distributions[0]}>={sdk.oldest},<{sdk.below}"]


@pytest.mark.parametrize("name", targets.SDK_NAMES)
def test_the_library_has_the_same_default_protocol(name: str) -> None:
    package: Any = importlib.import_module(f"mcpgen_runtime.sdk.{name}")
    assert package.Package.default_protocol == targets.get_default_protocol(targets.get_sdk(name))


def test_messages_of_the_library_about_servers_know_every_sdk() -> None:
    for sdk in targets.SDKS:
        assert f'"{sdk.name}"' in server_binding._SERVERS[sdk.server_module]
    assert {*server_binding._SERVERS} == {sdk.server_module for sdk in targets.SDKS}
    tops = {module.partition(".")[0] for module in server_binding._SESSION_MODULES}
    assert tops == {sdk.server_module.partition(".")[0] for sdk in targets.SDKS}


def test_an_sdk_is_found_by_its_name() -> None:
    assert targets.get_sdk("none") is None
    assert [targets.get_sdk(sdk.name) for sdk in targets.SDKS] == [*targets.SDKS]
    with pytest.raises(KeyError):
        targets.get_sdk("mcp3")


@pytest.mark.parametrize(
    ("sdk", "protocol"),
    [
        ("none", "2026-07-28"),
        ("mcp", "2026-07-28"),
        ("mcp1", "2025-11-25"),
        ("fastmcp", "2026-07-28"),
        ("fastmcp3", "2025-11-25"),
        ("dedalus", "2025-11-25"),
    ],
)
def test_the_default_protocol_is_the_newest_that_the_sdk_can_carry(sdk: str, protocol: str) -> None:
    assert targets.get_default_protocol(targets.get_sdk(sdk)) == protocol


# --- templates and the run-time library -------------------------------------------------------------------------------
def test_generated_code_knows_every_version() -> None:
    assert content.PROTOCOLS == targets.PROTOCOLS


@pytest.mark.parametrize("capability", [name for name in CAPABILITIES if name != "stateless"])
def test_generated_code_knows_since_when_there_is_a_capability(capability: str) -> None:
    since = next(row.name for row in targets.PROTOCOL_VERSIONS if getattr(row, capability))
    assert getattr(content, f"{capability.upper()}_SINCE") == since


def test_results_outside_of_a_session_have_the_newest_form_that_every_sdk_can_hold() -> None:
    newest = content.NEWEST_OBJECT_RESULT
    assert newest == targets.OBJECT_RESULT_PROTOCOLS[-1]
    assert newest <= min(sdk.generation.newest_protocol for sdk in targets.SDKS)


def _list_lines() -> list[tuple[str, str]]:
    paths = [path for folder in (TEMPLATES, LIBRARY) for path in sorted(folder.rglob("*.*"))]
    sources = [path for path in paths if path.suffix in (".py", ".j2")]
    return [(path.name, line) for path in sources for line in path.read_text("utf-8").splitlines()]


NAMED_IN_CODE = re.compile(
    r"""["']20\d\d-\d\d-\d\d["']|["'](?:mcp1?|mcp_types|fastmcp|dedalus\w*)["'.]"""
    r"|^\s*(?:from|import) (?:mcp|mcp_types|fastmcp|dedalus_mcp)\b"
)
"""A version or an SDK in code, not in prose."""


def test_only_modules_for_sdks_name_a_version_or_an_sdk_in_code() -> None:
    of_sdks = {"content.py", "sdk_types.py", "server_binding.py"}
    modules = [path for path in LIBRARY.rglob("*.py") if path.name not in of_sdks and not path.name.startswith("mcp_")]
    others = [*TEMPLATES.rglob("*.j2"), *(path for path in modules if path.parent in (LIBRARY, LIBRARY / "sdk"))]
    lines = [(path.name, line) for path in others for line in path.read_text("utf-8").splitlines()]
    assert len(lines) > 1000
    assert [(name, line) for name, line in lines if NAMED_IN_CODE.search(line)] == []


def test_they_compare_versions_so_that_later_ones_are_like_the_newest() -> None:
    equal = re.compile(r"""[!=]= *["']20\d\d-\d\d-\d\d["']|["']20\d\d-\d\d-\d\d["'] *[!=]=""")
    assert [(name, line) for name, line in _list_lines() if equal.search(line)] == []


def test_they_name_no_unknown_version() -> None:
    named = {version for _, line in _list_lines() for version in VERSION.findall(line)}
    assert named <= set(targets.PROTOCOLS)


# --- nobody else names an SDK or a version ---------------------------------------------------------------------------
@cache
def _list_strings() -> list[tuple[str, str]]:
    """Return the module and the text of every string constant, docstrings apart."""
    strings: list[tuple[str, str]] = []
    for path in sorted(SOURCE.rglob("*.py")):
        source = path.read_text("utf-8")
        if path.name == "targets.py" or not re.search(
            r"20\d\d-|fastmcp|dedalus|[^\w/.-]mcp1?[^\w-]|mcp_types|\"none\"", source
        ):
            continue
        nodes = [*ast.walk(ast.parse(source))]
        prose = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        texts = [node.value for node in nodes if isinstance(node, ast.Constant) and id(node) not in prose]
        strings += [(path.relative_to(SOURCE).as_posix(), text) for text in texts if isinstance(text, str)]
    return strings


def _find_strings(pattern: re.Pattern[str]) -> list[tuple[str, str]]:
    return [(module, text) for module, text in _list_strings() if pattern.search(text)]


def test_no_other_module_names_a_version() -> None:
    assert Counter(module for module, _ in _find_strings(VERSION)) == TEXTS_WITH_VERSIONS


def test_no_other_module_names_an_sdk() -> None:
    found = [entry for entry in _find_strings(SDK) if entry[0] not in NAMES_OF_HOSTS]
    assert found == NAMES_WITH_ANOTHER_MEANING


def test_no_other_module_says_none_for_the_absence_of_an_sdk() -> None:
    counts = Counter(module for module, _ in _find_strings(re.compile(rf"^{targets.NO_SDK}$")))
    assert counts == NONE_WITH_ANOTHER_MEANING


@pytest.mark.parametrize(
    ("text", "names_sdk"),
    [
        ("mcp", True),
        ("mcp1", True),
        ("mcp.types", True),
        ("mcp_types", True),
        ("pip install 'mcp>=1.24'", True),
        ("mcp 2.x", True),
        ('such as `sdk = "mcp"`', True),
        ("x-fastmcp-wrap-result", True),
        ("dedalus_mcp", True),
        ("schemas/mcp", False),
        ("--from mcp.json", False),
        ("mcp-protocol-version", False),
        ("the MCP schemas", False),
        ("mcpgen", False),
    ],
)
def test_the_search_for_names_of_sdks(text: str, names_sdk: bool) -> None:
    assert bool(SDK.search(text)) is names_sdk


# --- what is said of libraries that are newer than what was tested ----------------------------------------------------
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
    monkeypatch.setattr(metadata, "version", lambda name: version)
    requirement = library_sdk.SdkRequirement("mcp", ("mcp",), "2.1", "3")
    if expected:
        requirement.check_version()
    else:
        with pytest.raises(library_sdk.WrongSdk):
            requirement.check_version()
