"""Listings of servers and definitions, without a server."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings, Span
from mcpgen.introspect.client import FetchedServer
from mcpgen.introspect.client_config import ConfiguredServer
from mcpgen.introspect.session import ServerListing
from mcpgen.introspect.validation import AdvertisedDefinitions, validate_listing
from mcpgen.read.loader import read_definitions

LIMITS = PackageSettings.model_validate({}).limits


def advertised(*tools: Any, protocol: str = "2025-11-25", **lists: Any) -> AdvertisedDefinitions:
    listing = {"tools": list(tools), "resources": [], "resourceTemplates": [], **lists}
    validated = validate_listing(ServerListing(protocol, listing), (), LIMITS, Span("server"), Findings())
    assert validated is not None
    return validated


def definitions(folder: Path, tools: list[Any], **more: Any) -> Any:
    folder.mkdir(exist_ok=True)
    (folder / "tools.json").write_text(json.dumps({"tools": tools, **more}))
    settings = PackageSettings.model_validate({"schemas": ["tools.json"]})
    findings = Findings()
    definitions = read_definitions(ConfiguredPackage(settings=settings, folder=folder), findings)
    assert not findings.failed
    return definitions


def answer_at_once(monkeypatch: pytest.MonkeyPatch, command: ModuleType, answer: AdvertisedDefinitions) -> None:
    """Let every server that a command asks answer with these definitions."""

    def fetch(servers: Sequence[ConfiguredServer], *_: object) -> Iterator[FetchedServer]:
        yield from (FetchedServer(server, answer, Findings()) for server in servers)

    monkeypatch.setattr(command, "fetch_from_servers", fetch)
