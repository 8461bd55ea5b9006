"""Keywords that torch's functions take besides their own: NumPy's names, and `out`.

They are looked at only after Python has refused the call, so that nothing is checked at every call.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from typing import TYPE_CHECKING, Any, Final, TypeVar

from gradstep.errors import TensorError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["called_with", "understood", "with_numpy_names", "written"]

_T = TypeVar("_T")
_NUMPYS: Final = {"axis": "dim", "keepdims": "keepdim"}


def understood(function: Callable[..., Any], keywords: dict[str, Any]) -> bool:
    """Tell whether the function can be called with these keywords although they are not its own."""
    own = inspect.signature(function).parameters
    foreign = [name for name in keywords if name not in own]
    return bool(foreign) and all(name == "out" or _NUMPYS.get(name) in own for name in foreign)


def called_with(
    function: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any]
) -> Any:  # noqa: ANN401 - whatever the function returns
    """Call a function with keywords that are `understood`.

    Args:
        function: What to call.
        args: Its arguments by position.
        keywords: `axis` for `dim`, `keepdims` for `keepdim`, and `out`: the tensor, or the tensors,
            to write the result to; they are returned then.

    Raises:
        TensorError: The result has a gradient to carry, or a type that `out` cannot hold.

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
    return result if out is None else written(out, result)


def written(out: _T, result: _T) -> _T:
    """Write a result, or several, to what was given as `out`, and return that.

    Raises:
        TensorError: The result has a gradient to carry, or a type that `out` cannot hold.
    """
    if isinstance(out, (tuple, list)) and isinstance(result, (tuple, list)):
        for place, part in zip(out, result, strict=True):
            _write(place, part)
    else:
        _write(out, result)
    return out


def _write(out: Any, result: Any) -> None:  # noqa: ANN401 - tensors
    if result.requires_grad:
        raise TensorError(
            "functions with out=... arguments don't support automatic differentiation, but one of "
            "the arguments requires grad",
            "leave out= away, or call it in no_grad()",
        )
    if result.is_floating_point() and not out.is_floating_point():
        raise TensorError(
            f"result type {result.dtype} can't be cast to the desired output type {out.dtype}",
            "make out= of the result's type",
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


def with_numpy_names(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that takes `axis` for `dim`, and `keepdims` for `keepdim`, too.

    Example:
        >>> import gradstep_torch as torch
        >>> torch.ones(2, 3).sum(axis=1, keepdims=True).shape
        gradstep.Size([2, 1])
    """

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - whatever the function takes
        try:
            return function(*args, **kwargs)
        except TypeError:
            if kwargs.get("out") is not None or not understood(function, kwargs):
                raise
        return called_with(function, args, kwargs)

    return called
