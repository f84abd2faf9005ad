#!/usr/bin/env python3
"""Runs the gallery and writes docs/gallery.md: a picture, the time and the key figures of each scene.

    tools/make_gallery.py build/release/pliant [NAME ...]     only these are run anew
    tools/make_gallery.py                                     only the page is made anew

Results stay in results/gallery; scenes without results there keep their entries of the page.
"""
import base64
import glob
import json
import os
import re
import struct
import subprocess
import sys
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUT = os.path.join(ROOT, "results", "gallery")
PAGE = os.path.join(ROOT, "docs", "gallery.md")
PICTURES = os.path.join(ROOT, "docs", "pictures", "gallery")
LARGEST = 500_000  # bytes of a picture in the repository
# what shows a scene best, first found
BEST = ("design-*-path.svg", "*-stages.svg", "*-strain.svg", "explore-*-path.svg", "*-strain-flat.svg",
        "*-shape.svg", "*-end.svg", "*-limit.svg", "macro.svg", "limits.svg", "mail-design.svg", "catenary.svg", "knots-36.svg")


def run(pliant, name):
    done = subprocess.run([pliant, "run", f"gallery/{name}", "-o", os.path.join(OUT, name), "-q"],
                          cwd=ROOT, stdout=subprocess.DEVNULL)
    print(f"{name}: exit {done.returncode}", flush=True)
    # the best design of a search is the one to show
    best = os.path.join(OUT, name, "search.yaml")
    if os.path.exists(best):
        subprocess.run([pliant, "run", best, "-o", os.path.join(OUT, name, "best"), "-q"], cwd=ROOT, stdout=subprocess.DEVNULL)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def coarser(png):
    """The picture with two by two pixels as one. Rows are without filters, as pictures of elements are."""
    w, h = struct.unpack(">II", png[16:24])
    start = png.index(b"IDAT") + 4
    rows = zlib.decompress(png[start:start + struct.unpack(">I", png[start - 8:start - 4])[0]])
    out, stride = bytearray(), 4 * w + 1
    for y in range(0, h - 1, 2):
        out.append(0)
        for x in range(0, w - 1, 2):
            four = [rows[at:at + 4] for at in (stride * (y + dy) + 1 + 4 * (x + dx) for dy in (0, 1) for dx in (0, 1))]
            seen = sum(p[3] for p in four)
            out += bytes(sum(p[c] * p[3] for p in four) // seen if seen else 0 for c in range(3)) + bytes([seen // 4])
    head = struct.pack(">IIBBBBB", w // 2, h // 2, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(out), 9)) + chunk(b"IEND", b"")


def shrunk(path):
    """The text of a picture, with the image in it made coarser where it is too large."""
    with open(path) as f:
        text = f.read()
    if len(text) > LARGEST:
        text = re.sub(r"(data:image/png;base64,)([^\"]*)",
                      lambda m: m[1] + base64.b64encode(coarser(base64.b64decode(m[2]))).decode(), text)
    return text


def picture(name):
    for pattern in BEST:
        for path in sorted(glob.glob(os.path.join(OUT, name, "best", pattern)) or glob.glob(os.path.join(OUT, name, pattern))):
            text = shrunk(path)
            if len(text) <= LARGEST:
                os.makedirs(PICTURES, exist_ok=True)
                with open(os.path.join(PICTURES, name + ".svg"), "w") as f:
                    f.write(text)
                return f"pictures/gallery/{name}.svg"
    return None


def design(a):
    for goal in a["objectives"]:
        if "amplitude_m" in goal:
            yield (f"{goal['name']}: {1e3 * goal['amplitude_before_m']:.4g} to "
                   f"{1e3 * goal['amplitude_m']:.4g} mm, {goal['ratio']:.3g} times")
    if "tracking_error" in a:
        yield (f"tracking error: {100 * a['tracking_error_before']:.3g} to "
               f"{100 * a['tracking_error']:.3g} % of the target's length")
    proof = sum(p["seconds"] for p in a["proof"])
    yield (f"{len(a['variables'])} variables, {a['iterations']} iterations in {a['seconds']:.3g} s; "
           f"{'verified' if a['verified'] else 'not verified'} in {proof:.3g} s")


def explore(a):
    for place, by in a["amplitude"].items():
        after = f", after the change {1e3 * by['solved_m']:.4g} mm" if "solved_m" in by else ""
        yield f"amplitude of {place}: {1e3 * by['before_m']:.4g} mm{after}"


def drape(a):
    yield (f"at rest after {a['steps']} steps in {a['seconds']:.3g} s; limits exceeded by at most "
           f"{max(a['violation'], 0):.1e}")


def transient(a):
    if "worst_violation" in a:
        yield (f"{a['method']}: {a['time_s']:.3g} s in {a['steps']} steps, {a['projections']} projections, "
               f"limits exceeded by at most {max(a['worst_violation'], 0):.1e}")


def modes(a):
    yield "modes: " + ", ".join(f"{f:.4g}" for f in a["frequency_Hz"]) + " Hz"


def limits(a):
    yield (f"strains from {100 * a['strain_min']:.3g} to {100 * a['strain_max']:.3g} % in {a['directions']} directions; "
           f"play {100 * a['play_min']:.3g} to {100 * a['play_max']:.3g} %")
    for m in a.get("measured", ()):
        for limit, text in ("strain_max", "longest"), ("strain_min", "shortest"), ("play", "play"):
            if limit in m:
                yield f"{text} differs from {m['name']} by {100 * m[limit]['mean']:+.2g} % on average, {100 * m[limit]['largest']:.2g} % at most"


def mail_design(a):
    for g in a["goals"]:
        wanted = f", wanted {100 * g['wanted']:.3g} %" if "wanted" in g else ""
        yield (f"{g['limit']} at {g['angle_deg']:.3g} degrees: {100 * g['before']:.3g} to {100 * g['after']:.4g} %{wanted}")
    yield (f"smallest gap {1e3 * a['smallest_gap_m']:.3g} mm, {a['mass_kg_m2']:.3g} kg/m^2; {a['steps']} steps, "
           f"{a['evaluations']} evaluations; {'verified' if a['verified'] else 'not verified'}")


def native(a):
    yield (f"{a['patch']}: {a['elements']} elements at rest after {a['iterations']} iterations, "
           f"{1e3 * a['height']:.4g} mm high; forces balance to {a['unbalanced'] / max(abs(x) for x in a['load']):.0e}")


def macro(a):
    yield (f"{a['patch']} as a sheet of {a['triangles']} triangles: {1e3 * a['height']:.4g} mm high, {a['iterations']} iterations")
    if "beside" in a:
        b = a["beside"]
        yield (f"beside {b['native']}: height {1e3 * b['height_native']:.4g} mm, silhouettes differ by "
               f"{100 * b['silhouette'] / b['size']:.2g} % of the size, elements by {100 * b['apart_most'] / b['size']:.2g} % at most")


def coarsen(a):
    if not a["found"]:
        return
    after = ", ".join(f"{100 * m['error_after']:+.1f}" for m in a["modes"])
    yield (f"{a['voxels']} voxels of {1e3 * a['size_m']:.3g} mm in place of {a['fine_voxels']} keep {len(a['modes'])} mode shapes; "
           f"errors of frequencies with the numerical modulus {after} %")


def search(a):
    for figure, value in a["best_figures"].items():
        yield f"{figure}: {a['start_figures'][figure]:.4g} as first built, {value:.4g} in the best of {a['designs']} designs"
    yield "best: " + ", ".join("{}={:.4g} {}".format(path, *(float(x) if i == 0 else x for i, x in enumerate((value.split() + [""])[:2])))
                               for path, value in (text.split("=", 1) for text in a["set"]))
    for check in a["verify"]:
        yield f"{check['name']}: {'succeeds, too' if check['success'] else 'no success'}"
    if "scatter" in a:
        yield f"{a['scatter']['successes']} of {a['scatter']['runs']} scattered runs succeed"


FIGURES = {"design": design, "search": search, "explore": explore, "drape": drape, "transient": transient,
           "modes": modes, "limits": limits, "mail-design": mail_design, "native": native, "macro": macro,
           "coarsen": coarsen}


def entry(name):
    try:
        with open(os.path.join(OUT, name, "summary.json")) as f:
            summary = json.load(f)
    except OSError:
        return None
    title = summary["title"] or name
    lines = [f"## {title[0].upper() + title[1:]}", "", f"    pliant run gallery/{name}", ""]
    shown = picture(name)
    if shown:
        lines += [f"![{title}]({shown})", ""]
    unknowns = summary["model"]["free_unknowns"]
    lines += [f"- {f'{unknowns} unknowns, ' if unknowns else ''}{summary['seconds']:.1f} s in all on "
              f"{summary['threads']} threads, {summary['status']}"]
    for a in summary["analyses"]:
        lines += [f"- {text}" for text in FIGURES.get(a["kind"], lambda a: ())(a)]
    return "\n".join(lines) + "\n"


def kept():
    """Entries of the page as it is, by their scenes."""
    with open(PAGE) as f:
        parts = re.split(r"^(?=## )", f.read(), flags=re.M)[1:]
    found = ((re.search(r"pliant run gallery/(\S+)", p), p) for p in parts)
    return {m[1]: p.rstrip("\n") + "\n" for m, p in found if m}


def main():
    names = sorted(os.listdir(os.path.join(ROOT, "gallery")))
    old = kept()
    os.makedirs(OUT, exist_ok=True)
    for name in (sys.argv[2:] or names) if len(sys.argv) > 1 else []:
        run(os.path.abspath(sys.argv[1]), name)
    entries = [e for e in (entry(n) or old.get(n) for n in names) if e]
    with open(PAGE, "w") as f:
        f.write("# Gallery\n\nComplete scenes with what came out of them. Made by "
                "`tools/make_gallery.py build/release/pliant`; times are of the machine that it ran on.\n\n")
        f.write("\n".join(entries))


main()
