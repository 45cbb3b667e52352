"""Validation of listings."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.config.models import PackageSettings
from mcpgen.diagnostics import Findings, Span
from mcpgen.introspect.session import ServerListing
from mcpgen.introspect.validation import is_excluded, validate_listing
from support.listings import LIMITS
from support.packages import tool


def test_resources_are_sorted_and_two_of_a_name_are_told_of() -> None:
    uris = ["b://", "a://"]
    findings = Findings()
    lists: Any = {"tools": [], "resources": [{"name": "n", "uri": uri} for uri in uris]}
    listing = validate_listing(ServerListing("2025-11-25", lists), (), LIMITS, Span("server"), findings)
    assert listing is not None
    assert [resource["uri"] for resource in listing.lists["resources"]] == sorted(uris)
    assert [item.code for item in findings] == ["MG711"]
    assert not findings.failed


@pytest.mark.parametrize(
    ("limits", "schema"),
    [({"depth": 20}, {"not": {"not": {"not": {"not": {"not": {"not": {"not": {"not": {"not": {}}}}}}}}}}),
     ({"values": 20}, {"required": [str(number) for number in range(30)]})],
)  # fmt: skip
def test_limits(limits: Any, schema: Any) -> None:
    for _ in range(4):
        schema = {"not": {"not": schema}}
    settings = PackageSettings.model_validate({"limits": limits})
    answer = ServerListing("2025-11-25", {"tools": [tool("a", {"type": "object", **schema})]})
    findings = Findings()
    assert validate_listing(answer, (), settings.limits, Span("server"), findings) is None
    assert [item.code for item in findings] == ["MG712"]


def validate(tools: list[Any], *exclude: str) -> tuple[Any, list[str]]:
    findings = Findings()
    listing = ServerListing("2025-11-25", {"tools": tools})
    definitions = validate_listing(listing, exclude, LIMITS, Span("server"), findings)
    return definitions, [finding.message for finding in findings]


def test_members_that_mcp_does_not_define_are_no_errors() -> None:
    value = {**tool("a"), "annotations": {"readonlyHint": True}, "components": {}}
    definitions, messages = validate([value])
    assert definitions.tools == [value]
    assert messages == []


def test_what_is_not_valid_is_left_out_with_a_warning_unless_it_is_excluded() -> None:
    wrong: Any = {**tool("c"), "annotations": {"title": 5}, "title": None, "outputSchema": None}
    definitions, messages = validate([{"name": "a"}, 5, tool("b"), wrong, {"inputSchema": {"type": "object"}}])
    assert definitions.tools == [tool("a"), tool("b"), tool("c")]
    assert messages == [
        'the Tool "a" is not valid: "inputSchema" is a required property; its arguments are not typed',
        "number 2 of the tools is not an object; it is left out",
        'the Tool "c" is not valid at /annotations/title: 5 is not of type "string"; its "annotations" is left out',
        "number 5 of the tools is a Tool without a name; it is left out",
    ]
    definitions, messages = validate([{"name": "bad"}, tool("a")], "b*")
    assert [definition["name"] for definition in definitions.tools] == ["a"]
    assert messages == []


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("nan"), "NaN or an infinity, which JSON does not have"),
        ([{"x": -float("inf")}], "NaN or an infinity, which JSON does not have"),
        ("a\ud800", "half of a surrogate pair, which UTF-8 cannot encode"),
        ([{"\udfff": 1}], "half of a surrogate pair, which UTF-8 cannot encode"),
    ],
)
def test_what_no_file_can_hold_is_left_out(value: Any, message: str) -> None:
    definitions, messages = validate([tool("a", default=value), tool("b")])
    assert (definitions.tools, messages) == ([tool("b")], [f'the Tool "a" holds {message}; it is left out'])
    assert validate([tool("a", default="\U0001f600")])[1] == []


def test_the_pointer_of_an_error_is_named() -> None:
    _, messages = validate([{**tool("a"), "output_schema": {}}])
    assert [message.partition(": ")[0] for message in messages] == ['the Tool "a" is not valid at /output_schema']


def test_the_first_of_two_tools_of_a_name_is_used() -> None:
    definitions, messages = validate([tool("a"), tool("a", title="b")])
    assert (definitions.tools, messages) == (
        [tool("a")],
        ['the server advertises two Tools "a"; only the first is used'],
    )


def test_options_are_left_out() -> None:
    schema = {"type": "object", "x-mcpgen": {}, "properties": {"x-mcpgen": {"x-mcpgen": 1}}}
    definitions, (message,) = validate([{"name": "a", "inputSchema": schema, "x-mcpgen": {"content": "json"}}])
    assert definitions.tools == [{"name": "a", "inputSchema": {"type": "object", "properties": {"x-mcpgen": {}}}}]
    assert "comes with x-mcpgen" in message


def test_patterns_match_names_and_uris() -> None:
    assert is_excluded({"name": "a", "uri": "file:///x"}, ["file:*"])
    assert is_excluded({"name": "weather_now"}, ["*_now"])
    assert is_excluded({"name": "a", "uriTemplate": "a://{b*}[c]"}, ["a://{b*}[c]"])
    assert not is_excluded({"name": "a", "uriTemplate": 5}, ["b", "5"])
