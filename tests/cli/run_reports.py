#!/usr/bin/env python3
"""What reports look like to a reader: python3 run_reports.py PLIANT SOURCE_DIR WORK_DIR

Every kind of report is looked at for the same things: one unit for every dimension, numbers and
words that agree, legends that name what is drawn, and a page that a telephone can show."""
import base64
import gzip
import html
import json
import pathlib
import re
import subprocess
import sys
import zlib

from fresh import fresh

pliant, source, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
fresh(work)
tests = []


def test(fn):
    tests.append(fn)
    return fn


def run(*args):
    p = subprocess.run([pliant, *map(str, args)], capture_output=True, text=True, cwd=work, timeout=300)
    assert p.returncode == 0, f"pliant {args}: exit code {p.returncode}\n{p.stderr}"
    return p.stdout + p.stderr


def report(name, text):
    """Runs a scene (its text, or a file's path) and returns its page and what was printed."""
    path = text
    if isinstance(text, str):
        path = work / f"{name}.yaml"
        path.write_text(text)
    said = run("run", path, "-o", work / name)
    return (work / name / "report.html").read_text(), said


# ---- what every page must have ------------------------------------------------------------------

LENGTHS = r"(?:km|m|mm|um|µm|nm)"
# unit in a label, "tip (mm)" or "tip (10⁻³ mm)", and after a number, "3.2 mm"
LABEL = re.compile(r"\((?:10\S+ )?(\S+?)(?: a unit)?\)")
VALUE = re.compile(r"(?<![\w.])[-+]?\d[\d.]*(?:e[-+]?\d+)? (\S+?)(?=[\s,;:.)]|$)")
FAMILIES = {"length": {"km", "m", "mm", "um", "µm", "nm"}, "time": {"s", "ms", "us", "µs"},
            "force": {"N", "mN", "kN", "µN", "MN"}, "energy": {"J", "mJ", "µJ", "kJ"},
            "frequency": {"Hz", "kHz", "mHz", "rad/s"}}
NOT_PLURAL = {"is", "was", "has", "this", "less", "its", "analysis", "rms", "times", "stress", "mass"}


def words(page):
    """The page as a reader sees it: texts of figures included, the scene itself left out."""
    page = re.sub(r"<style>.*?</style>|<script.*?</script>|<details>.*?</details>|<p class=\"origin\">.*?</p>", "",
                  page, flags=re.S)
    return html.unescape(re.sub(r"<[^>]+>", "\n", page))


def check_units(name, text):
    seen = set(LABEL.findall(text)) | set(VALUE.findall(text))
    for family, units in FAMILIES.items():
        found = seen & units
        assert len(found) <= 1, f"{name}: units of {family}: {sorted(found)}"
    return seen


def check_grammar(name, text):
    for m in re.finditer(r"(?<![\d.,])1 (?:of 1 )?(?:[A-Za-z]+ )?([a-z]+s)\b", text):
        assert len(m[1]) < 4 or m[1] in NOT_PLURAL, f"{name}: '{m[0]}'"


def check_narrow(name, page):
    """A window of 360 pixels: everything wide scrolls by itself, nothing else is wide."""
    assert '<meta name="viewport" content="width=device-width, initial-scale=1"/>' in page, name
    style = re.search(r"<style>(.*?)</style>", page, re.S)[1]
    body = page.split("</style>")[1]
    scrolls = {m[1] for m in re.finditer(r"([\w.]+)\{[^}]*overflow-x:auto", style)}
    assert {".scroll", "pre", "figure"} <= scrolls, f"{name}: {scrolls}"
    assert "overflow-wrap:anywhere" in style and "max-width:100%" in style, name
    # outside of what only wide windows see, no width is fixed above the narrowest screens
    narrow = re.sub(r"@media\(min-width:[^{]*\{(?:[^{}]*\{[^}]*\})*\}", "", style)
    for rule, size, unit in re.findall(r"(?<!max-)(?<!-)\bwidth:(\s*[\d.]+)(px|rem)()", narrow):
        assert float(rule) * (16 if size == "rem" else 1) <= 320, f"{name}: width of {rule}{size}"
    for column in re.findall(r"minmax\(([^()]*(?:\([^()]*\))?[^()]*)\)", narrow):
        assert column.startswith(("0", "min(")), f"{name}: columns of at least {column}"
    # tables and pictures stand in what scrolls, and pictures shrink
    assert body.count("<table>") == body.count('<div class="scroll"><table>'), name
    figures = "".join(re.findall(r"<figure>.*?</figure>", body, re.S))
    assert figures.count("<svg") == body.count("<svg") - body.count('<svg class="bar"'), name
    for svg in re.findall(r"<svg[^>]*>", figures):
        assert "viewBox=" in svg, f"{name}: {svg}"
    assert not re.findall(r'style="[^"]*width', body), name


def check(name, page, said=""):
    text = words(page)
    check_narrow(name, page)
    check_grammar(name, text)
    check_grammar(name, said)
    return check_units(name, text)


# ---- reports ------------------------------------------------------------------------------------

OSCILLATOR = """pliant: 1
dimension: 1
parameters: {k: {value: 100 N/m, min: 50 N/m, max: 200 N/m}}
nodes: {m: 0}
masses: [{node: m, mass: 1 kg}]
springs: [{nodes: [ground, m], stiffness: $k, cubic: %g N/m^3, damping: 0.4 N.s/m}]
loads: [{node: m, force: [%g N], harmonic: 1}]
watch: {m: m}
output: {vtu: no, glb: no}
analyses:
  - %s
"""


@test
def rigid_bodies_hide_what_damps_them():
    """Dashpots within a rigid body are no springs of the scene."""
    page, _ = report("ball", """pliant: 1
units: {length: mm}
bodies: [{name: ball, rigid: {mesh: {sphere: {radius: 7, level: 1}}, mass: 3 g, translate: [0, 0, 10]}}]
gravity: [0, 0, -9.81 m/s^2]
analyses: [{transient: {duration: 5 ms, step: 0.5 ms}}]
""")
    assert "<svg" in page and 'class="pl-tie"' not in page


@test
def a_linear_response():
    # F / (c w) at resonance: 0.1 / (0.4 * 10) = 25 mm; the path is four times as long
    page, said = report("linear", OSCILLATOR % (0, 0.1, "response: {from: 5 rad/s, to: 15 rad/s, sensitivities: yes}"))
    assert "mm" in check("linear", page, said)
    assert "highest peak 100 mm at 1.59" in said and "1 peak, end reached" in said, said
    assert "path length a period (mm)" in page and ">100.0" in page and ">path length a period (mm)<" in page
    assert ">peak<" in page and ">unstable<" not in page and "fold" not in words(page).split("Sensitiv")[0]


@test
def the_measure_asked_for():
    of = {"max": "largest deviation", "rms": "root mean square", "harmonic": "amplitude of harmonic 1"}
    for peaks, what in of.items():
        page, _ = report(f"peaks-{peaks}", OSCILLATOR % (0, 0.1, "response: {from: 5 rad/s, to: 15 rad/s, "
                         f"linear: yes, peaks: {peaks}}}"))
        svg = (work / f"peaks-{peaks}" / "response-m.svg").read_text()
        assert f">{what} (mm)<" in svg and "path length" not in page
        # 25 mm, or less by the root of two: the axis ends there, and the dot of the peak is at the top
        ticks = [float(t) for t in re.findall(r">(\d+)</text>", svg)]
        assert 15 <= max(ticks) <= 30, ticks
        assert ">linear<" in svg, "the linear response has no such column"


@test
def unstable_and_folds():
    page, said = report("duffing", OSCILLATOR % (5e4, 0.3, "response: {from: 8 rad/s, to: 20 rad/s}\n"
                                                 "  - backbone: {to: 20 rad/s}"))
    check("duffing", page, said)
    assert ">unstable<" in page and ">peak, folds<" in page and "1 peak, 2 folds" in said
    assert "0 of them unstable" not in page


@test
def a_static_of_one_step():
    page, said = report("static", """pliant: 1
units: {length: mm}
materials: {steel: {young: 210 GPa, poisson: 0.3, density: 7850 kg/m^3}}
bodies: [{name: beam, solid: {formulation: plain, mass: lumped, mesh: {box: {cells: [6, 1, 1], size: [60, 5, 5], cell: hex}}, material: steel}}]
fixed: beam group left
loads: [{nodes: beam group right, total: [0, 0, -20 N]}]
watch: {tip: "beam nearest [60, 2.5, 2.5]"}
analyses: [{static: {}}, {modes: {count: 1}}]
""")
    assert "mm" in check("static", page, said)
    assert "in 1 load step and " in page


@test
def small_motions_of_a_small_body():
    # nanometres are told in the scene's unit
    page, said = report("small", (work / "static.yaml").read_text().replace("-20 N", "-2e-5 N"))
    assert "mm" in check("small", page, said)


@test
def a_transient():
    page, said = report("transient", OSCILLATOR % (0, 0.1, "transient: {frequency: 8 rad/s, periods: 2, "
                        "steps_per_period: 64}\n  - transient: {name: one, frequency: 8 rad/s, duration: 1 s, step: 1 s}"))
    check("transient", page, said)
    assert "1 step to 1 s" in page


def unpacked(text):
    """Bytes that the page's player gets."""
    return zlib.decompress(base64.b64decode(text))


@test
def motions_are_played():
    """What the player reads ends where the run ended; the picture stands without it."""
    page, _ = report("played", """pliant: 1
units: {length: mm}
bodies: [{name: ball, rigid: {mesh: {sphere: {radius: 7, level: 1}}, mass: 3 g, translate: [0, 0, 100]}}]
gravity: [0, 0, -9.81 m/s^2]
analyses: [{transient: {duration: 50 ms, step: 0.5 ms}}]
output: {frames: 10}
""")
    figure = next(f for f in re.findall(r"<figure>.*?</figure>", page, re.S) if "pl-motion" in f or "Motion from" in f)
    assert figure.startswith("<figure>\n<svg"), figure[:80]
    if "pl-player" not in page:
        assert "<script" not in page
        return  # built without
    assert page.count('id="pl-player"') == 1
    motion = json.loads(re.search(r'class="pl-motion">(.*?)</script>', figure, re.S)[1])
    mesh = json.loads(re.search(f'id="{motion["mesh"]}">(.*?)</script>', page, re.S)[1])
    n, frames = 3 * mesh["vertices"], len(motion["time"])
    assert motion["unit"] == "mm" and abs(motion["time"][-1] - 0.05) < 1e-12
    raw = unpacked(motion["data"])
    assert len(raw) == 2 * n * frames, (len(raw), n, frames)
    # differences from vertex to vertex and from frame to frame, low bytes first; -32767 to 32767 over the scale
    z = []
    for k in range(frames):
        d = [raw[k * n + i] + 256 * raw[n * frames + k * n + i] for i in range(n)]
        for i in range(3, n):
            d[i] += d[i - 3]
        now = [(x + y + 32768) % 65536 - 32768 for x, y in zip(d, before)] if k else d
        z.append(now[2])
        before = now
    lo, hi = motion["scale"][4:6]
    fall = (hi - lo) / 2 * (z[0] - z[-1]) / 32767
    assert abs(fall - 9.81 * 0.05**2 / 2) < 2e-4, fall
    assert len(unpacked(mesh["data"])) == 4 * 3 * mesh["triangles"]
    script = gzip.decompress(base64.b64decode(re.search(r'id="pl-player">(.*?)</script>', page)[1])).decode()
    assert "</script" not in script
    # nothing stands in the page twice, whatever it shows
    assert page.count('class="pl-motion"') == 1


@test
def cloth():
    page, said = report("cloth", source / "scenes/mail-sheet.yaml")
    check("cloth", page, said)


@test
def a_design_and_an_exploration():
    page, said = report("design", source / "scenes/mass-damper.yaml")
    assert "mm" in check("design", page, said)
    path = work / "explore.yaml"
    path.write_text(OSCILLATOR % (0, 0.1, "periodic: {frequency: 8 rad/s, harmonics: 1, newmark: yes}"))
    said = run("explore", path, "--set", "k=105N/m", "-o", work / "explore")
    check("explore", (work / "explore/report.html").read_text(), said)
    page, said = report("periodic", path)
    assert "1 harmonic, " in said
    check("periodic", page, said)


@test
def measured_in_another_unit():
    # the file is in mm, the scene's own unit suits metres: one of them is shown
    text = (source / "scenes/measured.yaml").read_text().replace("measured.csv", str(source / "scenes/measured.csv"))
    page, said = report("measured", text)
    check("measured", page, said)


@test
def a_validation():
    run("validate", "cantilever", "--model", "rod", "--quick", "-o", work / "validation")
    page = (work / "validation/report.html").read_text()
    check_narrow("validation", page)
    check_grammar("validation", words(page))


# ---- the response of a design -------------------------------------------------------------------

def chain(n, analysis):
    names = [f"m{i}" for i in range(n)]
    lines = ["pliant: 1", "dimension: 1", "parameters: {k: {value: 100 N/m, min: 50 N/m, max: 200 N/m}}",
             "nodes: {" + ", ".join(f"{m}: {i}" for i, m in enumerate(names)) + "}",
             "masses: [" + ", ".join(f"{{node: {m}, mass: 1 kg}}" for m in names) + "]", "springs:"]
    for a, b in zip(["ground"] + names, names):
        lines.append(f"  - {{nodes: [{a}, {b}], stiffness: $k, cubic: 10 N/m^3, damping: 0.4 N.s/m}}")
    return "\n".join(lines + ["loads: [{node: m0, force: [1 N], harmonic: 1}]", "watch: {tip: m0}",
                              "output: {vtu: no, glb: no}", "analyses:", "  - " + analysis]) + "\n"


@test
def a_design_draws_no_more_than_it_computes():
    goal = "frequency: 6 rad/s, harmonics: 49, max_iter: 1, proof: no, objectives: [{amplitude: max, node: m0}]"
    page, _ = report("bounded", chain(12, f"design: {{{goal}}}"))
    design = json.loads((work / "bounded/summary.json").read_text())["analyses"][0]
    drawn = design["response"]
    assert not drawn["whole"] and drawn["from_Hz"] < 0.95 < 0.96 < drawn["to_Hz"], drawn
    assert "response: {from: 0.47746 Hz, to: 1.9099 Hz}" in page, "the page tells how to get the rest"
    # the curves go both ways from the design's motion, in order
    rows = [line.split(",") for line in (work / "bounded/design-response.csv").read_text().splitlines()[1:]]
    for side in "01":
        f = [float(r[1]) for r in rows if r[0] == side]
        assert f == sorted(f) and len(set(f)) == len(f) and f[0] < 0.954 < f[-1] < 1.9, f
    # small models are drawn whole, and what is asked for is drawn
    report("whole", chain(1, f"design: {{{goal.replace('49', '3')}}}"))
    drawn = json.loads((work / "whole/summary.json").read_text())["analyses"][0]["response"]
    assert drawn["whole"] and abs(drawn["from_Hz"] - 0.477465) < 1e-5 and abs(drawn["to_Hz"] - 1.90986) < 1e-5, drawn


for fn in tests:
    fn()
    print("ok", fn.__name__, flush=True)
