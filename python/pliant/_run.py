"""A run: options, callbacks, Ctrl-C."""
from __future__ import annotations

import ctypes
import importlib
import itertools
import os
import signal
import threading
from ctypes import c_int64
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from . import _errors as errors
from ._callbacks import Callback, take_raised
from ._library import (CANCELLED, PROGRESS, ROWS, UNSOLVED, CHooks, Handle, error, lib, strings, text)
from ._progress import choose
from ._result import Result

#: Called with what is going on, the part that is done (None: not known) and how far it is.
Progress = Callable[[str, Optional[float], str], Any]
#: Called with the name of a table, the number of its first new row and the new rows by columns.
Observer = Callable[[str, int, Mapping[str, NDArray[np.float64]]], Any]


class _Run:
    """What callbacks of a run share. An exception in one of them stops the run and comes out of it."""

    def __init__(self, progress: Optional[Progress], observer: Optional[Observer]) -> None:
        self.progress = progress
        self.observer = observer
        self.failed: Optional[BaseException] = None
        self.stopped = False

    def tell(self, what: str, done: float, more: str) -> None:
        if self.progress and what:
            self.progress(what, None if done < 0 else done, more)

    def rows(self, name: str, first: int, columns: List[str], data: NDArray[np.float64]) -> None:
        if self.observer and self.observer(name, first, {c: data[:, k] for k, c in
                                                         enumerate(columns)}):
            self.stopped = True


_runs: Dict[int, _Run] = {}
_next = itertools.count(1)


def _on_progress(ctx: int, what: bytes, done: float, more: bytes) -> int:
    r = _runs[ctx]
    try:
        if r.failed is None:
            r.tell(text(what), done, text(more))
    except BaseException as e:  # whatever it is, it comes out of the run
        r.failed = e
    return int(r.failed is not None or r.stopped)


def _on_rows(ctx: int, table: bytes, first: int, nrow: int, ncol: int, column: Any,
             data: Any) -> int:
    r = _runs[ctx]
    try:
        if r.failed is None:
            # the library's memory is gone when this returns
            block = np.ctypeslib.as_array(data, (nrow, ncol)).copy()
            r.rows(text(table), first, [text(column[k]) for k in range(ncol)], block)
    except BaseException as e:
        r.failed = e
    return int(r.failed is not None or r.stopped)


_progress_hook = PROGRESS(_on_progress)
_rows_hook = ROWS(_on_rows)
_no_rows = ROWS(0)  # NULL


# the functions below those of `signal`, which spend 5 us on making enumerations of numbers
_raw: Any = importlib.import_module("_signal")
_signal, _getsignal = _raw.signal, _raw.getsignal
_SIGINT = int(signal.SIGINT)
_MAIN = threading.main_thread().ident


class _Interrupts:
    """Ctrl-C while the library works: the handler is called as ever, and what it raises is kept.

    Handlers are called when Python code runs next, which is in a callback: what they raise would be
    lost there.
    """

    def __init__(self, r: _Run) -> None:
        self.r = r
        self.old: Any = None

    def __enter__(self) -> None:
        if threading.get_ident() != _MAIN:
            return
        old = _getsignal(_SIGINT)
        if callable(old):
            self.old = old
            _signal(_SIGINT, self.handle)

    def handle(self, number: int, frame: Any) -> None:
        try:
            self.old(number, frame)
        except BaseException as e:
            self.r.failed = e

    def __exit__(self, *args: Any) -> None:
        if self.old is not None:
            _signal(_SIGINT, self.old)


def _options(only: Optional[str], threads: Optional[int],
             folder: Union[str, "os.PathLike[str]", None], resume: bool, motions: bool) -> List[str]:
    out = []
    if only is not None:
        out.append(f"only={only}")
    if threads is not None:
        out.append(f"threads={threads}")
    if folder is not None:
        out.append(f"folder={os.fspath(folder)}")
    if resume:
        out.append("resume=yes")
    if motions:
        out.append("motions=yes")
    return out


def run(scene: Handle, callbacks: Sequence[Callback], *, only: Optional[str], threads: Optional[int],
        progress: Union[bool, Progress, None], observer: Optional[Observer],
        folder: Union[str, "os.PathLike[str]", None], resume: bool, motions: bool,
        unsolved: str) -> Result:
    if unsolved not in ("raise", "keep"):
        raise errors.ArgumentError(f"unsolved is 'raise' or 'keep', not {unsolved!r}")
    words = _options(only, threads, folder, resume, motions)
    bar = choose(progress)
    r = _Run(bar, observer)
    key = next(_next)
    hooks = CHooks(key, _progress_hook, _rows_hook if observer else _no_rows)
    out = c_int64()
    _runs[key] = r
    try:
        with _Interrupts(r):
            status: int = lib.pl_facade_run(scene.value, len(words), strings(words), ctypes.byref(hooks),
                                            out)
    finally:
        del _runs[key]
        if bar is not None:
            end = getattr(bar, "end", None)
            if end:
                end()
    result = Result(out.value, scene) if out.value else None
    r.failed = r.failed or take_raised(callbacks)
    if r.failed is not None:
        failed = r.failed
        try:
            failed.result = result  # type: ignore[attr-defined]
        except AttributeError:
            pass  # exceptions with slots
        raise failed
    if result is not None and (status == 0 or (status == UNSOLVED and unsolved == "keep") or
                               (status == CANCELLED and r.stopped)):
        return result
    e = error(status)
    if isinstance(e, errors.RunError):
        e.result = result
    raise e
