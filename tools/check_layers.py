#!/usr/bin/env python3
"""Fails when a file of src/, studio/server/ or cli/ includes a header of a layer that its own layer may not see, or
uses the column pointers of a matrix (`ptr`, a name kept for them) outside sparse; or when a static
function, of tests and examples too, is named like one of POSIX or the C library; or when the graph
of CONTRIBUTING.md is another one."""
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
    "gradient": ["model"],
    "solve": ["contact", "gradient"],
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
    "facade": ["validate"],
    "study": ["job"],
    "studio": ["validate"],
    "cli": ["studio", "study"],
}
# where files of a layer are, if not in src/
HOME = {"studio": "studio/server", "cli": "cli"}
# what the command has no business with: it parses words, prints, and chooses kernels of the BLAS (sparse)
NOT_CLI = ("math", "mesh", "element", "model", "build", "contact", "gradient", "solve", "harmonic", "design", "limit", "interlock", "recover", "report")


def visible(layer):
    seen = {layer}
    for below in BELOW[layer]:
        seen |= visible(below)
    return seen


# headers of no layer: the version, what is exported, a build aid for sources, what threads share (base)
ANY = ("version", "linkage", "copies", "tally")

root = pathlib.Path(__file__).resolve().parent.parent
bad = 0
for folder in sorted(p.name for p in (root / "src").iterdir() if p.is_dir() and p.name not in BELOW):
    print(f"src/{folder}: no layer of that name in tools/check_layers.py")
    bad += 1
for layer in BELOW:
    home = root / HOME.get(layer, f"src/{layer}")
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

# names that a reader takes for those of the system, and that its headers may declare any time
SYSTEM = set("""
abort abs accept access acct advance alarm basename bind bsearch calloc chdir chmod chown clock close closedir
connect creat crypt daemon dirname div dup encrypt err error exec exit exp fchmod fcntl fdopen fork free
fsync ftruncate gamma getenv getline getopt getpid glob hypot index insque ioctl isatty j0 j1 jn kill link listen
lockf log lseek malloc mkdir mkfifo mktime mmap mount nice open opendir pause pipe poll popen printf psignal
putenv puts qsort raise rand random read readdir readlink realloc realpath recv regcomp remove remque rename
rewind rindex rmdir scanf select send setenv shutdown signal sleep socket srand stat step stime strcmp strdup swab
symlink sync syslog system tee time times tolower toupper truncate umask umount uname ungetc unlink usleep utime
verr vfork vwarn wait warn warnx write y0 y1 yn
""".split())
for layer in ("src", "studio", "cli", "tests", "examples", "bench", "include"):
    for path in sorted(p for e in ("c", "h", "inc") for p in (root / layer).rglob(f"*.{e}") if "node_modules" not in p.parts):
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            found = re.match(r"static [^=;(]*\b(\w+)\(", line)
            if found and found[1] in SYSTEM:
                print(f"{path.relative_to(root)}:{number}: static function '{found[1]}' has the name of a function of the system")
                bad += 1

# chains `a < b < c, d` of the graph, and what follows from them
below = {layer: set() for layer in BELOW}
graph = re.search(r"^    base <.*(?:\n    .*)*", (root / "CONTRIBUTING.md").read_text(), re.M)[0]
for chain in re.split("[;\n]", graph):
    steps = [re.findall(r"\w+", step) for step in chain.split("<")]
    for lower, upper in zip(steps, steps[1:]):
        for name in upper:
            below.setdefault(name, set()).update(lower)
drawn = {}
for layer in below:  # BELOW begins with the lowest
    drawn[layer] = {layer}.union(*(drawn.get(name, {name}) for name in below[layer]))
    other = drawn[layer] ^ (visible(layer) if layer in BELOW else set())
    if other:
        print(f"CONTRIBUTING.md: its graph differs from tools/check_layers.py in what {layer} sees: {', '.join(sorted(other))}")
        bad += 1
header_bad = [p.name for p in (root / "include/pliant").glob("*.h") if p.stem not in BELOW and p.stem not in ("pliant", *ANY)]
for name in header_bad:
    print(f"include/pliant/{name}: no layer of that name in tools/check_layers.py")
sys.exit(1 if bad or header_bad else 0)
