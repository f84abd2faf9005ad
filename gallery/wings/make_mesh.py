#!/usr/bin/env python3
"""Writes the dragon wing as OBJ (mm): an arm along the leading edge, a skin scalloped behind it.

    gallery/wings/make_mesh.py > gallery/wings/wing.obj
"""
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import triangulate as tri

NODES = 260
ROOT = 10.0  # the hub holds what lies left of it


def bezier(a, b, c, n=24):
    """Points of a quadratic curve, its last one left out."""
    return [tuple((1 - s) ** 2 * p + 2 * s * (1 - s) * q + s * s * r for p, q, r in zip(a, b, c))
            for s in (i / n for i in range(n))]


# corners joined by curves: shoulder, wrist with its claw, tip, then fingers and the scallops between
SIDES = [
    ((0, -22), (0, 0), (0, 14), 5),           # hub
    ((0, 14), (36, 22), (66, 54), 10),        # upper arm
    ((66, 54), (68, 60), (72, 66), 2),        # claw
    ((72, 66), (74, 58), (82, 53), 2),
    ((82, 53), (150, 44), (192, -8), 17),     # first finger, to the tip
    ((192, -8), (156, -6), (148, -50), 9),    # scallops
    ((148, -50), (126, -28), (104, -68), 8),
    ((104, -68), (88, -38), (58, -64), 8),
    ((58, -64), (46, -30), (0, -22), 9),
]
outline = []
for a, b, c, n in SIDES:
    outline += tri.sample(bezier(a, b, c) + [c], n, closed=False)[:-1]
points, triangles = tri.triangulate([outline], NODES - len(outline))
root = [t for t in triangles if all(points[k][0] < ROOT for k in t)]
if len(points) != NODES:
    raise SystemExit("%d nodes" % len(points))
print("smallest angle %.1f degrees, %d triangles, %d of them in the hub" %
      (tri.quality(points, triangles), len(triangles), len(root)), file=sys.stderr)
print("# dragon wing made by gallery/wings/make_mesh.py, millimetres")
print("o wing")
for p in points:
    print("v %.4f %.4f 0" % p)
for name, faces in (("hub", root), ("skin", [t for t in triangles if t not in root])):
    print("g %s" % name)
    for t in faces:
        print("f %d %d %d" % tuple(k + 1 for k in t))
