"""What content templates and tables use."""

from __future__ import annotations

from ...templates import *
