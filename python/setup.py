"""Puts libpliant.so beside the package, so that a wheel needs no other pliant.

The environment variable PLIANT_LIBRARY names the library; without it the newest one in a build folder
of the source tree is taken. PLIANT_LIBRARY=none leaves it out, for distributions that have the
library in a package of its own: the wheel is then one for all platforms.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

root = Path(__file__).resolve().parent.parent


def soname(path):
    told = subprocess.run(["readelf", "-d", path], capture_output=True, text=True).stdout
    found = re.search(r"SONAME.*\[(.*)\]", told)
    return found[1] if found else path.name


def library():
    """Path of the library to go along; None: none."""
    told = os.environ.get("PLIANT_LIBRARY")
    if told == "none":
        return None
    found = [Path(told)] if told else sorted(root.glob("build/*/libpliant.so"), key=lambda p: p.stat().st_mtime)
    if not found or not found[-1].is_file():
        sys.exit(f"error: no {told or f'libpliant.so in {root}/build/*/'}: build it (cmake --preset release && cmake --build "
                 "--preset release), or let PLIANT_LIBRARY name it")
    return found[-1].resolve()


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        folder = Path(self.build_lib, "pliant")
        # one of an earlier build
        for old in folder.glob("libpliant.so*"):
            old.unlink()
        path = library()
        if path:
            own = folder / soname(path)
            print(f"{path} -> {own}")
            shutil.copy(path, own)
            if shutil.which("strip"):
                subprocess.run(["strip", "--strip-unneeded", own], check=True)


class PlatformDistribution(Distribution):
    def has_ext_modules(self):
        return library() is not None


class PlatformWheel(bdist_wheel):
    """Any Python 3, as the library is called through ctypes."""

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


setup(distclass=PlatformDistribution, cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel})
