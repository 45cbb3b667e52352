"""Decompression in chunks."""

from __future__ import annotations

import gzip
import zlib

import pytest
from mcpgen.introspect.limits import CHUNK_SIZE
from mcpgen.introspect.transports.decompression import Decompressor

TEXT = b"some text " * 50_000
RAW = zlib.compressobj(wbits=-zlib.MAX_WBITS)


@pytest.mark.parametrize(
    ("encoding", "data"),
    [
        ("gzip", gzip.compress(TEXT)),
        ("x-gzip", gzip.compress(TEXT)),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", RAW.compress(TEXT) + RAW.flush()),
    ],
)
@pytest.mark.parametrize("size", [7, 100_000])
def test_bodies_in_pieces(encoding: str, data: bytes, size: int) -> None:
    decompressor = Decompressor(encoding)
    chunks: list[bytes] = []
    for start in range(0, len(data), size):
        chunks += decompressor.decompress(data[start : start + size])
    assert b"".join((*chunks, decompressor.flush())) == TEXT
    assert max(map(len, chunks)) <= CHUNK_SIZE


def test_data_that_is_not_compressed() -> None:
    with pytest.raises(zlib.error):
        list(Decompressor("gzip").decompress(b"plain text"))
