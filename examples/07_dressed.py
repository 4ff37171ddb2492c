"""A shirt on a body in an instant: no time step, so the same pose gives the same bits."""

import numpy as np

import pliant

body = pliant.Character.mannequin()
shirt = pliant.Garment.tshirt(body)

(upright,) = pliant.drape(body, shirt, "upright")
(raised,) = pliant.drape(body, shirt, "raise")
(again,) = pliant.drape(body, shirt, "upright")

print(f"{len(shirt.worn(body).mesh.triangles)} triangles, shown with {len(upright.triangles)}")
print(f"the hem rises by {raised.points[:, 1].min() - upright.points[:, 1].min():.3f} m with the arm")
assert np.array_equal(upright.points, again.points)
assert not np.array_equal(upright.points, raised.points)
