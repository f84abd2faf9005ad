"""What goes wrong, by name."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, List, Optional

if TYPE_CHECKING:
    from ._result import Result


@dataclass(frozen=True)
class Message:
    """A message of a scene or a run, with its place where there is one."""

    level: str  #: ``"note"``, ``"warning"`` or ``"error"``
    text: str
    hint: str = ""  #: what helps, ``""``: nothing is known
    file: str = ""
    line: int = 0  #: 0: not known
    column: int = 0

    def __str__(self) -> str:
        place = self.file
        if self.line:
            place += f":{self.line}"
            if self.column:
                place += f":{self.column}"
        text = f"{place}: {self.text}" if place else self.text
        return f"{text}\n  hint: {self.hint}" if self.hint else text


class Error(Exception):
    """All errors of pliant. ``messages`` has them one by one."""

    def __init__(self, text: str, messages: Optional[List[Message]] = None) -> None:
        super().__init__(text)
        self.messages: List[Message] = messages or []


class InputError(Error, ValueError):
    """A scene or a mesh is wrong; every problem is one of ``messages``."""


class ArgumentError(Error, ValueError):
    """A function was called in a way that makes no sense."""


class ShapeError(ArgumentError):
    """An array has the wrong shape."""


class DTypeError(ArgumentError, TypeError):
    """An array has the wrong type of numbers."""


class NotFiniteError(ArgumentError):
    """A number is NaN or infinite."""


class FileError(Error, OSError):
    """A file could not be read or written."""


class FreedError(Error):
    """The thing was closed before."""


class KindError(Error, TypeError):
    """One kind of thing was given for another."""


class BusyError(Error):
    """Another thread, or a call around this one, is using the thing."""


class ShortOfMemoryError(Error, MemoryError):
    """Memory ended."""


class InternalError(Error):
    """A defect of pliant: please report it."""


class LibraryError(Error, ImportError):
    """The shared library was not found, or does not fit this package."""


class RunError(Error):
    """A run ended early; ``result`` has what was done, ``None``: nothing."""

    result: Optional["Result"] = None


class UnsolvedError(RunError):
    """An analysis did not converge; ``result`` has what there is."""


class CancelledError(RunError):
    """A run was stopped; ``result`` has what was done."""
