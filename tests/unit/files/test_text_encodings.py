"""The encoding of a file that is not UTF-8 is guessed, and no byte of it is repeated."""

from __future__ import annotations

import pytest
from mcpgen.files.text_encodings import explain_encoding


@pytest.mark.parametrize(
    ("encoding", "name"),
    [("utf-16", "UTF-16"), ("utf-32", "UTF-32"), ("utf-16-le", "binary"), ("cp1252", "Windows-1252")],
)
def test_the_encoding_is_named(encoding: str, name: str) -> None:
    message, help = explain_encoding('{"title": "Größe"}'.encode(encoding))
    assert name in message
    assert "UTF-8" in help
