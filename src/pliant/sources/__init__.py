"""Files -> plain records: meshes, motion. Nothing here knows what a scene is."""

from pliant.sources.bvh import Motion, read_bvh
from pliant.sources.meshes import MeshRecord, read_mesh

__all__ = ["MeshRecord", "Motion", "read_bvh", "read_mesh"]
