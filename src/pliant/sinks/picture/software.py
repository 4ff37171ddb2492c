"""The plain renderer, for machines without OpenGL: a rasteriser in compiled loops, the shaders' formulas in NumPy.

Two by two samples decide what a pixel shows; each different triangle in it is shaded once.
"""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.sinks.picture.raster import rasterise
from pliant.sinks.picture.shading import (
    Maps,
    Samples,
    encode,
    floor_map,
    ground_color,
    surface_color,
    tone,
    vertex_shadow,
    vertex_sky,
)
from pliant.sinks.picture.shot import SHADOW_SIZE, SKY_BLUR, SKY_SIZE, Shot
from pliant.sinks.picture.surface import Surface

SHADOW_TEXELS = SHADOW_SIZE // 2
WIRE_INK, WIRE_SHARE, WIRE_HALF = np.array([0.06, 0.07, 0.09]), 0.45, 0.55  # the half width is in pixels


class _Soup(NamedTuple):
    """All surfaces as one."""

    points: Array  # (n, 3) [m]
    normals: Array  # (n, 3)
    pattern: Array  # (n, 2)
    tint: Array  # (n, 3)
    triangles: Array  # (m, 3)
    owner: Array  # (m,) which surface
    yields: Array  # (n,) bool


class _Hits(NamedTuple):
    """Samples that show a triangle."""

    pixel: Array  # (s,)
    share: Array  # (s,) of the pixel
    triangle: Array  # (s,)
    x: Array  # (s,) [px]
    y: Array  # (s,) [px], from below


class SoftwareRenderer:
    """Draws surfaces at one size, slowly but anywhere."""

    def __init__(self, size: tuple[int, int], *, wire: bool = False) -> None:
        self.size, self.wire = size, wire

    def render(self, shot: Shot, surfaces: list[Surface]) -> Array:
        """(h, w, 3) uint8, row 0 on top."""
        soup = _joined(surfaces)
        maps = _maps(shot, soup)
        width, height = self.size
        screen = _projected(_yielding(shot, soup), shot.view_projection, width, height)
        fine = screen * np.array([2.0, 2.0, 1.0, 1.0])
        ids = _nearest(soup.triangles, fine, (2 * height, 2 * width))[1]
        hits, empty = _samples(ids)
        pixels = self._ground(shot, maps, empty)
        if len(hits.pixel):
            color = self._surfaces(shot, maps, soup, surfaces, screen, hits)
            for k in range(3):
                pixels[:, k] += np.bincount(hits.pixel, hits.share * color[:, k], minlength=len(pixels))
        pixels += _noise(width, height) * (shot.dither / 255.0)
        levels = np.clip(pixels * 255.0 + 0.5, 0.0, 255.0).astype(np.uint8)
        return np.ascontiguousarray(levels.reshape(height, width, 3)[::-1])

    def release(self) -> None:
        """Nothing is held."""

    def _ground(self, shot: Shot, maps: Maps, empty: Array) -> Array:
        """(h w, 3) encoded, weighted by how much of each pixel no surface covers."""
        width, height = self.size
        pixels = np.zeros((width * height, 3))
        rows = np.flatnonzero(empty > 0.0)
        y, x = np.divmod(rows, width)
        inverse = np.linalg.inv(shot.view_projection)
        rays = [_rays(inverse, shot, x + dx, y + dy, self.size) for dx, dy in ((0.5, 0.5), (1.5, 0.5), (0.5, 1.5))]
        span = [(shot.floor - shot.camera.eye[1]) / np.minimum(ray[:, 1:2], -1e-4) * ray[:, [0, 2]] for ray in rays]
        spanned = np.abs(span[1] - span[0]) + np.abs(span[2] - span[0])
        pixels[rows] = encode(ground_color(shot, maps.floor, rays[0], spanned)) * empty[rows, None]
        return pixels

    def _surfaces(
        self, shot: Shot, maps: Maps, soup: _Soup, surfaces: list[Surface], screen: Array, hits: _Hits
    ) -> Array:
        """(s, 3) encoded."""
        corners = soup.triangles[hits.triangle]
        here = _weights(screen, corners, hits.x, hits.y)
        aside = _weights(screen, corners, hits.x + 1.0, hits.y), _weights(screen, corners, hits.x, hits.y + 1.0)
        pattern = _at(soup.pattern, corners, here)
        span = sum(np.abs(_at(soup.pattern, corners, w) - pattern) for w in aside)
        a, b, c = (screen[corners[:, k], :2] for k in range(3))
        area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (c[:, 0] - a[:, 0]) * (b[:, 1] - a[:, 1])
        samples = Samples(
            place=_at(soup.points, corners, here),
            normal=_at(soup.normals, corners, here),
            pattern=pattern,
            width=np.asarray(span),
            front=area > 0.0,
            owner=soup.owner[hits.triangle],
            in_shadow_map=_at(vertex_shadow(shot, soup.points, soup.normals), corners, here),
            hue=_at(soup.tint, corners, here),
            sky=_at(vertex_sky(shot, maps.sky, soup.points, soup.normals)[:, None], corners, here)[:, 0],
        )
        color = encode(tone(surface_color(shot, maps, samples, [s.finish for s in surfaces])))
        if self.wire:
            moving = np.array([not s.still for s in surfaces])[samples.owner]
            ink = _wire(a, b, c, np.stack([hits.x, hits.y], axis=1)) * moving * WIRE_SHARE
            color += ink[:, None] * (WIRE_INK - color)
        return color


def _joined(surfaces: list[Surface]) -> _Soup:
    starts = np.cumsum([0, *(len(s.points) for s in surfaces)])
    triangles = [s.triangles.astype(np.int64) + start for s, start in zip(surfaces, starts, strict=False)]
    return _Soup(
        np.concatenate([np.empty((0, 3)), *(s.points for s in surfaces)]),
        np.concatenate([np.empty((0, 3)), *(s.normals for s in surfaces)]),
        np.concatenate([np.empty((0, 2)), *(s.pattern for s in surfaces)]),
        np.concatenate([np.empty((0, 3)), *(np.ones_like(s.points) if s.tint is None else s.tint for s in surfaces)]),
        np.concatenate([np.empty((0, 3), np.int64), *triangles]),
        np.repeat(np.arange(len(surfaces)), [len(s.triangles) for s in surfaces]),
        np.repeat(np.array([s.yields for s in surfaces], bool), [len(s.points) for s in surfaces]),
    )


def _yielding(shot: Shot, soup: _Soup) -> Array:
    """(n, 3) pushed back along the line of sight, where they yield; on the screen they stay where they are."""
    away = soup.points - shot.camera.eye
    push = np.where(soup.yields, shot.yielding, 0.0) / np.maximum(np.linalg.norm(away, axis=1), 1e-9)
    return np.asarray(soup.points + push[:, None] * away)


def _projected(points: Array, matrix: Array, width: int, height: int) -> Array:
    """(n, 4): x, y [px] from below, depth 0..1, 1/w."""
    clip = points @ matrix[:, :3].T + matrix[:, 3]
    inverse = 1.0 / np.where(np.abs(clip[:, 3]) > 1e-9, clip[:, 3], -1.0)
    ndc = clip[:, :3] * inverse[:, None]
    screen = np.column_stack([(ndc[:, 0] + 1.0) * 0.5 * width, (ndc[:, 1] + 1.0) * 0.5 * height])
    behind = ~np.isfinite(ndc).all(axis=1)
    whole = np.column_stack([screen, 0.5 * ndc[:, 2] + 0.5, inverse])
    whole[behind] = (0.0, 0.0, 0.0, -1.0)
    return np.ascontiguousarray(whole)


def _nearest(triangles: Array, screen: Array, shape: tuple[int, int]) -> tuple[Array, Array]:
    """Depth and triangle at each sample; 1 and -1 where there is none."""
    depth, ids = np.ones(shape), np.full(shape, -1, np.int32)
    rasterise(triangles, screen, depth, ids)
    return depth, ids


def _maps(shot: Shot, soup: _Soup) -> Maps:
    from scipy.ndimage import gaussian_filter

    def seen(matrix: Array, size: int) -> Array:
        return _nearest(soup.triangles, _projected(soup.points, matrix, size, size), (size, size))[0]

    depth = seen(shot.rig.shadow, SHADOW_TEXELS)
    above = seen(shot.rig.sky, SKY_SIZE)
    blur = SKY_BLUR * SKY_SIZE
    sky = np.stack([gaussian_filter(m, blur, mode="nearest", truncate=2.5) for m in (above, above**2)], axis=-1)
    return Maps(depth, sky, floor_map(shot, depth, sky))


def _samples(ids: Array) -> tuple[_Hits, Array]:
    """Of the fine grid: one hit for each different triangle of a pixel, and each pixel's share without any."""
    height, width = ids.shape[0] // 2, ids.shape[1] // 2
    four = ids.reshape(height, 2, width, 2).transpose(0, 2, 1, 3).reshape(-1, 4)
    order = np.argsort(four, axis=1, kind="stable")
    ranked = np.take_along_axis(four, order, axis=1)
    first = np.ones(four.shape, bool)
    first[:, 1:] = ranked[:, 1:] != ranked[:, :-1]
    group = np.cumsum(first, axis=1) - 1
    pixel, slot = np.nonzero(first & (ranked >= 0))
    same = group[pixel] == group[pixel, slot][:, None]  # the samples of each hit
    count = same.sum(axis=1)
    x = (same * (0.25 + 0.5 * (order[pixel] % 2))).sum(axis=1) / count
    y = (same * (0.25 + 0.5 * (order[pixel] // 2))).sum(axis=1) / count
    row, column = np.divmod(pixel, width)
    hits = _Hits(pixel, 0.25 * count, ranked[pixel, slot], column + x, row + y)
    return hits, 0.25 * (four < 0).sum(axis=1)


def _weights(screen: Array, corners: Array, x: Array, y: Array) -> Array:
    """(s, 3) perspective-correct weights of a triangle's corners at a place of the screen."""
    a, b, c = (screen[corners[:, k]] for k in range(3))
    area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (c[:, 0] - a[:, 0]) * (b[:, 1] - a[:, 1])
    u = ((x - a[:, 0]) * (c[:, 1] - a[:, 1]) - (c[:, 0] - a[:, 0]) * (y - a[:, 1])) / area
    v = ((b[:, 0] - a[:, 0]) * (y - a[:, 1]) - (x - a[:, 0]) * (b[:, 1] - a[:, 1])) / area
    flat = np.stack([(1.0 - u - v) * a[:, 3], u * b[:, 3], v * c[:, 3]], axis=1)
    return flat / flat.sum(axis=1, keepdims=True)


def _at(values: Array, corners: Array, weights: Array) -> Array:
    return np.asarray(np.einsum("sk,skc->sc", weights, values[corners]))


def _wire(a: Array, b: Array, c: Array, at: Array) -> Array:
    """(s,) 1 on an edge, 0 a pixel away from all three."""
    nearest = np.full(len(at), np.inf)
    for start, end in ((a, b), (b, c), (c, a)):
        along = end - start
        across = np.abs(along[:, 0] * (at[:, 1] - start[:, 1]) - along[:, 1] * (at[:, 0] - start[:, 0]))
        nearest = np.minimum(nearest, across / np.maximum(np.linalg.norm(along, axis=1), 1e-9))
    return np.clip(WIRE_HALF + 0.5 - nearest, 0.0, 1.0)


def _rays(inverse: Array, shot: Shot, x: Array, y: Array, size: tuple[int, int]) -> Array:
    """(n, 3) unit directions through places of the screen."""
    clip = np.array([[-1.0, -1.0, 1.0, 1.0], [1.0, -1.0, 1.0, 1.0], [-1.0, 1.0, 1.0, 1.0]])
    far = clip @ inverse.T
    corner, right, top = far[:, :3] / far[:, 3:] - shot.camera.eye
    # the far plane is flat, so that its places go linearly with the screen's
    away = corner + (x / size[0])[:, None] * (right - corner) + (y / size[1])[:, None] * (top - corner)
    return np.asarray(away / np.sqrt((away * away).sum(axis=1, keepdims=True)))


def _noise(width: int, height: int) -> Array:
    """(h w, 1) encode's ordered noise, -0.5 to 0.5."""
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    inner = 0.06711056 * x + 0.00583715 * y
    outer = 52.9829189 * (inner - np.floor(inner))
    return (outer - np.floor(outer) - 0.5).reshape(-1, 1)
