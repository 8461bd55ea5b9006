"""Calls a function right after the script has imported a module, without importing it ourselves."""

from __future__ import annotations

import contextlib
import importlib.abc
import importlib.util
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType


def when_imported(name: str, call: Callable[[ModuleType], None]) -> None:
    """Call a function with a module once it is imported; at once if it has been.

    Args:
        name: The module.
        call: The function.
    """
    present = sys.modules.get(name)
    if present is not None:
        call(present)
    else:
        sys.meta_path.insert(0, _Finder(name, call))


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, name: str, call: Callable[[ModuleType], None]) -> None:
        self._name = name
        self._call = call
        self._is_asking = False  # the other finders

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - importlib's interface
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """Find the module as the other finders do; have its loader call back."""
        if fullname != self._name or self._is_asking:
            return None
        self._is_asking = True
        try:
            found = importlib.util.find_spec(fullname)
        finally:
            self._is_asking = False
        if found is not None and found.loader is not None:
            found.loader = _Loader(found.loader, self._end)
        return found  # some only want to know whether it is there, and import it later

    def _end(self, module: ModuleType) -> None:
        with contextlib.suppress(ValueError):  # it has been imported twice
            sys.meta_path.remove(self)
            self._call(module)


class _Loader(importlib.abc.Loader):
    def __init__(self, loader: Any, call: Callable[[ModuleType], None]) -> None:
        self._loader = loader
        self._call = call

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Create the module as its own loader does."""
        made: ModuleType | None = self._loader.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        """Run the module with its own loader, and call back."""
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._call(module)
