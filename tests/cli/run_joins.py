#!/usr/bin/env python3
"""Joins beside CalculiX on the same meshes: python3 run_joins.py PLIANT SOURCE_DIR WORK_DIR"""
import beside
from beside import ccx, displacement, finish, frequencies, test, work

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


@test
def rigid_bodies():
    coupled("rigid", "rigid", lambda ref, rot: [f"*RIGID BODY,NSET=END,REF NODE={ref},ROT NODE={rot}"])


@test
def couplings():
    coupled("spread", "spread", lambda ref, rot: [
        f"*COUPLING,REF NODE={ref},SURFACE=FACE,CONSTRAINT NAME=C\n*DISTRIBUTING\n1,6"])


finish()
