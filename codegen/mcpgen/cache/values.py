"""Values as bytes for the store, and back: only plain values, and mcpgen's own classes of values."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from dataclasses import is_dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from typing import Any

_OTHER_CLASSES = {
    (module, name)
    for module in ("pathlib", "pathlib._local")
    for name in ("PosixPath", "WindowsPath", "PurePosixPath", "PureWindowsPath")
}


class _Pickler(pickle.Pickler):
    def __init__(self, stream: io.BytesIO, describe_reference: Callable[[object], object]) -> None:
        super().__init__(stream, pickle.HIGHEST_PROTOCOL)
        self._describe_reference = describe_reference

    def persistent_id(self, obj: object) -> object:
        return self._describe_reference(obj)


class _Unpickler(pickle.Unpickler):
    def __init__(self, stream: io.BytesIO, load_reference: Callable[[Any], object] | None) -> None:
        super().__init__(stream)
        self._load_reference = load_reference

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        return _find_class(module_name, global_name)

    def persistent_load(self, pid: Any) -> object:
        if self._load_reference is None:
            raise pickle.UnpicklingError("an object that is not stored")
        return self._load_reference(pid)


def dump(value: object, describe_reference: Callable[[object], object] | None = None) -> bytes | None:
    """Return a value as bytes; None if it is nested too deeply.

    Args:
        value: made of plain values, paths, dataclasses, enumerations and named tuples.
        describe_reference: returns what stands for an object that is not stored; None for one that is.
    """
    stream = io.BytesIO()
    try:
        if describe_reference is None:
            return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        _Pickler(stream, describe_reference).dump(value)
    except RecursionError:
        return None
    return stream.getvalue()


def load(data: bytes, load_reference: Callable[[Any], object] | None = None) -> Any:
    """Return the value that some bytes stand for; None if they stand for none.

    Args:
        data: what `dump` returned.
        load_reference: returns an object given what stands for it.
    """
    try:
        return _Unpickler(io.BytesIO(data), load_reference).load()
    except Exception:  # damaged and forged bytes can call any class of values with anything
        return None


@cache
def _find_class(module: str, name: str) -> Any:
    """Return a class of values.

    Raises:
        pickle.UnpicklingError: it is another object.
    """
    is_other = (module, name) in _OTHER_CLASSES
    found: Any = getattr(import_module(module), name) if is_other or module.startswith("mcpgen.") else None
    if is_other or _is_class_of_values(found):
        return found
    raise pickle.UnpicklingError(f"{name} is not a class of values")


def _is_class_of_values(found: object) -> bool:
    return isinstance(found, type) and (is_dataclass(found) or issubclass(found, tuple | Enum))
