"""Everything that receives frames: files, pictures, pages, numbers."""

from pliant.sinks.alembic import Alembic
from pliant.sinks.base import Sink
from pliant.sinks.bvh import Bvh
from pliant.sinks.csv import Csv
from pliant.sinks.formats import for_suffix, formats
from pliant.sinks.gif import Gif
from pliant.sinks.glb import Glb
from pliant.sinks.mp4 import Mp4
from pliant.sinks.npz import Npz
from pliant.sinks.obj_sequence import ObjSequence
from pliant.sinks.ply_sequence import PlySequence
from pliant.sinks.png import Png
from pliant.sinks.point_caches import Mdd, Pc2
from pliant.sinks.replay import Replay
from pliant.sinks.svg import Svg
from pliant.sinks.usd import Usd
from pliant.sinks.usda import Usda
from pliant.sinks.vertex_textures import VertexTextures
from pliant.sinks.zarr import Zarr

__all__ = [
    "Alembic",
    "Bvh",
    "Csv",
    "Gif",
    "Glb",
    "Mdd",
    "Mp4",
    "Npz",
    "ObjSequence",
    "Pc2",
    "PlySequence",
    "Png",
    "Replay",
    "Sink",
    "Svg",
    "Usd",
    "Usda",
    "VertexTextures",
    "Zarr",
    "for_suffix",
    "formats",
]
