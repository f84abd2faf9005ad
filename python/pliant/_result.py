"""Results: tables, figures, motions, as NumPy arrays and small objects."""
from __future__ import annotations

import json
from ctypes import c_char_p, c_int, c_int64
from types import TracebackType
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Type, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _errors as errors
from ._arrays import array_name, view as borrowed
from ._library import CArray, CItem, Handle, check, lib, messages, text
from ._view import View, view

Array = NDArray[np.float64]


class Item:
    """Something that a run told: its kind, its words and its arrays, by name and in order."""

    def __init__(self, owner: Handle, number: int) -> None:
        i = CItem()
        check(lib.pl_facade_item_at(owner.value, number, i))
        self._owner = owner
        self._number = number
        self._narray = int(i.narray)
        self._read: Optional[List[Tuple[str, str, NDArray[Any]]]] = None
        self.kind = text(i.kind)
        self.name = text(i.name)
        self.analysis = text(i.analysis)
        self.title = text(i.title)
        self.caption = text(i.caption)
        self.text = text(i.text)

    @property
    def parts(self) -> List[Tuple[str, str, NDArray[Any]]]:
        """Name, unit and array of every part."""
        if self._read is None:
            a = CArray()
            out = []
            for k in range(self._narray):
                check(lib.pl_facade_item_array(self._owner.value, self._number, k, a))
                out.append((array_name(a), text(a.unit), borrowed(a, self._owner)))
            self._read = out
        return self._read

    @property
    def arrays(self) -> Dict[str, NDArray[Any]]:
        """Arrays by name; where several have one name, the last."""
        return {name: a for name, _, a in self.parts}

    def __repr__(self) -> str:
        return f"<pliant.Item {self.kind} {self.name!r}: {' '.join(self.arrays)}>"


class Table(Mapping[str, Array]):
    """Columns by name; the names are those of CSV files, with the unit at their ends.

    A mapping, so that ``pandas.DataFrame(dict(table))`` works.
    """

    def __init__(self, item: Item) -> None:
        self._item = item
        self._columns: Optional[Dict[str, Array]] = None

    @property
    def name(self) -> str:
        return self._item.name

    def _all(self) -> Dict[str, Array]:
        if self._columns is None:
            self._columns = self._item.arrays
        return self._columns

    def __getitem__(self, column: str) -> Array:
        columns = self._columns
        if columns is None:
            columns = self._all()
        try:
            return columns[column]
        except KeyError:
            raise KeyError(f"table {self.name!r} has no column {column!r}; it has "
                           f"{', '.join(columns)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    @property
    def units(self) -> Dict[str, str]:
        """SI unit of every column, ``""`` for numbers."""
        return {name: unit for name, unit, _ in self._item.parts}

    @property
    def rows(self) -> int:
        return len(next(iter(self.values()))) if len(self) else 0

    def array(self) -> Array:
        """All of it (rows, columns), as a copy."""
        return np.column_stack(list(self.values())) if len(self) else np.zeros((0, 0))

    def __repr__(self) -> str:
        return f"<pliant.Table {self.name!r}: {self.rows} rows of {', '.join(self)}>"

    def _repr_html_(self) -> str:
        from ._html import table_html

        return table_html(self)


class Motion:
    """A periodic motion of all nodes."""

    def __init__(self, item: Item) -> None:
        a = item.arrays
        self.name = item.name
        #: Fourier coefficients (nodes, axes, 2 H + 1): c0 s1 c1 s2 c2 ..., m
        self.series: Array = a["series"]
        #: angular frequency of the motion, rad/s
        self.omega = float(a["omega"])
        #: periods of the drive in one of the motion
        self.sub = int(a["sub"])
        #: row of the table that it belongs to, ``None``: to none
        self.row: Optional[int] = int(a["row"]) if "row" in a else None

    @property
    def period(self) -> float:
        """s"""
        return float(2 * np.pi / self.omega)

    @property
    def harmonics(self) -> int:
        return (self.series.shape[2] - 1) // 2

    def at(self, t: ArrayLike) -> Array:
        """Positions at times t (s): (times, nodes, axes), m."""
        phase = self.omega * np.atleast_1d(np.asarray(t, float))[:, None] * np.arange(
            1, self.harmonics + 1)
        basis = np.empty((len(phase), 2 * self.harmonics + 1))
        basis[:, 0] = 1
        basis[:, 1::2] = np.sin(phase)
        basis[:, 2::2] = np.cos(phase)
        out: Array = np.einsum("tk,nck->tnc", basis, self.series)
        return out

    def sample(self, n: int = 64) -> Tuple[Array, Array]:
        """Times (n) of one period and the positions then."""
        t = np.arange(n) * (self.period / n)
        return t, self.at(t)

    def __repr__(self) -> str:
        return (f"<pliant.Motion {self.name!r}: {self.series.shape[0]} nodes, "
                f"{self.harmonics} harmonics, {self.omega:.6g} rad/s>")


class Film:
    """Moments of a transient: ``time`` (n) s and positions ``x`` (n, nodes, 3) m."""

    def __init__(self, item: Item) -> None:
        a = item.arrays
        self.name = item.name
        self.time: Array = a["time"]
        self.x: Array = a["x"]
        #: part of the allowed strain of triangles (n, triangles), ``None``: there are no limits
        self.strain: Optional[Array] = a.get("face")

    def __repr__(self) -> str:
        return f"<pliant.Film {self.name!r}: {len(self.time)} moments of {self.x.shape[1]} nodes>"


class Shape:
    """A shape: positions ``x`` (nodes, 3) m, and ``mode`` where it is a mode about them."""

    def __init__(self, item: Item) -> None:
        a = item.arrays
        self.name = item.name
        self.title = item.title
        self.x: Array = a["x"]
        self.q: Array = a["q"]  #: all unknowns
        #: displacements of the mode (nodes, 3), of any size; ``None``: it is no mode
        self.mode: Optional[Array] = a.get("mode")

    def __repr__(self) -> str:
        what = "mode" if self.mode is not None else "shape"
        return f"<pliant.Shape {self.name!r}: {what} of {len(self.x)} nodes>"


class State:
    """Where an analysis ended: ``x`` (nodes, 3) m, unknowns, rates and accelerations, time."""

    def __init__(self, item: Item) -> None:
        a = item.arrays
        self.x: Array = a["x"]
        self.q: Array = a["q"]
        self.v: Array = a["v"]
        self.a: Array = a["a"]
        self.t = float(a["t"])

    def __repr__(self) -> str:
        return f"<pliant.State: {len(self.x)} nodes at {self.t:.6g} s>"


T = TypeVar("T")


def _by_name(things: List[Tuple[str, T]]) -> Dict[str, T]:
    """What was told last under a name counts."""
    return {name: thing for name, thing in things}


class _Told:
    """What items come to; of a whole run or of one analysis."""

    def _of(self, kind: str) -> List[Item]:
        return [i for i in self.items if i.kind == kind]

    @property
    def items(self) -> List[Item]:
        """All that was told, in order."""
        raise NotImplementedError

    @property
    def orbits(self) -> Dict[str, Motion]:
        """Periodic motions."""
        return _by_name([(i.name, Motion(i)) for i in self._of("orbit")])

    @property
    def motions(self) -> List[Motion]:
        """Motions of the points of responses, in their order, where they were kept."""
        last = {(i.name, int(i.arrays["row"])): i for i in self._of("motion")}
        return [Motion(last[key]) for key in sorted(last)]

    @property
    def films(self) -> Dict[str, Film]:
        """Moments of transients."""
        return _by_name([(i.name, Film(i)) for i in self._of("film")])

    @property
    def shapes(self) -> List[Shape]:
        """Equilibria and modes."""
        return [Shape(i) for i in self._of("shape")]

    @property
    def said(self) -> List[str]:
        """What a report says about results."""
        return [i.text for i in self._of("said")]

    @property
    def alarms(self) -> List[str]:
        """Why results are not to be trusted; empty: nothing is known against them."""
        return [i.text for i in self._of("said") if i.name == "alarm"]


class Analysis(_Told):
    """What one analysis gave: ``figures`` are the key figures of ``summary.json``."""

    def __init__(self, result: "Result", figures: Mapping[str, Any]) -> None:
        self._result = result
        self.figures: Dict[str, Any] = dict(figures)
        self.name = str(figures["name"])
        self.kind = str(figures["kind"])
        #: ``"done"`` where it was solved
        self.status = str(figures["status"])

    @property
    def items(self) -> List[Item]:
        return [i for i in self._result.items if i.analysis == self.name]

    @property
    def tables(self) -> Dict[str, Table]:
        mine = {i.name for i in self._of("table")}
        return {name: t for name, t in self._result.tables.items() if name in mine}

    @property
    def state(self) -> Optional[State]:
        """Where it ended, ``None``: it has no state."""
        found = self._of("state")
        return State(found[-1]) if found else None

    def __getitem__(self, key: str) -> Any:
        """A key figure."""
        try:
            return self.figures[key]
        except KeyError:
            raise KeyError(f"{self.kind} {self.name!r} has no figure {key!r}; it has "
                           f"{', '.join(self.figures)}") from None

    def __repr__(self) -> str:
        return f"<pliant.Analysis {self.name!r}: {self.kind}, {self.status}>"

    def _repr_html_(self) -> str:
        from ._html import figures_html

        return figures_html(self)


def _view_of(i: Item, scene: Handle, frames: int, size: float, height: int) -> View:
    if i.kind == "film":
        f = Film(i)
        return view(scene, f.x, time=f.time, title=f.name, height=height)
    if i.kind == "orbit":
        m = Motion(i)
        return view(scene, m.sample(frames)[1], period=m.period, title=i.title or m.name,
                    height=height)
    s = Shape(i)
    if s.mode is None:
        return view(scene, s.x, title=s.title or s.name, height=height)
    extent = float(np.linalg.norm(np.ptp(s.x, axis=0))) or 1.0
    swing = size * extent / (float(np.linalg.norm(s.mode, axis=1).max()) or 1.0)
    phase = np.sin(2 * np.pi * np.arange(frames) / frames)
    return view(scene, s.x + swing * phase[:, None, None] * s.mode, period=1.0,
                title=s.title or s.name, height=height)


class Result(_Told):
    """What a run gave. Arrays are views on its memory, which stays as long as one of them does."""

    def __init__(self, handle: int, scene: Handle) -> None:
        self._handle: Optional[Handle] = Handle(handle)
        self._scene: Optional[Handle] = scene  # whose mesh views show
        self._kept: Optional[List[Item]] = None
        self._tables: Optional[Dict[str, Table]] = None
        self._summary: Optional[Dict[str, Any]] = None

    def _held(self) -> Handle:
        if self._handle is None:
            raise errors.FreedError("the result was closed")
        return self._handle

    @property
    def summary(self) -> Dict[str, Any]:
        """All that ``summary.json`` holds."""
        if self._summary is None:
            s = c_char_p()
            check(lib.pl_facade_summary(self._held().value, s))
            self._summary = json.loads(text(s.value) or "{}")
        return self._summary

    @property
    def status(self) -> str:
        """``"done"`` where all is well."""
        s = c_int()
        check(lib.pl_facade_status(self._held().value, s))
        return text(lib.pl_facade_status_text(s.value))

    @property
    def solved(self) -> bool:
        """Did all analyses converge?"""
        s = c_int()
        check(lib.pl_facade_status(self._held().value, s))
        return s.value == 0

    @property
    def figures(self) -> Dict[str, Dict[str, Any]]:
        """Key figures by the names of analyses, as in ``summary.json``."""
        return {a["name"]: a for a in self.summary.get("analyses", [])}

    @property
    def items(self) -> List[Item]:
        held = self._held()
        if self._kept is None:
            n = c_int64()
            check(lib.pl_facade_items(held.value, n))
            self._kept = [Item(held, k) for k in range(n.value)]
        return self._kept

    @property
    def tables(self) -> Dict[str, Table]:
        """Tables by the names of their CSV files without the ending."""
        if self._tables is None or self._handle is None:
            self._tables = _by_name([(i.name, Table(i)) for i in self._of("table")])
        return self._tables

    @property
    def analyses(self) -> List[Analysis]:
        return [Analysis(self, a) for a in self.summary.get("analyses", [])]

    def __getitem__(self, name: str) -> Analysis:
        """An analysis by its name."""
        for a in self.summary.get("analyses", []):
            if a["name"] == name:
                return Analysis(self, a)
        raise KeyError(f"there is no analysis {name!r}; there are "
                       f"{', '.join(self.figures) or 'none'}")

    def __contains__(self, name: object) -> bool:
        return name in self.figures

    @property
    def warnings(self) -> List[errors.Message]:
        """Warnings and errors that the run told."""
        return [m for m in messages(self._held().value) if m.level != "note"]

    def view(self, name: Optional[str] = None, *, frames: int = 48, size: float = 0.1,
             height: int = 700) -> View:
        """A motion or shape in 3-D: of an analysis, an orbit, a mode, or the last there is.

        Modes swing by ``size`` times the size of the scene. Notebooks show it; ``save`` writes a
        page.
        """
        moving = [i for i in self.items if i.kind in ("film", "orbit", "shape")]
        mine = [i for i in moving if name is None or name in (i.name, i.analysis)]
        if not mine or self._scene is None:
            known = ", ".join(dict.fromkeys(i.name for i in moving)) or "none"
            raise KeyError(f"there is no motion or shape {name!r}; there are {known}")
        order = ("shape", "orbit", "film")
        best = max(mine, key=lambda i: order.index(i.kind))
        return _view_of(best, self._scene, frames, size, height)

    @property
    def texts(self) -> Dict[str, str]:
        """Tables with words in them, as CSV, and scenes that analyses wrote, as YAML."""
        return {i.name: i.text for i in self.items if i.kind in ("text", "scene", "material")}

    def close(self) -> None:
        """Lets go of its memory; arrays that were taken of it keep theirs."""
        self._handle = self._scene = None
        self._kept = self._tables = None

    def __enter__(self) -> "Result":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._handle is None:
            return "<pliant.Result: closed>"
        names = ", ".join(f"{name} ({f['kind']})" for name, f in self.figures.items())
        return f"<pliant.Result: {self.status}; {names}>"

    def _repr_html_(self) -> str:
        from ._html import result_html

        return result_html(self)
