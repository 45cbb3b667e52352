"""The packages of the tests on the wire, built once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sdk import served as of


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[of.Served]:
    """Both packages for the SDK that is installed, and servers of them."""
    folder = of.Served(tmp_path_factory.mktemp("wire"))
    yield folder
    folder.close()
