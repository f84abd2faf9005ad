#!/usr/bin/env python3
"""The command as a user meets it: python3 run_cli.py PLIANT SOURCE_DIR WORK_DIR"""
import csv
import json
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

from fresh import fresh

pliant, source, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
fresh(work)
DONE, INTERNAL, USAGE, INPUT, UNSOLVED, IO, VALIDATION, INTERRUPTED = 0, 1, 2, 3, 4, 5, 6, 130
tests = []


def test(fn):
    tests.append(fn)
    return fn


def run(*args, code=DONE, err=(), out=(), cwd=work, stdin=None):
    """Runs pliant; checks the exit code and fragments of its output; returns standard output."""
    p = subprocess.run([pliant, *map(str, args)], capture_output=True, text=True, cwd=cwd, timeout=300, input=stdin)
    what = "pliant " + " ".join(map(str, args))
    assert p.returncode == code, f"{what}: exit code {p.returncode}, wanted {code}\n{p.stderr}"
    for part in [err] if isinstance(err, str) else err:
        assert part in p.stderr, f"{what}: no '{part}' in\n{p.stderr}"
    for part in [out] if isinstance(out, str) else out:
        assert part in p.stdout, f"{what}: no '{part}' in\n{p.stdout}"
    return p.stdout


def scene(name, text):
    path = work / name
    path.write_text(text)
    return path


OSCILLATOR = """pliant: 1
dimension: 1
nodes: {m: 0}
masses: [{node: m, mass: 1 kg}]
springs: [{nodes: [ground, m], stiffness: 100 N/m, cubic: 5 N/m^3, damping: 0.4 N.s/m}]
loads: [{node: m, force: [1 N], harmonic: 1, phase: 90 deg}]
watch: {m: m}
analyses:
  - transient: {frequency: 8 rad/s, periods: %d, steps_per_period: 200}
"""


@test
def help_and_version():
    run("--help", out=["run", "check", "Exit codes", "130"])
    run("run", "--help", out=["--output", "--resume", "--set PATH=VALUE"])
    run("help", "check", out="--json")
    run("--version", out=["pliant ", "BLAS kernels"])
    assert "Prescott" not in run("--version"), "OpenBLAS fell back to its oldest kernels"


@test
def wrong_use():
    run(code=USAGE)
    run("rnu", code=USAGE, err=["unknown command 'rnu'", "did you mean 'pliant run'"])
    run("run", code=USAGE, err="missing argument")
    run("run", "--fast", "a.yaml", code=USAGE, err="unknown option '--fast'")
    run("run", "a.yaml", "b.yaml", code=USAGE, err="too many arguments")
    run("run", "a.yaml", "--threads", "many", code=USAGE, err="--threads")
    run("run", "a.yaml", "--output", code=USAGE, err="needs a value")
    run("new", "shel", code=USAGE, err="did you mean 'shell'")
    run("list", "things", code=USAGE, err="unknown list")
    run("completion", "tcsh", code=USAGE, err="bash")


@test
def missing_and_unreadable_files():
    run("run", "no-such.yaml", code=IO, err=["no-such.yaml", "cannot open"])
    run("check", work, code=IO, err="directory")
    path = scene("out.yaml", OSCILLATOR % 1)
    (work / "a-file").write_text("")
    run("run", path, "-o", work / "a-file" / "x", code=IO, err="folder")


@test
def lists_are_whole():
    known = json.loads(run("list", "--json"))
    for name in ("tet4", "hinge", "spring1", "monomial"):
        assert name in known["elements"]
    assert list(known["analyses"])[:3] == ["static", "modes", "transient"]
    assert "analyses.static.rtol" in run("list", "paths")


@test
def gallery_and_objectives():
    known = json.loads(run("list", "--json"))
    assert known["gallery"]["three-link-leg"] == "three-link leg", known["gallery"]
    assert list(known["objectives"])[:2] == ["amplitude", "trajectory"]
    # from anywhere by its name, as a folder, as a file
    for word in ("gallery/three-link-leg", source / "gallery/three-link-leg", source / "gallery/three-link-leg/scene.yaml"):
        run("check", word, out="parameter  m_toe")
    run("check", "gallery/nothing", code=IO)
    run("check", work, code=IO)


@test
def explore():
    path = scene("explore.yaml", """pliant: 1
dimension: 1
parameters: {m: {value: 1 kg, min: 0.2 kg, max: 5 kg}}
nodes: {m: 0}
masses: [{node: m, mass: $m}]
springs: [{nodes: [ground, m], stiffness: 100 N/m, damping: 0.4 N.s/m}]
loads: [{node: m, force: [1 N], harmonic: 1}]
watch: {tip: m}
analyses: [{periodic: {frequency: 8 rad/s, harmonics: 1}}]
""")

    def size(mass, k=100):
        return 4 / abs(k - 64 * mass + 3.2j)
    run("explore", path, out=["parameter", "d(tip)", "amplitude (mm)"])
    assert (work / "explore.explore/report.html").exists()
    figures = json.loads(run("explore", path, "--set", "m=1.05kg", "-o", work / "ex", "--json"))["analyses"][0]
    assert abs(figures["amplitude"]["tip"]["solved_m"] / size(1.05) - 1) < 1e-8
    assert "solved" in run("explore", path, "--along", "amplitude:m=5%", "--frequency", "7rad/s")
    # a path is an override of the scene, a name is a parameter
    figures = json.loads(run("explore", path, "-s", "springs.0.stiffness=90N/m", "-s", "m=1.05kg", "--json"))["analyses"][0]
    assert abs(figures["amplitude"]["tip"]["solved_m"] / size(1.05, 90) - 1) < 1e-8
    run("explore", path, "--set", "m=9kg", code=INPUT, err="--set m=9kg: error: set: 'm' is not between its bounds")
    # what is given is a value, whatever stands in it
    run("explore", path, "--set", "m='1", code=INPUT, err="--set m='1: error: m must be a mass")
    run("explore", path, "--set", "n=9kg", code=INPUT, err=["'n' is not among the parameters", "known: m"])
    run("explore", path, "--set", "m", code=USAGE, err="--set m1=2g")
    run("explore", path, "--along", "tip=3", code=USAGE, err="amplitude:tip=0.5")
    run("explore", path, "--set", "analyses=[]", code=INPUT)
    path = scene("silent.yaml", path.read_text().split("analyses")[0])
    run("explore", path, code=USAGE, err="nothing says the frequency")


@test
def design_from_the_command_line():
    path = scene("design-start.yaml", """pliant: 1
dimension: 1
parameters: {m: {value: 1 kg, min: 0.2 kg, max: 5 kg}}
nodes: {m: 0}
masses: [{node: m, mass: $m}]
springs: [{nodes: [ground, m], stiffness: 100 N/m}]
loads: [{node: m, force: [1 N], harmonic: 1}]
analyses: [{design: {frequency: 10 rad/s, harmonics: 1, objectives: [{amplitude: max, node: m}]}}]
""")
    run("run", path, code=UNSOLVED, err="no steady motion")
    out = run("run", path, "--set", "analyses.design.frequency=8rad/s", "--set", "damping.mass=0.4 1/s", "--json")
    figures = json.loads(out)["analyses"][0]
    assert abs(figures["variables"]["m"]["after"] - 100 / 64) < 0.01 and figures["verified"], figures
    run("run", path, "--set", "analyses.design.objectives=[]", code=INPUT, err="no objectives")


@test
def starters_run():
    for name in json.loads(run("list", "starters", "--json"))["starters"]:
        path = scene(f"{name}.yaml", run("new", name))
        run("check", path, out="patch" if name == "interlocking" else "nodes")
        folder = work / f"{name}.results"
        out = run("run", path.name)
        assert "report.html" in out
        summary = json.loads((folder / "summary.json").read_text())
        assert summary["status"] == "done" and not summary["messages"], summary
        html = (folder / "report.html").read_text()
        assert "<svg" in html and "http://" not in html.replace("http://www.w3.org", ""), name
        # the scene as run is a scene that gives the same model
        again = json.loads(run("check", folder / "scene.yaml", "--json"))
        first = json.loads(run("check", path, "--json"))
        assert again["unknowns"] == first["unknowns"] and again["elements"] == first["elements"]


@test
def generated_texts():
    man = run("man")
    assert ".SH EXIT STATUS" in man and ".SS pliant run SCENE" in man
    script = work / "completion.bash"
    script.write_text(run("completion", "bash"))
    subprocess.run(["bash", "-n", str(script)], check=True)
    words = subprocess.run(["bash", "-c", f"source {script}; COMP_WORDS=(pliant ru); COMP_CWORD=1; _pliant; echo ${{COMPREPLY[@]}}"],
                           capture_output=True, text=True).stdout.split()
    assert words == ["run"], words
    reference = (source / "docs/scene-reference.md").read_text()
    assert run("reference") == reference, "docs/scene-reference.md is old: pliant reference > docs/scene-reference.md"


@test
def same_numbers_every_time():
    path = scene("same.yaml", run("new", "shell"))
    for name, more in (("a", []), ("b", []), ("one", ["--threads", "1"])):
        run("run", path, "-o", work / name, *more)
    for file in ("static.csv", "modes.csv", "static.vtu"):
        first = (work / "a" / file).read_bytes()
        assert first == (work / "b" / file).read_bytes(), file
        assert first == (work / "one" / file).read_bytes(), file + " on one thread"


@test
def overrides():
    path = scene("set.yaml", OSCILLATOR % 3)
    run("run", path, "-o", work / "set", "--set", "analyses.transient.periods=2", "-s", "masses.0.mass=2kg")
    summary = json.loads((work / "set/summary.json").read_text())
    assert summary["analyses"][0]["periods"] == 2 and summary["model"]["mass_kg"] == 2
    assert summary["set"] == ["analyses.transient.periods=2", "masses.0.mass=2kg"]
    run("check", path, "--set", "analyses.transient.preiods=2", code=INPUT, err=["preiods", "periods"])
    run("check", path, "--set", "nonsense", code=INPUT)
    # entries that are a bare word
    bare = scene("bare.yaml", run("new", "shell").split("analyses:")[0] + "analyses: [static, modes]\n")
    run("check", bare, "--set", "analyses.static.max_iter=7", "--set", "analyses.1.count=3")
    run("check", bare, "--set", "analyses.static.max_itr=7", code=INPUT, err=["max_itr", "max_iter"])
    run("check", bare, "--set", "analyses.statc.max_iter=7", code=INPUT, err=["no 'statc'", "did you mean 'static'"])
    before = (work / "set/summary.json").read_bytes()
    run("run", path, "-o", work / "set", "--only", "transint", code=INPUT, err=["no analysis 'transint'", "did you mean 'transient'"])
    assert before == (work / "set/summary.json").read_bytes(), "a mistake overwrote results"


@test
def not_converged_keeps_results():
    path = scene("hard.yaml", run("new", "shell"))
    run("run", path, "-o", work / "hard", "--set", "analyses.static.max_iter=1", "--set", "analyses.static.cuts=0",
        code=UNSOLVED, err="did not converge")
    summary = json.loads((work / "hard/summary.json").read_text())
    assert summary["status"] == "not converged" and (work / "hard/report.html").exists()


@test
def nonsense_mechanics():
    path = scene("loose.yaml", """pliant: 1
units: {length: mm}
materials: {m: {young: 1 GPa, poisson: 0.3, density: 1000 kg/m^3}}
bodies: [{name: b, solid: {order: 1, mass: lumped, mesh: {box: {size: [10, 10, 10], cells: [1, 1, 1], cell: tet}}, material: m}}]
gravity: [0, 0, -9.81 m/s^2]
analyses: [{static: {}}]
""")
    run("run", path, "-o", work / "loose", code=INPUT, err=["6 modes without stiffness", "fix more nodes"])
    path = scene("massless.yaml", """pliant: 1
dimension: 1
nodes: {a: 0, b: 0}
masses: [{node: a, mass: 1 kg}]
springs: [{nodes: [ground, a], stiffness: 1 N/m}]
loads: [{node: b, force: [1 N]}]
analyses: [{transient: {duration: 1 s, step: 0.1 s}}]
""")
    run("run", path, "-o", work / "massless", code=INPUT, err="mass")


@test
def interrupt_and_resume():
    path = scene("long.yaml", OSCILLATOR % 20000)
    whole, parts = work / "whole", work / "parts"
    run("run", path, "-o", whole, "--set", "analyses.transient.periods=4000")
    p = subprocess.Popen([pliant, "run", str(path), "-o", str(parts)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    # wait until it is under way: the folder holds the scene as run
    for _ in range(2000):
        if (parts / "scene.yaml").exists():
            break
        time.sleep(0.005)
    time.sleep(0.05)
    p.send_signal(signal.SIGINT)
    err = p.communicate(timeout=60)[1]
    assert p.returncode == INTERRUPTED, (p.returncode, err)
    assert "interrupted" in err
    summary = json.loads((parts / "summary.json").read_text())
    done = summary["analyses"][0]["periods"]
    assert summary["status"] == "cancelled" and 0 <= done < 20000, summary
    # go on to the length of the uninterrupted run, or past it if the signal came late
    if done < 4000:
        run("run", path, "-o", parts, "--resume", "--set", "analyses.transient.periods=4000")
        assert (parts / "transient.csv").read_bytes() == (whole / "transient.csv").read_bytes(), "resumed run differs"
    other = scene("other.yaml", (OSCILLATOR % 10).replace("nodes: {m: 0}", "nodes: {m: 0, n: 0}"))
    run("run", other, "-o", parts, "--resume", code=INPUT, err="another scene")
    run("run", path, "-o", parts, "--resume", "--set", "masses.0.mass=2kg", code=INPUT, err="another scene")


def read_csv(path):
    lines = path.read_text().splitlines()
    return lines[0], [[float(x) for x in line.split(",")] for line in lines[1:]]


@test
def validate_points():
    # any point of any model, with all digits; within the protocol's bar of the master curve
    path = work / "c.csv"
    run("validate", "cantilever", "--model", "rod", "--at", "0.37,12,4500", "--csv", path, out=["cantilever", "OK"])
    head, rows = read_csv(path)
    assert head == "Gamma,H_over_W,master", head
    assert [r[0] for r in rows] == [0.37, 12, 4500]
    for _, value, master in rows:
        assert abs(value / master - 1) < 0.01 and value != master
    # H/W -> Gamma/8 for small loads; the first model is the default
    run("validate", "cantilever", "--at", "0.01", "--csv", path)
    assert abs(read_csv(path)[1][0][1] / (0.01 / 8) - 1) < 0.01
    run("validate", "lateral-buckling", "--model", "midedge", "-r", "24", "--at", "0.5", "--csv", path)
    head, rows = read_csv(path)
    assert head == "w_over_L,Gamma_star_c,master", head
    assert abs(rows[0][1] / rows[0][2] - 1) < 0.02 and abs(rows[0][2] / 20.81 - 1) < 1e-3
    # nothing but the table is written
    assert not list(work.glob("*.validation"))


@test
def validate_folder_and_verdicts():
    out = run("validate", "locking", "--quick", "-o", work / "locking", out=["KO (expected)", "report.html"])
    good = ["rod", "midedge", "hinge", "scene-shell", "scene-shell-irregular", "scene-tet", "scene-hex"]
    assert out.count("OK") == len(good) and out.count("KO") == 1, out
    summary = json.loads((work / "locking/summary.json").read_text())
    assert summary["status"] == "done" and summary["surprises"] == 0
    assert {s["model"]: s["verdict"] for s in summary["scores"]} == {**{name: "OK" for name in good}, "hex8": "KO"}
    assert (work / "locking/locking-rod.svg").exists() and "<svg" in (work / "locking/report.html").read_text()
    head, rows = read_csv(work / "locking/locking-validation.csv")
    assert head.startswith("h_over_L,master,rod_") and len(rows) == 3
    # a mesh that is too coarse for the layer at the clamp: KO, and it was not expected
    run("validate", "cantilever", "-m", "rod", "-r", "20", "--at", "1e4", code=VALIDATION, out="KO", err="not as expected")
    # a negative control passes nothing it should; asking it for chosen points is no mistake
    run("validate", "cantilever", "-m", "hex8", "--at", "1", out="KO (expected)")
    # where the bar does not count, nothing is judged
    run("validate", "cantilever", "-m", "rod", "--at", "5e4", out="not judged")
    scores = json.loads(run("validate", "vibration", "-m", "rod", "--at", "100", "--json"))["scores"]
    value, master = scores[0]["points"][0]["value"], scores[0]["points"][0]["master"]
    assert len(value) == 3 and all(abs(a / b - 1) < 0.01 for a, b in zip(value, master))


@test
def validate_wrong_use():
    run("validate", "cantilevr", code=USAGE, err=["no protocol 'cantilevr'", "did you mean 'cantilever'"])
    run("validate", "cantilever", "--model", "rdo", code=USAGE, err=["no model 'rdo'", "did you mean 'rod'"])
    run("validate", "cantilever", "--at", "1,x", code=USAGE, err=["--at", "0.37,12,4500"])
    run("validate", "cantilever", "--at", "", code=USAGE, err="--at")
    run("validate", "cantilever", "--at", "1e9", code=USAGE, err="Gamma must lie in")
    run("validate", "--at", "1", code=USAGE, err="one protocol")
    run("validate", "--csv", "c.csv", code=USAGE, err="one protocol")
    run("validate", "cantilever", "--nu", "0.7", code=USAGE, err="Poisson")
    run("validate", "cantilever", "--nu", "much", code=USAGE, err="--nu")
    run("validate", "cantilever", "--resolution", "2", code=USAGE, err="resolution must be")
    run("validate", "cantilever", "--resolution", "2.5", code=USAGE, err="--resolution")
    run("validate", "cantilever", "--resolution", "15", "-m", "rod", code=USAGE, err="rod: resolution must be 20 to 2000, got 15")
    run("validate", "cantilever", "--threads", "0", code=USAGE, err="--threads")
    (work / "no-folder").write_text("")
    run("validate", "cantilever", "--quick", "-o", work / "no-folder" / "x", code=IO, err="folder")
    run("validate", "cantilever", "-m", "rod", "--at", "1", "--csv", work / "no-folder" / "c.csv", code=IO)
    assert "cantilever" in json.loads(run("list", "protocols", "--json"))["protocols"]


@test
def validate_what_has_such_cells():
    out = run("validate", "cantilever", "--resolution", "15", "--at", "0.5", err="rod is left out: its resolution must be 20 to 2000")
    assert "scene-midedge " in out and "scene-rod" not in out, out


@test
def validate_interrupted():
    folder = work / "stopped"
    p = subprocess.Popen([pliant, "validate", "cantilever", "--model", "rod", "-r", "2000", "-o", str(folder)],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(2000):
        if folder.exists():
            break
        time.sleep(0.005)
    time.sleep(0.3)
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=60)
    assert p.returncode == INTERRUPTED, (p.returncode, err)
    assert "interrupted" in err and "not judged" in out
    assert json.loads((folder / "summary.json").read_text())["status"] == "cancelled"
    assert (folder / "report.html").exists()


SHEET = """pliant: 1
units: {length: mm}
materials: {pla: {young: 3300 MPa, poisson: 0.3, density: 1240 kg/m^3}}
bodies: [{name: sheet, shell: {bending: hinge, mesh: %s, material: pla, thickness: 1%s}}]
fixed: sheet where x < 1
gravity: [0, 0, -9.81 m/s^2]
analyses: [{static: {}}]
"""


def stl(path, n=3, noise=1e-3):
    """A square of triangles, each written by itself, corners off by some noise."""
    value = 1
    text = "solid a\n"
    for i in range(n):
        for k in range(n):
            q = [(i, k), (i + 1, k), (i + 1, k + 1), (i, k + 1)]
            for t in ((0, 1, 2), (0, 2, 3)):
                text += "facet normal 0 0 1\nouter loop\n"
                for c in t:
                    point = []
                    for x in (*q[c], 0):
                        value = value * 16807 % 2147483647
                        point.append(30 * x + noise * (2 * value / 2147483647 - 1))
                    text += "vertex %.9g %.9g %.9g\n" % tuple(point)
                text += "endloop\nendfacet\n"
    path.write_text(text + "endsolid a\n")


@test
def check_reports_what_it_understood():
    s = scene("beam.yaml", """pliant: 1
units: mm-N-MPa
materials: {steel: {young: 210000, poisson: 0.3, density: 7.85e-9}}
bodies: [{name: beam, solid: {formulation: plain, mass: lumped, mesh: {box: {size: [100, 10, 10], cells: [4, 2, 2]}}, material: steel}}]
masses: [{nodes: beam group right, total: 5.0e-5}]
sets: {tip: beam group right}
fixed: {nodes: beam group left, name: wall, fix: [x, y]}
drives: [{name: push, nodes: beam where x = 50, fix: [z], translation: [0, 0, 2], harmonic: 0}]
loads: [{name: weight, nodes: tip, total: [0, 0, -100]}]
analyses: [{static: {}}]
""")
    run("check", s, out=["young 2.1e+11 Pa (210 GPa)", "density 7850 kg/m^3", "beam group right: 9 nodes",
                         "set        tip: 9 nodes", "wall: 9 nodes, x y (18 unknowns)",
                         "push: 9 nodes, z (9 unknowns), translation [0, 0, 0.002] m, size 0.002 m (2 mm)",
                         "weight: 9 nodes, total [0, 0, -100] N, size 100 N", "of which 0.05 kg (50 g) on 9 nodes"])
    j = json.loads(run("check", s, "--json"))
    assert abs(j["mass_kg"] - (7850 * 1e-5 + 0.05)) < 1e-12, j["mass_kg"]
    assert abs(j["materials"]["steel"]["young_Pa"] - 210e9) < 1, j["materials"]
    assert j["bodies"]["beam"]["groups"]["left"] == 9 and j["sets"] == {"tip": 9}
    assert j["fixed"][0] == {"name": "wall", "nodes": 9, "components": "xy", "unknowns": 18}, j["fixed"]
    assert j["drives"][0]["name"] == "push" and abs(j["drives"][0]["terms"][0]["translation_m"][2] - 2e-3) < 1e-15
    assert abs(j["loads"][0]["total_N"][2] + 100) < 1e-12, j["loads"]


@test
def groups_in_quotes():
    (work / "named.msh").write_text("""$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
1
2 1 "left face"
$EndPhysicalNames
$Nodes
3
1 0 0 0
2 1 0 0
3 0 1 0
$EndNodes
$Elements
1
1 2 2 1 1 1 2 3
$EndElements
""")
    text = SHEET.replace("sheet where x < 1", "sheet group %s") % ("named.msh", "", "%s")
    run("check", scene("quoted.yaml", text % '"left face"'), out='sheet group "left face": 3 nodes')
    run("check", scene("unquoted.yaml", text % "lft"), code=INPUT, err='known: "left face"')
    run("check", scene("half.yaml", text % '"left'), code=INPUT, err='stand in quotes: group "left face"')


@test
def formats_give_the_same_modes():
    data = source / "tests" / "mesh" / "data"
    text = ("pliant: 1\nunits: {length: mm}\nmaterials: {pa: {young: 1700 MPa, poisson: 0.4, density: 1010 kg/m^3}}\n"
            "bodies:\n  - {name: bar, solid: {formulation: plain, mass: lumped, mesh: %s, material: pa}}\nfixed: bar group bottom\nanalyses: [modes: {count: 5}]\n")
    csv = {}
    for kind, name in (("msh", "bricks_22_ascii.msh"), ("inp", "bricks.inp")):
        shutil.copy(data / name, work / ("bricks." + kind))
        run("run", scene(f"bricks-{kind}.yaml", text % f"bricks.{kind}"), "-o", work / f"bricks-{kind}")
        csv[kind] = (work / f"bricks-{kind}" / "modes.csv").read_text()
    assert csv["msh"] == csv["inp"] and len(csv["msh"].splitlines()) >= 6, csv


@test
def cells_that_are_hinted_at_fit():
    text = ("pliant: 1\nunits: {length: mm}\nmaterials: {pet: {young: 4 GPa, poisson: 0.35, density: 1380 kg/m^3}}\nbodies:\n"
            "  - {name: sheet, shell: {bending: hinge, mesh: {grid: {size: [1, 1], cells: %s}}, material: pet, thickness: 0.01 mm}}\n"
            "fixed: sheet group left\nanalyses: [modes: {count: 2}]\n")
    run("check", scene("coarse.yaml", text % "[2, 2]"), err="write cells: [5, 6]")
    p = subprocess.run([pliant, "check", scene("hinted.yaml", text % "[5, 6]")], capture_output=True, text=True)
    assert p.returncode == DONE and "write cells" not in p.stderr, p.stderr


@test
def mesh_in_pieces():
    stl(work / "noise.stl")
    run("check", scene("noise.yaml", SHEET % ("noise.stl", "")), out="in 18 pieces",
        err=["the mesh is in 18 pieces that only nearly touch", "'merge: 0.01 mm' in the body makes it 1 piece"])
    s = scene("merged.yaml", SHEET % ("noise.stl", ", merge: 0.01 mm"))
    assert "pieces" not in run("check", s)
    run("run", s)
    run("check", scene("surface.yaml", SHEET.replace("shell", "solid").replace(", thickness: 1", "") % ("noise.stl", "")),
        code=INPUT, err=["has no tetrahedra or hexahedra", "a closed surface is filled by mesh"])


@test
def nothing_beyond_the_root():
    inner = work / "house" / "room"
    inner.mkdir(parents=True)
    stl(work / "outside.stl")
    stl(inner / "inside.stl")
    (inner / "link.stl").symlink_to(work / "outside.stl")
    for k, mesh in enumerate(["../../outside.stl", str(work / "outside.stl"), "link.stl"]):
        path = inner / f"bad{k}.yaml"
        path.write_text(SHEET % (mesh, ", merge: 0.01 mm"))
        run("check", path)
        run("check", path, "--root", work / "house", code=INPUT, err=["is not within", mesh[:50]])
    path = inner / "files.yaml"
    path.write_text(SHEET.replace("units", "files: ../..\nunits") % ("outside.stl", ", merge: 0.01 mm"))
    run("check", path)
    run("check", path, "--root", work / "house", code=INPUT, err="files: '../..' is not within")
    path = inner / "good.yaml"
    path.write_text(SHEET % ("inside.stl", ", merge: 0.01 mm"))
    run("run", path, "--root", work / "house", "-o", work / "rooted")
    run("check", work / "noise.yaml", "--root", work / "house", code=IO, err="is not a file within")
    run("check", path, "--root", work / "hous", code=IO)


@test
def odd_names():
    for name in (b"t\tab", b"not-\xff-utf8", "gr\u00fc\u00df".encode()):
        folder = os.path.join(os.fsencode(work), name)
        os.mkdir(folder)
        stl(work / "odd.stl")
        shutil.copy(work / "odd.stl", os.path.join(folder, b"odd.stl"))
        file = os.path.join(folder, b"odd.yaml")
        with open(file, "w") as f:
            f.write(SHEET % ("odd.stl", ", merge: 0.01 mm"))
        p = subprocess.run([pliant, "run", file, "-o", folder + b"/out"], capture_output=True, timeout=100)
        assert p.returncode == DONE, (name, p.stderr)
        assert b"\xff" not in p.stderr and b"\t" not in p.stderr, p.stderr
        with open(folder + b"/out/summary.json") as f:
            assert json.load(f)["status"] == "done"
        # the scene as run finds its files, or that it does not was told
        p2 = subprocess.run([pliant, "check", folder + b"/out/scene.yaml"], capture_output=True, timeout=100)
        assert p2.returncode == DONE or b"is not UTF-8" in p.stderr, (name, p2.stderr)


@test
def escapes_and_nothing_to_do():
    s = scene("escape.yaml", 'pliant: 1\ntitle: "a\\e[31mred\\u009b1m"\nnodes: {p: [0, 0, 0]}\n')
    out = run("check", s)
    assert "\x1b" not in out and "\x9b" not in out and "a?[31mred?1m" in out, out
    run("run", s, code=INPUT, err="the scene has no analyses")
    assert not (work / "escape.results").exists()
    run("check", "gallery/nope", code=IO, err=["the gallery has no 'nope'", "known: ", "wings"])
    run("check", "gallery/wngs", code=IO, err="did you mean 'gallery/wings'?")
    run("run", "wings", code=IO, err="did you mean 'gallery/wings'?")


@test
def pipes_and_devices():
    os.mkfifo(work / "fifo.obj")
    (work / "zero.obj").symlink_to("/dev/zero")
    for mesh in ("fifo.obj", "zero.obj"):
        run("check", scene("pipe.yaml", SHEET % (mesh, "")), code=INPUT, err="it is a pipe or a device")
    run("check", work / "fifo.obj", code=IO, err="it is a pipe or a device")


DAMPED = """pliant: 1
dimension: 1
parameters: {k: {value: 100 N/m, min: 10 N/m, max: 200 N/m}, c: {value: 2 N.s/m}}
nodes: {m: 0}
masses: [{node: m, mass: 2 kg}]
springs: [{nodes: [ground, m], stiffness: $k, damping: $c, cubic: %s}]
loads: [{node: m, force: [3 N], harmonic: 1}]
watch: {m: m}
analyses:
  - %s
"""


@test
def sensitivities_of_a_peak():
    # A = F / (c sqrt(k/m - c^2/4m^2)) at omega^2 = k/m - c^2/2m^2
    response = "response: {name: r, from: 4 rad/s, to: 10 rad/s, harmonics: 1, peaks: max, sensitivities: %s}"
    s = scene("peak.yaml", DAMPED % (0, response % "yes"))
    run("run", s, "-o", work / "peak")
    with open(work / "peak" / "r-sensitivities.csv") as f:
        rows = list(csv.DictReader(f))
    m, k, c, F = 2, 100, 2, 3
    omega = math.sqrt(k / m - c * c / (2 * m * m))
    root = math.sqrt(k / m - c * c / (4 * m * m))
    height = F / (c * root)
    want = {"k": (-height / (2 * m * root * root), 1 / (2 * m * omega)),
            "c": (-height / c + height * c / (4 * m * m * root * root), -c / (2 * m * m * omega))}
    assert [r["parameter"] for r in rows] == ["k", "c"], rows
    for r in rows:
        A, w = want[r["parameter"]]
        value = float(r["value"])
        assert abs(float(r["amplitude_m"]) / height - 1) < 1e-9, r
        assert abs(float(r["d_amplitude_m_by_unit"]) / A - 1) < 1e-8, (r, A)
        assert abs(float(r["d_frequency_Hz_by_unit"]) * 2 * math.pi / w - 1) < 1e-5, (r, w)
        assert abs(float(r["relative_amplitude"]) / (A * value / height) - 1) < 1e-8, r
    summary = json.loads((work / "peak" / "summary.json").read_text())
    figures = [a for a in summary["analyses"] if a["name"] == "r"][0]
    by = figures["sensitivities"][0]["amplitude_m_by"]
    assert abs(by["k"] / want["k"][0] - 1) < 1e-8, figures
    assert "Sensitivities" in (work / "peak" / "report.html").read_text()
    run("check", scene("peak.yaml", DAMPED % (0, response % "[k, alpha]")))
    run("check", scene("peak.yaml", DAMPED % (0, response % "no")))
    run("check", scene("peak.yaml", DAMPED % (0, response % "[kk]")), code=INPUT, err="'kk' is not among")
    run("check", scene("peak.yaml", DAMPED % (0, response % "[frequency]")), code=INPUT, err="come with the response")


@test
def branches_by_number():
    motion = "periodic: {frequency: 8 rad/s, harmonics: 3, branch: %s}"
    sizes = []
    for branch in ("1", "2", "3", "lower", "middle", "upper"):
        s = scene("branch.yaml", (DAMPED % ("400 N/m^3", motion % branch)).replace("2 N.s/m", "0.4 N.s/m"))
        run("run", s, "-o", work / "branch")
        figures = json.loads((work / "branch" / "summary.json").read_text())["analyses"][0]
        assert figures["motions"] == 3, figures
        sizes.append(figures["amplitude"]["m"]["max_x_m"])
    assert sizes[:3] == sizes[3:] and sizes[0] < sizes[1] < sizes[2], sizes
    for branch, message in (("4", "3 were found"), ("0", "must be in 1..32"), ("uper", "did you mean 'upper'?")):
        s = scene("branch.yaml", (DAMPED % ("400 N/m^3", motion % branch)).replace("2 N.s/m", "0.4 N.s/m"))
        run("run", s, "-o", work / "branch", code=INPUT, err=message)


@test
def peaks_explored():
    # height and frequency of the peak as in sensitivities_of_a_peak, and at another stiffness
    what = "{peak_height: min, node: m, measure: rms, from: 4 rad/s, to: 10 rad/s}"
    s = scene("explore.yaml", DAMPED % (0, "explore: {harmonics: 1, set: {k: 120 N/m}, objectives: [%s]}" % what))
    run("run", s, "-o", work / "explored")
    figures = json.loads((work / "explored" / "summary.json").read_text())["analyses"][0]
    m, c, F = 2, 2, 3
    peak = figures["peaks"][0]
    for k, height, frequency in ((100, "height_before_m", "frequency_before_Hz"), (120, "height_m", "frequency_Hz")):
        assert abs(peak[height] / (F / (c * math.sqrt(k / m - c * c / (4 * m * m))) / math.sqrt(2)) - 1) < 1e-8, peak
        assert abs(peak[frequency] * 2 * math.pi / math.sqrt(k / m - c * c / (2 * m * m)) - 1) < 1e-8, peak
    slope = -peak["height_before_m"] / (2 * m * (100 / m - c * c / (4 * m * m)))
    assert abs(peak["height_m_by"]["k"] / slope - 1) < 1e-8, peak
    head = (work / "explored" / "explore-sensitivity.csv").read_text().splitlines()[0]
    assert head.endswith("d_peak_height_m_by_unit,d_peak_height_Hz_by_unit"), head
    # any quantity can be explored, with nothing watched besides
    what = "explore: {frequency: 1 Hz, harmonics: 1, set: {k: 120 N/m}, objectives: [{mass: min}, {amplitude: 1 m, node: m}]}"
    run("run", scene("explore.yaml", DAMPED % (0, what)), "-o", work / "explored")
    figures = json.loads((work / "explored" / "summary.json").read_text())["analyses"][0]
    mass, path = figures["quantities"]
    assert mass["unit"] == "kg" and mass["value"] == mass["value_before"] == 2 and mass["by"]["k"] == 0, mass
    at = [4 * F / math.hypot(k - m * (2 * math.pi) ** 2, c * 2 * math.pi) for k in (100, 120)]
    assert abs(path["value_before"] / at[0] - 1) < 1e-8 and abs(path["value"] / at[1] - 1) < 1e-8, path
    head = (work / "explored" / "explore-sensitivity.csv").read_text().splitlines()[0]
    assert head.endswith("d_mass_1_kg_by_unit,d_amplitude_2_m_by_unit"), head
    s = scene("explore.yaml", DAMPED % (0, "explore: {frequency: 1 Hz, objectives: [{smooth: yes}]}"))
    run("check", s, code=INPUT, err="explore: the objective smooth is for designs")


SHAKEN = """pliant: 1
dimension: 1
parameters: {k: {value: 40 N/m, min: 10 N/m, max: 200 N/m}}
nodes: {base: 0, m: 0}
masses: [{node: m, mass: 2 kg}]
springs: [{nodes: [base, m], stiffness: $k, damping: 2 N.s/m}]
%s
watch: {m: m}
analyses:
  - %s
"""


@test
def forces_of_supports():
    held = "fixed: base\nloads: [{node: m, force: [3 N], harmonic: 1}]"
    w, m, c = 2 * math.pi, 2, 2

    def transmitted(k):
        return 3 * abs(k + 1j * c * w) / abs(k - m * w * w + 1j * c * w)

    goal = "design: {frequency: 1 Hz, harmonics: 1, ftol: 1e-10, proof: no, response: no, objectives: [{force: 2 N, of: base}]}"
    run("run", scene("force.yaml", SHAKEN % (held, goal)), "-o", work / "force")
    figures = json.loads((work / "force" / "summary.json").read_text())["analyses"][0]
    objective = figures["objectives"][0]
    assert abs(objective["force_before_N"] / transmitted(40) - 1) < 1e-9, objective
    assert abs(objective["force_N"] / 2 - 1) < 1e-4 and objective["target_N"] == 2, objective
    assert abs(transmitted(figures["variables"]["k"]["after"]) / 2 - 1) < 1e-4, figures["variables"]
    assert (work / "force" / "design-force-1.svg").exists()
    look = "explore: {frequency: 1 Hz, harmonics: 1, set: {k: 30 N/m}, objectives: [{force: min}]}"
    run("run", scene("force.yaml", SHAKEN % (held, look)), "-o", work / "force")
    found = json.loads((work / "force" / "summary.json").read_text())["analyses"][0]["quantities"][0]
    slope = (transmitted(40.001) - transmitted(39.999)) / 2e-3
    assert abs(found["value"] / transmitted(30) - 1) < 1e-9 and abs(found["by"]["k"] / slope - 1) < 1e-6, found
    for wrong, message in (("of: bse", "known: fixed"), ("of: m", "is no support and no drive"),
                           ("node: m", "'node' is not for the objective force")):
        run("check", scene("force.yaml", SHAKEN % (held, goal.replace("of: base", wrong))), code=INPUT, err=message)
    run("check", scene("force.yaml", SHAKEN % (held + "\ndrives: [{name: shaker, node: m, translation: [1 mm]}]", look)),
        code=INPUT, err="there are several")
    run("run", scene("force.yaml", SHAKEN % (held + "\nstops: [{nodes: [base, m], gap: 1 m, stiffness: 10 N/m}]", look)),
        code=INPUT, err="stops or dry friction act on the nodes of 'fixed'")


@test
def phases_of_motions():
    shaken = "drives: [{name: shaker, node: base, translation: [1 mm]}]"
    w, m, c = 2 * math.pi, 2, 2

    def phase(k):
        y = (k + 1j * c * w) / (k - m * w * w + 1j * c * w)
        return math.degrees(math.atan2(y.imag, y.real))

    goal = "design: {frequency: 1 Hz, harmonics: 1, ftol: 1e-10, proof: no, response: no, objectives: [{phase: %s, node: m}]}"
    run("run", scene("phase.yaml", SHAKEN % (shaken, goal % "-90 deg")), "-o", work / "phase", err="phase of m -90")
    figures = json.loads((work / "phase" / "summary.json").read_text())["analyses"][0]
    objective = figures["objectives"][0]
    assert abs(objective["phase_before_deg"] - phase(40)) < 1e-7, objective
    assert abs(objective["phase_deg"] + 90) < 1e-3 and abs(objective["target_deg"] + 90) < 1e-12, objective
    assert abs(phase(figures["variables"]["k"]["after"]) + 90) < 1e-3, figures["variables"]
    look = "explore: {frequency: 1 Hz, harmonics: 1, objectives: [{phase: 0, node: m}]}"
    run("run", scene("phase.yaml", SHAKEN % (shaken, look)), "-o", work / "phase")
    found = json.loads((work / "phase" / "summary.json").read_text())["analyses"][0]["quantities"][0]
    slope = (phase(40.001) - phase(39.999)) / 2e-3
    assert found["unit"] == "deg" and abs(found["by"]["k"] / slope - 1) < 1e-6, found
    for wrong, message in (("min", "phase"), ("3 N", "phase must be an angle")):
        run("check", scene("phase.yaml", SHAKEN % (shaken, goal % wrong)), code=INPUT, err=message)
    plane = """pliant: 1
dimension: 2
nodes: {base: [0, 0], m: [1 m, 0]}
masses: [{node: m, mass: 2 kg}]
springs: [{nodes: [base, m], stiffness: 9 N/m}]
drives: [{node: base, translation: [1 mm, 0]}]
analyses: [{explore: {frequency: 1 Hz, objectives: [{phase: 0 deg, node: m}]}}]
"""
    run("check", scene("plane.yaml", plane), code=INPUT, err=["phase needs one axis", "axes: y"])


@test
def lowest_peak():
    # Nishihara and Asami 2002: mu = 0.1, primary 10 kg on 10000 N/m under 10 N
    run("run", source / "scenes" / "mass-damper.yaml", "-o", work / "damper")
    summary = json.loads((work / "damper" / "summary.json").read_text())
    figures = [a for a in summary["analyses"] if a["name"] == "design"][0]
    mu, root = 0.1, math.sqrt(4 + 3 * 0.1)
    f = 2 / (1 + mu) * math.sqrt(2 * (16 + 23 * mu + 9 * mu**2 + 2 * (2 + mu) * root) / (3 * (64 + 80 * mu + 27 * mu**2)))
    least = math.sqrt(((8 + 9 * mu) ** 2 * (16 + 9 * mu) - 128 * root**3) / (3 * (32 + 27 * mu))) / (3 * mu)
    objective = figures["objectives"][0]
    assert abs(objective["amplitude_m"] / (least * 10 / 1e4) - 1) < 3e-4, objective
    assert abs(figures["variables"]["k"]["after"] / (mu * f * f * 1e4) - 1) < 3e-3, figures["variables"]
    window = "design: {objectives: [{peak_height: min, node: m%s}], proof: no, response: no}"
    run("check", scene("height.yaml", DAMPED % (0, window % "")), code=INPUT, err="peak_height needs the window")
    run("check", scene("height.yaml", DAMPED % (0, window % ", from: 5 Hz, to: 1 Hz")), code=INPUT, err="rising")
    run("check", scene("height.yaml", DAMPED % (0, window % ", from: 1 Hz, to: 2 Hz, at: 1 Hz")), code=INPUT, err="'at' is not for")


@test
def reports_show_what_happened():
    s = scene("idle.yaml", """pliant: 1
units: {length: mm}
materials: {m: {young: 10 MPa, poisson: 0.3, density: 1000 kg/m^3}}
bodies: [{name: b, solid: {formulation: plain, mass: lumped, mesh: {box: {size: [30, 10, 10], cells: [3, 1, 1]}}, material: m}}]
fixed: b group left
obstacles: [{plane: {through: [0, 0, -100], normal: [0, 0, 1]}}]
contact: {nodes: b}
loads: [{nodes: b group right, total: [0, 0, -1]}]
watch: {end: "b nearest [30, 10, 10]"}
output: {stress: no}
analyses: [static, {transient: {duration: 2 ms, step: 1 ms}}]
""")
    run("run", s, "-o", work / "idle", err="total (z): -1 without a unit")
    html = (work / "idle/report.html").read_text()
    # two points are no curve, an obstacle that nothing touches has no forces; each warning is called one once
    names = [f.name for f in (work / "idle").iterdir()]
    assert "transient-end.svg" in names and "static-end.svg" not in names, names
    assert not [n for n in names if "force" in n], names
    assert "without a unit" in html and "warning: " not in html.lower()
    messages = json.loads((work / "idle/summary.json").read_text())["messages"]
    assert len(messages) == 1 and "without a unit" in messages[0], messages
    s = scene("free.yaml", """pliant: 1
dimension: 1
nodes: {m: 0}
masses: [{node: m, mass: 1 kg}]
springs: [{nodes: [ground, m], stiffness: 1 N/m, cubic: 0.2 N/m^3}]
watch: {m: m}
analyses: [{backbone: {amplitude: 2 m}}]
""")
    run("run", s, "-o", work / "free")
    html = (work / "free/report.html").read_text()
    assert "Backbone, free motions" in html and "Frequency response" not in html
    figures = json.loads((work / "free/summary.json").read_text())["analyses"][0]
    assert figures["factorisations"] >= figures["newton_iterations"] > 0, figures


@test
def responses_without_a_start():
    s = scene("nowhere.yaml", """pliant: 1
dimension: 1
nodes: {m: 0}
masses: [{node: m, mass: 1 kg}]
springs: [{nodes: [ground, m], stiffness: 1 N/m}]
loads: [{node: m, force: [1 N], harmonic: 1}]
watch: {m: m}
analyses: [{response: {from: 1 rad/s, to: 2 rad/s, harmonics: 3}}]
""")
    run("run", s, "-o", work / "nowhere", code=UNSOLVED, err=["no periodic motion was found", "there is nothing to save"])
    assert not (work / "nowhere" / "response.csv").exists()


@test
def ends_of_branches_are_named():
    s = scene("doubled.yaml", """pliant: 1
dimension: 1
nodes: {m: 0}
masses: [{node: m, mass: 1 kg}]
springs: [{nodes: [ground, m], stiffness: 1 N/m, quadratic: 1 N/m^2, cubic: 1 N/m^3, damping: 0.05 N.s/m}]
loads: [{node: m, force: [3 N], harmonic: 1}]
watch: {m: m}
analyses: [{response: {from: 0.7 rad/s, to: 0.9 rad/s, branches: yes}}]
""")
    for i, (keys, words) in enumerate([
            (["harmonics=40"], ["leaves at 0.73494848 rad/s is not followed", "takes 80 harmonics, and 64 are the most", "32 or less"]),
            (["harmonics=5"], ["too few harmonics", "no motion was found on the branch that leaves at 0.73365435 rad/s", "raise `harmonics`"]),
            (["harmonics=16", "points=60"], ["leaves at 0.73494844 rad/s ends at", "points used up", "raise `points`"])]):
        sets = [x for k in keys for x in ("--set", f"analyses.response.{k}")]
        run("run", s, "-o", work / f"doubled{i}", *sets, err=words)


@test
def multipliers_that_jump():
    # three harmonics are far too few for this strip: multipliers jump from 0.9 to 1e20, which is no bifurcation
    s = scene("jump.yaml", """pliant: 1
units: {length: mm}
materials: {pla: {young: 3.3 GPa, poisson: 0.36, density: 1240 kg/m^3}}
bodies: [{name: strip, shell: {mesh: {grid: {size: [150, 20], cells: [14, 2]}}, material: pla, thickness: 0.8, bending: hinge}}]
sets: {root: strip where x < 15, tip: "strip nearest [150, 10, 0]"}
watch: {tip: tip}
damping: {ratio: 2 %, at: [5 Hz, 60 Hz]}
drives: [{nodes: root, rotation: {axis: [0, 1, 0], through: [0, 0, 0], amplitude: 2 deg}}]
analyses: [{response: {from: 10 Hz, to: 10.3 Hz, harmonics: 3, step: 0.3, max_step: 1}}]
""")
    run("run", s, "-o", work / "jump", err="multipliers jump at")
    with open(work / "jump" / "special.csv") as f:
        rows = list(csv.DictReader(f))
    for r in rows:
        if r["kind"] in ("neimark-sacker", "period-doubling", "branch-point"):
            assert abs(math.hypot(float(r["multiplier_real"]), float(r["multiplier_imag"])) - 1) < 2e-3, r


@test
def closed_output():
    p = subprocess.run(["bash", "-c", f"{pliant} reference > /dev/full"], capture_output=True, text=True)
    assert p.returncode == IO, p.returncode


@test
def names_that_continue_others():
    path = scene("names.yaml", OSCILLATOR.split("analyses:")[0] + "analyses: [static: {}, static: {name: static-heavy}, "
                 "static: {name: static-heavy-2}, modes: {}, modes: {name: modes-free}]\n")
    run("run", path, "-o", "names.results")
    for name in ("static", "static-heavy", "static-heavy-2", "modes", "modes-free"):
        assert (work / "names.results" / f"{name}.csv").exists(), name


@test
def files_are_called_by_known_words():
    # what may stand behind the name of an analysis is what the check of names knows
    text = (source / "src/scene/file_names.c").read_text()
    known = re.findall(r'"(\w+)"', text[text.index("known[]"):text.index("plain[]")])
    seen = 0
    for f in work.rglob("summary.json"):
        if not (f.parent / "scene.yaml").exists():
            continue  # of a validation
        told, scene_text = json.loads(f.read_text()), (f.parent / "scene.yaml").read_text()
        names = sorted((a["name"] for a in told["analyses"]), key=len, reverse=True)
        for stem in (pathlib.PurePath(w).stem for w in told["written"] if "/" not in w):
            name = next((n for n in names if stem.startswith(n + "-")), None)
            if name is None or stem in names:
                continue
            rest = stem[len(name) + 1:]
            words = known + re.findall(r"[\w-]+", scene_text)  # places and obstacles
            assert any(rest == w or rest.startswith(w + "-") for w in words) or re.match(r"\d+(-|$)", rest), (f, stem)
            seen += 1
    assert seen > 50, seen


failed = 0
for fn in tests:
    print(f"[ RUN      ] {fn.__name__}", flush=True)
    try:
        fn()
        print(f"[       OK ] {fn.__name__}")
    except Exception as error:  # every kind of failure is told, and the next test runs
        failed += 1
        print(f"[  FAILED  ] {fn.__name__}: {error}")
print(f"[  PASSED  ] {len(tests) - failed} test(s).")
if failed:
    print(f"[  FAILED  ] {failed} test(s), listed above")
sys.exit(1 if failed else 0)
