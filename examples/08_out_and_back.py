"""Out as glTF and as plain arrays, and read again: every point where it was."""

import numpy as np

import pliant

scene = pliant.gallery.load("sheet_on_sphere")
frames = list(pliant.simulate(scene, frames=30))
pliant.save(scene, "sheet.glb", seconds=0.5, error=0.0)
pliant.save(scene, "sheet.npz", seconds=0.5)

(name,) = frames[0]
for path in ("sheet.glb", "sheet.npz"):
    recording = pliant.load_recording(path)
    *_, last = recording
    away = np.abs(last[name].points - frames[-1][name].points).max()
    print(f"{path}: {len(list(pliant.load_recording(path)))} frames, farthest point off by {away:.1e} m")
    assert away < 1e-5
