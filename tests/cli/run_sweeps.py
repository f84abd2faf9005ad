#!/usr/bin/env python3
"""Sweeps and uncertainty: python3 run_sweeps.py PLIANT WORK_DIR [plain]

Cases beside `pliant run`, designs beside SciPy, statistics beside closed forms; kill -9, Ctrl-C, failing cases, wrong words.
`plain`: no sanitizer is in the way of a limit of memory."""
import csv
import itertools
import json
import math
import os
import pathlib
import resource
import signal
import subprocess
import sys
import time

import numpy
from scipy.stats import qmc

from fresh import fresh

pliant, work, plain = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:] == ["plain"]
fresh(work)
DONE, USAGE, INPUT, UNSOLVED, INTERRUPTED = 0, 2, 3, 4, 130
tests = []


def test(fn):
    tests.append(fn)
    return fn


def run(*args, code=DONE, err=(), prepare=None):
    p = subprocess.run([pliant, *map(str, args)], capture_output=True, text=True, cwd=work, timeout=300, preexec_fn=prepare)
    what = "pliant " + " ".join(map(str, args))
    assert p.returncode == code, f"{what}: exit code {p.returncode}, wanted {code}\n{p.stderr}"
    for part in [err] if isinstance(err, str) else err:
        assert part in p.stderr, f"{what}: no '{part}' in\n{p.stderr}"
    return p


def table(folder):
    with open(work / folder / "table.csv", newline="") as f:
        return list(csv.DictReader(f))


def cases(folder):
    return [json.loads(line) for line in (work / folder / "cases.jsonl").read_text().splitlines()]


def column(folder, name):
    return numpy.array([float(row[name]) for row in table(folder)])


(work / "spring.yaml").write_text("""pliant: 1
title: spring
dimension: 1
nodes: {m: 0}
masses: [{node: m, mass: 2 kg}]
parameters: {k: {value: 5 N/m, min: 0.1 N/m, max: 1000 N/m}}
springs: [{nodes: [ground, m], stiffness: $k}]
loads: [{node: m, force: [3 N]}]
watch: {m: m}
analyses: [static: {}, modes: {count: 1}]
""")
(work / "duffing.yaml").write_text("""pliant: 1
dimension: 1
nodes: {m: 0}
masses: [{node: m, mass: 1 kg}]
parameters: {k: {value: 1 N/m, min: 0.1 N/m, max: 10 N/m}}
springs: [{nodes: [ground, m], stiffness: $k, cubic: 0.5 N/m^3, damping: 0.2 N.s/m}]
loads: [{node: m, force: [0.4 N], harmonic: 1}]
watch: {m: m}
analyses:
  - response: {from: 0.05 Hz, to: 0.4 Hz, harmonics: 3, stability: no}
  - transient: {frequency: 1.2 rad/s, periods: 2, steps_per_period: 32}
""")
(work / "beam.yaml").write_text("""pliant: 1
materials: {steel: {young: 200 GPa, poisson: 0.3, density: 7800 kg/m^3}}
bodies:
  - {name: b, rod: {mesh: {points: {at: [[0, 0, 0], [0.2, 0, 0]], segments: 16}}, material: steel, section: {rectangle: [10 mm, 2 mm]}}}
drives: [{nodes: b group start, fix: [x, y, z], clamp: yes}]
loads: [{node: b group end, force: [0, 0, 0.01 N]}]
watch: {tip: b group end}
analyses: [static: {}]
""")
(work / "sheet.yaml").write_text("""pliant: 1
materials: {m: {young: 1 MPa, poisson: 0.3, density: 1000 kg/m^3}}
bodies: [{name: b, shell: {mesh: {grid: {size: [1, 1], cells: [2, 2]}}, material: m, thickness: 10 mm}}]
fixed: b where x < 0.01
gravity: [0, 0, -0.1]
analyses: [static: {}]
""")


def flatten(name, v, out):
    """The naming of figures, once more."""
    if isinstance(v, bool):
        out[name] = int(v)
    elif isinstance(v, (int, float)):
        out[name] = v
    elif isinstance(v, list) and len(v) <= 16:
        for i, e in enumerate(v):
            flatten(f"{name}.{i}", e, out)
    elif isinstance(v, dict):
        for k, e in v.items():
            if not k.startswith("seconds"):
                flatten(f"{name}.{k}", e, out)


@test
def same_as_run():
    """A case has the bits of `pliant run`; the table is a function of the command."""
    run("sweep", "duffing.yaml", "--vary", "k=0.5..2 N/m:2", "--vary", "analyses.transient.method=newmark,implicit-euler", "-o", "same",
        "-j", 2, "-q", "--keep")
    for c in cases("same"):
        out, sets = {}, [w for s in c["set"] for w in ("-s", s)]
        run("run", "duffing.yaml", *sets, "-o", "alone", "-t", 1, "-q")
        alone = json.loads((work / "alone/summary.json").read_text())
        for a in alone["analyses"]:
            flatten(a["name"], a, out)
        assert out == c["figures"], c
        assert c["status"] == "done" and c["seconds"] > 0 and c["pliant"] == alone["pliant"] and c["commit"] == alone["commit"]
        # kept results are those of the run
        for name in ("response.csv", "transient.csv"):
            kept = work / f"same/cases/{c['case']:04d}" / name
            assert kept.read_bytes() == (work / "alone" / name).read_bytes(), name
    bytes_ = (work / "same/table.csv").read_bytes()
    run("sweep", "duffing.yaml", "--vary", "k=0.5..2 N/m:2", "--vary", "analyses.transient.method=newmark,implicit-euler", "-o", "same",
        "-j", 1, "-t", 2, "-q", "--table", "copy.csv")
    assert (work / "same/table.csv").read_bytes() == bytes_ == (work / "copy.csv").read_bytes()
    assert not (work / "same/cases").exists(), "results of another sweep were left"


@test
def factorial():
    run("sweep", "spring.yaml", "--vary", "k=1..100 N/m:3,log", "--vary", "masses.0.mass=1,2,4 kg", "--vary", "loads.0.force=[3 N],[6 N]",
        "-o", "grid", "-q")
    rows = table("grid")
    want = list(itertools.product([1, 10, 100], [1, 2, 4], [3, 6]))
    assert len(rows) == 18 and all(r["status"] == "done" for r in rows)
    for r, (k, m, f) in zip(rows, want):
        assert float(r["k_N_m"]) == k and float(r["masses.0.mass_kg"]) == m and r["loads.0.force"] == f"[{f} N]"
        assert math.isclose(float(r["static.displacement_m.m.0"]), f / k, rel_tol=1e-12)
        assert math.isclose(float(r["modes.frequency_Hz.0"]), math.sqrt(k / m) / 2 / math.pi, rel_tol=1e-12)
    page = (work / "grid/report.html").read_text()
    assert "static.displacement_m.m.0" in page and page.count("<svg") >= 5
    summary = json.loads((work / "grid/sweep.json").read_text())
    assert summary["cases"] == 18 and summary["failed"] == 0 and summary["inputs"][0]["values"] == [1, 10, 100]


@test
def designs_beside_scipy():
    run("sweep", "spring.yaml", "--vary", "k=1..3 N/m", "--vary", "masses.0.mass=1..100 kg,log", "--design", "sobol", "-n", 64, "-o", "sobol",
        "-q", "--only", "static")
    u = qmc.Sobol(2, scramble=False).random(64)
    assert numpy.allclose(column("sobol", "k_N_m"), 1 + 2 * u[:, 0], rtol=1e-11)
    assert numpy.allclose(column("sobol", "masses.0.mass_kg"), 100 ** u[:, 1], rtol=1e-11)
    for design, seed in (("latin", 3), ("sobol", 3)):
        run("sweep", "spring.yaml", "--vary", "k=1..3 N/m", "--vary", "masses.0.mass=1..2 kg", "--design", design, "-n", 64, "-o", design,
            "--seed", seed, "-q", "--only", "static")
        x = numpy.column_stack([(column(design, "k_N_m") - 1) / 2, column(design, "masses.0.mass_kg") - 1])
        # one in each of 64 parts, and spread at least as evenly as SciPy's random points are
        for d in range(2):
            assert sorted(numpy.floor(64 * x[:, d])) == list(range(64)), design
        scattered = numpy.random.default_rng(1).random((64, 2))
        assert qmc.discrepancy(x) < qmc.discrepancy(scattered), design


def count(path):
    try:
        return (work / path).read_text().count("\n")
    except FileNotFoundError:
        return 0


def start(*args):
    return subprocess.Popen([pliant, *map(str, args)], cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def wait_for(p, lines, path):
    end = time.time() + 200
    while count(path) < lines:
        assert p.poll() is None and time.time() < end, p.stderr.read()
        time.sleep(0.005)


def children(p):
    return [int(w) for w in pathlib.Path(f"/proc/{p.pid}/task/{p.pid}/children").read_text().split()]


@test
def killed_and_resumed():
    sweep = ("sweep", "duffing.yaml", "--vary", "k=0.5..2 N/m:16,log", "--only", "response", "-j", 2, "-q")
    run(*sweep, "-o", "whole")
    p = start(*sweep, "-o", "killed")
    wait_for(p, 3, "killed/cases.jsonl")
    workers = children(p)
    p.kill()
    p.wait()
    end = time.time() + 60
    while any(os.path.exists(f"/proc/{w}") and "Z" not in pathlib.Path(f"/proc/{w}/stat").read_text().split()[2] for w in workers):
        assert time.time() < end, "processes outlive the sweep"
        time.sleep(0.01)
    done = count("killed/cases.jsonl")
    assert done < 16 and not (work / "killed/table.csv").exists()
    # a line that was cut off
    with open(work / "killed/cases.jsonl", "a") as f:
        f.write('{"case":16,"val')
    p = run(*sweep[:-1], "-o", "killed", "--resume", err=f"{done} of 16 cases are there already")
    assert (work / "killed/table.csv").read_bytes() == (work / "whole/table.csv").read_bytes()
    assert [c["case"] for c in cases("killed")] == list(range(1, 17))
    # what is there is not run again
    before = (work / "killed/cases.jsonl").read_bytes()
    run(*sweep, "-o", "killed", "--resume")
    assert (work / "killed/cases.jsonl").read_bytes() == before


@test
def resumed_otherwise():
    run("sweep", "spring.yaml", "--vary", "k=1..2 N/m:3", "-o", "other", "-q")
    old = (work / "other/cases.jsonl").read_text()
    run("sweep", "spring.yaml", "--vary", "k=1..2 N/m:3", "-s", "masses.0.mass=3 kg", "-o", "other", "--resume", code=INPUT,
        err=["another scene, other settings", "run without --resume"])
    assert (work / "other/cases.jsonl").read_text() == old
    # more cases of the same sequence
    few = ("sweep", "spring.yaml", "--vary", "k=1..3 N/m", "--design", "sobol", "-o", "more")
    run(*few, "-n", 4, "-q")
    run(*few, "-n", 8, "--resume", err="4 of 8 cases are there already")
    assert len(table("more")) == 8


# case 1 goes on for hours
LONG = ("sweep", "duffing.yaml", "--vary", "analyses.transient.periods=1000000,2,3", "--only", "transient", "-j", 2)


@test
def interrupted():
    p = start(*LONG, "-o", "long")
    wait_for(p, 2, "long/cases.jsonl")
    p.send_signal(signal.SIGINT)
    err = p.communicate(timeout=120)[1]
    assert p.returncode == INTERRUPTED and "--resume goes on with it" in err, err
    assert [r["case"] for r in table("long")] == ["2", "3"]
    assert json.loads((work / "long/sweep.json").read_text())["status"] == "interrupted"
    assert "interrupted: 2 of 3 cases" in (work / "long/report.html").read_text()
    # the case that does not end gets a limit
    run(*LONG, "-o", "long", "--resume", "--limit", 0.5, code=UNSOLVED, err=["2 of 3 cases are there already", "1 case failed"])
    rows = table("long")
    assert rows[0]["status"] == "time limit" and "limit of 0.5 s" in rows[0]["reason"] and rows[2]["status"] == "done"
    # without --resume what was not done is not lost
    p = start(*LONG, "-o", "again")
    wait_for(p, 2, "again/cases.jsonl")
    p.kill()
    p.communicate()
    run("sweep", "duffing.yaml", "--vary", "analyses.transient.periods=2", "--only", "transient", "-o", "again", err="cases.jsonl.old")
    assert count("again/cases.jsonl.old") == 2 and count("again/cases.jsonl") == 1


@test
def killed_process():
    p = start(*LONG, "-o", "crash", "-q")
    wait_for(p, 2, "crash/cases.jsonl")
    for w in children(p):
        os.kill(w, signal.SIGKILL)
    p.communicate(timeout=120)
    assert p.returncode == UNSOLVED
    rows = table("crash")
    assert rows[0]["status"] == "crashed" and "was killed" in rows[0]["reason"]
    assert [r["status"] for r in rows[1:]] == ["done", "done"]


@test
def failing_cases():
    run("sweep", "spring.yaml", "--vary", "masses.0.mass=1 kg,-1 kg,2 kg", "--vary", "k=2 N/m,0 N/m", "-o", "fails", code=UNSOLVED,
        err="failed; the table tells why")
    rows = table("fails")
    assert [r["status"] == "done" for r in rows] == [True, False, False, False, True, False], rows
    assert "mass" in rows[2]["reason"] and rows[2]["static.displacement_m.m.0"] == ""
    assert rows[1]["reason"]
    page = (work / "fails/report.html").read_text()
    assert "Failures" in page and "4 of 6 cases failed" in page
    listed = json.loads((work / "fails/sweep.json").read_text())["failures"]
    assert [f["case"] for f in listed] == [2, 3, 4, 6] and all(f["reason"] for f in listed)
    # a reason stays the same when the study is made again
    run("sweep", "spring.yaml", "--vary", "masses.0.mass=1 kg,-1 kg,2 kg", "--vary", "k=2 N/m,0 N/m", "-o", "fails2", "-j", 1, "-q",
        code=UNSOLVED)
    assert (work / "fails/table.csv").read_bytes() == (work / "fails2/table.csv").read_bytes()


@test
def memory_of_one_case():
    if not plain:
        return
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (480 << 20, 480 << 20))
    run("sweep", "sheet.yaml", "--vary", "bodies.b.shell.mesh.grid.cells=[2, 2],[500, 500],[3, 3]", "-o", "memory", "-j", 1, code=UNSOLVED,
        prepare=limit)
    rows = table("memory")
    assert [r["status"] == "done" for r in rows] == [True, False, True], rows
    assert "memory" in rows[1]["reason"], rows[1]


@test
def wrong_words():
    def wrong(*args, err, code=USAGE):
        run(*args, "-o", "nowhere", code=code, err=err)
        assert not (work / "nowhere").exists()
    for vary, err in {
            "k": "NAME=VALUES is wanted",
            "=1": "NAME=VALUES is wanted",
            "k=": "NAME=VALUES is wanted",
            "q=1,2": ["no such parameter", "known: k"],
            "k=1..2": ["needs a count", "1..10:20"],
            "k=2..1:3": "goes upwards",
            "k=1..2:1": "whole number from 2 on",
            "k=1..2:x": "whole number from 2 on",
            "k=0..2:3,log": "above zero",
            "k=1..2:3,logarithmic": "only 'log'",
            "k=1,,2": "empty",
            "k=1 N/m,2 kN/m": "same unit",
            "k=1 N/m..2 kN/m:2": "same unit",
            "k=1..2:2000000": "whole number from 2 on"}.items():
        wrong("sweep", "spring.yaml", "--vary", vary, err=err)
    wrong("sweep", "spring.yaml", err="--vary is missing")
    wrong("sweep", "spring.yaml", "--vary", "k=1,2", "--vary", "parameters.k.value=1,2", err="twice")
    wrong("sweep", "spring.yaml", "--vary", "k=1..2:1001", "--vary", "masses.0.mass=1..2:1001", err="1002001 cases are more than")
    wrong("sweep", "spring.yaml", "--vary", "k=1..2", "--design", "latin", err="--cases")
    wrong("sweep", "spring.yaml", "--vary", "k=1..2:3", "--design", "latin", "-n", 8, err="has no count")
    wrong("sweep", "spring.yaml", "--vary", "k=1,2", "--cases", 8, err="--cases")
    wrong("sweep", "spring.yaml", "--vary", "k=1,2", "--figure", "statik.x", err=["begins with no analysis", "static"])
    wrong("sweep", "spring.yaml", "--vary", "k=1,2", "--only", "statik", err="no analysis 'statik'")
    for option in ("--jobs", "--cases", "--seed", "--limit"):
        wrong("sweep", "spring.yaml", "--vary", "k=1,2", option, "-3", err=option)
    # what is wrong in all cases is told before any is run
    wrong("sweep", "spring.yaml", "--vary", "masses.0.mas=1,2", err="mas", code=INPUT)
    wrong("sweep", "spring.yaml", "--vary", "k=1 GPA,2 GPA", err="GPA", code=INPUT)
    for given, err in {
            "k=normal": "no known distribution",
            "k=gauss:1,2": ["no known distribution", "lognormal"],
            "k=normal:1": ["not understood", "normal:10 N/m,1 N/m"],
            "k=normal:1,0": "above zero",
            "k=lognormal:-1,1": "above zero",
            "k=uniform:2..1": "goes upwards",
            "k=loguniform:0..1": "above zero",
            "k=triangular:1,5,3": "within the range",
            "k=uniform:1 N/m..2 kg": "same unit"}.items():
        wrong("uncertainty", "spring.yaml", "--given", given, err=err)
    wrong("uncertainty", "spring.yaml", "--given", "k=uniform:1..2", "--design", "factorial", err="random, latin or sobol")
    # a figure that is not there is told, with what may be meant
    run("sweep", "spring.yaml", "--vary", "k=1,2", "--figure", "static.potential", "-o", "figure", err="did you mean 'static.potential_J'?")


def deflection(power, sigma, mean):
    """Mean and indices of a product of powers of lognormal numbers."""
    of = numpy.exp((numpy.array(power) * sigma) ** 2)
    every = of.prod()
    log_mean = sum(p * (math.log(m) - s * s / 2) for p, m, s in zip(power, mean, sigma))
    return math.exp(log_mean) * math.sqrt(every), (of - 1) / (every - 1), 1 - (every / of - 1) / (every - 1), every


@test
def beam_formula():
    """Deflection F l^3/(3 E I), I = b h^3/12; loads are small, so that it is linear, and rods do not shear."""
    given = ("--given", "materials.steel.young=lognormal:200 GPa,5 %", "--given", "bodies.b.rod.section.rectangle.1=lognormal:2 mm,4 %",
             "--given", "loads.0.force.2=lognormal:0.01 N,10 %")
    run("uncertainty", "beam.yaml", *given, "--sobol", "-n", 128, "--figure", "static.displacement_m.tip.2", "-o", "beam", "-q",
        "--design", "sobol")
    summary = json.loads((work / "beam/uncertainty.json").read_text())
    f = summary["figures"]["static.displacement_m.tip.2"]
    sigma = [math.sqrt(math.log1p(c * c)) for c in (0.05, 0.04, 0.1)]
    scale, first, total, every = deflection([-1, -3, 1], sigma, [200e9, 2e-3, 0.01])
    # of the mesh alone: once without scatter
    run("run", "beam.yaml", "-o", "nominal", "-q")
    nominal = json.loads((work / "nominal/summary.json").read_text())["analyses"][0]["displacement_m"]["tip"][2]
    formula = 0.01 * 0.2**3 / (3 * 200e9 * 0.01 * 0.002**3 / 12)
    assert abs(nominal / formula - 1) < 0.01, (nominal, formula)
    mean = scale / (0.01 / 200e9 / 0.002**3) * nominal
    assert f["n"] == 256 and abs(f["mean"] - mean) < 2 * f["mean_error"], (f, mean)
    sd = mean * math.sqrt(every - 1)
    assert abs(f["sd"] - sd) < 3 * f["sd_error"], (f["sd"], sd)
    for name, one, all_ in zip(f["sobol"], first, total):
        s = f["sobol"][name]
        assert abs(s["first"] - one) < s["first_95"][1] - s["first_95"][0], (name, s, one)
        assert abs(s["total"] - all_) < s["total_95"][1] - s["total_95"][0], (name, s, all_)
        assert abs(s["total"] - all_) < 0.06, (name, s, all_)
    # statistics are those of the samples in the table
    rows = column("beam", "static.displacement_m.tip.2").reshape(128, 5)[:, :2].ravel()
    assert math.isclose(f["mean"], rows.mean(), rel_tol=1e-12) and math.isclose(f["sd"], rows.std(ddof=1), rel_tol=1e-12)
    for name, p in (("q05", 0.05), ("q50", 0.5), ("q95", 0.95)):
        assert math.isclose(f[name]["value"], numpy.quantile(rows, p), rel_tol=1e-12)
    statistics = (work / "beam/statistics.csv").read_text()
    assert repr(f["mean"]) in statistics and count("beam/sobol.csv") == 4


@test
def bands():
    run("uncertainty", "duffing.yaml", "--given", "k=uniform:0.8..1.2 N/m", "-n", 20, "--only", "transient", "--curve", "transient", "-o",
        "bands", "-q")
    curves = [c["curves"]["transient"] for c in cases("bands")]
    columns = [c["name"] for c in curves[0]]
    with open(work / "bands/band-transient.csv", newline="") as f:
        band = list(csv.DictReader(f))
    head = list(band[0])
    assert head[0].startswith(columns[0]) and len(head) == 1 + 3 * (len(columns) - 1)
    values = numpy.array([c[1]["data"] for c in curves])
    for k, name in enumerate(head[1:4]):
        got = numpy.array([float(r[name]) for r in band])
        want = values.mean(axis=0) if k == 0 else numpy.quantile(values, 0.05 if k == 1 else 0.95, axis=0)
        assert numpy.allclose(got, want, rtol=1e-12, atol=1e-15), name
    # other abscissae: no bands, and it is told
    run("uncertainty", "duffing.yaml", "--given", "k=uniform:0.8..1.2 N/m", "-n", 3, "--only", "response", "--curve", "response", "-o",
        "nobands", "-q")
    assert not (work / "nobands/band-response.csv").exists()
    assert "There are no bands" in (work / "nobands/report.html").read_text()


@test
def told_as_json():
    p = run("sweep", "spring.yaml", "--vary", "k=1,2", "-o", "json", "--json", "-q")
    assert json.loads(p.stdout) == json.loads((work / "json/sweep.json").read_text()) and p.stderr == ""


only = os.environ.get("ONLY")
for t in tests:
    if only and t.__name__ != only:
        continue
    began = time.process_time() + sum(os.times()[2:4])
    t()
    print(f"{t.__name__}: {time.process_time() + sum(os.times()[2:4]) - began:.1f} CPU s", flush=True)
