"""The project's own figure: a smooth union of round cones and ellipsoids, meshed evenly, with smooth skin weights.

All lengths are those of a figure 1.76 m tall, standing in the A pose: Y up, looking along +Z, its left at +X.
"""

from collections.abc import Sequence

import numpy as np

from pliant.arrays import Array, Index
from pliant.geometry.cotangent import spread
from pliant.geometry.implicit import Blend, Cone, Ellipsoid, blend, distance, projected
from pliant.geometry.isosurface import largest_piece, level_set
from pliant.geometry.remesh import remeshed
from pliant.geometry.rigged import Rigged
from pliant.scene.figures.body import PARENT_ROLE, ROLES, Body, four_strongest

HEIGHT = 1.76  # [m] that the numbers below belong to
ARM = np.deg2rad(48.0)  # of the arms away from straight down
CELL = 0.010  # [m] of the grid it is meshed on
EDGE, FINE = 0.0150, 0.0085  # [m] of the mesh, and where it is fine: face, hands, feet

# height, half width, half depth, x and z of the middle
_TORSO = np.array(
    [
        (0.835, 0.098, 0.062, 0.0, -0.006),
        (0.865, 0.147, 0.096, 0.0, -0.010),
        (0.910, 0.165, 0.113, 0.0, -0.012),
        (0.960, 0.160, 0.109, 0.0, -0.008),
        (1.030, 0.140, 0.097, 0.0, 0.000),
        (1.100, 0.129, 0.090, 0.0, 0.004),
        (1.170, 0.138, 0.095, 0.0, 0.000),
        (1.250, 0.153, 0.106, 0.0, -0.006),
        (1.320, 0.157, 0.106, 0.0, -0.014),
        (1.380, 0.142, 0.090, 0.0, -0.024),
        (1.430, 0.098, 0.068, 0.0, -0.030),
        (1.475, 0.058, 0.054, 0.0, -0.030),
    ]
)


def joints() -> dict[str, Array]:
    """Where each role's bone begins [m]."""
    places: dict[str, Sequence[float] | Array] = {
        "hips": (0.0, 0.955, 0.0),
        "spine": (0.0, 1.07, -0.005),
        "chest": (0.0, 1.21, -0.015),
        "neck": (0.0, 1.455, -0.025),
        "head": (0.0, 1.545, -0.005),
    }
    for side, s in (("left", 1.0), ("right", -1.0)):
        shoulder = np.array([s * 0.168, 1.398, -0.025])
        along = np.array([s * np.sin(ARM), -np.cos(ARM), 0.0])
        places |= {
            f"shoulder_{side}": (s * 0.025, 1.415, -0.015),
            f"upperarm_{side}": shoulder,
            f"forearm_{side}": shoulder + 0.280 * along,
            f"hand_{side}": shoulder + 0.535 * along + (0.0, 0.0, 0.012),
            f"thigh_{side}": (s * 0.088, 0.915, 0.0),
            f"shank_{side}": (s * 0.098, 0.495, 0.004),
            f"foot_{side}": (s * 0.105, 0.085, -0.022),
            f"toes_{side}": (s * 0.118, 0.025, 0.100),
        }
    return {role: np.array(places[role], float) for role in ROLES}


def shape() -> Blend:
    """The body as one smooth union."""
    at = joints()
    members: list[Cone | Ellipsoid] = [Ellipsoid((0.0, 1.29, 0.018), (0.133, 0.100, 0.084), 0.035)]
    for side, s in (("left", 1.0), ("right", -1.0)):
        members += [
            Ellipsoid((s * 0.066, 1.292, 0.054), (0.070, 0.056, 0.046), 0.035),
            Ellipsoid((s * 0.072, 1.30, -0.072), (0.072, 0.090, 0.040), 0.035),
            Ellipsoid((s * 0.070, 0.905, -0.060), (0.082, 0.085, 0.066), 0.030),
            Cone((s * 0.03, 1.425, -0.03), at[f"upperarm_{side}"], (0.050, 0.057), 0.050),
        ]
        members += _arm(at, side) + _leg(at, side, s)
    return blend(members + _head(), _TORSO)


def _arm(at: dict[str, Array], side: str) -> list[Cone | Ellipsoid]:
    shoulder, elbow, wrist = at[f"upperarm_{side}"], at[f"forearm_{side}"], at[f"hand_{side}"]
    upper = (elbow - shoulder) / np.linalg.norm(elbow - shoulder)
    lower = (wrist - elbow) / np.linalg.norm(wrist - elbow)
    front = np.array([0.0, 0.0, 1.0])
    across = np.cross(lower, front)
    palm = wrist + 0.050 * lower
    made: list[Cone | Ellipsoid] = [
        Cone(shoulder, elbow, (0.055, 0.0385), 0.035),
        Ellipsoid(shoulder + 0.13 * upper + 0.010 * front, (0.043, 0.043, 0.043), 0.030),
        Cone(elbow, wrist, (0.0385, 0.0250), 0.020),
        Cone(elbow + 0.03 * lower, elbow + 0.11 * lower, (0.0405, 0.0350), 0.020),
        Cone(wrist, palm, (0.0245, 0.0225), 0.020),
    ]
    for k, (offset, length) in enumerate(((-0.024, 0.070), (-0.008, 0.080), (0.008, 0.076), (0.022, 0.060))):
        root = wrist + 0.040 * lower + 0.8 * offset * front
        knuckle = wrist + 0.088 * lower + offset * front
        curl = 0.010 * np.sign(across[1]) * across
        tip = knuckle + length * lower - curl - 0.002 * (k - 1.5) * front
        made += [Cone(root, knuckle, (0.0150, 0.0120), 0.012), Cone(knuckle, tip, (0.0108, 0.0080), 0.004)]
    thumb = wrist + 0.075 * lower + 0.048 * front
    made += [
        Cone(wrist + 0.020 * lower + 0.014 * front, thumb, (0.0150, 0.0115), 0.012),
        Cone(thumb, thumb + 0.036 * lower + 0.010 * front, (0.0112, 0.0088), 0.004),
    ]
    return made


def _leg(at: dict[str, Array], side: str, s: float) -> list[Cone | Ellipsoid]:
    hip, knee, ankle, toe = (at[f"{p}_{side}"] for p in ("thigh", "shank", "foot", "toes"))
    return [
        Cone(_by(hip, 0.0, -0.03, 0.0), knee, (0.090, 0.0525), 0.050),
        Ellipsoid(_by(hip, s * 0.012, -0.15, 0.022), (0.066, 0.150, 0.070), 0.040),
        Ellipsoid(_by(knee, 0.0, 0.0, 0.018), (0.040, 0.048, 0.040), 0.030),
        Cone(knee, ankle, (0.0505, 0.0345), 0.030),
        Ellipsoid(_by(knee, 0.0, -0.12, -0.024), (0.047, 0.105, 0.042), 0.030),
        Cone(_by(ankle, 0.0, -0.040, -0.030), _by(ankle, 0.0, -0.046, 0.02), (0.038, 0.034), 0.030),
        Cone(_by(ankle, 0.0, -0.018, 0.02), _by(toe, 0.0, 0.006, 0.0), (0.036, 0.026), 0.030),
        Ellipsoid(_by(toe, s * -0.002, -0.001, 0.010), (0.046, 0.024, 0.072), 0.020),
        Ellipsoid(_by(toe, s * -0.020, 0.0, 0.062), (0.022, 0.019, 0.034), 0.015),
        Ellipsoid(_by(toe, s * 0.018, -0.004, 0.045), (0.026, 0.016, 0.034), 0.015),
    ]


def _by(place: Array, x: float, y: float, z: float) -> Array:
    return place + np.array([x, y, z])


def _head() -> list[Cone | Ellipsoid]:
    made: list[Cone | Ellipsoid] = [
        Cone((0.0, 1.43, -0.032), (0.0, 1.56, -0.012), (0.055, 0.050), 0.045),
        Ellipsoid((0.0, 1.668, -0.008), (0.074, 0.092, 0.094), 0.020),
        Ellipsoid((0.0, 1.610, 0.026), (0.054, 0.072, 0.058), 0.035),
        Ellipsoid((0.0, 1.562, 0.050), (0.026, 0.022, 0.026), 0.030),  # chin
        Cone((0.0, 1.668, 0.076), (0.0, 1.628, 0.092), (0.008, 0.0100), 0.024),  # nose
        Ellipsoid((0.0, 1.595, 0.072), (0.020, 0.010, 0.012), 0.022),  # mouth
        Ellipsoid((0.0, 1.682, 0.062), (0.046, 0.014, 0.022), 0.040),  # brow
    ]
    for s in (1.0, -1.0):
        made.append(Ellipsoid((s * 0.070, 1.640, -0.006), (0.010, 0.030, 0.017), 0.012))  # ears
    return made


def mesh() -> tuple[Array, Array]:
    """Points and triangles, even, finer at the face, the hands and the feet."""
    body = shape()
    points, triangles = level_set(
        lambda p: distance(p, body), np.array([-0.78, -0.03, -0.22]), np.array([0.78, 1.79, 0.26]), CELL
    )
    points, triangles = largest_piece(points, triangles)
    points = projected(points, body)
    return remeshed(points, triangles, _edge_lengths(points), project=lambda p: projected(p, body), rounds=6)


def _edge_lengths(points: Array) -> Array:
    at = joints()
    near = np.full(len(points), np.inf)
    for side in ("left", "right"):
        near = np.minimum(near, np.linalg.norm(points - at[f"hand_{side}"], axis=1) - 0.19)
        near = np.minimum(near, np.linalg.norm(points - at[f"toes_{side}"], axis=1) - 0.10)
    near = np.minimum(near, np.linalg.norm(points - (0.0, 1.62, 0.08), axis=1) - 0.08)
    return FINE + (EDGE - FINE) * _step(near / 0.08)


def _step(x: Array | float) -> Array:
    x = np.clip(x, 0.0, 1.0)
    return np.asarray(x * x * (3.0 - 2.0 * x))


def skin_weights(points: Array, triangles: Array) -> Array:
    """(n, 21) weights: a smooth step across a plane at each joint, then heat along the skin, wider where limbs join.

    Without the wide pass a raised arm tears a spike out of the armpit.
    """
    at = joints()
    table = _steps(points, at)
    table /= table.sum(axis=1, keepdims=True)
    narrow = spread(points, triangles, table, 0.045)
    wide = spread(points, triangles, table, 0.07, times=2)
    blend_in = np.zeros(len(points))
    for side in ("left", "right"):
        for part in ("upperarm", "thigh"):
            distance_to = np.linalg.norm(points - at[f"{part}_{side}"], axis=1)
            blend_in = np.maximum(blend_in, 1.0 - _step((distance_to - 0.10) / 0.10))
    return narrow + blend_in[:, None] * (wide - narrow)


def _steps(points: Array, at: dict[str, Array]) -> Array:
    """Each chain hands a point on from bone to bone; the limbs take their share first, the trunk gets the rest."""
    table = np.zeros((len(points), len(ROLES)))
    column = {role: k for k, role in enumerate(ROLES)}
    for side, s in (("left", 1.0), ("right", -1.0)):
        arm, collar = _arm_share(points, at, side, s)
        shoulder, elbow = at[f"upperarm_{side}"], at[f"forearm_{side}"]
        along = (points - shoulder) @ ((elbow - shoulder) / np.linalg.norm(elbow - shoulder))
        below, beyond = _step((along - 0.230) / 0.10), _step((along - 0.505) / 0.06)
        table[:, column[f"shoulder_{side}"]] = 0.8 * (1.0 - arm) * collar
        shares = (arm * (1 - below), arm * below * (1 - beyond), arm * below * beyond)
        for part, share in zip(("upperarm", "forearm", "hand"), shares, strict=True):
            table[:, column[f"{part}_{side}"]] = share
        free = np.clip(1.0 - arm, 0.0, 1.0)
        for part, share in _leg_shares(points, at, side, s, free).items():
            table[:, column[f"{part}_{side}"]] = share
    rest = np.clip(1.0 - table.sum(axis=1), 0.0, 1.0)
    y = points[:, 1]
    ladder = [_step((y - at[role][1] - shift + half) / (2 * half)) for role, shift, half in _TRUNK]
    share = np.ones(len(points))
    for k, role in enumerate(("hips", "spine", "chest", "neck", "head")):
        above = ladder[k] if k < 4 else np.zeros(len(points))
        table[:, column[role]] = rest * share * (1.0 - above)
        share = share * above
    return table


_TRUNK = (("spine", 0.0, 0.05), ("chest", 0.0, 0.07), ("neck", 0.015, 0.03), ("head", 0.02, 0.03))  # shift, half width


def _arm_share(points: Array, at: dict[str, Array], side: str, s: float) -> tuple[Array, Array]:
    """(n,) share of the arm, across the plane that halves the angle of shoulder and arm, and of the collar bone."""
    shoulder, elbow = at[f"upperarm_{side}"], at[f"forearm_{side}"]
    away = (elbow - shoulder) / np.linalg.norm(elbow - shoulder) + (s, 0.15, 0.0)
    offset = points - shoulder
    arm = _step((offset @ (away / np.linalg.norm(away)) + 0.075) / 0.135)
    arm *= _step((s * points[:, 0] - 0.10) / 0.04)
    arm *= _step((offset @ np.array([s * np.cos(ARM), np.sin(ARM), 0.0]) + 0.100) / 0.050)  # not the ribs below it
    collar = _step((s * points[:, 0] - 0.02) / 0.13) * _step((points[:, 1] - 1.27) / 0.14)
    return arm, collar * (1.0 - _step((points[:, 1] - at["neck"][1] + 0.02) / 0.08))


def _leg_shares(points: Array, at: dict[str, Array], side: str, s: float, free: Array) -> dict[str, Array]:
    hip, knee, ankle, toe = (at[f"{p}_{side}"] for p in ("thigh", "shank", "foot", "toes"))
    y = points[:, 1]
    crease = 0.25 * np.clip(hip[0] * s - np.abs(points[:, 0]), -0.1, 0.1)  # lower inside than outside
    leg = _step((hip[1] + 0.055 - y - crease) / 0.13) * _step((s * points[:, 0] + 0.02) / 0.04) * free
    below_knee, below_ankle = _step((knee[1] - y + 0.055) / 0.11), _step((ankle[1] - y + 0.03) / 0.06)
    front = _step((points[:, 2] - toe[2] + 0.02) / 0.05)
    foot = leg * below_knee * below_ankle
    return {
        "thigh": leg * (1.0 - below_knee),
        "shank": leg * below_knee * (1.0 - below_ankle),
        "foot": foot * (1.0 - front),
        "toes": foot * front,
    }


def parents() -> Array:
    """(21,) parent of each role's bone, -1 of the hips."""
    return np.array([ROLES.index(PARENT_ROLE[role]) if role in PARENT_ROLE else -1 for role in ROLES])


def mannequin() -> Body:
    """The whole figure at its own height."""
    points, triangles = mesh()
    bones, weights = four_strongest(np.maximum(skin_weights(points, triangles), 0.0))
    at = joints()
    rigged = Rigged(points, triangles.astype(Index), None, bones, weights)
    return Body(rigged, ROLES, parents(), np.array(list(at.values())), {role: k for k, role in enumerate(ROLES)})
