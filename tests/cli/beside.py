"""What tests beside CalculiX and closed forms share. Arguments of each: PLIANT SOURCE_DIR WORK_DIR"""
import json
import pathlib
import re
import subprocess
import sys

import numpy as np

from fresh import fresh

pliant, source, work = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3])
fresh(work)
PARTS = source / "tests" / "cli" / "parts"
tests = []


def test(fn):
    tests.append(fn)
    return fn


def launch(name, text, output="report: no, vtu: no, glb: no, plots: no"):
    """Runs a scene; returns its process, and what its analyses found, None when there is no summary."""
    path, summary = work / f"{name}.yaml", work / name / "summary.json"
    path.write_text(f"{text}output: {{{output}}}\n")
    p = subprocess.run([pliant, "run", path, "-o", work / name], capture_output=True, text=True, timeout=300)
    return p, json.loads(summary.read_text())["analyses"] if summary.exists() else None


def run(name, text, code=0, err=(), warned=False, allowed=None):
    """What the analyses of a scene found. err: what it says; warned: it may warn; allowed: of this."""
    p, found = launch(name, text)
    assert p.returncode == code, f"{name}: exit code {p.returncode}\n{p.stderr}"
    for part in err:
        assert part in p.stderr, f"{name}: no '{part}' in\n{p.stderr}"
    told = [line for line in p.stderr.splitlines() if "warning" in line and not (allowed and allowed in line)]
    assert err or warned or not told, f"{name}: {told}"
    return found


def ccx(name, deck):
    """What CalculiX prints of a deck of lines."""
    (work / f"{name}.inp").write_text("\n".join(deck) + "\n")
    subprocess.run(["ccx", "-i", name], cwd=work, capture_output=True, timeout=300, check=True)
    return (work / f"{name}.dat").read_text()


def frequencies(dat, n=6):
    """Of what CalculiX printed, Hz."""
    block = dat[dat.index("E I G E N V A L U E"):].splitlines()
    return [float(line.split()[3]) for line in block if re.match(r"\s*\d+\s+\S+E\S+\s+\S+\s+\S+\s+\S+\s*$", line)][:n]


def displacement(dat, node, last=False):
    """Of a node in what CalculiX printed, at the first time or the last."""
    rows = re.findall(rf"^\s+{node}\s+(\S+)\s+(\S+)\s+(\S+)\s*$", dat, re.M)
    return [float(v) for v in rows[-1 if last else 0]]


def layers(name):
    """Places and stress (xx yy zz xy yz xz) of nodes in the first step of a file of CalculiX with OUTPUT=3D."""
    X, s, block = {}, {}, {}
    for line in (work / f"{name}.frd").read_text().splitlines():
        if line.startswith("    2C"):
            block, width = X, 3
        elif line.startswith(" -4"):
            block, width = (s, 6) if "STRESS" in line and not s else ({}, 0)
        elif line.startswith(" -3"):
            block, width = {}, 0
        elif line.startswith(" -1"):
            block[int(line[3:13])] = [float(line[13 + 12 * k:25 + 12 * k]) for k in range(width)]
    return np.array([X[k] for k in s]), np.array(list(s.values()))


def von_mises(s):
    """Of tensors xx yy zz xy yz xz."""
    d = s[:, :3] - s[:, :3].mean(axis=1, keepdims=True)
    return np.sqrt(1.5 * ((d**2).sum(axis=1) + 2 * (s[:, 3:]**2).sum(axis=1)))


def master(protocol, *at):
    """Values of a master curve of the validation protocols."""
    table = work / f"{protocol}.csv"
    subprocess.run([pliant, "validate", protocol, "--at", ",".join(map(str, at)), "--csv", table], capture_output=True, timeout=300, check=True)
    return [float(row.split(",")[2]) for row in table.read_text().splitlines()[1:]]


def sags(name, body, gamma, bend, clamp=""):
    """H/W of a strip of length 1 m and density 1000 kg/m^3 with groups root and tip, over the master curve of the cantilever.
    bend: E I over the area of the section, N."""
    out = []
    for g, want in zip(gamma, master("cantilever", *gamma)):
        a = run(name, f"""pliant: 1
units: {{length: m}}
materials: {{m: {{young: 1 GPa, poisson: 0, density: 1000 kg/m^3}}}}
bodies: [{{name: b, {body}}}]
fixed: {{nodes: b group root{clamp}}}
gravity: [0, 0, {-g * bend / 1000:.12g}]
watch: {{tip: 'b nearest [1, 0.05, 0]'}}
analyses: [{{static: {{book: no}}}}]
""", allowed="looks like a wrong unit")[0]
        u = a["displacement_m"]["tip"]
        out.append(-u[2] / (1 + u[0]) / want)
    return out


def finish():
    """Runs all tests and ends with their verdict."""
    failed = 0
    for fn in tests:
        try:
            fn()
            print(f"ok   {fn.__name__}", flush=True)
        except Exception as e:  # the others are run as well
            failed += 1
            print(f"FAIL {fn.__name__}: {type(e).__name__}: {e}", flush=True)
    sys.exit(failed > 0)
