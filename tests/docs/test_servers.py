"""docs/reference/servers.md names the servers and versions that are supported, and those that .ci/run tests."""

from __future__ import annotations

import re

import pytest
from mcpgen.targets import SDKS, Sdk
from sdk.server_kinds import KINDS
from support.repository import ROOT


@pytest.mark.parametrize("sdk", SDKS, ids=lambda sdk: sdk.name)
def test_servers_and_versions_are_as_supported_and_tested(sdk: Sdk) -> None:
    page = (ROOT / "docs" / "reference" / "servers.md").read_text("utf-8")
    (row,) = re.findall(rf"(?m)^\| `{sdk.name}` \| (.*) \| (.*) \| (.*) \|$", page)
    servers, supported, tested = row
    distribution = sdk.distributions[-1]
    kinds = [kind for kind in KINDS if kind.row.name == sdk.name]
    names = ["low-level `Server`" if kind.is_low_level else f"`{kind.row.server_class}`" for kind in kinds]
    assert servers == ", ".join(names)
    assert supported == f"{distribution} from {sdk.oldest}, below {sdk.below}"
    assert "the newest " in tested
    pins = re.findall(rf"\]=\"{distribution}==([\d.]+)", _read_checks("legs.sh"))
    if oldest := re.match(rf"{distribution} ([\d.]+) and ", tested):
        assert oldest[1] in pins
        assert oldest[1] == f"{sdk.oldest}.0"
    else:
        assert not pins


@pytest.mark.parametrize("requirement", ["mcp<2", "fastmcp[tasks]>=4,<5", "fastmcp>=3,<4", "dedalus-mcp>=0.7,<1"])
def test_the_newest_versions_are_tested(requirement: str) -> None:
    (name,) = re.findall(rf'\[(\w+)\]="{re.escape(requirement)}[ "]', _read_checks("legs.sh"))
    assert re.search(rf'run_sdk {name} "\$\{{SEAM\[@\]\}}"', _read_checks("run"))
    assert "SEAM=(matrix " in _read_checks("legs.sh")


def _read_checks(name: str) -> str:
    return (ROOT / ".ci" / name).read_text("utf-8")
