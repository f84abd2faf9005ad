#!/usr/bin/env python3
"""Shells complete what the command table holds: run_completion.py PLIANT SOURCES WORK_DIR

bash and zsh are asked by the tab key at a terminal, as users do; fish has a command that tells. A
shell that is not there is left out, with a word about it."""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from fresh import fresh

pliant, sources, work = sys.argv[1], *map(pathlib.Path, sys.argv[2:])
fresh(work)
(work / "bin").mkdir()
(work / "bin" / "pliant").symlink_to(pliant)
(work / "own scene.yaml").write_text("")
(work / "results").mkdir()
env = {"PATH": f"{work / 'bin'}:{os.environ['PATH']}", "HOME": str(work), "TERM": "dumb", "LC_ALL": "C.UTF-8", "COLUMNS": "200"}
listed = re.findall(r"^  pliant ([a-z]+)", subprocess.run([pliant, "--help"], capture_output=True, text=True).stdout, re.M)
assert len(listed) > 5


def script(shell):
    p = subprocess.run([pliant, "completion", shell], capture_output=True, text=True, cwd=work)
    assert p.returncode == 0 and not p.stderr, p.stderr
    path = work / f"pliant.{shell}"
    path.write_text(p.stdout)
    return path


class Terminal:
    """A shell at a terminal of its own; what it is asked for comes back when it does, however long it takes."""

    def __init__(self, words):
        self.got = ""  # and not looked at yet
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(work)
            os.execvpe(words[0], words, env)

    def send(self, text):
        os.write(self.fd, text.encode())

    def until(self, pattern):
        end = time.monotonic() + 60
        while not (m := re.search(pattern, self.got)):
            assert time.monotonic() < end, f"no {pattern!r} in {self.got!r}"
            if select.select([self.fd], [], [], 1)[0]:
                self.got += os.read(self.fd, 65536).decode(errors="replace")
        before, self.got = self.got[:m.end()], self.got[m.end():]
        return before

    def complete(self, typed, pattern):
        """Types words and the tab key, and waits for what they become."""
        self.send(typed + "\t")
        got = self.until(pattern)
        self.send("\x15echo re''ady\n")
        got += self.until(r"\nready\s+> ")
        return got

    def close(self):
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def try_terminal(t):
    t.complete("pliant ru", r"pliant run ")
    t.complete("pliant run gallery/fis", r"gallery/fish")
    t.complete("pliant run --thr", r"--threads")
    t.complete("pliant run own", r"own\\ scene.yaml")
    t.complete("pliant run -o res", r"-o results/")
    t.complete("pliant run own --set gravit", r"gravity=")
    t.complete("pliant new osc", r"oscillator ")
    t.complete("pliant validate canti", r"cantilever ")
    t.complete("pliant list prot", r"protocols ")
    t.complete("pliant completion fi", r"fish ")
    t.close()


if shutil.which("bash"):
    path = script("bash")
    subprocess.run(["bash", "-n", path], check=True)
    t = Terminal(["bash", "--norc", "--noprofile", "-i"])
    t.send(f"PS1='> '; bind 'set bell-style none'; bind 'set show-all-if-ambiguous on'; bind 'set enable-bracketed-paste off'; "
           f"source {path}; echo lo''aded\n")
    t.until(r"\nloaded\s+> ")
    got = t.complete("pliant ", "--version")
    assert all(c in got for c in listed), got
    try_terminal(t)
else:
    print("no bash: left out")

if shutil.which("zsh"):
    path = script("zsh")
    (work / "functions").mkdir()
    shutil.copy(path, work / "functions" / "_pliant")
    t = Terminal(["zsh", "-f", "-i"])
    t.send(f"PS1='> '; unsetopt zle_bracketed_paste prompt_cr prompt_sp; setopt no_beep; fpath=({work}/functions $fpath); "
           "autoload -U compinit; compinit -u -D; bindkey '^U' kill-whole-line; echo lo''aded\n")
    t.until(r"\nloaded\s+> ")
    got = t.complete("pliant ", "--version")
    assert all(c in got for c in listed), got
    try_terminal(t)
else:
    print("no zsh: left out")

if shutil.which("fish"):
    path = script("fish")

    def fish(typed):
        p = subprocess.run(["fish", "--no-config", "-c", f"source {path}; complete -C '{typed}'"], capture_output=True, text=True,
                           env=env, cwd=work)
        assert p.returncode == 0 and not p.stderr, p.stderr
        return [r.split("\t")[0] for r in p.stdout.splitlines()]

    assert set(listed) <= set(fish("pliant "))
    assert "gallery/fish" in fish("pliant run gallery/fis")
    assert "--threads" in fish("pliant run --thr")
    assert "own scene.yaml" in [w.replace("\\", "") for w in fish("pliant run own")]
    assert fish("pliant run -o res") == ["results/"]
    assert "gravity=" in fish("pliant run own --set gravit")
    assert fish("pliant new osc") == ["oscillator"]
    assert fish("pliant validate canti") == ["cantilever"]
    assert fish("pliant list prot") == ["protocols"]
    assert fish("pliant completion fi") == ["fish"]
else:
    print("no fish: left out")
print("ok")
