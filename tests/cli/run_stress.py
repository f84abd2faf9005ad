#!/usr/bin/env python3
"""Stress beside CalculiX and closed forms: python3 run_stress.py PLIANT SOURCE_DIR WORK_DIR"""
import csv
import math
import subprocess

import meshio
import numpy as np

from beside import PARTS, ccx, finish, launch, layers, pliant, test, von_mises, work


def run(name, text, output="report: no, glb: no, plots: no"):
    """What the analyses of a scene found, and what it said."""
    p, found = launch(name, text, output)
    assert p.returncode == 0, f"{name}: exit code {p.returncode}\n{p.stderr}"
    return found, p.stderr


# ---- meshes of second order beside CalculiX on the same mesh ----------------------------------------

class Part:
    """Nodes X, cells, and two sets of nodes: held, and pulled by a total force."""

    def __init__(self, name, X, cells, kind, held, pulled, force):
        self.name, self.X, self.cells, self.kind = name, X, cells, kind
        self.held, self.pulled, self.force = held, pulled, force

    def mesh(self):
        """The mesh of both programs."""
        lines = ["*NODE"] + ["%d,%.12g,%.12g,%.12g" % (i + 1, *x) for i, x in enumerate(self.X)]
        lines += [f"*ELEMENT,TYPE={self.kind},ELSET=ALL"]
        for e, c in enumerate(self.cells):
            v = [str(n + 1) for n in c]
            lines += [",".join([str(e + 1)] + v[:10]) + ("," if len(v) > 10 else "")] + ([",".join(v[10:])] if len(v) > 10 else [])
        for name, nodes in (("HELD", self.held), ("PULLED", self.pulled)):
            lines += [f"*NSET,NSET={name}"] + [f"{i + 1}," for i in nodes]
        return lines

    def calculix(self, young, poisson):
        """Nodal stress, small displacements: [n][6] as xx yy zz xy yz xz."""
        deck = self.mesh() + ["*BOUNDARY", "HELD,1,3", "*MATERIAL,NAME=M", "*ELASTIC", f"{young:g},{poisson:g}",
                              "*SOLID SECTION,ELSET=ALL,MATERIAL=M", "*STEP", "*STATIC", "*CLOAD"]
        deck += [f"{i + 1},{c + 1},{f / len(self.pulled):.12g}" for i in self.pulled for c, f in enumerate(self.force) if f]
        deck += ["*EL FILE", "S", "*END STEP"]
        name = f"{self.name}-{poisson}-ccx"
        ccx(name, deck)
        s, inside = np.zeros((len(self.X), 6)), False
        for line in (work / f"{name}.frd").read_text().splitlines():
            if line.startswith(" -4"):
                inside = "STRESS" in line
            elif line.startswith(" -1") and inside:
                s[int(line[3:13]) - 1] = [float(line[13 + 12 * k:25 + 12 * k]) for k in range(6)]
        return s

    def pliant(self, young, poisson, law="svk"):
        """The same by pliant, and its summary."""
        (work / f"{self.name}.inp").write_text("\n".join(self.mesh()) + "\n")
        f = ", ".join(f"{x:g} N" for x in self.force)
        name = f"{self.name}-{poisson}-{law}"
        summary, said = run(name, f"""pliant: 1
units: {{length: m}}
materials: {{m: {{young: {young:g} Pa, poisson: {poisson}, density: 1000 kg/m^3, law: {law}}}}}
bodies: [{{name: b, solid: {{mesh: {self.name}.inp, material: m, order: 2}}}}]
fixed: [b group HELD]
loads: [{{nodes: b group PULLED, total: [{f}]}}]
analyses: [{{static: {{}}}}]
""")
        m = meshio.read(work / name / "static.vtu")
        at = m.points - m.point_data["displacement"]
        assert np.abs(at - self.X).max() < 1e-9
        return m.point_data["stress_tensor"], summary[0], m

    def compare(self, young, poisson, law="svk", bar=1e-3):
        want, (got, summary, m) = self.calculix(young, poisson), self.pliant(young, poisson, law)
        a, b = von_mises(want), von_mises(got)
        peak, everywhere = abs(b.max() / a.max() - 1), np.abs(got - want).max() / a.max()
        print(f"     {self.name} nu {poisson} {law}: peak {b.max():.4g} Pa, {peak:.1e} off, anywhere {everywhere:.1e}; "
              f"estimated error {summary['discretisation_error']['relative']:.3f}")
        assert peak < bar and everywhere < bar, (peak, everywhere)
        top = summary["stress"]["von_mises_Pa"]
        assert abs(top["value"] / b.max() - 1) < 1e-9 and top["body"] == "b"
        assert np.linalg.norm(np.array(top["position_m"]) - self.X[b.argmax()]) < 1e-9
        assert np.allclose(m.point_data["von_mises"], b, rtol=1e-9, atol=1e-9 * b.max())
        lo, hi = np.linalg.eigvalsh(got[:, [0, 3, 5, 3, 1, 4, 5, 4, 2]].reshape(-1, 3, 3))[:, [0, 2]].T
        assert abs(summary["stress"]["principal_max_Pa"]["value"] / hi.max() - 1) < 1e-9
        assert abs(summary["stress"]["principal_min_Pa"]["value"] / lo.min() - 1) < 1e-9


def from_gmsh(name, held, pulled, force):
    m = meshio.read(PARTS / f"{name}.msh")
    tets = np.vstack([c.data for c in m.cells if c.type == "tetra10"])
    # meshio keeps gmsh's order of the last two
    tri = np.vstack([c.data for c in m.cells if c.type == "triangle6"])
    tag = np.hstack([t for c, t in zip(m.cells, m.cell_data["gmsh:physical"]) if c.type == "triangle6"])
    sets = [np.unique(tri[tag == m.field_data[k][0]]) for k in (held, pulled)]
    used = np.unique(tets)
    number = -np.ones(len(m.points), int)
    number[used] = np.arange(len(used))
    return Part(name, m.points[used] * 1e-3, number[tets], "C3D10", number[sets[0]], number[sets[1]], force)


def plate(kind, n=6, layers=1):
    """Quarter of a plate 40 x 40 x 2 mm with a hole of radius 5, mapped; nodes on the circle and in the middle of edges."""
    size, radius, thick = 0.04, 0.005, 0.002
    node, X = {}, []

    def place(a, r, z):
        phi = a * math.pi / 2
        c, s = math.cos(phi), math.sin(phi)
        outer = size / max(c, s)
        t = r**1.6
        rho = radius + (outer - radius) * t
        return (rho * c, rho * s, z * thick)

    def at(i, j, k):
        # even numbers are corners; those between lie in the middle of straight edges but on the circle
        key = (i, j, k)
        if key not in node:
            odd = [d % 2 for d in key]
            x = np.array(place(i / (2 * m), j / (2 * n), k / (2 * layers)))
            if sum(odd) == 1 and j > 0:
                d = odd.index(1)
                ends = [list(key), list(key)]
                ends[0][d] -= 1
                ends[1][d] += 1
                x = np.mean([place(e[0] / (2 * m), e[1] / (2 * n), e[2] / (2 * layers)) for e in ends], axis=0)
            node[key] = len(X)
            X.append(x)
        return node[key]

    m = 2 * n
    corner = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    edges = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
    # i runs against j so that cells are right-handed: (r, angle, z)
    cells = []
    for i in range(m):
        for j in range(n):
            for k in range(layers):
                base = [(2 * (i + b), 2 * (j + a), 2 * (k + c)) for a, b, c in corner]
                if kind == "C3D20":
                    mid = [tuple((p + q) // 2 for p, q in zip(base[a], base[b])) for a, b in edges]
                    # CalculiX: bottom, top, then upright edges
                    cells.append([at(*p) for p in base] + [at(*p) for p in mid])
                    continue
                # six tetrahedra about the diagonal 0 6
                for t in ((0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)):
                    p = [base[v] for v in t]
                    mid = [tuple((x + y) // 2 for x, y in zip(p[a], p[b])) for a, b in ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))]
                    cells.append([at(*q) for q in p + mid])
    X = np.array(X)
    held = np.where(X[:, 0] < 1e-9)[0]
    pulled = np.where(X[:, 0] > size - 1e-9)[0]
    return Part(f"plate-{kind}", X, np.array(cells), kind, held, pulled, [10, 0, 0])


@test
def bracket_beside_calculix():
    part = from_gmsh("bracket", "wall", "top", [2, 0, 1])
    for nu in (0.3, 0.49):
        part.compare(2e11, nu)
    part.compare(2e11, 0.3, "neo-hookean")


@test
def finger_beside_calculix():
    part = from_gmsh("finger", "root", "tip", [0, 0, 1e-5])
    for nu in (0.3, 0.49):
        part.compare(1e6, nu)


@test
def plate_beside_calculix():
    for nu in (0.3, 0.49):
        plate("C3D10").compare(2e11, nu)


@test
def hexahedra_beside_calculix():
    # 27 points there and here, carried to nodes in other ways
    plate("C3D20").compare(2e11, 0.3, bar=0.05)


class Sheet(Part):
    """A square plate, side 80 mm, of triangles of six nodes about a hole of radius 5 mm, 1 mm thick. Clamped at the left; the right edge
    is pulled or bent by a line of force."""

    def __init__(self, name, force, n=12, m=10):
        half, a, N, index, X = 0.04, 0.005, 4 * m, {}, []

        def place(i, j):
            c, s = math.cos(math.pi * i / N), math.sin(math.pi * i / N)
            return np.array([c, s, 0]) * (a + (half / max(abs(c), abs(s)) - a) * (j / (2 * n))**1.6)

        def at(i, j):
            key = (i % (2 * N), j)
            if key not in index:
                # nodes of edges lie in their middle, but on the circle
                di, dj = (0 if j == 0 else i % 2), j % 2
                index[key] = len(X)
                X.append(0.5 * (place(i - di, j - dj) + place(i + di, j + dj)))
            return index[key]

        tris = []
        for i in range(0, 2 * N, 2):
            for j in range(0, 2 * n, 2):
                p = [(i, j), (i, j + 2), (i + 2, j + 2), (i + 2, j)]
                for t in ((0, 1, 2), (0, 2, 3)):
                    mid = [((p[u][0] + p[v][0]) // 2, (p[u][1] + p[v][1]) // 2) for u, v in zip(t, t[1:] + t[:1])]
                    tris.append([at(*p[k]) for k in t] + [at(*q) for q in mid])
        X = np.array(X)
        super().__init__(name, X, np.array(tris), "S6", np.where(X[:, 0] < 1e-9 - half)[0], np.where(X[:, 0] > half - 1e-9)[0], force)
        # Simpson's rule along the pulled edge
        self.share, on = {}, set(self.pulled)
        for t in self.cells:
            for k in range(3):
                v = (t[k], t[(k + 1) % 3], t[3 + k])
                if on.issuperset(v):
                    for i, w in zip(v, (1, 1, 4)):
                        self.share[i] = self.share.get(i, 0) + w * np.linalg.norm(X[v[0]] - X[v[1]]) / 6 / (2 * half)

    def calculix(self, young, poisson):
        """Places and stress of the nodes that S6 makes of itself on three layers."""
        deck = self.mesh() + ["*BOUNDARY", "HELD,1,6", "*MATERIAL,NAME=M", "*ELASTIC", f"{young:g},{poisson:g}",
                              "*SHELL SECTION,ELSET=ALL,MATERIAL=M", "1e-3", "*STEP", "*STATIC", "*CLOAD"]
        deck += [f"{i + 1},{c + 1},{w * f:.12g}" for i, w in self.share.items() for c, f in enumerate(self.force) if f]
        ccx(f"{self.name}-ccx", deck + ["*EL FILE,OUTPUT=3D", "S", "*END STEP"])
        return layers(f"{self.name}-ccx")

    def pliant(self, young, poisson):
        """Places of the nodes, and fields at them."""
        (work / f"{self.name}.inp").write_text("\n".join(self.mesh()) + "\n")
        load = "".join("  - {nodes: 'b nearest [%.12g, %.12g, 0]', force: [%s]}\n"
                       % (*self.X[i, :2], ", ".join(f"{w * f:.12g} N" for f in self.force)) for i, w in self.share.items())
        run(self.name, f"""pliant: 1
units: {{length: m}}
materials: {{m: {{young: {young:g} Pa, poisson: {poisson}, density: 1000 kg/m^3}}}}
bodies: [{{name: b, shell: {{mesh: {self.name}.inp, material: m, thickness: 1 mm}}}}]
fixed: [{{nodes: b group HELD, clamp: yes}}]
loads:
{load}analyses: [{{static: {{}}}}]
""")
        m = meshio.read(work / self.name / "static.vtu")
        return m.points - m.point_data["displacement"], m.point_data


@test
def shell_with_a_hole_beside_calculix():
    # both on the same mesh; the clamped line is far from the hole
    for name, force, bar in (("pulled", [1, 0, 0], 0.01), ("bent", [0, 0, 1e-2], 0.05)):
        part = Sheet(f"sheet-{name}", force)
        (Y, s), (X, got) = part.calculix(2e11, 0.3), part.pliant(2e11, 0.3)
        about = lambda at: np.hypot(at[:, 0], at[:, 1]) < 8e-3
        ours, peak = got["von_mises"][about(X)].max(), von_mises(s)[about(Y)].max()
        print(f"     shell with a hole, {name}: peak {ours:.4g} Pa, CalculiX {peak:.4g} Pa, {ours / peak - 1:+.3f}")
        assert abs(ours / peak - 1) < bar, (name, ours, peak)


@test
def bent_hole_of_a_thin_plate():
    # a wide plate: (5 + 3 nu)/(3 + nu) times the moment without the hole, half of F L a width at the clamp; its width of 16 radii adds 2 %
    for nu in (0, 0.3):
        part = Sheet(f"hole-{nu}", [0, 0, 1e-2])
        X, got = part.pliant(2e11, nu)
        k = np.hypot(X[:, 0], X[:, 1] - 5e-3).argmin()
        factor = abs(got["stress_tensor_top"][k, 0]) / (6 * 1e-2 * 0.5 / 1e-3**2)
        want = (5 + 3 * nu) / (3 + nu)
        print(f"     bent hole, nu {nu}: {factor:.3f}, thin plate without end {want:.3f}")
        assert abs(factor / want - 1) < 0.03, (nu, factor, want)


@test
def without_stress():
    summary, _ = run("none", box("static: {}", "watch: {tip: 'b nearest [30, 6, 2]'}"), "report: no, glb: no, plots: no, stress: no")
    assert "stress" not in summary[0] and "discretisation_error" not in summary[0]
    assert "von_mises" not in meshio.read(work / "none" / "static.vtu").point_data


# ---- closed forms -----------------------------------------------------------------------------------

def box(analysis, more="", cells="[30, 6, 2]", load="[0, 0, 1e-3 N]"):
    return f"""pliant: 1
units: {{length: mm}}
materials: {{m: {{young: 2 GPa, poisson: 0, density: 1000 kg/m^3}}}}
bodies: [{{name: b, solid: {{mesh: {{box: {{size: [30, 6, 2], cells: {cells}}}}}, material: m}}}}]
sets: {{root: b group left, half: 'b group left and y < 3'}}
fixed: [root]
loads: [{{nodes: b group right, total: {load}}}]
{more}
analyses: [{{{analysis}}}]
"""


def strip(bending, analysis="static: {}"):
    return f"""pliant: 1
units: {{length: mm}}
materials: {{m: {{young: 2 GPa, poisson: 0, density: 1000 kg/m^3}}}}
bodies: [{{name: b, shell: {{mesh: {{grid: {{size: [100, 20], cells: [39, 9], pattern: equilateral}}}}, material: m, thickness: 1 mm, bending: {bending}}}}}]
fixed: [{{nodes: {'b group left, clamp: yes' if bending != 'hinge' else 'b box [-99, -99, -9] [2.7, 99, 9]'}}}]
loads: [{{nodes: b group right, total: [0, 0, 1e-4 N]}}]
analyses: [{{{analysis}}}]
"""


@test
def peaks_of_cells_nearly_folded():
    # a bent bar of hexahedra of order 2, the tip's corners with nodes of their edges near a quarter, where the Jacobian vanishes
    X, index, cells = [], {}, []

    def node(i, j, k, squeeze):
        if (i, j, k) not in index:
            index[i, j, k] = len(X)
            at = 7.4998 if squeeze and i == 7 and j != 1 and k != 1 else i
            X.append((at * 2e-3, j * 2e-3, k * 2e-3))
        return index[i, j, k]

    def bar(squeeze):
        X.clear(), index.clear(), cells.clear()
        ring = [(0, 0), (2, 0), (2, 2), (0, 2)]
        for i in range(0, 8, 2):
            corners = [node(i + a, b, c, squeeze) for c in (0, 2) for a, b in ring]
            sides = [node(i + a, b, c, squeeze) for c in (0, 2) for a, b in ((1, 0), (2, 1), (1, 2), (0, 1))]
            cells.append(corners + sides + [node(i + a, b, 1, squeeze) for a, b in ring])
        at = np.array(X)
        held, pulled = np.flatnonzero(at[:, 0] < 1e-9), np.flatnonzero(at[:, 0] > 15.99e-3)
        return Part(f"bar-{squeeze}", at, np.array(cells), "C3D20", held, pulled, [0, 0, 100])
    peak = [bar(squeeze).pliant(2e11, 0.3)[1]["stress"]["von_mises_Pa"]["value"] for squeeze in (0, 1)]
    print(f"     peak with corners nearly folded over that without: {peak[1] / peak[0]:.4f}")
    assert abs(peak[1] / peak[0] - 1) < 0.02, peak


@test
def beam_of_hexahedra():
    # sigma = 6 F (L - x)/(b h^2) at the sides, all along
    summary, _ = run("beam", box("static: {}"))
    m = meshio.read(work / "beam" / "static.vtu")
    X, s = m.points - m.point_data["displacement"], m.point_data["stress_tensor"]
    inner = (X[:, 0] > 4e-3) & (X[:, 0] < 26e-3)
    want = -1e-3 * (0.03 - X[:, 0]) * (X[:, 2] - X[:, 2].mean()) / (6e-3 * 2e-3**3 / 12)
    off = np.abs(s[inner, 0] - want[inner]).max() / np.abs(want[inner]).max()
    print(f"     beam of enhanced hexahedra: {off:.1e}")
    assert off < 0.02, off
    assert summary[0]["discretisation_error"]["relative"] < 0.25


@test
def layers_of_shells():
    # the strip is lifted: its lower side is stretched at the root; hinges have Poisson's ratio -1/3, and bend 1/8 more
    for bending, bar in (("shell6", 0.02), ("midedge", 0.02), ("hinge", 0.14)):
        summary, _ = run(f"strip-{bending}", strip(bending))
        m = meshio.read(work / f"strip-{bending}" / "static.vtu")
        X = m.points - m.point_data["displacement"]
        top, bottom = m.point_data["stress_tensor_top"][:, 0], m.point_data["stress_tensor_bottom"][:, 0]
        x0 = X[:, 0].min()
        inner = (X[:, 0] - x0 > 0.01) & (X[:, 0] - x0 < 0.08) & (np.abs(X[:, 1] - X[:, 1].mean()) < 0.006)
        want = 6 * 1e-4 * (0.1 - (X[:, 0] - x0)) / (0.02 * 1e-3**2)
        off = max(np.abs(bottom[inner] - want[inner]).max(), np.abs(top[inner] + want[inner]).max()) / want.max()
        moment = m.cell_data["section_moment"][0][:, 0]
        at = np.array([X[c[:3]].mean(axis=0) for c in m.cells[0].data])
        mid = (np.abs(at[:, 0] - x0 - 0.05) < 0.005) & (np.abs(at[:, 1] - X[:, 1].mean()) < 0.006)
        bent = abs(moment[mid].mean() / (1e-4 * 0.05 / 0.02) + 1)
        print(f"     strip of {bending}: stress {off:.1e}, moment {bent:.1e}")
        assert off < bar and bent < bar, (bending, off, bent)
        assert ("discretisation_error" in summary[0]) == (bending != "hinge")
        assert summary[0]["stress"]["von_mises_Pa"]["layer"] in ("top", "bottom")


@test
def section_of_a_rod():
    # a cantilever with a force at its end: M = F (L - x), sigma = M/(pi d^3/32) + N/A
    text = """pliant: 1
units: {length: mm}
materials: {m: {young: 2 GPa, poisson: 0.3, density: 1000 kg/m^3}}
bodies: [{name: r, rod: {mesh: {line: {from: [0, 0, 0], to: [100, 0, 0], segments: 50}}, material: m, section: {round: 2 mm}}}]
fixed: [{nodes: r group start, clamp: yes}]
loads: [{nodes: r group end, total: [0.5 N, 0, 1e-3 N]}]
analyses: [{static: {}}]
"""
    summary, _ = run("rod", text)
    m = meshio.read(work / "rod" / "static.vtu")
    axial, moment = m.cell_data["rod_force"][0], m.cell_data["rod_moment"][0]
    assert np.abs(axial / 0.5 - 1).max() < 1e-3, axial
    ends = np.array([m.points[c][:, 0].min() for c in m.cells[0].data])
    size = np.linalg.norm(moment[:, :2], axis=1)
    # the pull takes of it: M = F sinh(k (L - x))/(k cosh(k L)), k = sqrt(N/EI); at the clamp half an edge away
    k = math.sqrt(0.5 / (2e9 * math.pi / 4 * 1e-12))
    want = 1e-3 * np.sinh(k * (0.1 - ends)) / (k * math.cosh(k * 0.1))
    off = np.abs(size - want)[1:].max() / want.max()
    top = summary[0]["rod_stress_Pa"]
    sigma = size.max() / (math.pi * 2e-3**3 / 32) + 0.5 / (math.pi * 1e-6)
    print(f"     rod: moment {off:.1e}, stress {top['value'] / sigma - 1:.1e}")
    assert off < 0.02 and abs(top["value"] / sigma - 1) < 1e-3, (off, top, sigma)
    assert abs(top["axial_N"] / 0.5 - 1) < 1e-3


def portal(edges):
    """A frame with feet built in, a force of 1 N along its beam: three legs of 100 mm, wire of 4 mm."""
    return f"""pliant: 1
units: mm-N-MPa
materials: {{steel: {{young: 210000, poisson: 0.3, density: 7.85e-9}}}}
bodies:
  - name: frame
    rod: {{mesh: {{points: {{at: [[0, 0, 0], [0, 0, 100], [100, 0, 100], [100, 0, 0]], segments: {edges}}}}}, material: steel, section: {{round: 4}}}}
fixed: {{nodes: 'frame where z = 0', clamp: yes}}
loads: [{{node: 'frame nearest [0, 0, 100]', force: [1, 0, 0]}}]
sets: {{left: 'frame nearest [0, 0, 0]', right: 'frame nearest [100, 0, 0]'}}
watch: {{corner: 'frame nearest [0, 0, 100]'}}
analyses: [static: {{}}]
"""


@test
def frame_of_rods():
    # legs and beam alike: sway F h^3/(12 EI) 5/7, feet 2/7 F h, beside the beam 3/14 F h, their forces 3/7 F
    sway = 1e6 / (12 * 210000 * math.pi * 4**4 / 64) * 5 / 7 * 1e-3
    off = []
    for edges in (10, 20, 40):
        (a,), _ = run(f"portal{edges}", portal(edges))
        off.append(a["displacement_m"]["corner"][0] / sway - 1)
    print("     portal: sway " + " ".join(f"{v:+.2%}" for v in off))
    assert abs(off[1]) < 0.01 and abs(off[2]) < 0.003, off
    moment = meshio.read(work / "portal40" / "static.vtu").cell_data["rod_moment"][0]
    size = 1e3 * np.linalg.norm(moment[:, :2], axis=1)
    assert abs(size[39] / (3 / 14 * 100) - 1) < 2e-3 and abs(size[0] / (2 / 7 * 100) - 1) < 2e-3, size
    # what clamps hold belongs to the sets of their nodes
    for name, up in (("left", -1), ("right", 1)):
        one = a["set_reactions"][name]
        assert abs(one["force_N"][0] + 0.5) < 1e-3 and abs(one["force_N"][2] - up * 3 / 7) < 1e-3, a["set_reactions"]
        assert abs(-1e3 * one["moment_Nm"][1] / (2 / 7 * 100) - 1) < 2e-3, a["set_reactions"]


# ---- histories, periods, reactions ------------------------------------------------------------------

@test
def histories():
    text = box("static: {steps: 4}", "watch: {root: 'b nearest [10, 0, 2]'}")
    summary, _ = run("history", text, "report: no, glb: no, plots: no, stress: history")
    rows = list(csv.DictReader(open(work / "history" / "static.csv")))
    m = meshio.read(work / "history" / "static.vtu")
    X = m.points - m.point_data["displacement"]
    at = np.linalg.norm(X - [0.01, 0, 0.002], axis=1).argmin()
    for c, name in enumerate(("sxx", "syy", "szz", "sxy", "syz", "sxz")):
        got, want = float(rows[-1][f"root_{name}_Pa"]), m.point_data["stress_tensor"][at, c]
        assert abs(got - want) < 1e-6 * m.point_data["von_mises"].max(), (name, got, want)
    assert abs(float(rows[-1]["root_von_mises_Pa"]) / m.point_data["von_mises"][at] - 1) < 1e-9
    assert abs(float(rows[-1]["root_exx"]) / m.point_data["strain_tensor"][at, 0] - 1) < 1e-9
    # a small load: in proportion
    assert abs(float(rows[2]["root_sxx_Pa"]) / float(rows[-1]["root_sxx_Pa"]) - 0.5) < 1e-3


@test
def range_of_a_period():
    # far below the first mode: as statics with the amplitude, there and back, about the mean of a constant load
    static, _ = run("amplitude", box("static: {}"))
    text = box("periodic: {frequency: 1 Hz, harmonics: 3}").replace("[0, 0, 1e-3 N]}", "[0, 0, 1e-3 N], harmonic: 1}")
    text = text.replace("loads: [", "damping: {mass: 0.1 1/s, stiffness: 1e-6 s}\nloads: [")
    summary, _ = run("period", text)
    over, top = summary[0]["stress_over_motion"], static[0]["stress"]
    want = top["von_mises_Pa"]["value"]
    assert abs(over["von_mises_max_Pa"]["value"] / want - 1) < 1e-3, (over, want)
    most = max(top["principal_max_Pa"]["value"], -top["principal_min_Pa"]["value"])
    assert abs(over["principal_range_Pa"]["value"] / (2 * most) - 1) < 1e-3, (over, most)
    assert abs(over["principal_range_Pa"]["mean"]) < 1e-3 * most
    m = meshio.read(work / "period" / "periodic-stress.vtu")
    assert abs(m.point_data["principal_range"].max() / over["principal_range_Pa"]["value"] - 1) < 1e-12


@test
def reactions_of_sets():
    summary, _ = run("sets", box("static: {}", "gravity: [0, 0, -9.81 m/s^2]", load="[0.2 N, 0, 1e-3 N]"))
    a = summary[0]
    sets, balance = a["set_reactions"], a["balance"]
    weight = 1000 * 30e-3 * 6e-3 * 2e-3 * 9.81
    assert np.allclose(sets["root"]["force_N"], [-0.2, 0, weight - 1e-3], atol=1e-7), sets
    assert np.allclose(sets["root"]["force_N"], a["reaction_N"], atol=1e-12)
    assert abs(sets["half"]["force_N"][0] + 0.1) < 0.05
    # moments about the middle of the set: of the pull on the bent beam, of the force and the weight
    assert abs(sets["root"]["moment_Nm"][1] - (1e-3 * 0.03 - weight * 0.015)) < 2e-5, sets
    assert np.allclose(balance["applied_N"], [0.2, 0, 1e-3 - weight], atol=1e-12), balance
    assert balance["left_over"] < 1e-6, balance


@test
def clamps_of_sets():
    # of a shell that is built in: all of them hold the moment of the support, parts of them add up to it
    (a,), _ = run("clamped", """pliant: 1
units: mm-N-MPa
materials: {steel: {young: 210000, poisson: 0.3, density: 7.85e-9}}
bodies: [{name: p, shell: {mesh: {grid: {size: [40, 10], cells: [16, 4]}}, material: steel, thickness: 1}}]
fixed: {nodes: p group left, clamp: yes}
loads: [{nodes: p group right, total: [0, 0, 2]}]
sets: {whole: p group left, front: p group left and p where y < 5.1, back: p group left and p where y > 5.1}
analyses: [static: {}]
""")
    held, sets = a["reactions"]["fixed"], a["set_reactions"]
    assert abs(held["moment_Nm"][1] / 0.08 - 1) < 1e-3, held
    assert np.allclose(sets["whole"]["moment_Nm"], held["moment_Nm"], atol=1e-9), sets
    assert np.allclose(sets["whole"]["force_N"], held["force_N"], atol=1e-12), sets
    both = np.add(sets["front"]["force_N"], sets["back"]["force_N"])
    assert np.allclose(both, held["force_N"], atol=1e-9), sets
    assert abs(sets["front"]["moment_Nm"][1] + sets["back"]["moment_Nm"][1] - held["moment_Nm"][1]) < 1e-6, sets


# ---- the estimate, and the mesh ---------------------------------------------------------------------

@test
def coarse_meshes_are_reported():
    text = box("static: {}", cells="[6, 1, 1]").replace("material: m}", "material: m, formulation: plain}")
    summary, said = run("coarse", text)
    assert summary[0]["discretisation_error"]["relative"] > 0.25 and "the mesh is coarse" in said, said
    p = subprocess.run([pliant, "check", work / "coarse.yaml"], capture_output=True, text=True, timeout=60)
    assert "1 cell through the thickness of 0.002 m where it is thin: too stiff in bending, use formulation: enhanced" in p.stdout, p.stdout


@test
def cells_through_the_thickness():
    # a plate with a thick rim in one mesh: the thin part counts; tetrahedra, raised to second order or not, hexahedra
    def told(mesh, more=""):
        path = work / "through.yaml"
        path.write_text(f"""pliant: 1
units: {{length: mm}}
materials: {{m: {{young: 2 GPa, poisson: 0.3, density: 1000 kg/m^3}}}}
bodies: [{{name: b, solid: {{mesh: {mesh}, material: m{more}}}}}]
fixed: [b group left]
analyses: [modes]
""")
        return subprocess.run([pliant, "check", path], capture_output=True, text=True, timeout=60)

    for cell in ("tet", "hex"):
        for n in (1, 2, 3):
            p = told("{box: {size: [40, 20, 2], cells: [20, 10, %d], cell: %s}}" % (n, cell))
            assert f"{n} cell{'s' * (n > 1)} through the thickness of 0.002 m" in p.stdout and "warning" not in p.stderr, (p.stdout, p.stderr)
            assert ("enough for bending" in p.stdout) == (n == 1), p.stdout
    p = told("{box: {size: [40, 20, 2], cells: [20, 10, 2], cell: tet}}", ", order: 1")
    assert "2 cells through the thickness of 0.002 m where it is thin: too stiff in bending, use order: 2" in p.stdout, p.stdout
    for n, warned in ((2, True), (4, False)):
        p = told("{box: {size: [40, 20, 2], cells: [20, 10, %d]}}" % n, ", formulation: plain")
        assert ("too stiff in bending, use formulation: enhanced" in p.stdout) == warned, p.stdout
    path = work / "through-rigid.yaml"
    path.write_text("pliant: 1\nbodies: [{name: b, rigid: {mesh: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}, mass: 1 kg}}]\nanalyses: [{transient: {duration: 1 s, step: 0.1 s}}]\n")
    p = subprocess.run([pliant, "check", path], capture_output=True, text=True, timeout=60)
    assert "quality    b hexes" in p.stdout and "thickness" not in p.stdout, (p.stdout, p.stderr)
    p = told("{box: {size: [3000, 20, 2], cells: [100, 1, 2]}}")
    assert "is 1.5e+03 times as long as thick: its answers" in p.stderr and "a shell of its middle surface" in p.stderr, p.stderr


@test
def frequency_errors():
    # of tetrahedra beside those of a mesh refined twice
    text = """pliant: 1
units: {length: mm}
materials: {m: {young: 2 GPa, poisson: 0.3, density: 1000 kg/m^3}}
bodies: [{name: b, solid: {mesh: {box: {size: [30, 6, 6], cells: %s, cell: tet}}, material: m, order: %d}}]
fixed: [b group left]
analyses: [{modes: {count: 3}}]
"""
    fine = run("modes-fine", text % ("[20, 4, 4]", 2))[0][0]
    for cells, order in (("[20, 4, 4]", 1), ("[5, 1, 1]", 2)):
        coarse = run(f"modes-{order}", text % (cells, order))[0][0]
        for k in range(2):
            true = coarse["frequency_Hz"][k] / fine["frequency_Hz"][k] - 1
            told = coarse["frequency_error"][k]
            print(f"     order {order}, mode {k + 1}: {true:.4f} too high, estimated {told:.4f}")
            assert 0.5 < told / true < 2, (k, told, true)


@test
def poor_cells_are_named():
    # a sliver, and a vertex on an edge that is far from its middle
    X = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0.3, 0.3, -0.004)]
    deck = ["*NODE"] + ["%d,%g,%g,%g" % (i + 1, *x) for i, x in enumerate(X)]
    deck += ["*ELEMENT,TYPE=C3D4,ELSET=A", "1,1,2,3,4", "2,1,3,2,5"]
    (work / "sliver.inp").write_text("\n".join(deck) + "\n")
    text = """pliant: 1
units: {length: m}
materials: {m: {young: 1 MPa, poisson: 0.3, density: 1000 kg/m^3}}
bodies: [{name: b, solid: {mesh: sliver.inp, material: m}}]
fixed: [b box [-1, -1, -1] [0.1, 0.1, 0.1], b nearest [1, 0, 0], b nearest [0, 1, 0]]
analyses: [{static: {}}]
"""
    (work / "sliver.yaml").write_text(text)
    p = subprocess.run([pliant, "check", work / "sliver.yaml"], capture_output=True, text=True, timeout=60)
    assert "tet 2 of its mesh has an angle of" in p.stderr, p.stderr
    assert "gmsh" in p.stderr and "quality    b" in p.stdout, p.stdout


@test
def stress_of_later_steps():
    # a bar of 10 x 10 mm^2: 100 N, then 250 N, then none; F/A
    found, _ = run("steps", """pliant: 1
units: {length: mm}
materials: {m: {young: 210 GPa, poisson: 0, density: 7850 kg/m^3}}
bodies: [{name: b, solid: {mesh: {box: {size: [50, 10, 10], cells: [5, 1, 1]}}, material: m}}]
fixed: b group left
loads: [{name: pull, faces: b group right, total: [100 N, 0, 0]}]
analyses:
  - static: {name: one}
  - static: {name: two, about: one, change: {pull: 2.5}}
  - static: {name: three, about: two, change: {pull: off}}
""")
    got = [a["stress"]["von_mises_Pa"]["value"] for a in found]
    assert abs(got[0] / 1e6 - 1) < 1e-4 and abs(got[1] / 2.5e6 - 1) < 1e-4 and got[2] < 100, got


finish()
