"""Loads of one's own, written in Python."""
from __future__ import annotations

from typing import Any, Callable, Tuple

import numpy as np
from numpy.typing import NDArray

from . import _errors as errors
from ._callbacks import Callback, guarded, things
from ._library import LOAD, lib

Array = NDArray[np.float64]
#: Place (axes) m, velocity (axes) m/s and strength to the force (axes) N, or to the force and its
#: derivatives by the three.
Function = Callable[[NDArray[Any], NDArray[Any], Any], Any]

_STEP = 1e-40  # of the complex step: its derivatives are exact to rounding


class Load:
    """A force on nodes that depends on where they are and how fast they move.

    ``function(x, v, s)`` takes the place ``x`` of a node in m, its velocity ``v`` in m/s (zero in
    statics) and the strength ``s`` of the load, and returns the force in N, all with an entry for
    every axis; or a tuple of the force and its derivatives by ``x`` (axes, axes), ``v`` (axes, axes)
    and ``s`` (axes). The strength is a number of the scene (``strength``, 1 unless told) that
    follows what loads follow in time: the load factor of statics, a harmonic, or a file (``over``):
    with a file whose values are its times it is the time.

    Where it returns the force alone, derivatives come from the complex step: the function is called
    with complex numbers as well and must be analytic: ``np.sqrt((x ** 2).sum())``, not
    ``np.linalg.norm(x)`` or ``abs(x)``. With ``differences=True`` they come from central
    differences instead, for functions that cannot be; Newton's method then takes more steps.

    A scene names it: ``"loads": [{"given": "magnet", "node": "tip"}]``. Nothing is defined where the
    function raises :class:`ArithmeticError` or returns what is not finite: a shorter step is tried.
    Other exceptions stop the run and come out of it. Every node costs a call of Python for every
    evaluation.

    >>> import pliant as pl
    >>> pl.Load(lambda x, v, s: s * 3 * x - 0.1 * v)
    <pliant.Load: <lambda>>
    """

    def __init__(self, function: Function, *, differences: bool = False) -> None:
        if not callable(function):
            raise errors.ArgumentError("a load needs a function")
        self.function = function
        self.differences = differences

    def __repr__(self) -> str:
        return f"<pliant.Load: {getattr(self.function, '__name__', 'function')}>"

    def force(self, x: Array, v: Array, s: float) -> Array:
        """The force at a place."""
        out = self.function(x, v, s)
        return self._checked(out[0] if isinstance(out, tuple) else out, "the force", x.shape)

    def force_and_derivatives(self, x: Array, v: Array, s: float
                              ) -> Tuple[Array, Array, Array, Array]:
        """The force and its derivatives by place, velocity and strength."""
        out = self.function(x, v, s)
        n = len(x)
        if isinstance(out, tuple):
            f, dx, dv, ds = out
            return (self._checked(f, "the force", (n,)),
                    self._checked(dx, "its derivatives by x", (n, n)),
                    self._checked(dv, "its derivatives by v", (n, n)),
                    self._checked(ds, "its derivatives by s", (n,)))
        f = self._checked(out, "the force", (n,))
        all = np.concatenate([x, v, [s]])
        D = np.empty((n, 2 * n + 1))
        for k in range(2 * n + 1):
            D[:, k] = self._slope(all, k, n)
        return f, D[:, :n], D[:, n:2 * n], D[:, 2 * n]

    def _slope(self, all: Array, k: int, n: int) -> Array:
        if not self.differences:
            z = all.astype(complex)
            z[k] += 1j * _STEP
            return np.asarray(np.imag(self.function(z[:n], z[n:2 * n], z[2 * n])) / _STEP)
        h = 6e-6 * max(1e-3, abs(float(all[k])))
        ends = []
        for side in (h, -h):
            y = all.copy()
            y[k] += side
            ends.append(self._checked(self.function(y[:n], y[n:2 * n], float(y[2 * n])),
                                      "the force", (n,)))
        return np.asarray((ends[0] - ends[1]) / (2 * h))

    def _checked(self, x: Any, what: str, shape: Tuple[int, ...]) -> Array:
        a = np.asarray(x)
        if a.dtype.kind not in "fiu":
            raise errors.DTypeError(f"{self!r}: {what} must be real, not {a.dtype}")
        if a.shape != shape:
            raise errors.ShapeError(f"{self!r}: {what} must have the shape {shape}, not {a.shape}")
        return a.astype(float)

    def _callback(self, name: str) -> Callback:
        return Callback(self, lambda key, h: int(lib.pl_facade_load(name.encode(), _call, key, h)))


def _take(p: Any, *shape: int) -> Array:
    """Memory of the library as an array, for this call alone."""
    return np.ctypeslib.as_array(p, shape)


def _on_call(ctx: int, dim: int, x: Any, v: Any, s: float, force: Any, dx: Any, dv: Any,
             ds: Any) -> int:
    def call() -> None:
        load: Load = things[ctx]
        place, rate = _take(x, dim).copy(), _take(v, dim).copy()
        if not dx:
            _take(force, dim)[:] = load.force(place, rate, s)
            return
        f, by_x, by_v, by_s = load.force_and_derivatives(place, rate, s)
        _take(force, dim)[:] = f
        _take(dx, dim, dim)[:] = by_x
        _take(dv, dim, dim)[:] = by_v
        _take(ds, dim)[:] = by_s

    return guarded(ctx, call)


_call = LOAD(_on_call)
