#!/usr/bin/env python3
"""The same numbers to the last digit on one, two and three threads in every analysis: python3 run_threads.py PLIANT WORK_DIR"""
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
    "native": "pliant: 1\noutput: {report: no, vtu: no, glb: no, plots: no}\ngravity: [0, 0, -9.81]\n"
              "interlocking: [{four-in-one: {}, density: 7800 kg/m^3}]\n"
              "patches: [{name: mail, cells: [3, 3], held: {edge: back}}]\nanalyses: [native]\n",
}


def numbers(path):
    """the text of a table without its columns of seconds that were spent"""
    rows = [line.split(",") for line in path.read_text().splitlines()]
    keep = [k for k, head in enumerate(rows[0]) if head not in ("seconds_s", "solve_s", "project_s")]
    return [[row[k] for k in keep if k < len(row)] for row in rows]


def tables(name, text, threads):
    """all tables of a run"""
    scene, folder = work / f"{name}.yaml", work / f"{name}-{threads}"
    scene.write_text(text)
    p = subprocess.run([pliant, "run", scene, "-o", folder, "--threads", str(threads), "--quiet"],
                       capture_output=True, text=True, timeout=500)
    # what does not converge must not do so in the same way
    assert p.returncode in (0, 4), f"{name}: exit code {p.returncode}\n{p.stderr}"
    return p.returncode, {f.name: numbers(f) for f in folder.glob("*.csv")}


def main():
    bad = 0
    for name in sys.argv[3:] or CASES:
        one = tables(name, CASES[name], 1)
        assert one[1], f"{name}: no tables"
        differ = []
        for threads in (2, 3):
            other = tables(name, CASES[name], threads)
            if other[0] != one[0] or other[1].keys() != one[1].keys():
                differ.append(f"{threads} threads: other tables")
            differ += [f"{threads} threads: {f}" for f in one[1] if other[1].get(f) != one[1][f]]
        bad += bool(differ)
        print(("FAILED " if differ else "ok     ") + name + "".join("; " + d for d in differ), flush=True)
    return bad


sys.exit(main())
