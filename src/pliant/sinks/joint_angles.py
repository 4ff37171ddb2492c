"""How far every joint of a puppet is turned away from rest: the curves of seed 003's figures 10 to 12."""

from typing import Any

import numpy as np

from pliant.geometry import rotation
from pliant.world import Joints, Part, PartFrame


def joint_angles(part: PartFrame, known: Part | None) -> dict[str, float]:
    """Angle [deg] of each joint by the name of its child; of the first copy where a part has many."""
    poses: Any = part.quantities.get("poses")
    if known is None or not poses or not known.has(Joints):
        return {}
    joints = known.table(Joints)
    puppet = known.extra.get("puppet")
    first = joints.child < (len(puppet.segments) if puppet is not None else len(poses))
    a, b = joints.parent[first], joints.child[first]
    rest = known.rest_rotation_xyzw
    now = rotation.normalized(np.array([pose.rotation_xyzw for pose in poses], float))
    at_rest = rotation.multiply(rotation.inverse(rest[a]), rest[b])
    turned = rotation.multiply(rotation.inverse(at_rest), rotation.multiply(rotation.inverse(now[a]), now[b]))
    angles = np.rad2deg(np.linalg.norm(rotation.to_rotation_vector(turned), axis=1))
    return {poses[row].name: float(angle) for row, angle in zip(b, angles, strict=True)}
