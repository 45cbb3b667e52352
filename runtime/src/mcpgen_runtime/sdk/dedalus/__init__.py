"""What generated packages import for dedalus-mcp: the package itself here, all else in the modules."""

from __future__ import annotations

from ...package import Package as _Package
from .. import SdkRequirement

REQUIREMENT = SdkRequirement(sdk="dedalus", distributions=("dedalus-mcp",), oldest="0.7", below="1")


class Package(_Package):
    """A generated package for dedalus-mcp."""

    facade = __name__
    default_protocol = "2025-11-25"
