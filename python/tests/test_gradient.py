"""Figures as functions of parameters: beside closed forms, differences and SciPy; JAX and PyTorch by protocol."""
import sys
import types
from importlib.util import find_spec

import numpy as np
import pytest

import pliant as pl
import pliant.jax
import pliant.torch

W, M, C, F = 1.5, 2.0, 0.8, 1.0


def oscillator(hard="3 N/m^3"):
    return pl.Scene({
        "dimension": 1, "units": {"length": "mm"},  # parameters are in SI all the same
        "parameters": {"k": {"value": "8 N/m", "min": "1 N/m", "max": "50 N/m"},
                       "m": {"value": f"{M} kg"}, "c": {"value": f"{C} N.s/m"}, "hard": {"value": hard},
                       "idle": {"value": "5 mm"}},
        "nodes": {"m": 0}, "masses": [{"node": "m", "mass": "$m"}],
        "springs": [{"nodes": ["ground", "m"], "stiffness": "$k", "damping": "$c", "cubic": "$hard"}],
        "loads": [{"node": "m", "force": [f"{F} N"], "harmonic": 1}], "watch": {"m": "m"},
        "analyses": [
            {"periodic": {"frequency": f"{W} rad/s", "harmonics": 5}},
            {"transient": {"duration": "3 s", "step": "30 ms", "frequency": f"{W} rad/s"}},
            {"response": {"from": "0.1 Hz", "to": "0.2 Hz"}}]})


def sheet():
    return pl.Scene({
        "units": {"length": "mm"},
        "parameters": {"E": {"value": "10 MPa"}, "t": {"value": "1 mm"}, "P": {"value": "1 mN"}},
        "materials": {"m": {"young": "$E", "poisson": 0.3, "density": "1000 kg/m^3"}},
        "bodies": [{"name": "s", "shell": {"mesh": {"grid": {"size": [40, 20], "cells": [4, 2]}},
                                           "material": "m", "thickness": "$t"}}],
        "fixed": [{"nodes": "s where x < 11"}],
        "loads": [{"nodes": "s where x > 39", "force": [0, 0, "$P"]}],
        "watch": {"tip": "s nearest [40, 10, 0]"},
        "analyses": ["static"]})


@pytest.mark.parametrize("make, figure, of", [
    (sheet, "static.displacement_m.tip.2", ["E", "t", "P"]),
    (oscillator, "transient.displacement_m.m.0", ["k", "m", "c", "hard"]),
    (oscillator, "periodic.amplitude.m.max_x_m", ["k", "m", "c", "hard"])])
def test_against_differences(make, figure, of):
    f = make().function(figure, of, relative=True, threads=1)
    _, gradient = f.value_and_grad(f.x0)
    h = 2e-3
    for k in range(len(of)):
        e = h * np.eye(len(of))[k]
        differences = (8 * (f(f.x0 + e) - f(f.x0 - e)) - f(f.x0 + 2 * e) + f(f.x0 - 2 * e)) / (12 * h)
        assert abs(gradient[k] - differences) < 1e-6 * np.abs(gradient).max()
    assert f.runs == 4 * len(of) + 1


def test_closed_form_in_SI():
    f = oscillator("0 N/m^3").function("periodic.amplitude.m.max_x_m", of=["k", "c"])
    k = 9.0
    value, gradient = f.value_and_grad([k, C])
    size2 = (k - M * W * W) ** 2 + (C * W) ** 2
    assert abs(value - F * size2 ** -0.5) < 1e-9
    closed = -F * size2 ** -1.5 * np.array([k - M * W * W, C * W * W])
    assert np.allclose(gradient, closed, rtol=1e-8)
    assert f([k, C]) == value and np.array_equal(f.grad([k, C]), gradient) and f.runs == 1
    assert f.units == ["N/m", "N.s/m"] and f.bounds == [(1, 50), (None, None)]


def test_several_by_the_chain_rule():
    names = ["periodic.amplitude.m.max_x_m", "transient.displacement_m.m.0"]
    scene, of = oscillator(), ["k", "m"]
    f = scene.function(names, of, combine=lambda y: y[0] ** 2 * y[1])
    g = scene.function(names, of, combine=lambda y: (y[0] ** 2 * y[1], [2 * y[0] * y[1], y[0] ** 2]))
    value, gradient = f.value_and_grad(f.x0)
    y, jacobian = f.values(f.x0), f.jacobian(f.x0)
    alone = [scene.function(name, of).value_and_grad(f.x0) for name in names]
    assert np.array_equal(y, [a[0] for a in alone]) and np.array_equal(jacobian, [a[1] for a in alone])
    assert value == y[0] ** 2 * y[1] and f.runs == 1
    assert np.allclose(gradient, [2 * y[0] * y[1], y[0] ** 2] @ jacobian, rtol=1e-14)
    assert np.allclose(g.value_and_grad(f.x0)[1], gradient, rtol=1e-14)
    with pytest.raises(pl.ArgumentError, match="give combine"):
        scene.function(names, of)(f.x0)


def test_scipy_reaches_the_optimum():
    optimize = pytest.importorskip("scipy.optimize")
    want = 0.2
    f = oscillator("0 N/m^3").function("periodic.amplitude.m.max_x_m", of="k",
                                       combine=lambda y: 100 * (y[0] - want) ** 2)
    found = optimize.minimize(f.value_and_grad, f.x0, jac=True, bounds=f.bounds, tol=1e-14)
    closed = M * W * W + np.sqrt((F / want) ** 2 - (C * W) ** 2)
    assert abs(found.x[0] / closed - 1) < 1e-5 and f.runs <= found.nfev
    runs = f.runs
    apart = optimize.minimize(f, f.x0, jac=f.grad, bounds=f.bounds, tol=1e-14)
    assert np.array_equal(apart.x, found.x) and f.runs - runs <= found.nfev + 1


def test_misuse_is_named():
    scene = oscillator()
    name = "periodic.amplitude.m.max_x_m"
    with pytest.raises(pl.ArgumentError, match="no parameter 'har'; did you mean 'hard'"):
        scene.function(name, of=["har"])
    with pytest.raises(pl.ArgumentError, match="did you mean 'periodic'"):
        scene.function("periodc.amplitude.m.max_x_m", of="k")
    with pytest.raises(pl.ArgumentError, match="is a response"):
        scene.function("response.peak", of="k")
    with pytest.raises(pl.ArgumentError, match="twice"):
        scene.function(name, of=["k", "k"])
    with pytest.raises(pl.ArgumentError, match="did you mean 'periodic.amplitude.m.max_x_m'"):
        scene.function("periodic.amplitude.m.max_y_m", of="k")([8])
    with pytest.raises(pl.Error, match="idle"):
        scene.function(name, of="idle")
    f = scene.function(name, of=["k", "m"])
    with pytest.raises(pl.ShapeError, match="2 numbers are wanted"):
        f([1])
    with pytest.raises(pl.NotFiniteError):
        f([np.nan, 1])
    with pytest.raises(pl.DTypeError):
        f(["stiff", 1])
    with pytest.raises(pl.ShapeError, match="combine"):
        scene.function(name, of="k", combine=lambda y: (y[0], [1, 2]))([8])


# ---- adapters: the calls that JAX and PyTorch make, by stand-ins where they are not installed ----

class Parabola:
    """x.x and 2 x; counts its calls."""
    calls = 0

    def value_and_grad(self, x):
        self.calls += 1
        assert isinstance(x, np.ndarray) and x.dtype == float
        return float(x @ x), 2 * x


@pytest.mark.skipif(find_spec("jax") is not None, reason="JAX itself is there")
def test_jax_by_protocol(monkeypatch):
    class CustomVjp:
        def __init__(self, function):
            self.function = function

        def __call__(self, x):
            return self.function(x)

        def defvjp(self, forward, backward):
            self.forward, self.backward = forward, backward

    def pure_callback(function, shapes, *args):
        out = function(*args)
        for a, s in zip(out, shapes):
            assert a.shape == s.shape and a.dtype == s.dtype
        return out

    def struct(shape, dtype):
        return types.SimpleNamespace(shape=shape, dtype=dtype)

    monkeypatch.setitem(sys.modules, "jax", types.SimpleNamespace(
        custom_vjp=CustomVjp, pure_callback=pure_callback, ShapeDtypeStruct=struct))
    for dtype in (np.float64, np.float32):
        p, x = Parabola(), np.array([1, 2], dtype)
        f = pliant.jax.function(p)
        assert f(x) == 5
        value, kept = f.forward(x)
        (gradient,) = f.backward(kept, 3.0)
        assert value == 5 and value.dtype == dtype and np.array_equal(gradient, [6, 12]) and p.calls == 2


@pytest.mark.skipif(find_spec("jax") is None, reason="JAX is not installed")
def test_jax():
    import jax
    f = pliant.jax.function(Parabola())
    value, gradient = jax.jit(jax.value_and_grad(lambda x: 3 * f(x)))(jax.numpy.array([1.0, 2.0]))
    assert value == 15 and np.array_equal(gradient, [6, 12])


@pytest.mark.skipif(find_spec("torch") is not None, reason="PyTorch itself is there")
def test_torch_by_protocol(monkeypatch):
    class Tensor:
        device = "cpu"

        def __init__(self, a, dtype=np.float64):
            self.a, self.dtype = np.asarray(a, dtype), dtype

        def detach(self):
            return self

        cpu = detach

        def numpy(self):
            return self.a

        def __mul__(self, other):
            return Tensor(self.a * other.a)

    class Context:
        def save_for_backward(self, *tensors):
            assert all(isinstance(t, Tensor) for t in tensors)
            self.saved_tensors = tensors

    class Function:
        @classmethod
        def apply(cls, *args):
            ctx = Context()
            out = cls.forward(ctx, *args)
            out.back = lambda above: cls.backward(ctx, above)
            return out

    def as_tensor(a, dtype, device):
        assert device == "cpu"
        return Tensor(a, dtype)

    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(
        autograd=types.SimpleNamespace(Function=Function), as_tensor=as_tensor))
    p = Parabola()
    out = pliant.torch.function(p)(Tensor([1, 2]))
    (gradient,) = out.back(Tensor(3))
    assert out.a == 5 and np.array_equal(gradient.a, [6, 12]) and p.calls == 1


@pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed")
def test_torch():
    import torch
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    (3 * pliant.torch.function(Parabola())(x)).backward()
    assert np.array_equal(x.grad.numpy(), [6, 12])


def test_short_lists_are_shown():
    scene = pl.Scene({"dimension": 1, "nodes": {"m": 0}, "masses": [{"node": "m", "mass": "2 kg"}],
                      "springs": [{"nodes": ["ground", "m"], "stiffness": "8 N/m"}],
                      "analyses": [{"modes": {"count": 1}}]})
    assert "<td>frequency_Hz</td><td>0.31831</td>" in scene.run()["modes"]._repr_html_()


def test_nodes_by_selectors():
    scene = pl.Scene({
        "materials": {"m": {"young": "1 MPa", "poisson": 0.3, "density": 1000}},
        "bodies": [{"name": "w", "shell": {"mesh": {"given": "w"}, "material": "m", "thickness": "1 mm",
                                           "bending": "midedge"}}],
        "sets": {"low": "w where y < 0.5"}, "analyses": ["modes"]},
        meshes={"w": pl.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]],
                             sets={"tip": [2, 3]})})
    assert set(scene.nodes("w group tip")) == set(np.flatnonzero(scene.points[:, 1] == 1))
    assert set(scene.nodes("low")) == set(scene.nodes("w where y < 0.5"))
    assert list(scene.nodes("w nearest [1, 0, 0]")) == [1]
    with pytest.raises(pl.InputError, match="'tp'") as e:
        scene.nodes("w group tp")
    assert "did you mean 'tip'" in str(e.value)
    with pytest.raises(pl.InputError, match="no node, set or body 'elsewhere'"):
        scene.nodes("elsewhere")
