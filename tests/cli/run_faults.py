#!/usr/bin/env python3
"""Nothing is lost: python3 run_faults.py PLIANT WORK_DIR [FAIL_MALLOC_SO STOP_AFTER_SO]

Runs are stopped at the k-th checkpoint: by themselves as soon as it is written, or without the libraries (under sanitizers) and
by two signals from here, where the file is seen to be replaced, if the run lasts long enough."""
import fcntl
import json
import math
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import time

from fresh import fresh

pliant, work = sys.argv[1], pathlib.Path(sys.argv[2])
shim, stopper = sys.argv[3:5] or ("", "")
fresh(work)
DONE, INTERNAL, INPUT, UNSOLVED, IO, INTERRUPTED = 0, 1, 3, 4, 5, 130
tests = []


def test(fn):
    tests.append(fn)
    return fn


def run(*args, code=DONE, err=(), limit=None, env=None):
    def prepare():
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        if limit:
            resource.setrlimit(*limit)
    p = subprocess.run([pliant, *map(str, args)], capture_output=True, text=True, cwd=work, timeout=300,
                       preexec_fn=prepare, env=env)
    what = "pliant " + " ".join(map(str, args))
    if code is not None:
        assert p.returncode == code, f"{what}: exit code {p.returncode}, wanted {code}\n{p.stderr}"
    for part in [err] if isinstance(err, str) else err:
        assert part in p.stderr, f"{what}: no '{part}' in\n{p.stderr}"
    return p


def scene(name, text):
    path = work / name
    path.write_text(text)
    return path


def is_pending(pid, sig):
    """Has the signal not come yet?"""
    try:
        lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return any(int(k.split()[1], 16) >> (sig - 1) & 1 for k in lines if k.startswith(("SigPnd", "ShdPnd")))


def start_and_stop(path, folder, count, *sig):
    """Starts a run that writes a checkpoint at every step and stops it by signals after `count` of them."""
    command = [pliant, "run", str(path), "-o", str(folder), "--checkpoint", "0", "-t", "1"]
    if stopper and len(sig) == 1:
        env = dict(os.environ, LD_PRELOAD=stopper, STOP_AFTER=str(count), STOP_SIGNAL=str(int(sig[0])))
        p = subprocess.run(command, cwd=work, env=env, capture_output=True, text=True, timeout=300)
        return p.returncode, p.stderr
    p = subprocess.Popen(command, cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    seen = set()
    while len(seen) < count and p.poll() is None:
        for f in folder.glob("*.checkpoint"):
            try:
                seen.add((f.name, f.stat().st_ino, f.stat().st_mtime_ns))
            except FileNotFoundError:
                pass
    for s in sig:
        p.send_signal(s)
        while len(sig) > 1 and is_pending(p.pid, s):
            pass
    return p.wait(timeout=300), p.stderr.read()


def figures(folder):
    """All that is told but for times, and the work of factorisations, which a resume does once more."""
    def strip(x):
        if isinstance(x, dict):
            return {k: strip(v) for k, v in x.items() if "seconds" not in k and k not in ("factorisations", "written")}
        return [strip(v) for v in x] if isinstance(x, list) else x
    return strip(json.loads((folder / "summary.json").read_text())["analyses"])


def names(folder):
    return sorted(str(f.relative_to(folder)) for f in folder.rglob("*") if f.is_file())


def rows(folder, name):
    """A table without its columns of times."""
    lines = [line.split(",") for line in (folder / name).read_text().splitlines()]
    keep = [k for k, head in enumerate(lines[0]) if head not in ("solve_s", "project_s", "seconds_s", "factorisations")]
    return [[line[k] for k in keep] for line in lines]


QUIET = "output: {vtu: no, glb: no, plots: no, report: no}\n"
CLOTH = """pliant: 1
materials: {m: {young: 5 kPa, poisson: 0.3, density: 300}}
bodies: [{name: b, shell: {bending: hinge, mesh: {grid: {size: [1, 1], cells: [4, 4]}}, material: m, thickness: 1 mm,
          limit: {stretch: 1 %}}}]
gravity: [0, 0, -9.81]
fixed: ["b nearest [0, 0, 0]", "b nearest [0, 1, 0]"]
watch: {c: "b nearest [1, 1, 0]"}
"""
PRESSED = """pliant: 1
units: {length: mm}
materials: {m: {young: 3 GPa, poisson: 0.3, density: 1200 kg/m^3}}
bodies: [{name: b, shell: {mesh: {grid: {size: [100, 10], cells: [10, 1]}}, material: m, thickness: 1}}]
fixed: [{name: wall, nodes: b group left, clamp: yes}]
drives: [{name: press, nodes: b group right, fix: z, translation: [0, 0, -12], harmonic: 0}]
obstacles: [{sphere: {centre: [55, 5, -21], radius: 20}, friction: 0.3}]
contact: {nodes: b}
watch: {tip: 'b nearest [100, 5, 0]'}
analyses:
  - static: {name: bend, steps: 6}
  - static: {name: let_go, about: bend, steps: 6, change: {press: off}}
  - static: {name: again, about: let_go, steps: 3, change: {press: hold}}
""" + QUIET
PAIR = """pliant: 1
units: {length: mm}
materials: {m: {young: 2 MPa, poisson: 0.3, density: 1100 kg/m^3}}
bodies:
  - {name: low, solid: {mesh: {box: {size: [40, 8, 4], cells: [6, 1, 1], cell: hex}}, material: m}}
  - {name: high, solid: {mesh: {box: {size: [40, 8, 4], cells: [5, 1, 1], cell: hex}}, material: m, translate: [0, 0, 5]}}
fixed: [low where x < 0.1, high where x < 0.1]
loads: [{nodes: high where x > 39.9, total: [0, 0, -0.04 N]}]
self_contact: {thickness: 0.5 mm, friction: 0.2}
watch: {tip: 'high nearest [40, 4, 5]'}
analyses: [{static: {steps: 8}}]
""" + QUIET
# a rigid ball that an arm strikes as it lets go
THROW = """pliant: 1
units: {length: mm}
materials: {tpu: {law: neo-hookean, young: 30 MPa, poisson: 0.4, density: 1200 kg/m^3}}
bodies:
  - {name: arm, solid: {mesh: {box: {size: [4, 12, 80], cells: [1, 1, 6]}}, rotate: {axis: [0, 1, 0], angle: 40 deg}, translate: [0, -6, 0], material: tpu}}
  - {name: ball, rigid: {mesh: {sphere: {radius: 7, level: 1}}, mass: 3 g, translate: [40.7, 0, 60]}}
obstacles:
  - {name: tee, box: {centre: [39, 0, 48], size: [6, 12, 10]}, friction: 0.6}
contact: {nodes: ball}
self_contact: {exact: yes, thickness: 0.1, friction: 0.4}
gravity: [0, 0, -9.81 m/s^2]
damping: {stiffness: 0.5 ms}
fixed: arm group bottom
initial: [{nodes: arm where z > 30, velocity: [-2 m/s, 0, 0]}]
analyses: [{transient: {duration: 20 ms, step: 0.5 ms}}]
""" + QUIET
BRICK = """pliant: 1
materials: {m: {young: 5 MPa, poisson: 0.3, density: 1000 kg/m^3}}
bodies: [{name: b, solid: {mesh: {box: {size: [60 mm, 40 mm, 20 mm], cells: [2, 1, 1]}}, material: m, translate: [0, 0, 2 mm]}}]
obstacles: [{name: floor, plane: {normal: [0, 0, 1]}, friction: 0.5}]
contact: {nodes: b}
gravity: [0, 0, -9.81 m/s^2]
damping: {stiffness: 0.2 ms}
initial: [{nodes: b, velocity: [0.1 m/s, 0, 0.3 m/s], spin: {axis: [0, 1, 0], through: [30 mm, 20 mm, 12 mm], rate: 3 rad/s}}]
"""
OSCILLATOR = """pliant: 1
dimension: 1
parameters: {m: {value: 1 kg, min: 0.2 kg, max: 5 kg}, k: {value: 90 N/m, min: 50 N/m, max: 500 N/m}}
nodes: {m: 0}
masses: [{node: m, mass: $m}]
springs: [{nodes: [ground, m], stiffness: $k, cubic: 5 N/m^3, damping: 0.4 N.s/m}]
loads: [{node: m, force: [1 N], harmonic: 1, phase: 90 deg}]
watch: {m: m}
"""
STRIP = """pliant: 1
materials: {pla: {young: 3.3 GPa, poisson: 0.3, density: 1240 kg/m^3}}
bodies:
  - {name: s, shell: {bending: hinge, mesh: {grid: {size: [0.1, 0.02], cells: [6, 1]}}, material: pla, thickness: 1 mm}}
fixed: s where x < 0.02
gravity: [0, 0, -9.81]
watch: {tip: "s nearest [0.1, 0, 0]"}
output: {frames: 6}
"""
CASES = {
    "newmark": (STRIP + "analyses: [{static: {}}, {transient: {duration: 60 ms, step: 1 ms}}]\n", "transient.csv"),
    "bdf2": (OSCILLATOR + "analyses: [{transient: {frequency: 8 rad/s, periods: 3, steps_per_period: 100, "
             "method: bdf2, steady: 1e-9 m}}]\n", "transient.csv"),
    "cloth": (CLOTH + QUIET + "obstacles: [{sphere: {centre: [0.6, 0.6, -0.5], radius: 0.3}, friction: 0.3}]\n"
              "contact: {nodes: b}\n"
              "analyses: [{transient: {duration: 0.4, step: 10 ms, method: reflect}}]\n", "transient-limits.csv"),
    # elements, rigid flight, elements again and rest
    "jump": (BRICK + QUIET + "analyses: [{jump: {step: 0.5 ms}}]\n", "jump.csv"),
    # supports let go and take hold on an obstacle with friction: load steps go on where they were
    "pressed": (PRESSED, "let_go.csv"),
    # two bars, one bent until it lies on the other
    "pair": (PAIR, "static.csv"),
    "throw": (THROW, "transient.csv"),
    "drape": (CLOTH + QUIET + "analyses: [{drape: {}}]\n", "drape.csv"),
    "design": (OSCILLATOR + QUIET + "analyses: [{design: {frequency: 8 rad/s, harmonics: 5, variables: all, "
               "objectives: [{amplitude: max, node: m}]}}]\n", "design-convergence.csv"),
    "response": (OSCILLATOR + QUIET + "analyses: [{response: {from: 4 rad/s, to: 14 rad/s}}]\n", "response.csv"),
    "backbone": (OSCILLATOR + QUIET + "gravity: [1 m/s^2]\nanalyses: [{backbone: {amplitude: 20 m, to: 100 rad/s}}]\n", "backbone.csv"),
    # with friction: each point by itself, larger than the last
    "damped": (OSCILLATOR + QUIET + "friction: [{nodes: [ground, m], limit: 0.5 N, stiffness: 30 N/m}]\n"
               "analyses: [{backbone: {name: own, damped: yes, amplitude: 3 m, harmonics: 5}}]\n", "own.csv"),
    "damping": (OSCILLATOR + QUIET + "damping: {mass: 0.1}\nanalyses: [{fit-damping: {data: [a.csv, {file: b.csv, "
                "frequency: 10 rad/s}], frequency: 8 rad/s, harmonics: 3, parameters: [k], beta: no}}]\n",
                "fit-damping-2.csv"),
    # two records with noise in proportion: weights follow the result, in several passes
    "fit": (OSCILLATOR + QUIET + "analyses: [{fit-response: {parameters: [m, k], data: [{file: up.csv, watch: m.x, "
            "noise: relative}, {file: down.csv, watch: m.x, sweep: down}]}}]\n", "fit-response-values.csv"),
    "native": ("pliant: 1\ninterlocking: [{four-in-one: {}}]\npatches: [{name: m, cells: [3, 4], held: {edge: back}}]\n"
               "gravity: [0, 0, -9.81]\n" + QUIET + "analyses: [{native: {}}]\n", "native.csv"),
    "search": (OSCILLATOR + QUIET + "analyses: [{modes: {count: 1}}, {search: {budget: 30, batch: 4, vary: [{name: m}, {name: k}], "
               "goals: [{figure: modes.frequency_Hz.0, target: 2 Hz}, {figure: modes.rigid, at_most: 0}], "
               "scatter: {runs: 8, during: 1, of: [{name: k, by: 5 %}]}}}]\n", "search.csv"),
    # sizes of voxels, then moduli of two materials
    "coarsen": ("pliant: 1\nunits: {length: mm}\nmaterials: {a: {young: 1.66 GPa, poisson: 0.45, density: 1205 kg/m^3}, "
                "b: {young: 3 GPa, poisson: 0.3, density: 1205 kg/m^3}}\nbodies: [{name: strip, solid: {mesh: {voxels: {file: box.obj, "
                "size: 1.5}}, material: a, regions: [{nodes: strip where x > 14, material: b}]}}]\nfixed: strip where x < 0.1\n" + QUIET +
                "analyses: [{coarsen: {coarsest: 4, modes: 3}}]\n", "coarsen.csv"),
    "limits": ("pliant: 1\ninterlocking: [{four-in-one: {}}]\n" + QUIET + "analyses: [{limits: {directions: 4}}]\n", "limits.csv"),
    "mail-design": ("pliant: 1\ninterlocking: [{four-in-one: {}}]\n" + QUIET + "analyses: [{mail-design: {starts: 1, tol: 0.05, "
                    "directions: 1, variables: [{name: wire, min: 0.8 mm, max: 1.3 mm}], goals: [{stretch: 10 %, angle: [0 deg]}]}}]\n",
                    "mail-design.csv"),
    "macro": ("pliant: 1\ninterlocking: [{four-in-one: {}}]\npatches: [{name: m, cells: [3, 4], held: {edge: back}}]\n"
              "gravity: [0, 0, -9.81]\n" + QUIET + "analyses: [{limits: {directions: 4, boundary: 1}}, {macro: {refine: 0}}]\n",
              "macro.csv"),
    # what has no checkpoint of its own is run again
    "others": (OSCILLATOR + QUIET + "gravity: [1 m/s^2]\nanalyses: [{static: {}}, {modes: {count: 1}}, {path: {}}, "
               "{periodic: {frequency: 8 rad/s}}, {backbone: {}}, {transient: {frequency: 8 rad/s, periods: 1, "
               "steps_per_period: 20}}]\n", "backbone.csv"),
    # one step that a resume takes again
    "explore": (OSCILLATOR + QUIET + "analyses: [{transient: {frequency: 8 rad/s, periods: 1, steps_per_period: 40}}, "
                "{explore: {frequency: 8 rad/s, set: {k: 95 N/m}}}]\n", "explore-sensitivity.csv"),
}


def measure():
    """Records of an oscillator with 1.1 kg, 100 N/m and 0.5 N.s/m, and something like noise."""
    def wobble(i):
        return 1 + 0.01 * math.sin(37 * i * i)
    for name, w in (("a.csv", 8.0), ("b.csv", 10.0)):
        a, d = 100 - 1.1 * w * w, 0.5 * w
        lines = ["time_s,m_x_m"] + [f"{t},{math.cos(w * t - math.atan2(d, a)) / math.hypot(a, d) * wobble(t)}"
                                    for t in (0.02 * i for i in range(70))]
        (work / name).write_text("\n".join(lines) + "\n")
    for name, k in (("up.csv", 0), ("down.csv", 100)):
        lines = ["frequency_rad_s,amplitude_m"]
        for i in range(25):
            w = 6 + 0.3 * i
            lines.append(f"{w},{wobble(i + k) / math.hypot(100 - 1.1 * w * w, 0.5 * w)}")
        (work / name).write_text("\n".join(lines) + "\n")


measure()
(work / "box.obj").write_text("".join(f"v {30 * (k & 1)} {6 * (k >> 1 & 1)} {1.5 * (k >> 2)}\n" for k in range(8)) +
                              "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n")


def without_stop(name):
    """The scene of a case and the results of a run of it that nothing stops."""
    path, whole = scene(name + ".yaml", CASES[name][0]), work / (name + ".whole")
    if not whole.exists():
        run("run", path, "-o", whole, "-t", 1)
    return path, whole


def compare(name, folder, when):
    """A run that was stopped and went on tells what one tells that nothing stopped."""
    table, whole = CASES[name][1], work / (name + ".whole")
    assert rows(folder, table) == rows(whole, table), f"{name}: {table} differs after {when}"
    a, b = figures(folder), figures(whole)
    assert a == b, f"{name}, {when}:\n{a}\n{b}"
    assert names(folder) == names(whole), f"{name}, {when}: {set(names(folder)) ^ set(names(whole))}"
    if name == "response":
        done = [json.loads((f / "summary.json").read_text())["analyses"][0]["factorisations"] for f in (folder, whole)]
        assert abs(done[0] - done[1]) <= 2, f"{name}, {when}: {done} factorisations"


def stopped_and_resumed(name, counts, sig):
    path, _ = without_stop(name)
    for count in counts:
        folder = work / f"{name}.{sig.name}.{count}"
        code, err = start_and_stop(path, folder, count, sig)
        assert code in (DONE, -sig if sig == signal.SIGKILL else INTERRUPTED), err
        if stopper:
            assert code != DONE, f"{name}: not as many as {count} checkpoints"
        if code == INTERRUPTED:
            yield folder, err
        run("run", path, "-o", folder, "--resume", "-t", 1)
        compare(name, folder, count)


@test
def killed_and_resumed():
    for name, counts in (("newmark", (1, 17)), ("bdf2", (1, 150)), ("cloth", (2, 13)), ("jump", (4, 40, 130, 190)), ("pressed", (3, 9, 14)), ("pair", (2, 7)), ("throw", (3, 12)), ("drape", (1, 5)),
                         ("design", (1, 4)), ("response", (3, 20)), ("backbone", (1, 12)), ("damped", (2, 15)), ("damping", (1, 3)), ("fit", (1, 4, 8)), ("explore", (5,)),
                         ("native", (1, 5, 7)), ("search", (1, 7)), ("coarsen", (1, 6, 11)), ("limits", (1,)),
                         ("mail-design", (1, 4)), ("others", (1, 9))):
        list(stopped_and_resumed(name, counts, signal.SIGKILL))


@test
def every_analysis_is_killed():
    told = subprocess.run([pliant, "list", "analyses"], capture_output=True, text=True, check=True).stdout
    for name in (line.split()[0] for line in told.splitlines()[1:]):
        assert any(f"{{{name}: " in text or f"- {name}: " in text for text, _ in CASES.values()), f"no case of {name}"


def kill_after(command, seconds):
    """Starts a command and kills it as soon as it has used so many seconds of CPU time, or a little later."""
    p = subprocess.Popen(command, cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while p.poll() is None:
        used = pathlib.Path(f"/proc/{p.pid}/schedstat").read_text().split()[0]
        if int(used) * 1e-9 >= seconds:
            p.kill()
            break
        time.sleep(0.0005)
    return p.wait(timeout=300)


@test
def killed_at_any_moment():
    # at the first run, and while it is resumed, at moments that differ from case to case
    chance = random.Random(13)
    killed = 0
    for name in CASES:
        path, _ = without_stop(name)
        command = [pliant, "run", str(path), "-o", str(work / (name + ".any")), "--checkpoint", "0", "-t", "1"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command[:4] + [str(work / (name + ".timed"))] + command[5:], cwd=work, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        length = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        moments = [chance.uniform(0, length) for _ in range(2)]
        for k, moment in enumerate(moments):
            killed += kill_after(command + ["--resume"] * k, moment) == -signal.SIGKILL
        run("run", path, "-o", work / (name + ".any"), "--resume", "-t", 1)
        compare(name, work / (name + ".any"), moments)
    assert killed > len(CASES), killed


@test
def fits_go_on():
    # a fit whose steps are used up goes on with more of them, and ends where one without a stop does
    for name, key in (("damping", "fit-damping"), ("fit", "fit-response")):
        text, table = CASES[name]
        path, whole, folder = scene(name + ".yaml", text), work / (name + ".whole"), work / (name + ".more")
        if not whole.exists():
            run("run", path, "-o", whole, "-t", 1)
        run("run", path, "-o", folder, "-t", 1, "-s", f"analyses.{key}.max_iter=1", code=UNSOLVED)
        assert (folder / f"{key}.checkpoint").exists(), name
        run("run", path, "-o", folder, "-t", 1, "--resume")
        for a, b in zip(rows(folder, table), rows(whole, table)):
            for x, y in zip(a, b):
                assert x == y or abs(float(x) - float(y)) < 1e-6 * abs(float(y)), (name, a, b)


@test
def interrupted_and_resumed():
    for folder, err in stopped_and_resumed("newmark", (9,), signal.SIGINT):
        assert "written: " in err and "transient.csv" in err and "--resume" in err, err
        there = names(folder)
        told = json.loads((folder / "summary.json").read_text())["written"]
        for name in ("transient.csv", "transient.glb", "transient.pvd", "transient-energy.svg", "transient-end.svg",
                     "transient.checkpoint", "report.html", "summary.json"):
            assert name in there, (name, there)
        # of the frames the last one, and its own in the collection
        frames = [name for name in there if name.startswith("transient/")]
        assert len(frames) == 1 and frames[0] in (folder / "transient.pvd").read_text(), there
        assert sorted(told + [".pliant"]) == there, set(told) ^ set(there)
    for folder, err in stopped_and_resumed("drape", (2,), signal.SIGINT):
        assert "drape.csv" in names(folder)
    list(stopped_and_resumed("coarsen", (3,), signal.SIGINT))
    for folder, err in stopped_and_resumed("design", (2,), signal.SIGINT):
        assert "design-parameters.csv" in names(folder)
    for name in ("response", "backbone", "damping", "fit"):
        for folder, err in stopped_and_resumed(name, (2,), signal.SIGINT):
            assert list(folder.glob("*.checkpoint")), names(folder)
    # what came to its end has no checkpoint; used-up points leave one to go on from with more
    for name in ("response", "backbone"):
        folder, whole, path = work / f"{name}.points", work / f"{name}.whole", work / f"{name}.yaml"
        assert f"{name}.checkpoint" not in names(whole)
        run("run", path, "-o", folder, "-s", f"analyses.{name}.points=7", code=UNSOLVED, err="used up")
        assert f"{name}.checkpoint" in names(folder)
        run("run", path, "-o", folder, "--resume")
        assert figures(folder) == figures(whole) and names(folder) == names(whole)
    # other data, other fit
    text, _ = CASES["fit"]
    path, folder = scene("other.yaml", text), work / "other"
    start_and_stop(path, folder, 2, signal.SIGKILL)
    old = (work / "up.csv").read_text()
    (work / "up.csv").write_text(old.replace("0.0", "0.1", 1))
    run("run", path, "-o", folder, "--resume", code=INPUT, err="other options")
    (work / "up.csv").write_text(old)


@test
def signals_that_come_twice():
    # to the process and to its group, as `timeout` does, or of two kinds
    text, _ = CASES["newmark"]
    path = scene("twice.yaml", text.replace("60 ms", "60 s"))
    for pair in ((signal.SIGTERM, signal.SIGTERM), (signal.SIGINT, signal.SIGINT), (signal.SIGTERM, signal.SIGINT)):
        folder = work / f"twice.{pair[0].name}.{pair[1].name}"
        code, err = start_and_stop(path, folder, 5, *pair)
        assert code == INTERRUPTED, (pair, code, err)
        assert json.loads((folder / "summary.json").read_text())["status"] == "cancelled", pair
        assert {"transient.csv", "transient.checkpoint", "report.html"} <= set(names(folder)), names(folder)


@test
def again_into_the_same_folder():
    path = scene("first.yaml", STRIP + "analyses: [{static: {}}, {transient: {duration: 3 ms, step: 1 ms}}]\n")
    folder = work / "again"
    run("run", path, "-o", folder)
    (folder / "mine.txt").write_text("kept")
    (folder / "transient" / "notes").write_text("kept")
    (folder / "report.html.tmp123").write_text("half")
    path = scene("second.yaml", OSCILLATOR + "analyses: [{static: {name: other}}]\n")
    run("run", path, "-o", folder, err="results of an earlier run are replaced")
    assert names(folder) == sorted([".pliant", "mine.txt", "transient/notes", "other.csv", "report.html",
                                    "scene.yaml", "summary.json"]), names(folder)
    # names in the list that lead out of the folder are not followed
    (work / "outside.txt").write_text("kept")
    with open(folder / ".pliant", "a") as f:
        f.write(f"../outside.txt\n{work}/outside.txt\na/../../outside.txt\n")
    run("run", path, "-o", folder)
    assert (work / "outside.txt").exists()
    # an unfinished run keeps its checkpoint when someone forgets --resume
    text, _ = CASES["newmark"]
    path, folder = scene("forget.yaml", text), work / "forget"
    start_and_stop(path, folder, 5, signal.SIGKILL)
    before = (folder / "transient.checkpoint").read_bytes()
    run("run", path, "-o", folder, "--only", "static", err="NAME.checkpoint.old")
    assert (folder / "transient.checkpoint.old").read_bytes() == before


@test
def one_run_at_a_time():
    path = scene("locked.yaml", OSCILLATOR + "analyses: [{static: {}}]\n")
    folder = work / "locked"
    run("run", path, "-o", folder)
    with open(folder / ".pliant", "r+") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        stamp = (folder / "summary.json").stat().st_mtime_ns
        for more in ([], ["--resume"]):
            run("run", path, "-o", folder, *more, code=IO, err=["another run is writing", "-o DIR"])
        assert (folder / "summary.json").stat().st_mtime_ns == stamp
    run("run", path, "-o", folder)


@test
def folders_of_validations():
    folder = work / "validation"
    one = ["validate", "locking", "--quick", "-m", "rod", "-o", folder]
    run(*one)
    first = names(folder)
    assert {".pliant", "report.html", "summary.json", "locking-rod.svg"} <= set(first), first
    (folder / "mine.txt").write_text("kept")
    # another model: nothing of the first stays, and what is not ours does
    run("validate", "locking", "--quick", "-m", "hinge", "-o", folder, err="results of an earlier run are replaced")
    there = names(folder)
    assert "mine.txt" in there and "locking-hinge.svg" in there and "locking-rod.svg" not in there, there
    before = {n: (folder / n).read_bytes() for n in there}
    with open(folder / ".pliant", "r+") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        run(*one, code=IO, err=["another run is writing", "-o DIR"])
    # a run that is refused touches nothing
    assert {n: (folder / n).read_bytes() for n in names(folder)} == before
    # a scene and a validation replace each other's results as well
    path = scene("instead.yaml", OSCILLATOR + "analyses: [{static: {}}]\n")
    run("run", path, "-o", folder)
    assert "locking-hinge.svg" not in names(folder) and "mine.txt" in names(folder), names(folder)


@test
def full_disk():
    path = scene("full.yaml", STRIP + "analyses: [{static: {}}, {transient: {duration: 20 ms, step: 1 ms}}]\n")
    for size in (0, 300, 3000, 30000):
        folder = work / f"full.{size}"
        run("run", path, "-o", folder, code=IO, err="File too large", limit=(resource.RLIMIT_FSIZE, (size, size)))
        # what is there is whole: no half files
        assert not [n for n in names(folder) if ".tmp" in n]
        if (folder / "summary.json").exists():
            json.loads((folder / "summary.json").read_text())
        run("run", path, "-o", folder)
    # a checkpoint that cannot be written leaves the one before
    folder = work / "full.checkpoint"
    # long enough to be stopped on its way on a busy machine
    path = scene("longer.yaml", STRIP + "analyses: [{static: {}}, {transient: {duration: 150 ms, step: 0.5 ms}}]\n")
    start_and_stop(path, folder, 3, signal.SIGKILL)
    before = (folder / "transient.checkpoint").read_bytes()
    run("run", path, "-o", folder, "--resume", "--checkpoint", 0, "-s", "output.plots=no", "-s", "output.report=no",
        "-s", "output.vtu=no", "-s", "output.glb=no", code=IO, err="transient.checkpoint",
        limit=(resource.RLIMIT_FSIZE, (len(before), len(before))))
    assert (folder / "transient.checkpoint").read_bytes()[:8] == before[:8]
    run("run", path, "-o", folder, "--resume")


@test
def masses_that_a_step_does_not_feel():
    # c x' + k x = cos(w t): 0.4, 90, 8; the start has died away after a period
    want = 90 / (90 ** 2 + (0.4 * 8) ** 2)
    for mass in ("1e-300", "1e-150", "1e-30", "1e-20"):
        for method in ("newmark", "bdf2", "implicit-euler"):
            text = OSCILLATOR.replace("mass: $m", f"mass: {mass} kg").replace("m: {value: 1 kg, min: 0.2 kg, max: 5 kg}, ", "")
            path = scene("light.yaml", text.replace("cubic: 5 N/m^3, ", "") + QUIET + "analyses: [{transient: {frequency: "
                         "8 rad/s, periods: 2, steps_per_period: 100, method: %s}}]\n" % method)
            run("run", path, "-o", work / "light", "-t", 1)
            table = rows(work / "light", "transient.csv")
            found = float(table[-1][table[0].index("m_x_m")])
            # what 100 steps a period of the first order leave
            assert abs(found / want - 1) < 2e-3, (mass, method, found, want)


@test
def little_memory():
    path = scene("memory.yaml", OSCILLATOR + "analyses: [{static: {}}]\n")
    for size in (150, 200, 250, 300):
        run("run", path, "-o", work / "memory", code=INTERNAL, err="out of memory",
            limit=(resource.RLIMIT_AS, (size << 20, size << 20)))
    run("run", path, "-o", work / "memory", "-t", 1, limit=(resource.RLIMIT_AS, (800 << 20, 800 << 20)))


@test
def failing_malloc():
    path = scene("malloc.yaml", OSCILLATOR + "analyses: [{static: {}}, {modes: {count: 1}}, "
                 "{transient: {frequency: 8 rad/s, periods: 1, steps_per_period: 32}}]\n")
    count, folder = work / "count", work / "malloc"
    env = dict(os.environ, LD_PRELOAD=shim, FAIL_COUNT=str(count), OPENBLAS_NUM_THREADS="1",
               OPENBLAS_CORETYPE=os.environ.get("OPENBLAS_CORETYPE", "Haswell"))

    def attempt(n):
        shutil.rmtree(folder, ignore_errors=True)
        return run("run", path, "-o", folder, "-t", 1, "-q", code=None, env=dict(env, FAIL_AT=str(n)))
    assert attempt(-1).returncode == DONE
    whole, there, total = figures(folder), names(folder), int(count.read_text())
    assert total > 400
    for n in range(0, total, 13):
        p = attempt(n)
        assert p.returncode in (DONE, INTERNAL, IO), f"{n}: {p.returncode} {p.stderr}"
        if p.returncode == DONE:
            assert figures(folder) == whole and names(folder) == there, f"{n} of {total}: done, but not all is there"
        else:
            assert "memory" in p.stderr, f"{n}: {p.stderr}"


for fn in tests:
    if fn is failing_malloc and not shim:
        continue
    fn()
    print(fn.__name__, flush=True)
