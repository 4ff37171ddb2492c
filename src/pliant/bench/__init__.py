"""Measurements: cost, scaling, peers."""
