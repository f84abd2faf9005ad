"""Meshes of one's own, given as arrays."""
from __future__ import annotations

from ctypes import c_int64
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _errors as errors
from ._arrays import indices, reals
from ._library import Handle, check, lib

#: Vertices of a cell of every type.
VERTICES: Dict[str, int] = {"seg2": 2, "tri3": 3, "quad4": 4, "tet4": 4, "hex8": 8, "seg3": 3,
                            "tri6": 6, "quad8": 8, "tet10": 10, "hex20": 20}


class Mesh:
    """Points and cells for a body with ``mesh: {given: NAME}``.

    ``points`` are (n, 3), or (n, 2) in the plane z = 0, in the scene's unit of length. ``cells`` are
    vertex numbers from 0: an array of three columns is triangles, of two lines, of eight hexahedra;
    other cells (and tetrahedra, which have as many corners as quadrangles) are named, as in
    ``{"tet4": t}``. ``sets`` are named sets of vertices, ``groups`` named sets of cells, by type
    where there are several: ``groups={"skin": {"tri3": [0, 1]}}``.

    Contiguous arrays of float64 and int32 are used as they are, others are copied: leave them as
    they are while scenes use them.

    >>> import pliant as pl
    >>> m = pl.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], sets={"root": [0, 1]})
    >>> m
    <pliant.Mesh: 3 points, 1 tri3, sets root>
    """

    def __init__(self, points: ArrayLike, cells: Union[ArrayLike, Mapping[str, ArrayLike]], *,
                 sets: Optional[Mapping[str, ArrayLike]] = None,
                 groups: Optional[Mapping[str, Union[ArrayLike, Mapping[str, ArrayLike]]]] = None
                 ) -> None:
        self.points = _points(points)
        n = len(self.points)
        self.cells: Dict[str, NDArray[np.int32]] = {}
        for kind, c in _by_type(cells).items():
            self.cells[kind] = _cells(kind, c, n)
        if not any(len(c) for c in self.cells.values()):
            raise errors.ShapeError("a mesh needs cells")
        self.sets = {name: indices(np.ravel(np.asarray(s)), f"set {name!r}", n)
                     for name, s in (sets or {}).items()}
        self.groups: Dict[str, Dict[str, NDArray[np.int32]]] = {
            name: self._group(name, g) for name, g in (groups or {}).items()}

    def _group(self, name: str, group: Any) -> Dict[str, NDArray[np.int32]]:
        if not isinstance(group, Mapping):
            if len(self.cells) != 1:
                raise errors.ArgumentError(f"group {name!r}: which cells? Write "
                                           f"{{TYPE: numbers}} of {sorted(self.cells)}")
            group = {next(iter(self.cells)): group}
        out = {}
        for kind, which in group.items():
            if kind not in self.cells:
                raise errors.ArgumentError(f"group {name!r}: the mesh has no cells {kind!r}")
            out[kind] = indices(np.ravel(np.asarray(which)), f"group {name!r}",
                                len(self.cells[kind]))
        return out

    def _handle(self, name: str) -> Handle:
        """The mesh as the library knows it, under a name."""
        h = c_int64()
        check(lib.pl_facade_mesh(name.encode(), self.points.ctypes.data, len(self.points), h))
        handle = Handle(h.value)
        for kind, c in self.cells.items():
            check(lib.pl_facade_mesh_cells(h.value, kind.encode(), c.ctypes.data, len(c),
                                           VERTICES[kind]))
        for label, kind, which in self._all_sets():
            check(lib.pl_facade_mesh_set(h.value, label.encode(), kind.encode(), which.ctypes.data,
                                         len(which)))
        return handle

    def _all_sets(self) -> List[Tuple[str, str, NDArray[np.int32]]]:
        out = [(name, "", which) for name, which in self.sets.items()]
        return out + [(name, kind, which) for name, g in self.groups.items()
                      for kind, which in g.items()]

    def __repr__(self) -> str:
        cells = ", ".join(f"{len(c)} {kind}" for kind, c in self.cells.items())
        names = sorted(set(self.sets) | set(self.groups))
        more = f", sets {' '.join(names)}" if names else ""
        return f"<pliant.Mesh: {len(self.points)} points, {cells}{more}>"


def _points(points: ArrayLike) -> NDArray[np.float64]:
    a = np.asarray(points)
    if a.ndim == 2 and a.shape[1] == 2 and a.dtype.kind in "fiu":
        a = np.column_stack([a, np.zeros(len(a))])
    out = reals(a, "points", 3)
    if len(out) == 0:
        raise errors.ShapeError("a mesh needs points")
    return out


def _by_type(cells: Any) -> Mapping[str, Any]:
    if isinstance(cells, Mapping):
        return cells
    a = np.asarray(cells)
    if a.ndim == 2 and a.shape[1] in (2, 3, 8):
        return {{2: "seg2", 3: "tri3", 8: "hex8"}[a.shape[1]]: a}
    raise errors.ShapeError(f"cells of the shape {a.shape}: which ones? Write {{TYPE: cells}} with "
                            f"one of {' '.join(VERTICES)}")


def _cells(kind: str, cells: ArrayLike, npoint: int) -> NDArray[np.int32]:
    if kind not in VERTICES:
        raise errors.ArgumentError(f"there are no cells {kind!r}; known: {' '.join(VERTICES)}")
    a = np.asarray(cells)
    if a.ndim != 2 or a.shape[1] != VERTICES[kind]:
        raise errors.ShapeError(f"{kind} must have the shape (n, {VERTICES[kind]}), not {a.shape}")
    return indices(a, kind, npoint)
