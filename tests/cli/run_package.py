#!/usr/bin/env python3
"""What is installed serves programs elsewhere: run_package.py CMAKE BUILD CC SOURCES WORK_DIR"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from fresh import fresh

cmake, build, cc, sources, work = sys.argv[1], *map(pathlib.Path, sys.argv[2:])
fresh(work)
prefix = work / "prefix"


def run(*args, **more):
    p = subprocess.run([str(a) for a in args], cwd=work, capture_output=True, text=True, timeout=300, **more)
    assert p.returncode == 0, f"{args}: exit code {p.returncode}\n{p.stdout}{p.stderr}"
    return p.stdout


run(cmake, "--install", build, "--prefix", prefix)
# a beam of the same section hangs 171.90 mm down (elastica)
shutil.copy(sources / "examples" / "05-clamped-sheet.c", work / "own.c")
env = os.environ | {"PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")}
flags = run("pkg-config", "--cflags", "--libs", "pliant", env=env).split()
run(cc, "own.c", "-o", "own", *flags)
tip = float(re.search(r"tip +(\S+) mm", run(work / "own", env=env | {"LD_LIBRARY_PATH": str(prefix / "lib")}))[1])
assert abs(tip + 171.9) < 0.5, tip
# the command comes with its gallery, and needs no solver to compare with
assert (prefix / "share" / "pliant" / "gallery" / "three-link-leg" / "scene.yaml").is_file()
assert "three-link-leg" in run(prefix / "bin" / "pliant", "list", "gallery")
assert "ipopt" not in run("ldd", prefix / "bin" / "pliant")
print("ok")
