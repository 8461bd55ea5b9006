"""Checks of hyper-parameters; each names the value and what it may be."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gradstep.autograd.tensor import Tensor
from gradstep.errors import ArgumentError, ArgumentTypeError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["check_betas", "check_in_unit_interval", "check_not_negative", "check_number"]


def check_number(label: str, value: Any) -> float:  # noqa: ANN401 - whatever the user passed
    """Return `value` as a float, or say that it is not a number.

    Args:
        label: What the value is, for the message, such as "learning rate".
        value: A number, or a tensor of one element.

    Raises:
        ArgumentTypeError: It is neither.

    Example:
        >>> check_number("learning rate", 1)
        1.0
    """
    if isinstance(value, Tensor):
        return float(value.item())
    if isinstance(value, bool | str) or not hasattr(value, "__float__"):
        raise ArgumentTypeError(f"Invalid {label}: {value!r} is not a number", "pass a number")
    return float(value)


def check_not_negative(options: Mapping[str, Any], **labels: str) -> None:
    """Check that each option named in `labels` is a number of at least 0.

    Args:
        options: Hyper-parameters by name; those absent are not checked.
        **labels: For each option, what the message calls it.

    Raises:
        ArgumentError: A value is negative or NaN.

    Example:
        >>> check_not_negative({"lr": -1}, lr="learning rate")
        Traceback (most recent call last):
        ...
        gradstep.errors.ArgumentError: Invalid learning rate: -1; lr must be 0 or more
    """
    for name, label in labels.items():
        if name in options and not check_number(label, options[name]) >= 0:
            raise ArgumentError(
                f"Invalid {label}: {_plain(options[name])}", f"{name} must be 0 or more"
            )


def check_in_unit_interval(options: Mapping[str, Any], **labels: str) -> None:
    """Check that each option named in `labels` lies between 0 and 1, both included."""
    for name, label in labels.items():
        if name in options and not 0 <= check_number(label, options[name]) <= 1:
            raise ArgumentError(
                f"Invalid {label}: {_plain(options[name])}", f"{name} must lie between 0 and 1"
            )


def check_betas(options: Mapping[str, Any]) -> None:
    """Check that `betas` are two decay rates in [0, 1)."""
    if "betas" not in options:
        return
    betas = options["betas"]
    if not isinstance(betas, tuple | list) or len(betas) != 2:  # noqa: PLR2004 - a pair
        raise ArgumentTypeError(f"Invalid betas: {betas!r}", "pass a pair such as (0.9, 0.999)")
    for index, beta in enumerate(betas):
        value = check_number(f"beta parameter at index {index}", beta)
        if math.isnan(value) or not 0 <= value < 1:
            raise ArgumentError(
                f"Invalid beta parameter at index {index}: {_plain(beta)}",
                "a beta must be at least 0 and less than 1",
            )


def _plain(value: Any) -> Any:  # noqa: ANN401 - a number of any type
    return value.item() if isinstance(value, Tensor) else value
