"""Finds the library of the build tree unless PLIANT_LIBRARY names one."""
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
if "PLIANT_LIBRARY" not in os.environ:
    built = sorted(ROOT.glob("build/*/libpliant.so"), key=lambda p: p.stat().st_mtime)
    if built:
        os.environ["PLIANT_LIBRARY"] = str(built[-1])
