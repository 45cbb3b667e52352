"""The only caller of datamodel-code-generator: rewritten schemas go in, the text of Python annotations comes out."""

from __future__ import annotations

import contextlib
import io
import signal
import threading
import time
import warnings
from collections.abc import Generator
from functools import cache
from typing import Any

from mcpgen.schema.values import Json

ROOT_CLASS = "Types"
"""Name of the class that mentions every definition, so that none is dropped."""


INTERRUPT_INTERVAL = 0.5
"""Seconds until it is interrupted again, should the library have caught the interrupt."""
MAX_TIMER_SECONDS = 30 * 86400.0
"""Seconds that a timer can surely count, whatever the settings say."""


class TypeGeneratorFailed(Exception):
    """datamodel-code-generator has no answer for a schema."""


class TypeGeneratorTimeout(Exception):
    """The time for the type generator was up."""


class _Interrupt(BaseException):
    """Raised inside of datamodel-code-generator; no Exception, of which it catches some."""


def compute_deadline(seconds: float) -> float:
    """The time of `time.monotonic` in so many seconds."""
    return time.monotonic() + min(seconds, MAX_TIMER_SECONDS)


def generate_annotations(definitions: dict[str, dict[str, Json]], until: float) -> str:
    """A module with a class, or a type alias, for each definition.

    `definitions` hold no text of the user's but `enum` values: keys and property names are the caller's own.

    Raises:
        TypeGeneratorFailed: datamodel-code-generator cannot read them.
        OutOfTime: it has not by `until`, a time of `time.monotonic`.
    """
    document: dict[str, Json] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {key: {"$ref": f"#/$defs/{key}"} for key in definitions},
        "required": list(definitions),
        "$defs": {**definitions},
    }
    from datamodel_code_generator import generate

    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()), _interrupt_after(until):
        warnings.simplefilter("ignore")
        try:
            text = generate(document, config=_build_generator_config())
        except Exception as error:  # whatever it raises, the caller has a way to go on
            raise TypeGeneratorFailed(str(error)) from error
    if not isinstance(text, str):
        raise TypeGeneratorFailed("it answered with several modules")
    return text


@contextlib.contextmanager
def _interrupt_after(until: float) -> Generator[None]:
    """Interrupt what takes longer, where the system has timers that can (POSIX, main thread)."""
    left = until - time.monotonic()
    if left <= 0:
        raise TypeGeneratorTimeout
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(*_: object) -> None:
        raise _Interrupt

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, left, INTERRUPT_INTERVAL)
    try:
        yield
    except _Interrupt:
        raise TypeGeneratorTimeout from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@cache
def _build_generator_config() -> Any:
    from datamodel_code_generator import GenerateConfig
    from datamodel_code_generator.config import _rebuild_generate_config  # pyright: ignore[reportPrivateUsage]

    _rebuild_generate_config()
    options: dict[str, Any] = {
        "input_file_type": "jsonschema",
        "output_model_type": "pydantic_v2.BaseModel",
        "schema_version": "2020-12",
        "target_python_version": "3.11",
        "target_pydantic_version": "2.12",
        "class_name": ROOT_CLASS,
        "formatters": [],
        "disable_timestamp": True,
        "strict_refs": True,
        "strict_nullable": True,
        "use_type_alias": True,
        "use_annotated": True,
        "field_constraints": True,
        "enum_field_as_literal": "all",
        "use_single_value_enum_as_const": True,
        "use_tuple_for_closed_arrays": True,
        "use_tuple_for_fixed_items": True,
        "use_single_dict_for_object_maps": True,
        "use_typed_nullable_map_values": True,
        "strict_types": ["str", "int", "float", "bool"],
    }
    return GenerateConfig(**options)
