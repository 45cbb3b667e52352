"""Listings of servers and definitions, without a server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mcpgen.config.load import load_packages
from mcpgen.config.models import PackageSettings
from mcpgen.diagnostics import Findings, Span
from mcpgen.introspect.listing import ServerListing
from mcpgen.introspect.validation import AdvertisedDefinitions, validate_listing
from mcpgen.read.loader import read_definitions

LIMITS = PackageSettings.model_validate({}).limits


def advertised(*tools: Any, protocol: str = "2025-11-25", **lists: Any) -> AdvertisedDefinitions:
    held = {"tools": list(tools), "resources": [], "resourceTemplates": [], **lists}
    found = validate_listing(ServerListing(protocol, "mcp", held), (), LIMITS, Span("server"), Findings())
    assert found is not None
    return found


def definitions(folder: Path, tools: list[Any], **more: Any) -> Any:
    folder.mkdir(exist_ok=True)
    (folder / "tools.json").write_text(json.dumps({"tools": tools, **more}))
    findings = Findings()
    (held,) = load_packages(None, folder, findings)
    found = read_definitions([folder / "tools.json"], held, findings)
    assert not findings.failed
    return found
