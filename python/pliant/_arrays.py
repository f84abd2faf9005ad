"""Arrays to and from the library."""
from __future__ import annotations

from typing import Any, Dict, Tuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _errors as errors
from ._library import CArray, Handle, text

_TYPES: Dict[int, Tuple[Any, str]] = {1: (np.float64, np.dtype(np.float64).str),
                                     2: (np.int32, np.dtype(np.int32).str)}


class _Memory:
    """Memory of the library as NumPy takes it; keeps its owner."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, interface: Dict[str, Any], owner: Handle) -> None:
        self.__array_interface__ = interface
        self.owner = owner


def view(a: CArray, owner: Handle) -> NDArray[Any]:
    """A read-only view on an array of the library, which lives as long as the view."""
    shape = tuple(a.shape[: a.ndim])
    dtype, code = _TYPES[a.type]
    if not a.data or 0 in shape:
        out = np.zeros(shape, dtype)
        out.flags.writeable = False
        return out
    return np.asarray(_Memory({"shape": shape, "strides": tuple(a.stride[: a.ndim]),
                               "typestr": code, "data": (a.data, True), "version": 3}, owner))


def array_name(a: CArray) -> str:
    return text(a.name)


def reals(x: ArrayLike, what: str, columns: int) -> NDArray[np.float64]:
    """An array [n][columns] of finite doubles; no copy where it is one already."""
    a = np.asarray(x)
    if a.dtype.kind not in "fiu":
        raise errors.DTypeError(f"{what} must be real numbers, not {a.dtype}")
    if a.ndim != 2 or a.shape[1] != columns:
        raise errors.ShapeError(f"{what} must have the shape (n, {columns}), not {a.shape}")
    out = np.ascontiguousarray(a, np.float64)
    if not np.isfinite(out).all():
        bad = int(np.argmin(np.isfinite(out).all(axis=1)))
        raise errors.NotFiniteError(f"{what}: row {bad} is {out[bad].tolist()}")
    return out


def indices(x: ArrayLike, what: str, below: int) -> NDArray[np.int32]:
    """Whole numbers from 0 to below - 1 as int32; no copy where they are that already."""
    a = np.asarray(x)
    if a.size == 0:
        a = a.astype(np.int32)
    if a.dtype.kind not in "iu":
        raise errors.DTypeError(f"{what} must be whole numbers, not {a.dtype}")
    if a.size and (int(a.min()) < 0 or int(a.max()) >= below):
        bad = np.argwhere((a < 0) | (a >= below))[0]
        raise errors.ArgumentError(f"{what}: {int(a[tuple(bad)])} at {bad.tolist()} is not one of "
                                   f"0 to {below - 1}")
    return np.ascontiguousarray(a, np.int32)
