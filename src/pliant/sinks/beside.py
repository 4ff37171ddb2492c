"""Files written beside their target and renamed when whole, so that nobody ever sees half of one.

Every operating system error (no space, no permission) becomes one line, and what was begun is removed.
"""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from pliant.errors import FormatError

_CHUNK = 2**20  # [bytes] copied at once


@contextmanager
def told(target: Path) -> Iterator[None]:
    """Operating system errors about `target` as one line."""
    try:
        yield
    except OSError as error:
        raise FormatError(f"{target}: {error.strerror or error}; nothing was written") from None


class Beside:
    """One binary file in the making."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.part = target.with_name(target.name + ".part")
        with told(target):
            if target.is_dir():
                raise FormatError(f"{target}: is a folder; a file of that name cannot be written")
            target.parent.mkdir(parents=True, exist_ok=True)
            self._stream: IO[bytes] = self.part.open("wb")

    def write(self, data: bytes | memoryview) -> None:
        self._guarded(lambda: self._stream.write(data))

    def patch(self, offset: int, data: bytes) -> None:
        """Put right what stands at the beginning of the file, such as a count known only at the end."""

        def put() -> None:
            self._stream.seek(offset)
            self._stream.write(data)
            self._stream.seek(0, 2)

        self._guarded(put)

    def take(self, spool: "Spool") -> None:
        """Append everything a spool holds."""
        self._guarded(lambda: spool.pour(self._stream))

    def keep(self) -> None:
        self._guarded(self._stream.close)
        with told(self.target):
            self.part.replace(self.target)

    def discard(self) -> None:
        with suppress(OSError):
            self._stream.close()
        self.part.unlink(missing_ok=True)

    def _guarded(self, action: Callable[[], object]) -> None:
        try:
            with told(self.target):
                action()
        except FormatError:
            self.discard()
            raise


class Spool:
    """Rows that must wait until a header is known; on disk, without a name, gone when closed."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.size = 0
        with told(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            self._stream = tempfile.TemporaryFile(dir=target.parent)  # noqa: SIM115  closed by close()

    def write(self, data: bytes | memoryview) -> None:
        with told(self.target):
            self._stream.write(data)
        self.size += len(data) if isinstance(data, bytes) else data.nbytes

    def chunks(self) -> Iterator[bytes]:
        with told(self.target):
            self._stream.seek(0)
            while chunk := self._stream.read(_CHUNK):
                yield chunk

    def pour(self, stream: IO[bytes]) -> None:
        for chunk in self.chunks():
            stream.write(chunk)

    def close(self) -> None:
        with suppress(OSError):
            self._stream.close()


class BesideFolder:
    """A folder in the making; replaces only a folder that holds nothing but files of the same kinds."""

    def __init__(self, target: Path, suffixes: tuple[str, ...]) -> None:
        self.target, self.suffixes = target, suffixes
        self.part = target.with_name(target.name + ".part")
        with told(target):
            if target.is_dir() and any(child.suffix not in suffixes for child in target.iterdir()):
                raise FormatError(f"{target}: is a folder with other files in it; choose another name")
            shutil.rmtree(self.part, ignore_errors=True)
            self.part.mkdir(parents=True)

    def write(self, name: str, data: bytes) -> None:
        try:
            with told(self.target):
                (self.part / name).write_bytes(data)
        except FormatError:
            self.discard()
            raise

    def keep(self) -> None:
        """Give the folder its name; a lone file takes the name instead of a folder around it."""
        with told(self.target):
            if self.target.is_dir():
                shutil.rmtree(self.target)
            else:
                self.target.unlink(missing_ok=True)
            files = sorted(self.part.iterdir())
            if len(files) == 1 and files[0].suffix == self.target.suffix:
                files[0].replace(self.target)
                self.part.rmdir()
            else:
                self.part.replace(self.target)

    def discard(self) -> None:
        shutil.rmtree(self.part, ignore_errors=True)
