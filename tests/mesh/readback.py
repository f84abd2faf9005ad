#!/usr/bin/env python3
"""readback.py DIR: reads what make_samples wrote into DIR with VTK and meshio and compares exactly.

VTU and PVD: points, cells and fields, bit for bit, by both readers. OBJ and PLY of surfaces: points
and faces by meshio (double) and by VTK (float). Of solids and in STL: a closed surface whose enclosed
volume is the box's."""

import json
import os
import sys
import xml.etree.ElementTree as xml

import meshio
import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy

VTK_TYPE = {"segment": 3, "triangle": 5, "quad": 9, "tet": 10, "hex": 12}
MESHIO_TYPE = {"segment": "line", "triangle": "triangle", "quad": "quad", "tet": "tetra",
               "hex": "hexahedron"}
failures = 0
checks = 0


def check(ok, what):
    global failures, checks
    checks += 1
    if not ok:
        failures += 1
        print(f"FAILED: {what}")


def same(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return a.shape == b.shape and np.array_equal(a, b)


def load(folder, name):
    with open(os.path.join(folder, name + ".json"), encoding="utf-8") as f:
        want = json.load(f)
    want["points"] = np.array(want["points"], dtype=float)
    want["cells"] = {k: np.array(v, dtype=int) for k, v in want["cells"].items() if v}
    return want


# ---- VTU ----------------------------------------------------------------------------------------

def vtu_by_vtk(path, want):
    reader = vtk.vtkXMLUnstructuredGridReader()
    problems = []
    reader.AddObserver("ErrorEvent", lambda *a: problems.append(a))
    reader.SetFileName(path)
    reader.Update()
    grid = reader.GetOutput()
    check(not problems, f"{path}: VTK reports an error")
    check(same(vtk_to_numpy(grid.GetPoints().GetData()), want["points"]), f"{path}: VTK points")
    got = {}
    for i in range(grid.GetNumberOfCells()):
        cell = grid.GetCell(i)
        ids = [cell.GetPointId(k) for k in range(cell.GetNumberOfPoints())]
        got.setdefault(cell.GetCellType(), []).append(ids)
    for kind, code in VTK_TYPE.items():
        check(same(got.get(code, []), want["cells"].get(kind, [])), f"{path}: VTK {kind} cells")
    for data, names in ((grid.GetPointData(), want["point_data"]),
                        (grid.GetCellData(), want["cell_data"])):
        check(data.GetNumberOfArrays() == len(names), f"{path}: VTK field count")
        for name, values in names.items():
            array = data.GetArray(name)
            check(array is not None and same(vtk_to_numpy(array), values),
                  f"{path}: VTK field '{name}'")


def vtu_by_meshio(path, want):
    mesh = meshio.read(path)
    check(same(mesh.points, want["points"]), f"{path}: meshio points")
    got = {}
    for block in mesh.cells:
        got.setdefault(block.type, []).extend(block.data.tolist())
    for kind, name in MESHIO_TYPE.items():
        check(same(got.get(name, []), want["cells"].get(kind, [])), f"{path}: meshio {kind} cells")
    for name, values in want["point_data"].items():
        check(same(mesh.point_data[name], values), f"{path}: meshio field '{name}'")
    for name, values in want["cell_data"].items():
        check(same(np.concatenate(mesh.cell_data[name]), values), f"{path}: meshio field '{name}'")


def pvd(folder, path):
    root = xml.parse(path).getroot()
    check(root.get("type") == "Collection", f"{path}: type")
    sets = root.findall("Collection/DataSet")
    check([float(d.get("timestep")) for d in sets] == [0, 0.1, 1 / 3], f"{path}: times")
    for step in sets:
        name = step.get("file")
        vtu_by_vtk(os.path.join(folder, name), load(folder, name[:-4]))


# ---- surfaces -----------------------------------------------------------------------------------

def polys_of(data):
    points = vtk_to_numpy(data.GetPoints().GetData())
    cells = []
    for i in range(data.GetNumberOfCells()):
        cell = data.GetCell(i)
        cells.append([cell.GetPointId(k) for k in range(cell.GetNumberOfPoints())])
    return points, cells


def by_vtk(reader, path):
    reader.SetFileName(path)
    reader.Update()
    return polys_of(reader.GetOutput())


def faces_of(mesh):
    return [row for block in mesh.cells for row in block.data.tolist()]


def closed_volume(points, faces):
    """sum of the tets to the origin, and whether every edge runs once in each direction"""
    edges = set()
    volume = 0
    for f in faces:
        for k in range(len(f)):
            edges.add((f[k], f[(k + 1) % len(f)]))
        a, b, c = (points[k] for k in f)
        volume += np.dot(a, np.cross(b, c)) / 6
    return volume, len(edges) == 3 * len(faces) and all((b, a) in edges for a, b in edges)


def flat_files(folder, name, want):
    kind = "triangle" if "triangle" in want["cells"] else "quad"
    faces = want["cells"][kind].tolist()
    for ending, reader in (("obj", vtk.vtkOBJReader()), ("ply", vtk.vtkPLYReader())):
        path = os.path.join(folder, f"{name}.{ending}")
        mesh = meshio.read(path)
        check(same(mesh.points, want["points"]), f"{path}: meshio points")
        check(faces_of(mesh) == faces, f"{path}: meshio faces")
        points, cells = by_vtk(reader, path)
        check(same(points, want["points"].astype(np.float32)), f"{path}: VTK points")
        check(cells == faces, f"{path}: VTK faces")
    path = os.path.join(folder, name + ".stl")
    corners = want["points"].astype(np.float32)
    mesh = meshio.read(path)
    points, cells = by_vtk(vtk.vtkSTLReader(), path)
    for who, p, c in (("meshio", mesh.points, faces_of(mesh)), ("VTK", points, cells)):
        p = np.asarray(p, dtype=np.float32)
        if kind == "triangle":
            check(same(p[np.array(c)], corners[np.array(faces)]), f"{path}: {who} triangles")
        else:
            area = sum(np.linalg.norm(np.cross(p[b] - p[a], p[d] - p[a])) / 2 for a, b, d in c)
            check(len(c) == 2 * len(faces) and abs(area - 0.7) < 1e-6, f"{path}: {who} triangles")


def solid_files(folder, name):
    volume = 0.3 * 0.7 * 1.1
    for ending, reader, tolerance in (("obj", vtk.vtkOBJReader(), 1e-13),
                                      ("ply", vtk.vtkPLYReader(), 1e-13),
                                      ("stl", vtk.vtkSTLReader(), 1e-6)):
        path = os.path.join(folder, f"{name}.{ending}")
        mesh = meshio.read(path)
        points, faces = by_vtk(reader, path)
        check(len(faces) == 4 * (3 * 2 + 2 * 4 + 4 * 3), f"{path}: VTK triangle count")
        got, closed = closed_volume(points.astype(float), faces)
        check(closed and abs(got - volume) < 1e-6 * volume, f"{path}: VTK volume {got}")
        got, closed = closed_volume(np.asarray(mesh.points, dtype=float), faces_of(mesh))
        closed = closed or ending == "stl"
        check(closed and abs(got - volume) < tolerance * volume, f"{path}: meshio volume {got}")


def groups(folder, name, want):
    """cells of each group by a plain reading of the OBJ text"""
    got, active, count = {}, [], 0
    with open(os.path.join(folder, name + ".obj"), encoding="utf-8") as f:
        for line in f:
            word = line.split()
            if word[0] == "g":
                active = word[1:]
            elif word[0] in "fl":
                for group in active:
                    got.setdefault(group, []).append(count)
                count += 1
    check(got == want["sets"], f"{name}.obj: groups")


def main():
    folder = sys.argv[1]
    names = sorted(n[:-4] for n in os.listdir(folder) if n.endswith(".vtu"))
    check(len(names) == 10, f"ten VTU files, got {len(names)}")
    for name in names:
        want = load(folder, name)
        vtu_by_vtk(os.path.join(folder, name + ".vtu"), want)
        vtu_by_meshio(os.path.join(folder, name + ".vtu"), want)
    for name in ("grid", "large", "quads", "chain"):
        groups(folder, name, load(folder, name))
    for name in ("grid", "large", "quads"):
        flat_files(folder, name, load(folder, name))
    for name in ("tets", "hexes"):
        solid_files(folder, name)
    pvd(folder, os.path.join(folder, "series.pvd"))
    print(f"{checks - failures} passed, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
