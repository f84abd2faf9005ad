#!/usr/bin/env python3
"""Scale mail's published limits beside those of smooth elements that are sampled like them.

    pliant run gallery/scale-mail --set analyses.0.directions=18 --set analyses.0.sweep=10 --only limits -o OUT
    bench/scales_published.py OUT/limits-sweep.csv gallery/scale-mail/published.csv

Prints the play at the published angles, read from a mesh through the samples, and how far both ends
agree when the lattice that strains refer to is another one."""
import csv
import math
import sys
from collections import defaultdict


def read(path):
    with open(path, encoding="utf-8") as f:
        return list(csv.DictReader(line for line in f if not line.startswith("#")))


def rotated(E, phi):
    """Green's strain along an angle, and shear between it and across."""
    c, s = math.cos(phi), math.sin(phi)
    return (c * c * E[0] + s * s * E[1] + 2 * c * s * E[2],
            c * s * (E[1] - E[0]) + (c * c - s * s) * E[2])


def referred(E, a, b, g):
    """Strain from the lattice deformed by [[1 + a, g], [0, 1 + b]] on."""
    F = ((1 + a, g), (0, 1 + b))
    m = ((E[0] - (F[0][0] ** 2 - 1) / 2, E[2] - F[0][0] * F[0][1] / 2),
         (E[2] - F[0][0] * F[0][1] / 2, E[1] - (F[0][1] ** 2 + F[1][1] ** 2 - 1) / 2))
    d = F[0][0] * F[1][1]
    I = ((F[1][1] / d, -g / d), (0, F[0][0] / d))
    t = [[sum(m[i][k] * I[k][j] for k in (0, 1)) for j in (0, 1)] for i in (0, 1)]
    r = [[sum(I[k][i] * t[k][j] for k in (0, 1)) for j in (0, 1)] for i in (0, 1)]
    return r[0][0], r[1][1], r[0][1]


def ends(mesh, angle):
    """Longest and shortest stretch without shear along an angle, in percent, on the mesh's edges."""
    n, m, found = len(mesh), len(mesh[0]), []
    R = [[rotated(E, math.radians(angle)) for E in row] for row in mesh]
    for i in range(n):
        for j in range(m):
            P = R[i][j]
            for k, l in ((1, 0), (0, 1), (1, 1)):
                Q = R[(i + k) % n][(j + l) % m]
                if P[1] * Q[1] > 1e-20:
                    continue
                d = P[1] - Q[1]
                for w in [P[1] / d] if abs(d) > 1e-15 else [0, 1]:
                    found.append(P[0] + w * (Q[0] - P[0]))
    return [100 * (math.sqrt(1 + 2 * e) - 1) for e in (max(found), min(found))]


def smallest(F, n, step=0.01, rounds=60):
    """Nelder and Mead's simplex."""
    P = [[0.0] * n] + [[step * (i == k) for i in range(n)] for k in range(n)]
    P = [(F(p), p) for p in P]
    for _ in range(rounds):
        P.sort()
        c = [sum(p[1][i] for p in P[:-1]) / n for i in range(n)]
        go = lambda t: (lambda q: (F(q), q))([c[i] + t * (P[-1][1][i] - c[i]) for i in range(n)])
        r = go(-1)
        if r[0] < P[0][0]:
            P[-1] = min(r, go(-2))
        elif r[0] < P[-2][0]:
            P[-1] = r
        else:
            k = go(0.5)
            if k[0] < P[-1][0]:
                P[-1] = k
            else:
                near = [[(P[0][1][i] + p[1][i]) / 2 for i in range(n)] for p in P[1:]]
                P = [P[0]] + [(F(q), q) for q in near]
    return min(P)


def main():
    rays = defaultdict(list)
    for r in read(sys.argv[1]):
        rays[float(r["angle_deg"])].append([float(r["green_" + c]) for c in ("xx", "yy", "xy")])
    mesh = [rays[a] for a in sorted(rays)]
    published = {float(r["angle_deg"]): [100 * float(r["strain_max"]), 100 * float(r["strain_min"])]
                 for r in read(sys.argv[2])}
    play = lambda e: 100 * (e[0] - e[1]) / (100 + e[1])
    print("angle  play of samples  published")
    for a, p in published.items():
        print("%5g %16.2f %10.2f" % (a, play(ends(mesh, a)), play(p)))

    def off(x):
        x = list(x) + [0] * (3 - len(x))
        there = [[referred(E, *x) for E in row] for row in mesh]
        d = [e - q for a, p in published.items() for e, q in zip(ends(there, a), p)]
        return math.sqrt(sum(v * v for v in d) / len(d))

    print("ends differ by %.2f %% (root mean square)" % off([]))
    for n, what in ((2, "shorter along x and y"), (3, "and sheared")):
        v, x = smallest(off, n)
        print("lattice %s by %s %%: %.2f %%" % (what, ", ".join("%.2f" % (-100 * q) for q in x), v))


if __name__ == "__main__":
    main()
