"""Cloth that tears: where threads are stretched too far at the end of a frame, edges of the mesh open.

An edge beyond the fabric's `tear` splits one of its ends by a plane across it (Müller et al. 2007, "Position based
dynamics", section 4.4): the triangles on the far side get a new point. Points that then join triangles by nothing but
themselves are split as well, so that tears have clean rims. What was most stretched opens first, and whatever stands
in its way to relax waits for the next frame, so a tear runs on from its tip. All of it follows from `corners` (m, 3),
where each triangle's corners stand, which is kept in the state; nothing is random.
"""

import numpy as np

from pliant.arrays import Array
from pliant.lowering.tears import Seams, torn
from pliant.world import Part, Rows, State, edge_strain, structural
from pliant.world.tables import Springs

MEMORY = "corners"  # name in State.memory, after the part's


class Tearing:
    """One part that can tear, as it stands now."""

    def __init__(self, part: Part) -> None:
        self._start = part
        self._seams: Seams = part.extra["seams"]
        self._key = f"{part.name}.{MEMORY}"
        self._corners = self._seams.corners
        self._over = np.empty(0, np.int64)  # structural edges beyond the limit, the worst first
        self.part = part

    def recall(self, state: State) -> bool:
        """Stand as the state says; True if that is another part than before."""
        kept = state.memory.get(self._key)
        wanted = self._seams.corners if kept is None or kept.shape != self._corners.shape else kept
        if np.array_equal(wanted, self._corners):
            return False
        self._corners = wanted.astype(np.int64)
        self.part = torn(self._start, self._corners)
        return True

    def look(self, rows: Rows) -> None:
        """Note what is stretched too far, before limits draw it back."""
        strain = edge_strain(self.part, rows.position)
        over = np.flatnonzero(strain > self.part.extra["tear"])
        self._over = over[np.argsort(-strain[over], kind="stable")]

    def open(self, state: State, rows: Rows) -> bool:
        """Split what was noted; True if anything opened."""
        if not len(self._over):
            return False
        springs: Springs = self.part.table(Springs)
        edges = springs.ends[structural(springs)[self._over]].astype(int)
        mesh = _Mesh(self._corners, self._seams.whole, self.part.extra["idle"])
        for a, b in edges.tolist():
            mesh.split_between(a, b, rows.position)
        if not mesh.copies:
            return False
        self._corners = mesh.corners
        state.memory[self._key] = mesh.corners.copy()
        self.part = torn(self._start, mesh.corners)
        self._place(rows, mesh.copies)
        return True

    def _place(self, rows: Rows, copies: list[tuple[int, int]]) -> None:
        """New points begin where the old ones are; masses are shared."""
        for new, old in copies:
            rows.position[new], rows.velocity[new] = rows.position[old], rows.velocity[old]
            rows.inverse_mass[new] = 1.0 / self.part.mass[new]
        free = rows.inverse_mass > 0.0
        rows.inverse_mass[free] = 1.0 / self.part.mass[free]


class _Mesh:
    """Who shares which point, while points are split."""

    def __init__(self, corners: Array, whole: Array, idle: Array) -> None:
        self.corners = corners.copy()
        self.copies: list[tuple[int, int]] = []  # new row, old row
        self._idle = idle.tolist()[::-1]
        self._waiting: set[int] = set()  # rows that must relax first
        self._fans: dict[int, list[int]] = {}
        for t in np.flatnonzero(whole).tolist():
            for row in self.corners[t].tolist():
                self._fans.setdefault(row, []).append(t)

    def split_between(self, a: int, b: int, x: Array) -> None:
        """Open the cloth across the edge a b at one of its ends: at a rim if one is there, so that tears run on."""
        if a in self._waiting or b in self._waiting:
            return
        ends = sorted(((a, b), (b, a)), key=lambda pair: (not self._at_rim(pair[0]), pair[0]))
        for v, other in ends:
            far = self._far_side(v, other, x)
            fan = self._fans[v]
            if 0 < len(far) < len(fan):
                around = {row for t in fan for row in self.corners[t].tolist()}
                self._waiting |= around
                self._separate(v, far)
                for row in sorted(around - {v}):
                    self._separate(row, set())
                return

    def _far_side(self, v: int, other: int, x: Array) -> set[int]:
        """Triangles at v whose middle lies towards the other end."""
        fan = self._fans[v]
        middle = x[self.corners[fan]].mean(axis=1) - x[v]
        return {t for t, level in zip(fan, (middle @ (x[other] - x[v])).tolist(), strict=True) if level > 0.0}

    def _at_rim(self, v: int) -> bool:
        """Whether some edge at v belongs to one triangle alone."""
        rows = [row for t in self._fans[v] for row in self.corners[t].tolist() if row != v]
        return any(rows.count(row) == 1 for row in rows)

    def _separate(self, v: int, far: set[int]) -> None:
        """Give every group of triangles at v that hang together over edges a point of its own; `far` is cut off."""
        groups = self._groups(v, far)
        for group in groups[1:]:
            if not self._idle:
                return
            new = self._idle.pop()
            self.copies.append((new, v))
            self._waiting.add(new)
            self._fans[new] = group
            self._fans[v] = [t for t in self._fans[v] if t not in group]
            rows = self.corners[group]
            self.corners[group] = np.where(rows == v, new, rows)

    def _groups(self, v: int, far: set[int]) -> list[list[int]]:
        """The groups at v; the first keeps the point: it lies on the near side."""
        left, groups = sorted(self._fans[v], key=lambda t: (t in far, t)), []
        while left:
            group = [left.pop(0)]
            for t in group:
                mine = set(self.corners[t].tolist()) - {v}
                joined = [s for s in left if (s in far) == (t in far) and mine & set(self.corners[s].tolist())]
                group += joined
                left = [s for s in left if s not in joined]
            groups.append(group)
        return groups
