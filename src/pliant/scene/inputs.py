"""What somebody did while a scene ran: part of the scene, so that the run can be repeated exactly."""

from typing import Any, Literal

from pliant.description import Description, Vec3, quantity


class Input(Description):
    """One command given to a running session before a frame was computed."""

    frame: int = quantity(low=0, help="How many frames had been computed before")
    verb: Literal["grab", "move", "drop", "pin", "unpin", "set"] = quantity(help="What was done")
    part: str = quantity("", help="The part, of grab, pin and unpin")
    rows: tuple[int, ...] = quantity((), help="The part's points, of grab, pin and unpin; the first leads")
    handle: int = quantity(0, low=0, help="Which hand, of grab, move and drop")
    to: Vec3 | None = quantity(None, unit="m", help="Where the hand goes, of move")
    path: str = quantity("", help="What was changed, of set")
    value: Any = quantity(None, help="To what, of set")
