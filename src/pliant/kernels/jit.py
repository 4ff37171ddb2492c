"""The one place that knows which compiler turns a Python loop into machine code.

`kernel` compiles one serial loop. `sweep` compiles the same text twice, serial and with its `span` loops shared
among threads, and picks by the number of rows: below `SHARE_FROM` rows waking the second thread costs more than
it saves. Rows of a `span` loop never write what another row reads, so both give the same bits. A shared loop loses
what it writes to a field of a named tuple and cannot take a tuple within a tuple: name such columns before the loop.
"""

import functools
import hashlib
import os
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

# Threads that wait for the next sweep spin for microseconds, not for milliseconds: on a busy machine a spinning thread
# keeps away the one it waits for (measured 7x slower). Read by the threading layer when it is loaded.
os.environ.setdefault("GOMP_SPINCOUNT", "3000")

import numba

P = ParamSpec("P")
R = TypeVar("R")

SHARE_FROM = 3000  # rows; two threads measured no faster below
SHARE_HEAVY_FROM = 300  # the same of `heavy` rows

# fastmath stays off: it would let two builds of one scene disagree in the last bit
_OPTIONS: dict[str, Any] = {"cache": True, "fastmath": False, "nogil": True, "error_model": "numpy"}

_LEAN: dict[str, Any] = _OPTIONS | {"_nrt": False}  # without the run-time that counts references to arrays

# not cached: it is compiled into its callers, which are
_INNER: dict[str, Any] = _OPTIONS | {
    "cache": False,
    "forceinline": True,  # small vectors then stay in registers: a fifth faster
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}

# OpenMP wakes its threads in microseconds and, unlike the work queue, may be called from several Python threads
_config: Any = numba.config
_config.THREADING_LAYER_PRIORITY = ["omp", "tbb", "workqueue"]

span = numba.prange
thread_index = cast("Any", numba).get_thread_id  # inside a kernel: the row of scratch memory that is its thread's own


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a serial loop; the machine code is cached beside the file."""
    return _stamped(numba.njit(**_OPTIONS)(function), function)


def lean(function: Callable[P, R]) -> Callable[P, R]:
    """A `kernel` that allocates nothing, slices nothing and returns no array, and so counts no references.

    Counting is two atomic operations for every array of every tuple that a call hands on, which costs a row more than
    its arithmetic. The caller holds the arrays.
    """
    return _stamped(numba.njit(**_LEAN)(function), function)


def inner(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a few lines that only other kernels call.

    Without a door from Python (a call from there crashes) they take half the time to compile.
    """
    return _stamped(numba.njit(**_INNER)(function), function)


def inline(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a few lines that other kernels call; not cached, since it is compiled into each caller."""
    return _stamped(numba.njit(fastmath=False, nogil=True, error_model="numpy", inline="always")(function), function)


def folded(function: Callable[P, R]) -> Callable[P, R]:
    """A serial loop that the machine code of its callers takes in: for inner calls that hand on many arrays."""
    return _stamped(numba.njit(forceinline=True, **_OPTIONS)(function), function)


def heavy(function: Callable[P, R]) -> Callable[P, R]:
    """A `sweep` whose rows take a microsecond, not nanoseconds: a few hundred are worth waking a thread."""
    return sweep(function, share_from=SHARE_HEAVY_FROM)


def sweep(function: Callable[P, R], *, share_from: int = SHARE_FROM) -> Callable[P, R]:
    """Compile a loop over rows; its first argument's length decides whether threads share the rows."""
    serial: Any = _stamped(numba.njit(**_OPTIONS)(function), function)
    shared: Any = _stamped(numba.njit(parallel=True, **_OPTIONS)(_twin(function)), function)

    @functools.wraps(function)
    def run(
        *arguments: Any,
    ) -> Any:  # a frame of a small sheet makes dozens of calls: nothing but the choice is in here
        if len(arguments[0]) >= share_from and numba.get_num_threads() > 1:
            return shared(*arguments)
        return serial(*arguments)

    cast("Any", run).serial = serial  # for kernels that call this loop within a longer one
    return cast("Callable[P, R]", run)


def serial(function: Callable[P, R]) -> Callable[P, R]:
    """The serial form of a sweep, for a kernel that calls it as one loop among others."""
    return cast("Callable[P, R]", cast("Any", function).serial)


def _stamped(compiled: Any, function: Callable[P, R]) -> Callable[P, R]:
    """Let cached machine code count as stale when anything it took in has changed, not its own file alone.

    The compiler looks at the file of the loop; the loops it calls and the numbers it takes from other files are in its
    machine code as well, and an edit of those would go unseen.
    """
    compiled.stamp = _stamp(function)
    cache = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if cache is not None:
        cache._source_stamp = compiled.stamp
    return cast("Callable[P, R]", compiled)


def _stamp(function: Any) -> str:
    """Of a loop's own file, of the loops it calls, and of the numbers and words it reads."""
    known = function.__globals__
    taken = [(name, known[name]) for name in function.__code__.co_names if name in known]
    called = [(name, thing.stamp) for name, thing in taken if hasattr(thing, "stamp")]
    read = [(name, thing) for name, thing in taken if isinstance(thing, bool | int | float | str | tuple)]
    words = f"{_file_stamp(function.__code__.co_filename)} {called} {read}"
    return hashlib.sha1(words.encode(), usedforsecurity=False).hexdigest()


@functools.cache
def _file_stamp(path: str) -> tuple[float, int]:
    try:
        file = os.stat(path)
    except OSError:  # no file: typed in, or within an archive
        return 0.0, 0
    return file.st_mtime, file.st_size


def _twin(function: Callable[P, R]) -> Callable[P, R]:
    """The same text under another name, so that the two compiled forms are cached apart."""
    import types

    twin = types.FunctionType(function.__code__, function.__globals__, function.__name__ + "_shared")
    twin.__qualname__ = function.__qualname__ + "_shared"
    twin.__module__ = function.__module__
    return cast("Callable[P, R]", twin)


def thread_count() -> int:
    return int(numba.get_num_threads())


def set_thread_count(count: int) -> None:
    """Share `span` loops among `count` threads; results do not depend on it."""
    numba.set_num_threads(max(1, min(count, int(_config.NUMBA_NUM_THREADS))))


def maximum_thread_count() -> int:
    return int(_config.NUMBA_NUM_THREADS)


def scratch_rows() -> int:
    """Rows of scratch memory a kernel needs that picks its own by `thread_index`; call it before such a kernel runs."""
    thread_index()  # wakes the threads: machine code from the cache finds the index only after that
    return maximum_thread_count()


def compiler_report() -> dict[str, str]:
    """Versions and threading layer, for `pliant doctor`."""
    probe = numba.njit(parallel=True)(_probe)
    probe(8)
    return {
        "numba": numba.__version__,
        "layer": str(cast("Any", numba).threading_layer()),
        "threads": str(maximum_thread_count()),
    }


def _probe(n):
    total = 0
    for i in span(n):
        total += i
    return total
