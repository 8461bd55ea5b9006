"""Find the files that ship with GradStep, in a checkout or in an installed wheel."""

from __future__ import annotations

from pathlib import Path

from gradstep.errors import GradStepError

__all__ = ["resource"]

_PACKAGE = Path(__file__).resolve().parents[1]
_ROOTS = (
    _PACKAGE.parent / "gradstep_gui" / "resources",  # in a wheel
    _PACKAGE.parents[1] / "resources",  # in a checkout
)


def resource(name: str) -> Path:
    """Return the path of a bundled file or folder.

    Args:
        name: Its path below `resources`, such as "data/iris.csv".

    Raises:
        GradStepError: If it does not exist.

    Example:
        >>> resource("data/iris.csv").name
        'iris.csv'
    """
    for root in _ROOTS:
        if (root / name).exists():
            return root / name
    raise GradStepError(f"the bundled file {name} is missing", "install GradStep again")
