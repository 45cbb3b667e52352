"""The word of a command that names its server."""

from __future__ import annotations

import pytest
from mcpgen.introspect.launchers import find_program, strip_program_path


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("npx -y some-server --key x", "some-server"),
        ("npm exec some-server", "some-server"),
        ("npm install", "npm"),
        ("python3.12 -m weather.server", "weather.server"),
        ("uv run --directory /srv serve.py", "serve.py"),
        ("uv tool run tool-server", "tool-server"),
        ("docker run -i -e KEY mcp/fetch", "mcp/fetch"),
        ("docker run --unknown value mcp/fetch", "docker"),
        ("java -jar server.jar", "server.jar"),
        ("env A=b nohup node -- index.js", "index.js"),
        ("A=b C=d my-server", "my-server"),
        ("A=b", ""),
        ("npx https://example.com/x", "npx"),
        ("/opt/bin/my-server --flag", "/opt/bin/my-server"),
    ],
)
def test_programs(command: str, program: str) -> None:
    assert find_program(command.split()) == program


def test_paths_and_suffixes_are_stripped() -> None:
    assert strip_program_path("C:\\Tools\\NPX.cmd") == "npx"
    assert strip_program_path("/usr/bin/node") == "node"
