"""Definitions and schemas are checked, and likely mistakes are warned about."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from mcpgen.diagnostics import Findings
from mcpgen.lint.mistakes import MAX_REPORTED
from mcpgen.read.validation import MemberChecker, check_patterns, check_schema, load_builtin_protocol
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from mcpgen.schema.values import Json
from mcpgen.targets import PROTOCOLS
from support.documents import OBJECT, list_messages, make_site, read_folder, write_files

CHECKER = MemberChecker(load_builtin_protocol(PROTOCOLS[-1]))


def check(folder: Path, schema: Any) -> tuple[str | None, Findings]:
    findings = Findings()
    return check_schema(schema, make_site(folder, schema).document, "", DRAFT_2020_12, findings), findings


def test_members_are_checked_against_the_protocol(tmp_path: Path) -> None:
    findings = Findings()
    valid: Any = {"name": "a", "inputSchema": {"type": "object"}, "x-other": 1}
    assert CHECKER.check("Tool", valid, make_site(tmp_path, valid).document, "", findings)
    assert not list(findings)
    wrong: Any = {"name": 1, "inputSchema": {"type": "object"}, "descripton": "x"}
    assert not CHECKER.check("Tool", wrong, make_site(tmp_path, wrong).document, "", findings)
    assert [(finding.code, finding.help) for finding in findings] == [
        ("MG005", 'did you mean "description"?'),
        ("MG004", "write a string here"),
    ]


KINDS = ("Tool", "Resource", "ResourceTemplate", "Prompt")
MEMBERS = {
    kind: {
        member
        for protocol in map(load_builtin_protocol, PROTOCOLS)
        for member in cast(Any, protocol[kind])["properties"]
    }
    for kind in KINDS
}
"""The members that any version of MCP defines."""


@pytest.mark.parametrize("kind", KINDS)
def test_members_of_no_version_of_mcp_are_warned_about(tmp_path: Path, kind: str) -> None:
    value: Any = dict.fromkeys([*MEMBERS[kind], "x-own", "$schema", "$defs", "components", "strict"])
    findings = Findings()
    CHECKER.warn_about_foreign_members(kind, value, make_site(tmp_path, value).document, "", findings)
    assert list_messages(findings) == [
        ("MG005", f'MCP defines no member "{member}" of a {kind}') for member in ("components", "strict")
    ]


@pytest.mark.parametrize("folder", ["schemas", "schemas/pulled"])
@pytest.mark.parametrize(
    ("member", "key", "value"),
    [
        ("tools", "inputSchema", OBJECT),
        ("resources", "uri", "a://b"),
        ("resourceTemplates", "uriTemplate", "a://{b}"),
        ("prompts", "title", "A"),
    ],
)
def test_only_the_users_own_definitions_are_warned_about(
    tmp_path: Path, folder: str, member: str, key: str, value: Json
) -> None:
    write_files(tmp_path, {f"{folder}/all.json": {member: [{"name": "a", key: value, "components": {}}]}})
    _, findings = read_folder(tmp_path)
    warned = [finding.span.pointer for finding in findings if finding.code == "MG005" and finding.span is not None]
    assert warned == ([f"/{member}/0/components"] if folder == "schemas" else [])
    assert not findings.failed


def test_a_schema_has_a_dialect(tmp_path: Path) -> None:
    assert check(tmp_path, {})[0] == DRAFT_2020_12
    assert check(tmp_path, {"$schema": DRAFT_07 + "#"})[0] == DRAFT_07
    for spelling in ("https://json-schema.org/draft-07/schema", "https://json-schema.org/draft-06/schema#"):
        assert check(tmp_path, {"$schema": spelling, "items": [{}]})[0] == DRAFT_07
    same = {"$schema": "https://json-schema.org/draft/2019-09/schema", "items": {}}
    assert check(tmp_path, same)[0] == DRAFT_2020_12
    dialect, findings = check(tmp_path, {**same, "items": [{}], "additionalItems": False})
    assert dialect is None
    assert {finding.code for finding in findings} == {"MG102"}


@pytest.mark.parametrize(
    ("schema", "code", "pointer", "help"),
    [
        ({"type": "strnig"}, "MG101", "/type", 'did you mean "string"?'),
        ({"type": ["string", "nul"]}, "MG101", "/type", 'did you mean "null"?'),
        ({"required": True}, "MG101", "/required", "list the property's name in its object's required"),
        ({"items": {"minLenght": 1}}, "MG105", "/items/minLenght", 'did you mean "minLength"?'),
        (
            {"properties": {"size": {}}, "required": ["sise"], "additionalProperties": False},
            "MG106",
            "/required/0",
            'did you mean "size"?',
        ),
    ],
)
def test_mistakes_are_located_with_a_help(tmp_path: Path, schema: Any, code: str, pointer: str, help: str) -> None:
    (finding,) = check(tmp_path, schema)[1]
    assert finding.span is not None
    assert (finding.code, finding.span.pointer) == (code, pointer)
    assert finding.help.startswith(help)


def test_many_undeclared_names_are_counted(tmp_path: Path) -> None:
    names = [f"name{number}" for number in range(MAX_REPORTED + 3)]
    _, findings = check(tmp_path, {"required": names, "additionalProperties": False})
    assert len(findings) == MAX_REPORTED + 1
    assert list_messages(findings)[-1][1].startswith(f'"name{MAX_REPORTED}" and 2 more are required')


@pytest.mark.parametrize(
    ("pattern", "is_valid", "codes"),
    [("^a+$", True, []), ("(", False, ["MG101"]), ("(?=a)b", True, ["MG110"]), (r"(a)\1", True, ["MG110"])],
)
def test_patterns_are_checked(tmp_path: Path, pattern: str, is_valid: bool, codes: list[str]) -> None:
    schema: Any = {"properties": {"a": {"pattern": pattern}}}
    findings = Findings()
    document = make_site(tmp_path, schema).document
    assert check_patterns(schema, DRAFT_2020_12, document, "", findings) == is_valid
    assert [finding.code for finding in findings] == codes
