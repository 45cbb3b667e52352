"""Names that generated code needs for itself."""

from __future__ import annotations

from collections.abc import Mapping

RESULT_METHODS = frozenset(
    (
        "extras from_call_tool_result from_structured_content normalize normalize_any to_call_tool_result "
        "to_content to_structured_content to_wire to_wire_json"
    ).split()
)
"""What a result class says itself; no property may take these names."""


RESOURCE_METHODS = frozenset("from_read_resource_result match resource to_contents to_read_resource_result uri".split())
"""What the class of a resource says beside that; no property of its JSON value may take these names."""


SERVER_AND_CLIENT_NAMES = frozenset(
    "Decorator complete contract dict implement list options property str tuple".split()
)
"""What the bound server and the client define, and what their annotations need beside `IMPORT_SOURCES`; no tool may
take these names there."""


PYDANTIC_ATTRIBUTES = frozenset(
    (
        "construct copy dict fields_set from_orm json model_fields parse_file parse_obj parse_raw root "
        "schema schema_json update_forward_refs validate"
    ).split()
)
"""Attributes of BaseModel (those starting with `model_` are avoided by their prefix)."""


CLASS_BODY_NAMES = frozenset(["classmethod", "cls", "dict", "list", "self", "staticmethod", "str", "tuple"])
"""Names that annotations and decorators in the same class body need, and the names of methods' first parameters.

All others that a class body reads begin with a capital letter or `_`, which no attribute does;
`tests/generated/test_hostile_names.py` holds the templates to this.
"""


URI_EXPANSION_NAMES = frozenset(["cls", "self", "str", "uris"])
"""Names that a template's `uri` needs beside its parameters."""


_BASE_NAMES = (
    "AsArray Base64 Boolean ClosedObject Date DateTime Exactly Integer JsonObject JsonValue Number Omit OpenObject "
    "RenamedOpenObject SparseClosedObject SparseOpenObject String Time Uuid to_json_value"
).split()


_RUNTIME_NAMES = "Checked ContentResult RootResult ToolInfo ToolResult version_of".split()


_BLOCK_NAMES = "Payload binary_block content_blocks item_blocks text_block".split()


_DEEP_NAMES = ["ReadOnce"]


_HANDLED_NAMES = "in_wrapper result_of says_result".split()


_RESOURCE_NAMES = (
    "CheckedResource ContentsResource JsonResource ReadResourceResult ResourceAnswer ResourceInfo ResourceResult "
    "RootResource"
).split()


_TEXT_NAMES = (
    "date_text has_item json_item members reversed_text rounded titled to_float to_html_json to_int truncated unique "
    "word_count"
).split()


IMPORT_SOURCES: Mapping[str, tuple[int, str]] = {
    **dict.fromkeys(("Awaitable", "Callable", "Mapping", "Sequence"), (0, "collections.abc")),
    **dict.fromkeys(
        ("TYPE_CHECKING Annotated Any ClassVar Literal NotRequired Protocol TypeAlias TypedDict").split(),
        (0, "typing"),
    ),
    **dict.fromkeys(("Field", "TypeAdapter"), (1, "pydantic")),
    "TypeAliasType": (1, "typing_extensions"),
    **dict.fromkeys(_BASE_NAMES, (2, "base")),
    **dict.fromkeys(_RUNTIME_NAMES, (2, "runtime")),
    **dict.fromkeys(_RESOURCE_NAMES, (2, "resource_runtime")),
    **dict.fromkeys(_BLOCK_NAMES, (2, "blocks")),
    **dict.fromkeys(_DEEP_NAMES, (2, "deep")),
    **dict.fromkeys(_HANDLED_NAMES, (2, "handled")),
    **dict.fromkeys(("CallToolResult", "ContentBlock"), (2, "protocol")),
    **dict.fromkeys(_TEXT_NAMES, (2, "text")),
    "sdk_blocks": (2, "sdk_text"),
    "uris": (2, ""),
}
"""Names that generated modules have from elsewhere, so that no class may take them: (import group, module)."""


RESERVED_NAMES = frozenset(IMPORT_SOURCES) | frozenset(
    (
        "ARGUMENT_TYPES False None RESOURCES RESOURCE_TYPES RESULT_TYPES ResultError TOOLS ToolCallError True "
        "TypedDict UnsupportedProtocol"
    ).split()
)
"""Names at the top of a package that no definition may take."""


DEVICE_NAMES = frozenset(["aux", "con", "nul", "prn", *(f"{kind}{n}" for kind in ("com", "lpt") for n in range(10))])
"""Names that Windows keeps for devices: no file may be called so, whatever its suffix."""
