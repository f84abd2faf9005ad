#!/usr/bin/env python3
"""Writes the L- and T-shaped wings as OBJ (mm), at three mesh sizes, each half of the one before.

    tools/make_wings.py scenes/meshes

Squares of 30 mm, cut into n x n cells with alternating diagonals; the group `root` is the part left
of x = 0, the same at all sizes.
"""
import pathlib
import sys

UNIT = 30.0
# rectangles x0, x1, y0, y1 in units
SHAPES = {
    "l": [(-0.5, 4, 0, 1), (3, 4, -2, 0)],
    "t": [(-0.5, 4, 0, 1), (3, 4, -1.5, 0), (3, 4, 1, 2.5)],
}


def write(path, rectangles, n):
    index, vertices, groups = {}, [], {"root": [], "blade": []}

    def node(i, j):
        if (i, j) not in index:
            vertices.append((i * UNIT / n, j * UNIT / n, 0.0))
            index[i, j] = len(vertices)
        return index[i, j]

    for x0, x1, y0, y1 in rectangles:
        for i in range(round(x0 * n), round(x1 * n)):
            for j in range(round(y0 * n), round(y1 * n)):
                a, b, c, d = node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)
                new = [(a, b, c), (a, c, d)] if (i + j) % 2 else [(a, b, d), (b, c, d)]
                groups["root" if i < 0 else "blade"] += new
    with open(path, "w") as out:
        print("# wing made by tools/make_wings.py, millimetres\no wing", file=out)
        for v in vertices:
            print("v %.6f %.6f %.6f" % v, file=out)
        for name, faces in groups.items():
            print("g %s" % name, file=out)
            for f in faces:
                print("f %d %d %d" % f, file=out)


for shape, rectangles in SHAPES.items():
    for size in (2, 4, 8):
        write(pathlib.Path(sys.argv[1]) / ("wing-%s-%d.obj" % (shape, size)), rectangles, size)
