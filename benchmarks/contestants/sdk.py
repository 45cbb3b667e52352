"""What the contestants of all SDKs have in common: the forms of each value, and their cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from benchmarks import values
from benchmarks.cases import DATACLASS, DICT, MODEL, OBJECT, WIRE, Case, format_section, wire_form
from benchmarks.values import BINARY

Convert = Callable[[Any], Any]
"""From what the handler returned."""


def make_cases(
    contestant: str, converter: Callable[[Any], Convert], dumps: dict[str, Convert], image: Any, returns: Any
) -> Iterator[Case]:
    """Yield the cases of an SDK.

    Args:
        contestant: its name.
        converter: gives, for a handler's return annotation, what turns a value into the SDK's CallToolResult.
        dumps: what turns that into JSON on the wire, by the contestant's name.
        image: makes of nothing what a handler returns for the binary value.
        returns: the annotation of that.
    """
    for value in values.make_values():
        forms = {
            MODEL: (value.model, value.as_model),
            DICT: (value.typed_dict, value.json),
            DATACLASS: (value.dataclass, value.as_dataclass),
        }
        for form, (annotation, make_value) in forms.items():
            for target, name, run in _runs(contestant, converter(annotation), dumps, _make_constant(make_value)):
                # their nulls for what is absent are passed over: the declared schema would refuse them
                checked = lambda result, value=value: values.check(value, wire_form(result), exact=False)  # noqa: E731
                yield Case(format_section(target, form), value.name, name, run, checked)
    for target, name, run in _runs(contestant, converter(returns), dumps, image):
        yield Case(
            format_section(target, MODEL), BINARY, name, run, lambda result: values.check_binary(wire_form(result))
        )


def _make_constant(value: Any) -> Callable[[], Any]:
    return lambda: value


def _runs(
    contestant: str, convert: Convert, dumps: dict[str, Convert], make_value: Callable[[], Any]
) -> Iterator[tuple[str, str, Callable[[], Any]]]:
    yield OBJECT, contestant, lambda: convert(make_value())
    for name, dump in dumps.items():
        yield WIRE, name, lambda dump=dump: dump(convert(make_value()))  # type: ignore[misc]


def handler(annotation: Any) -> Callable[[], Any]:
    """A function that says what it returns."""

    def returned() -> Any: ...

    returned.__annotations__["return"] = annotation
    return returned
