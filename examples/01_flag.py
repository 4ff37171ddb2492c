"""A flag in gusts: said in a few lines, looked at frame by frame, taken to Blender."""

import pliant

flag = pliant.Cloth.sheet(width=1.5, height=1.0, columns=30, rows=20, fabric="cotton", pinned="left")
scene = pliant.Scene(
    parts={"flag": flag},
    fields=[pliant.Gravity(), pliant.Wind(velocity=(6, 0, 1), gust=0.3, seed=7)],
    colliders=[pliant.Ground(height=-1.0)],
)

greatest = 0.0
for frame in pliant.simulate(scene, seconds=1.0, fps=60):
    points = frame["flag"].points  # (n, 3) float32, metres, y up, read-only
    rows = points.reshape(21, 31, 3)
    lengths = ((rows[:, 1:] - rows[:, :-1]) ** 2).sum(axis=2) ** 0.5
    greatest = max(greatest, float(lengths.max()) / 0.05 - 1.0)
print(f"greatest stretch along the threads: {100 * greatest:.1f} %")
assert greatest < 0.05

pliant.save(scene, "flag.glb", seconds=0.5)
