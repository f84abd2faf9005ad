#!/usr/bin/env python3
"""Runs the commands of a page of the manual and checks the numbers that it tells.

    run_docs.py PLIANT ROOT WORK PAGE

Lines `    $ COMMAND` are run one after another in a copy of the root's scenes. Remarks of the page
that no reader sees steer this:

    <!-- skip: why -->                            the next command is not run
    <!-- exit 3 -->                               the next command ends with that code
    <!-- tells "text" -->                         the last command printed it
    <!-- FOLDER ANALYSIS path.to.figure VALUE --> a figure of FOLDER/summary.json, to VALUE's digits
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

pliant, root, work, page = sys.argv[1:5]
failures = []


def digits(text):
    """half a unit in the last digit of a number as written"""
    mantissa, _, exponent = text.lower().partition("e")
    places = len(mantissa.partition(".")[2])
    return 0.5000001 * 10.0 ** (int(exponent or 0) - places)


def figure(folder, analysis, path):
    with open(os.path.join(work, folder, "summary.json")) as f:
        summary = json.load(f)
    value = next(a for a in summary["analyses"] if a["name"] == analysis)
    for part in path.split("."):
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value


def check(line, words):
    folder, analysis, path, want = words
    try:
        got = figure(folder, analysis, path)
    except (OSError, KeyError, IndexError, StopIteration) as e:
        failures.append(f"{page}:{line}: no figure {' '.join(words[:3])}: {e!r}")
        return
    if isinstance(got, (int, float)) and not isinstance(got, bool):
        right = abs(got - float(want)) <= digits(want)
    else:
        right = str(got).lower() == want.lower()
    if not right:
        failures.append(f"{page}:{line}: {folder} {analysis} {path} is {got}, the page says {want}")


def run(line, command, code):
    env = dict(os.environ, PATH=os.path.join(work, "bin") + os.pathsep + os.environ["PATH"])
    done = subprocess.run(["bash", "-ec", command], cwd=work, env=env, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != code:
        failures.append(f"{page}:{line}: exit {done.returncode} of: {command}\n{done.stdout}")
    return done.stdout


def prepare():
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(os.path.join(work, "bin"))
    os.symlink(os.path.abspath(pliant), os.path.join(work, "bin", "pliant"))
    for folder in ("scenes", "gallery"):
        shutil.copytree(os.path.join(root, folder), os.path.join(work, folder))


def main():
    prepare()
    skip, code, out, ncommand, ncheck = False, 0, "", 0, 0
    with open(os.path.join(root, page)) as f:
        lines = f.read().split("\n")
    for number, text in enumerate(lines, 1):
        command = re.match(r"    \$ (.*)", text)
        remark = re.fullmatch(r"<!-- (.*) -->", text)
        if command and not skip:
            out = run(number, command[1], code)
            ncommand += 1
        if command:
            skip, code = False, 0
        if not remark:
            continue
        words = shlex.split(remark[1])
        if words[0] == "skip:":
            skip = True
        elif words[0] == "exit":
            code = int(words[1])
        elif words[0] == "tells":
            ncheck += 1
            if words[1] not in out:
                failures.append(f"{page}:{number}: not told: {words[1]}\n{out}")
        elif len(words) == 4:
            ncheck += 1
            check(number, words)
        else:
            failures.append(f"{page}:{number}: what does this remark want? {remark[1]}")
    for f in failures:
        print(f)
    print(f"{page}: {ncommand} commands run, {ncheck} figures checked, {len(failures)} wrong")
    sys.exit(bool(failures) or ncommand == 0)


main()
