"""Keywords that torch's functions accept besides their own: NumPy's names, and `out`.

They are examined only after Python has rejected a call, so that a valid call costs nothing.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from typing import TYPE_CHECKING, Any, Final, TypeVar

from gradstep.errors import TensorError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["are_aliases", "call_with_aliases", "with_numpy_keywords", "write_out"]

_T = TypeVar("_T")
_NUMPYS: Final = {"axis": "dim", "keepdims": "keepdim"}


def are_aliases(function: Callable[..., Any], keywords: dict[str, Any]) -> bool:
    """Return whether the keywords that the function lacks are aliases or `out`."""
    own = inspect.signature(function).parameters
    foreign = [name for name in keywords if name not in own]
    return bool(foreign) and all(name == "out" or _NUMPYS.get(name) in own for name in foreign)


def call_with_aliases(
    function: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any]
) -> Any:
    """Call a function with aliases among its keywords.

    Args:
        function: The function.
        args: Its positional arguments.
        keywords: `axis` for `dim`, `keepdims` for `keepdim`, and `out`: the tensor, or the tensors,
            to write the result to; they are returned then.

    Raises:
        TensorError: The result requires grad, or its type cannot be cast to that of `out`.

    Example:
        >>> import gradstep_torch as torch
        >>> torch.sum(torch.ones(2, 3), axis=0)
        tensor([2., 2., 2.])
        >>> result = torch.empty(2)
        >>> _ = torch.add(torch.ones(2), 1, out=result)
        >>> result
        tensor([2., 2.])
    """
    named = {_NUMPYS.get(name, name): value for name, value in keywords.items()}
    out = named.pop("out", None)
    result = function(*args, **named)
    return result if out is None else write_out(out, result)


def write_out(out: _T, result: _T) -> _T:
    """Write one result or several to `out`, and return `out`.

    Raises:
        TensorError: The result requires grad, or its type cannot be cast to that of `out`.
    """
    if isinstance(out, (tuple, list)) and isinstance(result, (tuple, list)):
        for place, part in zip(out, result, strict=True):
            _write(place, part)
    else:
        _write(out, result)
    return out


def _write(out: Any, result: Any) -> None:
    if result.requires_grad:
        raise TensorError(
            "functions with out=... arguments don't support automatic differentiation, but one of "
            "the arguments requires grad",
            "omit out=, or call it in no_grad()",
        )
    if result.is_floating_point() and not out.is_floating_point():
        raise TensorError(
            f"result type {result.dtype} can't be cast to the desired output type {out.dtype}",
            "give out= the result's type",
        )
    if out.shape != result.shape:
        if out.numel():
            warnings.warn(
                f"An output with one or more elements was resized since it had shape "
                f"{list(out.shape)}, which does not match the required output shape "
                f"{list(result.shape)}.",
                UserWarning,
                stacklevel=4,
            )
        out.data = out.new_empty(result.shape)
    out.copy_(result)


def with_numpy_keywords(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that also accepts `axis` for `dim` and `keepdims` for `keepdim`.

    Example:
        >>> import gradstep_torch as torch
        >>> torch.ones(2, 3).sum(axis=1, keepdims=True).shape
        gradstep.Size([2, 1])
    """

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError:
            if kwargs.get("out") is not None or not are_aliases(function, kwargs):
                raise
        return call_with_aliases(function, args, kwargs)

    return called
