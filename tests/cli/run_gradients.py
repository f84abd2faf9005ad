#!/usr/bin/env python3
"""Derivatives of results beside closed forms and differences: python3 run_gradients.py PLIANT WORK_DIR"""
import csv
import json
import math
import pathlib
import subprocess
import sys

pliant, work = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
work.mkdir(parents=True, exist_ok=True)
failed = []


def test(name, ok, *more):
    print("ok  " if ok else "FAIL", name, *more)
    if not ok:
        failed.append(name)


def run(*args):
    r = subprocess.run([pliant, *map(str, args)], cwd=work, capture_output=True, text=True)
    return r.returncode, r.stdout, r.stderr


def scene(name, text):
    (work / f"{name}.yaml").write_text("pliant: 1\n" + text)


def gradients(name, analysis):
    code, _, err = run("run", f"{name}.yaml", "-o", name, "-q")
    assert code == 0, err
    summary = json.loads((work / name / "summary.json").read_text())
    return next(a for a in summary["analyses"] if a["name"] == analysis)["gradients"]


def close(a, b, tol, size=None):
    return abs(a - b) <= tol * max(abs(a), abs(b), size or 0)


OSCILLATOR = """
dimension: 1
parameters: {k: {value: 8 N/m}, m: {value: 2 kg}, c: {value: 0.8 N.s/m}, F: {value: 1 N}, hard: {value: 0 N/m^3}}
nodes: {m: 0}
masses: [{node: m, mass: $m}]
springs: [{nodes: [ground, m], stiffness: $k, damping: $c, cubic: $hard}]
loads: [{node: m, force: [$F], harmonic: 1}]
watch: {m: m}
"""
scene("oscillator", OSCILLATOR + "analyses: [{periodic: {frequency: 1.5 rad/s, harmonics: 1, gradients: yes}}]\n")
g = gradients("oscillator", "periodic")["amplitude.m.max_x_m"]
k, m, c, w = 8, 2, 0.8, 1.5
size2 = (k - m * w * w) ** 2 + (c * w) ** 2
A = size2 ** -0.5
test("amplitude of the oscillator", close(g["value"], A, 1e-12))
want = {"k": -A * (k - m * w * w) / size2, "m": A * w * w * (k - m * w * w) / size2, "c": -A * c * w * w / size2, "F": A}
for name, value in want.items():
    test(f"amplitude by {name}", close(g["by"][name], value, 1e-9), g["by"][name], value)

# a slender cantilever of beam elements: u = P L^3/(3 E I)
scene("cantilever", """
units: {length: mm}
parameters: {E: {value: 70 GPa}, h: {value: 1 mm}, P: {value: 1 mN}}
materials: {m: {young: $E, poisson: 0, density: 2700 kg/m^3}}
bodies: [{name: arm, rod: {mesh: {line: {from: [0, 0, 0], to: [100, 0, 0], segments: 40}}, material: m,
          section: {rectangle: [4, $h]}}}]
fixed: [{nodes: arm group start, clamp: yes}]
loads: [{node: arm group end, force: [0, 0, $P]}]
watch: {tip: arm group end}
analyses: [{static: {gradients: yes}}]
""")
code, out, err = run("check", "cantilever.yaml")
test("the cantilever is understood", code == 0, err)
if code == 0:
    g = gradients("cantilever", "static")["displacement_m.tip.2"]
    u = g["value"]
    for name, power, value in (("E", -1, 70e9), ("h", -3, 1e-3), ("P", 1, 1e-3)):
        test(f"tip by {name}", close(g["by"][name], power * u / value, 1e-5), g["by"][name], power * u / value)


def slopes(name, step, *more):
    code, out, err = run("sensitivity", f"{name}.yaml", "--step", step, "--json", "-q", *more)
    assert code == 0, (name, code, err)
    return json.loads(out)["figures"]


def compare(name, tol=1e-6):
    """Central differences of two steps, with the error of their squares taken out, beside the exact derivatives."""
    fine, coarse = slopes(name, 1e-3), slopes(name, 2e-3)
    n = 0
    for figure, entry in fine.items():
        beside = [e["value"] for other, e in fine.items() if other.rpartition(".")[0] == figure.rpartition(".")[0]]
        vector = max(map(abs, beside))
        for parameter, by in entry["by"].items():
            if by["exact"] is None:
                continue
            n += 1
            exact = by["exact"]
            rich = (4 * by["slope"] - coarse[figure]["by"][parameter]["slope"]) / 3
            # what rounding leaves of differences of such figures, by the largest of their vector
            noise = 1e-9 * vector / (1e-3 * parameters[name][parameter])
            if not (close(exact, rich, tol) or abs(exact - rich) <= noise):
                test(f"{name}: {figure} by {parameter}", False, exact, rich)
    test(f"{name}: {n} derivatives agree with differences", n > 0)


parameters = {
    "swing": {"k": 8, "m": 2, "c": 0.8, "F": 1, "hard": 30},
    "sheet": {"E": 10, "t": 1, "P": 1, "nu": 0.3},
    "rod": {"E": 70, "h": 1, "P": 0.4, "b": 4},
}
scene("swing", OSCILLATOR.replace("value: 0 N/m^3", "value: 30 N/m^3") + """
analyses:
  - transient: {frequency: 1.5 rad/s, duration: 2 s, step: 0.02 s, rtol: 1e-14}
  - transient: {name: euler, method: implicit-euler, frequency: 1.5 rad/s, duration: 2 s, step: 0.02 s, rtol: 1e-14}
  - transient: {name: bdf2, method: bdf2, frequency: 1.5 rad/s, duration: 2 s, step: 0.02 s, rtol: 1e-14}
  - periodic: {frequency: 1.5 rad/s, harmonics: 5, rtol: 1e-13}
""")
compare("swing")
scene("sheet", """
units: {length: mm}
parameters: {E: {value: 10 MPa}, t: {value: 1 mm}, P: {value: 1 mN}, nu: {value: 0.3}}
materials: {m: {young: $E, poisson: $nu, density: 1000 kg/m^3}}
bodies: [{name: s, shell: {mesh: {grid: {size: [40, 20], cells: [6, 3]}}, material: m, thickness: $t}}]
fixed: [{nodes: "s where x < 7"}]
loads: [{nodes: "s where x > 39", force: [0, 0, $P]}]
gravity: [0, 0, -9.81 m/s^2]
damping: {stiffness: 1 ms}
watch: {tip: "s nearest [40, 10, 0]"}
analyses:
  - static: {rtol: 1e-14}
  - transient: {about: static, duration: 20 ms, step: 1 ms, rtol: 1e-14}
""")
compare("sheet")
scene("rod", """
units: {length: mm}
parameters: {E: {value: 70 MPa}, h: {value: 1 mm}, P: {value: 0.4 mN}, b: {value: 4 mm}}
materials: {m: {young: $E, poisson: 0.3, density: 1000 kg/m^3}}
bodies: [{name: r, rod: {mesh: {line: {from: [0, 0, 0], to: [40, 4, 6], segments: 8}}, material: m,
          section: {rectangle: [$b, $h]}}}]
fixed: [{nodes: r group start, clamp: yes}]
loads: [{node: r group end, force: [0, $P, $P]}]
watch: {tip: r group end}
analyses:
  - static: {rtol: 1e-14}
  - transient: {duration: 10 ms, step: 1 ms, rtol: 1e-14}
  - transient: {name: let-go, about: static, duration: 10 ms, step: 1 ms, rtol: 1e-14}
""")
code, out, err = run("check", "rod.yaml")
test("the rod is understood", code == 0, err)
if code == 0:
    compare("rod")

# ---- the command ---------------------------------------------------------------------------------
code, out, err = run("sensitivity", "oscillator.yaml", "--step", "1%", "--by", "k", "--by", "F", "-o", "table")
test("table on the terminal", code == 0 and "exact" in out and "periodic.amplitude.m.max_x_m" in out, out)
rows = list(csv.DictReader((work / "table/sensitivity.csv").open()))
test("table in a file", {r["parameter"] for r in rows} == {"k", "F"} and all(r["exact_by_unit"] for r in rows))
test("page with bars", "<svg" in (work / "table/report.html").read_text())
code, out, err = run("sensitivity", "oscillator.yaml", "--by", "stiff")
test("an unknown parameter", code == 2 and "no parameter 'stiff'" in err and "hard" in err, err)
code, out, err = run("sensitivity", "oscillator.yaml", "--step", "ten")
test("a step that is none", code == 2 and "--step" in err, err)
code, out, err = run("sensitivity", "oscillator.yaml", "--figure", "periodic.nothing", "-o", "none")
test("an unknown figure", code == 2 and "no figure begins" in err, err)
code, out, err = run("sensitivity", "oscillator.yaml", "--only", "response", "-o", "none")
test("an unknown analysis", code == 2 and "no analysis" in err, err)
scene("still", "dimension: 1\nnodes: {m: 0}\nmasses: [{node: m, mass: 1 kg}]\nsprings: [{nodes: [ground, m], stiffness: 1 N/m}]\n"
      "analyses: [{modes: {count: 1}}]\n")
code, out, err = run("sensitivity", "still.yaml")
test("a scene without parameters", code == 2 and "no parameters" in err, err)
scene("refused", OSCILLATOR + "analyses: [{transient: {frequency: 1 Hz, duration: 1 s, step: 0.1 s, adaptive: yes, gradients: [k]}}]\n")
code, out, err = run("run", "refused.yaml", "-o", "refused")
test("steps that adapt are refused", code == 3 and "no gradients" in err and "refused.yaml" in err, code, err)
code, out, err = run("run", "refused.yaml", "-o", "refused", "-s", "analyses.transient.gradients=[q]")
test("an unknown name is refused", code == 3 and "'q' is not among the parameters" in err, err)
scene("broken", OSCILLATOR.replace("m: {value: 2 kg}", "m: {value: 2 kg, min: 0 kg, max: 3 kg}")
      + "analyses: [{modes: {count: 1}}]\n")
code, out, err = run("sensitivity", "broken.yaml", "--by", "m", "-o", "broken")
test("a run that fails is told, and the others are there", code == 4 and "gave no result" in err and "modes" in out, code, err)

sys.exit(1 if failed else 0)
