"""Objectives written in Python, against a closed form."""
import math

import numpy as np
import pytest

import pliant as pl

M, C, F, W, WANT = 2, 2, 3, 6, 1.34  # kg, N s/m, N, rad/s, m/s^2


def scene(objective, goal=WANT, **more):
    return pl.Scene({
        "dimension": 1,
        "parameters": {"k": {"value": 40, "min": 5, "max": 60}},
        "nodes": {"m": 0},
        "masses": [{"node": "m", "mass": M}],
        "springs": [{"nodes": ["ground", "m"], "stiffness": "$k", "damping": C}],
        "loads": [{"node": "m", "force": [F], "harmonic": 1}],
        "analyses": [{"design": {"frequency": f"{W} rad/s", "ftol": 0, "objectives": [
            {"given": "comfort", "goal": goal, "node": "m"}], **more}}],
    }, objectives={"comfort": objective})


def rms(z, omega):
    """Root mean square acceleration."""
    j = np.arange(2, z.shape[1] + 1) // 2
    return np.sqrt((((j * omega) ** 4) * (z[:, 1:] ** 2).sum(axis=0)).sum() / 2)


def with_gradient(z, omega):
    j = np.arange(2, z.shape[1] + 1) // 2
    q = rms(z, omega)
    dz = np.zeros_like(z)
    dz[:, 1:] = (j * omega) ** 4 * z[:, 1:] / (2 * q)
    return q, dz, 2 * q / omega


CLOSED = M * W ** 2 - math.sqrt((F * W ** 2 / WANT) ** 2 / 2 - (C * W) ** 2)


@pytest.mark.parametrize("function", [rms, with_gradient])
def test_closed_form(function):
    r = scene(pl.Objective(function, unit="m/s^2")).run()
    found = r["design"].figures
    assert abs(found["variables"]["k"]["after"] - CLOSED) < 1e-4
    told = found["objectives"][0]
    assert told["kind"] == "comfort" and abs(told["comfort_m/s^2"] - WANT) < 1e-5


def test_complex_step_is_the_gradient():
    z = np.random.default_rng(1).normal(size=(2, 7))
    _, dz, dw = pl.Objective(rms).value_and_grad(z, 3.0)
    _, given, dw_given = pl.Objective(with_gradient).value_and_grad(z, 3.0)
    assert np.allclose(dz, given, rtol=1e-14) and abs(dw / dw_given - 1) < 1e-14


def test_exceptions_come_out():
    def broken(z, omega):
        raise LookupError("not today")

    with pytest.raises(LookupError, match="not today"):
        scene(pl.Objective(broken)).run()

    def wrong(z, omega):
        return 1.0, np.zeros(3), 0.0

    with pytest.raises(pl.ShapeError, match="derivatives by z"):
        scene(pl.Objective(wrong)).run()


def test_undefined_is_an_error_of_the_run():
    with pytest.raises(pl.Error):
        scene(pl.Objective(lambda z, omega: math.nan)).run()


def test_wrong_statements():
    as_run = scene(pl.Objective(rms)).yaml()
    assert pl.Scene(as_run, objectives={"comfort": pl.Objective(rms)}).run().solved
    with pytest.raises(pl.InputError, match="no objective was given under the name 'comfort'"):
        pl.Scene(as_run)
    with pytest.raises(pl.InputError, match="got 'largest'"):
        scene(pl.Objective(rms), goal="largest")
    with pytest.raises(pl.ArgumentError):
        pl.Scene({}, objectives={"x": rms})
