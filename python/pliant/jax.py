"""Functions of parameters inside JAX. JAX is imported when a function is adapted, not before."""
from __future__ import annotations

from importlib import import_module
from typing import Any, Callable, Tuple

import numpy as np

from ._gradient import Function


def function(f: Function) -> Callable[[Any], Any]:
    """``f`` for JAX: ``jax.grad``, ``jax.value_and_grad`` and ``jax.jit`` know it.

    Derivatives are of first order, in reverse mode. Runs happen in callbacks on the host; in
    double precision where ``jax_enable_x64`` is set, else JAX rounds.
    """
    jax = import_module("jax")

    def told(x: Any) -> Tuple[Any, Any]:
        x = np.asarray(x)
        value, gradient = f.value_and_grad(x.astype(float))
        return np.asarray(value, x.dtype), gradient.astype(x.dtype)

    def run(x: Any) -> Tuple[Any, Any]:
        shape = jax.ShapeDtypeStruct
        value, gradient = jax.pure_callback(told, (shape((), x.dtype), shape(x.shape, x.dtype)), x)
        return value, gradient

    def value_of(x: Any) -> Any:
        return run(x)[0]

    def backward(gradient: Any, above: Any) -> Tuple[Any]:
        return (above * gradient,)

    adapted: Any = jax.custom_vjp(value_of)
    adapted.defvjp(run, backward)
    out: Callable[[Any], Any] = adapted
    return out
