"""Keys of a TOML text have their positions: of tables, of lists of tables, and inside inline tables."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.config.toml_positions import MAX_SETTINGS_SIZE, KeyPositions, read_settings_bytes

TEXT = """\
out = "a"
[tool.x]
limits = {depth = 1, values = 2}
"quo ted" = 1
[[tool.x.package]]
out = "b"
[[tool.x.package]]
  sdk = "c"
[tool.x.package.limits]
depth = 3
"""


@pytest.mark.parametrize(
    ("path", "line", "column"),
    [
        ((), 2, 2),
        (("limits",), 3, 1),
        (("limits", "values"), 3, 22),
        (("quo ted",), 4, 1),
        (("package", 0, "out"), 6, 1),
        (("package", 1, "sdk"), 8, 3),
        (("package", 1, "limits", "depth"), 10, 1),
        (("package", 0, "missing"), 5, 3),
    ],
)
def test_a_key_has_its_position(path: tuple[str | int, ...], line: int, column: int) -> None:
    span = KeyPositions("x.toml", TEXT, ("tool", "x")).locate(path)
    assert (span.file, span.line, span.column) == ("x.toml", line, column)
    assert span.text == TEXT.split("\n")[line - 1]
    assert span.pointer == ".".join(map(str, path))


def test_without_any_table_there_is_no_line() -> None:
    assert KeyPositions("x.toml", "", ()).locate(("a",)).line == 0


def test_an_unreadable_file_has_no_bytes(tmp_path: Path) -> None:
    (tmp_path / "large.toml").write_bytes(b"#" * (MAX_SETTINGS_SIZE + 1))
    assert read_settings_bytes(tmp_path / "large.toml") == b""
    assert read_settings_bytes(tmp_path) == b""


def test_a_table_that_only_others_imply_is_where_the_first_of_them_is() -> None:
    span = KeyPositions("x.toml", TEXT, ()).locate(("tool",))
    assert (span.line, span.column, span.pointer) == (2, 2, "tool")
