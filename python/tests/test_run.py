"""Runs: figures as the command has them, callbacks, Ctrl-C, what goes wrong."""
import gc
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import pliant as pl
from pliant._library import lib

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(os.environ["PLIANT_LIBRARY"]).parent / "pliant"

OSCILLATOR = {
    "title": "oscillator", "dimension": 1,
    "parameters": {"k": {"value": "8 N/m", "min": "1 N/m", "max": "50 N/m"}},
    "nodes": {"m": 0}, "masses": [{"node": "m", "mass": "2 kg"}],
    "springs": [{"nodes": ["ground", "m"], "stiffness": "$k", "damping": "0.8 N.s/m"}],
    "loads": [{"node": "m", "force": ["1 N"], "harmonic": 1}], "watch": {"m": "m"},
}


def oscillator(*analyses, **more):
    return pl.Scene({**OSCILLATOR, "analyses": list(analyses), **more})


LONG = {"transient": {"frequency": "1.5 rad/s", "periods": 100000, "steps_per_period": 400}}


def figures(x):
    """A summary without what tells of time and place."""
    if isinstance(x, dict):
        return {k: figures(v) for k, v in x.items()
                if "seconds" not in k and k not in ("date", "written", "commit")}
    return [figures(v) for v in x] if isinstance(x, list) else x


@pytest.mark.skipif(not COMMAND.exists(), reason="the command is not built")
@pytest.mark.parametrize("scene", ["duffing", "leg", "mass-damper", "linear-oscillator",
                                   "plate-midedge"])
def test_figures_are_those_of_the_command(scene, tmp_path):
    path = ROOT / "scenes" / f"{scene}.yaml"
    subprocess.run([COMMAND, "run", path, "-o", tmp_path / "r", "--threads", "2", "--quiet"],
                   capture_output=True, check=False)
    theirs = json.loads((tmp_path / "r" / "summary.json").read_text())
    r = pl.open(path).run(threads=2, unsolved="keep")
    assert figures(r.summary) == figures(theirs)
    # and tables are those of the CSV files, whose numbers read back to the bit
    for name, table in r.tables.items():
        file = tmp_path / "r" / f"{name}.csv"
        if not file.exists():
            continue
        head, *rows = file.read_text().splitlines()
        assert head.split(",") == list(table)
        theirs = np.array([[float(x) for x in row.split(",")] for row in rows])
        for k, (column, x) in enumerate(table.items()):
            if "seconds" not in column:
                assert np.array_equal(x, theirs[:, k], equal_nan=True), column


def test_result():
    r = oscillator({"modes": {"count": 1}}, {"periodic": {"frequency": "1.5 rad/s"}},
                   {"transient": {"frequency": "1.5 rad/s", "periods": 3}}).run()
    assert r.solved and r.status == "done" and r.warnings == [] and r.alarms == []
    assert r.tables["modes"]["omega_rad_s"][0] == 2
    assert r.tables["modes"].units["omega_rad_s"] == "rad/s"
    assert r["modes"].kind == "modes" and "modes" in r and "nothing" not in r
    with pytest.raises(KeyError, match="periodic"):
        r["nothing"]
    with pytest.raises(KeyError, match="time_s"):
        r.tables["transient"]["time"]
    # closed form of the steady motion
    m = r["periodic"].orbits["periodic"]
    amplitude = np.hypot(*m.series[0, 0, 1:3])
    assert abs(amplitude - 1 / np.hypot(8 - 2 * 1.5 ** 2, 0.8 * 1.5)) < 1e-9
    t, x = m.sample(400)
    assert x.shape == (400, 1, 1) and abs(np.abs(x).max() - amplitude) < 1e-4 * amplitude
    state = r["transient"].state
    assert state.t == r.tables["transient"]["time_s"][-1]
    assert state.x[0, 0] == r.tables["transient"]["m_x_m"][-1]


def test_shapes_and_films():
    r = pl.open(ROOT / "scenes" / "leg.yaml").run()
    film = r["transient"].films["transient"]
    assert film.x.shape == (len(film.time), 4, 3) and len(film.time) > 10
    state = r["transient"].state
    assert state.t == film.time[-1] and np.array_equal(state.x, film.x[-1])
    first = r["modes"].shapes[0]
    assert first.mode.shape == first.x.shape == (4, 3) and np.abs(first.mode).max() > 0
    assert r["transient"].shapes[0].mode is None


def test_arrays_are_views_that_live_on():
    r = oscillator({"transient": {"frequency": "1.5 rad/s", "periods": 3}}).run()
    x = r.tables["transient"]["m_x_m"]
    assert not x.flags.owndata and not x.flags.writeable
    with pytest.raises(ValueError):
        x[0] = 1
    kept = x.copy()
    before = lib.pl_facade_live()
    r.close()
    with pytest.raises(pl.FreedError):
        r.tables
    with pytest.raises(pl.FreedError):
        r.status
    del r
    gc.collect()
    assert np.array_equal(x, kept)
    del x
    gc.collect()
    assert lib.pl_facade_live() < before


def test_things_free_themselves():
    gc.collect()
    before = lib.pl_facade_live()
    with oscillator({"modes": {"count": 1}}) as s:
        with s.run() as r:
            assert r.solved
        del r
    with pytest.raises(pl.FreedError, match="closed"):
        s.run()
    del s
    gc.collect()
    assert lib.pl_facade_live() == before


def test_observer_and_progress():
    seen, told = [], []
    s = oscillator({"transient": {"frequency": "1.5 rad/s", "periods": 3}})
    r = s.run(observer=lambda name, first, rows: seen.append((name, first, rows["m_x_m"])),
              progress=lambda what, done, text: told.append(what))
    assert all(name == "transient" for name, _, _ in seen)
    assert np.array_equal(np.concatenate([x for _, _, x in seen]), r.tables["transient"]["m_x_m"])
    # who is asked to stop gives what there is
    r = oscillator(LONG).run(observer=lambda name, first, rows: first > 20)
    assert r.status == "cancelled" and r["transient"].status == "cancelled"


def test_exceptions_of_callbacks():
    def broken(*args):
        raise LookupError("enough")

    for hook in ({"observer": broken}, {"progress": broken}):
        with pytest.raises(LookupError, match="enough") as e:
            oscillator(LONG).run(**hook)
        assert e.value.result["transient"].status == "cancelled"


def test_interrupt():
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt) as e:
        oscillator({"modes": {"count": 1}}, LONG).run()
    assert e.value.result["modes"].status == "done"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_unsolved():
    s = oscillator({"static": {"max_iter": 1, "rtol": 1e-15}},
                   springs=[{"nodes": ["ground", "m"], "stiffness": "$k", "cubic": "1e9 N/m^3"}],
                   loads=[{"node": "m", "force": ["1e6 N"]}])
    with pytest.raises(pl.UnsolvedError) as e:
        s.run()
    assert e.value.result["static"].status != "done"
    r = s.run(unsolved="keep")
    assert not r.solved and r.warnings
    with pytest.raises(pl.ArgumentError):
        s.run(unsolved="maybe")


def test_two_threads():
    s = oscillator(LONG)
    started = threading.Event()
    stop = threading.Event()

    def watch(name, first, rows):
        started.set()
        return stop.is_set()

    t = threading.Thread(target=lambda: s.run(observer=watch))
    t.start()
    started.wait()
    try:
        with pytest.raises(pl.BusyError):
            s.run()
        with pytest.raises(pl.BusyError):
            s.check()
        s.close()  # the run keeps it
    finally:
        stop.set()
        t.join()


def test_options():
    s = oscillator({"modes": {"count": 1}})
    for wrong in ({"threads": -1}, {"threads": 1.5}, {"resume": True}):
        with pytest.raises(pl.ArgumentError):
            s.run(**wrong)
    with pytest.raises(pl.InputError, match="no analysis 'mode'"):
        s.run("mode")


def test_files(tmp_path):
    r = oscillator({"modes": {"count": 1}}).run(folder=tmp_path / "r")
    assert json.loads((tmp_path / "r" / "summary.json").read_text()) == r.summary
    assert (tmp_path / "r" / "report.html").exists()


def test_shown_in_notebooks():
    s = oscillator({"modes": {"count": 1}}, {"transient": {"frequency": "1.5 rad/s", "periods": 9}})
    r = s.run()
    for thing in (s, r, r["modes"], r.tables["transient"]):
        shown = thing._repr_html_()
        assert "<table>" in shown and shown.count("<tr>") < 60
        assert repr(thing).startswith("<pliant.")
    leg = pl.open(ROOT / "scenes" / "leg.yaml").run("modes")
    page = leg.view()
    assert page.html.startswith("<!DOCTYPE html>") and "srcdoc" in page._repr_html_()
    with pytest.raises(KeyError):
        leg.view("nothing")


def test_pictures_of_own_frames():
    s = pl.open(ROOT / "scenes" / "leg.yaml")
    n = len(s.points)
    frames = s.points + np.zeros((5, 1, 1))
    assert len(s.view(frames, period=2.0).html) > 1000
    with pytest.raises(pl.ShapeError):
        s.view(frames[:, :, :1, None])
    with pytest.raises(pl.ArgumentError):
        s.view(frames[:, : n - 1], period=1.0)
    with pytest.raises(pl.NotFiniteError):
        s.view(frames * np.nan)
    with pytest.raises(pl.DTypeError):
        s.view(frames * 1j)


MEMORY = """
import resource, sys, gc
import pliant as pl
text = '''{text}'''
def cycle(n):
    for _ in range(n):
        s = pl.Scene(text)
        r = s.run(threads=1)
        r.tables["modes"]["omega_rad_s"]
        r.figures
def used():
    gc.collect()
    return int(open("/proc/self/statm").read().split()[1])
cycle(1000)
first = used()
cycle(9000)
print((used() - first) * 4096, pl._library.lib.pl_facade_live())
"""


def test_memory_does_not_grow():
    """10,000 scenes made, run and freed, in a process of their own."""
    text = oscillator({"modes": {"count": 1}}).yaml()
    out = subprocess.run([sys.executable, "-c", MEMORY.format(text=text)], check=True,
                         capture_output=True, text=True,
                         env={**os.environ, "PYTHONPATH": str(ROOT / "python")}).stdout.split()
    assert int(out[0]) < 1 << 20 and int(out[1]) <= 2
