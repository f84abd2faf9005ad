"""The library is found, fits, and says so where it does not."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def python(code, **environment):
    env = {**os.environ, "PYTHONPATH": str(ROOT / "python"), **environment}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)


def test_not_there():
    out = python("import pliant", PLIANT_LIBRARY="/nowhere/libpliant.so")
    assert "LibraryError" in out.stderr and "PLIANT_LIBRARY" in out.stderr


def test_another_library():
    out = python("import pliant", PLIANT_LIBRARY="libm.so.6")
    assert "LibraryError" in out.stderr


def test_old_kernels_are_told():
    """NumPy has loaded OpenBLAS with the oldest kernels: pliant cannot change them, and warns."""
    out = python("import os, numpy\n"
                 "del os.environ['OPENBLAS_CORETYPE']\n"
                 "import pliant as pl\n"
                 "print(pl._library.text(pl._library.lib.pl_facade_blas()))",
                 OPENBLAS_CORETYPE="Prescott")
    assert out.returncode == 0, out.stderr
    if out.stdout.strip() != "Prescott":
        pytest.skip("NumPy has a BLAS of its own, or the processor is that old")
    assert "OPENBLAS_CORETYPE=" in out.stderr
