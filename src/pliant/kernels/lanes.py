"""Eight numbers at once: a vector type for kernels, so that a loop is vectorised because its text says so.

`load(array, i)` reads array[i : i + LANES] of a one-dimensional float64 array, `store` writes it back; between them
+ - * /, `root`, `greatest` and `fill` work on all lanes. Each lane rounds as the scalar operation does, so results are
the same on every processor. Rejected: leaving it to the compiler, which gives up on loops that update several arrays
in place, because it cannot know that they do not overlap.
"""

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

LANES = 8

_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_BYTES = 8  # alignment of one lane: a load may start anywhere


class _Lanes(types.Type):
    """LANES floating-point numbers."""

    def __init__(self) -> None:
        super().__init__(name="lanes")


_KIND = _Lanes()


@register_model(_Lanes)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


def _arithmetic(symbol: Any, name: str) -> None:
    template = type(f"_{name}", (ConcreteTemplate,), {"cases": [signature(_KIND, _KIND, _KIND)]})
    infer_global(symbol)(template)

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return getattr(builder, name)(*args)

    lower_builtin(symbol, _KIND, _KIND)(lower)


for _symbol, _name in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _arithmetic(_symbol, _name)


def _place(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """Pointer to the first lane."""
    view = context.make_array(kind)(context, builder, value=array)
    return builder.bitcast(builder.gep(view.data, [index]), _VECTOR.as_pointer())


@intrinsic
def load(typing_context: Any, array: Any, index: Any) -> Any:
    """array[index : index + LANES]."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.load(_place(context, builder, sig.args[0], args[0], args[1]), align=_BYTES)

    return _KIND(array, types.intp), generate


@intrinsic
def store(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """array[index : index + LANES] = value."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        builder.store(args[2], _place(context, builder, sig.args[0], args[0], args[1]), align=_BYTES)
        return context.get_dummy_value()

    return types.void(array, types.intp, value), generate


@intrinsic
def fill(typing_context: Any, value: Any) -> Any:
    """`value` in every lane."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        nothing, integer = ir.Constant(_VECTOR, ir.Undefined), ir.IntType(32)
        one = builder.insert_element(nothing, args[0], ir.Constant(integer, 0))
        return builder.shuffle_vector(one, nothing, ir.Constant(ir.VectorType(integer, LANES), [0] * LANES))

    return _KIND(types.float64), generate


@intrinsic
def root(typing_context: Any, value: Any) -> Any:
    """Square root."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind = ir.FunctionType(_VECTOR, [_VECTOR])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"llvm.sqrt.v{LANES}f64"), args)

    return value(value), generate


@intrinsic
def greatest(typing_context: Any, a: Any, b: Any) -> Any:
    """The larger of the two, lane by lane."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", args[0], args[1]), args[0], args[1])

    return a(a, b), generate


@intrinsic
def least(typing_context: Any, a: Any, b: Any) -> Any:
    """The smaller of the two, lane by lane."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered("<", args[0], args[1]), args[0], args[1])

    return a(a, b), generate
