"""What is left of a cloth's tables when some of its triangles are cut out."""

import numpy as np

from pliant.arrays import Array, frozen
from pliant.geometry import surface
from pliant.kernels import adjacency
from pliant.world import Hinges, Springs, Table


def without(
    tables: tuple[Table, ...], triangles: Array, whole: Array, known: tuple[Table, ...] = ()
) -> tuple[Table, ...]:
    """Tables of the triangles that are `whole` (m,); a part's `known` tables lend their adjacency.

    An edge lives as long as one of its triangles; a spring across two triangles, and the hinge between them, as long as
    both; a spring that skips a point as long as no triangle at its ends is gone.
    """
    if whole.all():
        return tables
    count = 1 + int(triangles.max(initial=0))
    edges_left = _keys(triangles[whole][:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), count)
    edges = _keys(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), count)
    corners_left = {tuple(sorted(t)) for t in triangles[whole].tolist()}
    corners = surface.hinges(triangles)
    lives = _hinges_live(corners, corners_left)
    across, across_left = _keys(corners[:, 2:], count), _keys(corners[lives][:, 2:], count)
    frayed = np.zeros(count, bool)
    frayed[triangles[~whole].ravel()] = True
    left: list[Table] = []
    for table in tables:
        if isinstance(table, Springs):
            key = _key(table.ends, count)
            alive = np.where(
                np.isin(key, edges),
                np.isin(key, edges_left),
                np.where(
                    np.isin(key, across), np.isin(key, across_left), ~frayed[table.ends.astype(np.int64)].any(axis=1)
                ),
            )
            left.append(_springs(table, alive, known))
        elif isinstance(table, Hinges):
            alive = _hinges_live(table.corners, corners_left)
            left.append(Hinges(*(frozen(np.ascontiguousarray(column[alive])) for column in table)))
        else:
            left.append(table)
    return tuple(left)


def _springs(table: Springs, alive: Array, known: tuple[Table, ...]) -> Springs:
    ends = np.ascontiguousarray(table.ends[alive])
    old = next((t for t in known if isinstance(t, Springs) and len(t.ends) == len(ends)), None)
    whole = len(table.adjacency.start) - 1
    columns = {name: frozen(np.ascontiguousarray(getattr(table, name)[alive])) for name in table._fields[:-1]}
    return Springs(**columns, adjacency=old.adjacency if old is not None else adjacency(ends, whole))


def _hinges_live(corners: Array, left: set[tuple[int, ...]]) -> Array:
    rows = corners.tolist()
    return np.array(
        [tuple(sorted((p, q, r))) in left and tuple(sorted((p, q, s))) in left for p, q, r, s in rows], bool
    )


def _key(pairs: Array, count: int) -> Array:
    pairs = pairs.astype(np.int64)
    return pairs.min(axis=1) * count + pairs.max(axis=1)


def _keys(pairs: Array, count: int) -> Array:
    return np.unique(_key(pairs, count))
