#!/usr/bin/env python3
"""Laws, regions and swelling beside CalculiX and closed forms: python3 run_laws.py PLIANT SOURCE_DIR WORK_DIR"""
import math
import re
import subprocess

import meshio
import numpy as np

from beside import PARTS, ccx, displacement, finish, frequencies, pliant, run, test, work


def near(got, want, bar, what):
    got, want = np.asarray(got, float), np.asarray(want, float)
    off = np.max(np.abs(got - want)) / np.max(np.abs(want))
    print(f"  {what}: off by {100 * off:.3g} %")
    assert off <= bar, f"{what}: {got} beside {want}"


# ---- a part that gmsh meshed, beside C3D10 of CalculiX on the same mesh --------------------------------

class Bracket:
    """An L-bracket of quadratic tetrahedra, in two sets of elements."""

    def __init__(self):
        m = meshio.read(PARTS / "bracket.msh")
        self.X = m.points * 1e-3
        self.tets = np.vstack([c.data for c in m.cells if c.type == "tetra10"])
        low = self.X[self.tets[:, :4]].mean(axis=1)[:, 2] < 4e-3
        self.sets = {"FOOT": np.flatnonzero(low), "WALL": np.flatnonzero(~low)}
        self.root = np.flatnonzero(self.X[:, 2] > self.X[:, 2].max() - 1e-6)
        self.end = np.flatnonzero(self.X[:, 0] > self.X[:, 0].max() - 1e-6)
        self.tip = self.end[np.argmin(self.X[self.end, 1] + self.X[self.end, 2])]

    def nodes_and_cells(self):
        lines = ["*NODE"] + ["%d,%.12g,%.12g,%.12g" % (i + 1, *x) for i, x in enumerate(self.X)]
        for name, of in self.sets.items():
            lines += [f"*ELEMENT,TYPE=C3D10,ELSET={name}"]
            lines += [",".join(str(v + 1) for v in (e, *self.tets[e])) for e in of]
        lines += ["*NSET,NSET=ROOT"] + [f"{i + 1}," for i in self.root]
        return lines + ["*NSET,NSET=END"] + [f"{i + 1}," for i in self.end]

    def calculix(self, name, materials, force, nonlinear):
        """materials: lines of the material of each set; the tip's displacement and six frequencies at rest."""
        deck = self.nodes_and_cells() + ["*NSET,NSET=TIP", f"{self.tip + 1},", "*BOUNDARY", "ROOT,1,3"]
        if any("*ORIENTATION" in l for l in sum(materials.values(), [])):
            deck += ["*ORIENTATION,NAME=OR", "0.8,0.6,0,-0.6,0.8,0"]
        for k, lines in materials.items():
            turned = ",ORIENTATION=OR" if "*ORIENTATION" in lines else ""
            deck += [f"*MATERIAL,NAME=M{k}"] + [l for l in lines if l != "*ORIENTATION"]
            deck += [f"*SOLID SECTION,ELSET={k},MATERIAL=M{k}{turned}"]
        loads = ["*CLOAD"] + [f"{i + 1},3,{force / len(self.end):.12g}" for i in self.end]
        deck += ["*STEP,NLGEOM" if nonlinear else "*STEP", "*STATIC"] + (["0.1,1"] if nonlinear else [])
        deck += loads + ["*NODE PRINT,NSET=TIP", "U", "*END STEP"]
        if not nonlinear:
            deck += ["*STEP", "*FREQUENCY", "6", "*END STEP"]
        dat = ccx(name, deck)
        return np.array(displacement(dat, self.tip + 1, nonlinear)), [] if nonlinear else frequencies(dat)

    def scene(self, materials, body, force, more):
        (work / "bracket.inp").write_text("\n".join(self.nodes_and_cells()) + "\n")
        x = ", ".join("%.9g" % v for v in self.X[self.tip])
        share = force / len(self.end)
        return f"""pliant: 1
materials:
{materials}
bodies: [{{name: part, solid: {{mesh: bracket.inp, {body}}}}}]
fixed: part group ROOT
loads: [{{nodes: part group END, force: [0, 0, {share:.12g} N]}}]
watch: {{tip: 'part nearest [{x}]'}}
analyses: [{more}]
"""


STEEL = "  steel: {young: 200 GPa, poisson: 0.3, density: 7800 kg/m^3}\n"
STEEL_CCX = ["*ELASTIC", "2e11,0.3", "*DENSITY", "7800"]


@test
def laws_of_rubber_beside_calculix():
    """Large displacements at a Poisson's ratio of 0.48."""
    part = Bracket()
    shear = 0.7e6
    bulk = shear * 2 * 1.48 / (3 * 0.04)
    d1 = 2 / bulk
    laws = {"mooney-rivlin": ("c10: 0.3 MPa, c01: 0.05 MPa", "MOONEY-RIVLIN", f"0.3e6,0.05e6,{d1:.9g}"),
            "yeoh": ("c10: 0.35 MPa, c20: -0.02 MPa, c30: 0.01 MPa", "YEOH", f"0.35e6,-0.02e6,0.01e6,{d1:.9g},1e3,1e3"),
            "ogden": ("mu1: 0.7 MPa, alpha1: 3.2", "OGDEN,N=1", f"0.7e6,3.2,{d1:.9g}")}
    for law, (keys, card, line) in laws.items():
        ccx = [f"*HYPERELASTIC,{card}", line, "*DENSITY", "1100"]
        want, _ = part.calculix(f"ccx-{law}", {"FOOT": ccx, "WALL": ccx}, -0.1, True)
        mat = f"  rubber: {{law: {law}, {keys}, bulk: {bulk:.9g} Pa, density: 1100 kg/m^3}}\n"
        got = run(law, part.scene(mat, "material: rubber", -0.1, "{static: {steps: 10}}"))[0]["displacement_m"]["tip"]
        assert abs(want[2]) > 5e-3, want
        near(got, want, 0.02, f"{law}: tip")


@test
def two_materials_beside_calculix():
    part = Bracket()
    soft = ["*ELASTIC", "3e9,0.4", "*DENSITY", "1200"]
    u, hz = part.calculix("ccx-regions", {"FOOT": soft, "WALL": STEEL_CCX}, -10, False)
    mat = STEEL + "  resin: {young: 3 GPa, poisson: 0.4, density: 1200 kg/m^3}\n"
    for name, body in (("regions", "material: steel, regions: [{group: FOOT, material: resin}]"),
                       ("all-regions", "regions: [{group: FOOT, material: resin}, {group: WALL, material: steel}]")):
        static, modes = run(name, part.scene(mat, body, -10, "{static: {}}, {modes: {count: 6}}"))
        near(static["displacement_m"]["tip"], u, 0.02, f"{name}: tip")
        near(modes["frequency_Hz"], hz, 0.02, f"{name}: frequencies")


@test
def orthotropic_beside_calculix():
    part = Bracket()
    ply = ["*ELASTIC,TYPE=ENGINEERING CONSTANTS", "140e9,10e9,9e9,0.3,0.28,0.4,5e9,4.5e9", "3.5e9", "*DENSITY", "1600", "*ORIENTATION"]
    u, hz = part.calculix("ccx-ortho", {"FOOT": ply, "WALL": ply}, -1, False)
    mat = ("  ply: {law: orthotropic, young1: 140 GPa, young2: 10 GPa, young3: 9 GPa, poisson12: 0.3, poisson13: 0.28,\n"
           "    poisson23: 0.4, shear12: 5 GPa, shear13: 4.5 GPa, shear23: 3.5 GPa, density: 1600 kg/m^3}\n")
    body = "material: ply, warp: [0.8, 0.6, 0], weft: [-0.6, 0.8, 0]"
    static, modes = run("ortho", part.scene(mat, body, -1, "{static: {}}, {modes: {count: 6}}"))
    near(static["displacement_m"]["tip"], u, 0.02, "tip")
    near(modes["frequency_Hz"], hz, 0.02, "frequencies")


@test
def orthotropic_plate_beside_calculix():
    """A square plate held at one edge, fibres at 30 degrees: a shell beside hexahedra of second order."""
    n, a, h = 12, 0.06, 1e-3
    t = math.radians(30)
    X = {}
    for i in range(2 * n + 1):
        for j in range(2 * n + 1):
            for k in range(3):
                if (i % 2) + (j % 2) + (k % 2) <= 1:
                    X[i, j, k] = len(X) + 1
    deck = ["*NODE"] + [f"{v},{i * a / 2 / n:.9g},{j * a / 2 / n:.9g},{k * h / 2:.9g}" for (i, j, k), v in X.items()]
    deck += ["*ELEMENT,TYPE=C3D20R,ELSET=B"]
    corner = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 2), (2, 0, 2), (2, 2, 2), (0, 2, 2)]
    edge = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
    local = corner + [tuple((corner[p][c] + corner[q][c]) // 2 for c in range(3)) for p, q in edge]
    e = 0
    for i in range(n):
        for j in range(n):
            e += 1
            v = [X[2 * i + p[0], 2 * j + p[1], p[2]] for p in local]
            deck += [",".join(str(x) for x in [e] + v[:10]) + ",", ",".join(str(x) for x in v[10:])]
    deck += ["*NSET,NSET=ROOT"] + [f"{v}," for (i, j, k), v in X.items() if i == 0]
    deck += ["*BOUNDARY", "ROOT,1,3", "*ORIENTATION,NAME=OR", f"{math.cos(t):.9g},{math.sin(t):.9g},0,{-math.sin(t):.9g},{math.cos(t):.9g},0",
             "*MATERIAL,NAME=M", "*ELASTIC,TYPE=ENGINEERING CONSTANTS", "140e9,10e9,10e9,0.3,0.3,0.4,5e9,5e9", "3.5e9", "*DENSITY", "1600",
             "*SOLID SECTION,ELSET=B,MATERIAL=M,ORIENTATION=OR", "*STEP", "*FREQUENCY", "5", "*END STEP"]
    want = frequencies(ccx("plate", deck), 5)
    got = run("plate-shell", """pliant: 1
units: {length: mm}
materials: {ply: {law: orthotropic, young1: 140 GPa, young2: 10 GPa, poisson12: 0.3, shear12: 5 GPa, density: 1600 kg/m^3}}
bodies: [{name: p, shell: {mesh: {grid: {size: [60, 60], cells: [8, 8], pattern: irregular}}, thickness: 1,
  material: ply, angle: 30 deg}}]
fixed: [{nodes: p group left, clamp: yes}]
analyses: [{modes: {count: 5}}]
""")[0]["frequency_Hz"]
    for k in range(5):
        near(got[k], want[k], 0.02, f"frequency {k + 1}")


# ---- closed forms --------------------------------------------------------------------------------------

PLY = "ply: {law: orthotropic, young1: 140 GPa, young2: 10 GPa, poisson12: 0.3, shear12: 5 GPa, density: 1600 kg/m^3}"


@test
def orthotropic_plate_of_navier():
    """A supported plate by double series: deflection under a pressure and frequencies; whole and half, coarse, fibres along x or y."""
    a, b, h = 0.3, 0.2, 2e-3
    reduced = 1 / (1 - 0.3**2 * 10 / 140)
    D = [x * h**3 / 12 for x in (140e9 * reduced, 10e9 * reduced, 3e9 * reduced, 5e9)]
    odd = range(1, 60, 2)
    for angle, (D1, D2) in ((0, D[:2]), (90, D[1::-1])):
        def bend(m, n):
            return math.pi**4 * (D1 * (m / a)**4 + 2 * (D[2] + 2 * D[3]) * (m * n / a / b)**2 + D2 * (n / b)**4)
        sag = 20 * sum(16 / math.pi**2 / (m * n) * (-1)**((m + n) // 2 - 1) / bend(m, n) for m in odd for n in odd)
        hz = sorted(math.sqrt(bend(m, n) / 1600 / h) / 2 / math.pi for m in range(1, 5) for n in range(1, 5))
        scene = f"""pliant: 1
units: {{length: mm}}
materials: {{{PLY}}}
bodies: [{{name: p, shell: {{mesh: {{grid: {{size: [300, 200], cells: [8, 6], pattern: irregular}}}}, thickness: 2, material: ply, angle: {angle} deg}}}}]
fixed: [{{nodes: p boundary}}]
loads: [{{faces: p, pressure: -20 Pa}}]
watch: {{mid: 'p nearest [150, 100, 0]'}}
analyses: [{{static: {{}}}}, {{modes: {{count: 4}}}}]
"""
        static, modes = run(f"navier{angle}", scene)
        near(static["displacement_m"]["mid"][2], -sag, 0.01, f"sag, fibres at {angle}")
        near(modes["frequency_Hz"], hz[:4], 0.01, f"frequencies, fibres at {angle}")
        half = scene.replace("[300, 200]", "[150, 200]").replace("[8, 6]", "[4, 6]").replace(
            "[{nodes: p boundary}]", "[{nodes: 'p where x = 0 or y = 0 or y = 200'}, {nodes: p where x = 150, symmetry: x}]")
        near(run(f"navier{angle}-half", half)[0]["displacement_m"]["mid"][2], -sag, 0.01, f"sag of a half, fibres at {angle}")


@test
def rubber_bends_as_at_rest():
    """A little, a strip of rubber on a coarse mesh bends as one of the same moduli."""
    got = []
    for law in ("law: mooney-rivlin, c10: 0.3 MPa, c01: 0.03 MPa", "young: 1.98 MPa, poisson: 0.5"):
        static, modes = run("rubber-strip", f"""pliant: 1
units: {{length: mm}}
materials: {{rubber: {{{law}, density: 1100 kg/m^3}}}}
bodies: [{{name: s, shell: {{mesh: {{grid: {{size: [60, 20], cells: [5, 2], pattern: irregular}}}}, material: rubber, thickness: 2}}}}]
fixed: [{{nodes: s group left, clamp: yes}}]
loads: [{{nodes: s group right, total: [0, 0, 1e-6 N]}}]
watch: {{tip: 's nearest [60, 10, 0]'}}
analyses: [{{static: {{}}}}, {{modes: {{count: 4}}}}]
""")
        got.append([static["displacement_m"]["tip"][2]] + modes["frequency_Hz"])
    near(got[0], got[1], 1e-5, "rubber beside its moduli at rest")


@test
def web_of_plies():
    """Sheets of plies that meet in a T, beside steel where they are as steel; rubber beside steel bends by triangles of first order."""
    (work / "tee.obj").write_text("v 0 0 0\nv 20 0 0\nv 40 0 0\nv 0 50 0\nv 20 50 0\nv 40 50 0\nv 20 0 20\nv 20 50 20\n"
                                  "g flange\nf 1 2 5 4\nf 2 3 6 5\ng web\nf 2 5 8 7\n")
    scene = f"""pliant: 1
units: {{length: mm}}
materials:
  ply: {{law: orthotropic, young1: 200 GPa, young2: 200 GPa, poisson12: 0.3, shear12: {200 / 2.6:.15g} GPa, density: 7800 kg/m^3}}
  rubber: {{law: mooney-rivlin, c10: 0.3 MPa, c01: 0.03 MPa, density: 1100 kg/m^3}}
  steel: {{young: 200 GPa, poisson: 0.3, density: 7800 kg/m^3}}
bodies: [{{name: t, shell: {{mesh: tee.obj, refine: 1, thickness: 1, material: ply, warp: [0, 1, 0.01]}}}}]
fixed: [{{nodes: t where y = 0, clamp: yes}}]
loads: [{{nodes: t where y = 50, total: [0, 0, 1 N]}}]
watch: {{tip: 't nearest [20, 50, 0]'}}
analyses: [{{static: {{}}}}]
"""
    tip = [run(f"tee-{k}", scene.replace("material: ply", f"material: {k}"), allowed="the mesh is coarse")[0]["displacement_m"]["tip"] for k in ("ply", "steel")]
    near(tip[0], tip[1], 1e-6, "tee")
    web = scene.replace("material: ply, warp: [0, 1, 0.01]", "material: steel, regions: [{group: web, material: rubber}]")
    run("tee-rubber", web, code=3, err=["more than two triangles"])
    run("tee-forced", web.replace("refine: 1", "bending: shell6"), code=3, err=["rubber beside other materials", "midedge"])



def ball(level):
    """An eighth of a sphere of radius 50 mm, as OBJ."""
    n = 2 ** level
    at, lines, tri = {}, [], []
    for i in range(n + 1):
        for j in range(n + 1 - i):
            v = np.array([i, j, n - i - j], float)
            at[i, j] = len(at) + 1
            lines.append("v %.12g %.12g %.12g" % tuple(50 * v / np.linalg.norm(v)))
    for i in range(n):
        for j in range(n - i):
            tri.append((at[i, j], at[i + 1, j], at[i, j + 1]))
            if i + j < n - 1:
                tri.append((at[i + 1, j], at[i + 1, j + 1], at[i, j + 1]))
    (work / "ball.obj").write_text("\n".join(lines + ["f %d %d %d" % t for t in tri]) + "\n")


@test
def balloon():
    """p = 2 h/R (s^-1 - s^-7) (2 c10 + 2 c01 s^2), before the pressure falls with the radius."""
    ball(4)
    for name, law in (("mooney", "law: mooney-rivlin, c10: 0.3 MPa, c01: 0.03 MPa"),
                      ("ogden", "law: ogden, mu1: 0.6 MPa, alpha1: 2, mu2: 0.06 MPa, alpha2: -2")):
        s = 1.25
        p = 2 * 0.5 / 50 * (1 / s - s**-7) * 2 * (0.3e6 + 0.03e6 * s * s)
        top = run(f"balloon-{name}", f"""pliant: 1
units: {{length: mm}}
materials: {{rubber: {{{law}, density: 1100 kg/m^3}}}}
bodies: [{{name: skin, shell: {{mesh: ball.obj, material: rubber, thickness: 0.5, bending: none}}}}]
fixed: [{{nodes: skin where x = 0, fix: [x]}}, {{nodes: skin where y = 0, fix: [y]}}, {{nodes: skin where z = 0, fix: [z]}}]
loads: [{{faces: skin, pressure: {p:.9g} Pa}}]
watch: {{top: 'skin nearest [0, 0, 50]'}}
analyses: [{{static: {{steps: 4}}}}]
""")[0]["displacement_m"]["top"][2]
        near(1 + top / 0.05, s, 0.01, f"stretch, {name}")


@test
def curls():
    """A free strip, warmer on one side, bends to the curvature expansion dT/h; the warm side is outside."""
    for warm, bending in ((100, ""), (-100, ""), (100, "bending: midedge, "), (-100, "bending: midedge, ")):
        mid = run(f"strip{warm}{bending[9:12]}", f"""pliant: 1
units: {{length: mm}}
materials: {{steel: {{young: 200 GPa, poisson: 0.3, density: 7800 kg/m^3, expansion: 1.2e-5}}}}
bodies: [{{name: s, shell: {{mesh: {{grid: {{size: [100, 10], cells: [20, 2], pattern: irregular}}}}, material: steel, thickness: 1,
  {bending}temperature_through: {warm}}}}}]
fixed: [{{nodes: 's nearest [0, 0, 0]', fix: [x, y, z]}}, {{nodes: 's nearest [0, 10, 0]', fix: [x, z]}}, {{nodes: 's nearest [100, 0, 0]', fix: [z]}}]
watch: {{mid: 's nearest [50, 0, 0]'}}
analyses: [{{static: {{}}}}]
""", warned=True)[0]["displacement_m"]["mid"][2]  # warned: stresses are rounding
        k = 1.2e-5 * warm / 1e-3
        near(mid, (1 - math.cos(0.05 * k)) / k, 0.005, "rise of the middle")


@test
def swells_over_time():
    """A bar that is free at one end follows its temperature with the load factor, to half of it at the end."""
    (work / "warm.csv").write_text("time_s,factor\n0,0\n1,1\n2,0.5\n")
    scene = """pliant: 1
units: {length: mm}
materials: {steel: {young: 200 GPa, poisson: 0.3, density: 7800 kg/m^3, expansion: 1e-4}}
bodies: [{name: bar, solid: {mesh: {box: {size: [100, 10, 10], cells: [4, 1, 1]}}, material: steel, temperature: 100, swelling_over: warm.csv}}]
fixed: [{nodes: bar where x = 0, fix: [x]}, {nodes: bar where y = 0, fix: [y]}, {nodes: bar where z = 0, fix: [z]}]
watch: {end: 'bar nearest [100, 0, 0]'}
damping: {stiffness: 1e-6 s}
analyses: [{static: {steps: 4}}, {transient: {duration: 20 ms, step: 20 us}}]
"""
    static = run("warming", scene, warned=True)[0]
    near(static["displacement_m"]["end"][0], 0.5 * 0.01 * 0.1, 1e-6, "end in statics, at half of it")
    # a slow warming in time: the end follows, and the book knows the work of swelling
    (work / "warm.csv").write_text("time_s,factor\n0,0\n0.02,1\n1,1\n")
    motion = run("warmed", scene.replace("{static: {steps: 4}}, ", ""))[0]
    near(motion["range_last_fifth_m"]["end_x"][1] - 0.1, 0.01 * 0.1, 1e-3, "end at the end")
    assert abs(motion["energy_made_J"]) < 1e-5 * motion["energy_scale_J"], motion


@test
def profile_bends():
    """Warmer along z: an eight-layer bar bends as a strip does, but for the steps from layer to layer."""
    (work / "ramp.csv").write_text("time_s,factor\n0,0\n1,1\n")
    ramped = """pliant: 1
units: {length: mm}
materials: {steel: {young: 200 GPa, poisson: 0.3, density: 7800 kg/m^3, expansion: 1e-5}}
bodies: [{name: bar, solid: {mesh: {box: {size: [100, 4, 8], cells: [20, 1, 8]}}, material: steel, swelling_over: ramp.csv,
  profile: {axis: [0, 0, 1], at: [0, 8], temperature: [0, 80]}}}]
fixed: [{nodes: 'bar nearest [0, 0, 0]', fix: [x, y, z]}, {nodes: 'bar nearest [0, 4, 0]', fix: [x, z]}, {nodes: 'bar nearest [100, 0, 0]', fix: [z]}]
watch: {mid: 'bar nearest [50, 0, 0]'}
analyses: [{static: {}}]
"""
    # with the load factor, and at once; warned: layers differ
    for scene in (ramped, ramped.replace(" swelling_over: ramp.csv,", "")):
        found = run("profile", scene, warned=True)[0]
        near(found["displacement_m"]["mid"][2], 1e-5 * 80 / 8e-3 * 0.05**2 / 2, 0.02, "rise of the middle")
        assert found["newton_iterations"] < 150, found


@test
def fitted():
    """Constants from a file: told by check, and the same as those that made it."""
    rows = ["strain,stress_MPa"]
    for k in range(30):
        l = 1 + 0.05 * (k + 1)
        a = l * l + 2 / l - 3
        rows.append(f"{l - 1:.9f},{2 * (l - l**-2) * (0.3 - 0.02 * a + 0.003 * a * a):.9g}")
    (work / "tension.csv").write_text("\n".join(rows) + "\n")
    (work / "fit.yaml").write_text("""pliant: 1
materials: {rubber: {law: yeoh, fit: tension.csv, density: 1100 kg/m^3}}
bodies: [{name: b, solid: {mesh: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}, material: rubber}}]
fixed: b where x = 0
analyses: [{static: {}}]
""")
    p = subprocess.run([pliant, "check", work / "fit.yaml"], capture_output=True, text=True, timeout=60)
    assert p.returncode == 0, p.stderr
    got = re.search(r"c10 (\S+) Pa, c20 (\S+) Pa, c30 (\S+) Pa", p.stdout)
    assert got, p.stdout
    near([float(v) for v in got.groups()], [3e5, -1e4, 1e3], 1e-5, "constants")


finish()
