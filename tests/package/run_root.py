#!/usr/bin/env python3
"""The Debian packages and the wheel, built of the tree and tried in a fresh root: run_root.py BUILD SOURCES WORK_DIR

What is packed is BUILD as it was compiled for the tests. The root holds nothing but Debian's base and
what the packages ask for; once they are in, it has no network. Where this cannot be done (no root, no
Debian, no mirror) the last line says so."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from fresh import fresh

build, sources, work = (pathlib.Path(a).resolve() for a in sys.argv[1:])
fresh(work)
# programs of the distribution, whatever else comes first elsewhere
env = os.environ | {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"}


def run(*args, cwd=work, more={}, good=0):
    p = subprocess.run([str(a) for a in args], cwd=cwd, capture_output=True, text=True, env=env | more, timeout=900)
    assert p.returncode == good, f"{args}: exit code {p.returncode}\n{p.stdout[-4000:]}{p.stderr[-4000:]}"
    return p.stdout


def leave_out(why):
    print(f"left out: {why}")
    sys.exit(0)


def have(*programs):
    missing = [p for p in programs if not shutil.which(p, path=env["PATH"])]
    if missing:
        leave_out(f"{', '.join(missing)} not installed")


# ---- packages -----------------------------------------------------------------------------------


def debian_packages():
    """Paths of the packages by name, of a copy of what the tree holds."""
    tree = work / "tree"
    files = run("git", "ls-files", "-co", "--exclude-standard", "-z", cwd=sources).split("\0")
    for name in files:
        if name and (sources / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(sources / name, tree / name)
    run("dpkg-buildpackage", "-us", "-uc", "-b", cwd=tree,
        more={"PLIANT_BUILD": str(build), "DEB_BUILD_OPTIONS": "nocheck noautodbgsym"})
    if shutil.which("lintian", path=env["PATH"]):
        found = run("lintian", "--fail-on", "error,warning", "--pedantic", next(work.glob("*.changes")))
        assert not re.search("^[EW]:", found, re.M), found
    return {p.name.split("_")[0]: p for p in work.glob("*.deb")}


def wheel():
    run("/usr/bin/python3", "-m", "build", "--wheel", "--no-isolation", "--outdir", work / "dist", work / "tree" / "python",
        more={"PLIANT_LIBRARY": str(build / "libpliant.so")})
    (path,) = (work / "dist").iterdir()
    assert re.fullmatch(r"pliant-[\d.]+-py3-none-linux_\w+\.whl", path.name), path.name
    version = re.search(r'PL_VERSION +"(.*)"', (sources / "include/pliant/version.h").read_text())[1]
    assert path.name.split("-")[1] == version, path.name
    return path


# ---- the root -----------------------------------------------------------------------------------


def mirror():
    """(codename, site) of the Debian that this machine runs."""
    release = pathlib.Path("/etc/os-release").read_text()
    if not re.search(r"^ID=debian$", release, re.M):
        leave_out("this is no Debian")
    name = re.search(r"^VERSION_CODENAME=(\w+)", release, re.M)[1]
    for row in run("apt-get", "indextargets", "--format", "$(CODENAME) $(COMPONENT) $(SITE)").splitlines():
        codename, component, site = row.split()
        if codename == name and component == "main":
            return name, site
    leave_out(f"apt knows no mirror of {name}")


def make_root():
    """A fresh root, from the archive of an earlier run if there is one."""
    codename, site = mirror()
    root, archive = work / "root", build.parent / f"root-{codename}.tar"
    if archive.is_file():
        run("tar", "xf", archive, "-C", work)
        return root
    try:
        urllib.request.urlopen(f"{site.rstrip('/')}/dists/{codename}/Release", timeout=30).close()
    except OSError as e:
        leave_out(f"no mirror of Debian: {e}")
    run("debootstrap", "--variant=minbase", codename, root, site)
    run("tar", "cf", f"{archive}.new", "-C", work, "root")
    os.replace(f"{archive}.new", archive)
    return root


def within(root, command, network=False):
    """A command of a shell in the root: its processes are its own, and there is no network unless asked for."""
    apart = ["unshare", "--mount", "--pid", "--fork", *([] if network else ["--net"])]
    inside = "mount -t proc proc \"$0/proc\" && exec chroot \"$0\" sh -ec \"$1\""
    return run(*apart, "sh", "-c", inside, root, command)


have("dpkg-buildpackage", "dh_python3", "debootstrap", "unshare")
packages = debian_packages()
assert sorted(packages) == ["libpliant-dev", "libpliant0", "pliant", "python3-pliant"], packages
# the page tells all that the library needs
needs = re.findall(r"(\S+)(?: \(.*?\))?(?:, |$)", run("dpkg-deb", "-f", packages["libpliant0"], "Depends").strip())
page = (sources / "docs/install.md").read_text()
untold = [n for n in needs if not re.search(rf"\b{re.escape(n)}\b", page) and n not in ("libc6", "zlib1g")]
assert not untold, f"docs/install.md: the wheel needs {untold}, too"
own = wheel()

if os.geteuid() != 0:
    leave_out("packages are built, and need root to be tried")
if subprocess.run(["unshare", "--mount", "--pid", "--fork", "--net", "true"], capture_output=True).returncode != 0:
    leave_out("packages are built; this kernel gives no namespaces to try them in")
root = make_root()
for path in (*packages.values(), own):
    shutil.copy(path, root / "root")
apt = "DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -o Dpkg::Options::=--force-unsafe-io"
within(root, "apt-get update -qq && "
       f"{apt} {' '.join('/root/' + packages[n].name for n in ('pliant', 'libpliant0', 'python3-pliant'))} python3-venv", network=True)

# ---- the command, as here -----------------------------------------------------------------------

within(root, "cd /root && pliant --version && pliant list gallery | grep -q three-link-leg && pliant new response > own.yaml && "
       "pliant run own.yaml -t 1 -q && test -s own.results/report.html")
run(build / "pliant", "run", root / "root/own.yaml", "-t", "1", "-q", "-o", work / "here")
tables = sorted(p.name for p in (work / "here").glob("*.csv"))
assert tables and all((root / "root/own.results" / n).read_bytes() == (work / "here" / n).read_bytes() for n in tables), tables
assert (root / "usr/share/man/man1/pliant.1.gz").is_file()

# ---- Python: of the package, then of the wheel in an environment of its own ----------------------

program = """
import pliant as pl, pathlib
r = pl.open("/root/own.yaml").run()
print([p.split()[-1] for p in pathlib.Path("/proc/self/maps").read_text().splitlines() if "libpliant" in p][0])
"""
(root / "root/own.py").write_text(program)
assert within(root, "cd / && python3 /root/own.py").strip().startswith("/usr/lib/")
within(root, "dpkg -r pliant python3-pliant libpliant0")
within(root, f"cd / && python3 -m venv --system-site-packages /root/venv && /root/venv/bin/pip install -q --no-index /root/{own.name}")
assert within(root, "cd / && /root/venv/bin/python /root/own.py").strip().startswith("/root/venv/")
shutil.rmtree(root)
print("ok")
