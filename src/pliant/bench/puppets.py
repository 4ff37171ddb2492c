"""Puppets beside MuJoCo: one dragged puppet, 256 in one batch, 1,000 in one world; interleaved in the same run.

Both sides step the same 14 segments hung by the right hand, with joint limits, a sixtieth of a second at a time. Ours
at its accuracy setting (no substep above 1/240 s, more where something turns fast), MuJoCo at four substeps with its
`implicitfast` integrator. The hand moves; MuJoCo's stands and gravity sways instead, which costs it the same.
"""

import importlib
import importlib.util
from time import perf_counter, process_time
from typing import Any

import numpy as np

from pliant.bench.report import Report
from pliant.forces import Gravity
from pliant.geometry import rotation
from pliant.integrators import Shake, Stepper
from pliant.kernels import maximum_thread_count, set_thread_count
from pliant.lowering import build
from pliant.scene import Puppet, Scene, grid_of_places
from pliant.world import Joints, Part, Rows, rows_of

STEP = 1.0 / 60.0
SUBSTEPS = 4
ROOT = "hand_right"
DAMPING = 2e-4  # [N m s] in every joint of MuJoCo: without any its puppet leaps to infinity now and then
SETTLE = 90  # frames before the clock runs: the first second is a fall, and the batches are to be compared alike


def _now() -> np.ndarray:
    """Time on the clock and processor time of all threads [s]: the second hardly feels what else the machine does."""
    return np.array([perf_counter(), process_time()])


class Dragged:
    """So many puppets, each drawn about by its right hand."""

    def __init__(self, count: int, **options: Any) -> None:
        puppet = Puppet.human(held=(ROOT,), damping=2.0, places=grid_of_places(count, 0.8), detail=1)
        world = build(Scene(parts={"puppets": puppet}, fields=(Gravity(),)), integrator=Shake(**options))
        self.part: Part = world.parts["puppets"]
        self.stepper: Stepper = self.part.integrator.bind(world, self.part)
        self.rows: Rows = rows_of(world.initial_state(), self.part)
        self._held = np.flatnonzero(self.rows.inverse_mass == 0.0)
        self._force = self.part.mass[:, None] * np.array([0.0, -9.81, 0.0])
        self._phase = 0.37 * np.arange(count)

    def step(self, frame: int) -> np.ndarray:
        """One frame; returns its seconds, by the clock and of the processor."""
        a, b = 0.1 * frame + self._phase, 0.13 * frame + 2.0 * self._phase
        self.rows.velocity[self._held] = np.stack([0.12 * np.sin(a), 0.0 * a, 0.06 * np.cos(b)], axis=1)
        began = _now()
        self.stepper.advance(self.rows, self._force, STEP)
        return _now() - began


def mjcf(puppet: Puppet, root: str) -> str:
    """The same puppet for MuJoCo, walked from `root`; cone limits and hinge ranges as it knows them."""
    center = {s.name: np.array(s.center) for s in puppet.segments}
    world = build(Scene(parts={"p": puppet}))
    row = {s.name: k for k, s in enumerate(puppet.segments)}
    inertia = world.parts["p"].inertia
    beyond: dict[str, list[tuple[str, Any]]] = {s.name: [] for s in puppet.segments}
    for joint in puppet.joints:
        beyond[joint.parent].append((joint.child, joint))
        beyond[joint.child].append((joint.parent, joint))

    def body(name: str, carrier: str | None, joint: Any) -> str:
        place = center[name] - (center[carrier] if carrier else 0.0)
        text = f'<body name="{name}" pos="{_words(place)}">'
        if joint is not None:
            text += _mjcf_joint(joint, np.array(joint.anchor) - center[name], joint.child == name)
        mass = puppet.segments[row[name]].mass
        text += f'<inertial pos="0 0 0" mass="{mass:.17g}" diaginertia="{_words(inertia[row[name]])}"/>'
        text += "".join(body(other, name, j) for other, j in beyond[name] if other != carrier)
        return text + "</body>"

    return (
        '<mujoco><compiler angle="radian" balanceinertia="true" boundmass="0"/>'
        f'<option timestep="{STEP / SUBSTEPS:.17g}" integrator="implicitfast" gravity="0 -9.81 0">'
        f'<flag contact="disable"/></option><worldbody>{body(root, None, None)}</worldbody></mujoco>'
    )


def _mjcf_joint(joint: Any, at: np.ndarray, forward: bool) -> str:
    if joint.swing == 0.0:
        axis = np.array(joint.axis) * (1.0 if forward else -1.0)
        low, high = np.deg2rad(joint.twist)
        return (
            f'<joint type="hinge" axis="{_words(axis)}" pos="{_words(at)}" limited="true" '
            f'range="{low:.9g} {high:.9g}" damping="{DAMPING}" armature="0"/>'
        )
    widest = np.deg2rad(min(joint.swing + np.linalg.norm(joint.neutral), 175.0))
    limits = f'limited="true" range="0 {widest:.9g}"'
    return f'<joint type="ball" pos="{_words(at)}" {limits} damping="{DAMPING}" armature="0"/>'


def _words(values: Any) -> str:
    return " ".join(f"{v:.17g}" for v in np.atleast_1d(values))


class Peer:
    """MuJoCo with so many puppets."""

    def __init__(self, count: int) -> None:
        self._mujoco = importlib.import_module("mujoco")
        self._model = self._mujoco.MjModel.from_xml_string(mjcf(Puppet.human(), ROOT))
        self._data = [self._mujoco.MjData(self._model) for _ in range(maximum_thread_count() if count > 1 else 1)]
        self._pool, self._states = None, None
        if count > 1:
            rollout = importlib.import_module("mujoco.rollout")
            self._pool = rollout.Rollout(nthread=len(self._data))
            kind = self._mujoco.mjtState.mjSTATE_FULLPHYSICS
            self._states = np.zeros((count, self._mujoco.mj_stateSize(self._model, kind)))
            self._mujoco.mj_getState(self._model, self._data[0], self._states[0], kind)
            self._states[:] = self._states[0]

    def step(self, frame: int) -> np.ndarray:
        self._model.opt.gravity[0] = 3.0 * np.sin(0.1 * frame)
        began = _now()
        if self._pool is None:
            self._mujoco.mj_step(self._model, self._data[0], SUBSTEPS)
            return _now() - began
        states, _ = self._pool.rollout(self._model, self._data, self._states, nstep=SUBSTEPS)
        took = _now() - began
        self._states = states[:, -1].copy()
        return took


def puppets(frames: int = 200) -> Report:
    """Cost of a frame of puppets, ours and MuJoCo's, interleaved; medians and minima, and processor time per puppet."""
    set_thread_count(maximum_thread_count())
    peers = importlib.util.find_spec("mujoco") is not None
    rows: list[tuple[str, ...]] = []
    values: dict[str, Any] = {}
    for count in (1, 256, 1000):
        ours, coarse = Dragged(count), Dragged(count, longest_step=STEP)
        peer = Peer(count) if peers and count <= 256 else None
        repeats = frames if count == 1 else max(frames // (count // 16), 8)
        times = _interleaved([ours, coarse, peer], repeats)
        for name, taken in zip(("ours", "ours, adaptive", "mujoco, 4 substeps"), times, strict=True):
            if taken is not None:
                clock, work = taken.T
                each = f"{np.median(work) / count * 1e6:.1f}"
                rows.append((str(count), name, f"{np.median(clock) * 1e3:.3f}", f"{clock.min() * 1e3:.3f}", each))
        medians = [None if taken is None else float(np.median(taken[:, 0]) * 1e3) for taken in times]
        works = [None if taken is None else float(np.median(taken[:, 1])) for taken in times]
        values[f"ours_{count}_ms"], values[f"adaptive_{count}_ms"], values[f"peer_{count}_ms"] = medians
        if medians[0] is not None and medians[2] is not None:
            values[f"ratio_{count}"] = medians[0] / medians[2]
        if works[0] is not None and works[2] is not None:
            values[f"processor_ratio_{count}"] = works[0] / works[2]
        values[f"gap_{count}_m"] = float(_gap(ours))
    return Report(
        "Puppets, one frame at 60/s", ("puppets", "method", "median ms", "least ms", "processor us each"), rows, values
    )


def _interleaved(things: list[Any], repeats: int) -> list[np.ndarray | None]:
    times: list[list[np.ndarray]] = [[] for _ in things]
    for frame in range(repeats + SETTLE):
        for thing, taken in zip(things, times, strict=True):
            if thing is not None:
                taken.append(thing.step(frame))
    return [np.array(taken[SETTLE:]) if taken else None for taken in times]


def _gap(ours: Dragged) -> float:
    """Largest gap of any joint [m]: what the accuracy setting is about."""
    joints, rows = ours.part.table(Joints), ours.rows
    ends = [
        rows.position[row] + rotation.rotate(rows.rotation_xyzw[row], at)
        for row, at in ((joints.parent, joints.parent_anchor), (joints.child, joints.child_anchor))
    ]
    return float(np.linalg.norm(ends[0] - ends[1], axis=1).max())
