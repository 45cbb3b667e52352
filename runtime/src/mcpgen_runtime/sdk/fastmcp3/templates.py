"""What content templates and tables use."""

from __future__ import annotations

from ... import templates
from ...templates import *

__all__: list[str] = []
__all__ += templates.__all__
