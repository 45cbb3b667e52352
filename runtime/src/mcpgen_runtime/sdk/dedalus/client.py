"""What generated clients import for dedalus-mcp."""

from __future__ import annotations

from . import REQUIREMENT

REQUIREMENT.check_version()

from ...mcp_1_client import *
