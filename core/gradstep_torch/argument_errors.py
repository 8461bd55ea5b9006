"""Errors of functions that get a list, an array or a number in place of a tensor.

Arguments are examined only after a call has failed, so that a valid call costs nothing.
"""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

from gradstep.errors import TENSOR_REMEDY, ArgumentTypeError
from gradstep_torch.keywords import are_aliases, call_with_aliases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, MutableMapping

__all__ = ["add_tensor_errors", "with_tensor_errors"]


def add_tensor_errors(namespace: MutableMapping[str, Any], names: Iterable[str]) -> None:
    """Wrap the functions of a public module: non-tensor arguments are named, NumPy's keywords work.

    The functions stay unwrapped where they are defined, and methods call those.

    Args:
        namespace: The module's `globals()`.
        names: The names of its functions of tensors.
    """
    for name in names:
        if inspect.isfunction(namespace[name]):
            namespace[name] = with_tensor_errors(namespace[name])


def with_tensor_errors(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with a readable error for arguments that are not tensors.

    Args:
        function: A function of tensors.

    Example:
        >>> from gradstep.autograd.ops.pointwise import exp
        >>> with_tensor_errors(exp)([1.0])
        Traceback (most recent call last):
        gradstep.errors.ArgumentTypeError: exp(): argument 'input' (position 1) must be Tensor, not
        list; convert it first, with gradstep.tensor(...) or gradstep.from_numpy(...)
    """

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except AttributeError as error:
            refusal = _refusal(function, args, kwargs, error.obj)
            if refusal is None:
                raise
            raise refusal from None
        except TypeError:
            if not are_aliases(function, kwargs):
                raise
        return call_with_aliases(function, args, kwargs)

    return called


def _refusal(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], culprit: object
) -> ArgumentTypeError | None:
    """Return the error for the argument that lacks an attribute, or None."""
    if hasattr(culprit, "_array"):
        return None
    kind = type(culprit).__name__
    given = inspect.signature(function).bind(*args, **kwargs).arguments
    for position, (name, value) in enumerate(given.items(), start=1):
        if value is culprit:
            return ArgumentTypeError(
                f"{function.__name__}(): argument '{name}' (position {position}) must be Tensor, "
                f"not {kind}",
                TENSOR_REMEDY,
            )
        if isinstance(value, list | tuple):
            for index, element in enumerate(value):
                if element is culprit:
                    return ArgumentTypeError(
                        f"{function.__name__}(): expected Tensor as element {index} in argument "
                        f"'{name}', but got {kind}",
                        TENSOR_REMEDY,
                    )
    return None
