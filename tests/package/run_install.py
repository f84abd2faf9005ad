#!/usr/bin/env python3
"""What is installed serves C and C++, through pkg-config and CMake: run_install.py CMAKE BUILD CC CXX SOURCES WORK_DIR

CXX may be empty: no compiler for C++ is there, and its part is left out."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from fresh import fresh

cmake, build, cc, cxx, sources, work = sys.argv[1:]
build, sources, work = map(pathlib.Path, (build, sources, work))
here = pathlib.Path(__file__).resolve().parent
fresh(work)


def run(*args, cwd=work, **more):
    p = subprocess.run([str(a) for a in args], cwd=cwd, capture_output=True, text=True, timeout=300, **more)
    assert p.returncode == 0, f"{args}: exit code {p.returncode}\n{p.stdout}{p.stderr}"
    return p.stdout


# what is installed finds its parts where it is moved to
run(cmake, "--install", build, "--prefix", work / "first")
prefix = work / "prefix"
(work / "first").rename(prefix)
library = next(prefix.glob("lib/**/libpliant.so")).parent
include = prefix / "include"
plain = {k: v for k, v in os.environ.items() if k not in ("PKG_CONFIG_PATH", "LD_LIBRARY_PATH")}
env = plain | {"PKG_CONFIG_PATH": str(library / "pkgconfig"), "LD_LIBRARY_PATH": str(library)}

# ---- the shared library exports what headers declare, and nothing else --------------------------

abi = re.search(r"define PL_ABI +(\d+)", (include / "pliant" / "version.h").read_text())[1]
soname = f"libpliant.so.{abi}"
assert f"Library soname: [{soname}]" in run("readelf", "-d", library / "libpliant.so")
assert (library / "libpliant.so").resolve().name == soname
rows = [r.split() for r in run("nm", "-D", "--defined-only", "--without-symbol-versions", library / soname).splitlines()]
exported = {r[2] for r in rows if r[1] != "A"}
assert len(exported) > 500 and all(n.startswith("pl_") for n in exported), [n for n in exported if n[:3] != "pl_"]
headers = sorted(p.name for p in (include / "pliant").iterdir())
assert not {"tally.h", "copies.h"} & set(headers), headers
# the compiler's own list of functions that are declared and not inline
each = "".join(f"#include <pliant/{h}>\n" for h in headers)
(work / "declared.c").write_text(each)
run(cc, "-std=c17", f"-I{include}", "-aux-info", "declared.txt", "-fsyntax-only", "declared.c")
declared = set(re.findall(r"/include/pliant/\w+\.h:\d+:N[CF] \*/ extern .*?\b(pl_\w+) \(", (work / "declared.txt").read_text()))
assert len(declared) > 500 and not declared - exported, f"in headers, not in the library: {sorted(declared - exported)}"

# ---- C by pkg-config, the shared and the static library -----------------------------------------


def tip(program):
    # a beam of the same section hangs 171.90 mm down (elastica)
    value = float(re.search(r"tip +(\S+) mm", run(program, env=env))[1])
    assert abs(value + 171.9) < 0.5, value
    return value


shutil.copy(sources / "examples" / "05-clamped-sheet.c", work / "own.c")
flags = run("pkg-config", "--cflags", "--libs", "pliant", env=env).split()
run(cc, "own.c", "-o", "shared", *flags)
assert soname in run("ldd", "shared", env=env)
# only pliant itself is named: what it needs, it loads
assert "umfpack" not in " ".join(flags)
# as docs/install.md has it
libs = run("pkg-config", "--libs", "pliant", env=env).split()
all_of_them = run("pkg-config", "--cflags", "--libs", "--static", "pliant", env=env).split()
run(cc, "own.c", "-o", "static", "-Wl,-Bstatic", *libs, "-Wl,-Bdynamic", *all_of_them)
assert "libpliant" not in run("ldd", "static", env=env)
assert tip(work / "shared") == tip(work / "static")

# ---- C++ ----------------------------------------------------------------------------------------

if cxx:
    strict = [cxx, "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{include}"]
    for h in headers:
        (work / f"{h}.cpp").write_text(f"#include <pliant/{h}>\n")
    run(*strict, "-fsyntax-only", *[f"{h}.cpp" for h in headers])
    (work / "all.cpp").write_text(each + (here / "use.cpp").read_text())
    run(*strict, "all.cpp", "-o", "plus", f"-L{library}", "-lpliant")
    assert run(work / "plus", env=env) == "3 2\n"
else:
    print("no compiler for C++: the headers are not tried with one")

# ---- CMake --------------------------------------------------------------------------------------

shutil.copytree(here / "find", work / "find")
shutil.copy(work / "own.c", work / "find" / "own.c")
# a cache of compiled files, where there is one, has nothing to do with this
run(cmake, "-S", work / "find", "-B", work / "found", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_C_COMPILER={cc}")
run(cmake, "--build", work / "found")
assert soname in run("ldd", work / "found" / "with-shared", env=plain)
assert "libpliant" not in run("ldd", work / "found" / "with-static", env=plain)
assert tip(work / "found" / "with-shared") == tip(work / "found" / "with-static")
p = subprocess.run([cmake, "-S", work / "find", "-B", work / "newer", f"-DCMAKE_PREFIX_PATH={prefix}", "-DWANTED=99.0"],
                   capture_output=True, text=True)
assert p.returncode != 0 and "99.0" in p.stderr, p.stderr

# ---- the command --------------------------------------------------------------------------------

# it comes with its gallery, and needs no solver to compare with
pliant = prefix / "bin" / "pliant"
assert (prefix / "share" / "pliant" / "gallery" / "three-link-leg" / "scene.yaml").is_file()
assert "three-link-leg" in run(pliant, "list", "gallery", env=plain)
assert "ipopt" not in run("ldd", pliant, env=plain)
page = prefix / "share" / "man" / "man1" / "pliant.1"
assert page.read_text() == run(pliant, "man", env=plain)
if shutil.which("man"):
    p = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page], capture_output=True, text=True,
                       env=plain | {"LC_ALL": "C.UTF-8", "MANROFFSEQ": "", "MANWIDTH": "80"})
    assert p.returncode == 0 and not p.stderr, p.stderr
    text = run("man", "-l", "-P", "cat", page, env=plain | {"LC_ALL": "C.UTF-8", "MANWIDTH": "80"})
    for c in re.findall(r"^  pliant ([a-z]+)", run(pliant, "--help", env=plain), re.M):
        assert re.search(rf"^   pliant {c}\b", text, re.M), f"the manual page does not tell of {c}"
else:
    print("no man: the manual page is not rendered")
print("ok")
