#!/usr/bin/env python3
"""run_convert.py PLIANT ROOT WORK: `pliant convert` and `pliant schema`, judged by numpy, meshio, gmsh (where it
is installed), CalculiX and jsonschema.

A mesh with every type of cell, with overlapping sets and fields, is written by numpy; all formats are made from it and
read back by pliant and by the other programs."""

import json
import os
import re
import shutil
import struct
import subprocess
import sys
import warnings
import zipfile

import numpy as np

PLIANT, ROOT, WORK = sys.argv[1], sys.argv[2], sys.argv[3]
failures = checks = 0
NVERT = {"line": 2, "triangle": 3, "quad": 4, "tetra": 4, "hexahedron": 8, "line3": 3, "triangle6": 6, "quad8": 8,
         "tetra10": 10, "hexahedron20": 20, "wedge": 6, "pyramid": 5, "wedge15": 15, "pyramid13": 13}
DIM = {n: 1 if n.startswith("line") else 2 if n[:4] in ("tria", "quad") else 3 for n in NVERT}


def check(ok, what):
    global failures, checks
    checks += 1
    if not ok:
        failures += 1
        print(f"FAILED: {what}")


def run(*args, code=0, quiet=False):
    """Runs pliant; returns its messages."""
    got = subprocess.run([PLIANT, *map(str, args)], capture_output=True, text=True, cwd=WORK)
    check(got.returncode == code, f"pliant {' '.join(map(str, args))}: code {got.returncode}, wanted {code}: {got.stderr[-400:]}")
    if quiet:
        check(got.stderr == "", f"pliant {' '.join(map(str, args))}: says {got.stderr[-300:]}")
    return got.stderr


def at(name):
    return os.path.join(WORK, name)


def write(name, text):
    with open(at(name), "w", encoding="utf-8") as f:
        f.write(text)
    return name


# ---- a mesh with everything ---------------------------------------------------------------------

CORNERS = {
    "line": [[0, 0, 0], [1, 0, 0]],
    "triangle": [[0, 0, 0], [1, 0, 0], [0, 1, 0]],
    "quad": [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]],
    "tetra": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "hexahedron": [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]],
    "wedge": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1]],
    "pyramid": [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [.5, .5, 1]]}
EDGES = {
    "line": [[0, 1]], "triangle": [[0, 1], [1, 2], [2, 0]], "quad": [[0, 1], [1, 2], [2, 3], [3, 0]],
    "tetra": [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]],
    "hexahedron": [[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4], [0, 4], [1, 5], [2, 6], [3, 7]],
    "wedge": [[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3], [0, 3], [1, 4], [2, 5]],
    "pyramid": [[0, 1], [1, 2], [2, 3], [3, 0], [0, 4], [1, 4], [2, 4], [3, 4]]}


def every_cell(digits):
    """Three cells of each type, side by side, bent a little; digits: None for all of them."""
    rng = np.random.default_rng(3)
    points, cells, n = [], {}, 0
    for row, (name, count) in enumerate(NVERT.items()):
        base = re.sub(r"\d+$", "", name)
        x = np.array(CORNERS[base], float)
        if count > len(x):
            x = np.vstack([x, [(x[a] + x[b]) / 2 for a, b in EDGES[base]]])
        for k in range(3):
            y = x + [2 * k, 2 * row, 0] + 0.02 * rng.standard_normal(x.shape)
            points.append(y if digits is None else np.round(y, digits))
            cells.setdefault(name, []).append(np.arange(n, n + count))
            n += count
    mesh = {"points": np.vstack(points)}
    for name, c in cells.items():
        mesh["cells/" + name] = np.array(c, np.int32)
        # of one name in all types, and one that overlaps it
        mesh[f"cell_sets/two/{name}"] = np.array([0, 2])
        mesh[f"cell_sets/last_{DIM[name]}/{name}"] = np.array([2])
        mesh[f"cell_data/energy/{name}"] = rng.standard_normal(3)
        mesh[f"cell_data/stress/{name}"] = rng.standard_normal((3, 6))
    mesh["point_sets/tip"] = np.array([0, 5, n - 1])
    mesh["point_sets/some"] = np.arange(3, 40)
    mesh["point_data/u"] = rng.standard_normal((n, 3))
    mesh["point_data/temperature"] = rng.standard_normal(n)
    return mesh


def load(name):
    with np.load(at(name), allow_pickle=False) as f:
        return {k: f[k] for k in f.files if k not in ("length_unit", "pliant_arrays")}


def cells_of(mesh):
    """Cells as sorted rows of vertices, with their types: their order does not matter."""
    return {k[6:]: sorted(map(tuple, v.tolist())) for k, v in mesh.items() if k.startswith("cells/")}


def sets_of(mesh):
    out = {}
    for k, v in mesh.items():
        part = k.split("/")
        if part[0] == "point_sets":
            out[("point", "/".join(part[1:]))] = sorted(v.tolist())
        if part[0] == "cell_sets":
            rows = mesh["cells/" + part[-1]]
            out[("cell", "/".join(part[1:-1]), part[-1])] = sorted(tuple(rows[i].tolist()) for i in v)
    return out


def fields_of(mesh):
    out = {}
    for k, v in mesh.items():
        part = k.split("/")
        if part[0] == "point_data":
            out[k] = v
        if part[0] == "cell_data":
            order = np.lexsort(mesh["cells/" + part[-1]].T)
            out[k] = v[order]
    return out


def same_mesh(a, b, what, fields=True, tol=0.0):
    check(a["points"].shape == b["points"].shape and
          np.max(np.abs(a["points"] - b["points"]) / (1 + np.abs(a["points"]))) <= tol, f"{what}: points")
    check(cells_of(a) == cells_of(b), f"{what}: cells")
    check(sets_of(a) == sets_of(b), f"{what}: sets {sorted(set(sets_of(a)) ^ set(sets_of(b)), key=str)[:4]}")
    if not fields:
        return
    fa, fb = fields_of(a), fields_of(b)
    check(fa.keys() == fb.keys(), f"{what}: names of fields")
    for k in fa.keys() & fb.keys():
        x, y = fa[k], fb[k]
        # MSH has tensors of nine components
        if x.ndim == 2 and x.shape[1] == 6 and y.ndim == 2 and y.shape[1] == 9:
            y = y[:, [0, 4, 8, 1, 5, 2]]
        check(x.shape == y.shape and np.array_equal(x, y), f"{what}: field {k}")


VARIANTS = [("vtu", []), ("msh", []), ("msh", ["--ascii"]), ("msh", ["--msh", "2.2"]),
            ("msh", ["--msh", "2.2", "--ascii"]), ("npz", []), ("inp", [])]


def test_every_cell():
    for digits in (None, 5):
        mesh = every_cell(digits)
        for save in (np.savez, np.savez_compressed):
            save(at("every.npz"), **mesh)
        for k, (ending, more) in enumerate(VARIANTS):
            name, what = f"every-{k}.{ending}", f"{ending} {' '.join(more)}"
            said = run("convert", "every.npz", name, *more)
            if ending == "inp":
                check("holds no fields" in said and "'stress'" in said and "'u'" in said, f"{what}: lost fields")
                check("EALL" in said and "C3D5" in said, f"{what}: what is told: {said}")
                check(("rounded" in said) == (digits is None), f"{what}: lost digits")
            else:
                check(said == "", f"{what}: says {said}")
            run("convert", name, "back.npz", quiet=ending != "inp")
            back = load("back.npz")
            if ending == "inp":
                back = {n: v for n, v in back.items() if "/EALL/" not in n}
            same_mesh(mesh, back, what, fields=ending != "inp", tol=1e-12 if ending == "inp" and digits is None else 0)
    # every format from every other
    for k, (ending, more) in enumerate(VARIANTS):
        for j, (other, _) in enumerate(VARIANTS[:4]):
            run("convert", f"every-{k}.{ending}", f"again.{other}", *VARIANTS[j][1], "-q")
            run("convert", f"again.{other}", "back.npz", "-q")
            back = {n: v for n, v in load("back.npz").items() if "/EALL/" not in n}
            same_mesh(mesh, back, f"{ending} to {other}", fields=False)


# ---- other programs read it ---------------------------------------------------------------------

def test_meshio():
    import meshio
    for k, (ending, more) in enumerate(VARIANTS):
        if ending == "npz":
            continue
        what = f"meshio, {ending} {' '.join(more)}"
        # meshio does not know all of them
        odd = ("pyramid", "wedge15", "triangle6", "line3") if ending == "inp" else ("wedge15", "pyramid13")
        every = every_cell(5)
        gone = [n for n in every if n.startswith("cells/") and n[6:].startswith(odd)]
        mesh = {n: v for n, v in every.items() if not any(n.endswith("/" + g[6:]) for g in gone)}
        # nor, in MSH, elements without a group, and fields of elements beside points or elements that stand there twice
        if ending == "msh":
            mesh = {n: v for n, v in mesh.items() if not n.startswith("cell_data")}
            for n in [n for n in mesh if n.startswith("cells/")]:
                mesh["cell_sets/whole/" + n[6:]] = np.arange(3)
        np.savez(at("some.npz"), **mesh)
        run("convert", "some.npz", "some." + ending, "-q", *more)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            got = meshio.read(at("some." + ending))
        check(np.array_equal(got.points, mesh["points"]), f"{what}: points")
        cells = {}
        for block in got.cells:
            if block.type != "vertex":
                cells.setdefault(block.type, []).extend(map(tuple, block.data.tolist()))
        for name, rows in cells_of(mesh).items():
            # elements of several groups of MSH 2.2 stand there several times
            check(sorted(set(cells.get(name, []))) == rows, f"{what}: {name}")
        if ending == "vtu":
            check(np.array_equal(got.point_data["u"], mesh["point_data/u"]), f"{what}: u")
            check(np.array_equal(np.flatnonzero(got.point_data["group:tip"]), mesh["point_sets/tip"]), f"{what}: tip")
        if ending == "msh" and "--msh" not in more:
            check(np.array_equal(got.point_data["temperature"].ravel(), mesh["point_data/temperature"]), f"{what}: t")
        if ending == "msh":
            check({"two", "tip", "last_3", "some"} <= set(got.field_data), f"{what}: names of groups")
        if ending == "inp":
            tip = {n.lower(): v for n, v in got.point_sets.items()}["tip"]
            check(sorted(tip.tolist()) == mesh["point_sets/tip"].tolist(), f"{what}: tip")


def test_vtk():
    """VTK reads every cell of a VTU file, with its shape: measures are those of the cells that were written."""
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(at("every-0.vtu"))
    reader.Update()
    grid = reader.GetOutput()
    mesh = every_cell(5)
    check(np.array_equal(vtk_to_numpy(grid.GetPoints().GetData()), mesh["points"]), "VTK: points")
    names = {3: "line", 5: "triangle", 9: "quad", 10: "tetra", 12: "hexahedron", 21: "line3", 22: "triangle6", 23: "quad8",
             24: "tetra10", 25: "hexahedron20", 13: "wedge", 14: "pyramid", 26: "wedge15", 27: "pyramid13"}
    got = {}
    for i in range(grid.GetNumberOfCells()):
        cell = grid.GetCell(i)
        got.setdefault(names[cell.GetCellType()], []).append(tuple(cell.GetPointId(k) for k in range(cell.GetNumberOfPoints())))
    # prisms of first order are turned the other way round there
    got["wedge"] = [tuple(np.array(v)[[0, 2, 1, 3, 5, 4]].tolist()) for v in got["wedge"]]
    check({n: sorted(v) for n, v in got.items()} == cells_of(mesh), "VTK: cells")
    # VTK measures them as they are meant
    size = vtk.vtkCellSizeFilter()
    size.SetInputData(grid)
    size.Update()
    volume = vtk_to_numpy(size.GetOutput().GetCellData().GetArray("Volume"))
    solid = [k for k in range(grid.GetNumberOfCells()) if names[grid.GetCellType(k)] in ("tetra", "hexahedron", "wedge", "pyramid")]
    check((volume[solid] > 0.1).all(), f"VTK: volumes {volume[solid]}")


def test_gmsh():
    """Gmsh reads what we write, and writes it again; that is read as the same mesh."""
    if not shutil.which("gmsh"):
        return
    mesh = every_cell(5)
    # it drops elements without a group
    for n in [n for n in mesh if n.startswith("cells/")]:
        mesh["cell_sets/whole/" + n[6:]] = np.arange(3)
    np.savez(at("whole.npz"), **mesh)
    number = {tuple(p): i for i, p in enumerate(mesh["points"].tolist())}
    for k, (ending, more) in enumerate(VARIANTS):
        if ending != "msh":
            continue
        run("convert", "whole.npz", "whole.msh", *more, quiet=True)
        got = subprocess.run(["gmsh", "-v", "2", "whole.msh", "-save", "-format", "msh22", "-o", "gmsh.msh"],
                             capture_output=True, text=True, cwd=WORK)
        check(got.returncode == 0 and "rror" not in got.stdout + got.stderr, f"gmsh {more}: {got.stdout[-300:]}")
        run("convert", "gmsh.msh", "back.npz", "-q")
        back = load("back.npz")
        to = np.array([number.get(tuple(p), -1) for p in back["points"].tolist()])
        check(len(to) == len(number) and (to >= 0).all(), f"gmsh {more}: points")
        for n in back:
            if n.startswith(("cells/", "point_sets/")):
                back[n] = to[back[n]]
        check(cells_of(back) == cells_of(mesh), f"gmsh {more}: cells")
        check(sets_of(back) == sets_of(mesh), f"gmsh {more}: sets")


def test_surfaces():
    """OBJ, STL, PLY and GLB hold the surface of a solid: its volume, and its groups in OBJ."""
    scene = write("cube.yaml", "pliant: 1\nbodies: [{name: b, solid: {mesh: {box: {size: [3, 2, 1], cells: [3, 2, 2]}}, "
                  "material: m}}]\nmaterials: {m: {young: 1 GPa, poisson: 0.3, density: 1000 kg/m^3}}\n"
                  "sets: {end: b where x = 0}\n")
    run("convert", scene, "cube.msh", quiet=True)
    for name, more in (("c.obj", []), ("c.stl", []), ("a.stl", ["--ascii"]), ("c.ply", []), ("a.ply", ["--ascii"])):
        said = run("convert", "cube.msh", name, *more)
        check("the surface is written" in said and "'end'" in said and "holds no sets of vertices" in said,
              f"{name}: told: {said}")
        run("convert", name, "back.npz")
        back = load("back.npz")
        x, t = back["points"], back["cells/triangle"]
        a, b, c = x[t[:, 0]], x[t[:, 1]], x[t[:, 2]]
        check(abs(np.sum(a * np.cross(b, c)) / 6 - 6) < 1e-12, f"{name}: volume")
        check(len(x) == 4 * 3 * 3 - 2, f"{name}: vertices, but for the two inside")
    run("convert", "cube.msh", "c.glb", "--unit", "mm")
    with open(at("c.glb"), "rb") as f:
        data = f.read()
    length = struct.unpack_from("<I", data, 12)[0]
    places = [a["max"] for a in json.loads(data[20:20 + length])["accessors"] if len(a.get("max", [])) == 3]
    check(any(np.allclose(most, [3e-3, 2e-3, 1e-3], rtol=1e-6) for most in places), f"GLB is in metres: {places}")
    # groups of faces on solids are groups of their surface
    mesh = brick_with_face()
    run("convert", mesh, "faces.obj")
    run("convert", "faces.obj", "back.npz")
    back = load("back.npz")
    x = back["points"][back["cells/triangle"][back["cell_sets/top/triangle"]]]
    check(len(x) == 2 and np.all(x[:, :, 2] == 1), "a group of quads on a solid is there in OBJ")


def brick_with_face():
    x = np.array(CORNERS["hexahedron"])
    np.savez(at("brick.npz"), points=x, **{"cells/hexahedron": [[0, 1, 2, 3, 4, 5, 6, 7]], "cells/quad": [[4, 5, 6, 7]],
                                           "cell_sets/top/quad": [0], "cell_sets/all/hexahedron": [0]})
    return "brick.npz"


# ---- options ------------------------------------------------------------------------------------

def test_options():
    np.savez(at("b.npz"), points=np.array(CORNERS["hexahedron"]) * 1.5,
             **{"cells/hexahedron": [[0, 1, 2, 3, 4, 5, 6, 7]], "cells/quad": [[4, 5, 6, 7]], "cell_sets/top/quad": [0],
                "point_sets/edge": [4, 5], "point_data/h": np.arange(8.0)})
    run("convert", "b.npz", "mm.npz", "--unit", "in", "--to-unit", "mm", quiet=True)
    check(np.allclose(load("mm.npz")["points"].max(), 38.1, rtol=1e-15), "inches to mm")
    with np.load(at("mm.npz")) as f:
        check(str(f["length_unit"]) == "mm", "the unit is told")
    check("--to-unit needs" in run("convert", "b.npz", "x.npz", "--to-unit", "mm", code=2), "unit unknown")
    check("unit of length" in run("convert", "b.npz", "x.npz", "--unit", "kg", code=2), "a mass is no length")
    said = run("convert", "b.npz", "solid.npz", "--dim", 3)
    got = load("solid.npz")
    check("'top'" in said and "cells/quad" not in got and got["point_sets/top"].tolist() == [4, 5, 6, 7], "--dim 3")
    run("convert", "b.npz", "two.npz", "--order", 2, quiet=True)
    two = load("two.npz")
    check(two["cells/hexahedron20"].shape == (1, 20) and two["cells/quad8"].shape == (1, 8) and
          len(two["points"]) == 20 and len(two["point_sets/edge"]) == 3, "--order 2")
    v = two["cells/hexahedron20"][0]
    for k, (a, b) in enumerate(EDGES["hexahedron"]):
        check(np.array_equal(two["points"][v[8 + k]], (two["points"][v[a]] + two["points"][v[b]]) / 2), "middle")
        check(two["point_data/h"][v[8 + k]] == (two["point_data/h"][v[a]] + two["point_data/h"][v[b]]) / 2, "field")
    run("convert", "two.npz", "one.npz", "--order", 1)
    same_mesh(load("b.npz"), load("one.npz"), "order 2 and back")
    # endings that mislead
    shutil.copy(at("every-1.msh"), at("every.txt"))
    run("convert", "every.txt", "every.dat", "--from", "msh", "--to", "vtu", quiet=True)
    with open(at("every.dat"), encoding="latin-1") as f:
        check("UnstructuredGrid" in f.read(200), "--to")


def test_wrong():
    for args, code, word in ((["nothing.msh", "x.vtu"], 5, "nothing.msh"), (["b.npz", "x.step"], 3, "obj stl ply"),
                             (["b.npz", "x"], 3, "obj stl ply"), (["b.npz", "no/such/x.npz"], 5, "no/such"),
                             (["b.npz", "x.npz", "--dim", "4"], 2, "--dim"), (["b.npz", "x.npz", "--dim", "1"], 3, "dimension 1"),
                             (["b.npz", "x.npz", "--order", "3"], 2, "--order"), (["b.npz", "x.msh", "--msh", "3"], 2, "--msh"),
                             (["b.npz", "x.npz", "--body", "b"], 2, "--body"), (["cube.yaml", "x.npz", "--body", "c"], 2, "'c'"),
                             (["cube.yaml", "x.npz", "--unit", "mm"], 2, "--unit"), ([".", "x.npz"], 3, "scene.yaml"),
                             (["b.npz"], 2, "argument"), (["every-0.vtu", "x.npz", "--from", "msh"], 3, "content"),
                             (["b.npz", "x.npz", "--from", "foo"], 2, "foo"), (["c.glb", "x.npz"], 3, "obj stl ply"),
                             (["part.step", "x.npz"], 3, "mesh it first"), (["gallery/nothing", "x.npz"], 3, "nothing")):
        said = run("convert", *args, code=code)
        check(word in said and "error" in said, f"{args}: {said}")
    check(not os.path.exists(at("x.npz")), "nothing is left of what failed")
    check(not [f for f in os.listdir(WORK) if ".tmp" in f], "no temporary files are left")


# ---- NumPy files that are wrong -----------------------------------------------------------------

def test_wrong_npz():
    good = {"points": np.array(CORNERS["tetra"], float), "cells/tetra": np.array([[0, 1, 2, 3]])}
    for name, change, word in (
            ("no points", {"points": None}, "points"), ("nan", {"points": good["points"] * np.nan}, "finite"),
            ("range", {"cells/tetra": np.array([[0, 1, 2, 4]])}, "out of range"),
            ("negative", {"cells/tetra": np.array([[0, 1, 2, -1]])}, "out of range"),
            ("shape", {"cells/tetra": np.array([[0, 1, 2]])}, "(n, 4)"), ("real", {"cells/tetra": np.array([[0., 1, 2, 3]])}, "integers"),
            ("type", {"cells/tetrahedron": good["cells/tetra"]}, "tetra10"), ("objects", {"points": np.array([None, 1])}, "not read"),
            ("complex", {"points": good["points"] * 1j}, "not read"), ("set", {"point_sets/a": np.array([7])}, "out of range"),
            ("flat", {"points": np.arange(12.0)}, "(n, 3)"), ("empty", {"cells/tetra": np.zeros((0, 4), int)}, "no lines")):
        arrays = {k: v for k, v in {**good, **change}.items() if v is not None}
        np.savez(at("wrong.npz"), **arrays)
        said = run("convert", "wrong.npz", "x.vtu", code=3)
        check(word in said and "wrong.npz" in said, f"npz, {name}: {said}")
    # orders, byte orders and types of numbers that NumPy writes
    for kind in (">f8", "<f4", "<i2", ">i8", "|u1"):
        np.savez(at("kind.npz"), points=np.asfortranarray(good["points"].astype(kind)), **{"cells/tetra": good["cells/tetra"].astype(
            kind if "i" in kind or "u" in kind else ">u4")})
        run("convert", "kind.npz", "back.npz", quiet=True)
        same_mesh(good, load("back.npz"), f"npz of {kind}")
    # bytes that are cut off or damaged, and one that claims to be more than it can be
    np.savez_compressed(at("good.npz"), **good)
    with open(at("good.npz"), "rb") as f:
        data = f.read()
    for n in range(0, len(data), 37):
        with open(at("cut.npz"), "wb") as f:
            f.write(data[:n])
        run("convert", "cut.npz", "x.vtu", code=3)
    with zipfile.ZipFile(at("bomb.npz"), "w", zipfile.ZIP_DEFLATED) as z:
        head = b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '<f8', 'fortran_order': False, 'shape': (20000000, 3), }".ljust(117) + b"\n"
        with z.open("points.npy", "w", force_zip64=True) as f:
            f.write(head)
            for _ in range(480):
                f.write(bytes(1000000))
    said = run("convert", "bomb.npz", "x.vtu", code=3)
    check("cannot come from" in said, f"zip bomb: {said}")


# ---- Abaqus and CalculiX ------------------------------------------------------------------------

DECK = """** a deck as preprocessors write them
*Heading
 two bars
*Part, name="Part-1"
*NODE, NSET=Nall
{nodes}
*Element, type=C3D8R, ELSET="bar one"
{first}
*ELEMENT,
 TYPE=C3D8,
 ELSET=second
{second}
*NSET, NSET=left, GENERATE
1, 10, 3
*Nset, nset=corner, internal, unsorted
  1,
** in between
  4 , 2

*NSET,NSET=both
LEFT, Corner
*elset, elset=ends
"bar one", 3
*ELEMENT, TYPE=MASS, ELSET=lumps
90, 1
*NSET, NSET=of_elements, ELSET=second
*Surface, name=front, type=ELEMENT
second, S3
*End Part
*Assembly, name=A
*Instance, name=Part-1-1, part="Part-1"
*End Instance
*Nset, nset=named, instance=Part-1-1
 2, 5
*Nset, nset=qualified
 Part-1-1.2, PART-1-1.left
*End Assembly
*Material, name=steel
*Elastic
2.1e11, 0.3
*Include, input=more.inp
*STEP
*STATIC
*END STEP
"""


def test_inp():
    # two rows of bricks along x, nodes from 1 in threes of four
    nodes, elements, number = [], [], 1
    for i in range(4):
        for y, z in ((0, 0), (1, 0), (1, 1), (0, 1)):
            nodes.append(f"{number}, {i}., {y}, {z}.D0")
            number += 1
    for e in range(3):
        a = 4 * e + 1
        v = [a, a + 4, a + 5, a + 1, a + 3, a + 7, a + 6, a + 2]
        elements.append(f"{e + 1}, " + ", ".join(map(str, v[:5])) + ",\n " + ", ".join(map(str, v[5:])))
    write("more.inp", "** a file of its own\n*NSET, NSET=Included\n16\n")
    write("deck.inp", DECK.format(nodes="\n".join(nodes), first=elements[0], second="\n".join(elements[1:])))
    said = run("convert", "deck.inp", "deck.npz")
    for word in ("*MATERIAL", "*STEP", "C3D8R", "MASS", "surface becomes"):
        check(word in said, f"deck: {word} is told: {said}")
    got = load("deck.npz")
    want = {"Nall": list(range(16)), "left": [0, 3, 6, 9], "corner": [0, 1, 3], "both": [0, 1, 3, 6, 9],
            "of_elements": list(range(4, 16)), "named": [1, 4], "qualified": [0, 1, 3, 6, 9], "Included": [15],
            "front": [4, 7, 8, 11, 12, 15]}
    for name, members in want.items():
        check(got.get("point_sets/" + name, np.array([])).tolist() == members, f"deck: set {name}: {got.get('point_sets/' + name)}")
    for name, members in {"bar one": [0], "second": [1, 2], "ends": [0, 2]}.items():
        check(got.get(f"cell_sets/{name}/hexahedron", np.array([])).tolist() == members, f"deck: set {name}")
    check("new numbers" not in said, "deck: its numbers stay")
    write("numbers.inp", "*NODE\n10,0,0,0\n20,1,0,0\n30,0,1,0\n*ELEMENT,TYPE=S3\n7,10,20,30\n")
    check("new numbers" in run("convert", "numbers.inp", "numbers.npz"), "new numbers are told")
    # names that CalculiX cannot take get others, and are told
    said = run("convert", "deck.npz", "deck2.inp")
    check("'bar one' is called 'bar_one'" in said, f"deck: names: {said}")


def ccx_frequencies(name):
    with open(at(name), encoding="utf-8") as f:
        mesh = f.read()
    write("job.inp", mesh + "*MATERIAL, NAME=steel\n*ELASTIC\n2.1e11, 0.3\n*DENSITY\n7800\n*SOLID SECTION, ELSET=part, MATERIAL="
          "steel\n*BOUNDARY\nroot, 1, 3\n*STEP\n*FREQUENCY\n4\n*END STEP\n")
    subprocess.run(["ccx", "job"], cwd=WORK, capture_output=True, text=True)
    with open(at("job.dat"), encoding="utf-8") as f:
        rows = [line.split() for line in f if re.match(r"^ +\d+ +[\d.]+E", line)]
    return [float(r[3]) for r in rows[:4]]


def test_ccx():
    """A bar of prisms of second order, and one of tetrahedra: CalculiX finds the same frequencies on what was converted
    through other formats, and pliant those of its own scene on the same mesh."""
    n = (6, 2, 2)
    grid = np.stack(np.meshgrid(*[np.arange(2 * k + 1) for k in n], indexing="ij"), -1).reshape(-1, 3)
    number = {tuple(p): i for i, p in enumerate(grid.tolist())}
    cells = []
    for i, j, k in np.ndindex(*n):
        o = 2 * np.array([i, j, k])
        for tri in ([(0, 0), (2, 0), (2, 2)], [(0, 0), (2, 2), (0, 2)]):
            x = [o + (a, b, 0) for a, b in tri] + [o + (a, b, 2) for a, b in tri]
            x += [(x[a] + x[b]) // 2 for a, b in EDGES["wedge"]]
            cells.append([number[tuple(p)] for p in np.array(x).tolist()])
    used = np.unique(cells)
    to = -np.ones(len(grid), int)
    to[used] = np.arange(len(used))
    points = grid[used] * [0.01, 0.005, 0.004]
    np.savez(at("bar.npz"), points=points, **{"cells/wedge15": to[np.array(cells)], "cell_sets/part/wedge15": np.arange(len(cells)),
             "point_sets/root": np.flatnonzero(points[:, 0] == 0)})
    run("convert", "bar.npz", "bar.inp", quiet=True)
    first = ccx_frequencies("bar.inp")
    check(len(first) == 4 and first[0] > 100, f"ccx runs on wedges: {first}")
    for name in ("bar.msh", "bar.vtu"):
        run("convert", "bar.inp", name, quiet=True)
        run("convert", name, "again.inp", quiet=True)
        check(ccx_frequencies("again.inp") == first, f"ccx, wedges through {name}")
    # tetrahedra of second order from pliant's own scene
    write("bar.yaml", "pliant: 1\nunits: {length: m}\nmaterials: {steel: {young: 210 GPa, poisson: 0.3, density: 7800 kg/m^3}}\n"
          "bodies: [{name: bar, solid: {mesh: bar-tets.npz, material: steel, formulation: plain}}]\nfixed: bar group root\n"
          "analyses: [{modes: {count: 4}}]\n")
    write("box.yaml", "pliant: 1\nunits: {length: m}\nmaterials: {steel: {young: 210 GPa, poisson: 0.3, density: 7800 kg/m^3}}\n"
          "bodies: [{name: part, solid: {mesh: {box: {size: [0.12, 0.02, 0.016], cells: [6, 2, 2], cell: tet}}, material: steel}}]\n"
          "sets: {root: part where x = 0}\n")
    run("convert", "box.yaml", "bar-tets.npz", quiet=True)
    tets = load("bar-tets.npz")
    tets["cell_sets/part/tetra10"] = np.arange(len(tets["cells/tetra10"]))
    np.savez(at("bar-tets.npz"), **tets)
    run("run", "bar.yaml", "-o", "bar.results", "-q")
    with open(at("bar.results/summary.json"), encoding="utf-8") as f:
        ours = json.load(f)["analyses"][0]
    run("convert", "bar-tets.npz", "tets.inp")
    theirs = ccx_frequencies("tets.inp")
    mine = ours["frequency_Hz"][:4]
    check(np.allclose(mine, theirs, rtol=1e-3), f"ccx and pliant on one mesh: {theirs} {mine}")


# ---- scenes and results -------------------------------------------------------------------------

def test_scene_and_results():
    write("two.yaml", """pliant: 1
units: {length: mm}
materials: {pla: {young: 3 GPa, poisson: 0.35, density: 1240 kg/m^3}}
bodies:
  - {name: sheet, shell: {mesh: {grid: {size: [40, 20], cells: [4, 2]}}, material: pla, thickness: 1}}
  - {name: block, solid: {mesh: {box: {size: [4, 2, 2], cells: [2, 1, 1]}}, material: pla, translate: [0, 0, 9]}}
sets: {tip: sheet where x > 39}
fixed: [{nodes: sheet where x < 1, clamp: yes}, block where x < 1]
loads: [{nodes: tip, force: [0, 0, 0.001 N]}]
watch: {t: sheet nearest [40, 0, 0]}
analyses: [{static: {steps: 2}}, {modes: {count: 3}}, {transient: {duration: 4 ms, step: 1 ms}}]
output: {frames: 4, npz: yes}
""")
    run("convert", "two.yaml", "two.vtu", quiet=True)
    run("convert", "two.vtu", "two.npz", quiet=True)
    both = load("two.npz")
    check("point_sets/tip" in both and "point_sets/sheet.left" in both and np.isclose(both["points"][:, 0].max(), 0.04), "scene")
    run("convert", "two.yaml", "block.npz", "--body", "block", "--to-unit", "mm", quiet=True)
    block = load("block.npz")
    check([k for k in block if k.startswith("cells/")] == ["cells/hexahedron"] and
          np.isclose(block["points"][:, 2].min(), 9) and "point_sets/block.left" in block, f"a body of a scene: {sorted(block)}")
    run("run", "two.yaml", "-o", "two.results", "-q")
    run("convert", "two.results", "packed.npz", quiet=True)
    with open(at("packed.npz"), "rb") as a, open(at("two.results/results.npz"), "rb") as b:
        mine, theirs = a.read(), b.read()
    check(len(theirs) > 1000, "output: {npz: yes}")
    f = np.load(at("packed.npz"), allow_pickle=False)
    g = np.load(at("two.results/results.npz"), allow_pickle=False)
    check(sorted(f.files) == sorted(g.files) and all(np.array_equal(f[k], g[k], equal_nan=f[k].dtype.kind == "f") for k in f.files),
          "packed by the run and afterwards")
    with open(at("two.results/summary.json"), encoding="utf-8") as s:
        summary = json.load(s)
    check(json.loads(str(f["summary"])) == summary, "summary")
    check(float(f["figures/static/load_factor"]) == summary["analyses"][0]["load_factor"], "a figure")
    table = np.genfromtxt(at("two.results/transient.csv"), delimiter=",", names=True)
    for column in table.dtype.names:
        if column.endswith("_1"):  # two supports have one name: numpy counts from the second one
            check(np.array_equal(f["tables/transient/" + column[:-1] + "2"], table[column]), f"column {column}")
            continue
        check(np.array_equal(f["tables/transient/" + column], table[column]), f"column {column}")
    n = len(f["motions/transient/time_s"])
    check(f["motions/transient/points"].shape == (n, len(both["points"]), 3) and n >= 4, "frames")
    import meshio
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        last = meshio.read(at("two.results/transient/frame-%04d.vtu" % (n - 1)))
        static = meshio.read(at("two.results/static.vtu"))
    check(np.array_equal(f["motions/transient/points"][-1], last.points) and
          np.array_equal(f["motions/transient/point_data/velocity"][-1], last.point_data["velocity"]), "the last frame")
    check(np.array_equal(f["shapes/static/point_data/displacement"], static.point_data["displacement"]), "a shape")
    check("results become NumPy files" in run("convert", "two.results", "x.vtu", code=2), "results to VTU")


# ---- schema -------------------------------------------------------------------------------------

WRONG = {
    "key": "pliant: 1\nbodys: []", "below": "pliant: 1\nbodies: [{name: a, shell: {mesh: a.obj, materal: b}}]",
    "format": "pliant: 2", "no format": "title: a", "unit": "pliant: 1\nmaterials: {a: {young: 3 kg}}",
    "no unit": "pliant: 1\nmaterials: {a: {young: 3 foo bar}}", "range": "pliant: 1\nmaterials: {a: {poisson: 0.7}}",
    "negative": "pliant: 1\nmaterials: {a: {young: -3}}", "choice": "pliant: 1\nmaterials: {a: {law: rubber}}",
    "analysis": "pliant: 1\nanalyses: [{statics: {}}]", "two": "pliant: 1\nanalyses: [{static: {}, modes: {}}]",
    "option": "pliant: 1\nanalyses: [{static: {step: 3}}]", "whole": "pliant: 1\nanalyses: [{modes: {count: 2.5}}]",
    "list": "pliant: 1\nbodies: wing", "needed": "pliant: 1\nbodies: [{name: a, shell: {material: b}}]",
    "name": "pliant: 1\nparameters: {1a: {value: 3}}", "flag": "pliant: 1\noutput: {csv: maybe}",
    "vector": "pliant: 1\ngravity: [0, 0, 0, 1]", "units": "pliant: 1\nunits: {lenght: mm}", "dimension": "pliant: 1\ndimension: 4"}


def yaml_reader():
    """YAML 1.2 as editors read it: no is a text, 1e3 a number."""
    import yaml

    class Reader(yaml.SafeLoader):
        yaml_implicit_resolvers = {}
    for kind, form, first in (("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"), ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
                              ("int", r"[-+]?[0-9]+", "-+0123456789"),
                              ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789")):
        Reader.add_implicit_resolver("tag:yaml.org,2002:" + kind, re.compile(f"^(?:{form})$"), list(first))
    Reader.add_constructor("tag:yaml.org,2002:float", lambda r, node: float(r.construct_scalar(node)))
    Reader.add_constructor("tag:yaml.org,2002:int", lambda r, node: int(r.construct_scalar(node)))
    return lambda text: yaml.load(text, Reader), yaml.YAMLError


def scenes():
    """All scenes of the repository that are right, with their texts."""
    for folder in ("gallery", "scenes", "examples", "tests/scene", "tests/golden", "tests/job", "bench"):
        for top, dirs, files in os.walk(os.path.join(ROOT, folder)):
            dirs[:] = [d for d in dirs if d not in ("bad", "node_modules", "parts")]
            for name in files:
                if name.endswith((".yaml", ".yml")) or (name.endswith(".json") and folder == "scenes"):
                    with open(os.path.join(top, name), encoding="utf-8") as f:
                        yield os.path.join(top, name), f.read()
    for name in sorted(os.listdir(os.path.join(ROOT, "docs"))):
        # those on additions speak of kinds that are not there yet
        if name.endswith(".md") and not name.startswith("add-"):
            with open(os.path.join(ROOT, "docs", name), encoding="utf-8") as f:
                text = f.read()
            for block in re.findall(r"(?m)^```(?:yaml)?\n(pliant: 1\n.*?)^```", text, re.S):
                yield name, block
            for block in re.findall(r"(?m)(?:^    pliant: 1\n(?:    .*\n|\n)*)", text):
                yield name, re.sub(r"(?m)^    ", "", block)
    starters = subprocess.run([PLIANT, "list", "starters", "--json"], capture_output=True, text=True).stdout
    for name in json.loads(starters)["starters"]:
        yield "starter " + name, subprocess.run([PLIANT, "new", name], capture_output=True, text=True).stdout


def test_schema():
    import jsonschema
    text = subprocess.run([PLIANT, "schema"], capture_output=True, text=True).stdout
    schema = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(schema)
    judge = jsonschema.Draft202012Validator(schema)
    read, error = yaml_reader()
    count = unread = 0
    for name, scene in scenes():
        try:
            value = read(scene)
        except error:
            unread += 1  # libfyaml takes [ ] in plain words of { }, PyYAML does not
            continue
        if not isinstance(value, dict) or "pliant" not in value:
            continue
        count += 1
        wrong = [f"{list(e.absolute_path)} {e.message[:120]}" for e in judge.iter_errors(value)]
        check(not wrong, f"schema: {name}: {wrong[:2]}")
    check(count > 100 and unread < 30, f"schema: {count} scenes, {unread} not read")
    for name, scene in WRONG.items():
        check(not judge.is_valid(read(scene)), f"schema takes a wrong scene: {name}")
        write("wrong.yaml", scene + "\n")
        got = subprocess.run([PLIANT, "check", at("wrong.yaml")], capture_output=True, text=True)
        check(got.returncode == 3, f"pliant takes the wrong scene {name}")
    # what completes: texts, defaults, choices
    static = schema["$defs"]["static"]["properties"]
    check(all("description" in v for v in static.values()) and "default" in static["steps"], "texts and defaults")


# ---- all ----------------------------------------------------------------------------------------

def main():
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK)
    only = sys.argv[4:]
    for name, test in list(globals().items()):
        if name.startswith("test_") and (not only or name[5:] in only or name == "test_every_cell"):
            test()
    print(f"{checks} checks, {failures} failed")
    return failures > 0


sys.exit(main())
