"""H.264 video in an MP4 file, by ffmpeg: raw pictures go in through a pipe, nothing but the file comes out.

The bytes depend on the pictures alone: no dates, no encoder's signature of the run, a fixed number of threads.
"""

import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from pliant.arrays import Array
from pliant.errors import FormatError, UnsupportedError
from pliant.sinks.film import Film
from pliant.world import World

THREADS = 2  # fixed: the encoder's threads share a picture differently with every number
QUALITY = 18  # constant rate factor, 0 lossless to 51
PRESET = "veryfast"


def ffmpeg() -> str:
    """The program on PATH, or the one that imageio-ffmpeg brings along."""
    found = shutil.which("ffmpeg")
    if found:
        return found
    try:
        import imageio_ffmpeg

        return str(imageio_ffmpeg.get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        raise UnsupportedError("mp4 needs ffmpeg; put it on PATH or install pliant[video]") from None


class Mp4(Film):
    """Options: size (even sides), rate (pictures per second, at most the frames'), theme, wire, renderer, view."""

    suffixes = (".mp4",)
    summary = "video, H.264 with a soft-shadowed stage"

    def __init__(self, target: str | Path, world: World, *, fps: float = 60.0, **options: Any) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._program = ffmpeg()
        super().__init__(target, world, fps=fps, **options)
        if self.options.size[0] % 2 or self.options.size[1] % 2:
            self._file.discard()
            width, height = self.options.size
            raise FormatError(f"size = {width}x{height}; video needs even sides, such as {width & ~1}x{height & ~1}")
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115  closed by _finish or _drop

    def _add(self, picture: Array) -> None:
        if self._process is None:
            self._process = subprocess.Popen(
                self._command(), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self._complaints
            )
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(picture.data)
        except OSError:
            self._process.wait()
            raise self._failure() from None

    def _finish(self) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        with suppress(OSError):  # it has ended already; its exit code says why
            self._process.stdin.close()
        if self._process.wait() != 0:
            raise self._failure()
        self._complaints.close()

    def _drop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError):  # what was left to send goes nowhere
                self._process.stdin.close()
        if hasattr(self, "_complaints"):
            self._complaints.close()

    def _failure(self) -> FormatError:
        self._complaints.seek(0)
        lines = self._complaints.read().decode(errors="replace").strip().splitlines()
        return FormatError(f"{self.target}: ffmpeg failed: {lines[-1] if lines else 'without a word'}")

    def _command(self) -> list[str]:
        width, height = self.options.size
        color = ["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv"]
        return [
            *(self._program, "-v", "error", "-nostdin", "-y"),
            *(
                "-f",
                "rawvideo",
                "-pix_fmt",
                "rgb24",
                "-s",
                f"{width}x{height}",
                "-r",
                f"{self.rate:.6g}",
                "-i",
                "pipe:",
            ),
            *("-vf", "scale=out_color_matrix=bt709:out_range=tv:flags=accurate_rnd+bitexact,format=yuv420p"),
            *(
                "-c:v",
                "libx264",
                "-preset",
                PRESET,
                "-crf",
                str(QUALITY),
                "-x264-params",
                "aq-mode=3",
                "-threads",
                str(THREADS),
                *color,
            ),
            *("-map_metadata", "-1", "-fflags", "+bitexact", "-flags:v", "+bitexact", "-movflags", "+faststart"),
            *("-f", "mp4", str(self._file.part.absolute())),
        ]
