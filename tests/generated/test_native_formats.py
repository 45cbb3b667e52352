"""`formats = "native"`: text of the schema's formats becomes Python values, and nothing else does."""

from __future__ import annotations

import datetime
import uuid
from typing import Any

import pytest
from pydantic import ValidationError
from support.packages import package, tool

MOMENT = "2031-03-12T08:00:00+01:00"
RIGHT = {"at": MOMENT, "day": "2031-03-12", "time": "08:00:00", "id": "3f1d9c3e-5f0e-4a55-9d3e-1d2c3b4a5968"}
FORMATS = {"at": "date-time", "day": "date", "time": "time", "id": "uuid"}
SCHEMA = {
    "type": "object",
    "properties": {name: {"type": "string", "format": form} for name, form in FORMATS.items()},
}


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("native")
    (folder / "mcpgen.toml").write_text('formats = "native"\n', "utf-8")
    return package(folder, [tool("log", SCHEMA)]).LogResult


def test_text_of_the_format_is_read_and_written(result: Any) -> None:
    instance = result.model_validate(RIGHT)
    kinds = (datetime.datetime, datetime.date, datetime.time, uuid.UUID)
    assert tuple(type(getattr(instance, name)) for name in FORMATS) == kinds
    assert instance.to_structured_content() == RIGHT
    assert result(**vars(instance)) == instance


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    "wrong", [0, 1931126400, 1.5, True, b"2031-03-12", "1931126400", "", [], datetime.timedelta(1)]
)
def test_numbers_and_other_values_are_refused(name: str, wrong: object, result: Any) -> None:
    with pytest.raises(ValidationError):
        result.model_validate({name: wrong})
    with pytest.raises(ValidationError):
        result(**{name: wrong})


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("day", MOMENT),
        ("day", "2031-03-12T00:00:00Z"),
        ("day", datetime.datetime(2031, 3, 12, tzinfo=datetime.UTC)),
        ("at", "2031-03-12"),
        ("at", "2031-03-12T08:00:00"),
        ("at", datetime.date(2031, 3, 12)),
        ("time", MOMENT),
    ],
)
def test_one_format_is_not_another(name: str, wrong: object, result: Any) -> None:
    with pytest.raises(ValidationError):
        result.model_validate({name: wrong})
