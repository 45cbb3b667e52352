"""Names that generated code needs for itself, so that nothing from a schema may take them.

`tests/unit/names/test_reserved.py` compares the lists with what the templates define.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import IntEnum

from mcpgen.ir.code_settings import BUILDERS
from mcpgen.paths import find_library_file
from mcpgen.schema.formats import FORMAT_TABLE

RESULT_METHODS = frozenset(
    (
        "extras from_call_tool_result from_structured_content from_wire_json normalize normalize_any "
        "normalize_to_json to_call_tool_result "
        "to_content to_structured_content to_wire to_wire_json"
    ).split()
)
"""Public attributes of every result and arguments class; no property may take these names."""
RESOURCE_METHODS = frozenset("from_read_resource_result match resource to_contents to_read_resource_result uri".split())
"""Further public attributes of resource classes; no property of a resource's JSON value may take these names."""
FORM_METHODS = frozenset({"from_structured_content", "to_structured_content"})
"""Public attributes of the classes of forms; no property of a form may take these names."""
SERVER_AND_CLIENT_NAMES = frozenset(
    (
        "as_task call_tool complete connect contract copy_of dict implement list options pinned_tools prompts property "
        "refresh resources str tuple with_options with_raw_response"
    ).split()
)
"""Public attributes of the bound server and of the client, and builtins that annotations and decorators need in a class
of handlers; no attribute for a tool may take these names."""
STUB_HELPERS = ("read_definition", "read_stub", "search_tools", "use_client")
"""Functions in `stubs/` that are no tools."""
STUB_TYPES = ("bool", "dict", "float", "int", "list", "str", "tuple")
"""Builtins that annotations of stubs use."""
PYDANTIC_ATTRIBUTES = frozenset(
    (
        "construct copy dict fields_set from_orm json model_fields parse_file parse_obj parse_raw root "
        "schema schema_json update_forward_refs validate"
    ).split()
)
"""Attributes of BaseModel; all others start with `model_`, which no attribute does."""
CLASS_BODY_NAMES = frozenset("bool classmethod cls dict float int list self staticmethod str tuple".split())
"""Names that annotations and decorators in the same class body need, and the names of methods' first parameters.

All others that a class body reads begin with a capital letter or `_`, which no attribute does;
`tests/generated/test_hostile_names.py` checks that for the templates.
"""
MESSAGE_NAMES = frozenset(["ask_form", "ctx", "message", "str"])
"""Names that the functions of a form use besides the values of its message."""
URI_EXPANSION_NAMES = frozenset(["cls", "self", "str", "uri_templates"])
"""Names that the method `uri` of a resource template uses besides its parameters."""


class ImportGroup(IntEnum):
    """Groups of import statements, in their order."""

    STANDARD_LIBRARY = 0
    THIRD_PARTY = 1
    PACKAGE = 2
    LIBRARY = 3
    """The run-time library: third party if it is installed, of the package if it is vendored."""


def _list_public_functions(module: str) -> list[str]:
    source = find_library_file(f"{module}.py").read_text("utf-8")
    return re.findall(r"^def ([a-z]\w*)\(", source, re.MULTILINE)


FACADES, TEMPLATES, FORMS = "", "templates", "forms"
"""The package of the facades, and the modules in it of what content templates and forms use, for every SDK."""
RUNTIME_IMPORTS: Mapping[str, tuple[str, ...]] = {
    module: tuple(" ".join(names).split())
    for module, names in {
        "types": (
            "ABSENT Base64 CallToolResult Checked CheckedErrorData CheckedResource ClosedObject ContentBlock "
            "ContentResult ContentsResource HandlerDecorator JsonObject JsonResource JsonValue MaybeAwaitable "
            "McpPrompt McpResource McpTool Normalize OpenObject Parameter ParametersT Payload PromptAnswer "
            "PromptArgument PromptBase PromptInfo ReadOnce ReadResourceResult RenamedOpenObject ResourceAnswer "
            "ResourceInfo ResourceResult Returned ReturnedArray RootArguments RootArrayResource RootArrayResult "
            "RootErrorData RootResource RootResult SparseClosedObject SparseOpenObject TakesArguments "
            "TakesArgumentsWithContext ToolErrorData ToolResult content_blocks present_arguments to_json_value",
            *(entry.runtime_name for entry in FORMAT_TABLE.values()),
            *sorted(set(BUILDERS.values())),
        ),
        TEMPLATES: _list_public_functions("sdk/templates"),
        FACADES: ("uri_templates",),
        FORMS: ("CheckedForm", "Form", "FormAnswer", "HasSession", "ask_form"),
    }.items()
}
"""Names that generated modules import from the run-time library, by its module: of a facade, or next to the facades."""
IMPORT_SOURCES: Mapping[str, tuple[ImportGroup, str]] = {
    name: (group, module)
    for group, names_by_module in (
        (
            ImportGroup.STANDARD_LIBRARY,
            {
                "collections.abc": ("Callable", "Mapping", "Sequence"),
                "typing": (
                    *("TYPE_CHECKING", "Annotated", "Any", "ClassVar", "Final", "Literal", "NotRequired", "Protocol"),
                    *("TypeAlias", "TypeVar", "TypedDict", "overload"),
                ),
            },
        ),
        (ImportGroup.THIRD_PARTY, {"pydantic": ("Field", "TypeAdapter"), "typing_extensions": ("TypeAliasType",)}),
        (ImportGroup.LIBRARY, RUNTIME_IMPORTS),
    )
    for module, names in names_by_module.items()
    for name in names
}
"""Names that generated modules import, so that no class may take them: the group of the import, and the module."""
RESERVED_NAMES = frozenset(IMPORT_SOURCES) | frozenset(
    (
        "ARGUMENT_TYPES AnyContext Boolean False INSTRUCTIONS Integer InterimResult MissingValue None Number PROMPTS "
        "Returns ReturnsArray Whole "
        "RESOURCES RESOURCE_TYPES RESULT_TYPES ResultError String TOOLS TaskFailedError ToolCallError ToolChangedError "
        "True TypedDict UnsupportedProtocol"
    ).split()
)
"""Names at the top of a package that no definition may take, now or in an earlier version."""
DEVICE_NAMES = frozenset(["aux", "con", "nul", "prn", *(f"{kind}{n}" for kind in ("com", "lpt") for n in range(10))])
"""Names that Windows keeps for devices: no file may have one, whatever its suffix."""
