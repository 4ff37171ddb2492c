"""A helium balloon let go: gas, skin and the air it pushes aside decide how it starts."""

import pliant

balloon = pliant.Balloon.sphere(radius=0.15, center=(0, 1, 0), gas=pliant.Gas(kind="helium", fill=2.5))
scene = pliant.Scene(parts={"balloon": balloon}, fields=[pliant.Gravity()])

heights = []
for frame in pliant.simulate(scene, frames=12, fps=120):
    part = frame["balloon"]
    heights.append(float(part.points[:, 1].mean()))
skin = float(pliant.build(scene).parts["balloon"].mass.sum())
air, helium = 1.2041 * part.volume, 0.1664 * part.volume * part.pressure / 101325
expected = 9.81 * (air - helium - skin) / (skin + helium + 0.5 * air)  # half the displaced air goes along
measured = (heights[11] - 2 * heights[7] + heights[3]) / (4 / 120) ** 2  # second difference
print(f"volume {1e3 * part.volume:.2f} l, over-pressure {part.pressure - 101325:.0f} Pa")
print(f"acceleration {measured:.2f} m/s^2, expected {expected:.2f}")
assert abs(measured - expected) < 0.05 * expected
