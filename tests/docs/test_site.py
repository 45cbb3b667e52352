"""The documentation site: it builds without a warning, finds what is searched, and loads nothing from elsewhere.

Needs the extra `docs`; .ci/run has an environment with it.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.repository import ROOT

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("mkdocs") is None or importlib.util.find_spec("mkdocstrings") is None,
    reason="the extra `docs` is not installed here",
)
LOADED = re.compile(
    r"<(?:script|img|link|iframe|source)\b[^>]*?\b(?:src|href|srcset)=[\"']?(https?:)?//[^\"' >]+", re.IGNORECASE
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as in CI."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment, timeout=300)
    assert run.returncode == 0, run.stderr
    return folder


def test_pages_load_nothing_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 50
    for page in pages:
        assert [match[0] for match in LOADED.finditer(page.read_text("utf-8"))] == [], page


def test_the_search_works_without_a_server(site: Path) -> None:
    """The index is a script beside the page: a browser loads it from a file, too."""
    index = (site / "search" / "search_index.js").read_text("utf-8")
    assert "structuredContent" in index
    assert (site / "assets" / "frame-worker.js").exists()


@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no chromium here")
@pytest.mark.parametrize("page", ["index.html", "guides/errors.html"])
def test_a_browser_finds_something_on_a_page_that_is_opened_as_a_file(site: Path, page: str, tmp_path: Path) -> None:
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}"]
    command += ["--virtual-time-budget=20000", "--dump-dom", f"file://{site / page}?q=lenient"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    results = re.findall(r'<a href="([^"]+)" class="md-search-result__link"', run.stdout)
    assert any("reference/package.html" in link for link in results), run.stderr[-2000:]


def test_the_api_pages_show_the_docstrings_of_a_generated_package(site: Path) -> None:
    servers = (site / "reference" / "api-servers.html").read_text("utf-8")
    clients = (site / "reference" / "api-clients.html").read_text("utf-8")
    assert "Return the tools, to bind them one by one to a server" in servers
    assert "a session, or a client that has one" in clients


def test_llms_txt_is_at_the_root_and_its_links_lead_to_markdown(site: Path) -> None:
    links = re.findall(r"\]\(([^)]+)\)", (site / "llms.txt").read_text("utf-8"))
    assert len(links) > 50
    for link in links:
        assert (site / link).read_text("utf-8").lstrip().startswith(("#", "---")), link
        assert (site / link).with_suffix(".html").exists(), link


def test_the_settings_schema_is_published(site: Path) -> None:
    assert json.loads((site / "mcpgen.schema.json").read_text("utf-8"))["properties"]["sdk"]
