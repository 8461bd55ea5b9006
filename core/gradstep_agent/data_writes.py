"""Whether a script writes tensors in ways of which torch keeps no count.

`p.data.clamp_(-c, c)`, `p.data = average` and `dist.all_reduce(p.grad)` change a tensor without a
trace, so what an optimizer holds has to be compared by value as well. That takes time, and few
scripts write so.
"""

from __future__ import annotations

import linecache
import re
import sys
from types import ModuleType
from typing import Any

from gradstep_agent.user_code import is_user_file

_WRITES = re.compile(
    r"(?<!self)\.data\b(?:"
    r"\.\w+_\("  # p.data.add_(...)
    r"|(?:\[[^\]\n]*\])?\s*(?:[-+*/@]|//|\*\*)?=(?!=)"  # p.data[0] *= ..., p.data = ...
    r")"
    r"|=[\w.\[\] ]+\.data\s*(?:$|#|;)"  # values = p.data, by which it is written later
    r"|\bvector_to_parameters\b"
    r"|\b(?:all_reduce|broadcast)\(",  # of torch.distributed, which writes to what it is given
    re.MULTILINE,
)


_modules: Any = ModuleType
_namespace = _modules.__dict__["__dict__"].__get__  # without code of a lazy module's own


class DataWrites:
    """Looks for them in the user's own files, each of which is read once."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._extent = (0, 0)
        self._found = False

    def look(self) -> bool:
        """Return whether any file of the user's that is loaded by now writes so."""
        extent = (len(sys.modules), len(linecache.cache))
        if not self._found and extent != self._extent:
            self._extent = extent
            for file in _files() - self._seen:
                self._seen.add(file)
                if is_user_file(file) and _WRITES.search("".join(linecache.getlines(file))):
                    self._found = True
        return self._found


def _files() -> set[str]:
    """Return the files of all modules, and of the cells of a notebook."""
    modules = [one for one in list(sys.modules.values()) if isinstance(one, ModuleType)]
    files = [_namespace(module).get("__file__") for module in modules]
    return {file for file in (*files, *linecache.cache) if type(file) is str}
