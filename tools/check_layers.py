#!/usr/bin/env python3
"""Fails when a file of src/ or cli/ includes a header of a layer that its own layer may not see, or
uses the column pointers of a matrix (`ptr`, a name kept for them) outside sparse."""
import pathlib
import re
import sys

BELOW = {
    "base": [],
    "math": ["base"],
    "sparse": ["math"],
    "mesh": ["math"],
    "element": ["math"],
    "model": ["element", "mesh", "sparse"],
    "contact": ["model"],
    "solve": ["contact"],
    "harmonic": ["solve"],
    "design": ["harmonic"],
    "limit": ["solve"],
    "interlock": ["contact"],
    "build": ["limit"],
    "recover": ["build"],
    "report": ["mesh"],
    "scene": ["build", "design", "interlock", "report"],
    "job": ["scene", "report", "recover"],
    "validate": ["job"],
    "cli": ["validate"],
}
# what the command has no business with: it parses words, prints, and chooses kernels of the BLAS (sparse)
NOT_CLI = ("math", "mesh", "element", "model", "build", "contact", "solve", "harmonic", "design", "limit", "interlock", "recover", "report")


def visible(layer):
    seen = {layer}
    for below in BELOW[layer]:
        seen |= visible(below)
    return seen


# headers of no layer: the version, a build aid for sources, what threads share (base)
ANY = ("version", "copies", "tally")

root = pathlib.Path(__file__).resolve().parent.parent
bad = 0
for folder in sorted(p.name for p in (root / "src").iterdir() if p.is_dir() and p.name not in BELOW):
    print(f"src/{folder}: no layer of that name in tools/check_layers.py")
    bad += 1
for layer in BELOW:
    home = root / layer if layer == "cli" else root / "src" / layer
    seen = visible(layer) - set(NOT_CLI if layer == "cli" else ())
    for path in sorted(home.glob("*.[ch]")) + sorted(home.glob("*.inc")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if layer != "sparse" and re.search(r"(->|\.)ptr\b", line):
                print(f"{path.relative_to(root)}:{number}: column pointers belong to layer sparse")
                bad += 1
            found = re.match(r'\s*#include "pliant/(\w+)\.h"', line)
            if not found or found[1] in ANY:
                continue
            if found[1] == "pliant" or found[1] not in seen:
                print(f"{path.relative_to(root)}:{number}: layer {layer} must not include {found[1]}")
                bad += 1
header_bad = [p.name for p in (root / "include/pliant").glob("*.h") if p.stem not in BELOW and p.stem not in ("pliant", *ANY)]
for name in header_bad:
    print(f"include/pliant/{name}: no layer of that name in tools/check_layers.py")
sys.exit(1 if bad or header_bad else 0)
