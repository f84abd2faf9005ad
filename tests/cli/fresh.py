"""An empty folder to work in, in place of what an earlier run left there."""
import shutil
import sys


def fresh(folder):
    if any((folder / name).exists() for name in (".git", "CMakeLists.txt")):
        sys.exit(f"{folder} holds sources: name a folder of its own, whose contents are deleted")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
