"""Scenes: opened, built in code, run."""
from __future__ import annotations

import json
import os
from ctypes import c_char_p, c_int64
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Type, TypeVar, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _errors as errors
from ._arrays import view as borrowed
from ._callbacks import Callback
from ._gradient import Combine, Function
from ._library import CArray, Handle, check, lib, messages, strings, text
from ._load import Load
from ._mesh import Mesh
from ._objective import Objective
from ._view import View, view
from ._run import Observer, Progress, run

if TYPE_CHECKING:
    from ._result import Result

Overrides = Mapping[str, Any]
Meshes = Mapping[str, Mesh]
Objectives = Mapping[str, Objective]
Loads = Mapping[str, Load]


def plain(x: Any) -> Any:
    """NumPy's numbers and arrays, and paths, as JSON has them."""
    if isinstance(x, np.generic):
        x = x.item()
    if isinstance(x, float) and not np.isfinite(x):
        raise errors.NotFiniteError(f"a scene cannot hold {x}")
    if isinstance(x, Mapping):
        return {str(k): plain(v) for k, v in x.items()}
    if isinstance(x, (list, tuple, np.ndarray)):
        return [plain(v) for v in x]
    if isinstance(x, os.PathLike):
        return os.fspath(x)
    if x is None or isinstance(x, (bool, int, float, str)):
        return x
    raise errors.ArgumentError(f"a scene cannot hold {x!r}, of type {type(x).__name__}")


def _word(value: Any) -> str:
    """A value as an override has it: strings as they are, the rest as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    return json.dumps(plain(value))


def _overrides(values: Optional[Overrides]) -> List[str]:
    return [f"{path}={_word(value)}" for path, value in (values or {}).items()]


def _dump(scene: Mapping[str, Any]) -> str:
    tree: Dict[str, Any] = {"pliant": 1}
    tree.update(_switches(plain(scene)))
    return json.dumps(tree, indent=1)


def _switches(x: Any) -> Any:
    """True and False as the words of scenes."""
    if isinstance(x, bool):
        return "yes" if x else "no"
    if isinstance(x, dict):
        return {k: _switches(v) for k, v in x.items()}
    return [_switches(v) for v in x] if isinstance(x, list) else x


class Scene:
    """A scene, checked and built.

    ``source`` is a mapping like a scene file, or its text as YAML or JSON; :func:`pliant.open`
    reads a file. ``set`` are overrides by path, as ``--set`` of the command has them; a name
    without a dot that is no key of a scene is a parameter. ``meshes`` are for bodies with ``mesh:
    {given: NAME}``, ``objectives`` for those of designs and ``loads`` for loads with ``given: NAME``. Files that the scene names are looked for in ``folder``.

    >>> import pliant as pl
    >>> s = pl.Scene({"dimension": 1, "nodes": {"m": 0}, "masses": [{"node": "m", "mass": "2 kg"}],
    ...               "parameters": {"k": {"value": "8 N/m", "min": "1 N/m", "max": "50 N/m"}},
    ...               "springs": [{"nodes": ["ground", "m"], "stiffness": "$k"}],
    ...               "analyses": [{"modes": {"count": 1}}]})
    >>> s.run().tables["modes"]["omega_rad_s"]
    array([2.])
    >>> s.again(k=18).run().tables["modes"]["omega_rad_s"]
    array([3.])
    """

    def __init__(self, source: Union[str, Mapping[str, Any]], *, set: Optional[Overrides] = None,
                 meshes: Optional[Meshes] = None, objectives: Optional[Objectives] = None,
                 loads: Optional[Loads] = None, folder: Union[str, "os.PathLike[str]"] = ".",
                 name: str = "scene") -> None:
        data = (_dump(source) if isinstance(source, Mapping) else source).encode()
        words = _overrides(set)
        given = _Given(meshes, objectives, loads)
        out = c_int64()
        check(lib.pl_facade_parse(name.encode(), os.fsencode(folder), data, len(data), len(words),
                                  strings(words), *given.arguments(), out))
        self._become(out.value, given)

    def _become(self, handle: int, given: "_Given") -> None:
        self._handle: Optional[Handle] = Handle(handle)
        self._given = given
        self._described: Optional[Dict[str, Any]] = None

    @classmethod
    def _of(cls, handle: int, given: "_Given") -> "Scene":
        s = cls.__new__(cls)
        s._become(handle, given)
        return s

    def _held(self) -> Handle:
        if self._handle is None:
            raise errors.FreedError("the scene was closed")
        return self._handle

    def _value(self) -> int:
        return self._held().value

    # ---- what it is ----------------------------------------------------------------------------

    @property
    def info(self) -> Dict[str, Any]:
        """Counts, parameters, analyses, named nodes, sets, bodies, watched places."""
        if self._described is None:
            s = c_char_p()
            check(lib.pl_facade_describe(self._value(), s))
            self._described = json.loads(text(s.value))
        return self._described

    @property
    def title(self) -> str:
        return str(self.info["title"])

    @property
    def analyses(self) -> List[str]:
        """Names of its analyses, in their order."""
        return [a["name"] for a in self.info["analyses"]]

    @property
    def parameters(self) -> Dict[str, float]:
        """Values of its parameters in SI units; ``info`` has units and bounds."""
        return {p["name"]: p["value"] for p in self.info["parameters"]}

    @property
    def points(self) -> NDArray[np.float64]:
        """Nodes at rest (n, 3), m; read-only."""
        return self._array("points")

    def cells(self, kind: str = "tri3") -> NDArray[np.int32]:
        """Cells of a type, as numbers of nodes; read-only."""
        return self._array(kind)

    def nodes(self, name: str) -> NDArray[np.int32]:
        """Numbers of the nodes of a named node, set or body, or of a selector as in scenes, like
        ``"wing group tip"`` (which builds the scene once more)."""
        if name in self.info["named_nodes"]:
            return np.array([self.info["named_nodes"][name]], np.int32)
        for kind, known in (("body", [b["name"] for b in self.info["bodies"]]),
                            ("set", [s["name"] for s in self.info["sets"]])):
            if name in known:
                return self._array(f"{kind}:{name}")
        with self.again({"sets.selected": name}) as chosen:
            return chosen._array("set:selected")

    def _array(self, name: str) -> NDArray[Any]:
        a = CArray()
        held = self._held()
        check(lib.pl_facade_scene_array(held.value, name.encode(), a))
        return borrowed(a, held)

    @property
    def warnings(self) -> List[errors.Message]:
        """What was told while it was read."""
        return messages(self._value())

    def check(self) -> str:
        """What it is made of, in words, as ``pliant check`` tells it."""
        s = c_char_p()
        check(lib.pl_facade_report(self._value(), s))
        return text(s.value)

    def yaml(self) -> str:
        """The scene as run, with the overrides in it."""
        s = c_char_p()
        check(lib.pl_facade_yaml(self._value(), s))
        return text(s.value)

    # ---- what is done with it ------------------------------------------------------------------

    def again(self, set: Optional[Overrides] = None, **parameters: Any) -> "Scene":
        """The scene with further overrides, on its own; keywords are parameters."""
        words = _overrides({**(set or {}), **parameters})
        out = c_int64()
        check(lib.pl_facade_again(self._value(), len(words), strings(words), out))
        return Scene._of(out.value, self._given)

    def run(self, only: Optional[str] = None, *, threads: Optional[int] = None,
            progress: Union[bool, Progress, None] = None, observer: Optional[Observer] = None,
            folder: Union[str, "os.PathLike[str]", None] = None, resume: bool = False,
            motions: bool = False, unsolved: str = "raise") -> "Result":
        """Runs its analyses, or one and those that it starts from.

        ``threads``: all processors unless told. ``progress``: True or False for a bar, or a function
        of (what, part done or None, text); left out: a bar on terminals and in notebooks once a run
        takes long. ``observer`` is called with the name of a table, its first new row and a mapping
        of columns as rows come; what it returns is taken for "stop here" when it is true.
        ``folder``: files and a report are written there, as by ``pliant run``. ``motions`` keeps
        the motion of every point of a response. An analysis that does not converge raises
        :class:`UnsolvedError`, with ``unsolved="keep"`` it does not. Ctrl-C ends a run soon: the
        KeyboardInterrupt has what was done as ``result``, as all errors of a run.
        """
        return run(self._held(), self._given.callbacks, only=only, threads=threads, progress=progress, observer=observer,
                   folder=folder, resume=resume, motions=motions, unsolved=unsolved)

    def function(self, figures: Union[str, Sequence[str]], of: Union[str, Sequence[str]], *,
                 combine: Optional[Combine] = None, relative: bool = False,
                 threads: Optional[int] = None) -> Function:
        """A figure as a function of parameters, with exact derivatives, for optimisers.

        Figures are named ``ANALYSIS.FIGURE`` as in ``gradients`` of ``summary.json``, of statics,
        transients and periodic motions. Several are made one number by ``combine``, a function of
        the array of their values, whose derivatives come from the complex step unless it returns
        the number and its derivatives by the values.

        >>> import pliant as pl
        >>> s = pl.Scene({"dimension": 1, "nodes": {"m": 0}, "masses": [{"node": "m", "mass": "2 kg"}],
        ...               "parameters": {"k": {"value": "8 N/m", "min": "1 N/m", "max": "50 N/m"}},
        ...               "springs": [{"nodes": ["ground", "m"], "stiffness": "$k"}],
        ...               "loads": [{"node": "m", "force": ["4 N"]}], "watch": {"m": "m"},
        ...               "analyses": ["static"]})
        >>> f = s.function("static.displacement_m.m.0", of="k")
        >>> f.value_and_grad([4])
        (1.0, array([-0.25]))
        >>> f.x0, f.units, f.bounds
        (array([8.]), ['N/m'], [(1.0, 50.0)])
        """
        return Function(self, figures, of, combine, relative, threads)

    def view(self, frames: Optional[ArrayLike] = None, *, time: Optional[ArrayLike] = None,
             period: float = 0, colour: Optional[ArrayLike] = None, label: str = "",
             title: str = "", height: int = 700) -> View:
        """The scene in 3-D at rest, or frames (n, nodes, 3) of its nodes at times (s) or spread over
        a period; ``colour`` (nodes) is shown with its label."""
        return view(self._held(), self.points if frames is None else frames, time=time,
                    period=period, colour=colour, label=label, title=title or self.title,
                    height=height)

    def close(self) -> None:
        """Frees its memory now; arrays that were taken of it keep theirs."""
        self._handle = None

    def __enter__(self) -> "Scene":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._handle is None:
            return "<pliant.Scene: closed>"
        title = f" {self.title!r}" if self.title else ""
        return (f"<pliant.Scene{title}: {self.info['nodes']} nodes, "
                f"{self.info['free_unknowns']} unknowns, {' '.join(self.analyses) or 'no analyses'}>")

    def _repr_html_(self) -> str:
        from ._html import scene_html

        return scene_html(self)


G = TypeVar("G", Mesh, Objective, Load)


def _one(thing: object, kind: Type[G], where: str, name: str) -> G:
    if not isinstance(thing, kind):
        raise errors.ArgumentError(f"{where}: {name!r} must be a pliant.{kind.__name__}, not "
                                   f"{type(thing).__name__}")
    return thing


class _Given:
    """What a scene names by `given`, as long as it lives."""

    def __init__(self, meshes: Optional[Meshes], objectives: Optional[Objectives],
                 loads: Optional[Loads]) -> None:
        # their arrays are read again when the scene is built again
        self.meshes = dict(meshes or {})
        self.callbacks: List[Callback] = []
        self.handles: List[Handle] = []
        for name, m in self.meshes.items():
            self.handles.append(_one(m, Mesh, "meshes", name)._handle(name))
        for name, o in (objectives or {}).items():
            self.callbacks.append(_one(o, Objective, "objectives", name)._callback(name))
        for name, load in (loads or {}).items():
            self.callbacks.append(_one(load, Load, "loads", name)._callback(name))
        self.handles += [c.handle for c in self.callbacks]

    def arguments(self) -> "tuple[int, Any]":
        n = len(self.handles)
        return n, (c_int64 * max(n, 1))(*[h.value for h in self.handles])


def open_scene(path: Union[str, "os.PathLike[str]"], *, set: Optional[Overrides] = None,
               meshes: Optional[Meshes] = None, objectives: Optional[Objectives] = None,
               loads: Optional[Loads] = None) -> Scene:
    """Opens a scene file; the rest is as for :class:`Scene`."""
    words = _overrides(set)
    given = _Given(meshes, objectives, loads)
    out = c_int64()
    check(lib.pl_facade_open(os.fsencode(path), len(words), strings(words), *given.arguments(),
                             out))
    return Scene._of(out.value, given)
