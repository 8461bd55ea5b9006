"""Modules and parameters that a script tried to freeze by an attribute that they do not have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradstep_agent.object_parts import dictionary_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gradstep_agent.registry import Registry

_WANTED = "requires_grad"
_MISSPELLED = ("require_grad", "required_grad", "require_grads", "requires_grads", "requires_grad_")
"""What has been written for it. `parameter.requires_grad_ = False` replaces a method."""


class VainFreezes:
    """Finds, each once, what was set to False and still requires gradients."""

    def __init__(self) -> None:
        self._told: set[tuple[str, str]] = set()

    def look(self, registry: Registry) -> list[tuple[str, str]]:
        """Return the names of modules and parameters, each with the attribute that was set."""
        found = []
        for name, module in registry.modules():
            for item in _vain_freezes(name, module):
                if item not in self._told:
                    self._told.add(item)
                    found.append(item)
        return found


def _vain_freezes(name: str, root: Any) -> Iterator[tuple[str, str]]:
    for path, module in root.named_modules():
        is_set = dictionary_of(module).get(_WANTED) is False and not _sets_it_itself(type(module))
        if is_set and any(parameter.requires_grad for parameter in module.parameters()):
            yield f"{name}.{path}".rstrip("."), _WANTED
    misspelled: dict[str, str] = {}  # the first parameter of each spelling
    for path, parameter in root.named_parameters():
        for attribute, value in dictionary_of(parameter).items():
            if value is False and attribute in _MISSPELLED and parameter.requires_grad:
                misspelled.setdefault(attribute, f"{name}.{path}")
    for attribute, parameter in misspelled.items():
        yield parameter, attribute


def _sets_it_itself(kind: type) -> bool:
    """Return whether a class has such an attribute of its own, whatever it means there."""
    codes = (getattr(vars(base).get("__init__"), "__code__", None) for base in kind.__mro__)
    return any(code is not None and _WANTED in code.co_names for code in codes)
