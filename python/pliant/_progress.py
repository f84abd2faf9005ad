"""Progress of long runs, on terminals and in notebooks."""
from __future__ import annotations

import html
import importlib
import sys
import time
from typing import Any, Callable, Optional, Union

_FIRST = 0.5  # s before anything is shown
_PAUSE = 0.1  # s between two pictures
_WIDTH = 24


class _Bar:
    def __init__(self) -> None:
        self.start = time.monotonic()
        self.last = 0.0
        self.shown = False

    def __call__(self, what: str, done: Optional[float], more: str) -> None:
        now = time.monotonic()
        if now - self.start < _FIRST or now - self.last < _PAUSE:
            return
        self.last = now
        self.shown = True
        self.show(what, done, more)

    def show(self, what: str, done: Optional[float], more: str) -> None:
        raise NotImplementedError

    def end(self) -> None:
        raise NotImplementedError


class TerminalBar(_Bar):
    """One line that is written over and wiped away in the end."""

    def show(self, what: str, done: Optional[float], more: str) -> None:
        if done is None:
            bar = ""
        else:
            full = int(_WIDTH * min(max(done, 0), 1))
            bar = f" [{'#' * full}{'.' * (_WIDTH - full)}] {100 * done:3.0f} %"
        line = f"{what}{bar}  {more}"
        sys.stderr.write("\r\x1b[K" + line[:100])
        sys.stderr.flush()

    def end(self) -> None:
        if self.shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


class NotebookBar(_Bar):
    """A bar below the cell, gone when the run is over."""

    def __init__(self, display: Any, HTML: Any) -> None:
        super().__init__()
        self.display = display
        self.html = HTML
        self.handle: Any = None

    def show(self, what: str, done: Optional[float], more: str) -> None:
        part = "" if done is None else f" value='{min(max(done, 0.0), 1.0):.3f}'"
        body = self.html(f"{html.escape(what)} <progress max='1'{part}></progress> "
                         f"<small>{html.escape(more)}</small>")
        if self.handle is None:
            self.handle = self.display(body, display_id=True)
        else:
            self.handle.update(body)

    def end(self) -> None:
        if self.handle is not None:
            self.handle.update(self.html(""))


def _notebook() -> Optional[NotebookBar]:
    if "IPython" not in sys.modules:
        return None
    shell: Any = getattr(sys.modules["IPython"], "get_ipython")()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    shown: Any = importlib.import_module("IPython.display")
    return NotebookBar(shown.display, shown.HTML)


def choose(progress: Union[bool, Callable[[str, Optional[float], str], Any], None]
           ) -> Optional[Callable[[str, Optional[float], str], Any]]:
    """What shows progress: as told, or what suits where this runs."""
    if progress is False:
        return None
    if callable(progress):
        return progress
    bar = _notebook()
    if bar is not None:
        return bar
    return TerminalBar() if progress or sys.stderr.isatty() else None
