"""Who may come in: other sites, other names, the token, floods, nonsense, large and wrong files, paths."""

import asyncio
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pliant.errors import FormatError, PliantError
from pliant.studio.door import UPLOAD_LIMIT, Ear, RudenessError
from pliant.studio.reading import read_guarded
from studio.stage import small_scene, studio, until

pytestmark = pytest.mark.slow

HELLO = {"type": "RunJavascriptMessage", "source": "1"}


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with studio(small_scene(), tmp_path_factory.mktemp("out")) as page:
        yield page


def fetched(port: int, path: str = "/", **headers: str) -> tuple[int, bytes, Any]:
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read(), answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.read(), error.headers


async def socket_to(port: int, **headers: str) -> Any:
    import viser
    from websockets.asyncio.client import connect

    return await connect(
        f"ws://127.0.0.1:{port}",
        subprotocols=[f"viser-v{viser.__version__}"],
        additional_headers=headers,
        max_size=None,
    )


def test_it_listens_on_this_machine_only(stage: Any) -> None:
    port = stage.server.get_port()
    assert stage.url.startswith("http://127.0.0.1:")
    others = [
        a[4][0]
        for a in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
        if not a[4][0].startswith("127.")
    ]
    for address in others:
        with pytest.raises(ConnectionRefusedError), socket.create_connection((address, port), timeout=2):
            pass


def test_the_page_is_ours_and_loads_nothing_from_elsewhere(stage: Any) -> None:
    status, content, headers = fetched(stage.server.get_port())
    assert status == 200
    assert b"<title>pliant studio</title>" in content
    assert "default-src 'self'" in headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    "path", ["/../pyproject.toml", "/%2e%2e/%2e%2e/etc/passwd", "/dress/../page", "/pictures/../../x"]
)
def test_no_path_leads_to_a_file(stage: Any, path: str) -> None:
    assert fetched(stage.server.get_port(), path)[0] == 404


def test_a_name_that_was_turned_to_this_machine_is_refused(stage: Any) -> None:
    assert fetched(stage.server.get_port(), Host="evil.example")[0] == 403


def test_a_page_of_another_site_may_not_talk(stage: Any) -> None:
    from websockets.exceptions import InvalidStatus

    async def try_it() -> int:
        try:
            await socket_to(stage.server.get_port(), Origin="http://evil.example")
        except InvalidStatus as refused:
            return int(refused.response.status_code)
        return 101

    assert asyncio.run(try_it()) == 403


def test_a_public_address_needs_its_token(tmp_path: Path) -> None:
    with studio(small_scene(), tmp_path, host="0.0.0.0") as page:
        port, token = page.server.get_port(), page.door.token
        assert token is not None
        assert len(token) >= 24
        assert f"token={token}" in page.url
        assert fetched(port)[0] == 403
        assert fetched(port, "/?token=wrong")[0] == 403
        status, _, headers = fetched(port, f"/?token={token}")
        assert status == 200
        assert "HttpOnly" in headers["Set-Cookie"]
        assert fetched(port, "/", Cookie=f"pliant={token}")[0] == 200


def test_nobody_opens_a_tunnel_from_the_page(stage: Any) -> None:
    from viser import _messages

    handlers = stage.server._websock_server._incoming_handlers
    assert _messages.ShareUrlRequest not in handlers


def test_a_flood_and_nonsense_hurt_nobody_else(stage: Any) -> None:
    until(lambda: stage.runner.latest.serial > 3, "frames")

    async def flood() -> None:
        rude = await socket_to(stage.server.get_port())
        for _ in range(3000):
            await rude.send(msgspec.msgpack.encode({"type": "GuiUpdateMessage", "uuid": "x", "updates": {"value": 1}}))
        await rude.close()
        mad = await socket_to(stage.server.get_port())
        await mad.send(b"\xff\xffnonsense")
        await asyncio.wait_for(mad.wait_closed(), 20)

    serial = stage.runner.latest.serial
    asyncio.run(flood())
    until(lambda: stage.runner.latest.serial > serial + 5, "the stage goes on")
    assert stage.runner.is_alive()
    assert fetched(stage.server.get_port())[0] == 200


def test_who_talks_too_fast_is_heard_more_slowly() -> None:
    async def hear(count: int) -> float:
        async def take() -> bytes:
            return msgspec.msgpack.encode(HELLO)

        ear, began = Ear(take), time.monotonic()
        for _ in range(count):
            await ear.hear()
        return time.monotonic() - began

    assert asyncio.run(hear(750)) > 0.3  # 600 at once, then 300 a second


def test_too_large_an_upload_is_shown_out() -> None:
    async def send() -> None:
        start = {"type": "FileTransferStartUpload", "transfer_uuid": "a", "size_bytes": UPLOAD_LIMIT + 1}

        async def take() -> bytes:
            return msgspec.msgpack.encode(start)

        await Ear(take).hear()

    with pytest.raises(RudenessError, match="64 MB"):
        asyncio.run(send())


def test_more_than_was_announced_is_shown_out() -> None:
    said = iter(
        [
            {"type": "FileTransferStartUpload", "transfer_uuid": "a", "size_bytes": 10},
            {"type": "FileTransferPart", "transfer_uuid": "a", "content": b"x" * 8},
            *({"type": "FileTransferPart", "transfer_uuid": "a", "content": b"x" * 400} for _ in range(2)),
        ]
    )

    async def take() -> bytes:
        return msgspec.msgpack.encode(next(said))

    async def send() -> None:
        ear = Ear(take)
        for _ in range(4):
            await ear.hear()

    with pytest.raises(RudenessError):
        asyncio.run(send())


@pytest.mark.parametrize("name", ["scene.py", "x.exe", "nothing", "../../etc/passwd", "a.toml/../b.py", "x.npz"])
def test_only_known_kinds_of_files_are_read(name: str) -> None:
    with pytest.raises(FormatError, match="cannot be brought on stage"):
        read_guarded(name, b"import os; os.system('true')")


def test_a_recording_has_a_name_of_ours_and_stays_in_the_folder(stage: Any) -> None:
    recorder = stage.act.recorder
    with pytest.raises(PliantError, match="choose one of the list"):
        recorder._target("/../../out.html")
    path = recorder._target(".html")
    assert path.parent == stage.folder
