"""Packages that tests share, and the packages of the tests on the wire, built once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sdk import served as of
from sdk import typescript
from sdk.installed import SDK
from support.packages import package


@pytest.fixture(scope="module")
def generated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The package of what a test module declares, for the SDK that is installed; SETTINGS are those of its project."""
    folder, module = tmp_path_factory.mktemp("generated"), request.module
    if hasattr(module, "SETTINGS"):
        (folder / "mcpgen.toml").write_text(module.SETTINGS, "utf-8")
    members = {"resources": "RESOURCES", "resourceTemplates": "TEMPLATES", "prompts": "PROMPTS", "forms": "FORMS"}
    others = {member: getattr(module, name) for member, name in members.items() if hasattr(module, name)}
    return package(folder, getattr(module, "TOOLS", []), "--sdk", str(SDK), **others)


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
