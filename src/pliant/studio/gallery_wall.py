"""The gallery as pictures to pick from, and the place where files are brought."""

import html
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from pliant import gallery
from pliant.studio.bringing import WAYS
from pliant.studio.reading import ACCEPTED
from pliant.studio.served import Served

CARD = (
    '<button class="pliant-card" data-pliant-to="{to}" data-pliant-value="{name}" title="{title}">'
    "{picture}<span>{label}</span></button>"
)


class Wall:
    """Pictures of all scenes; a click on one tells `chosen` its name."""

    def __init__(self, gui: Any, served: Served, chosen: Any, dropped: Any) -> None:
        hung = hang_pictures(served)
        self._told = gui.add_text("scene", "", visible=False)
        self._told.on_update(lambda event: chosen(str(self._told.value)) if event.client is not None else None)
        to = self._told._impl.uuid
        cards = "".join(
            CARD.format(
                to=to,
                name=quote(name),
                title=_summary(name),
                label=html.escape(name.replace("_", " ")),
                picture=f'<img src="pictures/{quote(name)}" alt="" loading="lazy">' if name in hung else "",
            )
            for name in sorted(gallery.SCENES, key=lambda name: (name != "show", name))
        )
        gui.add_html(f'<div class="pliant-wall">{cards}</div>')
        self.way = gui.add_dropdown("bring as", WAYS, hint="What a mesh becomes; a closed one fits as a balloon")
        self._upload = gui.add_upload_button("bring a mesh, motion or scene file", mime_type=",".join(ACCEPTED))
        self._upload.on_upload(lambda event: dropped(self._upload.value, event.client))
        gui.add_html('<div class="pliant-hint">or drop a file anywhere on the page</div>')


def hang_pictures(served: Served) -> set[str]:
    """The pictures that the package brings along; says of which scenes."""
    hung = set()
    for found in files("pliant.studio.pictures").iterdir():
        if found.name.endswith(".jpg"):
            name = found.name.removesuffix(".jpg")
            served.hang(name, found.read_bytes())
            hung.add(name)
    return hung


def _summary(name: str) -> str:
    said = (gallery.SCENES[name].__doc__ or name).strip().splitlines()[0]
    return html.escape(said, quote=True)
