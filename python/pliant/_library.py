"""The shared library: found, loaded, its functions declared, its statuses made exceptions."""
from __future__ import annotations

import ctypes
import importlib
import os
import warnings
import weakref
from ctypes import POINTER, Structure, c_char_p, c_double, c_int, c_int32, c_int64, c_void_p
from pathlib import Path
from typing import Any, Dict, List, NoReturn, Optional, Tuple, Type

from . import _errors as errors

#: Version of facade.h that this package was written for.
VERSION = 1


class CMessage(Structure):
    _fields_ = [("level", c_int32), ("status", c_int32), ("line", c_int32), ("column", c_int32),
                ("file", c_char_p), ("text", c_char_p), ("hint", c_char_p)]


class CArray(Structure):
    _fields_ = [("name", c_char_p), ("unit", c_char_p), ("data", c_void_p), ("type", c_int32),
                ("ndim", c_int32), ("shape", c_int64 * 4), ("stride", c_int64 * 4)]


PROGRESS = ctypes.CFUNCTYPE(c_int, c_void_p, c_char_p, c_double, c_char_p)
ROWS = ctypes.CFUNCTYPE(c_int, c_void_p, c_char_p, c_int64, c_int64, c_int64, POINTER(c_char_p),
                        POINTER(c_double))


OBJECTIVE = ctypes.CFUNCTYPE(c_int, c_void_p, c_int32, c_int32, c_double, POINTER(c_double),
                             POINTER(c_double), POINTER(c_double), POINTER(c_double))
LOAD = ctypes.CFUNCTYPE(c_int, c_void_p, c_int32, POINTER(c_double), POINTER(c_double), c_double,
                        POINTER(c_double), POINTER(c_double), POINTER(c_double),
                        POINTER(c_double))


class CHooks(Structure):
    _fields_ = [("ctx", c_void_p), ("progress", PROGRESS), ("rows", ROWS)]


class CItem(Structure):
    _fields_ = [("kind", c_char_p), ("name", c_char_p), ("analysis", c_char_p),
                ("title", c_char_p), ("caption", c_char_p), ("text", c_char_p),
                ("narray", c_int64)]


_STRUCTS: Dict[str, Type[Structure]] = {"pl_facade_message": CMessage, "pl_facade_array": CArray,
                                        "pl_facade_hooks": CHooks, "pl_facade_item": CItem}
_strings = POINTER(c_char_p)
_handle = POINTER(c_int64)
_FUNCTIONS: Dict[str, Tuple[Any, List[Any]]] = {
    "pl_facade_version": (c_int, []),
    "pl_facade_release": (c_char_p, []),
    "pl_facade_commit": (c_char_p, []),
    "pl_facade_size": (c_int64, [c_char_p]),
    "pl_facade_status_text": (c_char_p, [c_int]),
    "pl_facade_blas": (c_char_p, []),
    "pl_facade_blas_wanted": (c_char_p, []),
    "pl_facade_free": (c_int, [c_int64]),
    "pl_facade_live": (c_int64, []),
    "pl_facade_messages": (c_int, [c_int64, _handle]),
    "pl_facade_message_at": (c_int, [c_int64, c_int64, POINTER(CMessage)]),
    "pl_facade_mesh": (c_int, [c_char_p, c_void_p, c_int64, _handle]),
    "pl_facade_mesh_cells": (c_int, [c_int64, c_char_p, c_void_p, c_int64, c_int64]),
    "pl_facade_mesh_set": (c_int, [c_int64, c_char_p, c_char_p, c_void_p, c_int64]),
    "pl_facade_objective": (c_int, [c_char_p, c_char_p, OBJECTIVE, c_void_p, _handle]),
    "pl_facade_load": (c_int, [c_char_p, LOAD, c_void_p, _handle]),
    "pl_facade_open": (c_int, [c_char_p, c_int64, _strings, c_int64, _handle, _handle]),
    "pl_facade_parse": (c_int, [c_char_p, c_char_p, c_char_p, c_int64, c_int64, _strings, c_int64,
                                _handle, _handle]),
    "pl_facade_again": (c_int, [c_int64, c_int64, _strings, _handle]),
    "pl_facade_describe": (c_int, [c_int64, _strings]),
    "pl_facade_report": (c_int, [c_int64, _strings]),
    "pl_facade_yaml": (c_int, [c_int64, _strings]),
    "pl_facade_scene_array": (c_int, [c_int64, c_char_p, POINTER(CArray)]),
    "pl_facade_page": (c_int, [c_int64, c_char_p, c_int64, c_int64, c_void_p, c_void_p, c_double,
                               c_char_p, c_void_p, _strings]),
    "pl_facade_run": (c_int, [c_int64, c_int64, _strings, POINTER(CHooks), _handle]),
    "pl_facade_status": (c_int, [c_int64, POINTER(c_int)]),
    "pl_facade_summary": (c_int, [c_int64, _strings]),
    "pl_facade_items": (c_int, [c_int64, _handle]),
    "pl_facade_item_at": (c_int, [c_int64, c_int64, POINTER(CItem)]),
    "pl_facade_item_array": (c_int, [c_int64, c_int64, c_int64, POINTER(CArray)]),
}


# ---- loading --------------------------------------------------------------------------------------


def _candidates() -> List[str]:
    told = os.environ.get("PLIANT_LIBRARY")
    if told:
        return [told]
    here = Path(__file__).resolve().parent
    own = sorted(str(p) for p in here.glob("libpliant.so*"))
    return own + ["libpliant.so.0", "libpliant.so"]


def _find() -> ctypes.CDLL:
    why = []
    for name in _candidates():
        try:
            return ctypes.CDLL(name)
        except OSError as e:
            why.append(str(e))
    raise errors.LibraryError("libpliant.so cannot be loaded; the environment variable PLIANT_LIBRARY "
                              "may name it:\n  " + "\n  ".join(why))


def _with_kernels(lib: ctypes.CDLL) -> ctypes.CDLL:
    """The same library on kernels of OpenBLAS that suit the processor, as the command chooses them.

    OpenBLAS chooses when it is loaded, and Debian's does not know newer processors. It is loaded
    once more, which works as long as nothing else (such as NumPy) has loaded it before.
    """
    lib.pl_facade_blas_wanted.restype = c_char_p
    wanted: bytes = lib.pl_facade_blas_wanted()
    if not wanted or "OPENBLAS_CORETYPE" in os.environ:
        return lib
    unload: Any = getattr(importlib.import_module("_ctypes"), "dlclose")
    os.environ["OPENBLAS_CORETYPE"] = wanted.decode()
    unload(lib._handle)
    lib = _find()
    lib.pl_facade_blas_wanted.restype = c_char_p
    if lib.pl_facade_blas_wanted():
        warnings.warn(
            "NumPy has loaded OpenBLAS with kernels of an older processor: pliant runs slower, and "
            f"differs from the command in the last digits. Set OPENBLAS_CORETYPE={wanted.decode()} "
            "before Python is started, or import pliant before numpy.", RuntimeWarning,
            stacklevel=2)
    return lib


def _load() -> ctypes.CDLL:
    try:
        lib = _with_kernels(_find())
        for name, (restype, argtypes) in _FUNCTIONS.items():
            f = getattr(lib, name)
            f.restype = restype
            f.argtypes = argtypes
    except AttributeError as e:
        raise errors.LibraryError(f"this is no libpliant.so, or an older one: {e}") from None
    if lib.pl_facade_version() < VERSION:
        raise errors.LibraryError(f"{lib._name} is older than this package")
    for name, struct in _STRUCTS.items():
        if lib.pl_facade_size(name.encode()) != ctypes.sizeof(struct):
            raise errors.LibraryError(f"{lib._name} does not fit this package: {name} differs")
    return lib


lib = _load()


# ---- statuses -------------------------------------------------------------------------------------

_ERRORS: Dict[int, Type[errors.Error]] = {
    3: errors.CancelledError, 4: errors.UnsolvedError,
    -1: errors.ShortOfMemoryError, -2: errors.ArgumentError, -3: errors.InputError,
    -4: errors.FileError, -5: errors.InternalError, -11: errors.FreedError, -12: errors.KindError,
    -13: errors.BusyError}
CANCELLED, UNSOLVED = 3, 4
_LEVELS = ("note", "warning", "error")


def text(s: Optional[bytes]) -> str:
    return s.decode("utf-8", "replace") if s else ""


def messages(handle: int = 0) -> List[errors.Message]:
    """Those of a scene or result, or (0) of the last call of this thread that failed."""
    n = c_int64()
    if lib.pl_facade_messages(handle, n) != 0:
        raise_status(-11)
    out = []
    m = CMessage()
    for k in range(n.value):
        if lib.pl_facade_message_at(handle, k, m) == 0:
            out.append(errors.Message(_LEVELS[m.level], text(m.text), text(m.hint), text(m.file),
                                      m.line, m.column))
    return out


def error(status: int) -> errors.Error:
    """The exception of a status, with the messages that the call left."""
    told = messages()
    first = [str(m) for m in told if m.level == "error"]
    kind = _ERRORS.get(status, errors.InternalError)
    return kind("\n".join(first) or text(lib.pl_facade_status_text(status)), told)


def raise_status(status: int) -> NoReturn:
    raise error(status)


def check(status: int) -> None:
    if status:
        raise_status(status)


# ---- handles --------------------------------------------------------------------------------------


class Handle:
    """Frees what it stands for when nothing refers to it any more."""

    __slots__ = ("value", "_finalize", "__weakref__")

    def __init__(self, value: int) -> None:
        self.value = value
        self._finalize = weakref.finalize(self, lib.pl_facade_free, value)

    def free(self) -> None:
        self._finalize()


def strings(words: List[str]) -> Any:
    return (c_char_p * len(words))(*[w.encode() for w in words]) if words else None


def release() -> str:
    """Version of the library."""
    return text(lib.pl_facade_release())
