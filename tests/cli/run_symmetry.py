#!/usr/bin/env python3
"""Halves and quarters held by symmetry beside the whole and CalculiX: python3 run_symmetry.py PLIANT SOURCE_DIR WORK_DIR"""
import numpy as np

import beside
from beside import ccx, displacement, finish, frequencies, test, work

HEAD = """pliant: 1
units: {length: m}
materials: {m: {young: 2 GPa, poisson: 0.3, density: 1200 kg/m^3}}
"""


def run(name, text, code=0, err=()):
    return beside.run(name, HEAD + text, code, err, True)


def mirrored(X, cells, axis, swap):
    """A mesh and its image in the plane through the origin, joined there."""
    Y = X.copy()
    Y[:, axis] *= -1
    own = np.where(np.abs(X[:, axis]) < 1e-12, np.arange(len(X)), 0)
    apart = np.abs(X[:, axis]) >= 1e-12
    own[apart] = len(X) + np.arange(apart.sum())
    return np.vstack([X, Y[apart]]), np.vstack([cells, own[cells][:, swap]])


def ridge(n, slope):
    """A surface of second order over x and y in 0..1, with this slope where x = 0: triangles of six nodes."""
    X, cells = [], []
    for j in range(2 * n + 1):
        for i in range(2 * n + 1):
            x, y = i / (2 * n), j / (2 * n)
            X.append((x, y, slope * x + 0.1 * x * x + 0.05 * y * y))
    at = lambda i, j: (2 * n + 1) * j + i
    for j in range(0, 2 * n, 2):
        for i in range(0, 2 * n, 2):
            a, b, c, d, m = at(i, j), at(i + 2, j), at(i + 2, j + 2), at(i, j + 2), at(i + 1, j + 1)
            cells += [[a, b, c, at(i + 1, j), at(i + 2, j + 1), m], [a, c, d, m, at(i + 1, j + 2), at(i, j + 1)]]
    return np.array(X), np.array(cells)


SWAP = [0, 2, 1, 5, 4, 3]  # an image turns triangles over


def write(name, X, cells, kind="S6"):
    lines = ["*NODE"] + ["%d,%.15g,%.15g,%.15g" % (i + 1, *x) for i, x in enumerate(X)] + [f"*ELEMENT,TYPE={kind}"]
    lines += [",".join(str(v) for v in (e + 1, *(row + 1))) for e, row in enumerate(cells)]
    (work / f"{name}.inp").write_text("\n".join(lines) + "\n")


def shell(name, support, rest, thickness=0.01, more=""):
    return f"""bodies: [{{name: b, shell: {{mesh: {name}.inp, material: m, thickness: {thickness}{more}}}}}]
fixed: {support}
{rest}"""


CLAMP = "{nodes: b where y < 1e-6, clamp: yes}"
PLANE = "{name: middle, nodes: b where x < 1e-6 and x > -1e-6, symmetry: x}"


def beside_whole(name, half, whole, exact=1e-7):
    """Displacements of probes, and frequencies of the half among those of the whole."""
    a, b = run(f"{name}-half", half), run(f"{name}-whole", whole)
    for one, other in zip(a, b):
        if one["kind"] == "modes":
            f, all_ = one["frequency_Hz"], np.array(other["frequency_Hz"])
            for v in f:
                near = np.abs(all_ / v - 1).min()
                assert near < exact, f"{name}: {v} Hz is none of {all_}"
            continue
        size = max(np.abs(v).max() for v in other["displacement_m"].values())
        for probe, u in one["displacement_m"].items():
            by = np.abs(np.array(u) - other["displacement_m"][probe]).max() / size
            print(f"     {name}, {one['kind']}, {probe}: {u} differs by {by:.1e}")
            assert by < exact, f"{name}, {probe}: {u}, whole {other['displacement_m'][probe]}"
    return a, b


@test
def half_of_a_ridge():
    # bends far, keeps the fold that it has at rest; the clamped line ends in the plane
    X, cells = ridge(4, 0.3)
    write("ridge-half", X, cells)
    write("ridge-whole", *mirrored(X, cells, 0, SWAP))
    watch = "watch: {top: 'b nearest [0, 1, 0.05]', side: 'b nearest [1, 1, 0.45]', mid: 'b nearest [0.5, 0.5, 0.2]'}\n"
    rest = lambda f, n: watch + f"""gravity: [0, 0, -60 m/s^2]
loads: [{{node: 'b nearest [0, 1, 0.05]', force: [0, 0, {f}]}}]
analyses: [static: {{}}, modes: {{count: {n}, about: static}}]
"""
    a, _ = beside_whole("ridge", shell("ridge-half", f"[{CLAMP}, {PLANE}]", rest(-10, 3), 0.002), shell("ridge-whole", CLAMP, rest(-20, 7), 0.002))
    assert abs(a[0]["displacement_m"]["side"][2]) > 0.1, a[0]["displacement_m"]
    assert "middle" in a[0]["reactions"], list(a[0]["reactions"])


@test
def half_of_a_ridge_in_motion():
    X, cells = ridge(2, 0.3)
    write("moving-half", X, cells)
    write("moving-whole", *mirrored(X, cells, 0, SWAP))
    rest = """gravity: [0, 0, -9.81 m/s^2]
damping: {stiffness: 1e-3 s}
watch: {top: 'b nearest [0, 1, 0.05]', side: 'b nearest [1, 1, 0.45]'}
analyses: [transient: {duration: 0.05 s, step: 1e-3 s}]
"""
    tables = []
    for name, support in (("moving-half", f"[{CLAMP}, {PLANE}]"), ("moving-whole", CLAMP)):
        run(name, shell(name, support, rest))
        rows = [row.split(",") for row in (work / name / "transient.csv").read_text().splitlines() if row[:1] != "#"]
        places = [k for k, title in enumerate(rows[0]) if title.startswith(("top", "side"))]
        assert len(places) >= 6, rows[0]
        tables.append(np.array([[float(row[k]) for k in places[:6]] for row in rows[1:]]))
    off = np.abs(tables[0] - tables[1]).max() / np.abs(tables[1]).max()
    print(f"     moving ridge differs by {off:.1e}")
    assert len(tables[0]) > 40 and off < 1e-6, off


@test
def quarter_of_a_plate():
    # two planes meet in the middle
    X, cells = ridge(3, 0)
    X[:, 2] = 0
    half = mirrored(X, cells, 0, SWAP)
    write("plate-half", X, cells)
    write("plate-whole", *mirrored(*half, 1, SWAP))
    edge = "{nodes: b where x > 0.999999 or y > 0.999999 or x < -0.999999 or y < -0.999999, fix: [z]}"
    stay = "{nodes: 'b nearest [0, 0, 0]', fix: [x, y]}, {nodes: 'b nearest [1, 0, 0]', fix: [y]}"
    rest = lambda n: f"""loads: [{{faces: b, pressure: 200 Pa}}]
watch: {{mid: 'b nearest [0, 0, 0]', off: 'b nearest [0.5, 0.5, 0]'}}
analyses: [static: {{}}, modes: {{count: {n}}}]
"""
    planes = f"{PLANE}, {{nodes: b where y < 1e-6 and y > -1e-6, symmetry: y}}"
    beside_whole("plate", shell("plate-half", f"[{edge}, {planes}]", rest(2)), shell("plate-whole", f"[{edge}, {stay}]", rest(12)), 1e-6)


def arch(n):
    """Of rods, clamped at its feet, pushed at its top: how far the half is away from the whole."""
    X = lambda phi: [0.5 * np.cos(phi), 0, 0.5 * np.sin(phi)]
    body = lambda name, b, n: (work / f"{name}.obj").write_text(
        "".join("v %.15g %.15g %.15g\n" % tuple(X(b * i / n)) for i in range(n + 1)) + "".join(f"l {i + 1} {i + 2}\n" for i in range(n)))
    body("arch-half", np.pi / 2, n)
    body("arch-whole", np.pi, 2 * n)
    rest = lambda f, count: f"""loads: [{{node: 'b nearest [0, 0, 0.5]', force: [0, {0.2 * f}, {-f}]}}]
watch: {{top: 'b nearest [0, 0, 0.5]', flank: 'b nearest {[round(v, 12) for v in X(np.pi / 4)]}'}}
analyses: [static: {{}}, modes: {{count: {count}, about: static}}]
"""
    rod = lambda name: f"bodies: [{{name: b, rod: {{mesh: {name}.obj, material: m, section: {{round: 0.01}}}}}}]\n"
    feet = "{nodes: b where z < 1e-9, clamp: yes}"
    a = run("arch-half", rod("arch-half") + f"fixed: [{feet}, {PLANE}]\n" + rest(2, 2))
    b = run("arch-whole", rod("arch-whole") + f"fixed: {feet}\n" + rest(4, 6))
    u, v = (np.array([x[0]["displacement_m"][k] for k in ("top", "flank")]) for x in (a, b))
    f, all_ = a[1]["frequency_Hz"], np.array(b[1]["frequency_Hz"])
    assert np.abs(u).max() > 0.02, u
    return np.abs(u - v).max() / np.abs(v).max(), max(np.abs(all_ / x - 1).min() for x in f)


@test
def half_of_an_arch():
    # its top turns about the normal alone; an end bends by another formula than nodes between two edges do, so that both agree to second order
    coarse, fine = np.array(arch(12)), np.array(arch(24))
    print(f"     arch of 12 and 24 edges: displacements {coarse[0]:.1e} {fine[0]:.1e}, frequencies {coarse[1]:.1e} {fine[1]:.1e}")
    assert fine.max() < 1e-3 and (coarse > 3 * fine).all(), (coarse, fine)


@test
def half_of_a_solid():
    at = lambda i, j, k: 3 * (5 * k + j) + i
    X = np.array([(i / 4, j / 4, k / 5) for k in range(2) for j in range(5) for i in range(3)])
    cells = np.array([[at(i + a, j + b, k) for k in (0, 1) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))] for j in range(4) for i in range(2)])
    write("hex-half", X, cells, "C3D8")
    write("hex-whole", *mirrored(X, cells, 0, [1, 0, 3, 2, 5, 4, 7, 6]), "C3D8")
    body = lambda name: f"bodies: [{{name: b, solid: {{mesh: {name}.inp, material: m}}}}]\n"
    rest = lambda n: f"""gravity: [0, 0, -300 m/s^2]
watch: {{top: 'b nearest [0, 1, 0.2]', side: 'b nearest [0.5, 1, 0]'}}
analyses: [static: {{}}, modes: {{count: {n}, about: static}}]
"""
    held = "{nodes: b where y < 1e-6}"
    beside_whole("solid", body("hex-half") + f"fixed: [{held}, {PLANE}]\n" + rest(3), body("hex-whole") + f"fixed: {held}\n" + rest(6))


@test
def half_of_a_ridge_beside_calculix():
    # small displacements; beside the whole of S6
    X, cells = ridge(6, 0)
    write("s6", X, cells)
    found = run("s6-half", shell("s6", f"[{CLAMP}, {PLANE}]", """gravity: [0, 0, -0.1 m/s^2]
watch: {top: 'b nearest [0, 1, 0.05]'}
analyses: [static: {}, modes: {count: 3}]
""", 0.03))
    X, cells = mirrored(X, cells, 0, SWAP)
    write("s6-whole", X, cells)
    own = lambda name, nodes: [f"*NSET,NSET={name}"] + [f"{i + 1}," for i in nodes]
    tip = int(np.argmin(np.abs(X - [0, 1, 0.05]).sum(axis=1))) + 1
    deck = (work / "s6-whole.inp").read_text().splitlines()
    deck[-len(cells) - 1] += ",ELSET=B"
    deck += own("ROOT", np.flatnonzero(X[:, 1] < 1e-6)) + own("TIP", [tip - 1])
    deck += ["*BOUNDARY", "ROOT,1,6", "*MATERIAL,NAME=M", "*ELASTIC", "2e9,0.3", "*DENSITY", "1200",
             "*SHELL SECTION,ELSET=B,MATERIAL=M", "0.03", "*STEP", "*STATIC", "*DLOAD", "B,GRAV,0.1,0,0,-1", "*NODE PRINT,NSET=TIP", "U", "*END STEP",
             "*STEP", "*FREQUENCY", "8", "*END STEP"]
    dat = ccx("s6-deck", deck)
    u, want = found[0]["displacement_m"]["top"][2], displacement(dat, tip)[2]
    f, all_ = found[1]["frequency_Hz"], np.array(frequencies(dat, 8))
    by = [min(v / all_ - 1, key=abs) for v in f]
    print(f"     half beside S6: tip {u / want - 1:+.1e}, frequencies", " ".join(f"{x:+.1e}" for x in by))
    assert abs(u / want - 1) < 0.02 and np.abs(by).max() < 0.02, (u, want, f, all_)


@test
def wrong_planes_are_reported():
    X, cells = ridge(2, 0.3)
    write("bad", X, cells)
    write("both", *mirrored(X, cells, 0, SWAP))
    rest = "analyses: [static: {}]\n"
    say = lambda name, support, err, mesh="bad", extra=rest, more="": run(name, shell(mesh, support, extra, more=more), 3, err)
    say("off-plane", f"[{CLAMP}, {{nodes: b where x < 0.6, symmetry: x}}]", ["symmetry: ", "along x", "in one plane"])
    say("both-sides", f"[{CLAMP}, {PLANE}]", ["on both sides of the plane", "cut the model"], "both")
    say("clamped", f"[{CLAMP}, {{nodes: b where x < 1e-6, symmetry: x, clamp: yes}}]", ["leave out fix, clamp and off"])
    say("other", f"[{CLAMP}, {{nodes: b where x < 1e-6, symmetry: q}}]", ["symmetry cannot be 'q'", "no x y z"])
    say("crossing", f"[{PLANE}]", ["moves nodes of the plane along x"],
        extra="drives: [{nodes: b where y < 1e-6, translation: [0.01, 0, 0]}]\n" + rest)
    say("released", f"[{CLAMP}, {PLANE}]", ["is a plane of symmetry, which stays"],
        extra="analyses: [static: {}, static: {name: free, change: {middle: off}}]\n")


finish()
