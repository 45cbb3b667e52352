"""Render the JSON files of a package, one beside the module of each tool and resource."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from mcpgen.files.ownership import HASH_LABEL
from mcpgen.names.identifiers import make_method_name
from mcpgen.read.definitions import PromptDefinition, ResourceDefinition
from mcpgen.render.header import LINTERS_OFF, describe_origin, hash_body
from mcpgen.schema.values import Json


@dataclass(frozen=True)
class JsonText:
    """A JSON value in two notations."""

    canonical: str
    """On one line with sorted names, for hashes."""
    readable: str
    """One entry a line, indented by one space a level, in ASCII."""


def render_json_value(value: Json) -> JsonText:
    """Return the text of a value."""
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return JsonText(canonical, json.dumps(value, indent=1))


def render_json_object(values: Mapping[str, JsonText]) -> JsonText:
    """Return the text of an object."""
    canonical = ",".join(f"{json.dumps(name)}:{values[name].canonical}" for name in sorted(values))
    entries = [f"{json.dumps(name)}: {value.readable}" for name, value in values.items()]
    if not entries:
        return JsonText("{}", "{}")
    body = ",\n".join(entries).replace("\n", "\n ")  # strings contain no line break: JSON escapes it
    return JsonText(f"{{{canonical}}}", f"{{\n {body}\n}}")


INSTRUCTIONS_PATH = "instructions.json"


def add_json_header(content: Mapping[str, JsonText], origin: str) -> str:
    """Return a JSON file whose first member, `generated`, has the content of the header."""
    generated: Json = {"by": describe_origin(origin), HASH_LABEL: hash_body(render_json_object(content).canonical)}
    return render_json_object({"generated": render_json_value(generated), **content}).readable + "\n"


def record_module(record: str, module: str) -> str:
    """Return a JSON file whose header has the hash of the module beside it, after its own and a space."""
    start, label, rest = record.partition(f'"{HASH_LABEL}": "')
    digest, quote, rest = rest.partition('"')
    return f"{start}{label}{digest} {hash_body(module.partition(LINTERS_OFF)[2])}{quote}{rest}"


def render_tool_json(
    origin: str,
    module: str,
    tool: JsonText,
    wrapped: JsonText | None,
    contract: str,
    *,
    is_output_from_settings: bool = False,
) -> str:
    """Return the JSON file of a tool; `wrapped` says how its outputSchema is advertised in another form."""
    content = {"tool": tool}
    if wrapped is not None:
        content["wrapped"] = wrapped
    if is_output_from_settings:
        content["outputSchemaFrom"] = render_json_value("settings")
    if (attribute := make_method_name(module)) != module:
        content["attribute"] = render_json_value(attribute)
    content["contract"] = render_json_value(contract)
    return add_json_header(content, origin)


def render_resource_json(definition: ResourceDefinition, module: str) -> str:
    """Return the JSON file of a resource: the Resource or ResourceTemplate as declared, and the schema of its text."""
    content = {"resource": render_json_value(definition.resource)}
    if definition.name != definition.wire_name:
        content["key"] = render_json_value(definition.name)
    if (attribute := make_method_name(module)) != module:
        content["attribute"] = render_json_value(attribute)
    if definition.payload is not None:
        content["schema"] = render_json_value(definition.payload.value)
    return add_json_header(content, definition.origin)


def render_prompt_json(definition: PromptDefinition, module: str) -> str:
    """Return the JSON file of a prompt: the Prompt as declared, and the values that its arguments may have."""
    content = {"prompt": render_json_value(definition.prompt)}
    values: dict[str, Json] = {
        argument.wire: [*argument.values] for argument in definition.arguments if argument.values
    }
    if values:
        content["completions"] = render_json_value(values)
    if (attribute := make_method_name(module)) != module:
        content["attribute"] = render_json_value(attribute)
    return add_json_header(content, definition.origin)


def render_instructions(instructions: list[str]) -> dict[str, str]:
    """Return the JSON file of the servers' instructions, by path; none if there are no instructions."""
    if not instructions:
        return {}
    content = {"instructions": render_json_value("\n\n".join(instructions))}
    return {INSTRUCTIONS_PATH: add_json_header(content, "the definitions")}
