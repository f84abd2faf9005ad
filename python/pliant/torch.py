"""Functions of parameters inside PyTorch. PyTorch is imported when a function is adapted, not before."""
from __future__ import annotations

from importlib import import_module
from typing import Any, Callable, Tuple

from ._gradient import Function


def function(f: Function) -> Callable[[Any], Any]:
    """``f`` for PyTorch: a tensor of parameters to a scalar tensor that ``backward`` goes through.

    Derivatives are of first order. Tensors should be ``torch.float64``: others are rounded.
    """
    torch = import_module("torch")

    def forward(ctx: Any, x: Any) -> Any:
        value, gradient = f.value_and_grad(x.detach().cpu().numpy())
        ctx.save_for_backward(torch.as_tensor(gradient, dtype=x.dtype, device=x.device))
        return torch.as_tensor(value, dtype=x.dtype, device=x.device)

    def backward(ctx: Any, above: Any) -> Tuple[Any, ...]:
        (gradient,) = ctx.saved_tensors
        return (above * gradient,)

    adapted: Any = type("PliantFunction", (torch.autograd.Function,),
                        {"forward": staticmethod(forward), "backward": staticmethod(backward)})
    out: Callable[[Any], Any] = adapted.apply
    return out
