"""Files -> plain records: meshes, characters, motion, recordings; the mesh doctor."""
