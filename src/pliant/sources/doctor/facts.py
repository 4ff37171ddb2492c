"""What can be counted on a surface of polygons: edges, borders, fans, sides, pieces. Nothing is judged here."""

from dataclasses import dataclass, field

import numpy as np

from pliant.arrays import Array
from pliant.geometry.polygons import triangulate
from pliant.geometry.surface import triangle_areas
from pliant.sources.raw import RawMesh


@dataclass(frozen=True)
class Edges:
    """Every side of every polygon, and which of them are one edge."""

    start: Array  # (c,) point at which the side begins
    end: Array  # (c,)
    face: Array  # (c,)
    follower: Array  # (c,) the polygon's next side
    edge: Array  # (c,) number of its undirected edge
    count: Array  # (e,) sides of each edge

    @classmethod
    def of(cls, raw: RawMesh) -> "Edges":
        sizes = np.diff(raw.starts)
        follower = np.arange(1, len(raw.corners) + 1)
        filled = sizes > 0
        follower[raw.starts[1:][filled] - 1] = raw.starts[:-1][filled]
        start, end = raw.corners, raw.corners[follower] if len(raw.corners) else raw.corners
        pairs = np.sort(np.stack([start, end], axis=1), axis=1)
        _, edge, count = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
        return cls(start, end, np.repeat(np.arange(len(sizes)), sizes), follower, edge.ravel(), count)

    def couples(self) -> tuple[Array, Array]:
        """The two sides of every edge that has exactly two."""
        rows = np.flatnonzero(self.count[self.edge] == 2)
        rows = rows[np.argsort(self.edge[rows], kind="stable")]
        return rows[::2], rows[1::2]

    def border(self) -> Array:
        """Sides without a neighbour."""
        return np.flatnonzero((self.count[self.edge] == 1) & (self.start != self.end))


@dataclass(frozen=True)
class Facts:
    """Numbers of a surface whose faces use three different points or more."""

    vertices: int
    faces: int
    used_vertices: int
    edges: int
    components: int
    boundary_edges: int
    nonmanifold_edges: int
    nonmanifold_vertices: int
    inconsistent_winding_edges: int
    orientable: bool
    duplicate_faces: int
    signed_volume: float  # [unit^3] about the origin
    area: float  # [unit^2]
    face_sizes: dict[int, int] = field(default_factory=dict)

    @property
    def euler_used(self) -> int:
        return self.used_vertices - self.edges + self.faces

    @property
    def closed(self) -> bool:
        return self.boundary_edges == 0 and self.nonmanifold_edges == 0 and self.faces > 0


def facts_of(raw: RawMesh) -> Facts:
    """Count everything; `raw` holds finite points, valid indices and no face that repeats a point."""
    edges = Edges.of(raw)
    first, second = edges.couples()
    triangles = triangulate(raw.points, raw.starts, raw.corners)
    a, b, c = (raw.points[triangles[:, k]] for k in range(3))
    sizes, counts = np.unique(np.diff(raw.starts), return_counts=True)
    return Facts(
        vertices=len(raw.points),
        faces=len(raw.starts) - 1,
        used_vertices=len(np.unique(raw.corners)),
        edges=len(edges.count),
        components=len(np.unique(pieces(raw, edges))),
        boundary_edges=len(edges.border()),
        nonmanifold_edges=int((edges.count > 2).sum()),
        nonmanifold_vertices=len(pinched(edges, len(raw.points))),
        inconsistent_winding_edges=int((edges.start[first] == edges.start[second]).sum()),
        orientable=flips(raw, edges) is not None,
        duplicate_faces=len(duplicates(raw)),
        signed_volume=float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0),
        area=float(triangle_areas(raw.points, triangles).sum()),
        face_sizes=dict(zip(sizes.tolist(), counts.tolist(), strict=True)),
    )


def _labels(a: Array, b: Array, count: int) -> Array:
    """(count,) number of the connected piece of each node, nodes a[k] and b[k] being joined."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    graph = coo_matrix((np.ones(len(a), np.int8), (a, b)), shape=(count, count))
    return connected_components(graph, directed=False)[1]


def fans(edges: Edges) -> Array:
    """(c,) the fan of faces, joined by shared edges, to which the side's starting corner belongs."""
    order = np.argsort(edges.edge, kind="stable")
    same = edges.edge[order][1:] == edges.edge[order][:-1]
    first, second = order[:-1][same], order[1:][same]
    turned = edges.start[first] != edges.start[second]
    at_start = np.where(turned, edges.follower[second], second)
    at_end = np.where(turned, second, edges.follower[second])
    a = np.concatenate([first, edges.follower[first]])
    return _labels(a, np.concatenate([at_start, at_end]), len(edges.start))


def pinched(edges: Edges, count: int) -> Array:
    """Points at which several fans of faces meet by nothing but the point."""
    pairs = np.unique(np.stack([edges.start, fans(edges)], axis=1), axis=0)
    return np.flatnonzero(np.bincount(pairs[:, 0].astype(np.int64), minlength=count) > 1)


def pieces(raw: RawMesh, edges: Edges) -> Array:
    """(f,) the connected piece of each face; a shared point connects."""
    if not len(edges.face):
        return np.empty(0, np.int64)
    count = len(raw.points)
    labels = _labels(edges.start, count + edges.face, count + len(raw.starts) - 1)
    return labels[count:]


def rims(edges: Edges, border: Array) -> int:
    """Connected borders; holes that touch in a point count as one."""
    points = np.unique(np.concatenate([edges.start[border], edges.end[border]]))
    a, b = (np.searchsorted(points, end[border]) for end in (edges.start, edges.end))
    return len(np.unique(_labels(a, b, len(points))))


def flips(raw: RawMesh, edges: Edges) -> Array | None:
    """(f,) bool: faces to turn around so that neighbours agree, the fewer of each piece; None for a one-sided surface.

    Every face stands in a double cover as itself and turned around; neighbours that agree join like with like.
    """
    faces = len(raw.starts) - 1
    first, second = edges.couples()
    disagree = (edges.start[first] == edges.start[second]) * faces
    f, g = edges.face[first], edges.face[second]
    labels = _labels(np.concatenate([f, f + faces]), np.concatenate([g + disagree, (g + faces - disagree)]), 2 * faces)
    plain, turned = labels[:faces], labels[faces:]
    if (plain == turned).any():
        return None
    kept = np.bincount(labels[:faces], minlength=labels.max(initial=0) + 1)
    lost = kept[plain] < kept[turned]
    tie = (kept[plain] == kept[turned]) & (plain > turned)  # a coin would not be repeatable
    return lost | tie


def duplicates(raw: RawMesh) -> Array:
    """Faces whose points another face before them has used already."""
    found = []
    sizes = np.diff(raw.starts)
    for size in np.unique(sizes):
        rows = np.flatnonzero(sizes == size)
        corners = np.sort(raw.corners[raw.starts[rows][:, None] + np.arange(size)], axis=1)
        _, first = np.unique(corners, axis=0, return_index=True)
        found.append(np.delete(rows, first))
    return np.sort(np.concatenate(found)) if found else np.empty(0, np.int64)
