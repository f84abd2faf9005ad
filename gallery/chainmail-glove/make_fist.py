#!/usr/bin/env python3
"""Writes fist.obj (mm): a closed smooth surface of the size of a fist, by cutting the triangles of an icosahedron in four.

    cd gallery/chainmail-glove && ./make_fist.py
"""
import math

SIZE = (30.0, 24.0, 22.0)  # half axes; it tapers towards the wrist, along x
LEVELS = 3


def icosahedron():
    g = (1 + math.sqrt(5)) / 2
    v = [(-1, g, 0), (1, g, 0), (-1, -g, 0), (1, -g, 0), (0, -1, g), (0, 1, g),
         (0, -1, -g), (0, 1, -g), (g, 0, -1), (g, 0, 1), (-g, 0, -1), (-g, 0, 1)]
    f = [(0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4), (11, 10, 2), (10, 7, 6), (7, 1, 8),
         (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9), (4, 9, 5), (2, 4, 11), (6, 2, 10), (8, 6, 7), (9, 8, 1)]
    return [unit(p) for p in v], f


def unit(p):
    length = math.sqrt(sum(c * c for c in p))
    return tuple(c / length for c in p)


def cut(v, f):
    middle, out = {}, []

    def between(a, b):
        key = (min(a, b), max(a, b))
        if key not in middle:
            middle[key] = len(v)
            v.append(unit(tuple((x + y) / 2 for x, y in zip(v[a], v[b]))))
        return middle[key]

    for a, b, c in f:
        x, y, z = between(a, b), between(b, c), between(c, a)
        out += [(a, x, z), (x, b, y), (z, y, c), (x, y, z)]
    return out


def main():
    v, f = icosahedron()
    for _ in range(LEVELS):
        f = cut(v, f)
    with open("fist.obj", "w") as out:
        out.write("# made by make_fist.py, mm\n")
        for x, y, z in v:
            taper = 1 - 0.15 * x
            out.write("v %.4f %.4f %.4f\n" % (SIZE[0] * x, SIZE[1] * y * taper, SIZE[2] * z * taper))
        for t in f:
            out.write("f %d %d %d\n" % tuple(i + 1 for i in t))


if __name__ == "__main__":
    main()
