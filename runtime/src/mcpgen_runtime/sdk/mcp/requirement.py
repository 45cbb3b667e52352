"""The SDK that packages for `sdk = "mcp"` need; importing this module checks that it is installed."""

from __future__ import annotations

from ...sdk_versions import SdkRequirement

REQUIREMENT = SdkRequirement(sdk="mcp", distributions=("mcp",), oldest="2.1", below="3")
REQUIREMENT.check_version()
