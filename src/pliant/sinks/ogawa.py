"""The Ogawa container, in which Alembic archives are kept: data blocks as they come, groups once they are whole.

Little-endian throughout. Sixteen bytes of head hold the place of the root group; a group is a count and the places of
its children, of which those with the highest bit are data; a block of data is its length and its bytes.
"""

import hashlib
import struct
from collections.abc import Sequence
from pathlib import Path

from pliant.sinks.beside import Beside

DATA = 1 << 63  # marks a place as data; alone it is data without bytes
NOTHING = 0  # a group without children


class Ogawa:
    """One container in the making; places of what was written are its only memory."""

    def __init__(self, target: Path) -> None:
        self._file = Beside(target)
        self._at = 16
        self._file.write(b"Ogawa\xff\x00\x01" + bytes(8))

    def data(self, content: bytes) -> int:
        """Its place."""
        if not content:
            return DATA
        return self._put(struct.pack("<Q", len(content)) + content) | DATA

    def sample(self, content: bytes) -> int:
        """A value of a property: behind a key by which readers know equal values."""
        return self.data(hashlib.blake2b(content, digest_size=16).digest() + content)

    def group(self, children: Sequence[int]) -> int:
        """Its place; children keep their order."""
        if not children:
            return NOTHING
        return self._put(struct.pack(f"<{len(children) + 1}Q", len(children), *children))

    def keep(self, root: int) -> None:
        self._file.patch(8, struct.pack("<Q", root))
        self._file.keep()

    def discard(self) -> None:
        self._file.discard()

    def _put(self, block: bytes) -> int:
        place = self._at
        self._file.write(block)
        self._at += len(block)
        return place
