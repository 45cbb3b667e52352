"""Each file is loaded once, and all files together are limited."""

from __future__ import annotations

from pathlib import Path

from mcpgen.config.models import Limits
from mcpgen.diagnostics import Findings
from mcpgen.files.file_tracker import FileTracker
from mcpgen.read.document_loader import DocumentLoader
from support.documents import list_messages


def make_loader(**limits: int) -> tuple[DocumentLoader, Findings, FileTracker]:
    findings, disk = Findings(), FileTracker()
    return DocumentLoader(Limits.model_validate(limits), findings, disk), findings, disk


def test_a_file_is_loaded_once(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"type": "object"}', "utf-8")
    (tmp_path / "link.json").symlink_to("a.json")
    loader, findings, disk = make_loader()
    document = loader.load(tmp_path / "a.json")
    assert document is not None
    assert loader.load(tmp_path / "link.json") is document
    assert disk.bytes_read == len('{"type": "object"}')
    assert not list(findings)


def test_a_wrong_file_is_reported_once(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{", "utf-8")
    loader, findings, _ = make_loader()
    assert [loader.load(tmp_path / "a.json") for _ in range(2)] == [None, None]
    assert [finding.code for finding in findings] == ["MG002"]


def test_all_files_together_are_limited(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.json").write_text("[1, 2]", "utf-8")
    loader, findings, _ = make_loader(**{"total-size": 7})
    loaded = [loader.load(tmp_path / f"{name}.json") is not None for name in "abc"]
    assert loaded == [True, False, False]
    assert list_messages(findings) == [("MG009", "the input files hold more than 7 bytes in all")]
