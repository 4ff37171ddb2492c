"""What a new pose of a garment costs: from the matrices of the bones to the shown mesh, everything included."""

from time import perf_counter

import numpy as np

from pliant.bench.report import Report
from pliant.filters.draping import Draper, Harmonic, Strain
from pliant.scene import Character, Garment
from pliant.scene.figures.posing import POSES
from pliant.scene.garment import skin_of

TARGETS = {
    ("tshirt", "harmonic"): 5.0,
    ("tshirt", "strain"): 8.0,
    ("sweater", "harmonic"): 7.0,
    ("sweater", "strain"): 11.0,
}
SEED = {"tshirt": 720.0, "sweater": 965.0}  # [ms] the published figures, on a machine of 2004
ROUNDS = 40


def drape() -> Report:
    """Shirt of 6,602 and sweater of 8,814 triangles, both methods: bind once, then pose after pose."""
    body = Character.mannequin()
    poses = [body.pose(name) for name in POSES]
    rows: list[tuple[str, ...]] = []
    values: dict[str, dict[str, float]] = {}
    for kind in ("tshirt", "sweater"):
        garment = Garment(kind=kind)
        wear = garment.wear(body, 0)
        for method in (Harmonic(), Strain()):
            Draper(skin_of(body), (wear,), method).drape(poses[0])  # compiles
            began = perf_counter()
            draper = Draper(skin_of(body), (wear,), method)
            shown = draper.drape(poses[0])[0]
            bind = 1e3 * (perf_counter() - began)
            times = np.array([_timed(draper, poses[k % len(poses)]) for k in range(ROUNDS)])
            name, target = f"{kind} {method.name}", TARGETS[kind, method.name]
            least, median = float(times.min()), float(np.median(times))
            values[name] = {
                "bind_ms": round(bind, 2),
                "least_ms": round(least, 3),
                "median_ms": round(median, 3),
                "target_ms": target,
                "seed_ms": SEED[kind],
            }
            size = f"{len(wear.mesh.triangles):,} / {len(shown.triangles):,}"
            rows.append((kind, method.name, size, f"{bind:.0f}", f"{least:.1f}", f"{median:.1f}", f"{target:.0f}"))
    columns = ("garment", "method", "triangles light / shown", "first pose, bound", "least", "median", "target")
    return Report("A new pose of a garment, ms", columns, rows, values)


def _timed(draper: Draper, pose: np.ndarray) -> float:
    began = perf_counter()
    draper.drape(pose)
    return 1e3 * (perf_counter() - began)
