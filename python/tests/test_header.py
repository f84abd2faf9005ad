"""The header that Python stands on: it can be parsed, and this package says the same as it."""
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pliant import _library

HEADER = Path(__file__).resolve().parents[2] / "include" / "pliant" / "facade.h"
TEXT = re.sub(r"//[^\n]*", "", HEADER.read_text())


def test_nothing_but_declarations():
    directives = [line.split() for line in TEXT.splitlines() if line.startswith("#")]
    assert directives == [["#ifndef", "PLIANT_FACADE_H"], ["#define", "PLIANT_FACADE_H"],
                          ["#include", "<stdint.h>"], ["#ifdef", "__cplusplus"], ["#endif"],
                          ["#ifdef", "__cplusplus"], ["#endif"], ["#endif"]]
    assert "complex" not in TEXT and "__attribute__" not in TEXT
    assert set(re.findall(r"\bpl_\w+", TEXT)) == {
        word for word in re.findall(r"\bpl_\w+", TEXT) if word.startswith("pl_facade")}


def test_functions_are_declared_alike():
    body = TEXT.replace("\n", " ")
    declared = dict(re.findall(r"[\w*]+ \*?(pl_facade_\w+)\(([^;]*?)\);", body))
    declared = {name: args for name, args in declared.items() if not name.endswith("_function")}
    assert set(declared) == set(_library._FUNCTIONS)
    for name, args in declared.items():
        n = 0 if args.strip() == "void" else args.count(",") + 1
        assert n == len(_library._FUNCTIONS[name][1]), name


def test_a_foreign_function_interface_reads_it():
    cffi = pytest.importorskip("cffi")
    lines = [line for line in TEXT.splitlines()
             if not line.startswith("#") and line.strip() not in ('extern "C" {', "}")]
    ffi = cffi.FFI()
    ffi.cdef("\n".join(lines))
    lib = ffi.dlopen(_library.lib._name)
    assert lib.pl_facade_version() == _library.lib.pl_facade_version()
    for name in _library._STRUCTS:
        assert lib.pl_facade_size(name.encode()) == ffi.sizeof(name)
    handle = ffi.new("int64_t *")
    text = b"pliant: 1\ndimension: 1\nnodes: {m: 0}\n"
    assert lib.pl_facade_parse(b"x", b".", text, len(text), 0, ffi.NULL, 0, ffi.NULL, handle) == 0
    assert lib.pl_facade_free(handle[0]) == 0


@pytest.mark.skipif(not shutil.which("g++"), reason="no C++ compiler")
def test_it_is_cpp():
    subprocess.run(["g++", "-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                    "-fsyntax-only", "-x", "c++", str(HEADER)], check=True, capture_output=True)
