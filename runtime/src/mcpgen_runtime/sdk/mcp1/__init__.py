"""What generated packages import for the official SDK, mcp 1.x: the package itself here, all else in the modules."""

from __future__ import annotations

from ...package import Package as _Package
from .. import SdkRequirement

REQUIREMENT = SdkRequirement(sdk="mcp1", distributions=("mcp",), oldest="1.22", below="2")


class Package(_Package):
    """A generated package for the official SDK, mcp 1.x."""

    facade = __name__
    default_protocol = "2025-11-25"
