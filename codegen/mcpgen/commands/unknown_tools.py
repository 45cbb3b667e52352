"""Help about a name that is no tool's."""

from __future__ import annotations

from collections.abc import Mapping

from mcpgen.lint.misspelt_names import NameGuesser


def explain_unknown_tool(name: str, kinds: Mapping[str, str]) -> str:
    """Return the help about a name that no tool has.

    Args:
        name: the name that was asked for.
        kinds: the kind of each definition by its name, such as "prompt".
    """
    if name in kinds:
        return f'"{name}" is a {kinds[name]}, and this command is for tools'
    tools = sorted(known for known, kind in kinds.items() if kind == "tool")
    close = NameGuesser().guess(name, tools)
    return f'did you mean "{close}"?' if close else f"there are {', '.join(tools)}"
