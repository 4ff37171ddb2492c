"""Every error a user can cause. Each message is one line: what, where, which value, what to do."""

import difflib
from collections.abc import Iterable


class PliantError(Exception):
    """Base class, so that one `except` catches all of ours and nothing else."""


class SceneError(PliantError, ValueError):
    """The scene description is not physical or not consistent."""


class UnsupportedError(PliantError, TypeError):
    """A part, method or optional package cannot do what was asked of it."""


class UnstableError(PliantError, ArithmeticError):
    """A run became, or would become, unstable."""


class FormatError(PliantError, ValueError):
    """A file cannot be read or written as asked."""


def unknown(kind: str, name: str, known: Iterable[str]) -> str:
    """The message for a name that does not exist: the nearest that do, or else all there are."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
    if near:
        return f"no {kind} {name!r} here; did you mean {' or '.join(repr(n) for n in near)}?"
    listed = ", ".join(names[:24]) + (", …" if len(names) > 24 else "")
    return f"no {kind} {name!r} (has: {listed or 'none'})"
