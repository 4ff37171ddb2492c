"""Hinges of a skin that is not taut: under tension a thin skin has no use for them, so they are left out then."""

from pliant.arrays import Array
from pliant.constraints import Bends, BoundConstraint
from pliant.integrators.inflated.skin import Scratch
from pliant.integrators.inflated.step import GAUGE
from pliant.world import Part, Rows, World

TAUT = 50.0  # [Pa] gauge pressure above which bending is invisible


class SlackBends(BoundConstraint):
    """The part's hinges, projected while the skin is slack."""

    def __init__(self, world: World, part: Part, work: Scratch) -> None:
        self._bends = Bends().bind(world, part)
        self._work = work

    def begin(self, rows: Rows, h: float) -> None:
        self._bends.begin(rows, h)

    def project(self, rows: Rows, previous: Array, h: float) -> None:
        if self._work.body[GAUGE] < TAUT:
            self._bends.project(rows, previous, h)

    def refresh(self) -> None:
        self._bends.refresh()
