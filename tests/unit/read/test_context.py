"""A site makes spans relative to a definition."""

from __future__ import annotations

from pathlib import Path

from mcpgen.read.context import ReadContext
from support.documents import make_context, make_site


def test_a_site_descends_into_its_definition(tmp_path: Path) -> None:
    site = make_site(tmp_path, {"tools": [{"a/b": {"c": 1}}]}, "/tools/0").descend("a/b")
    assert site.pointer == "/tools/0/a~1b"
    assert (site.make_span().column, site.make_span("/c").column, site.make_span("", "c").column) == (20, 26, 21)
    assert site.make_span("", "c").pointer == "/tools/0/a~1b/c"


def test_mapped_folders_are_relative_to_the_settings(tmp_path: Path) -> None:
    context: ReadContext = make_context(tmp_path, **{"ref-map": {"https://a/": "vendor"}})
    assert context.ref_map == (("https://a/", tmp_path / "vendor"),)
