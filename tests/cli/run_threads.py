#!/usr/bin/env python3
"""The same numbers to the last digit on one, two and three threads in every analysis: python3 run_threads.py PLIANT WORK_DIR"""
import json
import math
import pathlib
import subprocess
import sys

from fresh import fresh

pliant, work = sys.argv[1], pathlib.Path(sys.argv[2])
fresh(work)
HEAD = "pliant: 1\nunits: {length: mm}\noutput: {report: no, vtu: no, glb: no, plots: no}\n"
SOLID = HEAD + """materials: {m: {young: 2 MPa, poisson: 0.3, density: 1100 kg/m^3}}
bodies: [{name: b, solid: {mesh: {box: {size: [80, 20, 20], cells: [12, 3, 3], cell: hex}}, material: m}}]
sets: {root: b where x < 1}
watch: {tip: 'b nearest [80, 20, 20]'}
"""
HELD = SOLID + "fixed: root\ngravity: [0, 0, -9.81 m/s^2]\n"
SHELL = HEAD + """materials: {m: {young: 3 GPa, poisson: 0.3, density: 1200 kg/m^3}}
parameters: {t: {value: 0.8 mm, min: 0.4 mm, max: 1.6 mm}}
bodies: [{name: b, shell: {mesh: {grid: {size: [100, 20], cells: [12, 3]}}, material: m, thickness: $t, bending: hinge}}]
sets: {root: b where x < 21}
drives: [{nodes: root, translation: [0, 0, 1]}]
damping: {stiffness: 1e-4 s}
watch: {tip: 'b nearest [100, 20, 0]'}
"""
CLOTH = HEAD + """materials: {m: {young: 50 kPa, poisson: 0.3, density: 300 kg/m^3}}
bodies: [{name: b, shell: {mesh: {grid: {size: [200, 200], cells: [12, 12]}}, material: m, thickness: 0.5,
          limit: {stretch: 1 %}}}]
fixed: ['b nearest [0, 0, 0]', 'b nearest [200, 0, 0]']
gravity: [0, 0, -9.81 m/s^2]
watch: {corner: 'b nearest [0, 200, 0]'}
"""
DROP = SOLID + """obstacles: [{name: floor, plane: {normal: [0, 0, 1], through: [0, 0, -1]}, friction: 0.4}]
contact: {nodes: b}
gravity: [1 m/s^2, 0, -9.81 m/s^2]
"""
# a rigid ball on an arm of solids that lie node on node
THROW = HEAD + """materials: {m: {law: neo-hookean, young: 30 MPa, poisson: 0.4, density: 1200 kg/m^3}}
bodies:
  - {name: arm, solid: {mesh: {box: {size: [4, 12, 80], cells: [1, 2, 12]}}, rotate: {axis: [0, 1, 0], angle: 40 deg}, translate: [0, -6, 0], material: m}}
  - {name: ball, rigid: {mesh: {sphere: {radius: 7, level: 1}}, mass: 3 g, translate: [40.7, 0, 60]}}
obstacles: [{name: tee, box: {centre: [39, 0, 48], size: [6, 12, 10]}, friction: 0.6}]
contact: {nodes: ball}
self_contact: {exact: yes, thickness: 0.1, friction: 0.4}
gravity: [0, 0, -9.81 m/s^2]
damping: {stiffness: 0.5 ms}
fixed: arm group bottom
initial: [{nodes: arm where z > 30, velocity: [-2 m/s, 0, 0]}]
"""
MAIL = """pliant: 1
output: {report: no, vtu: no, glb: no, plots: no}
gravity: [0, 0, -9.81]
interlocking: [{four-in-one: {}, density: 7800 kg/m^3}]
"""
PATCH = MAIL + "patches: [{name: mail, cells: [3, 3], held: {edge: back}}]\n"
BAR = HEAD + """materials: {a: {young: 1.66 GPa, poisson: 0.45, density: 1205 kg/m^3}, b: {young: 3 GPa, poisson: 0.3, density: 1205 kg/m^3}}
bodies: [{name: strip, solid: {mesh: {voxels: {file: box.obj, size: 1.5}}, material: a, regions: [{nodes: strip where x > 14, material: b}]}}]
fixed: strip where x < 0.1
"""
LAID = CLOTH.replace("[12, 12]", "[8, 8]") + """obstacles: [{sphere: {centre: [120, 120, -70], radius: 60}, friction: 0.3}]
contact: {nodes: b}
"""
CASES = {
    "static": HELD + "analyses: [static, {modes: {count: 6, about: static}}]\n",
    "transient": HELD + "analyses: [{transient: {duration: 20 ms, step: 1 ms}}]\n",
    "bdf2": HELD + "analyses: [{transient: {duration: 20 ms, step: 1 ms, method: bdf2}}]\n",
    "path": HELD + "loads: [{name: push, node: 'b nearest [80, 0, 20]', force: [0, 0, -20 mN]}]\n"
                   "analyses: [{path: {to: 1}}]\n",
    "contact": DROP + "analyses: [{transient: {duration: 30 ms, step: 1 ms}}]\n",
    "jump": DROP.replace("[12, 3, 3]", "[3, 2, 1]") + "damping: {stiffness: 0.2 ms}\n"
            "initial: [{nodes: b, velocity: [0, 0, 0.5 m/s]}]\nanalyses: [{jump: {step: 1 ms, duration: 0.15 s}}]\n",
    "euler": DROP + "analyses: [{transient: {duration: 30 ms, step: 1 ms, method: implicit-euler}}]\n",
    "periodic": SHELL + "analyses: [{periodic: {frequency: 12 Hz, harmonics: 3}}]\n",
    "response": SHELL + "analyses: [{response: {from: 19 Hz, to: 22 Hz, harmonics: 2}}]\n",
    "explore": SHELL + "analyses: [{explore: {frequency: 12 Hz, harmonics: 2}}]\n",
    "design": SHELL.replace("[12, 3]", "[5, 2]") + "analyses: [{design: {frequency: 8 Hz, harmonics: 1, variables: all, max_iter: 2,\n"
                      "  objectives: [{amplitude: max, node: 'b nearest [100, 20, 0]'}]}}]\n",
    "drape": CLOTH + "analyses: [{drape: {}}]\n",
    "project": CLOTH + "analyses: [{transient: {duration: 0.1 s, step: 10 ms, method: project}}]\n",
    "search": DROP.replace("[12, 3, 3]", "[3, 1, 1]") + "initial: [{nodes: b, velocity: [0, 0, 1 m/s]}]\n"
              "analyses: [{transient: {name: t, duration: 6 ms, step: 1 ms}},\n"
              "  {search: {budget: 24, vary: [{path: initial.0.velocity.0, min: -1 m/s, max: 1 m/s},\n"
              "     {path: materials.m.young, min: 1 MPa, max: 9 MPa, scale: log}],\n"
              "   goals: [{figure: t.flight.distance_m, target: 20 cm}, {figure: t.flight.vibration_J, minimise: yes}],\n"
              "   scatter: {runs: 5, during: 2, of: [{path: gravity.0, by: 10 %}]}}}]\n",
    "backbone": SHELL + "analyses: [{backbone: {harmonics: 2, amplitude: 2 mm}}]\n",
    "fit-damping": SHELL + "analyses: [{fit-damping: {data: [shaken.csv], frequency: 12 Hz, harmonics: 1, parameters: [t], max_iter: 3}}]\n",
    "fit-response": SHELL + "analyses: [{fit-response: {data: [{file: swept.csv, watch: tip.z}], parameters: [t], harmonics: 1, max_iter: 2}}]\n",
    "reflect": LAID + "analyses: [{transient: {duration: 0.2 s, step: 10 ms, method: reflect}}]\n",
    "bdf2-reflect": LAID + "analyses: [{transient: {duration: 0.2 s, step: 10 ms, method: bdf2-reflect}}]\n",
    "coupled": LAID + "analyses: [{transient: {duration: 0.2 s, step: 10 ms, method: coupled}}]\n",
    "bodies": THROW + "analyses: [{transient: {duration: 15 ms, step: 0.5 ms}}]\n",
    "coarsen": BAR + "analyses: [{coarsen: {coarsest: 3, modes: 2}}]\n",
    "limits": MAIL + "analyses: [{limits: {directions: 4}}]\n",
    "mail-design": MAIL + "analyses: [{mail-design: {starts: 1, tol: 0.05, directions: 1, variables: [{name: wire, min: 0.8 mm, max: 1.3 mm}],\n"
                          "  goals: [{stretch: 10 %, angle: [0 deg]}]}}]\n",
    "native": PATCH + "analyses: [native]\n",
    "macro": PATCH + "analyses: [{limits: {directions: 4, boundary: 1}}, {macro: {refine: 0}}]\n",
}


def measure():
    """records of the plate, and a box for voxels"""
    lines = ["time_s,tip_z_mm"] + [f"{t},{1.6 * math.sin(24 * math.pi * t)}" for t in (0.002 * i for i in range(100))]
    (work / "shaken.csv").write_text("\n".join(lines) + "\n")
    lines = ["frequency_Hz,amplitude_mm"] + [f"{f},{1.5 / abs(1 - (f / 20.5) ** 2)}" for f in (10, 12, 14, 16)]
    (work / "swept.csv").write_text("\n".join(lines) + "\n")
    (work / "box.obj").write_text("".join(f"v {30 * (k & 1)} {6 * (k >> 1 & 1)} {1.5 * (k >> 2)}\n" for k in range(8)) +
                                  "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n")


def numbers(path):
    """the text of a table without its columns of seconds that were spent"""
    rows = [line.split(",") for line in path.read_text().splitlines()]
    keep = [k for k, head in enumerate(rows[0]) if head not in ("seconds_s", "solve_s", "project_s")]
    return [[row[k] for k in keep if k < len(row)] for row in rows]


def figures(path):
    """the figures of all analyses but for seconds that were spent"""
    def strip(x):
        if isinstance(x, dict):
            return {k: strip(v) for k, v in x.items() if "seconds" not in k}
        return [strip(v) for v in x] if isinstance(x, list) else x
    return strip(json.loads(path.read_text())["analyses"])


def results(name, text, threads):
    """all tables and figures of a run"""
    scene, folder = work / f"{name}.yaml", work / f"{name}-{threads}"
    scene.write_text(text)
    p = subprocess.run([pliant, "run", scene, "-o", folder, "--threads", str(threads), "--quiet"],
                       capture_output=True, text=True, timeout=500)
    # what does not converge must not do so in the same way
    assert p.returncode in (0, 4), f"{name}: exit code {p.returncode}\n{p.stderr}"
    told = {f.name: numbers(f) for f in folder.glob("*.csv")}
    assert told, f"{name}: no tables"
    return p.returncode, told | {"summary.json": figures(folder / "summary.json")}


def analyses():
    told = subprocess.run([pliant, "list", "analyses"], capture_output=True, text=True, check=True).stdout
    return {line.split()[0] for line in told.splitlines()[1:]}


def main():
    bad, seen = 0, set()
    measure()
    for name in sys.argv[3:] or CASES:
        one = results(name, CASES[name], 1)
        seen |= {a["kind"] for a in one[1]["summary.json"]}
        differ = []
        for threads in (2, 3):
            other = results(name, CASES[name], threads)
            if other[0] != one[0] or other[1].keys() != one[1].keys():
                differ.append(f"{threads} threads: other tables")
            differ += [f"{threads} threads: {f}" for f in one[1] if other[1].get(f) != one[1][f]]
        bad += bool(differ)
        print(("FAILED " if differ else "ok     ") + name + "".join("; " + d for d in differ), flush=True)
    missing = [] if sys.argv[3:] else sorted(analyses() - seen)
    if missing:
        print("FAILED no case of", *missing)
    return bad + len(missing)


sys.exit(main())
