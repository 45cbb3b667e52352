"""Help about a name that is no tool's."""

from __future__ import annotations

from mcpgen.commands.unknown_tools import explain_unknown_tool


def test_what_is_probably_meant() -> None:
    kinds = {"get_ticket": "tool", "add_book": "tool", "greet": "prompt"}
    assert explain_unknown_tool("greet", kinds) == '"greet" is a prompt, and this command is for tools'
    assert explain_unknown_tool("get_tickets", kinds) == 'did you mean "get_ticket"?'
    assert explain_unknown_tool("search_tickets", kinds) == "there are add_book, get_ticket"
