"""How many threads share large parts."""

from numbers import Integral

from pliant.errors import SceneError
from pliant.kernels import maximum_thread_count, set_thread_count


def set_threads(threads: int | None) -> None:
    """None: all there are. The number belongs to the calling Python thread; results do not depend on it."""
    if threads is not None and (not isinstance(threads, Integral) or threads < 1):
        raise SceneError(f"threads = {threads!r}; must be >= 1, a whole number")
    set_thread_count(int(threads) if threads is not None else maximum_thread_count())
