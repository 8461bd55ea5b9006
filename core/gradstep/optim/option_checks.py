"""Checks of hyperparameters; each error names the value and the valid range."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gradstep.autograd.tensor import Tensor
from gradstep.errors import ArgumentError, ArgumentTypeError, TensorError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "check_adam_options",
    "check_betas",
    "check_flags",
    "check_in_unit_interval",
    "check_learning_rate",
    "check_not_negative",
    "check_number",
    "check_numbers",
    "without_tensors",
]


def check_number(label: str, value: Any) -> float:  # noqa: ANN401 - whatever the user passed
    """Return `value` as a float.

    Args:
        label: Name of the value in the message, such as "learning rate".
        value: A number, or a tensor of one element.

    Raises:
        ArgumentTypeError: It is not a number.

    Example:
        >>> check_number("learning rate", 1)
        1.0
    """
    if isinstance(value, Tensor):
        return float(value.item())
    if isinstance(value, bool | str) or not hasattr(value, "__float__"):
        raise ArgumentTypeError(f"Invalid {label}: {value!r} is not a number", "pass a number")
    return float(value)


def check_numbers(options: Mapping[str, Any], name: str, example: tuple[Any, ...]) -> None:
    """Check that an option has as many numbers as the example; None is valid where it has None.

    Args:
        options: Hyperparameters by name; an absent one is not checked.
        name: The option.
        example: A valid value, such as the default.

    Raises:
        ArgumentTypeError: It is something else, or one of them is not a number.

    Example:
        >>> check_numbers({"etas": 3}, "etas", (0.5, 1.2))
        Traceback (most recent call last):
        ...
        gradstep.errors.ArgumentTypeError: Invalid etas: 3; pass 2 numbers such as (0.5, 1.2)
    """
    if name not in options:
        return
    values = options[name]
    if not isinstance(values, tuple | list) or len(values) != len(example):
        raise ArgumentTypeError(
            f"Invalid {name}: {values!r}", f"pass {len(example)} numbers such as {example}"
        )
    for index, (value, usual) in enumerate(zip(values, example, strict=True)):
        if value is not None or usual is not None:
            check_number(f"{name} value at index {index}", value)


def check_not_negative(options: Mapping[str, Any], **labels: str) -> None:
    """Check that each option named in `labels` is a number of at least 0.

    Args:
        options: Hyperparameters by name; those absent are not checked.
        **labels: For each option, its name in the message.

    Raises:
        ArgumentError: A value is negative or NaN.

    Example:
        >>> check_not_negative({"lr": -1}, lr="learning rate")
        Traceback (most recent call last):
        ...
        gradstep.errors.ArgumentError: Invalid learning rate: -1; lr must be 0 or more
    """
    _check_one_element(options)
    for name, label in labels.items():
        if name in options and not check_number(label, options[name]) >= 0:
            raise ArgumentError(
                f"Invalid {label}: {_plain(options[name])}", f"{name} must be 0 or more"
            )


def check_learning_rate(options: Mapping[str, Any], message: str) -> None:
    """Check that `lr` is not negative, with a message of the class's own.

    Example:
        >>> check_learning_rate({"lr": -1}, "Learning rate should be >= 0 but is: {}")
        Traceback (most recent call last):
        ...
        gradstep.errors.ArgumentError: Learning rate should be >= 0 but is: -1
    """
    _check_one_element(options)
    if "lr" in options and not check_number("learning rate", options["lr"]) >= 0:
        raise ArgumentError(message.format(_plain(options["lr"])))


def _check_one_element(options: Mapping[str, Any]) -> None:
    lr = options.get("lr")
    if isinstance(lr, Tensor) and lr._array.size != 1:
        raise ArgumentError(
            f"Tensor lr must be 1-element, but it has shape {tuple(lr._array.shape)}",
            "pass a number",
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


def check_adam_options(options: Mapping[str, Any], **labels: str) -> None:
    """Check the options that Adam shares with its relatives, and those named in `labels`."""
    check_not_negative(
        options,
        lr="learning rate",
        eps="epsilon value",
        weight_decay="weight_decay value",
        **labels,
    )
    check_betas(options)


def check_flags(options: Mapping[str, Any]) -> None:
    """Check that the requested implementations are compatible, as torch's Adam does.

    They have no effect here, but a script that fails in torch should fail here, too.

    Raises:
        TensorError: `fused` is combined with `foreach` or `differentiable`.
        ArgumentError: Learning rate or betas are tensors, which `foreach` does not accept.
    """
    if options.get("fused") and options.get("differentiable"):
        raise TensorError("`fused` does not support `differentiable`", "set only one of them")
    if options.get("fused") and options.get("foreach"):
        raise TensorError("`fused` and `foreach` cannot be `True` together", "set only one of them")
    betas = options["betas"] if isinstance(options.get("betas"), tuple | list) else ()
    if len({isinstance(beta, Tensor) for beta in betas}) > 1:
        raise ArgumentError("betas must be either both floats or both Tensors")
    if options.get("foreach") and not options.get("capturable"):
        named = {"lr": options.get("lr"), **{f"betas[{i}]": b for i, b in enumerate(betas)}}
        for name, value in named.items():
            if isinstance(value, Tensor):
                raise ArgumentError(
                    f"{name} as a Tensor is not supported for capturable=False and foreach=True",
                    "pass a number",
                )


def without_tensors(numbers: Any) -> Any:  # noqa: ANN401 - whatever the user passed
    """Return a tuple with its one-element tensors as numbers, and anything else unchanged."""
    if not isinstance(numbers, tuple | list) or not any(isinstance(n, Tensor) for n in numbers):
        return numbers
    for index, number in enumerate(numbers):
        if isinstance(number, Tensor) and number._array.size != 1:
            raise ArgumentError(f"Tensor betas[{index}] must be 1-element", "pass a number")
    return tuple(_plain(number) for number in numbers)


def _plain(value: Any) -> Any:  # noqa: ANN401 - a number of any type
    return value.item() if isinstance(value, Tensor) else value
