"""What a worker can time: a section, a value, a contestant, and a function."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

WIRE = "to wire bytes"
OBJECT = "to a CallToolResult"
READ = "structuredContent to an instance"
"""With all checks of the schema."""
READ_TEXT = f"{READ}, from the JSON of a CallToolResult"
CALL = "a call by a client in the process of its server"
STAGE = "stages of a result on mcp 2.x"
MODEL, DICT, DATACLASS = "from an instance", "from a dict", "from a dataclass"
"""What the handler returned: an instance of a pydantic class (for mcpgen the generated one), a dict, a dataclass."""
HAND = "from a model by hand"
"""For mcpgen: an instance of the class that the others have in place of a generated one."""


def format_section(target: str, form: str) -> str:
    """Return the heading of a table, of what is made and out of what."""
    return f"{target}, {form}"


@dataclass(frozen=True)
class Case:
    """A function to be timed, and what has to be true of what it returns."""

    section: str
    value: str
    contestant: str
    run: Callable[[], Any]
    check: Callable[[Any], None]
    """Raises AssertionError."""


def wire_form(result: Any) -> Any:
    """Return the result that was made, as JSON on the wire: of text, of a response's text, of an SDK's object."""
    if isinstance(result, BaseModel):
        result = result.model_dump_json(by_alias=True, exclude_none=True)
    value = json.loads(result)
    return value["result"] if isinstance(value, dict) and "jsonrpc" in value else value
