"""The SDK that packages for `sdk = "fastmcp3"` need; importing this module checks that it is installed."""

from __future__ import annotations

from ...sdk_versions import SdkRequirement

REQUIREMENT = SdkRequirement(sdk="fastmcp3", distributions=("fastmcp", "fastmcp-slim"), oldest="2.13", below="4")
REQUIREMENT.check_version()
