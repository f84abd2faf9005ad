"""Nonlinear mechanics of soft and slender things.

A scene is opened or built in code, its analyses are run, and results are NumPy arrays and small
objects:

>>> import pliant as pl
>>> scene = pl.Scene({
...     "dimension": 1,
...     "parameters": {"k": {"value": "8 N/m", "min": "1 N/m", "max": "50 N/m"}},
...     "nodes": {"m": 0},
...     "masses": [{"node": "m", "mass": "2 kg"}],
...     "springs": [{"nodes": ["ground", "m"], "stiffness": "$k", "damping": "0.8 N.s/m"}],
...     "loads": [{"node": "m", "force": ["1 N"], "harmonic": 1}],
...     "watch": {"m": "m"},
...     "analyses": [{"response": {"from": "0.1 Hz", "to": "1 Hz"}}],
... })
>>> result = scene.run()
>>> table = result.tables["response"]
>>> float(table["frequency_Hz"][0].round(12)), table.units["frequency_Hz"]
(0.1, 'Hz')
"""
from ._errors import (ArgumentError, BusyError, CancelledError, DTypeError, Error, FileError,
                      FreedError, InputError, InternalError, KindError, LibraryError, Message,
                      NotFiniteError, RunError, ShapeError, ShortOfMemoryError, UnsolvedError)
from ._gradient import Function
from ._library import release as _release
from ._load import Load
from ._mesh import Mesh
from ._objective import Objective
from ._result import Analysis, Film, Item, Motion, Result, Shape, State, Table
from ._scene import Scene
from ._scene import open_scene as open
from ._view import View

__version__ = _release()
__all__ = [
    "Analysis", "ArgumentError", "BusyError", "CancelledError", "DTypeError", "Error", "FileError",
    "Film", "FreedError", "Function", "InputError", "InternalError", "Item", "KindError", "LibraryError", "Load", "Mesh",
    "Message", "Motion", "NotFiniteError", "Objective", "Result", "RunError", "Scene", "Shape", "ShapeError",
    "ShortOfMemoryError", "State", "Table", "UnsolvedError", "View", "open",
]
