#!/usr/bin/env python3
"""Writes a fork-shaped thin shell as OBJ (mm): 144 nodes, 188 equilateral triangles.

    tools/make_fork.py > scenes/meshes/fork.obj

Columns of an equilateral lattice, each half a side higher the farther it is from the middle, so that
the shoulders are straight: a handle, two shoulders, two prongs, all two columns wide.
"""
import math

SIDE = 10.0
HANDLE, PRONG, REACH = 11, 14, 4  # sides long, columns from the middle to the outer edge
DRIVEN = 3                        # rows of the handle that are held by the drive


def cells():
    """Cells (column, row) between columns i and i + 1; row 0 is the foot of the handle."""
    for i in range(-REACH, REACH):
        inner = min(abs(i), abs(i + 1))
        first = 0 if inner < 1 else HANDLE
        last = HANDLE + 2 + (PRONG if inner >= REACH - 2 else 0)
        for j in range(first, last):
            yield i, j


index, vertices, groups = {}, [], {"handle": [], "blade": []}


def node(i, j):
    if (i, j) not in index:
        vertices.append((i * SIDE * math.sqrt(0.75), SIDE * (j + 0.5 * abs(i)), 0.0))
        index[i, j] = len(vertices)
    return index[i, j]


for i, j in sorted(cells(), key=lambda c: (c[1], c[0])):
    a, b, c, d = node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)
    # the short diagonal: the lattice leans outwards on both sides
    new = [(a, b, d), (b, c, d)] if i >= 0 else [(a, b, c), (a, c, d)]
    groups["handle" if j < DRIVEN else "blade"] += new
assert len(vertices) == 144 and sum(map(len, groups.values())) == 188
print("# fork made by tools/make_fork.py, millimetres")
print("o fork")
for v in vertices:
    print("v %.6f %.6f %.6f" % v)
for name, faces in groups.items():
    print("g %s" % name)
    for f in faces:
        print("f %d %d %d" % f)
