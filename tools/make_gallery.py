#!/usr/bin/env python3
"""Runs the gallery and writes docs/gallery.md: a picture, the time and the key figures of each scene.

    tools/make_gallery.py build/release/pliant [NAME ...]     only these are run anew

Results stay in results/gallery; scenes that were run before keep their entries.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUT = os.path.join(ROOT, "results", "gallery")
PICTURES = os.path.join(ROOT, "docs", "pictures", "gallery")
LARGEST = 300_000  # bytes of a picture in the repository
# what shows a scene best, first found
BEST = ("design-*-path.svg", "*-strain.svg", "explore-*-path.svg", "*-shape.svg", "*-end.svg")


def run(pliant, name):
    done = subprocess.run([pliant, "run", f"gallery/{name}", "-o", os.path.join(OUT, name)],
                          cwd=ROOT, text=True, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    notes = re.findall(r"note: (.*)", done.stderr)
    with open(os.path.join(OUT, name + ".json"), "w") as f:
        json.dump({"exit": done.returncode, "notes": notes}, f, indent=1)
    print(f"{name}: exit {done.returncode}", flush=True)


def picture(name):
    for pattern in BEST:
        for path in sorted(glob.glob(os.path.join(OUT, name, pattern))):
            if os.path.getsize(path) <= LARGEST:
                os.makedirs(PICTURES, exist_ok=True)
                shutil.copy(path, os.path.join(PICTURES, name + ".svg"))
                return f"pictures/gallery/{name}.svg"
    return None


def entry(name):
    try:
        with open(os.path.join(OUT, name + ".json")) as f:
            ran = json.load(f)
        with open(os.path.join(OUT, name, "summary.json")) as f:
            summary = json.load(f)
    except OSError:
        return None
    lines = [f"## {summary['title'] or name}", "", f"    pliant run gallery/{name}", ""]
    shown = picture(name)
    if shown:
        lines += [f"![{summary['title'] or name}]({shown})", ""]
    model = summary["model"]
    lines += [f"{model['free_unknowns']} unknowns, {summary['seconds']:.1f} s on "
              f"{summary['threads']} threads, exit {ran['exit']}, pliant {summary['pliant']} "
              f"{summary['commit']}.", ""]
    lines += [f"- {note}" for note in ran["notes"]]
    return "\n".join(lines) + "\n"


def main():
    pliant = os.path.abspath(sys.argv[1])
    names = sorted(os.listdir(os.path.join(ROOT, "gallery")))
    os.makedirs(OUT, exist_ok=True)
    for name in sys.argv[2:] or names:
        run(pliant, name)
    entries = [e for e in map(entry, names) if e]
    with open(os.path.join(ROOT, "docs", "gallery.md"), "w") as f:
        f.write("# Gallery\n\nComplete scenes with what came out of them. Made by "
                "`tools/make_gallery.py build/release/pliant`; times are of the machine that it ran on.\n\n")
        f.write("\n".join(entries))


main()
