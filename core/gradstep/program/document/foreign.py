"""Files that are opened by mistake: what they are, and what to do with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.errors import ProgramError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["refuse_foreign"]

_TABLE = "holds data, not a program or a session", "name it in a program as data of kind {}"
_SCRIPT = (
    "is Python, and GradStep runs no code of others",
    "describe its data, modules, losses and optimizers in a program document (.json)",
)
_WEIGHTS = (
    "holds the weights of a model, not a program or a session",
    "open a program (.json) or a session (.gradstep)",
)
_FOREIGN = {
    ".csv": (_TABLE[0], _TABLE[1].format("csv")),
    ".tsv": (_TABLE[0], _TABLE[1].format("csv")),
    ".npy": (_TABLE[0], _TABLE[1].format("npy")),
    ".py": _SCRIPT,
    ".ipynb": _SCRIPT,
    ".pt": _WEIGHTS,
    ".pth": _WEIGHTS,
    ".ckpt": _WEIGHTS,
    ".safetensors": _WEIGHTS,
    ".onnx": _WEIGHTS,
}


def refuse_foreign(path: Path) -> None:
    """Refuse a file whose ending says that it is something else than a program.

    Args:
        path: What somebody wants to open.

    Raises:
        ProgramError: There is such a file, and it has the ending of another kind; says of which.

    Example:
        >>> from pathlib import Path
        >>> refuse_foreign(Path("iris.json"))
    """
    foreign = _FOREIGN.get(path.suffix.lower())
    if foreign is not None and path.is_file():
        message, remedy = foreign
        raise ProgramError("", f"{path.name} {message}", remedy)
