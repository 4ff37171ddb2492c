"""Measurements: cost, scaling, peers."""

from collections.abc import Callable

from pliant.bench.approximate import approximate
from pliant.bench.balloons import balloons
from pliant.bench.cloth import curtains
from pliant.bench.drape import drape
from pliant.bench.pictures import pictures
from pliant.bench.puppets import puppets
from pliant.bench.report import Report
from pliant.bench.scaling import scaling
from pliant.bench.startup import startup
from pliant.bench.strain import strain
from pliant.bench.studio import studio

BENCHMARKS: dict[str, Callable[[], Report]] = {
    "approximate": approximate,
    "balloons": balloons,
    "curtains": curtains,
    "drape": drape,
    "pictures": pictures,
    "puppets": puppets,
    "scaling": scaling,
    "startup": startup,
    "strain": strain,
    "studio": studio,
}

__all__ = [
    "BENCHMARKS",
    "Report",
    "approximate",
    "balloons",
    "curtains",
    "drape",
    "pictures",
    "puppets",
    "scaling",
    "startup",
    "strain",
    "studio",
]
