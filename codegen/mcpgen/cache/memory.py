"""Results of earlier runs: lowered schemas and rendered files, under digests of their inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from mcpgen.cache.codec import MalformedValue, decode_value, encode_value
from mcpgen.cache.memo import Memo
from mcpgen.cache.render_cache import RenderCache
from mcpgen.cache.store import CacheStore
from mcpgen.cache.toolchain import digest_toolchain
from mcpgen.schema.values import Json

if TYPE_CHECKING:
    from mcpgen.ir.package import SchemaRoot


class Memory:
    """Two-level cache: the memo of this process, if it is `warm`, in front of the store on disk, if there is one."""

    def __init__(self, store: CacheStore | None = None, warm: bool = False) -> None:
        self.store = store if digest_toolchain() is not None else None
        self.memo = Memo(warm)

    @property
    def warm(self) -> bool:
        """Tell whether this process keeps results between runs."""
        return self.memo.enabled

    @property
    def enabled(self) -> bool:
        """Tell whether any results are kept, in this process or on disk."""
        return self.store is not None or self.warm

    @property
    def for_rendering(self) -> RenderCache:
        """The formatted texts and compiled templates."""
        return RenderCache(self.store.folder if self.store is not None else None)

    def describe_problem(self) -> str:
        """Return why the cache on disk is not used; empty if it is used, if there is none, and from the second call."""
        return "" if self.store is None else self.store.describe_problem()

    # --- lowering -----------------------------------------------------------------------------------------------
    def load_roots(self, key: str) -> list[SchemaRoot] | None:
        """Return the lowered schemas under a key, None if they are unknown."""
        roots = self.memo.find("roots", key)
        if isinstance(roots, list):
            return cast("list[SchemaRoot]", roots)
        decoded = _decode_roots(self.store.get("roots", key)) if self.store is not None else None
        if decoded is not None:
            self.memo.keep("roots", key, decoded)
        return decoded

    def keep_roots(self, key: str, roots: list[SchemaRoot]) -> None:
        """Keep lowered schemas in this process; `store_roots` keeps them on disk."""
        if are_final(roots):
            self.memo.keep("roots", key, roots)

    # --- rendering ----------------------------------------------------------------------------------------------
    def load_text(self, key: str) -> str | None:
        """Return the text of a rendered file, None if it is unknown."""
        text = self.memo.find("text", key)
        if isinstance(text, str):
            return text
        stored = self.store.get("text", key) if self.store is not None else None
        if not isinstance(stored, str) or not _is_writable_text(stored):
            return None
        self.memo.keep("text", key, stored)
        return stored

    def keep_text(self, key: str, text: str) -> None:
        """Keep the text of a rendered file in this process; `store_text` keeps it on disk."""
        self.memo.keep("text", key, text)


def store_roots(store: CacheStore | None, key: str, roots: list[SchemaRoot]) -> None:
    """Store lowered schemas under a key, if there is a store. The process that has lowered them does this."""
    if store is not None and are_final(roots):
        store.put("roots", key, [encode_value(root) for root in roots])


def store_text(store: CacheStore | None, key: str, text: str) -> None:
    """Store the text of a rendered file under a key, if there is a store. The process that rendered it does this."""
    if store is not None:
        store.put("text", key, text)


def are_final(roots: list[SchemaRoot]) -> bool:
    """Tell whether lowering will come to the same again: what has no type may have run out of time."""
    return not any(root.untyped for root in roots)


def _decode_roots(entry: Json) -> list[SchemaRoot] | None:
    """Decode a cache entry; None if it is malformed."""
    from mcpgen.ir.package import SchemaRoot  # a build that has nothing to do needs no IR

    if not isinstance(entry, list):
        return None
    try:
        return [decode_value(SchemaRoot, root) for root in entry]
    except (MalformedValue, RecursionError):
        return None


def _is_writable_text(text: str) -> bool:
    """Check that a text can be encoded: a lone surrogate is never rendered, but may be in a forged entry."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
