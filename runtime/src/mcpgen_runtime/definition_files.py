"""Read the JSON files of definitions, each next to the module of its tool or resource."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, cast


@cache
def load_definition(module_file: str) -> dict[str, Any]:
    """Return the content of the JSON file next to a module.

    Args:
        module_file: the path of the module, its `__file__`.
    """
    return cast(dict[str, Any], json.loads(Path(module_file).with_suffix(".json").read_bytes()))


def is_attribute(name: str) -> bool:
    """Return whether a definition may be an attribute of this name: `_` stands before a digit alone."""
    return not name.startswith("_") or name[1:2].isdigit()


__all__ = ["is_attribute", "load_definition"]
