"""Decompression of HTTP bodies in small chunks."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

from mcpgen.introspect.limits import CHUNK_SIZE


class Decompressor:
    """Decompressor of one body that returns at most a chunk at a time: a small body may become very large."""

    def __init__(self, encoding: str) -> None:
        """Start a body with the `Content-Encoding` `gzip`, `x-gzip` or `deflate`."""
        self._inflate: Any = zlib.decompressobj(zlib.MAX_WBITS | 16) if encoding != "deflate" else None

    def decompress(self, data: bytes) -> Iterator[bytes]:
        """Yield the chunks that compressed bytes expand to.

        Raises:
            zlib.error: the data is not compressed in this encoding.
        """
        if self._inflate is None and data:  # some servers send raw deflate, and some with zlib's header
            self._inflate = zlib.decompressobj(zlib.MAX_WBITS if data[0] & 15 == 8 else -zlib.MAX_WBITS)
        while data and self._inflate is not None:
            chunk = self._inflate.decompress(data, CHUNK_SIZE)
            data = self._inflate.unconsumed_tail
            if chunk:
                yield chunk
            elif self._inflate.eof:
                return

    def flush(self) -> bytes:
        """Return the rest at the end of the body."""
        return self._inflate.flush() if self._inflate is not None else b""
