#!/usr/bin/env python3
"""Joins beside CalculiX on the same meshes: python3 run_joins.py PLIANT SOURCE_DIR WORK_DIR"""
import subprocess

import beside
from beside import ccx, displacement, finish, frequencies, pliant, test, work

MATERIAL = "*MATERIAL,NAME=M\n*ELASTIC\n1e9,0.3\n*DENSITY\n1000\n*SOLID SECTION,ELSET=EALL,MATERIAL=M\n"
HEAD = "pliant: 1\nunits: {length: mm}\nmaterials: {m: {young: 1 GPa, poisson: 0.3, density: 1000 kg/m^3}}\n"


def run(name, text):
    return beside.run(name, HEAD + text)


def column(name, file, key):
    rows = [line.split(",") for line in (work / name / f"{file}.csv").read_text().split()]
    at = next(i for i, word in enumerate(rows[0]) if word.startswith(key))
    return [float(row[at]) for row in rows[1:]]


class Box:
    """Hexahedra as the generator of scenes makes them, in metres."""

    def __init__(self, cells, size, at=0, node=1):
        n, self.node, self.cells = cells, {}, []
        self.X = []
        for k in range(n[2] + 1):
            for j in range(n[1] + 1):
                for i in range(n[0] + 1):
                    self.node[i, j, k] = node + len(self.X)
                    self.X.append((at + size[0] * i / n[0], size[1] * j / n[1], size[2] * k / n[2]))
        self.first, self.last = [], []
        for k in range(n[2]):
            for j in range(n[1]):
                for i in range(n[0]):
                    corner = [(0, 0), (1, 0), (1, 1), (0, 1)]
                    self.cells.append([self.node[i + a, j + b, k + c] for c in (0, 1) for a, b in corner])
                    if i == 0:
                        self.first.append(len(self.cells) - 1)
                    if i == n[0] - 1:
                        self.last.append(len(self.cells) - 1)
        self.left = [v for key, v in self.node.items() if key[0] == 0]
        self.right = [v for key, v in self.node.items() if key[0] == n[0]]


def model(*boxes):
    """Nodes and incompatible-mode hexahedra."""
    points = [x for b in boxes for x in b.X]
    cells = [c for b in boxes for c in b.cells]
    lines = ["*NODE"] + ["%d,%.12g,%.12g,%.12g" % (i + 1, *x) for i, x in enumerate(points)]
    lines += ["*ELEMENT,TYPE=C3D8I,ELSET=EALL"] + [",".join(map(str, [i + 1] + c)) for i, c in enumerate(cells)]
    lines += ["*NSET,NSET=LEFT"] + [f"{i}," for i in boxes[0].left] + [MATERIAL + "*BOUNDARY\nLEFT,1,3"]
    return lines


@test
def ties():
    # 3 x 3 faces on 2 x 2: CalculiX ties each node, pliant means over what lies opposite
    a = Box((12, 3, 3), (0.05, 0.02, 0.02))
    b = Box((12, 2, 2), (0.05, 0.02, 0.02), 0.05, len(a.X) + 1)
    lines = model(a, b) + ["*SURFACE,NAME=SLAVE"] + [f"{i + 1},S4" for i in a.last]
    lines += ["*SURFACE,NAME=MASTER"] + [f"{len(a.cells) + i + 1},S6" for i in b.first]
    lines += ["*TIE,NAME=T,POSITION TOLERANCE=1e-3\nSLAVE,MASTER", "*STEP\n*FREQUENCY\n6\n*END STEP"]
    want = frequencies(ccx("tie", lines))
    run("tie", """bodies:
  - {name: a, solid: {mesh: {box: {size: [50, 20, 20], cells: [12, 3, 3]}}, material: m}}
  - {name: b, solid: {mesh: {box: {size: [50, 20, 20], cells: [12, 2, 2]}}, translate: [50, 0, 0], material: m}}
fixed: a group left
joins: [{tie: a group right, faces: b group left}]
analyses: [{modes: {count: 6}}]
""")
    got = column("tie", "modes", "frequency")
    for f, w in zip(got, want):
        assert abs(f / w - 1) < 0.01, (got, want)


def coupled(name, kind, lines):
    """A force at a point 10 mm before the end of a beam, which it bends and turns: how the end's middle moves."""
    a = Box((20, 2, 2), (0.1, 0.01, 0.01))
    ref, rot, middle = len(a.X) + 1, len(a.X) + 2, a.node[20, 1, 1]
    all = model(a)
    all.insert(all.index("*ELEMENT,TYPE=C3D8I,ELSET=EALL"), f"{ref},0.11,0.005,0.005\n{rot},0.11,0.005,0.005")
    all += ["*NSET,NSET=END"] + [f"{i}," for i in a.right] + [f"*NSET,NSET=POINT\n{middle}"]
    if kind == "spread":
        all += ["*SURFACE,NAME=FACE"] + [f"{i + 1},S4" for i in a.last]
    all += lines(ref, rot) + [f"*STEP\n*STATIC\n*CLOAD\n{ref},2,0.1\n*NODE PRINT,NSET=POINT\nU\n*END STEP"]
    want = displacement(ccx(name, all), middle, last=True)
    run(name, f"""nodes: {{hub: [110, 5, 5]}}
bodies: [{{name: a, solid: {{mesh: {{box: {{size: [100, 10, 10], cells: [20, 2, 2]}}}}, material: m}}}}]
fixed: a group left
joins: [{{{kind}: hub, nodes: a group right}}]
loads: [{{node: hub, force: [0, 0.1 N, 0]}}]
watch: {{end: "a nearest [100, 5, 5]"}}
analyses: [static]
""")
    got = column(name, "static", "end_y")[-1] - 0.005
    assert abs(got / want[1] - 1) < 0.01, (name, got, want)


WELD = """weld: 0.01 mm
bodies:
  - {name: p, shell: {mesh: {grid: {size: [40, 40], cells: [4, 4]}}, thickness: 1, material: m}}
  - {name: %s, material: m}}
fixed: {nodes: p boundary and not q, clamp: yes}
analyses: []
"""


@test
def welds_that_are_hinges_are_reported():
    for body, said in (
            ("q, shell: {mesh: {grid: {size: [40, 20], cells: [4, 2]}}, thickness: 1, rotate: {axis: [1, 0, 0], angle: 90 deg}",
             "shell 'p' turns about shell 'q' along the line from"),
            ("q, solid: {mesh: {box: {size: [40, 20, 10], cells: [4, 2, 1]}}, rotate: {axis: [1, 0, 0], angle: 45 deg}",
             "shell 'p' turns about solid 'q' along the line from"),
            ("q, rod: {mesh: {line: {from: [20, 0, 0], to: [20, 0, 30]}}, section: {round: 2}",
             "rod 'q' hangs on shell 'p' by a ball joint at [0.02, 0, 0] m")):
        (work / "weld.yaml").write_text(HEAD + WELD % body)
        p = subprocess.run([pliant, "check", work / "weld.yaml"], capture_output=True, text=True, timeout=60)
        assert p.returncode == 0 and said in p.stderr + p.stdout and "instead of the weld" in p.stderr + p.stdout, p.stderr + p.stdout
    # a solid on a face of the sheet, and rods along it or among themselves, are no hinges
    for body in ("q, solid: {mesh: {box: {size: [40, 20, 10], cells: [4, 2, 1]}}",
                 "q, rod: {mesh: {line: {from: [0, 0, 0], to: [40, 0, 0], segments: 4}}, section: {round: 2}"):
        (work / "weld.yaml").write_text(HEAD + WELD % body)
        p = subprocess.run([pliant, "check", work / "weld.yaml"], capture_output=True, text=True, timeout=60)
        assert "a weld passes no moment" not in p.stderr + p.stdout, p.stderr


ANGLE = """bodies:
%s
fixed: {nodes: 'p where x < 1e-6 mm', clamp: yes}
loads: [{nodes: '%s where z > 19.99 mm', total: [0.02 N, 0, 0]}]
watch: {tip: '%s nearest [40, 5, 20]'}
analyses: [static: {book: no}]
"""


def angle(name, bodies, upper):
    run(name, ANGLE % (bodies, upper, upper))
    return column(name, "static", "tip_x")[-1] - 0.04


@test
def angle_of_sheets():
    # an edge that is tied to the border of another sheet, beside both in one mesh
    off = []
    for refine in (0, 2):
        flat = [(5 * i, y, 0) for i in range(9) for y in (0, 5, 10)]
        upright = [(40, y, 5 * k) for k in range(1, 5) for y in (0, 5, 10)]
        lines = ["v %g %g %g" % v for v in flat + upright]
        lines += ["f %d %d %d %d" % (a, a + 3, a + 4, a + 1) for i in range(12) for a in (3 * i + 1, 3 * i + 2)]
        (work / "angle.obj").write_text("\n".join(lines) + "\n")
        sheet = f"thickness: 1, material: m, refine: {refine}"
        want = angle("angle", f"  - {{name: p, shell: {{mesh: angle.obj, {sheet}}}}}", "p")
        got = angle("tied", f"""  - {{name: p, shell: {{mesh: {{grid: {{size: [40, 10], cells: [8, 2], pattern: right}}}}, {sheet}}}}}
  - name: q
    shell: {{mesh: {{grid: {{size: [20, 10], cells: [4, 2], pattern: right}}}}, {sheet}, rotate: {{axis: [0, 1, 0], angle: -90 deg}}, translate: [40, 0, 0]}}
joins: [{{tie: q group left, faces: p}}]""", "q")
        off.append(got / want - 1)
    print("     tied angle: " + " ".join(f"{v:+.1%}" for v in off))
    assert abs(off[0]) < 0.06 and abs(off[1]) < 0.02, off


@test
def rigid_bodies():
    coupled("rigid", "rigid", lambda ref, rot: [f"*RIGID BODY,NSET=END,REF NODE={ref},ROT NODE={rot}"])


@test
def couplings():
    coupled("spread", "spread", lambda ref, rot: [
        f"*COUPLING,REF NODE={ref},SURFACE=FACE,CONSTRAINT NAME=C\n*DISTRIBUTING\n1,6"])


finish()
