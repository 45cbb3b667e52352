"""What generated clients import for fastmcp 2.13 to 3.x."""

from __future__ import annotations

from . import REQUIREMENT

REQUIREMENT.check_version()

from fastmcp.client import elicitation

from ...mcp_1_client import *

ElicitResult = elicitation.ElicitResult  # type: ignore[misc, assignment] # its clients take no other
