"""The door of the page: who may come in, what is served, and how fast a visitor may talk.

The studio's server is viser's; everything that reaches it passes here first. A page of another site that the same
browser has open (a foreign `Origin`, a name that was turned to this machine) is refused; where the studio listens to
other machines, every request needs the token; a visitor who floods is read more slowly, one who sends too much or
nonsense is shown out. Nobody else notices either.
"""

import asyncio
import contextlib
import http
import secrets
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

from pliant.errors import UnsupportedError

LOOPBACK = ("127.0.0.1", "localhost", "::1")
COOKIE = "pliant"
TALK_RATE = 300.0  # messages per second that one visitor may send
TALK_BURST = 600.0
DATA_RATE = 16e6  # [byte/s]
DATA_BURST = 32e6
MESSAGE_LIMIT = 4 * 2**20  # [byte] of one message; a page sends uploads in pieces of half a megabyte
UPLOAD_LIMIT = 64 * 2**20  # [byte] of one file
UPLOADS_AT_ONCE = 2  # of one visitor
VISITORS = 32

Serve = Callable[[str], tuple[str, bytes] | None]  # path -> (type, content)
_patching = threading.Lock()


class Door:
    """Looks at every request and every message before viser does."""

    def __init__(self, host: str, serve: Serve, token: str | None = None) -> None:
        self.public = host not in LOOPBACK
        self.token = token or (secrets.token_urlsafe(24) if self.public else None)
        self.installed = False
        self._serve = serve
        self._inside = 0

    def admit(self, request: Any) -> tuple[http.HTTPStatus, str, bytes, dict[str, str]] | None:
        """None: come in. Otherwise the answer: status, type, content and headers."""
        host = request.headers.get("Host", "")
        if not self.public and (urlsplit(f"//{host}").hostname or "") not in LOOPBACK:
            return _refused("this studio answers on this machine only")
        if not self._knows(request):
            return _refused("a token is needed; use the whole address that the studio printed")
        if request.headers.get("Upgrade", "").lower() == "websocket":
            origin = request.headers.get("Origin")
            if origin is not None and urlsplit(origin).netloc != host:
                return _refused("another site may not talk to the studio")
            return None if self._inside < VISITORS else _refused("the studio is full")
        found = self._serve(urlsplit(request.path).path)
        if found is None:
            return http.HTTPStatus.NOT_FOUND, "text/plain", b"not found", _headers(host)
        headers = _headers(host)
        if self.token is not None:
            headers["Set-Cookie"] = f"{COOKIE}={self.token}; HttpOnly; SameSite=Strict; Path=/"
        return http.HTTPStatus.OK, found[0], found[1], headers

    def _knows(self, request: Any) -> bool:
        if self.token is None:
            return True
        given = parse_qs(urlsplit(request.path).query).get("token", [])
        cookies = (piece.strip().partition("=") for piece in request.headers.get("Cookie", "").split(";"))
        given += [value for name, _, value in cookies if name == COOKIE]
        return any(secrets.compare_digest(word.encode(), self.token.encode()) for word in given)

    async def meet(self, connection: Any, inner: Callable[[Any], Awaitable[None]]) -> None:
        """One visitor's whole stay."""
        connection.recv = Ear(connection.recv).hear
        self._inside += 1
        try:
            await inner(connection)
        except RudenessError as error:
            await connection.close(1008, str(error))
        except (AssertionError, KeyError, TypeError, ValueError, RuntimeError):  # it spoke nonsense, or the stage shuts
            await connection.close(1003, "not understood")
        finally:
            self._inside -= 1

    @contextlib.contextmanager
    def standing(self) -> Iterator[None]:
        """While this lasts, a websocket server that opens has this door. viser has no hook for one."""
        from websockets.asyncio import server

        opening = server.serve

        def serve(inner: Any, host: str, port: int, **options: Any) -> Any:
            self.installed = True
            options |= {"process_request": self._asked, "max_size": MESSAGE_LIMIT}
            return opening(lambda connection: self.meet(connection, inner), host, port, **options)

        with _patching:
            server.serve = serve  # type: ignore[misc,assignment]
            try:
                yield
            finally:
                server.serve = opening  # type: ignore[misc]
        if not self.installed:
            raise UnsupportedError("the studio's door does not fit this version of viser; install viser 1.1")

    def _asked(self, connection: Any, request: Any) -> Any:
        from websockets.datastructures import Headers
        from websockets.http11 import Response

        answer = self.admit(request)
        if answer is None:
            return None
        status, kind, content, headers = answer
        headers |= {"Content-Type": kind, "Content-Length": str(len(content))}
        return Response(status, status.phrase, Headers(**headers), content)


class RudenessError(Exception):
    """A visitor sent more than anybody may."""


class Ear:
    """Hears one visitor no faster than it should, by two leaky buckets; the rest waits on the visitor's own machine."""

    def __init__(self, take: Callable[[], Awaitable[Any]]) -> None:
        self._take = take
        self._words, self._bytes = TALK_BURST, DATA_BURST
        self._then = 0.0
        self._uploads: dict[str, int] = {}  # bytes that are still to come

    async def hear(self) -> Any:
        raw = await self._take()
        now = asyncio.get_running_loop().time()
        passed, self._then = now - (self._then or now), now
        self._words = min(TALK_BURST, self._words + TALK_RATE * passed) - 1.0
        self._bytes = min(DATA_BURST, self._bytes + DATA_RATE * passed) - len(raw)
        late = max(-self._words / TALK_RATE, -self._bytes / DATA_RATE, 0.0)
        if late > 0.0:
            await asyncio.sleep(late)
        self._weigh(raw)
        return raw

    def _weigh(self, raw: Any) -> None:
        """Count what is being uploaded."""
        import msgspec

        said = msgspec.msgpack.decode(raw)
        key = str(said.get("transfer_uuid"))
        if said.get("type") == "FileTransferStartUpload":
            self._uploads[key] = int(said["size_bytes"])
            if self._uploads[key] > UPLOAD_LIMIT or len(self._uploads) > UPLOADS_AT_ONCE:
                raise RudenessError(f"one file at a time, of {UPLOAD_LIMIT // 2**20} MB at most")
        elif said.get("type") == "FileTransferPart":
            self._uploads[key] = self._uploads.get(key, 0) - len(said["content"])
            if self._uploads[key] < 0:
                raise RudenessError("more arrived than was announced")
            if self._uploads[key] == 0:
                del self._uploads[key]


def _refused(why: str) -> tuple[http.HTTPStatus, str, bytes, dict[str, str]]:
    return http.HTTPStatus.FORBIDDEN, "text/plain; charset=utf-8", f"pliant studio: {why}\n".encode(), {}


def _headers(host: str) -> dict[str, str]:
    """Nothing is loaded from elsewhere; notebooks of this machine may frame the page."""
    name = urlsplit(f"//{host}").hostname or "localhost"
    frames = f"'self' http://localhost:* http://127.0.0.1:* http://{name}:* https://{name}:* vscode-webview:"
    own = "'self' 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' blob: data:"
    return {
        "Content-Security-Policy": f"default-src {own}; connect-src 'self' blob: data:; frame-ancestors {frames}",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-cache",
    }
