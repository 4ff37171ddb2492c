"""Positions as few bytes: 16 bits per coordinate over the clip's own range, second differences in time, deflate.

A value is predicted from the two frames before it (2 b - a); what is left, folded so that small numbers of either sign
have a zero high byte, goes low bytes first. A viewer undoes it with additions modulo 65536.
"""

import base64
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from pliant.arrays import Array
from pliant.errors import FormatError
from pliant.sinks.beside import told

LEVELS = 65535
LEVEL = 9  # of deflate


class Track:
    """One surface's positions over a clip; they wait on disk until their range is known."""

    def __init__(self, name: str, triangles: Array, attributes: list[Array], target: Path) -> None:
        self.name, self.target = name, target
        self.triangles, self.attributes = triangles, attributes  # float32 columns that stay
        self.count = 0
        self.low, self.high = np.full(3, np.inf), np.full(3, -np.inf)
        self._first: Array | None = None
        self._moved = False
        with told(target):
            self._spool = tempfile.TemporaryFile(dir=target.parent)  # noqa: SIM115  closed by close()

    def add(self, points: Array) -> None:
        """One frame (n, 3)."""
        points = np.ascontiguousarray(points, np.float32)
        if self._first is None:
            self._first = points.copy()
        if points.shape != self._first.shape:
            raise FormatError(
                f"part {self.name!r}: {len(points)} points after {len(self._first)}; a replay needs equal numbers"
            )
        if not np.isfinite(points).all():
            raise FormatError(
                f"part {self.name!r}: frame {self.count} has points that are not finite; nothing to replay"
            )
        if not self._moved and not np.array_equal(points, self._first):
            self._moved = True
            self._spooled(np.broadcast_to(self._first, (self.count, *points.shape)))  # the frames so far, all equal
        self.count += 1
        self.low = np.minimum(self.low, points.min(axis=0))
        self.high = np.maximum(self.high, points.max(axis=0))
        if self._moved:
            self._spooled(points)

    def _spooled(self, points: Array) -> None:
        with told(self.target):
            self._spool.write(np.ascontiguousarray(points, "<f4").tobytes())

    @property
    def frames(self) -> int:
        """How many are stored: one, if nothing moves."""
        return self.count if self._moved else 1

    @property
    def step(self) -> Array:
        """(3,) [m] of one level."""
        return np.maximum(self.high - self.low, 1e-9) / LEVELS

    def encoded(self) -> Iterator[bytes]:
        """Base64 of the deflated track, in pieces."""
        packer = zlib.compressobj(LEVEL)
        waiting = packer.compress(np.ascontiguousarray(self.triangles, "<u4").tobytes())
        for column in self.attributes:
            waiting += packer.compress(np.ascontiguousarray(column, "<f4").tobytes())
        for residual in self._residuals():
            waiting += packer.compress(residual)
            whole = len(waiting) // 3 * 3
            yield base64.b64encode(waiting[:whole])
            waiting = waiting[whole:]
        yield base64.b64encode(waiting + packer.flush())

    def _residuals(self) -> Iterator[bytes]:
        one = two = np.zeros(0, np.uint16)
        for k, points in enumerate(self._frames()):
            levels = np.rint((points.astype(float) - self.low) / self.step).astype(np.uint16).ravel()
            guess = np.zeros_like(levels) if k == 0 else one if k == 1 else 2 * one - two
            yield _folded(levels - guess)
            one, two = levels, one

    def _frames(self) -> Iterator[Array]:
        assert self._first is not None
        if not self._moved:
            yield self._first
            return
        with told(self.target):
            self._spool.seek(0)
            size = self._first.size * 4
            for _ in range(self.count):
                yield np.frombuffer(self._spool.read(size), "<f4").reshape(-1, 3)

    def close(self) -> None:
        self._spool.close()


def _folded(difference: Array) -> bytes:
    """uint16 differences, modulo 65536, as zigzag low bytes and then high bytes."""
    signed = difference.view(np.int16).astype(np.int32)
    folded = ((signed << 1) ^ (signed >> 15)).astype(np.uint16)
    return (folded & 255).astype(np.uint8).tobytes() + (folded >> 8).astype(np.uint8).tobytes()
