"""What the wind does: washing on a line, and a flag, a dress, a balloon and a parachute in one stream."""

import numpy as np

from pliant.colliders import Capsule, Ground
from pliant.forces import Gravity, Wind
from pliant.gallery.parachute import GORES, RINGS, canopy
from pliant.lowering import garment_cloth
from pliant.scene import (
    FABRICS,
    Actor,
    Balloon,
    Character,
    Cloth,
    Fabric,
    Garment,
    Gas,
    Ribbon,
    Scene,
    Skin,
    String,
    Tie,
    View,
)

HIGH, HALF, CELLS = 1.95, 2.0, 80  # [m] height of the line, [m] half its length, its cells


def laundry_line() -> Scene:
    """A sheet, two towels and a shirt pegged to a line between two posts; gusts swing all of it."""
    line = Ribbon(
        width=2.0 * HALF,
        height=0.015,
        columns=CELLS,
        rows=1,
        center=(0.0, HIGH, 0.0),
        fabric=Fabric(density=0.8, stretch=1e5, shear=1e3, bend=1e-4, thickness=4e-3),
        pinned="left+right",
        self_contact=False,
        color=(0.35, 0.30, 0.24),
    )
    parts: dict[str, Cloth] = {"line": line}
    ties = []
    pieces = (
        ("sheet", -1.05, 1.15, 0.95, "plain", (0.58, 0.62, 0.74), 3),
        ("towel", 0.03, 0.5, 0.8, "stripes", (0.12, 0.36, 0.58), 2),
        ("cloth", 0.72, 0.55, 0.55, "check", (0.66, 0.10, 0.12), 2),
    )
    for name, x, width, height, pattern, color, pegs in pieces:
        columns, rows = round(width / 0.045), round(height / 0.045)
        parts[name] = Cloth.sheet(
            width=width,
            height=height,
            columns=columns,
            rows=rows,
            center=(x, HIGH - 0.012 - 0.5 * height, 0.0),
            fabric=FABRICS["cotton"].replace(thickness=4e-3),
            self_contact=False,
            pattern=pattern,
            color=color,
        )
        for column in np.linspace(0, columns, pegs).round().astype(int):
            ties.append(_pegged(name, rows * (columns + 1) + int(column), x + (column / columns - 0.5) * width))
    shirt, hem = _shirt(1.42)
    parts["shirt"] = shirt
    ties += [_pegged("shirt", row, float(shirt.points[row, 0])) for row in hem]
    posts = tuple(Capsule(a=(x, 0.0, 0.0), b=(x, HIGH + 0.06, 0.0), radius=0.03) for x in (-HALF - 0.03, HALF + 0.03))
    return Scene(
        parts=parts,
        fields=(Gravity(), Wind(velocity=(0.3, 0.0, 1.5), gust=0.7, turbulence=0.5, eddy=0.9, shelter=0.0, seed=5)),
        colliders=(Ground(), *posts),
        ties=tuple(ties),
        title="Washing on the line",
        seconds=8.0,
        view=View(eye=(1.2, 1.75, 5.4), target=(0.0, 1.3, 0.0)),
    )


def _pegged(name: str, point: int, x: float) -> Tie:
    """A point of the washing at the nearest cell of the line."""
    cell = int(np.clip(round((x + HALF) / (2.0 * HALF) * CELLS), 0, CELLS))
    return Tie(a=f"{name}:{point}", b=f"line:{cell}", length=0.012)


def _shirt(x: float) -> tuple[Cloth, list[int]]:
    """A shirt that hangs by its hem, and the two rows that are pegged."""
    figure = Character.mannequin()
    mesh = Garment.tshirt(figure, count=1600).worn(figure).mesh
    points = np.array(mesh.points, float)
    points[:, 1:] *= -1.0  # upside down, turned about x
    points -= (points.min(axis=0) + points.max(axis=0)) / 2.0
    points[:, 2] *= 0.45
    top = points[:, 1] > points[:, 1].max() - 0.02
    rows = [int(np.flatnonzero(top)[np.argmin(sign * points[top, 0])]) for sign in (1.0, -1.0)]
    points += (x, HIGH - 0.012 - float(points[:, 1].max()), 0.0)
    fabric = FABRICS["cotton"].replace(thickness=4e-3)
    color = (0.10, 0.42, 0.30)
    return Cloth.from_mesh(points, mesh.triangles, uv=mesh.uv, fabric=fabric, self_contact=False, color=color), rows


def wind_tunnel() -> Scene:
    """A flag, a dress, a balloon and a parachute in one stream of five metres a second."""
    figure = Character.mannequin()
    lady = Actor(character=figure, place=(-0.75, 0.0, 0.0))
    dress = garment_cloth(lady, Garment.dress(figure, count=1600), fabric="silk")
    return Scene(
        parts={"lady": lady, "dress": dress, "flag": _flag(), "balloon": _balloon(), "parachute": _parachute()},
        fields=(Gravity(), Wind(velocity=(5.0, 0.0, 0.0), gust=0.25, turbulence=0.5, eddy=0.7, shelter=0.0, seed=9)),
        colliders=(Ground(), Capsule(a=(-3.0, 0.0, -0.2), b=(-3.0, 2.5, -0.2), radius=0.025)),
        title="In the wind tunnel",
        seconds=6.0,
        view=View(eye=(0.5, 1.5, 8.4), target=(0.3, 1.25, 0.0)),
    )


def _flag() -> Cloth:
    return Cloth.sheet(
        width=1.4,
        height=0.9,
        columns=36,
        rows=24,
        fabric="silk",
        pinned="left",
        center=(-3.0 + 0.028 + 0.7, 2.0, -0.2),
        pattern="stripes",
        color=(0.60, 0.08, 0.10),
    )


def _balloon() -> Balloon:
    return Balloon.ellipsoid(
        (0.22, 0.25, 0.22),
        neck=0.3,
        center=(0.75, 1.55, 0.3),
        skin=Skin(density=0.03),
        gas=Gas(fill=1.1),
        drag=0.25,
        string=String(length=1.3, end=(0.45, 0.05, 0.3)),
        color=(0.90, 0.55, 0.04),
    )


def _parachute() -> Cloth:
    """Its lines held to windward, so that it fills and stands."""
    points, triangles = canopy()
    turned = np.stack([points[:, 1], -points[:, 0], points[:, 2]], axis=1)
    dome = RINGS * GORES
    held = (*range(dome, dome + GORES), len(points) - 1)
    turned += np.array([1.3, 1.6, -0.3]) - turned[-1]
    return Cloth.from_mesh(
        turned,
        triangles,
        fabric=Fabric(density=0.05, stretch=5e3, shear=50.0, bend=0.3, thickness=2e-3),
        pinned=held,
        pattern="stripes",
        color=(0.10, 0.30, 0.60),
    )
