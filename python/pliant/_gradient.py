"""Figures as functions of parameters, with exact derivatives."""
from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _errors as errors

if TYPE_CHECKING:
    from ._scene import Scene

Array = NDArray[np.float64]
#: Values of several figures to a number, or to a number and its derivatives by them.
Combine = Callable[[NDArray[Any]], Union[Any, Tuple[Any, Array]]]

_STEP = 1e-40  # of the complex step: its derivatives are exact to rounding
_KINDS = ("static", "transient", "periodic")


def _unknown(what: str, name: str, known: Sequence[str]) -> errors.ArgumentError:
    close = get_close_matches(name, known, 1, 0.5)
    hint = f"did you mean {close[0]!r}? " if close else ""
    return errors.ArgumentError(f"there is no {what} {name!r}; {hint}there are "
                                f"{', '.join(known) or 'none'}")


def _combined(combine: Combine, y: Array) -> Tuple[float, Array]:
    """The number and its derivatives by y."""
    out = combine(y.copy())
    if isinstance(out, tuple):
        dy = np.asarray(out[1], float)
        if dy.shape != y.shape:
            raise errors.ShapeError(f"combine: derivatives must have the shape {y.shape} of the "
                                    f"figures, not {dy.shape}")
        return float(out[0]), dy
    dy = np.empty(len(y))
    for k in range(len(y)):
        z = y.astype(complex)
        z[k] += 1j * _STEP
        dy[k] = np.imag(combine(z)) / _STEP
    return float(np.real(out)), dy


class Function:
    """Figures of a scene as a function of its parameters; :meth:`Scene.function` makes it.

    Calling it gives the value; :meth:`value_and_grad` the exact derivatives as well. All is in SI
    units: ``x`` has the parameters in the order of ``of``, in ``units``, unless they are ``relative``:
    then ``x`` are multiples of the scene's own values. Each new ``x`` is one run with derivatives; the
    last is kept, so that asking for a value and then for its gradient runs once.
    """

    def __init__(self, scene: "Scene", figures: Union[str, Sequence[str]], of: Union[str, Sequence[str]],
                 combine: Optional[Combine] = None, relative: bool = False,
                 threads: Optional[int] = None) -> None:
        self.figures: List[str] = [figures] if isinstance(figures, str) else list(figures)
        self.of: List[str] = [of] if isinstance(of, str) else list(of)
        self._combine = combine
        self._threads = threads
        if not self.figures or not self.of:
            raise errors.ArgumentError("a function needs a figure and a parameter")
        self._where = [self._split(scene, name) for name in self.figures]
        parameters = self._parameters(scene)
        #: SI units of the parameters
        self.units: List[str] = [p["unit"] for p in parameters]
        values = np.array([p["value"] for p in parameters], float)
        if relative and not values.all():
            name = self.of[int(np.argmin(values != 0))]
            raise errors.ArgumentError(f"{name} is 0: there are no multiples of it")
        self._size: Array = values if relative else np.ones(len(values))
        #: the scene's own values, to start from
        self.x0: Array = values / self._size
        #: (lowest, highest) of each, ``None`` where there is none, as scipy.optimize has them
        self.bounds: List[Tuple[Optional[float], Optional[float]]] = [
            self._bound(p, s) for p, s in zip(parameters, self._size)]
        analyses = dict.fromkeys(a for a, _ in self._where)
        self._only = next(iter(analyses)) if len(analyses) == 1 else None
        self._scene = scene.again({f"analyses.{a}.gradients": self.of for a in analyses})
        self._last: Optional[Tuple[Array, Array, Array]] = None
        #: runs so far
        self.runs = 0

    @staticmethod
    def _split(scene: "Scene", name: str) -> Tuple[str, str]:
        kinds: Dict[str, str] = {a["name"]: a["kind"] for a in scene.info["analyses"]}
        # names of analyses may have dots
        for a in sorted(kinds, key=len, reverse=True):
            if name.startswith(a + "."):
                if kinds[a] not in _KINDS:
                    raise errors.ArgumentError(f"{a!r} is a {kinds[a]}: derivatives are there for "
                                               f"{', '.join(_KINDS)}")
                return a, name[len(a) + 1:]
        raise _unknown("analysis", name.split(".")[0], list(kinds))

    def _parameters(self, scene: "Scene") -> List[Dict[str, Any]]:
        known: Dict[str, Dict[str, Any]] = {p["name"]: p for p in scene.info["parameters"]}
        for k, name in enumerate(self.of):
            if name not in known:
                raise _unknown("parameter", name, list(known))
            if name in self.of[:k]:
                raise errors.ArgumentError(f"the parameter {name!r} is there twice")
        return [known[name] for name in self.of]

    @staticmethod
    def _bound(p: Mapping[str, Any], size: float) -> Tuple[Optional[float], Optional[float]]:
        low, high = (None if p[k] is None else float(p[k]) / float(size) for k in ("min", "max"))
        return (high, low) if size < 0 else (low, high)

    def _point(self, x: ArrayLike) -> Array:
        try:
            point = np.array(x, float)
        except (TypeError, ValueError):
            raise errors.DTypeError(f"{len(self.of)} real numbers are wanted, not {x!r}") from None
        if point.shape != (len(self.of),):
            raise errors.ShapeError(f"{len(self.of)} numbers are wanted ({', '.join(self.of)}), not an "
                                    f"array of the shape {point.shape}")
        if not np.isfinite(point).all():
            raise errors.NotFiniteError(f"parameters must be finite, not {point}")
        return point

    def _run(self, point: Array) -> Tuple[Array, Array]:
        values = {name: f"{float(v)!r} {unit}".strip() for name, v, unit in
                  zip(self.of, point * self._size, self.units)}
        with self._scene.again(values) as scene:
            result = scene.run(self._only, threads=self._threads, progress=False)
        told = result.figures
        self.runs += 1
        y, jacobian = np.empty(len(self.figures)), np.empty((len(self.figures), len(self.of)))
        for row, (analysis, name) in enumerate(self._where):
            found = told[analysis]["gradients"]
            if name not in found:
                raise _unknown("figure with derivatives", self.figures[row],
                               [f"{analysis}.{n}" for n in found])
            y[row] = found[name]["value"]
            jacobian[row] = [found[name]["by"][p] for p in self.of]
        result.close()
        return y, jacobian * self._size

    def _at(self, x: ArrayLike) -> Tuple[Array, Array]:
        point = self._point(x)
        if self._last is None or not np.array_equal(self._last[0], point):
            self._last = (point, *self._run(point))
        return self._last[1], self._last[2]

    def values(self, x: ArrayLike) -> Array:
        """All its figures, in SI units."""
        return self._at(x)[0].copy()

    def jacobian(self, x: ArrayLike) -> Array:
        """Derivatives (figures, parameters), as ``jac`` of scipy.optimize.least_squares."""
        return self._at(x)[1].copy()

    def value_and_grad(self, x: ArrayLike) -> Tuple[float, Array]:
        """The value and its derivatives by all parameters."""
        if self._combine is None and len(self.figures) > 1:
            raise errors.ArgumentError("there are several figures: give combine, or ask for values and "
                                       "jacobian")
        y, jacobian = self._at(x)
        if self._combine is None:
            return float(y[0]), jacobian[0].copy()
        value, dy = _combined(self._combine, y)
        return value, dy @ jacobian

    def grad(self, x: ArrayLike) -> Array:
        """The derivatives alone."""
        return self.value_and_grad(x)[1]

    def __call__(self, x: ArrayLike) -> float:
        return self.value_and_grad(x)[0]

    def __repr__(self) -> str:
        return f"<pliant.Function {', '.join(self.figures)} of {', '.join(self.of)}>"
