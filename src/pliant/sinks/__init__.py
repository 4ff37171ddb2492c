"""Everything that receives frames: files, pictures, pages, numbers."""

from pathlib import Path

from pliant.errors import FormatError, unknown
from pliant.sinks.base import Sink
from pliant.sinks.bvh import Bvh
from pliant.sinks.csv import Csv
from pliant.sinks.glb import Glb
from pliant.sinks.npz import Npz
from pliant.sinks.obj_sequence import ObjSequence
from pliant.sinks.ply_sequence import PlySequence
from pliant.sinks.point_caches import Mdd, Pc2
from pliant.sinks.usd import Usd
from pliant.sinks.usda import Usda
from pliant.sinks.vertex_textures import VertexTextures
from pliant.sinks.zarr import Zarr

__all__ = [
    "Bvh",
    "Csv",
    "Glb",
    "Mdd",
    "Npz",
    "ObjSequence",
    "Pc2",
    "PlySequence",
    "Sink",
    "Usd",
    "Usda",
    "VertexTextures",
    "Zarr",
    "for_suffix",
    "formats",
]


def formats() -> dict[str, type[Sink]]:
    """Every suffix and the sink that writes it, from this room's `__all__`."""
    kinds = [globals()[name] for name in __all__ if isinstance(globals()[name], type)]
    return {suffix: kind for kind in kinds for suffix in kind.suffixes}


def for_suffix(suffix: str | Path) -> type[Sink]:
    """The sink for `.glb`, or for a path that ends so."""
    word = (Path(suffix).suffix if Path(suffix).suffix else str(suffix)).lower()
    if word not in formats():
        raise FormatError(unknown("format", word, formats()))
    return formats()[word]
