"""Puppets: segments are rows with an orientation, joints a table."""

import numpy as np

from pliant.arrays import frozen
from pliant.integrators import Shake
from pliant.lowering.kinds import Place, lower
from pliant.scene import Puppet
from pliant.scene.puppet_arrays import bodies, shell
from pliant.world import Look, Part

COLOR = (0.62, 0.40, 0.22)


@lower.register
def _puppet(puppet: Puppet, place: Place) -> Part:
    made = bodies(puppet)
    count, per_copy = len(made.mass), len(puppet.segments)
    rows = [k * per_copy + puppet.index(name) for k in range(len(puppet.places)) for name in puppet.held]
    driven = puppet.drive.segments if puppet.drive is not None and puppet.drive.stiffness is None else ()
    rows += [k * per_copy + puppet.index(name) for k in range(len(puppet.places)) for name in driven]
    return Part(
        name=place.name,
        kind="puppet",
        rows=slice(place.rows, place.rows + count),
        bodies=slice(place.bodies, place.bodies + count),
        gases=slice(place.gases, place.gases),
        rest_position=frozen(made.position),
        mass=frozen(made.mass),
        held=frozen(np.unique(np.array(rows, np.uint32))),
        triangles=frozen(
            np.empty((0, 3), np.uint32)
        ),  # of segment centres there are none; the drawn ones are the shell's
        tables=(made.joints,),
        thickness=0.0,
        friction=puppet.friction,
        integrator=puppet.integrator or Shake(),
        rest_rotation_xyzw=frozen(made.rotation_xyzw),
        inertia=frozen(made.inertia),
        look=Look(color=puppet.color or COLOR, pattern=puppet.pattern),
        motion=puppet.motion if rows else None,
        extra={
            "names": made.names,
            "shell": shell(puppet),
            "contact_points": made.contact_points,
            "contact_start": made.contact_start,
            "capsules": made.capsules,
            "puppet": puppet,
            "damping": puppet.damping,
            "resistance": puppet.resistance,
            "seed": puppet.seed,
            "tree_mass": float(made.mass[:per_copy].sum()),
            "touches_itself": puppet.touches_itself,
        },
    )
