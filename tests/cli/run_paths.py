#!/usr/bin/env python3
"""Paths of arches beside the differential equation of the rod: python3 run_paths.py PLIANT SOURCE_DIR WORK_DIR"""
import csv
import math

import numpy as np

from beside import finish, run, test, work

SECTION = 10.0  # mm, width; the height is a test's own
YOUNG = 70000.0  # MPa
STEPS = 24  # of the differential equation, in each half


class Arch:
    """An arc of a circle, from its left end over the crown: a rod that stretches and bends in the plane."""

    def __init__(self, radius, half, height, clamped=(False, False)):
        self.R, self.half, self.clamped, self.height = radius, half, clamped, height
        self.EA = YOUNG * SECTION * height
        self.EI = YOUNG * SECTION * height ** 3 / 12

    def piece(self, start, F, length):
        """x, y, angle and moment at the end of a piece with the force F on it that the rest has."""
        def slope(z):
            c, s = math.cos(z[2]), math.sin(z[2])
            stretch = 1 + (F[0] * c + F[1] * s) / self.EA
            return np.array([stretch * c, stretch * s, z[3] / self.EI - 1 / self.R, stretch * (s * F[0] - c * F[1])])
        # Runge-Kutta in steps that stay the same, so that what is solved for is smooth
        z, h = np.array(start, float), length / STEPS
        for _ in range(STEPS):
            a = slope(z)
            b = slope(z + h / 2 * a)
            c = slope(z + h / 2 * b)
            z = z + h / 6 * (a + 2 * b + 2 * c + slope(z + h * c))
        return z

    def ends(self):
        x, y = self.R * math.sin(self.half), self.R * (1 - math.cos(self.half))
        return x, y

    def loads(self, down):
        """Loads on the crown at which it is lower by so much, one after another."""
        x, top = self.ends()
        length, found = self.R * self.half, []
        unknown = np.array([0.0 if self.clamped[0] else self.half, 0.0, 0.0, 0.0])

        # arches that are alike on both sides stay so: their crown keeps its direction, and half of it will do
        half = self.clamped[0] == self.clamped[1]

        def miss(u, w):
            first, fx, fy, load = u[0], *(u[1:] * self.EI / self.R ** 2)
            start = [-x, 0, self.half, first * self.EI / self.R] if self.clamped[0] else [-x, 0, first, 0]
            crown = self.piece(start, (fx, fy), length)
            down = (crown[1] - top + w) / self.R
            if half:
                return np.array([down, crown[0] / self.R, crown[2], u[3] + 2 * u[2]])
            end = self.piece(crown, (fx, fy + load), length)
            return np.array([down, (end[0] - x) / self.R, end[1] / self.R, end[3] * self.R / self.EI])

        before = None
        for k, w in enumerate(down):
            # along the line through the last two
            ahead = (w - down[k - 1]) / (down[k - 1] - down[k - 2]) if k > 1 else 0
            start = unknown + ahead * (unknown - before) if k > 1 and abs(ahead) < 3 else unknown
            before = unknown
            unknown = start
            for _ in range(20):
                slope = np.array([(miss(unknown + h, w) - miss(unknown - h, w)) / 2e-5 for h in 1e-5 * np.eye(4)]).T
                step = np.linalg.solve(slope, miss(unknown, w))
                unknown = unknown - step
                if max(abs(step)) < 1e-9 * max(1, max(abs(unknown))):
                    break
            assert max(abs(miss(unknown, w))) < 1e-9, w
            found.append(unknown[3] * self.EI / self.R ** 2)
        return np.array(found)

    def scene(self, segments, load, analysis):
        x, top = self.ends()
        turn = 90 - math.degrees(self.half)
        held = "".join(f"  - {{nodes: 'arch nearest [{s * x:.9g}, {self.R - top:.9g}, 0]', {'clamp: yes' if c else 'fix: [x, y, z]'}}}\n"
                       for s, c in zip((-1, 1), self.clamped))
        return f"""pliant: 1
units: mm-N-MPa
materials: {{m: {{young: {YOUNG}, poisson: 0.3, density: 2.7e-9}}}}
bodies:
  - {{name: arch, rod: {{mesh: {{arc: {{radius: {self.R}, angle: {2 * self.half:.12g} rad, segments: {segments}}}}}, material: m,
      rotate: {{axis: [0, 0, 1], angle: {turn:.12g} deg}}, section: {{rectangle: [{self.height}, {SECTION}]}}, up: [0, 0, 1]}}}}
fixed:
{held}  - {{nodes: 'arch and not arch boundary', fix: z}}
loads: [{{node: 'arch nearest [0, {self.R}, 0]', force: [0, {-load}, 0]}}]
watch: {{crown: 'arch nearest [0, {self.R}, 0]'}}
analyses: [path: {{{analysis}}}]
"""


def path(name, arch, segments, load, analysis):
    """Displacements of the crown (mm) and loads (N) on the path, and what is special on it."""
    found = run(name, arch.scene(segments, load, analysis), warned=True)[0]
    with open(work / name / "path.csv") as f:
        rows = list(csv.DictReader(f))
    key = next(k for k in rows[0] if k.startswith("crown_y"))
    scale = 1 if key.endswith("mm") else 1e3
    y = np.array([float(r[key]) for r in rows]) * scale
    return arch.R - y, load * np.array([float(r["load_factor"]) for r in rows]), found["special"]


def compare(name, arch, segments, load, analysis, most, within):
    """The path down to a displacement, against the equation: the error of the rod falls with the square of its pieces."""
    down, loads, special = path(name, arch, segments, load, analysis)
    n = np.argmax(down > most)
    assert n > 8, (name, max(down))
    want = arch.loads(down[:n])
    worst = max(abs(loads[:n] - want)) / max(abs(want))
    print(f"  {name}, {segments} pieces: loads off by {100 * worst:.3g} % of the largest on {n} points")
    assert worst < within, (name, worst)
    return want, special


@test
def a_hinged_shallow_arch():
    arch = Arch(1000, 0.25, 8)
    for segments, within in ((60, 1e-2), (120, 2.5e-3)):
        want, special = compare("hinged", arch, segments, 2000, "to: 1, beyond: -1, max_step: 0.4", 50, within)
        folds = [p["load_factor"] * 2000 for p in special if p["kind"] == "fold"]
        assert len(folds) > 0 and abs(folds[0] / max(want) - 1) < 0.02, (folds, max(want))
    # sideways it gives way before that
    assert [p["kind"] for p in special][0] == "branch point", special


@test
def a_clamped_shallow_arch():
    arch = Arch(1000, 0.25, 8, (True, True))
    for segments, within in ((60, 1e-2), (120, 2.5e-3)):
        compare("clamped", arch, segments, 3000, "to: 1, beyond: -1, max_step: 0.4", 50, within)


@test
def an_arch_clamped_and_hinged():
    # DaDeppo and Schmidt 1975: 8.97 EI/R^2, inextensible
    arch, fold = Arch(100, math.radians(215 / 2), 0.5, (True, False)), []
    unit = arch.EI / arch.R ** 2
    for segments, within in ((60, 0.025), (120, 6.5e-3)):
        _, special = compare("deep", arch, segments, 10 * unit, "to: 0.99, beyond: -0.5, max_step: 0.2", 110, within)
        fold.append(next(p["load_factor"] * 10 for p in special if p["kind"] == "fold"))
    limit = (4 * fold[1] - fold[0]) / 3
    assert abs(limit - 8.97) < 0.01, (fold, limit)


finish()
