"""Objectives of one's own, written in Python."""
from __future__ import annotations

from typing import Any, Callable, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from . import _errors as errors
from ._callbacks import Callback, guarded, things
from ._library import OBJECTIVE, lib

#: Fourier coefficients (axes, 2 H + 1) and angular frequency, to a number, or to a number and its
#: derivatives by both.
Function = Callable[[NDArray[Any], Any],
                    Union[Any, Tuple[Any, NDArray[np.float64], float]]]

_STEP = 1e-40  # of the complex step: its derivatives are exact to rounding


class Objective:
    """A quantity above 0 of the motion of one node, for designs and explorations.

    ``function(z, omega)`` takes the Fourier coefficients ``z`` (axes, 2 H + 1) of a node, c0 s1 c1 s2
    c2 ... in m (x = c0 + sum of s_j sin j w t + c_j cos j w t), and the angular frequency in rad/s.
    It returns the quantity as a number, or a tuple of it, its derivatives by ``z`` and by ``omega``.

    Where it returns the number alone, derivatives come from the complex step: the function is called
    with complex numbers as well and must be analytic: write ``np.sqrt((x ** 2).sum())``, not
    ``np.linalg.norm(x)`` or ``abs(x)``.

    A scene names it in the objectives of a design, with a goal (``max``, ``min`` or a target in
    ``unit``): ``{"given": "comfort", "goal": "min", "node": "seat"}``. Nothing is defined where the
    function raises :class:`ArithmeticError` or returns what is not finite: a shorter step is tried.
    Other exceptions stop the run and come out of it.

    >>> import numpy as np, pliant as pl
    >>> def rms(z, omega):
    ...     j = np.arange(2, z.shape[1] + 1) // 2
    ...     return np.sqrt((((j * omega) ** 4) * (z[:, 1:] ** 2).sum(axis=0)).sum() / 2)
    >>> pl.Objective(rms, unit="m/s^2")
    <pliant.Objective: rms>
    """

    def __init__(self, function: Function, unit: str = "") -> None:
        if not callable(function):
            raise errors.ArgumentError("an objective needs a function")
        self.function = function
        self.unit = unit

    def __repr__(self) -> str:
        return f"<pliant.Objective: {getattr(self.function, '__name__', 'function')}>"

    def value(self, z: NDArray[np.float64], omega: float) -> float:
        """The quantity at a motion."""
        out = self.function(z, omega)
        return float(np.real(out[0] if isinstance(out, tuple) else out))

    def value_and_grad(self, z: NDArray[np.float64], omega: float
                       ) -> Tuple[float, NDArray[np.float64], float]:
        """The quantity and its derivatives by ``z`` and ``omega``."""
        out = self.function(z, omega)
        if isinstance(out, tuple):
            q, dz, dw = out
            dz = np.asarray(dz, float)
            if dz.shape != z.shape:
                raise errors.ShapeError(f"{self!r}: derivatives by z must have its shape {z.shape}, "
                                        f"not {dz.shape}")
            return float(q), dz, float(dw)
        dz = np.empty(z.shape)
        for k in np.ndindex(*z.shape):
            y = z.astype(complex)
            y[k] += 1j * _STEP
            dz[k] = np.imag(self.function(y, omega)) / _STEP
        dw = np.imag(self.function(z.astype(complex), omega + 1j * _STEP)) / _STEP
        return float(out), dz, float(dw)

    def _callback(self, name: str) -> Callback:
        return Callback(self, lambda key, h: int(lib.pl_facade_objective(
            name.encode(), self.unit.encode(), _call, key, h)))


def _on_call(ctx: int, dim: int, nharm: int, omega: float, z: Any, q: Any, dz: Any,
             domega: Any) -> int:
    def call() -> None:
        shape = (dim, 2 * nharm + 1)
        o: Objective = things[ctx]
        motion = np.ctypeslib.as_array(z, shape).copy()
        if not dz:
            q[0] = o.value(motion, omega)
            return
        q[0], gradient, domega[0] = o.value_and_grad(motion, omega)
        np.ctypeslib.as_array(dz, shape)[:] = gradient

    return guarded(ctx, call)


_call = OBJECTIVE(_on_call)
