"""The physics on top of the parts: arrows of force and wind, contacts, joints and their limits, pressure."""

from collections.abc import Callable
from typing import Any

import numpy as np

from pliant.arrays import Array
from pliant.forces.air import AirField, local_air
from pliant.geometry import rotation
from pliant.studio.shades import acceleration
from pliant.studio.view import StageView
from pliant.world import Frame, Joints, Volumes, World

ARROWS = 350  # at most, of one kind
TOUCH = 2.5  # thicknesses within which a point counts as touching
WIND, FORCE, CONTACT = (64, 132, 214), (228, 87, 46), (246, 190, 0)
FREE, LIMIT = np.array([60, 170, 110.0]), np.array([220, 40, 40.0])


class Overlays:
    """Switches, and what they show; made again for every scene."""

    def __init__(self, gui: Any, server: Any) -> None:
        self._server = server
        self._things: dict[str, Any] = {}
        self._before: Frame | None = None
        hints = {
            "forces": "Net force on each point: mass times acceleration",
            "wind": "Velocity of the air",
            "contacts": "Points that touch something",
            "joints": "Joints, from green to red as they near their limits",
            "pressure": "Overpressure and volume of balloons",
        }
        labels = {"joints": "joint limits"}
        self.switches = {
            name: gui.add_checkbox(labels.get(name, name), initial_value=False, hint=hint)
            for name, hint in hints.items()
        }
        self._makers: dict[str, Callable[[World, Frame, StageView], Any]] = {
            "forces": self._forces,
            "wind": self._wind,
            "contacts": self._contacts,
            "joints": self._joints,
            "pressure": self._pressure,
        }

    def show(self, world: World, frame: Frame, view: StageView) -> None:
        """Bring what is switched on up to date."""
        for name, switch in self.switches.items():
            if switch.value:
                self._makers[name](world, frame, view)
            else:
                self._clear(name)
        self._before = frame

    def remove(self) -> None:
        for name in list(self._things):
            self._clear(name)

    def _clear(self, name: str) -> None:
        for key in [key for key in self._things if key.split(" ")[0] == name]:
            self._things.pop(key).remove()

    def _arrows(self, name: str, starts: Array, ways: Array, color: tuple[int, int, int], size: float) -> None:
        """Arrows; the same ones move while their number stays."""
        points = np.stack([starts, starts + ways], axis=1).astype(np.float32)
        old = self._things.get(name)
        if old is not None and old.points.shape == points.shape:
            old.points = points
            return
        if old is not None:
            old.remove()
        radius = 0.006 * size
        self._things[name] = self._server.scene.add_arrows(
            f"/see/{name}", points, colors=color, shaft_radius=radius, head_radius=2.6 * radius, head_length=6 * radius
        )

    def _dots(self, name: str, points: Array, colors: Any, size: float) -> None:
        old = self._things.pop(name, None)
        if old is not None:
            old.remove()
        if len(points):
            self._things[name] = self._server.scene.add_point_cloud(
                f"/see/{name}", points.astype(np.float32), colors=colors, point_size=size, point_shape="circle"
            )

    def _forces(self, world: World, frame: Frame, view: StageView) -> None:
        starts, ways = [], []
        for name, part in frame.items():
            was = None if self._before is None else self._before.parts.get(name)
            if was is None or was.velocities.shape != part.velocities.shape or self._before is None:
                continue
            step = max(1, -(-len(part.points) // ARROWS))
            pull = acceleration(part, was, frame.time - self._before.time)[::step]
            starts.append(part.points[::step])
            ways.append(0.012 * pull * min(view.bounds.radius, 2.0))
        if starts:
            found = np.concatenate(ways)
            length = np.linalg.norm(found, axis=1, keepdims=True)
            found = found * np.minimum(1.0, 0.5 * view.bounds.radius / np.maximum(length, 1e-9))
            self._arrows("forces", np.concatenate(starts), found, FORCE, view.bounds.radius)

    def _wind(self, world: World, frame: Frame, view: StageView) -> None:
        if not any(isinstance(field, AirField) for field in world.fields):
            return
        low, high = view.bounds.low, view.bounds.high
        counts = np.clip(np.ceil(6 * (high - low) / max(float((high - low).max()), 1e-9)), 2, 6).astype(int)
        axes = [np.linspace(a, b, n) for a, b, n in zip(low, high, counts, strict=True)]
        places = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
        speed = local_air(world, places, frame.time)
        self._arrows("wind", places, 0.03 * speed * min(view.bounds.radius, 2.0), WIND, view.bounds.radius)

    def _contacts(self, world: World, frame: Frame, view: StageView) -> None:
        self._dots("contacts", contacts(world, frame), CONTACT, 0.012 * view.bounds.radius)

    def _joints(self, world: World, frame: Frame, view: StageView) -> None:
        places, shares = joints(world, frame)
        colors = (FREE + shares[:, None] * (LIMIT - FREE)).astype(np.uint8)
        self._dots("joints", places, colors, 0.03 * view.bounds.radius)

    def _pressure(self, world: World, frame: Frame, view: StageView) -> None:
        for name, part in frame.items():
            if "pressure" not in part.quantities or name not in world.parts:
                continue
            over = float(part.pressure) - float(world.parts[name].table(Volumes).pressure[0])
            text = f"{name}: {over:+.0f} Pa, {1e3 * float(part.volume):.2f} l"
            place = tuple(float(x) for x in (*part.points.mean(axis=0),))
            top = (place[0], float(part.points[:, 1].max()) + 0.08 * view.bounds.radius, place[2])
            label = self._things.get(f"pressure {name}")
            if label is None:
                label = self._server.scene.add_label(f"/see/pressure {name}", text, position=top)
                self._things[f"pressure {name}"] = label
            label.text, label.position = text, top


def contacts(world: World, frame: Frame) -> Array:
    """(k, 3) points that lie on an obstacle, or on another part."""
    from scipy.spatial import cKDTree

    found = [np.empty((0, 3), np.float32)]
    soft = [part for name, part in frame.items() if name in world.parts]
    for part in soft:
        reach = TOUCH * max(world.parts[part.name].thickness, 1e-3)
        for collider in world.colliders:
            distance = getattr(collider, "signed_distance", None)
            if distance is not None and getattr(collider, "motion", None) is None:
                found.append(part.points[distance(part.points.astype(float))[0] < reach])
    for k, part in enumerate(soft):
        for other in soft[k + 1 :]:
            reach = TOUCH * (world.parts[part.name].thickness + world.parts[other.name].thickness)
            near, _ = cKDTree(other.points).query(part.points, distance_upper_bound=max(reach, 4e-3))
            found.append(part.points[np.isfinite(near)])
    return np.concatenate(found)


def joints(world: World, frame: Frame) -> tuple[Array, Array]:
    """(k, 3) places of all joints, and how near each is to its limit, 0..1."""
    places, shares = [], []
    for name, part in world.parts.items():
        poses = frame[name].quantities.get("poses") if name in frame.parts else None
        if poses is None or not part.has(Joints):
            continue
        table: Joints = part.table(Joints)
        position = np.array([pose.position for pose in poses], float)
        turn = np.array([pose.rotation_xyzw for pose in poses], float)
        a, b = table.parent.astype(int), table.child.astype(int)
        places.append(position[a] + rotation.rotate(turn[a], table.parent_anchor))
        shares.append(_nearness(table, turn[a], turn[b]))
    if not places:
        return np.empty((0, 3)), np.empty(0)
    return np.concatenate(places), np.concatenate(shares)


def _nearness(table: Joints, parent: Array, child: Array) -> Array:
    """(j,) swing and twist of each joint over its limits, the larger; 0 where a joint is free."""
    local = rotation.multiply(rotation.inverse(table.neutral_xyzw), rotation.multiply(rotation.inverse(parent), child))
    local = np.where(local[:, 3:] < 0.0, -local, local)
    along = np.einsum("ij,ij->i", local[:, :3], table.axis)
    twist = 2.0 * np.arctan2(along, local[:, 3])
    swing = 2.0 * np.arccos(np.clip(np.hypot(along, local[:, 3]), -1.0, 1.0))
    bounded = np.isfinite(table.swing) & (table.swing > 0.0)
    share = np.where(bounded, swing / np.where(bounded, table.swing, 1.0), 0.0)
    for limit, way in ((table.twist_high, twist), (-table.twist_low, -twist)):
        held = np.isfinite(limit) & (limit > 1e-6)
        share = np.maximum(share, np.where(held, way / np.where(held, limit, 1.0), 0.0))
    return np.clip(share, 0.0, 1.0)
