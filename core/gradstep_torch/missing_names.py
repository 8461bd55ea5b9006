"""Errors for names that the stand-in does not have."""

from __future__ import annotations

import difflib
import sys
from typing import TYPE_CHECKING

from gradstep.errors import MissingNameError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

__all__ = ["missing_from"]


def missing_from(module: str) -> Callable[[str], NoReturn]:
    """Return a `__getattr__` for a module, whose error names the closest matches.

    Args:
        module: The module's name.

    Example:
        >>> import gradstep_torch as torch
        >>> try:
        ...     torch.nn.Conv4d
        ... except AttributeError as error:
        ...     print(error)
        module 'gradstep_torch.nn' has no attribute 'Conv4d'; GradStep has only part of torch's
        names; did you mean Conv3d, Conv2d, Conv1d?
    """

    def raise_missing(name: str) -> NoReturn:
        remedy = "GradStep has only part of torch's names"
        if not name.startswith("__"):  # Python itself looks these up
            near = difflib.get_close_matches(name, sys.modules[module].__all__, cutoff=0.78)
            remedy += f"; did you mean {', '.join(near)}?" if near else ""
        raise MissingNameError(f"module '{module}' has no attribute '{name}'", remedy)

    return raise_missing
