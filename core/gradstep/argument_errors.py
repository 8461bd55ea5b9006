"""What public functions say when they are given a list, an array or a number for a tensor.

They look at their arguments only after a failure, so that nothing is checked at every call.
"""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

from gradstep.errors import ArgumentTypeError
from gradstep.keywords import called_with, understood

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, MutableMapping

__all__ = ["REMEDY", "refuse_in", "refusing"]

REMEDY = "make a tensor of it first, with gradstep.tensor(...) or gradstep.from_numpy(...)"


def refuse_in(namespace: MutableMapping[str, Any], names: Iterable[str]) -> None:
    """Replace the functions of a public module by ones that name what is no tensor.

    They take NumPy's keywords and `out`, too.

    The functions themselves stay as they are where they were defined, and methods call those.

    Args:
        namespace: The module's `globals()`.
        names: Which of its names are functions of tensors.
    """
    for name in names:
        if inspect.isfunction(namespace[name]):
            namespace[name] = refusing(namespace[name])


def refusing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with an error of ours where an argument is no tensor.

    Args:
        function: A function of tensors.

    Example:
        >>> import gradstep
        >>> refusing(gradstep.exp)([1.0])
        Traceback (most recent call last):
        gradstep.errors.ArgumentTypeError: exp(): argument 'input' (position 1) must be Tensor, not
        list; make a tensor of it first, with gradstep.tensor(...) or gradstep.from_numpy(...)
    """

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - whatever the function takes
        try:
            return function(*args, **kwargs)
        except AttributeError as error:
            refusal = _refusal(function, args, kwargs, error.obj)
            if refusal is None:
                raise
            raise refusal from None
        except TypeError:
            if not understood(function, kwargs):
                raise
        return called_with(function, args, kwargs)

    return called


def _refusal(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], culprit: object
) -> ArgumentTypeError | None:
    """Return what is wrong with the argument that lacked an attribute; None when none did."""
    if hasattr(culprit, "_array"):
        return None
    kind = type(culprit).__name__
    given = inspect.signature(function).bind(*args, **kwargs).arguments
    for position, (name, value) in enumerate(given.items(), start=1):
        if value is culprit:
            return ArgumentTypeError(
                f"{function.__name__}(): argument '{name}' (position {position}) must be Tensor, "
                f"not {kind}",
                REMEDY,
            )
        if isinstance(value, list | tuple):
            for index, element in enumerate(value):
                if element is culprit:
                    return ArgumentTypeError(
                        f"{function.__name__}(): expected Tensor as element {index} in argument "
                        f"'{name}', but got {kind}",
                        REMEDY,
                    )
    return None
