#!/usr/bin/env python3
"""What calls from Python cost: bench/python.py [LIBRARY]

Getters and runs of a small system are timed by the processor time of this process, each the best of
several rounds, models of arrays by the clock. What Python adds to a run is the difference to the
same run through the bare function of the library."""
import os
import sys
import time
from ctypes import c_int64, c_void_p, cdll
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))
if len(sys.argv) > 1:
    os.environ["PLIANT_LIBRARY"] = sys.argv[1]

import pliant as pl  # noqa: E402
import numpy as np  # noqa: E402
from pliant._library import lib, strings  # noqa: E402

SMALL = """pliant: 1
dimension: 1
nodes: {m: 0}
masses: [{node: m, mass: 2 kg}]
springs: [{nodes: [ground, m], stiffness: 8 N/m}]
loads: [{node: m, force: [1 N]}]
watch: {m: m}
analyses: [static]
"""


def cost(f, n, rounds=9, clock=time.process_time):
    """Microseconds of a call."""
    best = float("inf")
    for _ in range(rounds):
        start = clock()
        for _ in range(n):
            f()
        best = min(best, (clock() - start) / n)
    return 1e6 * best


def getters():
    s = pl.Scene(SMALL)
    r = s.run(threads=1)
    print("getters (us)")
    for name, f in (("scene.parameters", lambda: s.parameters),
                    ("result.solved", lambda: r.solved),
                    ("result.figures['static']['potential_J']",
                     lambda: r.figures["static"]["potential_J"]),
                    ("result.tables['static']['m_x_m']" if "static" in r.tables else "result.tables",
                     lambda: r.tables["static"]["m_x_m"] if "static" in r.tables else r.tables)):
        f()
        print(f"  {name:42} {cost(f, 20000):8.2f}")


def bindings():
    print("a call of pl_facade_live (us)")
    print(f"  {'ctypes':42} {cost(lib.pl_facade_live, 50000):8.3f}")
    try:
        import cffi
    except ImportError:
        print("  cffi is not installed")
        return
    ffi = cffi.FFI()
    ffi.cdef("int64_t pl_facade_live(void); int pl_facade_items(int64_t, int64_t *);")
    other = ffi.dlopen(lib._name)
    print(f"  {'cffi in ABI mode':42} {cost(other.pl_facade_live, 50000):8.3f}")
    r = pl.Scene(SMALL).run(threads=1)
    h, n, m = r._handle.value, c_int64(), ffi.new("int64_t *")
    print("a call with an integer and a pointer (us)")
    print(f"  {'ctypes':42} {cost(lambda: lib.pl_facade_items(h, n), 50000):8.3f}")
    print(f"  {'cffi in ABI mode':42} {cost(lambda: other.pl_facade_items(h, m), 50000):8.3f}")


def runs():
    s = pl.Scene(SMALL)
    option = strings(["threads=1"])
    out = c_int64()

    def bare():
        lib.pl_facade_run(s._handle.value, 1, option, None, out)
        lib.pl_facade_free(out.value)

    def whole():
        s.run(threads=1)

    # in turn, so that both meet the same machine
    a = b = float("inf")
    for _ in range(30):
        a = min(a, cost(bare, 200, 1))
        b = min(b, cost(whole, 200, 1))
    print("static of one unknown (us)")
    print(f"  {'library':42} {a:8.1f}\n  {'scene.run(threads=1)':42} {b:8.1f}")
    print(f"  {'what Python adds':42} {b - a:8.1f}")
    print(f"  {'pl.Scene(text), read and built':42} {cost(lambda: pl.Scene(SMALL), 300):8.1f}")


def arrays():
    n = 224  # squares along a side: 100,352 triangles
    x, y = np.meshgrid(np.linspace(0, 1, n + 1), np.linspace(0, 1, n + 1))
    points = np.column_stack([x.ravel(), y.ravel(), 0 * x.ravel()])
    a = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
    triangles = np.concatenate([np.column_stack([a, a + 1, a + n + 2]),
                                np.column_stack([a, a + n + 2, a + n + 1])]).astype(np.int32)
    for bending in ("none", "hinge", "midedge", "shell6"):
        scene = {"materials": {"foil": {"young": "3 GPa", "poisson": 0.3, "density": 1200}},
                 "bodies": [{"name": "sheet", "shell": {
                     "mesh": {"given": "sheet"}, "material": "foil", "thickness": "1 mm",
                     "bending": bending}}],
                 "fixed": "sheet where x < 0.01"}
        best = used = float("inf")
        for _ in range(3 if bending == "shell6" else 5):
            start, cpu = time.perf_counter(), time.process_time()
            mesh = pl.Mesh(points, triangles)
            given = time.perf_counter() - start
            s = pl.Scene(scene, meshes={"sheet": mesh})
            best = min(best, time.perf_counter() - start)
            used = min(used, time.process_time() - cpu)
        print(f"model of {len(triangles)} triangles, bending {bending}: {best:.2f} s, "
              f"{used:.2f} s of processor time, of which Python {1e3 * given:.1f} ms; "
              f"{s.info['unknowns']} unknowns")


if __name__ == "__main__":
    print(f"pliant {pl.__version__}, Python {sys.version.split()[0]}, {lib._name}")
    bindings()
    getters()
    runs()
    arrays()
