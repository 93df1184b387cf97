"""A hint to the processor that a place in an array will be read soon."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

BYTE, NUMBER = ir.IntType(8).as_pointer(), ir.IntType(32)
READ, ALL_LEVELS, DATA = (ir.Constant(NUMBER, option) for option in (0, 3, 1))


def _prefetch(typing_context: Any, array: Any, index: Any) -> Any:  # noqa: ARG001 - numba's signature
    """Start to load `array[index]` into the cache; changes nothing, wherever the index lies."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        place = builder.bitcast(builder.gep(data, [arguments[1]]), BYTE)
        hint = builder.module.declare_intrinsic(
            "llvm.prefetch", [BYTE], ir.FunctionType(ir.VoidType(), [BYTE, NUMBER, NUMBER, NUMBER])
        )
        builder.call(hint, [place, READ, ALL_LEVELS, DATA])
        return context.get_dummy_value()

    return types.void(array, index), generate


prefetch: Any = intrinsic(_prefetch)
