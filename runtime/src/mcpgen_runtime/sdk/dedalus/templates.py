"""What content templates and tables use."""

from __future__ import annotations

from ... import table_cells, template_filters
from ...table_cells import *
from ...template_filters import *

__all__: list[str] = []
__all__ += table_cells.__all__
__all__ += template_filters.__all__
