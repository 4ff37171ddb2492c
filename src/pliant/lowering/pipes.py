"""Pipes: balloons by name become pockets of gas."""

import math

import numpy as np

from pliant.arrays import Array, frozen
from pliant.errors import SceneError, unknown
from pliant.scene import Pipe
from pliant.world import Part, Pipes, Volumes


def pipe_table(pipes: tuple[Pipe, ...], parts: dict[str, Part]) -> Pipes | None:
    """All pipes of a scene; None if there are none."""
    if not pipes:
        return None
    ends = [_ends(pipe, parts, f"pipes[{k}]") for k, pipe in enumerate(pipes)]
    gases = [(a.table(Volumes), b.table(Volumes)) for a, b in ends]

    def column(values: list[float]) -> Array:
        return frozen(np.array(values, float))

    return Pipes(
        a=frozen(np.array([a.gases.start for a, _ in ends], np.int64)),
        b=frozen(np.array([b.gases.start for _, b in ends], np.int64)),
        opening=column([pipe.discharge * math.pi * pipe.radius**2 for pipe in pipes]),
        opens=column([pipe.opens for pipe in pipes]),
        shuts=column([math.inf if pipe.shuts is None else pipe.shuts for pipe in pipes]),
        pressure_a=column([float(a.pressure[0]) for a, _ in gases]),
        pressure_b=column([float(b.pressure[0]) for _, b in gases]),
        molar_mass=column([float(a.molar_mass[0]) for a, _ in gases]),
        adiabatic=frozen(np.array([float(a.heat_ratio[0]) > 1.0 for a, _ in gases])),
        names=tuple((pipe.a, pipe.b) for pipe in pipes),
    )


def _ends(pipe: Pipe, parts: dict[str, Part], where: str) -> tuple[Part, Part]:
    balloons = {name: part for name, part in parts.items() if part.has(Volumes)}
    for name in (pipe.a, pipe.b):
        if name not in balloons:
            raise SceneError(f"{where}: {unknown('balloon', name, balloons)}")
    if pipe.a == pipe.b:
        raise SceneError(f"{where}: both ends are at {pipe.a!r}; name two balloons")
    a, b = (balloons[name].table(Volumes) for name in (pipe.a, pipe.b))
    if a.molar_mass[0] != b.molar_mass[0] or a.heat_ratio[0] != b.heat_ratio[0]:
        raise SceneError(f"{where}: {pipe.a!r} and {pipe.b!r} hold different gases; give both the same gas and process")
    return balloons[pipe.a], balloons[pipe.b]
