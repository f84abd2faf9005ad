#!/usr/bin/env python3
"""Writes an insect-like wing as OBJ (mm): a mapped grid between a leading and a trailing edge.

    tools/make_wing.py > scenes/meshes/wing.obj
"""
import math

SPAN, NX, NY = 180.0, 30, 9


def edges(s):
    """Leading and trailing y at span fraction s."""
    lead = 14 + 26 * math.sin(math.pi * (0.10 + 0.62 * s)) - 22 * s**5
    trail = -12 - 34 * math.sin(math.pi * (0.04 + 0.80 * s)) * (1 - 0.15 * s) + 10 * s**4
    return lead, trail


vertices, faces, root = [], [], []
for i in range(NX + 1):
    s = i / NX
    lead, trail = edges(s)
    mid = 0.5 * (lead + trail)
    # the tip closes in an arc, without meeting in a point
    half = 0.5 * (lead - trail) * math.sqrt(max(0.0, 1 - (max(0.0, s - 0.72) / 0.30) ** 2))
    for j in range(NY + 1):
        y = mid + half * (2 * j / NY - 1)
        vertices.append((SPAN * s, y, 0.0))
for i in range(NX):
    for j in range(NY):
        a, b = i * (NY + 1) + j + 1, (i + 1) * (NY + 1) + j + 1
        # diagonals alternate, so that the mesh has no preferred direction
        if (i + j) % 2:
            new = [(a, b, b + 1), (a, b + 1, a + 1)]
        else:
            new = [(a, b, a + 1), (b, b + 1, a + 1)]
        faces += new
        if i == 0:
            root += new
print("# wing made by tools/make_wing.py, millimetres")
print("o wing")
for v in vertices:
    print("v %.6f %.6f %.6f" % v)
print("g root")
for f in root:
    print("f %d %d %d" % f)
print("g membrane")
for f in faces[len(root):]:
    print("f %d %d %d" % f)
