"""Random schemas: a generated class accepts, emits and advertises what jsonschema-rs says of its schema."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcpgen.literals import Literal
from mcpgen.render.serializers import SerializerWriter
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from support.holding import Counts, hold
from support.random_schemas import batch, schemas

SINGLE, PACKAGES, SIZE = 100, 40, 10
EVERY: tuple[HealthCheck, ...] = (
    HealthCheck.data_too_large,
    HealthCheck.filter_too_much,
    HealthCheck.large_base_example,
    HealthCheck.too_slow,
)

pytest.importorskip("mcp_types", reason="the packages are built for mcp 2.x, which is not installed here")


@pytest.mark.slow
def test_classes_agree_with_the_validator() -> None:
    """A schema a package, so that hypothesis can make one that fails small."""
    totals = Counts()

    @settings(max_examples=SINGLE, deadline=None, derandomize=True, database=None, suppress_health_check=EVERY)
    @given(schemas(), st.integers(0, 2**32))
    def holds(schema: dict[str, object], seed: int) -> None:
        counts = hold([schema], Random(seed))
        assert counts.disagreements == []
        totals.add(counts)

    holds()
    assert totals.schemas >= SINGLE
    assert min(totals.valid, totals.invalid, totals.constructed) > SINGLE


@pytest.mark.slow
@pytest.mark.parametrize("dialect", [DRAFT_2020_12, DRAFT_07])
def test_classes_that_share_definitions_agree_with_the_validator(dialect: str) -> None:
    """Several schemas a package; `scripts/property.py` does the same for as many as it is told to."""
    totals = Counts()
    for seed in range(PACKAGES // 2):
        random = Random(f"{dialect}{seed}")
        totals.add(hold(batch(random, dialect, SIZE), random))
    assert totals.disagreements == []
    assert totals.schemas == PACKAGES // 2 * SIZE
    assert min(totals.valid, totals.invalid, totals.constructed) > totals.schemas


def test_a_disagreement_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a serializer that forgets a property, the same check fails."""
    monkeypatch.setattr(SerializerWriter, "write_object", lambda *_: Literal("return {}"))
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    assert hold([schema], Random(0)).disagreements
