"""Measurements: cost, scaling, peers."""

from collections.abc import Callable

from pliant.bench.puppets import puppets
from pliant.bench.report import Report

BENCHMARKS: dict[str, Callable[[], Report]] = {"puppets": puppets}

__all__ = ["BENCHMARKS", "Report", "puppets"]
