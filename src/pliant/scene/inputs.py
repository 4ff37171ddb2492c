"""What somebody did while a scene ran: part of the scene, so that the run can be repeated exactly."""

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator

from pliant.description import Description, Vec3, quantity


def _listed(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


Rows = Annotated[tuple[int, ...], BeforeValidator(_listed)]
Shares = Annotated[tuple[float, ...], BeforeValidator(_listed)]


class Input(Description):
    """One command given to a running session before a frame was computed."""

    frame: int = quantity(low=0, help="How many frames had been computed before")
    verb: Literal["grab", "move", "drop", "pin", "unpin", "push", "pinch", "cut", "set"] = quantity(
        help="What was done"
    )
    part: str = quantity("", help="The part; of all but move, drop, cut and set")
    rows: Rows = quantity((), help="The part's points, the first leads; of cut: rows of the world's ties")
    shares: Shares = quantity((), help="Of a stroke, for each point; of push and pinch")
    handle: int = quantity(0, low=0, help="Which hand, of grab, move and drop")
    to: Vec3 | None = quantity(
        None, help="Where the hand goes, of move; took hold, of grab; the middle, of pinch [m]; the push [m/s]"
    )
    path: str = quantity("", help="What was changed, of set")
    value: Any = quantity(None, help="To what, of set")
