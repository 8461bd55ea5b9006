"""The names of tensors, modules and optimizers: their steps, and how expressions quote them."""

from __future__ import annotations

import re

__all__ = ["quoted", "steps_of", "unnumbered"]

_STEP = re.compile(r"""(?:\[(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\]|[^.])+""")

_NUMBER = re.compile(r" \(\d+\)")


def steps_of(name: str) -> list[str]:
    """Return the steps of a name, which dots separate; those in the key of a dictionary do not.

    Example:
        >>> steps_of('nets["layer1.conv"].0.weight'), steps_of("models[0].weight")
        (['nets["layer1.conv"]', '0', 'weight'], ['models[0]', 'weight'])
    """
    return _STEP.findall(name)


def unnumbered(name: str) -> str:
    """Return a name as the script has it, without the number that tells it from an earlier one.

    Example:
        >>> unnumbered("model (2).weight"), unnumbered("optimizer")
        ('model.weight', 'optimizer')
    """
    return _NUMBER.sub("", name)


def quoted(name: str) -> str:
    """Return a name as an expression takes it.

    Example:
        >>> print(quoted("models[0].weight"), quoted('nets["gen"].weight'))
        "models[0].weight" 'nets["gen"].weight'
    """
    return repr(name) if '"' in name or "\\" in name else f'"{name}"'
