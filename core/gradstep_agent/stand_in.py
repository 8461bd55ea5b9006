"""Without PyTorch: a script's `torch` is gradstep_torch, and the agent sees it as it sees torch."""

from __future__ import annotations

import dis
import importlib
import importlib.abc
import importlib.util
import sys
from importlib.machinery import ModuleSpec, PathFinder
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType

NAME = "gradstep_torch"
_PACKAGES = ("gradstep", NAME)
_NEEDED = ("numpy", "msgspec")
_IMPORT_FROM = dis.opmap["IMPORT_FROM"]


def use_instead_of_torch(folder: str) -> None:
    """Let `import torch` import gradstep_torch, for the whole process.

    Args:
        folder: Where gradstep and gradstep_torch are; it is not put on `sys.path`.
    """
    sys.meta_path.insert(0, _Finder(folder))


class StandIn:
    """gradstep_torch with what the agent looks up in torch, and scripts do not.

    Args:
        module: gradstep_torch.

    Attributes:
        homes_of_backward: Where the function and the method stand that begin a Backward: the
            method does not call the function here.
    """

    compiler = SimpleNamespace(is_compiling=lambda: False)
    jit = SimpleNamespace(is_tracing=lambda: False)
    _C = SimpleNamespace()

    def __init__(self, module: Any) -> None:
        self._module = module
        self.homes_of_backward = (module.autograd, module.Tensor)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)

    @staticmethod
    def readable(tensor: Any) -> Any:
        """Return a tensor's elements one after the other in memory."""
        return tensor.detach().contiguous()

    @staticmethod
    def has_elements(tensor: Any) -> bool:
        """Return whether a tensor has elements: that of a lazy module has none before its call."""
        return not type(tensor).__name__.startswith("Uninitialized")

    @staticmethod
    def _foreach_norm(tensors: Sequence[Any]) -> list[Any]:
        return [tensor.norm() for tensor in tensors]

    @staticmethod
    def _foreach_sub(tensors: Sequence[Any], others: Sequence[Any]) -> list[Any]:
        return [tensor - other for tensor, other in zip(tensors, others)]  # noqa: B905 - Python 3.9

    @staticmethod
    def _foreach_copy_(tensors: Sequence[Any], others: Sequence[Any]) -> None:
        for tensor, other in zip(tensors, others):  # noqa: B905 - likewise
            tensor.copy_(other)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds gradstep_torch and its modules under the names of torch's."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._specs: dict[str, Any] = {}

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - importlib's interface
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """Find a module of torch, or one of the two packages.

        Raises:
            ModuleNotFoundError: The stand-in does not have it, or cannot run here.
        """
        if fullname in _PACKAGES:
            return PathFinder.find_spec(fullname, [self._folder])
        first, _, rest = fullname.partition(".")
        if first != "torch":
            return None
        absent = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
        if absent:
            text = f"the stand-in for PyTorch needs {' and '.join(absent)} in {sys.executable}"
            raise ModuleNotFoundError(text, name=absent[0])
        own = f"{NAME}.{rest}" if rest else NAME
        if importlib.util.find_spec(own) is None:
            text = f"No module named {fullname!r}: the stand-in for PyTorch lacks it"
            raise ModuleNotFoundError(text, name=fullname)
        return ModuleSpec(fullname, self, origin=own)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module of gradstep_torch, which names what it lacks as torch does."""
        module = importlib.import_module(str(spec.origin))
        self._specs[spec.name] = module.__spec__
        module.__dict__["__getattr__"] = _missing(spec.name, vars(module).get("__getattr__"))
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module, which has run, its own specification back."""
        spec = self._specs.pop(str(module.__spec__ and module.__spec__.name))
        module.__spec__, module.__loader__ = spec, spec.loader


def _missing(alias: str, find: Callable[[str], Any] | None) -> Callable[[str], Any]:
    """Return a `__getattr__` for a module whose error says that the stand-in lacks a name.

    Args:
        alias: The name of torch's module.
        find: The `__getattr__` that the module has.
    """

    def raise_missing(name: str) -> Any:
        remedy = ""
        try:
            if find is not None:
                return find(name)
        except AttributeError as error:
            remedy = str(error).rpartition("; ")[2]
        text = f"module {alias!r} has no attribute {name!r}: the stand-in for PyTorch lacks it"
        if remedy.startswith("did you mean"):
            text += f"; {remedy}"
        frame = sys._getframe(1)
        if frame.f_code.co_code[frame.f_lasti] == _IMPORT_FROM:  # else Python says less
            raise ImportError(text, name=alias)
        raise AttributeError(text)

    return raise_missing
