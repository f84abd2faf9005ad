"""Motions that are turned and played, in notebooks and browsers."""
from __future__ import annotations

import os
from ctypes import c_char_p
from html import escape
from typing import Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _errors as errors
from ._library import Handle, check, lib, text


class View:
    """A page with a motion in 3-D, all in one piece of HTML; notebooks show it."""

    def __init__(self, html: str, height: int) -> None:
        self.html = html
        self.height = height

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes a file that browsers open."""
        with open(path, "w", encoding="utf-8") as f:
            f.write(self.html)

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{escape(self.html)}" style="width:100%;height:{self.height}px;'
                'border:0"></iframe>')

    def __repr__(self) -> str:
        return f"<pliant.View: {len(self.html)} bytes of HTML>"


def _finite(x: ArrayLike, what: str) -> NDArray[np.float64]:
    a = np.asarray(x)
    if a.dtype.kind not in "fiu":
        raise errors.DTypeError(f"{what} must be real numbers, not {a.dtype}")
    out = np.ascontiguousarray(a, np.float64)
    if not np.isfinite(out).all():
        raise errors.NotFiniteError(f"{what} must be finite")
    return out


def view(scene: Handle, frames: ArrayLike, *, time: Optional[ArrayLike] = None, period: float = 0,
         colour: Optional[ArrayLike] = None, label: str = "", title: str = "",
         height: int = 700) -> View:
    """Frames (n, nodes, 3 or 2), m, at times (n) or spread over a period, on the mesh of a scene."""
    x = _finite(frames, "frames")
    if x.ndim == 2:
        x = x[None]
    if x.ndim == 3 and x.shape[2] < 3:
        x = np.concatenate([x, np.zeros((*x.shape[:2], 3 - x.shape[2]))], axis=2)
    if x.ndim != 3 or x.shape[2] != 3:
        raise errors.ShapeError(f"frames must have the shape (n, nodes, 3), not {x.shape}")
    t = None if time is None else _finite(time, "time")
    if t is not None and t.shape != (len(x),):
        raise errors.ShapeError(f"time must have the shape ({len(x)},), not {t.shape}")
    if t is None and not period > 0:
        t = np.arange(len(x)) * 1.0
    c = None if colour is None else _finite(colour, "colour")
    if c is not None and c.shape != (x.shape[1],):
        raise errors.ShapeError(f"colour must have the shape ({x.shape[1]},), not {c.shape}")
    out = c_char_p()
    check(lib.pl_facade_page(scene.value, title.encode(), len(x), x.shape[1], x.ctypes.data,
                             None if t is None else t.ctypes.data, float(period),
                             label.encode() or None, None if c is None else c.ctypes.data, out))
    return View(text(out.value), height)
