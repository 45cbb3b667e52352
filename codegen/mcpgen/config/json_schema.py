"""JSON Schema of the settings for editors, made from the models; `python -m mcpgen.config.json_schema` prints it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any, cast

from mcpgen.config.models import PackageSettings
from mcpgen.schema.values import Json


def build_settings_schema() -> dict[str, Json]:
    """Return the schema of `mcpgen.toml` and of `[tool.mcpgen]`, in draft-07, which TOML editors support best."""
    model_schema = PackageSettings.model_json_schema(ref_template="#/definitions/{model}")
    package_schema = cast(dict[str, Any], _simplify_schema(model_schema))
    definitions = cast(dict[str, Any], package_schema.pop("$defs"))
    common = {key: package_schema[key] for key in ("type", "additionalProperties")}
    packages: Json = {
        "type": "array",
        "items": {"$ref": "#/definitions/PackageSettings"},
        "description": "several packages in one run; the other keys apply to all of them",
    }
    properties = package_schema["properties"]
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "mcpgen settings",
        "description": "mcpgen.toml, or [tool.mcpgen] in pyproject.toml",
        **common,
        "properties": {**properties, "package": packages},
        "definitions": {**definitions, "PackageSettings": {**common, "properties": properties}},
    }


def format_settings_schema() -> str:
    """Return the schema as the text of a file."""
    return json.dumps(build_settings_schema(), indent=2, ensure_ascii=False) + "\n"


def _simplify_schema(schema: Any) -> Any:
    """Return a schema without titles that repeat names, defaults of tables, and null, which TOML doesn't have."""
    if isinstance(schema, list):
        return list(map(_simplify_schema, cast(Iterable[Any], schema)))
    if not isinstance(schema, dict):
        return schema
    keywords = cast(dict[str, Any], schema)
    choices: list[Any] = [choice for choice in keywords.get("anyOf", []) if choice != {"type": "null"}]
    if len(choices) == 1:
        keywords = {**{key: value for key, value in keywords.items() if key != "anyOf"}, **choices[0]}
    simplified: dict[str, Any] = {}
    for key, value in keywords.items():
        if key == "properties":
            simplified[key] = {name: _simplify_schema(subschema) for name, subschema in value.items()}
        elif key != "title" and not (key == "default" and (value is None or isinstance(value, dict))):
            simplified[key] = _simplify_schema(value)
    if set(simplified) >= {"$ref", "description"}:  # draft-07 ignores other keywords next to $ref
        simplified["allOf"] = [{"$ref": simplified.pop("$ref")}]
    return simplified


if __name__ == "__main__":
    sys.stdout.buffer.write(format_settings_schema().encode())
