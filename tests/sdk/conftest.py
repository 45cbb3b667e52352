"""The packages of the tests on the wire, built once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sdk import served as of
from sdk import typescript


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[of.Served]:
    """Both packages for the SDK that is installed, and servers of them."""
    folder = of.Served(tmp_path_factory.mktemp("wire"))
    yield folder
    folder.close()


@pytest.fixture(scope="session")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the TypeScript clients run."""
    return typescript.install(tmp_path_factory.mktemp("typescript"))
