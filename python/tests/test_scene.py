"""Scenes: opened, built of arrays, changed; what they say when they are wrong."""
from pathlib import Path

import numpy as np
import pytest

import pliant as pl

SCENES = Path(__file__).resolve().parents[2] / "scenes"


def strip(n=8):
    """Points and triangles of a strip 0.3 m by 0.1 m."""
    x, y = np.meshgrid(np.linspace(0, 0.3, n + 1), np.linspace(0, 0.1, n // 2 + 1))
    points = np.column_stack([x.ravel(), y.ravel(), 0 * x.ravel()])
    corner = np.array([j * (n + 1) + i for j in range(n // 2) for i in range(n)])
    a, b, c, d = corner, corner + 1, corner + n + 2, corner + n + 1
    return points, np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])


def wing(mesh="wing", **more):
    return {"title": "wing",
            "materials": {"foil": {"young": "3 GPa", "poisson": 0.3, "density": 1200}},
            "bodies": [{"name": "wing", "shell": {"mesh": {"given": mesh}, "material": "foil",
                                                  "thickness": "1 mm", **more}}],
            "fixed": "wing group root", "gravity": [0, 0, -9.81],
            "analyses": [{"modes": {"count": 3}}]}


def mesh(scale=1.0):
    points, triangles = strip()
    return pl.Mesh(scale * points, triangles, sets={"root": np.flatnonzero(points[:, 0] < 0.06)})


def test_file_and_overrides():
    s = pl.open(SCENES / "duffing.yaml")
    assert s.title == "Duffing oscillator" and s.analyses == ["modes", "transient"]
    assert pl.open(SCENES / "duffing.yaml", set={"title": "other"}).title == "other"


def test_given_mesh_is_like_a_file(tmp_path):
    points, triangles = strip()
    with open(tmp_path / "wing.obj", "w") as f:
        f.writelines(f"v {x!r} {y!r} {z!r}\n" for x, y, z in points.tolist())
        f.writelines(f"f {a} {b} {c}\n" for a, b, c in triangles + 1)
    arrays = wing()
    file = wing()
    file["bodies"][0]["shell"]["mesh"] = "wing.obj"
    for scene in (arrays, file):
        scene["fixed"] = "wing where x < 0.06"
    r = pl.Scene(arrays, meshes={"wing": mesh()}).run(threads=1)
    q = pl.Scene(file, folder=tmp_path).run(threads=1)
    assert np.array_equal(r.tables["modes"]["frequency_Hz"], q.tables["modes"]["frequency_Hz"])
    assert r.tables["modes"]["frequency_Hz"][0] > 1


def test_given_mesh_in_other_units():
    s = pl.Scene(wing(), meshes={"wing": mesh()})
    mm = pl.Scene(wing(mesh_units="mm"), meshes={"wing": mesh(1000)})
    assert np.allclose(s.points, mm.points, rtol=1e-14, atol=1e-16)


def test_again_and_scene_as_run():
    s = pl.Scene(wing(), meshes={"wing": mesh()})
    thick = s.again({"bodies.wing.shell.thickness": "2 mm"})
    one, two = (x.run().tables["modes"]["frequency_Hz"] for x in (s, thick))
    assert np.allclose(two / one, 2, rtol=1e-6)
    same = pl.Scene(thick.yaml(), meshes={"wing": mesh()})
    assert np.array_equal(same.run().tables["modes"]["frequency_Hz"], two)


def test_wrong_scenes():
    with pytest.raises(pl.InputError, match="no mesh was given under the name 'wing'") as e:
        pl.Scene(wing())
    assert "meshes=" in e.value.messages[0].hint
    with pytest.raises(pl.InputError, match="did you mean 'wing'"):
        pl.Scene(wing("wang"), meshes={"wing": mesh()})
    with pytest.raises(pl.FileError, match="nope.yaml"):
        pl.open("nope.yaml")
    with pytest.raises(pl.InputError) as e:
        pl.Scene({"bodies": 3, "gravity": "no"})
    assert len(e.value.messages) == 2
    with pytest.raises(pl.NotFiniteError):
        pl.Scene({"gravity": [0, 0, float("nan")]})


def test_wrong_meshes():
    points, triangles = strip()
    with pytest.raises(pl.NotFiniteError, match="row 3"):
        bad = points.copy()
        bad[3, 1] = np.nan
        pl.Mesh(bad, triangles)
    with pytest.raises(pl.DTypeError):
        pl.Mesh(points, triangles * 1.0)
    with pytest.raises(pl.DTypeError):
        pl.Mesh(points * 1j, triangles)
    with pytest.raises(pl.ShapeError):
        pl.Mesh(points.ravel(), triangles)
    with pytest.raises(pl.ShapeError):
        pl.Mesh(points, triangles[:, :1])
    with pytest.raises(pl.ArgumentError, match="99"):
        pl.Mesh(points, [[0, 1, 99]])
    with pytest.raises(pl.ArgumentError, match="tri4"):
        pl.Mesh(points, {"tri4": triangles})
    with pytest.raises(pl.ArgumentError, match="set 'root'"):
        pl.Mesh(points, triangles, sets={"root": [-1]})


def test_arrays_that_change_are_looked_at_again():
    """The library borrows arrays: what is written into them later does not crash it."""
    points, triangles = strip()
    triangles = triangles.astype(np.int32)
    m = pl.Mesh(points, triangles, sets={"root": [0]})
    s = pl.Scene(wing(), meshes={"wing": m})
    assert m.cells["tri3"] is triangles or np.shares_memory(m.cells["tri3"], triangles)
    triangles[0, 0] = 10 ** 6
    with pytest.raises(pl.InputError, match="vertex 1000000"):
        s.again({"title": "x"})
