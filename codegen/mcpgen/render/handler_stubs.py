"""Write the first version of a module of handlers, which is the user's from then on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mcpgen.ir.package import ToolModule, get_root_class
from mcpgen.literals import make_docstring, make_literal
from mcpgen.names.identifiers import make_method_name
from mcpgen.names.package_names import PackageNames, ToolNames
from mcpgen.render.formatter import format_source
from mcpgen.render.imports import make_sort_key

_HEAD = '''"""Handlers of the tools. This file is yours: mcpgen does not change it."""

from __future__ import annotations

'''
_OWN_NAMES = frozenset({"bind_handlers", "tool_error", "tools"})
"""Names that the module needs for itself."""


@dataclass(frozen=True)
class StubModule:
    """What a module of handlers imports from."""

    package: str
    """The generated package, as the module imports it."""
    facade: str
    """The facade of the run-time library."""


def render_stubs(tools: Sequence[ToolModule], names: PackageNames, module: StubModule) -> str:
    """Return a module with a handler for each tool, which says that it is not implemented.

    Args:
        tools: the tools, in the order of their handlers.
        names: the names of their package.
        module: where it imports from.
    """
    pairs = [(tool, names.tools[tool.wire]) for tool in tools]
    classes = {names.arguments for tool, names in pairs if _takes_arguments(tool)}
    classes |= {names.result for tool, names in pairs if tool.output is not None}
    imported = ", ".join(sorted([*classes, "tool_error"], key=make_sort_key))
    library_import = f"from {module.facade}.types import CallToolResult\n"
    package_imports = f"from {module.package} import {imported}\n"
    server_import = f"from {module.package}.server import Tools\n"
    if module.facade.startswith(module.package):
        imports = f"{package_imports}{library_import}{server_import}\n\n"
    else:
        imports = f"{library_import}\n{package_imports}{server_import}\n\n"
    handlers = "\n\n".join(_render_handler(tool, names) for tool, names in pairs)
    binding = "\n".join(f"    tools.{make_method_name(names.module)}({_name_handler(names)})" for _, names in pairs)
    return format_source(
        f"{_HEAD}{imports}{handlers}\n\n"
        "def bind_handlers(tools: Tools) -> None:\n"
        '    """Bind the handlers to a server: `bind_handlers(bind(server))`."""\n'
        f"{binding}\n"
    )


def _takes_arguments(tool: ToolModule) -> bool:
    root_class = get_root_class(tool.input)
    return root_class is None or bool(root_class.fields)


def _name_handler(names: ToolNames) -> str:
    name = make_method_name(names.module)
    return f"{name}_" if name in _OWN_NAMES else name


def _render_handler(tool: ToolModule, names: ToolNames) -> str:
    parameter = f"args: {names.arguments}" if _takes_arguments(tool) else ""
    returned = "CallToolResult" if tool.output is None else f"{names.result} | CallToolResult"
    doc = make_docstring(tool.description or f"Answer the tool `{tool.wire}`.", 4)
    text = make_literal(f"{tool.wire} is not implemented")
    return f"async def {_name_handler(names)}({parameter}) -> {returned}:\n    {doc}\n    return tool_error({text})\n"
