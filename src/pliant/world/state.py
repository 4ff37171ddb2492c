"""What changes from step to step, and nothing else: copyable, hashable, savable."""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np

from pliant.arrays import Array
from pliant.errors import FormatError

_ARRAYS = ("position", "velocity", "inverse_mass", "rotation_xyzw", "spin", "moles", "pocket")

POCKET = 11  # numbers a pocket of gas keeps beside its moles; integrators.inflated names the columns


class Rows(NamedTuple):
    """One part's own rows of a State, as views: what its forces, constraints and integrator see."""

    position: Array  # (n, 3) [m]
    velocity: Array  # (n, 3) [m/s]
    inverse_mass: Array  # (n,) [1/kg]; 0 = held: whoever holds the row sets its velocity, integrators only move it
    rotation_xyzw: Array  # (b, 4) orientation of the part's bodies; body k is the part's row k
    spin: Array  # (b, 3) [rad/s] angular velocity, world axes
    moles: Array  # (g,) [mol] gas in the part
    pocket: Array = np.empty((0, POCKET))  # (g, POCKET) what else each pocket of gas remembers


@dataclass(slots=True)
class State:
    """Positions, velocities and the little else a step changes."""

    time: float  # [s]
    frame: int
    position: Array  # (n, 3) [m]; particles, and the centres of bodies
    velocity: Array  # (n, 3) [m/s]
    inverse_mass: Array  # (n,) [1/kg], 0 = held
    rotation_xyzw: Array  # (b, 4)
    spin: Array  # (b, 3) [rad/s]
    moles: Array  # (g,) [mol]
    memory: dict[str, Array] = field(default_factory=dict)  # what a method must remember between frames, by name
    pocket: Array = field(default_factory=lambda: np.empty((0, POCKET)))  # (g, POCKET) of pockets of gas

    def copy(self) -> Self:
        arrays = {name: getattr(self, name).copy() for name in _ARRAYS}
        memory = {name: array.copy() for name, array in self.memory.items()}
        return type(self)(time=self.time, frame=self.frame, memory=memory, **arrays)

    def restore(self, other: "State") -> None:
        """Take over another state's values in place: rewind, resume, branch."""
        self.time, self.frame = other.time, other.frame
        for name in _ARRAYS:
            getattr(self, name)[...] = getattr(other, name)
        self.memory = {name: array.copy() for name, array in other.memory.items()}

    def hash(self) -> str:
        """Equal for equal bits, whatever produced them."""
        digest = hashlib.sha256(np.float64(self.time).tobytes())
        for name in _ARRAYS:
            digest.update(np.ascontiguousarray(getattr(self, name)).tobytes())
        for name in sorted(self.memory):
            digest.update(name.encode() + np.ascontiguousarray(self.memory[name]).tobytes())
        return digest.hexdigest()

    def save(self, path: str | Path) -> None:
        """Write an .npz that `State.load` reads back bit for bit."""
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        arrays |= {f"memory.{name}": array for name, array in self.memory.items()}
        header = np.frombuffer(json.dumps({"format": 1, "frame": self.frame}).encode(), np.uint8)
        target = Path(path)
        beside = target.with_name(target.name + ".part")
        with beside.open("wb") as stream:
            np.savez(stream, header=header, time=np.float64(self.time), **arrays)
        beside.replace(target)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        try:
            with np.load(path, allow_pickle=False) as archive:
                header = json.loads(archive["header"].tobytes())
                arrays = {name: archive[name] for name in _ARRAYS}
                memory = {n.removeprefix("memory."): archive[n] for n in archive.files if n.startswith("memory.")}
                return cls(time=float(archive["time"]), frame=int(header["frame"]), memory=memory, **arrays)
        except (OSError, KeyError, ValueError) as error:
            raise FormatError(f"{path}: not a saved state ({error})") from None
