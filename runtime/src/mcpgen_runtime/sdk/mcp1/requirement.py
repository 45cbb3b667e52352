"""The SDK that packages for `sdk = "mcp1"` need; importing this module checks that it is installed."""

from __future__ import annotations

from ...sdk_versions import SdkRequirement

REQUIREMENT = SdkRequirement(sdk="mcp1", distributions=("mcp",), oldest="1.22", below="2")
REQUIREMENT.check_version()
