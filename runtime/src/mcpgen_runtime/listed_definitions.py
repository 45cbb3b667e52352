"""Definitions of tools as a server lists them, which bound tools replace by the declared ones."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from pydantic import BaseModel

from .protocol_versions import ANY_JSON_RESULT_SINCE

if TYPE_CHECKING:
    from .server_binding import BoundTool

logger = logging.getLogger(__name__)


def adapt_definition(
    listed: BaseModel | dict[str, Any],
    bound: Mapping[str, BoundTool],
    untouched: Mapping[str, Sequence[dict[str, Any]]],
    version: str,
) -> dict[str, Any]:
    """Return a tool as it is declared, if it is bound, and else as its server lists it.

    Args:
        listed: the SDK's model of the tool, or the tool in wire form.
        bound: the bound tools by name.
        untouched: the forms in which the server lists each of them unless somebody changes it.
        version: a protocol version.
    """
    name: str = listed["name"] if isinstance(listed, dict) else cast(Any, listed).name
    tool, forms = bound.get(name), untouched.get(name, ())
    if tool is not None and (not forms or any(_is_dumped_as(listed, form) for form in forms)):
        return tool.info.advertise(version)
    definition = _dump_value(listed)
    if tool is None:
        return adapt_foreign_definition(definition, version)
    return _adapt_changed_definition(tool, definition, forms, version)


def _is_dumped_as(listed: BaseModel | dict[str, Any], form: dict[str, Any]) -> bool:
    """Check whether a tool has this wire form. Dumping a model copies its schemas, and comparing them does not."""
    if isinstance(listed, dict):
        return listed == form
    fields, count = type(listed).model_fields, 0
    for name, value in listed:
        if value is not None:
            wire_name = (name in fields and fields[name].serialization_alias) or name
            if wire_name not in form or _dump_value(value) != form[wire_name]:
                return False
            count += 1
    return count == len(form)


def _dump_value(value: Any) -> Any:
    """Return the wire form of a model, or of a list of models. Other values do not change."""
    if isinstance(value, BaseModel):
        return value.model_dump(by_alias=True, mode="json", exclude_none=True)
    if isinstance(value, list):
        return [_dump_value(item) for item in cast(Any, value)]
    return value


def _adapt_changed_definition(
    bound: BoundTool, listed: dict[str, Any], untouched: Sequence[dict[str, Any]], version: str
) -> dict[str, Any]:
    """Return a bound tool as declared, with changes that somebody made on purpose in the server.

    Args:
        bound: the tool.
        listed: the tool as its server lists it.
        untouched: the forms in which the server lists the tool if nobody changes it.
        version: a protocol version.
    """
    declared = bound.info.advertise(version)
    keys = {*listed, *(key for form in untouched for key in form)}
    changed = {key for key in keys if all(listed.get(key) != form.get(key) for form in untouched)}
    current = adapt_foreign_definition(listed, version)
    kept = {key: item for key, item in declared.items() if key not in changed}
    return kept | {key: item for key, item in current.items() if key in changed}


def adapt_foreign_definition(tool: dict[str, Any], version: str) -> dict[str, Any]:
    """Return a tool of another package, without its outputSchema if the protocol version cannot carry it.

    One tool's schema must not prevent the others from being listed.
    """
    schema: dict[str, Any] | None = tool.get("outputSchema")
    if schema is None or version >= ANY_JSON_RESULT_SINCE or schema.get("type") == "object":
        return tool
    logger.warning("The outputSchema of %r is not for an object, so %s gets none", tool.get("name"), version)
    return {key: item for key, item in tool.items() if key != "outputSchema"}
