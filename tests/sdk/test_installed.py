"""The table of the tests has a row for each SDK that the generator knows, and tests by SDK have an entry for each."""

from __future__ import annotations

from mcpgen import targets
from sdk import moving
from sdk.installed import ROWS

NAMES = {sdk.name for sdk in targets.SDKS}


def test_each_sdk_has_a_row() -> None:
    assert {row.name for row in ROWS} == NAMES


def test_rows_agree_with_the_generator() -> None:
    for row in ROWS:
        sdk = targets.get_sdk(row.name)
        assert sdk is not None
        assert row.distribution in sdk.distributions
        assert row.is_modern == (sdk.generation is targets.MCP_2)


def test_each_sdk_has_its_idioms() -> None:
    assert moving.HEADS.keys() == moving.IDIOMS.keys() == NAMES
