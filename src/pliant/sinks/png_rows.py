"""8-bit RGB PNG written row by row (ISO/IEC 15948): nothing but the compressor's window is kept in memory."""

import struct
import zlib
from collections.abc import Iterable, Iterator

from pliant.arrays import Array

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def png(width: int, height: int, rows: Iterable[Array]) -> Iterator[bytes]:
    """The file in pieces; each item of `rows` is (k, width, 3) uint8, top first, k rows in all being `height`."""
    yield _SIGNATURE + _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    squeeze = zlib.compressobj(6)
    for block in rows:
        for row in block:
            if data := squeeze.compress(b"\0" + row.tobytes()):
                yield _chunk(b"IDAT", data)
    yield _chunk(b"IDAT", squeeze.flush())
    yield _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
