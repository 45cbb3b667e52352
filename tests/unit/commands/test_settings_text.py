"""A key that is added to a settings file leaves the rest of the text alone."""

from __future__ import annotations

import pytest
from mcpgen.commands.settings_text import add_setting


@pytest.mark.parametrize(
    ("text", "is_pyproject", "expected"),
    [
        ("", False, 'sdk = "mcp"\n'),
        ('out = "x"\n', False, 'sdk = "mcp"\nout = "x"\n'),
        ('# why\n\n[tools.a]\nname = "b"\n', False, '# why\n\nsdk = "mcp"\n[tools.a]\nname = "b"\n'),
        ("# only words", False, '# only words\nsdk = "mcp"\n'),
        ("# a\r\nout = 'x'\r\n", False, "# a\r\nsdk = \"mcp\"\r\nout = 'x'\r\n"),
        (
            "[project]\nname = 'a'\n\n[tool.mcpgen] # ours\nout = 'x'\n[tool.b]\n",
            True,
            "[project]\nname = 'a'\n\n[tool.mcpgen] # ours\nsdk = \"mcp\"\nout = 'x'\n[tool.b]\n",
        ),
        ("[tool.mcpgen.tools.a]\nname = 'b'\n", True, None),
        ("[tool]\nmcpgen = {out = 'x'}\n", True, None),
        ("x = '''\n[tool.mcpgen]\n'''\n[tool.mcpgen]\nout = 'x'\n", True, None),
        ('sdk = "none"\n', False, None),
    ],
)
def test_a_key_is_added_where_that_is_safe(text: str, is_pyproject: bool, expected: str | None) -> None:
    assert add_setting(text, is_pyproject, "sdk", "mcp") == expected
