"""The same curtain under four methods of the papers: one argument changes, and it hangs alike."""

import pliant

fabric = pliant.Fabric(density=0.2, stretch=60.0, shear=40.0, bend=1e-4, damping=0.02, limit=None)
sheet = pliant.Cloth.sheet(width=1, height=1, columns=10, rows=10, fabric=fabric, pinned="top", self_contact=False)
scene = pliant.Scene(parts={"sheet": sheet})

hems = {}
for method in ("implicit", "filtered", "approximate", "xpbd"):
    *_, last = pliant.simulate(scene, seconds=6.0, integrator=method, substeps=16)
    hems[method] = float(last["sheet"].points[:, 1].min())
    print(f"{method:12s} hem at {hems[method]:.4f} m")

assert max(hems.values()) - min(hems.values()) < 0.01
