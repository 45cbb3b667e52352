"""What generated packages import for the official SDK, mcp 2.x: the package itself here, all else in the modules."""

from __future__ import annotations

from ...package import Package as _Package
from .. import SdkRequirement

REQUIREMENT = SdkRequirement(sdk="mcp", distributions=("mcp",), oldest="2.1", below="3")


class Package(_Package):
    """A generated package for the official SDK, mcp 2.x."""

    facade = __name__
    default_protocol = "2026-07-28"
