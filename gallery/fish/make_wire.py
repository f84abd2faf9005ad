#!/usr/bin/env python3
"""Writes the wire fish as OBJ lines (mm): body, tail and two fins of one bent wire each.

    gallery/fish/make_wire.py > gallery/fish/fish.obj

43 nodes, 46 segments and 5 places where wires are joined: as discrete elastic rods, clamped at the
nose, that is a network of 187 unknowns (three a node, one twist a segment, three rotations a
joint). The fish swims to the left in the xy plane.
"""
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from triangulate import sample


def body(n):
    """Closed: nose, back, tail joint, belly."""
    fine = []
    for i in range(240):
        t = 2 * math.pi * i / 240
        x = -math.cos(t)
        # a drop that ends in a point at the tail
        y = math.sin(t) * (1 - 0.42 * x) * math.sqrt(max(0.0, 1 - 0.12 * (x + 1)))
        fine.append((75 * x + 75, (34 if y > 0 else 30) * y))
    half = len(fine) // 2
    back, belly = fine[:half + 1], fine[half:] + fine[:1]
    return sample(back, n // 2, closed=False)[:-1] + sample(belly, n - n // 2, closed=False)[:-1]


def bow(points, n):
    """n inner nodes on a smooth curve through the points, without its ends."""
    fine = []
    for k in range(len(points) - 1):
        p = [points[max(0, min(len(points) - 1, k + i))] for i in (-1, 0, 1, 2)]
        for j in range(20):
            s = j / 20
            fine.append(tuple(0.5 * (2 * b + (c - a) * s + (2 * a - 5 * b + 4 * c - d) * s * s
                                     + (3 * b - a - 3 * c + d) * s ** 3)
                              for a, b, c, d in zip(*p)))
    return sample(fine + [points[-1]], n + 1, closed=False)[1:-1]


B = 26
nodes = body(B)
lines = [("body", list(range(B)) + [0])]


def add(name, start, end, via, n):
    inner = bow([nodes[start]] + via + [nodes[end]], n)
    first = len(nodes)
    nodes.extend(inner)
    lines.append((name, [start] + list(range(first, first + n)) + [end]))


joint = B // 2
x, y = nodes[joint]
add("tail", joint, joint, [(x + 22, y + 14), (x + 46, y + 36), (x + 37, y), (x + 46, y - 34),
                           (x + 22, y - 13)], 9)
add("dorsal_fin", 4, 9, [(nodes[4][0] + 14, nodes[4][1] + 17), (nodes[9][0] - 4, nodes[9][1] + 22)], 5)
add("belly_fin", 19, 16, [(nodes[19][0] + 8, nodes[19][1] - 18), (nodes[16][0], nodes[16][1] - 15)], 3)

segments = sum(len(l) - 1 for _, l in lines)
ends = [v for _, l in lines for v in (l[0], l[-1])]
joints = {v for v in ends if v != 0}
if 3 * (len(nodes) - 1) + segments + 3 * len(joints) != 187:
    raise SystemExit("%d nodes, %d segments, %d joints" % (len(nodes), segments, len(joints)))
print("# wire fish made by gallery/fish/make_wire.py, millimetres")
for p in nodes:
    print("v %.4f %.4f 0" % p)
for name, line in lines:
    print("g %s" % name)
    for a, b in zip(line, line[1:]):
        print("l %d %d" % (a + 1, b + 1))
