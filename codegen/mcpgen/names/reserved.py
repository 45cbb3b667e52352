"""Names that generated code needs for itself."""

from __future__ import annotations

from collections.abc import Mapping

METHODS = frozenset(
    (
        "extras from_call_tool_result from_structured_content normalize normalize_any to_call_tool_result "
        "to_content to_structured_content to_wire to_wire_json"
    ).split()
)
"""What a result class says itself; no property may take these names."""


RESOURCE_METHODS = frozenset("from_read_resource_result match resource to_contents to_read_resource_result uri".split())
"""What the class of a resource says beside that; no property of its JSON value may take these names."""


CALLS = frozenset("Decorator complete contract dict implement list options property str tuple".split())
"""What the bound server and the client say themselves, and what their annotations need beside `IMPORTS`; no tool may
take these names there."""


PYDANTIC = frozenset(
    (
        "construct copy dict fields_set from_orm json model_fields parse_file parse_obj parse_raw root "
        "schema schema_json update_forward_refs validate"
    ).split()
)
"""Attributes of BaseModel (those starting with `model_` are avoided by their prefix)."""


IN_CLASS_BODIES = frozenset(["classmethod", "cls", "dict", "list", "self", "staticmethod", "str", "tuple"])
"""Names that annotations and decorators in the same class body need, and the names of methods' first parameters.

All others that a class body reads begin with a capital letter or `_`, which no attribute does;
`tests/test_hostile_names.py` holds the templates to this.
"""


IN_EXPANSIONS = frozenset(["cls", "self", "str", "uris"])
"""Names that a template's `uri` needs beside its parameters."""


_BASE = (
    "AsArray Base64 Boolean ClosedObject Date DateTime Exactly Integer JsonObject JsonValue Number Omit OpenObject "
    "RenamedOpenObject SparseClosedObject SparseOpenObject String Time Uuid to_json_value"
).split()


_RUNTIME = "Checked ContentResult RootResult ToolInfo ToolResult version_of".split()


_BLOCKS = "Payload binary_block content_blocks item_blocks text_block".split()


_DEEP = ["ReadOnce"]


_HANDLED = "in_wrapper result_of says_result".split()


_RESOURCE = (
    "CheckedResource ContentsResource JsonResource ReadResourceResult ResourceAnswer ResourceInfo ResourceResult "
    "RootResource"
).split()


_TEXT = (
    "date_text has_item json_item members reversed_text rounded titled to_float to_html_json to_int truncated unique "
    "word_count"
).split()


IMPORTS: Mapping[str, tuple[int, str]] = {
    **dict.fromkeys(("Awaitable", "Callable", "Mapping", "Sequence"), (0, "collections.abc")),
    **dict.fromkeys(
        ("TYPE_CHECKING Annotated Any ClassVar Literal NotRequired Protocol TypeAlias TypedDict").split(),
        (0, "typing"),
    ),
    **dict.fromkeys(("Field", "TypeAdapter"), (1, "pydantic")),
    "TypeAliasType": (1, "typing_extensions"),
    **dict.fromkeys(_BASE, (2, "base")),
    **dict.fromkeys(_RUNTIME, (2, "runtime")),
    **dict.fromkeys(_RESOURCE, (2, "resource_runtime")),
    **dict.fromkeys(_BLOCKS, (2, "blocks")),
    **dict.fromkeys(_DEEP, (2, "deep")),
    **dict.fromkeys(_HANDLED, (2, "handled")),
    **dict.fromkeys(("CallToolResult", "ContentBlock"), (2, "protocol")),
    **dict.fromkeys(_TEXT, (2, "text")),
    "sdk_blocks": (2, "sdk_text"),
    "uris": (2, ""),
}
"""Names that generated modules have from elsewhere, so that no class may take them: (import group, module)."""


RESERVED = frozenset(IMPORTS) | frozenset(
    (
        "ARGUMENT_TYPES False None RESOURCES RESOURCE_TYPES RESULT_TYPES ResultError TOOLS ToolCallError True "
        "TypedDict UnsupportedProtocol"
    ).split()
)
"""Names at the top of a package that no definition may take."""


DEVICE_NAMES = frozenset(["aux", "con", "nul", "prn", *(f"{kind}{n}" for kind in ("com", "lpt") for n in range(10))])
"""Names that Windows keeps for devices: no file may be called so, whatever its suffix."""
