"""What a run need not do again: lowered schemas and rendered files, by digests of all that they are made from."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TypeVar, TypeVarTuple, cast

from mcpgen.cache.codec import MalformedValue, decode_value, encode_value
from mcpgen.cache.store import CacheStore, digest_toolchain
from mcpgen.ir.package import SchemaRoot

As = TypeVarTuple("As")
B = TypeVar("B")
C = TypeVar("C")


class Memory:
    """A cache on disk, if there is one, and with `warm` what this process did before.

    What is warm and was not asked for between two calls of `forget` is let go.
    """

    def __init__(self, store: CacheStore | None = None, warm: bool = False) -> None:
        self.store = store if digest_toolchain() is not None else None
        self._warm: dict[object, object] | None = {} if warm else None
        self._used: dict[object, object] = {}
        self._slots: dict[tuple[type[object], str], object] = {}

    def slot(self, key: str, factory: type[C]) -> C | None:
        """Return the object that this process keeps under a type and a key, a new one the first time.

        Returns:
            None where this process keeps nothing between runs.
        """
        if self._warm is None:
            return None
        return cast("C", self._slots.setdefault((factory, key), factory()))

    @property
    def warm(self) -> bool:
        """Whether this process remembers what it did."""
        return self._warm is not None

    @property
    def on(self) -> bool:
        """Whether anything can be remembered at all."""
        return self.store is not None or self._warm is not None

    def describe_problem(self) -> str:
        """Why the cache on disk is not used; empty when it is, when there is none, and when this was said already."""
        return "" if self.store is None else self.store.describe_problem()

    def forget(self) -> None:
        """Let go of what was not used since this was last called."""
        if self._warm is not None:
            self._warm, self._used = self._used, {}

    def memoize(self, what: str, make: Callable[[*As], B], *of: *As) -> B:
        """What is made of values that nobody changes; of the very same objects, a warm memory knows it already.

        `what` tells apart what is made of the same objects, and says all else that it depends on.
        """
        if self._warm is None:
            return make(*of)
        key = (what, *map(id, of))
        found = self._recent(key)
        if found is not None:
            return cast("tuple[object, B]", found)[1]
        made = make(*of)
        self._keep(key, (of, made))  # as long as the objects are held, no other ones have their ids
        return made

    # --- lowering -----------------------------------------------------------------------------------------------
    def load_roots(self, key: str) -> list[SchemaRoot] | None:
        """The roots of some schemas, None when they have to be lowered."""
        found = self._recent(key)
        if isinstance(found, list):
            return cast("list[SchemaRoot]", found)
        held = self.store.get("roots", key) if self.store is not None else None
        if not isinstance(held, list):
            return None
        try:
            roots = [decode_value(SchemaRoot, one) for one in held]
        except (MalformedValue, RecursionError):
            return None
        self._keep(key, roots)
        return roots

    def keep_roots(self, key: str, roots: list[SchemaRoot]) -> None:
        """Remember the roots of some schemas."""
        if any(root.untyped for root in roots):
            return  # maybe the time was up, so the next run tries again
        self._keep(key, roots)
        if self.store is not None:
            self.store.put("roots", key, [encode_value(root) for root in roots])

    # --- rendering ----------------------------------------------------------------------------------------------
    def load_text(self, key: str) -> str | None:
        """The text of a file, None when it has to be rendered."""
        found = self._recent(key)
        if isinstance(found, str):
            return found
        held = self.store.get("text", key) if self.store is not None else None
        if not isinstance(held, str) or not _is_writable_text(held):
            return None
        self._keep(key, held)
        return held

    def keep_text(self, key: str, text: str) -> None:
        """Remember the text of a file."""
        self._keep(key, text)
        if self.store is not None:
            self.store.put("text", key, text)

    def _recent(self, key: object) -> object:
        if self._warm is None:
            return None
        found = self._used.get(key) or self._warm.get(key)
        if found is not None:
            self._used[key] = found
        return found

    def _keep(self, key: object, value: object) -> None:
        if self._warm is not None:
            self._used[key] = value


def _is_writable_text(value: str) -> bool:
    """Whether a text can be written: nothing that was rendered holds a lone surrogate."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


# --- keys ------------------------------------------------------------------------------------------------------------
def make_key(*parts: str) -> str:
    """A digest of some texts, and of mcpgen itself."""
    made = hashlib.sha256((digest_toolchain() or "").encode())
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        made.update(b"%d:" % len(data))
        made.update(data)
    return made.hexdigest()
