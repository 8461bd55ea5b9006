"""What the public modules say of names that they do not have."""

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
    """Return a module's `__getattr__`: it refuses a name, and tells the nearest that are there.

    Args:
        module: The module's name.

    Example:
        >>> import gradstep_torch as torch
        >>> try:
        ...     torch.nn.Conv4d
        ... except AttributeError as error:
        ...     print(error)
        module 'gradstep_torch.nn' has no attribute 'Conv4d'; GradStep has a part of torch's names
        only, near it Conv3d, Conv2d, Conv1d
    """

    def refuse(name: str) -> NoReturn:
        remedy = "GradStep has a part of torch's names only"
        if not name.startswith("__"):  # Python itself looks for those
            near = difflib.get_close_matches(name, sys.modules[module].__all__, cutoff=0.78)
            remedy += f", near it {', '.join(near)}" if near else ""
        raise MissingNameError(f"module '{module}' has no attribute '{name}'", remedy)

    return refuse
