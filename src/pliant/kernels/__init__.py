"""The compiler, and loops that more than one room needs."""

from pliant.kernels.adjacency import Adjacency, adjacency
from pliant.kernels.coloring import color_offsets
from pliant.kernels.jit import (
    SHARE_FROM,
    compiler_report,
    folded,
    heavy,
    inline,
    inner,
    kernel,
    lean,
    maximum_thread_count,
    scratch_rows,
    serial,
    set_thread_count,
    span,
    sweep,
    thread_count,
    thread_index,
)

__all__ = [
    "SHARE_FROM",
    "Adjacency",
    "adjacency",
    "color_offsets",
    "compiler_report",
    "folded",
    "heavy",
    "inline",
    "inner",
    "kernel",
    "lean",
    "maximum_thread_count",
    "scratch_rows",
    "serial",
    "set_thread_count",
    "span",
    "sweep",
    "thread_count",
    "thread_index",
]
