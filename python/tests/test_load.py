"""Loads written in Python, against closed forms and against the loads of scenes."""
import numpy as np
import pytest

import pliant as pl


def swing(load, *analyses, dimension=1, **more):
    at = [0] * dimension
    force = {"given": "own", "node": "m", **more}
    nodes = {"m": at[0] if dimension == 1 else at}
    scene = {"dimension": dimension, "nodes": nodes,
             "masses": [{"node": "m", "mass": "2 kg"}],
             "loads": [force], "watch": {"m": "m"}, "analyses": list(analyses)}
    if dimension == 1:
        scene["springs"] = [{"nodes": ["ground", "m"], "stiffness": "8 N/m"}]
    return pl.Scene(scene, loads={"own": load})


def test_statics_of_a_magnet():
    """8 q = c / (d - q)^2, the stable root."""
    def magnet(x, v, s):
        return s * 0.02 / (0.5 - x) ** 2

    q = swing(pl.Load(magnet), "static").run()["static"].state.q[0]
    assert abs(8 * q - 0.02 / (0.5 - q) ** 2) < 1e-9 and 0 < q < 0.1
    # twice the strength
    q2 = swing(pl.Load(magnet), "static", strength=2).run()["static"].state.q[0]
    assert abs(8 * q2 - 0.04 / (0.5 - q2) ** 2) < 1e-9 and q2 > q


@pytest.mark.parametrize("differences", [False, True])
def test_modes_feel_its_stiffness(differences):
    def spring(x, v, s):
        return -10.0 * x

    r = swing(pl.Load(spring, differences=differences), {"modes": {"count": 1}}).run()
    assert abs(r.tables["modes"]["omega_rad_s"][0] - 3) < 1e-6


def test_harmonic_like_the_scenes_own():
    mine = swing(pl.Load(lambda x, v, s: np.array([s]) - 0.8 * v),
                 {"periodic": {"frequency": "1.5 rad/s"}}, harmonic=1).run()
    m = mine["periodic"].orbits["periodic"]
    closed = 1 / np.hypot(8 - 2 * 1.5 ** 2, 0.8 * 1.5)
    assert abs(np.hypot(*m.series[0, 0, 1:3]) - closed) < 1e-9


def test_over_time(tmp_path):
    """The strength as the time: a force 2 t on a mass without a spring."""
    (tmp_path / "clock.csv").write_text("time_s,value\n0,0\n10,10\n")
    scene = {"dimension": 2, "nodes": {"m": [0, 0]}, "masses": [{"node": "m", "mass": "2 kg"}],
             "loads": [{"given": "own", "node": "m", "over": "clock.csv"}], "watch": {"m": "m"},
             "analyses": [{"transient": {"duration": "1 s", "step": "1 ms"}}]}
    r = pl.Scene(scene, folder=tmp_path, loads={
        "own": pl.Load(lambda x, v, s: np.array([2 * s, 0 * s]))}).run()
    assert abs(r["transient"].state.q[0] - 1 / 6) < 1e-6  # t^3 / 6


def test_drag_to_terminal_velocity():
    """m dv/dt = m g - c v |v|: v = sqrt(m g / c) tanh(t sqrt(g c / m))."""
    def drag(x, v, s):
        speed = np.sqrt((v ** 2).sum() + 1e-30)
        return -0.5 * speed * v

    scene = swing(pl.Load(drag), {"transient": {"duration": "1 s", "step": "1 ms"}}, dimension=3)
    scene = pl.Scene({**{"dimension": 3, "nodes": {"m": [0, 0, 0]},
                         "masses": [{"node": "m", "mass": "2 kg"}], "gravity": [0, 0, -9.81],
                         "loads": [{"given": "own", "node": "m"}],
                         "analyses": [{"transient": {"duration": "1 s", "step": "1 ms"}}]}},
                     loads={"own": pl.Load(drag)})
    v = scene.run()["transient"].state.v[2]
    closed = -np.sqrt(2 * 9.81 / 0.5) * np.tanh(np.sqrt(9.81 * 0.5 / 2))
    assert abs(v - closed) < 1e-5 * abs(closed)


def test_a_sheet_on_threads():
    """On all nodes of a body, called from several threads: the scene's own force, and its weight."""
    from test_scene import mesh, wing

    own = {**wing(), "gravity": [0, 0, 0], "fixed": "wing where x < 0.06", "analyses": ["static"]}
    force = np.array([0, 0, -1e-3])
    mine = {**own, "loads": [{"given": "own", "nodes": "wing"}]}
    theirs = {**own, "loads": [{"force": force.tolist(), "nodes": "wing"}]}
    x, y = (pl.Scene(s, meshes={"wing": mesh()}, loads={"own": pl.Load(lambda x, v, s: s * force)})
            .run(threads=2)["static"].state.x for s in (mine, theirs))
    assert np.abs(y[:, 2]).max() > 1e-4 and np.allclose(x, y, rtol=1e-7, atol=1e-11)


def test_exceptions_come_out():
    def broken(x, v, s):
        raise LookupError("not today")

    with pytest.raises(LookupError, match="not today"):
        swing(pl.Load(broken), "static").run()
    with pytest.raises(pl.ShapeError, match="the force"):
        swing(pl.Load(lambda x, v, s: 1.0), "static").run()
    with pytest.raises(pl.DTypeError):
        swing(pl.Load(lambda x, v, s: x * 1j), "static").run()
    with pytest.raises(pl.Error):
        swing(pl.Load(lambda x, v, s: x * np.nan), "static").run()


def test_wrong_statements():
    with pytest.raises(pl.InputError, match="no load was given under the name 'own'"):
        pl.Scene(swing(pl.Load(lambda x, v, s: x)).yaml())
    with pytest.raises(pl.ArgumentError):
        pl.Load(3)
    with pytest.raises(pl.ArgumentError, match="must be a pliant.Load"):
        pl.Scene({}, loads={"own": lambda x, v, s: x})
    with pytest.raises(pl.InputError, match="strength"):
        pl.Scene({"dimension": 1, "nodes": {"m": 0}, "masses": [{"node": "m", "mass": 1}],
                  "loads": [{"node": "m", "force": [1], "strength": 2}]})


def test_a_design_by_its_strength():
    """Derivatives by the strength: the amplitude that is wanted, in closed form."""
    scene = pl.Scene({
        "dimension": 1, "nodes": {"m": 0}, "masses": [{"node": "m", "mass": "2 kg"}],
        "parameters": {"p": {"value": 1, "min": 0.1, "max": 9}},
        "springs": [{"nodes": ["ground", "m"], "stiffness": "8 N/m"}],
        "loads": [{"given": "own", "node": "m", "harmonic": 1, "strength": "$p"}],
        "analyses": [{"design": {"frequency": "1.5 rad/s", "ftol": 0, "objectives": [
            {"amplitude": "1 m", "node": "m"}]}}],
    }, loads={"own": pl.Load(lambda x, v, s: np.array([s]) - 0.8 * v)})
    found = scene.run()["design"].figures
    # a path of 1 m is an amplitude of 1/4 m
    closed = 0.25 * np.hypot(8 - 2 * 1.5 ** 2, 0.8 * 1.5)
    assert abs(found["variables"]["p"]["after"] - closed) < 1e-6
    assert found["evaluations"] < 20
