"""Random schemas: a generated class accepts, emits and advertises what jsonschema-rs says of its schema."""

from __future__ import annotations

from random import Random

import pytest
from holding import Counts, hold
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_schemas import schemas

SCHEMAS = 500

pytest.importorskip("mcp_types", reason="the packages are built for mcp 2.x, which is not installed here")


@pytest.mark.slow
def test_classes_agree_with_the_validator() -> None:
    """`scripts/property.py` does the same for as many schemas as it is told to."""
    totals = Counts()

    @settings(
        max_examples=SCHEMAS, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(schemas(), st.integers(0, 2**32))
    def holds(schema: dict[str, object], seed: int) -> None:
        counts = hold([schema], Random(seed))
        assert counts.disagreements == []
        totals.add(counts)

    holds()
    assert totals.schemas >= SCHEMAS
    assert min(totals.valid, totals.invalid, totals.constructed) > SCHEMAS


def test_a_disagreement_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a serializer that forgets a property, the same check fails."""
    from mcpgen.render import views

    class_view = views.class_view

    def forgetful(*arguments: object) -> object:
        made = class_view(*arguments)  # type: ignore[arg-type]
        made.always.clear()
        return made

    monkeypatch.setattr(views, "class_view", forgetful)
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    assert hold([schema], Random(0)).disagreements
