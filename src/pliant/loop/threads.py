"""How many threads share large parts."""

from pliant.errors import SceneError
from pliant.kernels import maximum_thread_count, set_thread_count


def set_threads(threads: int | None) -> None:
    """None: all there are. The number belongs to the calling Python thread; results do not depend on it."""
    if threads is not None and threads < 1:
        raise SceneError(f"threads = {threads}; must be >= 1")
    set_thread_count(threads if threads is not None else maximum_thread_count())
