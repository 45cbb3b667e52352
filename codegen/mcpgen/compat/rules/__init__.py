"""The compatibility rules, by what they are about. Importing this registers all of them."""

from mcpgen.compat.rules import annotations, content, input_schema, output_schema, python_names, resources, tools

__all__ = ["annotations", "content", "input_schema", "output_schema", "python_names", "resources", "tools"]
