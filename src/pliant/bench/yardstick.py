"""The C kernel that `approximate` is measured against, compiled on this machine, and the sheet both of them step."""

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pliant.arrays import Array
from pliant.errors import UnsupportedError
from pliant.integrators import Approximate
from pliant.integrators.base import Stepper
from pliant.integrators.slots import Slots, slots_of
from pliant.lowering import build
from pliant.scene import Cloth, RawFabric, Scene
from pliant.world import Part, Rows, Springs, World, rows_of

FLAGS = ("-O3", "-march=native", "-fopenmp", "-shared", "-fPIC")
STEP = 1.0 / 60.0  # [s]


class Sheet(NamedTuple):
    """A square sheet of raw springs, 12 per inner particle, and its step."""

    world: World
    part: Part
    rows: Rows
    stepper: Stepper
    weight: Array  # (n, 3) [N]

    def step(self, force: Array) -> None:
        """One step of ours; `force` is scratch."""
        force[:] = self.weight
        self.stepper.advance(self.rows, force, STEP)


def sheet(side: int) -> Sheet:
    """side x side particles, held at two corners, lying flat."""
    cloth = Cloth.sheet(
        width=1.0,
        height=1.0,
        columns=side - 1,
        rows=side - 1,
        lies="flat",
        pinned="top-corners",
        fabric=RawFabric.uniform(1000.0),
        integrator=Approximate(),
    )
    world = build(Scene(parts={"sheet": cloth}))
    part = world.parts["sheet"]
    weight = np.zeros_like(part.rest_position)
    weight[:, 1] = -9.81 * part.mass
    rows = rows_of(world.initial_state(), part)
    return Sheet(world, part, rows, part.integrator.bind(world, part), weight)


class CStep:
    """The same step in C, on its own copy of the rows."""

    def __init__(self, of: Sheet) -> None:
        self._library = compiled()
        slots: Slots = slots_of(of.part.table(Springs))
        n = len(of.part.mass)
        self.position, self.velocity = of.rows.position.copy(), of.rows.velocity.copy()
        self._columns = [slots.start, slots.other, STEP * STEP * slots.stiffness, slots.stiffness, slots.rest_length]
        self._columns += [of.rows.inverse_mass, of.weight, self.position, self.velocity]
        self._columns += [np.zeros((n, 3)), np.zeros((n, 3)), np.zeros(n)]
        pointers = [column.ctypes.data_as(ctypes.c_void_p) for column in self._columns]
        self._arguments = (ctypes.c_int64(n), ctypes.c_double(STEP), *pointers)

    def step(self) -> None:
        self._library.step(*self._arguments)

    def set_threads(self, count: int) -> None:
        self._library.set_threads(count)


def compiled() -> Any:
    """The compiled C file, as a loaded library."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise UnsupportedError("bench approximate: no C compiler (cc) found; install gcc or clang")
    source = Path(__file__).parent / "c" / "approximate.c"
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "approximate.so"
        done = subprocess.run(
            [compiler, *FLAGS, str(source), "-o", str(target), "-lm"], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise UnsupportedError(f"bench approximate: {compiler} failed: {done.stderr.strip().splitlines()[-1]}")
        return ctypes.CDLL(str(target))


def copy_bandwidth(*, threads: int, clock: Callable[[], float], bytes_each: int = 2**28) -> float:
    """Bytes per second that a C copy reads and writes, the best of seven."""
    library, count = compiled(), bytes_each // 8
    source, target = np.ones(count), np.zeros(count)
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (source, target)]
    library.set_threads(threads)
    seconds = []
    for _ in range(7):
        began = clock()
        library.copy(ctypes.c_int64(count), *pointers)
        seconds.append(clock() - began)
    return 2.0 * bytes_each / min(seconds)
