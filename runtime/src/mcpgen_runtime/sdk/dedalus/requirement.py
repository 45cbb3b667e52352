"""The SDK that packages for `sdk = "dedalus"` need; importing this module checks that it is installed."""

from __future__ import annotations

from ...sdk_versions import SdkRequirement

REQUIREMENT = SdkRequirement(sdk="dedalus", distributions=("dedalus-mcp",), oldest="0.7", below="1")
REQUIREMENT.check_version()
