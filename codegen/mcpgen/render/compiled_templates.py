"""Keep compiled templates between runs: compiling those of a tool takes longer than rendering most tools."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING

from jinja2 import BytecodeCache

from mcpgen.cache.render_cache import RenderCache

if TYPE_CHECKING:
    from jinja2.bccache import Bucket


class CompiledTemplates(BytecodeCache):
    """Cache for a Jinja environment, which compares the versions of Python and of the bytecode itself."""

    def __init__(self, cache: RenderCache) -> None:
        self._cache = cache

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load a template, if it is known and undamaged."""
        text = self._cache.load_template(bucket.key, bucket.checksum)
        if text is None:
            return
        try:
            bucket.bytecode_from_string(base64.b64decode(text, validate=True))
        except (binascii.Error, EOFError, TypeError, ValueError):
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store a template."""
        self._cache.keep_template(bucket.key, bucket.checksum, base64.b64encode(bucket.bytecode_to_string()).decode())
