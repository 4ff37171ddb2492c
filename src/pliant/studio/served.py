"""What the door serves: viser's own page with the project's style and script in it, pictures, and how parts look."""

import json
import struct
import threading
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from urllib.parse import unquote

import numpy as np

from pliant.errors import UnsupportedError
from pliant.sinks.picture.finish import PATTERNS
from pliant.sinks.picture.surface import Surface

ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Cpath fill='%23c8452f' "
    "d='M4 5c8 4 16-4 24 0v19c-4 5-8 0-12 3s-8-2-12-1z'/%3E%3C/svg%3E"
)

WEAVE = PATTERNS.index("weave")  # plain cloth shows its threads when one comes near
FIBRES = 0.1  # sheen above which a surface is made of threads; skin has a little, too
STAGES = 6  # whose looks are remembered


class Served:
    """Everything a visitor may fetch, by path; nothing is looked up on the disk by a name from outside."""

    def __init__(self) -> None:
        self._dresses: dict[str, bytes] = {}
        self._pictures: dict[str, bytes] = {}
        self._lock = threading.Lock()

    def __call__(self, path: str) -> tuple[str, bytes] | None:
        if path in ("/", "/index.html"):
            return "text/html; charset=utf-8", self.page
        with self._lock:
            if path.startswith("/dress/"):
                found = self._dresses.get(unquote(path.removeprefix("/dress/")))
                return None if found is None else ("application/octet-stream", found)
            found = self._pictures.get(path.removeprefix("/pictures/"))
            return None if found is None else ("image/jpeg", found)

    @cached_property
    def page(self) -> bytes:
        """viser's page, dressed."""
        try:
            import viser
        except ImportError:
            raise UnsupportedError("the studio needs viser: pip install pliant[studio]") from None
        whole = (Path(viser.__file__).parent / "client" / "build" / "index.html").read_text(encoding="utf-8")
        own = files("pliant.studio.client")
        style, scripts = own.joinpath("page.css"), [own.joinpath(name) for name in ("look.js", "page.js")]
        head = f"<style>{style.read_text(encoding='utf-8')}</style>"
        head += "".join(f"<script>{script.read_text(encoding='utf-8')}</script>" for script in scripts)
        whole = whole.replace("<title>Viser</title>", "<title>pliant studio</title>", 1)
        start = whole.find('href="data:image/svg+xml')
        if start > 0:
            stop = whole.find('"', start + 6)
            whole = whole[: start + 6] + ICON + whole[stop:]
        first = whole.find("</title>") + len("</title>")
        return (whole[:first] + head + whole[first:]).encode()

    def dress(self, generation: int, surfaces: list[Surface]) -> None:
        """How the parts of a stage look; what much earlier stages wore is forgotten."""
        made = {f"{generation}/{surface.name}": _dress(surface) for surface in surfaces}
        with self._lock:
            kept = {key: value for key, value in self._dresses.items() if int(key.split("/")[0]) > generation - STAGES}
            self._dresses = kept | made

    def hang(self, name: str, picture: bytes) -> None:
        """A JPEG at /pictures/NAME."""
        with self._lock:
            self._pictures[name] = picture


def _dress(surface: Surface) -> bytes:
    """Length, header, pattern coordinates (n, 2), and where a part has them the colours of its points (n, 3)."""
    finish, count = surface.finish, len(surface.points)
    header = {
        "count": count,
        "front": finish.front,
        "back": finish.back,
        "pattern": WEAVE if finish.pattern == 0 and finish.sheen > FIBRES else finish.pattern,
        "answer": (finish.roughness, finish.shine, finish.sheen, finish.thin),
        "metal": finish.metal,
        "tinted": surface.tint is not None,
    }
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 4)
    arrays = [np.ascontiguousarray(surface.pattern, "<f4").tobytes()]
    if surface.tint is not None:
        arrays.append(np.ascontiguousarray(surface.tint, "<f4").tobytes())
    return struct.pack("<I", len(text)) + text + b"".join(arrays)
