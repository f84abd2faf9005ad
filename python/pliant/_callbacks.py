"""Functions of the user's that the library calls: kept while scenes need them."""
from __future__ import annotations

import itertools
import weakref
from ctypes import c_int64
from typing import Any, Callable, Dict, Optional, Sequence

from ._library import Handle, check

#: What functions belong to, by the number that the library passes on.
things: Dict[int, Any] = {}
#: What a function raised last, by the same number.
raised: Dict[int, BaseException] = {}
_next = itertools.count(1)

#: An answer of a function: all is well, nothing is defined there, the run is to stop.
FINE, NOWHERE, STOP = 0, 1, 2


def _forget(key: int) -> None:
    things.pop(key, None)
    raised.pop(key, None)


class Callback:
    """A thing whose function the library calls, with its handle."""

    def __init__(self, thing: Any, create: Callable[[int, c_int64], int]) -> None:
        self.key = key = next(_next)
        things[key] = thing
        weakref.finalize(self, _forget, key)
        h = c_int64()
        check(create(key, h))
        self.handle = Handle(h.value)


def guarded(key: int, call: Callable[[], None]) -> int:
    """Calls, and makes an answer of what is raised."""
    try:
        call()
        return FINE
    except ArithmeticError:
        return NOWHERE
    except BaseException as e:  # comes out of the run
        raised[key] = e
        return STOP


def take_raised(callbacks: Sequence[Callback]) -> Optional[BaseException]:
    """What functions raised in a run."""
    found = [raised.pop(c.key, None) for c in callbacks]
    return next((e for e in found if e is not None), None)
