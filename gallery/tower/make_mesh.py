#!/usr/bin/env python3
"""Writes the tower as OBJ (mm): four-legged seen from the front, with arch, platforms and lattice.

    gallery/tower/make_mesh.py > gallery/tower/tower.obj

329 nodes and 525 triangles: a plane region with h holes and B edges on its boundary has
2 * 329 - B - 2 + 2 h triangles, so B = 131 + 2 h.
"""
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import triangulate as tri

NODES, TRIANGLES = 329, 525
HEIGHT, BASE = 300.0, 62.0


def half(y):
    """Half of the width at a height, without the platforms."""
    return 5.0 + (BASE - 5.0) * math.exp(-y / 85.0) - 4.6 * (y / HEIGHT) ** 2


def flank(y0, y1, n=30):
    return [(half(y0 + (y1 - y0) * i / n), y0 + (y1 - y0) * i / n) for i in range(n + 1)]


def right_side():
    """From the inner foot up to the tip: polylines with the number of edges of each."""
    arch = [(30 * math.cos(a), 6 + 34 * math.sin(a)) for a in
            (math.radians(90 - 90 * i / 24) for i in range(25))]
    out = [(arch, 8), ([(30, 6), (34, 0)], 1), ([(34, 0), (BASE, 0)], 4)]
    for low, high, y in ((0, 56, 62), (62, 112, 117)):
        out.append((flank(low, high), 7))
        w = half(high) + 4
        out.append(([(half(high), high), (w, high), (w, y), (half(y), y)], 3))
    out.append((flank(117, 276), 18))
    w = half(276)
    out.append(([(w, 276), (w + 2.5, 279), (w + 1, 284), (2.4, 288)], 3))
    out.append(([(2.4, 288), (0, 312)], 3))
    return out


def diamond(x, y, a, b):
    return [(x + a, y), (x, y + b), (x - a, y), (x, y - b)]


def build():
    right = []
    for line, n in right_side():
        right += tri.sample(line, n, closed=False)[:-1]
    tip = (0.0, 312.0)
    # from the arch's crown to the tip and back down on the left
    outline = right + [tip] + [(-x, y) for x, y in reversed(right[1:])]
    # a pentagon gives the odd number of edges that 525 triangles need
    holes = []
    holes.append([(7.5 * math.sin(math.radians(72 * i)), 75 + 7.5 * math.cos(math.radians(72 * i)))
                  for i in range(5)])
    for y, a, b in ((97, 5, 8), (135, 5, 8), (158, 4, 8)):
        holes.append(diamond(0, y, a, b))
    for x, y, a, b in ((41, 16, 5.5, 7), (30.5, 36, 4.5, 6.5)):
        holes += [diamond(x, y, a, b), diamond(-x, y, a, b)]
    return [outline] + holes


loops = build()
edges = sum(len(l) for l in loops)
want = 131 + 2 * (len(loops) - 1)
if edges != want:
    raise SystemExit("%d edges on the boundary, wanted %d (outline %d)" % (
        edges, want, len(loops[0])))
points, triangles = tri.triangulate(loops, NODES - edges, gap=0.5, mirror=True)
if (len(points), len(triangles)) != (NODES, TRIANGLES):
    raise SystemExit("%d nodes, %d triangles" % (len(points), len(triangles)))
print("smallest angle %.1f degrees" % tri.quality(points, triangles), file=sys.stderr)
print("# tower made by gallery/tower/make_mesh.py, millimetres")
print("o tower")
for p in points:
    print("v %.4f %.4f 0" % p)
for t in sorted(triangles, key=lambda t: sum(points[k][1] for k in t)):
    print("f %d %d %d" % tuple(k + 1 for k in t))
