"""The SDK that packages for `sdk = "fastmcp"` need; importing this module checks that it is installed."""

from __future__ import annotations

from ...sdk_versions import SdkRequirement

REQUIREMENT = SdkRequirement(sdk="fastmcp", distributions=("fastmcp", "fastmcp-slim"), oldest="4.0", below="5")
REQUIREMENT.check_version()
