"""The settings as a JSON Schema for editors, made from the models that read them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from mcpgen.config.models import PackageSettings
from mcpgen.schema.values import Json


def build_settings_schema() -> dict[str, Json]:
    """The schema of `mcpgen.toml` and of `[tool.mcpgen]`, in draft-07, which editors of TOML know best."""
    made = cast(
        dict[str, Any], _simplify_schema(PackageSettings.model_json_schema(ref_template="#/definitions/{model}"))
    )
    definitions = cast(dict[str, Any], made.pop("$defs"))
    own = {key: made[key] for key in ("type", "additionalProperties")}
    packages: Json = {
        "type": "array",
        "items": {"$ref": "#/definitions/PackageSettings"},
        "description": "several packages in one run; what stands beside it holds for all of them",
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "mcpgen settings",
        "description": "mcpgen.toml, or [tool.mcpgen] in pyproject.toml",
        **own,
        "properties": {**made["properties"], "package": packages},
        "definitions": {**definitions, "PackageSettings": {**own, "properties": made["properties"]}},
    }


def _simplify_schema(schema: Any) -> Any:
    """A schema without titles that only repeat names, defaults of tables, and null, which TOML does not have."""
    if isinstance(schema, list):
        return list(map(_simplify_schema, cast(Iterable[Any], schema)))
    if not isinstance(schema, dict):
        return schema
    held = cast(dict[str, Any], schema)
    choices: list[Any] = [one for one in held.get("anyOf", []) if one != {"type": "null"}]
    if len(choices) == 1:
        held = {**{key: value for key, value in held.items() if key != "anyOf"}, **choices[0]}
    out: dict[str, Any] = {}
    for key, value in held.items():
        if key == "properties":
            out[key] = {name: _simplify_schema(inner) for name, inner in value.items()}
        elif key != "title" and not (key == "default" and (value is None or isinstance(value, dict))):
            out[key] = _simplify_schema(value)
    if set(out) >= {"$ref", "description"}:  # draft-07 ignores what stands beside a reference
        out["allOf"] = [{"$ref": out.pop("$ref")}]
    return out
