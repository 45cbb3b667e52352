"""What shells propose."""

from __future__ import annotations

from mcpgen.commands.completion import complete_clients, complete_codes, complete_sdks


def test_names_that_begin_so_are_proposed() -> None:
    assert complete_sdks("fast") == ["fastmcp", "fastmcp3"]
    assert complete_clients("openai") == ["openai", "openai-strict"]
    assert [code for code, _ in complete_codes("mg90")] == ["MG901", "MG902", "MG903", "MG904"]
