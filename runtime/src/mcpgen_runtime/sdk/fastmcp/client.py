"""What generated clients import for fastmcp 4.x."""

# ruff: noqa: F403
from __future__ import annotations

from .requirement import REQUIREMENT as REQUIREMENT  # says which SDK is needed, before that is imported

# isort: split
from ...mcp_2 import client
from ...mcp_2.client import *

__all__: list[str] = []
__all__ += client.__all__
