"""Lists fetched over a session."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from mcpgen.config.models import Limits
from mcpgen.introspect.errors import IntrospectionError
from mcpgen.introspect.limits import Meter
from mcpgen.introspect.session import (
    MOST_LIST_ATTEMPTS,
    McpSession,
    RequestRefused,
    ServerListing,
    fetch_listing,
    fetch_pages,
)
from support.scripted_wire import ScriptedWire

CHANGE = {"method": "notifications/tools/list_changed"}


def make_session(answers: dict[str, list[Any]], *capabilities: str) -> tuple[McpSession, ScriptedWire]:
    wire = ScriptedWire(answers)
    meter = Meter(Limits.model_validate({}))
    return McpSession(wire, meter, "2025-11-25", {name: {} for name in capabilities}), wire


def fetch(answers: dict[str, list[Any]], *capabilities: str) -> tuple[ServerListing, ScriptedWire]:
    session, wire = make_session(answers, *capabilities)
    return anyio.run(fetch_listing, session, str.upper), wire


def test_only_lists_with_a_capability_are_fetched() -> None:
    listing, wire = fetch({"tools/list": [{"tools": [1]}]}, "tools")
    lists: dict[str, Any] = {"tools": [1], "resources": [], "resourceTemplates": [], "prompts": []}
    assert listing == ServerListing("2025-11-25", lists)
    assert [message["method"] for message in wire.sent] == ["tools/list"]


def test_a_failed_list_of_resources_is_reported() -> None:
    answers: dict[str, list[Any]] = {
        "tools/list": [{"tools": []}],
        "resources/list": [{"error": {"code": 1, "message": "out of order"}}],
        "resources/templates/list": [{"resourceTemplates": [2]}],
    }
    listing, _ = fetch(answers, "tools", "resources")
    assert listing.lists["resourceTemplates"] == [2]
    assert listing.failed == ("resources/list: OUT OF ORDER",)


def test_a_failed_list_of_tools_is_an_error() -> None:
    with pytest.raises(RequestRefused):
        fetch({"tools/list": [{"error": {"code": 1, "message": "no"}}]}, "tools")


def test_lists_are_fetched_again_after_a_change() -> None:
    listing, _ = fetch({"tools/list": [[CHANGE, {"tools": [1]}], {"tools": [1, 2]}]}, "tools")
    assert listing.lists["tools"] == [1, 2]
    _, wire = fetch({"tools/list": [[CHANGE, {"tools": [1]}]]}, "tools")
    assert len(wire.sent) == MOST_LIST_ATTEMPTS


def test_invalid_lines_are_cleaned() -> None:
    listing, _ = fetch({"tools/list": [["welcome", {"tools": []}]]}, "tools")
    assert listing.invalid_lines == ("WELCOME",)


def test_pages_are_joined() -> None:
    pages = [{"tools": [1, 2], "nextCursor": "a"}, {"tools": [3]}]
    session, wire = make_session({"tools/list": pages})
    assert anyio.run(fetch_pages, session, "tools", "tools/list", "tools") == [1, 2, 3]
    assert wire.sent[1]["params"] == {"cursor": "a"}


def test_pages_without_end_are_an_error() -> None:
    session, _ = make_session({"tools/list": [{"tools": [1], "nextCursor": "a"}]})
    with pytest.raises(IntrospectionError, match="have no end"):
        anyio.run(fetch_pages, session, "tools", "tools/list", "tools")


def test_a_missing_list_is_empty_unless_the_server_claims_tools() -> None:
    session, _ = make_session({}, "tools")
    assert anyio.run(fetch_pages, session, "resources", "resources/list", "resources") == []
    with pytest.raises(RequestRefused, match="method not found"):
        anyio.run(fetch_pages, session, "tools", "tools/list", "tools")


def test_what_no_definition_says_is_named() -> None:
    session, _ = make_session({"tools/list": [{"tools": []}]}, "tools")
    session.capabilities |= {
        "completions": {},
        "logging": {},
        "resources": {"subscribe": True},
        "extensions": {"io.test/a": {}, "io.test/b": {}},
    }
    session.instructions = "Ask first."
    listing = anyio.run(fetch_listing, session, str)
    assert listing.instructions == "Ask first."
    named = ("completions", "log messages", "subscriptions to resources", "extensions (io.test/a, io.test/b)")
    assert listing.left_out == named


def test_prompts_are_listed_with_their_capability() -> None:
    listing, _ = fetch({"tools/list": [{"tools": []}], "prompts/list": [{"prompts": [1]}]}, "tools", "prompts")
    assert listing.lists["prompts"] == [1]
