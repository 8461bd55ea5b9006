"""Where a line of a file is after the file was edited."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["moved_line"]


def moved_line(line: str, before: Mapping[str, str], after: Mapping[str, str]) -> str:
    r"""Return the name of a line after an edit; one that was changed itself keeps its number.

    Args:
        line: Such as "train.py:13".
        before: The texts of the files before, by name.
        after: Those after.

    Example:
        >>> before = {"train.py": "loss.backward()\noptimizer.step()"}
        >>> after = {"train.py": "optimizer.zero_grad()\nloss.backward()\noptimizer.step()"}
        >>> moved_line("train.py:2", before, after)
        'train.py:3'
    """
    file, _, number = line.rpartition(":")
    if file not in before or file not in after or not number.isdecimal():
        return line
    texts = before[file].splitlines(), after[file].splitlines()
    for block in SequenceMatcher(None, *texts, autojunk=False).get_matching_blocks():
        if block.a < int(number) <= block.a + block.size:
            return f"{file}:{int(number) - block.a + block.b}"
    return line
