"""Names that generated code needs for itself, so that nothing from a schema may take them.

`tests/unit/names/test_reserved.py` compares the lists with what the templates define.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

RESULT_METHODS = frozenset(
    (
        "extras from_call_tool_result from_structured_content normalize normalize_any to_call_tool_result "
        "to_content to_structured_content to_wire to_wire_json"
    ).split()
)
"""Public attributes of every result and arguments class; no property may take these names."""


RESOURCE_METHODS = frozenset("from_read_resource_result match resource to_contents to_read_resource_result uri".split())
"""Further public attributes of resource classes; no property of a resource's JSON value may take these names."""


SERVER_AND_CLIENT_NAMES = frozenset(
    "Decorator complete contract dict implement list options property str tuple".split()
)
"""Public attributes of the bound server and of the client, and names that their class bodies use without an import; no
method for a tool may take these names."""


PYDANTIC_ATTRIBUTES = frozenset(
    (
        "construct copy dict fields_set from_orm json model_fields parse_file parse_obj parse_raw root "
        "schema schema_json update_forward_refs validate"
    ).split()
)
"""Attributes of BaseModel; all others start with `model_`, which no attribute does."""


CLASS_BODY_NAMES = frozenset(["classmethod", "cls", "dict", "list", "self", "staticmethod", "str", "tuple"])
"""Names that annotations and decorators in the same class body need, and the names of methods' first parameters.

All others that a class body reads begin with a capital letter or `_`, which no attribute does;
`tests/generated/test_hostile_names.py` checks that for the templates.
"""


URI_EXPANSION_NAMES = frozenset(["cls", "self", "str", "uris"])
"""Names that the method `uri` of a resource template uses besides its parameters."""


class ImportGroup(IntEnum):
    """Groups of import statements, in their order."""

    STANDARD_LIBRARY = 0
    THIRD_PARTY = 1
    PACKAGE = 2


RUNTIME_EXPORTS: Mapping[str, tuple[str, ...]] = {
    module: tuple(names.split())
    for module, names in {
        "base": (
            "AsArray Base64 Boolean ClosedObject Date DateTime Exactly Integer JsonObject JsonValue Number Omit "
            "OpenObject RenamedOpenObject SparseClosedObject SparseOpenObject String Time Uuid to_json_value"
        ),
        "blocks": "Payload binary_block content_blocks item_blocks text_block",
        "deep": "ReadOnce",
        "handled": "in_wrapper result_of says_result",
        "protocol": "CallToolResult ContentBlock",
        "resource_runtime": (
            "CheckedResource ContentsResource JsonResource ReadResourceResult ResourceAnswer ResourceInfo "
            "ResourceResult RootResource"
        ),
        "root_arguments": "Parameter RootArguments",
        "runtime": "Checked ContentResult RootResult ToolInfo ToolResult version_of",
        "sdk_text": "sdk_blocks",
        "text": (
            "date_text has_item json_item members reversed_text rounded titled to_float to_html_json to_int truncated "
            "unique word_count"
        ),
        "": "uris",
    }.items()
}
"""Names that generated modules import from modules of their package, by module; "" is the package itself."""


IMPORT_SOURCES: Mapping[str, tuple[ImportGroup, str]] = {
    name: (group, module)
    for group, names_by_module in (
        (
            ImportGroup.STANDARD_LIBRARY,
            {
                "collections.abc": ("Awaitable", "Callable", "Mapping", "Sequence"),
                "typing": (
                    *("TYPE_CHECKING", "Annotated", "Any", "ClassVar", "Literal", "NotRequired", "Protocol"),
                    *("TypeAlias", "TypedDict"),
                ),
            },
        ),
        (
            ImportGroup.THIRD_PARTY,
            {"pydantic": ("Field", "TypeAdapter"), "typing_extensions": ("TypeAliasType",)},
        ),
        (ImportGroup.PACKAGE, RUNTIME_EXPORTS),
    )
    for module, names in names_by_module.items()
    for name in names
}
"""Names that generated modules import, so that no class may take them: the group of the import, and the module."""


RESERVED_NAMES = frozenset(IMPORT_SOURCES) | frozenset(
    (
        "ARGUMENT_TYPES False None RESOURCES RESOURCE_TYPES RESULT_TYPES ResultError TOOLS ToolCallError True "
        "TypedDict UnsupportedProtocol"
    ).split()
)
"""Names at the top of a package that no definition may take."""


DEVICE_NAMES = frozenset(["aux", "con", "nul", "prn", *(f"{kind}{n}" for kind in ("com", "lpt") for n in range(10))])
"""Names that Windows keeps for devices: no file may have one, whatever its suffix."""
