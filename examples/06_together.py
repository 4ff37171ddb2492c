"""A tie makes two parts one: a helium balloon carries a ribbon away."""

import numpy as np

import pliant

ribbon = pliant.Ribbon(
    width=0.6, height=0.03, columns=24, rows=1, center=(0.3, 0.5, 0.0), fabric="chiffon", pinned=None
)
balloon = pliant.Balloon.sphere(radius=0.16, center=(0.0, 0.9, 0.0), gas=pliant.Gas(kind="helium", fill=2.5))
scene = pliant.Scene(
    parts={"ribbon": ribbon, "balloon": balloon},
    fields=[pliant.Gravity(), pliant.Wind()],
    ties=[pliant.Tie(a="ribbon:left", b="balloon:nozzle", length=0.3)],
    colliders=[pliant.Ground()],
)
*_, last = pliant.simulate(scene, seconds=2.0)
end = last["ribbon"].points[[0, 25]].mean(axis=0)
gap = np.linalg.norm(last["balloon"].points - end, axis=1).min()
print(f"ribbon's end at {end[1]:.2f} m, {gap:.2f} m below the balloon")
assert end[1] > 1.0
assert gap < 0.32
