"""Keep compiled templates between runs: compiling those of a tool takes longer than rendering most tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jinja2 import BytecodeCache

from mcpgen.cache.store import Store, make_key

if TYPE_CHECKING:
    from jinja2.bccache import Bucket


_KIND = "template"


class CompiledTemplates(BytecodeCache):
    """Cache for a Jinja environment, which compares the versions of Python and of the bytecode itself."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load a template, if it is known and undamaged."""
        data = self._store.get_bytes(_KIND, make_key(_KIND, bucket.key, bucket.checksum))
        if data is None:
            return
        try:
            bucket.bytecode_from_string(data)
        except (EOFError, TypeError, ValueError):
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store a template."""
        self._store.put_bytes(_KIND, make_key(_KIND, bucket.key, bucket.checksum), bucket.bytecode_to_string())
