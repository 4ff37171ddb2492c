"""Measurements: cost, scaling, peers."""

from collections.abc import Callable

from pliant.bench.report import Report

BENCHMARKS: dict[str, Callable[[], Report]] = {}

__all__ = ["BENCHMARKS", "Report"]
