"""The command line: one file per verb, no logic of its own."""

from pliant.cli.app import main

__all__ = ["main"]
