"""A package of results for decorator servers, and the handlers whose only mcpgen is a return annotation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
from support import packages

FORECAST: dict[str, Any] = {
    "type": "object",
    "description": "A forecast.",
    "properties": {
        "place": {"type": "string"},
        "wind-speed": {"type": ["number", "null"]},
        "note": {"type": "string"},
        "gusts": {"type": ["number", "null"]},
        "days": {"type": "array", "items": {"$ref": "#/$defs/Day"}},
        "next": {"$ref": "#"},
    },
    "required": ["place", "wind-speed"],
    "if": {"required": ["note"]},
    "then": {"required": ["days"]},
    "additionalProperties": False,
    "$defs": {
        "Day": {
            "type": "object",
            "properties": {"rain": {"type": "boolean"}, "hint": {"type": "string"}, "inner": {"$ref": "#/$defs/Day"}},
            "required": ["rain"],
        }
    },
}
OPEN: dict[str, Any] = {
    "type": "object",
    "properties": {"n": {"type": "integer"}, "absent": {"type": "string"}},
    "additionalProperties": {"type": "string"},
}
DAYS: dict[str, Any] = {"type": "array", "items": {"$ref": "#/$defs/Day"}, "$defs": FORECAST["$defs"]}
EXPECTED: dict[str, Any] = {
    "get-forecast": {
        "place": "Ulm",
        "wind-speed": None,
        "days": [{"rain": True, "inner": {"rain": False}}],
        "next": {"place": "Bonn", "wind-speed": 2.5, "gusts": None},
    },
    "open-result": {"n": 3, "extra": "kept"},
    "list-days": [{"rain": True}, {"rain": False, "hint": "clouds"}],
}


def build(folder: Path, *options: str) -> Any:
    """Return the package that the handlers return."""
    tools = [
        packages.tool("get-forecast", FORECAST),
        packages.tool("open-result", OPEN),
        packages.tool("list-days", DAYS),
    ]
    return packages.package(folder, tools, *options)


def handlers(generated: Any, days_annotation: Any) -> dict[str, Callable[[], Any]]:
    """Plain functions; `days_annotation` is how the SDK wants a root model annotated."""
    forecast_type, open_type = generated.GetForecastResult, generated.OpenResultResult
    days_type = generated.ListDaysResult
    forecast_module = __import__(forecast_type.__module__, fromlist=["Day"])
    day = getattr(forecast_module, "Day", None) or __import__(generated.__name__ + ".types", fromlist=["Day"]).Day

    def get_forecast() -> Any:
        after = forecast_type(place="Bonn", wind_speed=2.5, gusts=None)
        return forecast_type(
            place="Ulm", wind_speed=None, days=[day(rain=True, inner=day(rain=False))], next=after, note=None
        )

    def open_result() -> Any:
        return open_type(n=3, extras={"extra": "kept"})

    def list_days() -> Any:
        return days_type([day(rain=True), day(rain=False, hint="clouds")])

    get_forecast.__annotations__["return"] = forecast_type
    open_result.__annotations__["return"] = open_type
    list_days.__annotations__["return"] = days_annotation
    return {"get-forecast": get_forecast, "open-result": open_result, "list-days": list_days}


def conforms(advertised: Any, structured: Any) -> bool:
    """Return whether structured content satisfies the schema that was advertised for it."""
    return jsonschema_rs.validator_for(advertised).is_valid(structured)
