"""The shaders' formulas on whole arrays, for the plain renderer. Each function stands for the GLSL one of its name."""

from typing import NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.sinks.picture.finish import Finish
from pliant.sinks.picture.raster import floor_light, key_light
from pliant.sinks.picture.shot import FLOOR_SIZE, PENUMBRA, Shot


class Maps(NamedTuple):
    """What the lights see."""

    depth: Array  # (s, s) from the key light
    sky: Array  # (k, k, 2) blurred depth from above and its square
    floor: Array  # (f, f, 2) key light and sky on the floor


class Samples(NamedTuple):
    """Places on surfaces to shade."""

    place: Array  # (n, 3) [m]
    normal: Array  # (n, 3) towards the front
    pattern: Array  # (n, 2)
    width: Array  # (n, 2) that one pixel spans of the pattern
    front: Array  # (n,) bool
    owner: Array  # (n,) row of the finish
    sky: Array  # (n,) share of the sky that is seen
    in_shadow_map: Array  # (n, 3)
    hue: Array  # (n, 3) that multiplies the finish's colour


def _column(x: Array) -> Array:
    return x[:, None]


def _unit(v: Array) -> Array:
    return v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-20)


def _dot(a: Array, b: Array) -> Array:
    return np.asarray(np.einsum("...k,...k->...", a, b))


def smoothstep(low: float, high: float, x: Array) -> Array:
    t = np.clip((x - low) / (high - low), 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


def _mix(a: Array | float, b: Array | float, t: Array | float) -> Array:
    return np.asarray(a + (b - a) * t)


def in_map(matrix: Array, place: Array) -> Array:
    """(n, 3) of 0..1 where the map is."""
    a, b, c = (np.multiply.outer(place[:, k], 0.5 * matrix[:3, k]) for k in range(3))  # faster than a thin product
    return np.asarray(a + b + c + (0.5 * matrix[:3, 3] + 0.5))


def bilinear(image: Array, x: Array, y: Array) -> Array:
    """(n, c) of an image (h, w, c) at 0..1, clamped at its edges."""
    h, w = image.shape[:2]
    fx, fy = np.clip(x * w - 0.5, 0, w - 1), np.clip(y * h - 0.5, 0, h - 1)
    i, j = np.minimum(fx.astype(int), w - 2), np.minimum(fy.astype(int), h - 2)
    sx, sy = _column(fx - i), _column(fy - j)
    low = _mix(image[j, i], image[j, i + 1], sx)
    return np.asarray(_mix(low, _mix(image[j + 1, i], image[j + 1, i + 1], sx), sy))


def sky_visibility(shot: Shot, sky: Array, place: Array) -> Array:
    p = in_map(shot.rig.sky, place)
    m = bilinear(sky, p[:, 0], p[:, 1])
    d = np.maximum(np.clip(p[:, 2], 0.0, 1.0) - m[:, 0], 0.0)
    variance = np.maximum(m[:, 1] - m[:, 0] ** 2, 2e-4)
    return 1.0 - 0.85 * d * d / (variance + d * d) / (1.0 + (d / shot.rig.sky_fade) ** 2)


def vertex_sky(shot: Shot, sky: Array, points: Array, normals: Array) -> Array:
    """(n,) surface.vert's."""
    towards = np.where(_dot(normals, shot.camera.eye - points) < 0.0, -1.0, 1.0)
    return sky_visibility(shot, sky, points + normals * _column(towards * shot.bias))


def vertex_shadow(shot: Shot, points: Array, normals: Array) -> Array:
    """(n, 3) surface.vert's place in the key light's map."""
    nl = normals @ shot.rig.key
    slope = np.sqrt(np.maximum(1.0 - nl * nl, 0.0))
    side = np.where(nl < 0.0, -1.0, 1.0)
    off = points + (normals * _column(side * (0.6 + 2.4 * slope)) + shot.rig.key) * shot.bias
    return in_map(shot.rig.shadow, off)


def key_visibility(depth: Array, places: Array) -> Array:
    seen = np.empty(len(places))
    key_light(places, depth, PENUMBRA, seen)
    return seen


def floor_map(shot: Shot, depth: Array, sky: Array) -> Array:
    """(f, f, 2): floor.frag for every texel."""
    x, z, width, length = shot.rig.floor
    step = (np.arange(FLOOR_SIZE) + 0.5) / FLOOR_SIZE
    column, row = np.meshgrid(step, step)
    place = np.stack([x + column * width, np.full_like(column, shot.floor), z + row * length], axis=-1).reshape(-1, 3)
    seen = np.empty(len(place))
    floor_light(in_map(shot.rig.shadow, place), depth, PENUMBRA, shot.rig.spread, seen)
    edge = smoothstep(0.0, 0.04, step) * smoothstep(0.0, 0.04, 1.0 - step)
    rim = np.multiply.outer(edge, edge).ravel()
    arriving = np.stack([_mix(1.0, seen, rim), _mix(1.0, sky_visibility(shot, sky, place), rim)], axis=-1)
    return arriving.reshape(FLOOR_SIZE, FLOOR_SIZE, 2)


def background(shot: Shot, direction: Array) -> Array:
    share = _column(smoothstep(0.0, 0.75, direction[:, 1]))
    return _mix(np.array(shot.theme.horizon), np.array(shot.theme.zenith), share)


def mirrored(shot: Shot, direction: Array) -> Array:
    theme, y = shot.theme, direction[:, 1]
    bounce, sky = np.array(theme.bounce), np.array(theme.sky)
    wall = _mix(bounce * 0.35, sky * 0.9, _column(smoothstep(-0.05, 0.30, y)))
    room = _mix(bounce * 1.5, wall, _column(smoothstep(-0.75, 0.0, y)))
    room = room + sky * 0.5 * _column(smoothstep(0.55, 0.95, y))
    front = _column(smoothstep(0.88, 0.97, direction @ shot.rig.key))
    rear = _column(smoothstep(0.80, 0.95, direction @ shot.rig.rim))
    return room + 7.0 * np.array(theme.key) * front + 4.0 * np.array(theme.rim) * rear


def tone(color: Array) -> Array:
    start, rest = 0.70, 0.30
    peak = np.maximum(color.max(axis=1, keepdims=True), 1e-4)
    over = np.maximum(peak - start, 0.0)
    bent = np.minimum(peak, start) + rest * over / (over + rest)
    return _mix(color * (bent / peak), bent, 1.0 - 1.0 / (1.0 + 0.18 * (peak - bent)))


def encode(color: Array) -> Array:
    c = np.clip(color, 0.0, 1.0)
    q = np.sqrt(c)
    return np.maximum(1.6202773 * q - 0.1880106 * np.sqrt(q) - 0.6404920 * c + 0.2025728 * c * q, 0.0)


def band(x: Array, w: Array) -> Array:
    w = np.maximum(w, 1e-5)

    def area(e: Array) -> Array:
        return 0.5 * np.floor(e) + np.maximum(e - np.floor(e) - 0.5, 0.0)

    return np.clip((area(x + 0.5 * w) - area(x - 0.5 * w)) / w, 0.0, 1.0)


def patterned(base: Array, kind: Array, st: Array, w: Array) -> Array:
    base = base.copy()
    weave = kind == 1
    if weave.any():
        p = 72.0 * st[weave]
        fine = 1.0 - smoothstep(0.10, 0.28, 72.0 * w[weave].max(axis=1))
        thread = 1.0 - 4.0 * (p - np.floor(p) - 0.5) ** 2
        over = np.floor(p).sum(axis=1) % 2.0
        base[weave] *= _column(_mix(0.90, 0.74 + 0.32 * _mix(thread[:, 0], thread[:, 1], over), fine))
    second = _mix(base, np.array([0.80, 0.78, 0.74]), 0.9)
    stripes = band(9.0 * st[:, 0], 9.0 * w[:, 0])
    check = 0.5 * (band(7.0 * st[:, 0], 7.0 * w[:, 0]) + band(7.0 * st[:, 1], 7.0 * w[:, 1]))
    share = np.where(kind == 2, stripes, np.where(kind == 3, check, 0.0))
    return _mix(base, second, _column(share))


def surface_color(shot: Shot, maps: Maps, samples: Samples, finishes: list[Finish]) -> Array:
    """(n, 3) linear: surface.frag up to its tone curve."""
    of = samples.owner
    rough, shine, sheen, thin, metal = (
        np.array([getattr(f, name) for f in finishes])[of] for name in ("roughness", "shine", "sheen", "thin", "metal")
    )
    kind = np.array([f.pattern for f in finishes])[of]
    flat = np.where(
        _column(samples.front), np.array([f.front for f in finishes])[of], np.array([f.back for f in finishes])[of]
    )
    base = patterned(flat * samples.hue, kind, samples.pattern, samples.width)
    theme, rig = shot.theme, shot.rig
    v = _unit(shot.camera.eye - samples.place)
    n = _unit(samples.normal) * _column(np.where(samples.front, 1.0, -1.0))
    n = _unit(n + v * _column(np.maximum(0.0, 0.02 - _dot(n, v))))
    nv, nl = np.clip(_dot(n, v), 0.0, 1.0), n @ rig.key

    # light
    seen = _column(key_visibility(maps.depth, samples.in_shadow_map))
    sky = _column(samples.sky)
    wrap = 0.3 * thin
    direct = _column(np.maximum((nl + wrap) / (1.0 + wrap), 0.0))
    through = _column(thin * np.maximum(-nl, 0.0))
    up = _column(0.5 + 0.5 * n[:, 1])
    ambient = _mix(np.array(theme.bounce), np.array(theme.sky), up) * _mix(0.25, 1.0, sky)
    key = np.array(theme.key) * seen
    diffuse = base * (key * direct + ambient) * _column(1.0 - metal) + base * key * (through * 1.3)

    # gloss
    nh = np.maximum(_dot(n, _unit(v + rig.key)), 0.0)
    a2 = rough**4
    q = nh * nh * (a2 - 1.0) + 1.0
    lobe = np.minimum(a2 / (12.566 * q * q), 12.0) * (1.0 - 0.5 * rough)
    grazing = (1.0 - nv) ** 3
    reflectance = _mix(_column(shine), base, _column(metal))
    gloss = reflectance + (1.0 - reflectance) * _column((1.0 - nv) ** 5 * (1.0 - 0.85 * rough))
    mirror = _column((1.0 - rough) ** 2)
    back = 2.0 * _column(_dot(n, v)) * n - v
    room = _mix(ambient, mirrored(shot, back) * _mix(0.4, 1.0, sky), mirror)
    specular = gloss * (room + _column(lobe * np.maximum(nl, 0.0)) * key)

    # fibres and rim
    fuzz = _column(sheen * grazing) * (0.75 * base + 0.12) * (ambient + key * direct)
    behind = _column(grazing * np.maximum(n @ rig.rim * 0.6 + 0.4, 0.0))
    rim = np.array(theme.rim) * (base * 0.8 + 0.06) * behind
    return np.asarray(diffuse + specular + fuzz + rim)


def ruled(p: Array, w: Array) -> Array:
    near = np.abs(p - 0.5 - np.floor(p - 0.5) - 0.5) / np.maximum(w, 1e-6)
    line = np.clip(1.0 - near, 0.0, 1.0) * (1.0 - smoothstep(0.15, 0.5, w))
    return np.asarray(line.max(axis=1))


def ground_color(shot: Shot, floor: Array, direction: Array, width: Array) -> Array:
    """(n, 3) linear: ground.frag for unit directions; `width` (n, 2) [m] is what a pixel spans of the floor."""
    theme, eye = shot.theme, shot.camera.eye
    back = background(shot, direction)
    below = (direction[:, 1] < -1e-4) & (eye[1] > shot.floor)
    p = eye + direction * _column((shot.floor - eye[1]) / np.minimum(direction[:, 1], -1e-4))
    ground = p[:, [0, 2]]
    away = np.linalg.norm(ground - shot.center[[0, 2]], axis=1) / shot.radius
    plain = _mix(np.array(theme.floor), back, _column(smoothstep(1.0, 6.0, away)))
    if shot.grid > 0.0:
        fine, coarse = shot.grid, 5.0 * shot.grid
        lines = np.maximum(0.30 * ruled(ground / fine, width / fine), 0.60 * ruled(ground / coarse, width / coarse))
        plain = _mix(plain, np.array(theme.line), _column(lines * (1.0 - smoothstep(0.6, 3.6, away))))
    x, z, wide, long = shot.rig.floor
    arriving = bilinear(floor, (ground[:, 0] - x) / wide, (ground[:, 1] - z) / long)
    key_share, sky = np.array(theme.key) * shot.rig.key[1], np.array(theme.sky)
    lit = plain * (key_share * arriving[:, :1] + sky * arriving[:, 1:]) / (key_share + sky)
    return np.asarray(np.where(_column(below), lit, back))
