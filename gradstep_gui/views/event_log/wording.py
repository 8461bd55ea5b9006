"""What an Event read and wrote, in a few words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from gradstep_gui.widgets.number_format import count_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

__all__ = ["addresses_text"]

_TENSOR, _GRAD, _SETTING = "tensor", "grad", "hyper-parameter"


def addresses_text(addresses: Iterable[str], tensors: Collection[str]) -> str:
    """Write addresses by their kinds: one of a kind by its name, several by their count.

    Hyper-parameters come last, as they are what nobody looks for first.

    Args:
        addresses: As an Event has them.
        tensors: The names of the program's tensors.

    Returns:
        The text; empty when there are no addresses.

    Example:
        >>> addresses_text(["w.grad", "b.grad", "loss", "optimizer/w/exp_avg"], {"w", "b"})
        '2 grads, loss, optimizer/w/exp_avg'
    """
    groups: dict[str, list[str]] = {}
    for address in addresses:
        groups.setdefault(_kind(address, tensors), []).append(address)
    if _SETTING in groups:
        groups[_SETTING] = groups.pop(_SETTING)
    return ", ".join(
        members[0] if len(members) == 1 else _several(kind, len(members))
        for kind, members in groups.items()
    )


def _kind(address: str, tensors: Collection[str]) -> str:
    if address in tensors:
        return _TENSOR
    if address.endswith(".grad"):
        return _GRAD
    _, slash, rest = address.partition("/")
    if slash and "/" in rest:
        return rest.rpartition("/")[2]
    return _SETTING if slash else address


def _several(kind: str, count: int) -> str:
    translate = QCoreApplication.translate
    number = count_text(count)
    if kind == _TENSOR:
        return translate("EventLog", "{0} tensors").format(number)
    if kind == _GRAD:
        return translate("EventLog", "{0} grads").format(number)
    if kind == _SETTING:
        return translate("EventLog", "{0} hyper-parameters").format(number)
    return f"{number} {kind}"
