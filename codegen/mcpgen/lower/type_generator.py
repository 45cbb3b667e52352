"""Call datamodel-code-generator, which turns core schemas into Python annotations."""

from __future__ import annotations

import contextlib
import io
import os
import time
import warnings
from functools import cache, partial
from pathlib import Path
from typing import Any

from mcpgen.lower.deadline import DeadlinePassed, call_until
from mcpgen.schema.values import Json

ROOT_CLASS = "Types"
"""Name of the class that refers to every definition, so that none is dropped."""
MAX_TIMER_SECONDS = 30 * 86400.0
"""The longest time that timers of all systems can count, in seconds."""


class TypeGeneratorFailed(Exception):
    """datamodel-code-generator cannot read a schema."""


class TypeGeneratorTimeout(Exception):
    """Deadline of the type generator passed."""


def compute_deadline(seconds: float) -> float:
    """Return the time of `time.monotonic` at which a number of seconds will have passed."""
    return time.monotonic() + min(seconds, MAX_TIMER_SECONDS)


def generate_annotations(definitions: dict[str, dict[str, Json]], until: float) -> str:
    """Return the source of a module with a class, or a type alias, for each definition.

    Args:
        definitions: core schemas by name. They contain no text of the user's except `enum` values: names of
            definitions and properties are the caller's own.
        until: the deadline, as a time of `time.monotonic`.

    Raises:
        TypeGeneratorFailed: datamodel-code-generator cannot read them.
        TypeGeneratorTimeout: the deadline has passed.
    """
    document: dict[str, Json] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {key: {"$ref": f"#/$defs/{key}"} for key in definitions},
        "required": list(definitions),
        "$defs": {**definitions},
    }
    from datamodel_code_generator import generate

    try:
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            text = call_until(until, partial(generate, document, config=_build_generator_config()))
    except DeadlinePassed:
        raise TypeGeneratorTimeout from None
    except Exception as error:  # it raises many kinds; the caller goes on without types
        if time.monotonic() >= until:  # it may have caught the interrupt and raised an error of its own
            raise TypeGeneratorTimeout from None
        raise TypeGeneratorFailed(str(error)) from error
    if not isinstance(text, str):
        raise TypeGeneratorFailed("it returned several modules")
    return text


_OPTIONS: dict[str, Any] = {
    "input_file_type": "jsonschema",
    "output_model_type": "pydantic_v2.BaseModel",
    "schema_version": "2020-12",
    "target_python_version": "3.11",
    "class_name": ROOT_CLASS,
    "formatters": [],
    "disable_timestamp": True,
    "strict_nullable": True,
    "use_type_alias": True,
    "use_annotated": True,
    "field_constraints": True,
    "enum_field_as_literal": "all",
    "use_tuple_for_fixed_items": True,
    "strict_types": ["str", "int", "float", "bool"],
}
"""Options that every supported version has. What only newer versions know is left at its default, so that all agree."""


@cache
def _build_generator_config() -> Any:
    import datamodel_code_generator

    library: Any = datamodel_code_generator
    # Some annotations of this model name classes that its module does not import; these two modules have them all.
    library.GenerateConfig.model_rebuild(_types_namespace=vars(library.config) | vars(library))
    # without a path, newer versions read datamodel-codegen.lock of the working folder
    has_lock = "lockfile" in library.GenerateConfig.model_fields
    return library.GenerateConfig(**_OPTIONS, **({"lockfile": Path(os.devnull)} if has_lock else {}))
