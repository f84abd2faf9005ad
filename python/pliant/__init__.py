"""Nonlinear mechanics of soft and slender things.

A scene is opened or built in code, its analyses are run, and results are NumPy arrays and small
objects:

>>> import pliant as pl
>>> scene = pl.Scene({
...     "dimension": 1,
...     "parameters": {"k": {"value": "40 N/m", "min": "5 N/m", "max": "60 N/m"}},
...     "nodes": {"mass": [0]},
... })
>>> scene.parameters
{'k': 40.0}
"""
from ._errors import (ArgumentError, BusyError, CancelledError, DTypeError, Error, FileError,
                      FreedError, InputError, InternalError, KindError, LibraryError, Message,
                      NotFiniteError, RunError, ShapeError, ShortOfMemoryError, UnsolvedError)
from ._library import release as _release
from ._mesh import Mesh
from ._result import Analysis, Film, Item, Motion, Result, Shape, State, Table
from ._scene import Scene
from ._scene import open_scene as open
from ._view import View

__version__ = _release()
__all__ = [
    "Analysis", "ArgumentError", "BusyError", "CancelledError", "DTypeError", "Error", "FileError",
    "Film", "FreedError", "InputError", "InternalError", "Item", "KindError", "LibraryError", "Mesh",
    "Message", "Motion", "NotFiniteError", "Result", "RunError", "Scene", "Shape", "ShapeError",
    "ShortOfMemoryError", "State", "Table", "UnsolvedError", "View", "open",
]
