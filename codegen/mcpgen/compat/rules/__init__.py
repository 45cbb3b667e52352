"""The compatibility rules, by what they are about. Importing this registers all of them."""

from mcpgen.compat.rules import annotations, content, input, names, output, resources, tools

__all__ = ["annotations", "content", "input", "names", "output", "resources", "tools"]
