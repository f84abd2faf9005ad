#!/usr/bin/env python3
"""Runs the TEST block at the end of an example: check.py SOURCE BIN_FOLDER REPOSITORY

    /* TEST
    command: 01-oscillator            program and arguments; {source}: repository, {out}: a scratch folder
    amplitude: 0.27027 +- 1e-6        the first number on the printed line that begins with that word
    nodes: 481                        without a tolerance: exactly
    */
"""
import re
import shlex
import subprocess
import sys
import tempfile

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"


def read_block(path):
    text = open(path, encoding="utf-8").read()
    found = re.search(r"/\* TEST\n(.*?)\*/\s*\Z", text, re.S)
    if not found:
        sys.exit(f"{path}: error: no TEST block at the end")
    rows = [line.split(":", 1) for line in found.group(1).splitlines() if line.strip()]
    if not rows or rows[0][0].strip() != "command" or any(len(row) != 2 for row in rows):
        sys.exit(f"{path}: error: the TEST block must be lines 'name: value', the first 'command'")
    return rows[0][1].strip(), [(name.strip(), value.strip()) for name, value in rows[1:]]


def wanted(path, name, value):
    found = re.fullmatch(rf"({NUMBER})(?:\s*\+-\s*({NUMBER}))?", value)
    if not found:
        sys.exit(f"{path}: error: {name}: '{value}' is not 'NUMBER' or 'NUMBER +- TOLERANCE'")
    return float(found.group(1)), float(found.group(2) or 0)


def printed(name, lines):
    for line in lines:
        found = re.match(rf"{re.escape(name)}\s+({NUMBER})", line)
        if found:
            return float(found.group(1))
    return None


def main():
    if len(sys.argv) != 4:
        sys.exit("use: check.py SOURCE BIN_FOLDER REPOSITORY")
    path, folder, source = sys.argv[1:]
    command, rows = read_block(path)
    with tempfile.TemporaryDirectory() as out:
        words = [w.replace("{source}", source).replace("{out}", out) for w in shlex.split(command)]
        words[0] = f"{folder}/{words[0]}"
        run = subprocess.run(words, capture_output=True, text=True)
    sys.stdout.write(run.stdout)
    sys.stderr.write(run.stderr)
    failed = run.returncode != 0
    if failed:
        print(f"FAILED: exit code {run.returncode}")
    for name, value in rows:
        want, tol = wanted(path, name, value)
        got = printed(name, run.stdout.splitlines())
        if got is None or not abs(got - want) <= tol:
            print(f"FAILED: {name}: want {want:.10g} +- {tol:g}, got {got}")
            failed = True
    print(f"{len(rows)} numbers compared" if rows else "FAILED: nothing to compare")
    sys.exit(1 if failed or not rows else 0)


main()
