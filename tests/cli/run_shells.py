#!/usr/bin/env python3
"""Shells beside published values and CalculiX: python3 run_shells.py PLIANT SOURCE_DIR WORK_DIR [--table]

--table prints the errors of all kinds of bending, as in docs/shells.md, instead of testing."""
import json
import math
import subprocess
import sys

import meshio
import numpy as np

import beside
from beside import PARTS, ccx, displacement, finish, frequencies, test, work


def run(name, text, code=0, err=()):
    # loads are small, so that displacements are linear in them
    return beside.run(name, text, code, err, "--table" in sys.argv, "the rest is rounding")


# ---- published tests --------------------------------------------------------------------------------

def surface(nu, nv, f, close=False, cells="S4"):
    """A mesh of nu x nv quads over f(u, v), u and v in 0..1: S4, or S8 and S6 with nodes on the surface, S6 two to a quad."""
    index, X, out = {}, [], []

    def node(i, j):
        key = (i % (2 * nu) if close else i, j)
        if key not in index:
            index[key] = len(X)
            X.append(f(key[0] / (2 * nu), j / (2 * nv)))
        return index[key]

    for j in range(0, 2 * nv, 2):
        for i in range(0, 2 * nu, 2):
            corner = [node(i, j), node(i + 2, j), node(i + 2, j + 2), node(i, j + 2)]
            if cells == "S4":
                out.append(corner)
                continue
            side = [node(i + 1, j), node(i + 2, j + 1), node(i + 1, j + 2), node(i, j + 1)]
            if cells == "S8":
                out.append(corner + side)
                continue
            c = node(i + 1, j + 1)
            out.append([corner[0], corner[1], corner[2], side[0], side[1], c])
            out.append([corner[0], corner[2], corner[3], c, side[2], side[3]])
    return np.array(X, float), cells, np.array(out)


def write_inp(path, mesh):
    X, cells, table = mesh
    lines = ["*NODE"] + ["%d,%.15g,%.15g,%.15g" % (i + 1, *x) for i, x in enumerate(X)] + [f"*ELEMENT,TYPE={cells}"]
    lines += [",".join(str(v) for v in (e + 1, *(row + 1))) for e, row in enumerate(table)]
    path.write_text("\n".join(lines) + "\n")


def near(p):
    return "'b nearest [%s]'" % ", ".join("%.12g" % c for c in p)


def solve(name, mesh, young, poisson, thickness, rest, bending):
    """The displacement of p, m."""
    write_inp(work / f"{name}.inp", mesh)
    return run(name, f"""pliant: 1
units: {{length: m}}
materials: {{m: {{young: {young} Pa, poisson: {poisson}, density: 1 kg/m^3}}}}
bodies: [{{name: b, shell: {{mesh: {name}.inp, material: m, thickness: {thickness}, bending: {bending}}}}}]
analyses: [{{static: {{}}}}]
{rest}""")[0]["displacement_m"]["p"]


def scordelis(n, cells, bending):
    """Roof under its weight, n x n cells in all; middle of the free edge 0.3024 (0.3006 for a deep shell)."""
    R, L, half, part = 25, 50, math.radians(40), 1e-2
    f = lambda u, v: (R * math.sin(half * (2 * u - 1)), L * v, R * math.cos(half * (2 * u - 1)))
    u = solve("scordelis", surface(n, n, f, cells=cells), 4.32e8, 0, 0.25, f"""gravity: [0, 0, {-90 / 0.25 * part}]
fixed: [{{nodes: b where y < 1e-6 or y > {L - 1e-6}, fix: [x, z]}}, {{nodes: {near(f(0.5, 0.5))}, fix: [y]}}]
watch: {{p: {near(f(0, 0.5))}}}
""", bending)
    return -u[2] / part / 0.3024


def cylinder(n, cells, bending):
    """Cylinder on end diaphragms pinched by two forces, n x n cells on an eighth."""
    R, L = 300, 600
    f = lambda u, v: (R * math.cos(2 * math.pi * u), L * v, R * math.sin(2 * math.pi * u))
    u = solve("cylinder", surface(4 * n, 2 * n, f, True, cells), 3e6, 0.3, 3, f"""fixed:
  - {{nodes: b where y < 1e-6 or y > {L - 1e-6}, fix: [x, z]}}
  - {{nodes: {near(f(0, 0.5))}, fix: [y]}}
loads: [{{nodes: {near(f(0.25, 0.5))}, force: [0, 0, -100]}}, {{nodes: {near(f(0.75, 0.5))}, force: [0, 0, 100]}}]
watch: {{p: {near(f(0.25, 0.5))}}}
""", bending)
    return -u[2] / 1.8248e-3


def hemisphere(n, cells, bending):
    """Hemisphere with a hole of 18 degrees pulled and pushed by 2 N, n x n cells on a quarter."""
    R, top, part = 10, math.radians(72), 1e-2
    f = lambda u, v: (R * math.cos(top * v) * math.cos(2 * math.pi * u), R * math.cos(top * v) * math.sin(2 * math.pi * u), R * math.sin(top * v))
    load = "".join(f"  - {{nodes: {near(f(u, 0))}, force: {[2 * part * c for c in d]}}}\n"
                   for u, d in ((0, (1, 0, 0)), (0.5, (-1, 0, 0)), (0.25, (0, -1, 0)), (0.75, (0, 1, 0))))
    u = solve("hemisphere", surface(4 * n, n, f, True, cells), 6.825e7, 0.3, 0.04, f"""fixed:
  - {{nodes: {near(f(0, 0))}, fix: [y, z]}}
  - {{nodes: [{near(f(0.5, 0))}, {near(f(0, 1))}], fix: [y]}}
  - {{nodes: [{near(f(0.25, 0))}, {near(f(0.75, 0))}, {near(f(0.25, 1))}], fix: [x]}}
loads:
{load}watch: {{p: {near(f(0, 0))}}}
""", bending)
    return u[0] / part / 0.0940


def twisted(n, cells, bending, thickness=0.32):
    """Beam twisted by 90 degrees, n cells along and n/6 across; forces along its width and thickness at the tip."""
    L, b = 12, 1.1
    f = lambda u, v: (L * u, b * (v - 0.5) * math.cos(math.pi / 2 * u), b * (v - 0.5) * math.sin(math.pi / 2 * u))
    part, want = (0.1, (5.424e-3, 1.754e-3)) if thickness > 0.1 else (1e-7, (5.256e3, 1.294e3))
    out = []
    for axis, ref in ((2, want[0]), (1, want[1])):
        force = [part * (c == axis) for c in range(3)]
        u = solve("twisted", surface(n, n // 6, f, cells=cells), 29e6, 0.22, thickness, f"""fixed: {{nodes: b where x < 1e-6, clamp: yes}}
loads: [{{nodes: {near(f(1, 0.5))}, force: {force}}}]
watch: {{p: {near(f(1, 0.5))}}}
""", bending)
        out.append(u[axis] / part / ref)
    return out


def plate(n, clamp, point, bending):
    """Square plate of n x n quads, by no order, supported or clamped; pressure, or a force in the middle."""
    rng = np.random.default_rng(1)
    X, cells, table = surface(n, n, lambda u, v: (u, v, 0))
    # corners alone: surface() numbers those of S4 first come, first served
    inner = (np.abs(X[:, :2] - 0.5) < 0.499).all(axis=1) & (np.hypot(*(X[:, :2] - 0.5).T) > 1e-6)
    X[inner, :2] += 0.25 / n * rng.uniform(-1, 1, (inner.sum(), 2))
    D, q = 1e9 * 0.01**3 / 12 / 0.91, 0.2
    load = f"loads: [{{nodes: {near((0.5, 0.5, 0))}, force: [0, 0, {-q}]}}]" if point else f"gravity: [0, 0, {-q / 0.01}]"
    u = solve("plate", (X, cells, table), 1e9, 0.3, 0.01, f"""{load}
fixed: {{nodes: b boundary, clamp: {clamp}}}
watch: {{p: {near((0.5, 0.5, 0))}}}
""", bending)
    return -u[2] * D / q / {("no", 0): 0.0040624, ("yes", 0): 0.0012653, ("no", 1): 0.0116008, ("yes", 1): 0.0056122}[clamp, point]


def cook(n, solid):
    """Cook's membrane of n x n cells: 23.96; solid: hexahedra or tetrahedra, one layer, free across."""
    f = lambda u, v: (48 * u, 44 * u * (1 - v) + v * (44 + 16 * u))
    X = np.array([(*f(i / n, j / n), k) for k in (0, 1) for j in range(n + 1) for i in range(n + 1)], float)
    at = lambda i, j, k: k * (n + 1)**2 + j * (n + 1) + i + 1
    hexes = [[at(i, j, 0), at(i + 1, j, 0), at(i + 1, j + 1, 0), at(i, j + 1, 0), at(i, j, 1), at(i + 1, j, 1), at(i + 1, j + 1, 1), at(i, j + 1, 1)]
             for j in range(n) for i in range(n)]
    six = [(0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)]
    tets = [[h[k] for k in t] for h in hexes for t in six]
    kind, cells = ("C3D4", tets) if solid == "tet10" else ("C3D8", hexes)
    lines = ["*NODE"] + ["%d,%.15g,%.15g,%.15g" % (i + 1, *x) for i, x in enumerate(X)] + [f"*ELEMENT,TYPE={kind}"]
    lines += [",".join(str(v) for v in (e + 1, *row)) for e, row in enumerate(cells)]
    (work / "cook.inp").write_text("\n".join(lines) + "\n")
    order = ", order: 2" if solid == "hex20" else ""
    u = run(f"cook-{solid}", f"""pliant: 1
units: {{length: m}}
materials: {{m: {{young: 1 kPa, poisson: 0.33333333, density: 1 kg/m^3}}}}
bodies: [{{name: b, solid: {{mesh: cook.inp, material: m{order}}}}}]
fixed: [{{nodes: b where x < 1e-6, fix: [x, y]}}, {{nodes: b where z < 1e-6, fix: [z]}}]
loads: [{{faces: b where x > 47.9999, traction: [0, {1e-3 / 16}, 0]}}]
watch: {{p: 'b nearest [48, 52, 0]'}}
analyses: [{{static: {{}}}}]
""")[0]["displacement_m"]["p"]
    return u[1] * 1e6 / 23.96


def cook_shell(n, cells, bending):
    """The same as a shell in its plane."""
    f = lambda u, v: (48 * u, 44 * u * (1 - v) + v * (44 + 16 * u), 0)
    m = 2 * n if bending == "shell6" else n
    load = "".join(f"  - {{nodes: {near(f(1, j / m))}, force: [0, {1e-3 / m * (0.5 if j in (0, m) else 1):.12g}, 0]}}\n" for j in range(m + 1))
    u = solve("cook", surface(n, n, f, cells=cells), 1e3, 0.33333333, 1, f"""fixed: [{{nodes: b where x < 1e-6}}, {{nodes: b where x > 1e-6, fix: [z]}}]
loads:
{load}watch: {{p: {near((48, 52, 0))}}}
""", bending)
    return u[1] * 1e6 / 23.96


@test
def published_plates():
    # 8 x 8 quads by no order; under a force 16 x 16
    for clamp in ("no", "yes"):
        got = plate(8, clamp, 0, "auto")
        assert abs(got - 1) < 0.005, (clamp, got)
        got = plate(16, clamp, 1, "auto")
        assert abs(got - 1) < 0.02, (clamp, got)


@test
def published_roof():
    # 16 x 16 cells in all, the usual 8 x 8 on a quarter
    for cells in ("S4", "S6", "S8"):
        got = scordelis(16, cells, "auto")
        assert abs(got - 1) < 0.02, (cells, got)


@test
def published_hemisphere():
    for n, cells in ((8, "S4"), (8, "S6"), (8, "S8")):
        got = hemisphere(n, cells, "auto")
        assert abs(got - 1) < 0.02, (n, cells, got)


@test
def published_twisted_beam():
    # 12 x 2 cells; thin: shells that lock are off by half and more
    for cells in ("S4", "S6", "S8"):
        for thickness in (0.32, 0.0032):
            got = twisted(12, cells, "auto", thickness)
            assert max(abs(g - 1) for g in got) < 0.02, (cells, thickness, got)


@test
def published_cylinder():
    for cells in ("S4", "S6"):
        got = cylinder(16, cells, "auto")
        assert abs(got - 1) < 0.02, (cells, got)


def estimated(name):
    return json.loads((work / name / "summary.json").read_text())["analyses"][0]["discretisation_error"]["relative"]**2


@test
def estimates_of_displacements():
    # under a force the energy of the error of its stress is the most that shell6 is off by
    for n in (4, 8, 16):
        true, told = plate(n, "yes", 1, "auto") - 1, estimated("plate")
        print(f"     plate under a force, {n} x {n}: {true:.4f}, estimated {told:.4f}")
        assert abs(true) < min(told, 0.02), (n, true, told)


@test
def estimates_of_frequencies():
    # a clamped plate beside its mesh refined three times, warned of where it is coarse
    text = """pliant: 1
units: {length: mm}
materials: {m: {young: 210 GPa, poisson: 0.3, density: 7850 kg/m^3}}
bodies: [{name: b, shell: {mesh: {grid: {size: [100, 100], cells: [4, 4]}}, material: m, thickness: 1, refine: %d}}]
fixed: {nodes: b boundary, clamp: yes}
analyses: [{modes: {count: 5}}]
"""
    fine = np.array(run("modes", text % 3)[0]["frequency_Hz"])
    for refine, warned in ((0, ["the mesh is coarse", "may be off at most by about"]), (1, [])):
        a = run("modes", text % refine, err=warned)[0]
        true, told = np.array(a["frequency_Hz"]) / fine - 1, np.array(a["frequency_error"])
        print("     plate:", " ".join(f"{x:.4f}" for x in true), " estimated", " ".join(f"{x:.4f}" for x in told))
        assert (np.abs(true) < told).all() and (np.abs(true) < (0.01, 0.001)[refine]).all(), (true, told)


@test
def refined_by_the_surface():
    """A thin roof in a file of flat quads, refined by the scene, is the roof and not its facets."""
    def frequencies(n, more):
        X = [(0.25 * math.sin(a), 0.5 * j / n, 0.25 * math.cos(a)) for j in range(n + 1)
             for a in (math.radians(-40 + 80 * i / n) for i in range(n + 1))]
        quads = [(j * (n + 1) + i, j * (n + 1) + i + 1, (j + 1) * (n + 1) + i + 1, (j + 1) * (n + 1) + i) for j in range(n) for i in range(n)]
        meshio.write(work / f"roof{n}.vtu", meshio.Mesh(np.array(X), [("quad", np.array(quads))]))
        return np.array(beside.run(f"roof{n}{more[10:11]}", f"""pliant: 1
units: {{length: m}}
materials: {{m: {{young: 200 GPa, poisson: 0.3, density: 7800 kg/m^3}}}}
bodies: [{{name: p, shell: {{mesh: roof{n}.vtu, material: m, thickness: 0.5 mm{more}}}}}]
fixed: {{nodes: p where y = 0, clamp: yes}}
analyses: [{{modes: {{count: 6}}}}]
""", warned=True)[0]["frequency_Hz"])
    want = frequencies(16, "")
    off = np.abs(frequencies(8, ", refine: 1") / want - 1).max()
    print(f"     roof of 8 x 8 quads, refined: {off:.1e} from 16 x 16 on the surface")
    assert off < 3e-3, off
    assert np.abs(frequencies(8, ", refine: 1, curved: no") / want - 1).max() > 0.02  # facets are another body


@test
def estimates_of_plain_triangles():
    """A clamped plate by midedge is too soft, and told to be so, by about what it is."""
    scene = """pliant: 1
units: {length: mm}
materials: {m: {young: 210 GPa, poisson: 0.3, density: 7800 kg/m^3}}
bodies: [{name: p, shell: {mesh: {grid: {size: [200, 200], cells: [12, 12]}}, material: m, thickness: 2%s}}]
fixed: {nodes: p boundary, clamp: yes}
loads: [{faces: p, pressure: 100 Pa}]
watch: {mid: 'p nearest [100, 100, 0]'}
analyses: [{static: {}}, {modes: {count: 3}}]
"""
    want = run("plate-right", scene % "")
    got = run("plate-soft", scene % ", bending: midedge",
              err=["displacements under loads may be off, where it bends too large,", "may be off, where it bends too low,", "bending: shell6"])
    off = got[0]["displacement_m"]["mid"][2] / want[0]["displacement_m"]["mid"][2] - 1
    low = 1 - got[1]["frequency_Hz"][2] / want[1]["frequency_Hz"][2]
    part = got[0]["discretisation_error"]["relative"]**2
    told = part / (1 - part), got[1]["frequency_error"][2]
    print(f"     midedge: displacement {off:+.1%}, told {told[0]:.1%}; frequency -{low:.1%}, told {told[1]:.1%}")
    assert off > 0.05 and low > 0.05 and 0.4 < told[0] / off < 2.5 and 0.4 < told[1] / low < 2.5, (off, low, told)


@test
def published_membrane():
    for solid in ("hex8_eas", "tet10", "hex20"):
        got = cook(16 if solid == "hex8_eas" else 8, solid)
        assert abs(got - 1) < 0.02, (solid, got)
    got = cook_shell(8, "S4", "shell6")
    assert abs(got - 1) < 0.02, got


# ---- parts that gmsh meshed, beside S6 of CalculiX on the same mesh ---------------------------------

class Part:
    """A surface of second order with two lines: clamped at the first, pulled at the second."""

    def __init__(self, name, thickness, force, scale=1e-3):
        m = meshio.read(PARTS / f"{name}.msh")
        self.name, self.file, self.thickness, self.force = name, PARTS / f"{name}.msh", thickness * scale, force
        self.X = m.points * scale
        self.tris = np.vstack([c.data for c in m.cells if c.type == "triangle6"])
        lines = np.vstack([c.data for c in m.cells if c.type == "line3"])
        tag = np.hstack([t for c, t in zip(m.cells, m.cell_data["gmsh:physical"]) if c.type == "line3"])
        self.sets = {k: np.unique(lines[tag == m.field_data[k][0]]) for k in ("root", "tip")}
        far = self.pulled = self.sets["tip"]  # forces stay on these nodes in a finer mesh
        self.tip = far[np.argmax(np.linalg.norm(self.X[far] - self.X[self.sets["root"]].mean(axis=0), axis=1))]

    def calculix(self, young, poisson, density, gravity=None):
        """Six frequencies in Hz and the displacement of the tip by S6, small displacements. Gravity: in place of the force; with stress."""
        X, table, cells = self.X, self.tris, "S6"
        used = np.unique(table)
        deck = ["*NODE,NSET=ALL"] + ["%d,%.12g,%.12g,%.12g" % (i + 1, *X[i]) for i in used] + [f"*ELEMENT,TYPE={cells},ELSET=B"]
        deck += [",".join(str(v + 1) for v in (e, *t)) for e, t in enumerate(table)]
        deck += ["*NSET,NSET=ROOT"] + [f"{i + 1}," for i in self.sets["root"]] + ["*NSET,NSET=TIP", f"{self.tip + 1},"]
        deck += ["*BOUNDARY", "ROOT,1,6", "*MATERIAL,NAME=M", "*ELASTIC", f"{young:g},{poisson:g}", "*DENSITY", f"{density:g}",
                 "*SHELL SECTION,ELSET=B,MATERIAL=M", f"{self.thickness:.9g}", "*STEP", "*STATIC", "*CLOAD"]
        pulled = self.pulled
        if gravity:
            deck[-1:] = ["*DLOAD"] + [f"B,GRAV,{g:.9g},{','.join(str(int(c == k)) for k in range(3))}" for c, g in enumerate(gravity) if g]
            deck += ["*EL FILE,OUTPUT=3D", "S"]
        else:
            deck += [f"{i + 1},{c + 1},{f / len(pulled):.12g}" for i in pulled for c, f in enumerate(self.force) if f]
        deck += ["*NODE PRINT,NSET=TIP", "U", "*END STEP", "*STEP", "*FREQUENCY", "6", "*END STEP"]
        name = f"{self.name}-{cells}"
        dat = ccx(name, deck)
        return np.array(frequencies(dat)), np.array(displacement(dat, self.tip + 1))

    def refined(self, times=1):
        """The same with every triangle cut in four; new nodes on its quadratic patch."""
        X, tris, sets = list(self.X), self.tris, dict(self.sets)
        for _ in range(times):
            at, new = {}, []

            def node(v, l):
                # corners and nodes of edges are there; the others are made once
                N = [l[0] * (2 * l[0] - 1), l[1] * (2 * l[1] - 1), l[2] * (2 * l[2] - 1), 4 * l[0] * l[1], 4 * l[1] * l[2], 4 * l[2] * l[0]]
                k = [i for i in range(6) if abs(N[i] - 1) < 1e-12]
                if k:
                    return v[k[0]]
                x = sum(n * X[i] for n, i in zip(N, v))
                key = tuple(np.round(x, 12))
                if key not in at:
                    at[key] = len(X)
                    X.append(x)
                return at[key]

            l = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, 0.5, 0], [0, 0.5, 0.5], [0.5, 0, 0.5]])
            for v in tris:
                for c in ((0, 3, 5), (3, 1, 4), (5, 4, 2), (3, 4, 5)):
                    p = [l[i] for i in c]
                    new.append([v[i] for i in c] + [node(v, 0.5 * (p[i] + p[(i + 1) % 3])) for i in range(3)])
            for k, s in sets.items():
                a, b = np.array(X)[s].min(axis=0) - 1e-9, np.array(X)[s].max(axis=0) + 1e-9
                sets[k] = np.array([i for i, x in enumerate(X) if (x >= a).all() and (x <= b).all()])
            tris = np.array(new)
        out = Part.__new__(Part)
        out.__dict__.update(self.__dict__)
        out.X, out.tris, out.sets = np.array(X), tris, sets
        return out

    def pliant(self, young, poisson, density, mesh=None, more="", name=None, **kw):
        at = ", ".join(f"{x:.12g}" for x in self.X[self.tip])
        f = ", ".join(f"{x:g} N" for x in self.force)
        static, modes = run(name or self.name, f"""pliant: 1
units: {{length: m}}
materials: {{m: {{young: {young:g} Pa, poisson: {poisson}, density: {density} kg/m^3}}}}
bodies: [{{name: b, shell: {{mesh: {mesh or self.file}, material: m, thickness: {self.thickness:.9g}{more}}}}}]
fixed: {{nodes: b group root, clamp: yes}}
loads: [{{nodes: b group tip, total: [{f}]}}]
watch: {{tip: 'b nearest [{at}]'}}
analyses: [{{static: {{}}}}, {{modes: {{count: 6}}}}]
""", **kw)
        return np.array(modes["frequency_Hz"][:6]), np.array(static["displacement_m"]["tip"])


def off(got, want):
    return np.max(np.abs(got[0] / want[0] - 1)), np.linalg.norm(got[1] - want[1]) / np.linalg.norm(want[1])


def parts():
    return Part("plate", 1, [0, 0, 0.02]), Part("clip", 0.5, [0, 0, 5e-3]), Part("tjoint", 1, [0, 0.2, -0.2])


@test
def parts_beside_calculix():
    # beside S6 refined: on the same mesh they are some percent too stiff at clamps and joints, the more the larger nu
    for part in parts():
        got, same = part.pliant(2.1e11, 0.3, 7850, more=", mesh_units: mm"), part.calculix(2.1e11, 0.3, 7850)
        fine = part.refined().calculix(2.1e11, 0.3, 7850)
        (hz, u), (hz0, u0) = off(got, fine), off(got, same)
        print(f"     {part.name}: frequencies {hz:.2e}, displacement {u:.2e}; on the same mesh {hz0:.2e}, {u0:.2e}")
        assert hz < 0.02 and u < 0.02, (part.name, hz, u, got, fine)


def channel():
    return Part("channel", 1.5, [0, 0, -1])


# Hz, of the channel's walls as solids with nu = 0.49: walls_of_solids(0.49, 2.5, 2)
CHANNEL = np.array([1030.7, 1396.7, 1670.9, 2301.8, 2492.9, 2817.6])


@test
def channel_beside_solids():
    # near nu = 0.5 S6 needs far finer meshes: which of two kinds of shells is right solids tell
    part = channel()
    got, same = part.pliant(2.1e11, 0.49, 7850, more=", mesh_units: mm")[0] / CHANNEL - 1, part.calculix(2.1e11, 0.49, 7850)[0] / CHANNEL - 1
    print("     channel, nu 0.49, beside solids: shell6", " ".join(f"{x:+.1e}" for x in got), " S6", " ".join(f"{x:+.1e}" for x in same))
    assert np.abs(got).max() < 0.02 and np.abs(got).max() < np.abs(same).max(), (got, same)


@test
def peaks_beside_calculix():
    # von Mises stress under gravity at the nodes of the mesh off clamped lines, where S6 holds the thickness, beside S6 refined
    g = (0, 3, -10)
    for part in parts():
        text = f"""pliant: 1
units: {{length: m}}
materials: {{m: {{young: 210 GPa, poisson: 0.3, density: 7850 kg/m^3}}}}
bodies: [{{name: b, shell: {{mesh: {part.file}, mesh_units: mm, material: m, thickness: {part.thickness:.9g}}}}}]
fixed: {{nodes: b group root, clamp: yes}}
gravity: {list(g)}
analyses: [{{static: {{}}}}]
"""
        p, _ = beside.launch(f"{part.name}-peak", text, "report: no, glb: no, plots: no")
        assert p.returncode == 0, p.stderr
        m = meshio.read(work / f"{part.name}-peak" / "static.vtu")
        X, root = m.points - m.point_data["displacement"], part.X[part.sets["root"]]
        near = lambda at, to: np.array([np.linalg.norm(to - x, axis=1).min() for x in at])
        off_root = lambda at: (near(at, root) > 5 * part.thickness) & (near(at, X) < 0.6 * part.thickness)
        got, all_of = m.point_data["von_mises"][off_root(X)].max(), []
        for model in (part, part.refined()):
            model.calculix(2.1e11, 0.3, 7850, g)
            Y, s = beside.layers(f"{part.name}-S6")
            all_of.append(beside.von_mises(s)[off_root(Y)].max())
        print(f"     {part.name}: peak {got:.4g} Pa, beside S6 refined {got / all_of[1] - 1:+.3f}, on the same mesh {got / all_of[0] - 1:+.3f}")
        assert abs(got / all_of[1] - 1) < 0.05, (part.name, got, all_of)


@test
def protocols_on_a_mesh_of_gmsh():
    # as the models scene-shell of `pliant validate`, bar 1 %
    h = 2e-3
    got = beside.sags("strip", f"shell: {{mesh: {PARTS / 'strip.msh'}, material: m, thickness: {h}}}", (0.01, 1, 100), 1e9 * h * h / 12, ", clamp: yes")
    print("     cantilever:", " ".join(f"{g - 1:.1e}" for g in got))
    assert max(abs(g - 1) for g in got) < 0.01, got


def arms(paths, flip, width=1.0):
    """Strips along paths of points in x and z, all joined where points are shared."""
    index, X, out = {}, [], []

    def node(p, j):
        key = (round(p[0], 9), round(p[1], 9), j)
        if key not in index:
            index[key] = len(X)
            X.append((p[0], width * j / 2, p[1]))
        return index[key]

    for a, b, n in paths:
        at = [tuple(np.array(a) + (np.array(b) - np.array(a)) * i / n) for i in range(n + 1)]
        for i in range(n):
            for j in range(2):
                q = [node(at[i], j), node(at[i + 1], j), node(at[i + 1], j + 1), node(at[i], j + 1)]
                for t in ([q[0], q[1], q[2]], [q[0], q[2], q[3]]):
                    out.append(t[::-1] if flip and (i + j) % 2 else t)
    return np.array(X, float), "S3", np.array(out)


@test
def folds_and_joints_are_rigid():
    # a post of height b with an arm of length a, and with another one on the other side; nu = 0
    a, b, h, part = 10, 8, 0.1, 1e-2
    EI = 1e9 * h**3 / 12
    post, right, left = ((0, 0), (0, b), 8), ((0, b), (a, b), 10), ((0, b), (-a, b), 10)
    tail = f"""fixed: {{nodes: b where z < 1e-6, clamp: yes}}
loads: [{{nodes: b where x > {a - 1e-6}, total: [0, 0, {-part}]}}]
watch: {{p: {near((a, 0.5, b))}}}
"""
    want = a**3 / (3 * EI) + a**2 * b / EI
    for paths in ([post, right], [post, right, left]):
        one = -solve("arms", arms(paths, False), 1e9, 0, h, tail, "auto")[2] / part
        # triangles turned round change nothing
        two = -solve("arms", arms(paths, True), 1e9, 0, h, tail, "auto")[2] / part
        assert abs(one / want - 1) < 2e-3 and abs(two / one - 1) < 1e-6, (len(paths), one, two, want)
    # forces on both arms and none on the post: it stays straight
    pair = tail.replace("loads: [", f"loads: [{{nodes: b where x < {-a + 1e-6}, total: [0, 0, {-part}]}}, ")
    one = -solve("arms", arms([post, right, left], True), 1e9, 0, h, pair, "auto")[2] / part
    assert abs(one / (a**3 / (3 * EI)) - 1) < 2e-3, one
    # hinges and midedge say what to do instead
    write_inp(work / "joint.inp", arms([post, right, left], False))
    for bending in ("hinge", "midedge"):
        run("joint", f"""pliant: 1
units: {{length: m}}
materials: {{m: {{young: 1 GPa, poisson: 0, density: 1 kg/m^3}}}}
bodies: [{{name: b, shell: {{mesh: joint.inp, material: m, thickness: 0.1, bending: {bending}}}}}]
analyses: [{{modes: {{}}}}]
""", code=3, err=["more than two triangles", "bending: shell6"])


@test
def faces_turned_unlike():
    # stress on either side is the same; a pressure is refused
    text = """pliant: 1
units: {length: m}
materials: {m: {young: 1 GPa, poisson: 0.3, density: 1000 kg/m^3}}
bodies: [{name: b, shell: {mesh: turned.inp, material: m, thickness: 0.1}}]
fixed: {nodes: b where x < 1e-6, clamp: yes}
%s
analyses: [{static: {}}]
"""
    got = []
    for flip in (False, True):
        write_inp(work / "turned.inp", arms([((0, 0), (10, 0), 10)], flip))
        p, _ = beside.launch("turned", text % "gravity: [0, 0, -1 m/s^2]", "report: no, glb: no, plots: no")
        assert p.returncode == 0 and "warning" not in p.stderr, p.stderr
        m = meshio.read(work / "turned" / "static.vtu")
        got.append(m.point_data["stress_tensor_top"][np.lexsort((m.points - m.point_data["displacement"]).round(6).T)])
    # to which side most faces look is that of the first mesh or the other
    off = min(np.abs(got[0] - s * got[1]).max() for s in (1, -1)) / np.abs(got[0]).max()
    assert off < 1e-6, off
    run("turned", text % "loads: [{faces: b, pressure: 1 Pa}]", code=3, err=["normals of faces disagree", "turn the triangles round"])


@test
def roll_up_to_a_circle():
    # a moment 2 pi EI/L on the last tenth; the default kind on a coarse mesh
    a = run("roll", """pliant: 1
units: {length: mm}
materials: {spring: {young: 1 GPa, poisson: 0, density: 1000 kg/m^3}}
bodies: [{name: strip, shell: {mesh: {grid: {size: [100, 10], cells: [10, 2], pattern: crossed}}, material: spring, thickness: 0.5}}]
fixed: {nodes: strip group left, clamp: yes}
loads: [{name: end, nodes: strip where x > 89, moment: [0, -6.545 N.mm, 0]}]
watch: {tip: 'strip nearest [100, 5, 0]'}
analyses: [{static: {steps: 20}}]
""")[0]
    u = a["displacement_m"]["tip"]
    print(f"     roll-up: end {1e3 * (u[0] + 0.1):.3f} {1e3 * u[2]:.3f} mm from the begin")
    assert a["stable"] and math.hypot(u[0] + 0.1, u[2]) < 0.02 * 0.1, u


@test
def roll_up_on_a_mesh_of_gmsh():
    # triangles by no order: the moment is about its axis alone, or the strip leaves its plane; all by default
    EI, L = 1e9 * 0.1 * 0.005**3 / 12, 1
    a = run("roll-gmsh", f"""pliant: 1
units: {{length: m}}
materials: {{spring: {{young: 1 GPa, poisson: 0, density: 1000 kg/m^3}}}}
bodies: [{{name: strip, shell: {{mesh: {PARTS / 'strip.msh'}, material: spring, thickness: 0.005}}}}]
fixed: {{nodes: strip group root, clamp: yes}}
loads: [{{name: end, nodes: strip where x > 0.89, moment: [0, {-2 * math.pi * EI / L:.9g} N.m, 0]}}]
watch: {{tip: 'strip nearest [1, 0.05, 0]'}}
analyses: [{{static: {{}}}}]
""")[0]
    u, moment = a["displacement_m"]["tip"], a["reactions"]["fixed"]["moment_Nm"]
    print(f"     roll-up on irregular triangles: end {1e3 * (u[0] + 1):.2f} {1e3 * u[1]:.2f} {1e3 * u[2]:.2f} mm from the begin of 1 m")
    assert a["stable"] and math.hypot(u[0] + 1, u[1], u[2]) < 0.02, u
    assert max(abs(moment[0]), abs(moment[2])) < 0.01 * abs(moment[1]), moment


@test
def thickness_of_a_wrong_unit():
    # metres in a scene of millimetres; drives alone load, and forces are in balance beside what supports and drives exchange
    text = """pliant: 1
units: {length: mm}
materials: {m: {young: 2 GPa, poisson: 0.3, density: 1000 kg/m^3}}
bodies: [{name: b, shell: {mesh: {grid: {size: [100, 40], cells: [6, 2]}}, material: m, thickness: %s}}]
fixed: {nodes: b group left, clamp: yes}
drives: [{name: pull, nodes: b group right, translation: [0.1, 0, 0], harmonic: 0}]
analyses: [{static: {}}]
"""
    (work / "thick.yaml").write_text(text % "0.001")
    p = subprocess.run([beside.pliant, "check", work / "thick.yaml"], capture_output=True, text=True, timeout=60)
    assert "a thickness of 1e-06 m at a size of 0.1 m looks like a wrong unit" in p.stderr and "a bare number here is in units of 0.001 m" in p.stderr, p.stderr
    assert run("thick", text % "10 um")[0]["balance"]["left_over"] < 1e-6
    # a bar is no shell
    (work / "bar.yaml").write_text(text % "16 mm")
    p = subprocess.run([beside.pliant, "check", work / "bar.yaml"], capture_output=True, text=True, timeout=60)
    assert "a thickness of 0.016 m at a width of about 0.0286 m: it twists by half or more too stiffly" in p.stderr, p.stderr
    (work / "bar.yaml").write_text(text % "15 mm")
    p = subprocess.run([beside.pliant, "check", work / "bar.yaml"], capture_output=True, text=True, timeout=60)
    assert "stiffly" not in p.stderr, p.stderr


@test
def groups_come_back_from_vtu():
    # the deformed part is read with its groups, and runs by them
    text = f"""pliant: 1
units: {{length: mm}}
materials: {{m: {{young: 210 GPa, poisson: 0.3, density: 7850 kg/m^3}}}}
bodies: [{{name: b, shell: {{mesh: {PARTS / 'clip.msh'}, mesh_units: mm, regions: [{{group: part, material: m}}], thickness: 0.5}}}}]
sets: {{far: b group tip}}
fixed: {{nodes: b group root, clamp: yes}}
loads: [{{nodes: far, total: [0, 0, 1e-6 N]}}]
analyses: [{{static: {{}}}}, {{modes: {{count: 3}}}}]
"""
    hz = []
    for name, mesh in (("clip-one", None), ("clip-two", "clip-one/static.vtu, mesh_units: m")):
        p, found = beside.launch(name, text.replace(f"{PARTS / 'clip.msh'}, mesh_units: mm", mesh) if mesh else text, "report: no, glb: no, plots: no")
        assert p.returncode == 0, p.stderr
        hz.append(np.array(found[1]["frequency_Hz"]))
    assert np.abs(hz[1] / hz[0] - 1).max() < 1e-4, hz
    m = meshio.read(work / "clip-two" / "static.vtu")
    assert {"group:root", "group:tip", "group:far"} <= set(m.point_data) and "group:part" in m.cell_data, (list(m.point_data), list(m.cell_data))


@test
def all_analyses():
    text = """pliant: 1
units: {length: mm}
parameters: {t: {value: 0.8, min: 0.5, max: 1.5}}
materials: {pla: {young: 3.3 GPa, poisson: 0.36, density: 1240 kg/m^3}}
bodies: [{name: s, shell: {mesh: {grid: {size: [100, 20], cells: [4, 1]}}, material: pla, thickness: $t}}]
drives: [{name: root, nodes: s group left, clamp: yes, translation: [0, 0, 0.5]}]
watch: {tip: 's nearest [100, 10, 0]'}
damping: {mass: 1 1/s, stiffness: 0.1 ms}
analyses:
  - modes: {count: 3}
  - transient: {duration: 5 ms, step: 0.25 ms, frequency: 40 Hz, ramp: 2 ms}
  - periodic: {frequency: 20 Hz}
"""
    done = run("all", text)
    assert [a["status"] for a in done] == ["done"] * 3, done
    # a beam; the clamp keeps the strip from curling across
    want = 0.55959 * 0.8e-3 / 0.1**2 * math.sqrt(3.3e9 / 12 / 1240)
    assert 1 < done[0]["frequency_Hz"][0] / want < 1.03, (done[0]["frequency_Hz"], want)


def joint_of_solids(poisson):
    """Six frequencies of the T-joint with walls of tetrahedra, by CalculiX."""
    mesh = work / "tjoint-solid.msh"
    subprocess.run(["gmsh", "-3", PARTS / "tjoint-solid.geo", "-format", "msh22", "-o", mesh], capture_output=True, check=True)
    m = meshio.read(mesh)
    deck = ["*NODE"] + ["%d,%.12g,%.12g,%.12g" % (i + 1, *(1e-3 * x)) for i, x in enumerate(m.points)] + ["*ELEMENT,TYPE=C3D10,ELSET=B"]
    deck += [",".join(str(v + 1) for v in (e, *t)) for e, t in enumerate(m.cells_dict["tetra10"])]
    deck += ["*NSET,NSET=ROOT"] + [f"{i + 1}," for i in np.where(np.abs(m.points[:, 0]) < 1e-6)[0]]
    deck += ["*BOUNDARY", "ROOT,1,3", "*MATERIAL,NAME=M", "*ELASTIC", f"2.1e11,{poisson}", "*DENSITY", "7850",
             "*SOLID SECTION,ELSET=B,MATERIAL=M", "*STEP", "*FREQUENCY", "6", "*END STEP"]
    return np.array(frequencies(ccx("tjoint-solid", deck)))


def joint_table():
    """The T-joint beside walls of solids."""
    part = parts()[2]
    print("\n| frequencies of the T-joint beside walls of solids | 1 | 2 | 3 | 4 | 5 | 6 |\n|---|---|---|---|---|---|---|")
    for nu in (0.3, 0.49):
        want = joint_of_solids(nu)
        rows = {"shell6": part.pliant(2.1e11, nu, 7850, more=", mesh_units: mm"), "S6": part.calculix(2.1e11, nu, 7850),
                "S6, refined": part.refined().calculix(2.1e11, nu, 7850)}
        for name, got in rows.items():
            print(f"| {name}, nu {nu} | " + " | ".join(f"{100 * x:+.1f} %" for x in got[0] / want - 1) + " |", flush=True)


def cuts(stops, size, layers, thickness):
    """Places between stops, cells of size, and so many layers where stops are a thickness apart."""
    out = [stops[0]]
    for a, b in zip(stops, stops[1:]):
        n = layers if b - a < 1.01 * thickness else max(1, round((b - a) / size))
        out += list(a + (b - a) * np.arange(1, n + 1) / n)
    return np.array(out)


def channel_of_hexes(size, layers):
    """The walls of channel.geo 1.5 mm thick, of hexahedra of 20 nodes, m."""
    L, W, H, at, T = 120, 40, 25, 70, 1.5
    grid = [cuts(s, size, layers, T) for s in ([0, at - T / 2, at + T / 2, L], [-T / 2, T / 2, W - T / 2, W + T / 2], [-T / 2, T / 2, H])]
    corner = np.array([(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 2), (2, 0, 2), (2, 2, 2), (0, 2, 2)])
    edge = np.array([(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)])
    index, X, cells = {}, [], []

    def node(key):
        if key not in index:
            index[key] = len(X)
            X.append([1e-3 * 0.5 * (g[k // 2] + g[(k + 1) // 2]) for g, k in zip(grid, key)])
        return index[key]

    for cell in np.ndindex(*(len(g) - 1 for g in grid)):
        x, y, z = (0.5 * (g[k] + g[k + 1]) for g, k in zip(grid, cell))
        if z < T / 2 or abs(y) < T / 2 or abs(y - W) < T / 2 or abs(x - at) < T / 2:
            c = 2 * np.array(cell) + corner
            cells.append([node(tuple(v)) for v in np.vstack([c, (c[edge[:, 0]] + c[edge[:, 1]]) // 2])])
    return np.array(X), cells


def walls_of_solids(poisson, size, layers):
    """Six frequencies of the channel with walls of solids, by CalculiX."""
    X, cells = channel_of_hexes(size, layers)
    deck = ["*NODE"] + ["%d,%.12g,%.12g,%.12g" % (i + 1, *x) for i, x in enumerate(X)] + ["*ELEMENT,TYPE=C3D20R,ELSET=B"]
    for e, row in enumerate(cells):
        v = [str(k + 1) for k in (e, *row)]
        deck += [",".join(v[:11]) + ",", ",".join(v[11:])]
    deck += ["*BOUNDARY"] + [f"{i + 1},1,3" for i in np.where(X[:, 0] < 1e-9)[0]]
    deck += ["*MATERIAL,NAME=M", "*ELASTIC", f"2.1e11,{poisson}", "*DENSITY", "7850", "*SOLID SECTION,ELSET=B,MATERIAL=M",
             "*STEP", "*FREQUENCY", "6", "*END STEP"]
    return np.array(frequencies(ccx("channel-solid", deck)))


def channel_table():
    """The channel beside walls of solids, all kinds refined."""
    print("\n| frequencies of the channel beside walls of solids | 1 | 2 | 3 | 4 | 5 | 6 |\n|---|---|---|---|---|---|---|")
    part = channel()
    for nu in (0.3, 0.49):
        want = walls_of_solids(nu, 2.5, 2)
        rows = {f"shell6, refined {k} times": part.pliant(2.1e11, nu, 7850, more=f", mesh_units: mm, refine: {k}")[0] for k in range(2)}
        rows.update({f"S6, refined {k} times": part.refined(k).calculix(2.1e11, nu, 7850)[0] for k in range(3)})
        print(f"| solids, nu {nu}, Hz | " + " | ".join(f"{x:.1f}" for x in want) + " |", flush=True)
        for name, got in rows.items():
            print(f"| {name} | " + " | ".join(f"{100 * x:+.1f} %" for x in got / want - 1) + " |", flush=True)


def table():
    kinds = ("hinge", "midedge", "shell6")
    rows = [("roof, 16 x 16 quads", lambda k: [scordelis(16, "S4", k)]), ("roof, S6", lambda k: [scordelis(16, "S6", k)]),
            ("pinched cylinder, 16 x 16 on an eighth, quads", lambda k: [cylinder(16, "S4", k)]),
            ("pinched cylinder, 24 x 24", lambda k: [cylinder(24, "S4", k)]),
            ("pinched cylinder, 8 x 8, 32 x 32", lambda k: [cylinder(n, "S4", k) if k == "shell6" else math.nan for n in (8, 32)]),
            ("hemisphere, 8 x 8 on a quarter, quads", lambda k: [hemisphere(8, "S4", k)]), ("hemisphere, S6", lambda k: [hemisphere(8, "S6", k)]),
            ("twisted beam, 12 x 2 quads", lambda k: twisted(12, "S4", k)), ("twisted beam, thin", lambda k: twisted(12, "S4", k, 0.0032)),
            ("supported plate, 8 x 8, pressure", lambda k: [plate(8, "no", 0, k)]), ("clamped plate, 8 x 8, pressure", lambda k: [plate(8, "yes", 0, k)]),
            ("clamped plate, 16 x 16, force", lambda k: [plate(16, "yes", 1, k)]), ("Cook's membrane, 8 x 8", lambda k: [cook_shell(8, "S4", k)])]
    print("| test |" + "".join(f" {k} |" for k in kinds) + "\n|---|" + "---|" * len(kinds))
    for name, fn in rows:
        cells = []
        for k in kinds:
            try:
                errors = [f"{100 * (x - 1):+.1f}" for x in fn(k) if not math.isnan(x)]
                cells.append(" ".join(errors + ["%"] * bool(errors)))
            except AssertionError:  # hinges cannot be clamped along a line
                cells.append("-")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    for part in parts():
        want = part.calculix(2.1e11, 0.3, 7850)
        cells = []
        for k in kinds:
            try:
                hz, u = off(part.pliant(2.1e11, 0.3, 7850, more=f", mesh_units: mm, bending: {k}"), want)
                cells.append(f"{100 * hz:.1f} {100 * u:.1f} %")
            except AssertionError:
                cells.append("-")
        print(f"| {part.name}, beside S6: six frequencies, tip | " + " | ".join(cells) + " |", flush=True)


if "--table" in sys.argv:
    table()
    joint_table()
    channel_table()
    sys.exit()
finish()
