"""The node of a graph in which a NaN or an infinity begins, by the values that nodes have saved.

A Backward frees what its graph has saved, so the values that would explain a gradient that is not
finite are kept until it has ended: only those of the few kinds of nodes that can make one. Where
the loss is not finite itself, there is no later moment to save time for: more kinds are looked at.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from gradstep_agent.graphs import nodes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gradstep_agent.agent import Agent
    from gradstep_agent.operation import Operation


class _Suspect(NamedTuple):
    """A kind of node: what it has saved, what is wrong with that, and in words."""

    saved: str
    is_wrong: Callable[[Any], Any]
    words: str


_SUSPECTS = {
    "SqrtBackward0": _Suspect("_saved_result", lambda x: x == 0, "a square root of 0"),
    "RsqrtBackward0": _Suspect("_saved_result", lambda x: x.isinf(), "rsqrt of 0"),
    "ReciprocalBackward0": _Suspect("_saved_result", lambda x: x.isinf(), "a division by 0"),
    "DivBackward0": _Suspect("_saved_other", lambda x: x == 0, "a division by 0"),
    "LogBackward0": _Suspect("_saved_self", lambda x: x <= 0, "a logarithm of 0 or less"),
    "Log2Backward0": _Suspect("_saved_self", lambda x: x <= 0, "a logarithm of 0 or less"),
    "Log10Backward0": _Suspect("_saved_self", lambda x: x <= 0, "a logarithm of 0 or less"),
    "Log1PBackward0": _Suspect("_saved_self", lambda x: x <= -1, "a logarithm of 0 or less"),
    "ExpBackward0": _Suspect("_saved_result", lambda x: x.isinf(), "exp of too large a number"),
    "StdBackward0": _Suspect("_saved_result", lambda x: x == 0, "a standard deviation of 0"),
    "AcosBackward0": _Suspect("_saved_self", lambda x: x.abs() >= 1, "acos at 1 or -1"),
    "AsinBackward0": _Suspect("_saved_self", lambda x: x.abs() >= 1, "asin at 1 or -1"),
    "AtanhBackward0": _Suspect("_saved_self", lambda x: x.abs() >= 1, "atanh at 1 or -1"),
}

_INPUT = "NaN or infinity in its input"

_OF_LOSSES = {
    **_SUSPECTS,
    "AddmmBackward0": _Suspect("_saved_mat1", lambda x: ~x.isfinite(), _INPUT),
    "MmBackward0": _Suspect("_saved_self", lambda x: ~x.isfinite(), _INPUT),
    "ConvolutionBackward0": _Suspect("_saved_input", lambda x: ~x.isfinite(), _INPUT),
    "NativeBatchNormBackward0": _Suspect("_saved_input", lambda x: ~x.isfinite(), _INPUT),
    "SoftmaxBackward0": _Suspect("_saved_result", lambda x: x.isnan(), "a softmax that is NaN"),
    "SqrtBackward0": _Suspect("_saved_result", lambda x: x.isnan(), "a square root that is NaN"),
    "MseLossBackward0": _Suspect(
        "_saved_target", lambda x: ~x.isfinite(), "NaN or infinity in its target"
    ),
    "NllLossBackward0": _Suspect("_saved_total_weight", lambda x: x == 0, "a mean of nothing"),
}
"""What can make a loss NaN or infinite."""

_MEANS = {
    "MeanBackward0": "_saved_self_sym_numel",
    "MeanBackward1": "_saved_self_sym_numel",
    "MseLossBackward0": "_saved_self",
}
"""Nodes that are NaN if they have no elements, and what they have saved of that."""

Kept = list[tuple[str, Any]]
"""Names of nodes, and what they have saved, from the loss on."""


class Origins:
    """Explains the first loss or gradient that is not finite.

    Args:
        agent: Sends it.
        torch: The script's own torch.
    """

    def __init__(self, agent: Agent, torch: Any) -> None:
        self._agent = agent
        self._torch = torch
        self._is_over = False
        graph = getattr(torch.autograd, "graph", None)
        hooks = getattr(graph, "saved_tensors_hooks", None)
        if hooks is None:
            self._is_over = True
        else:
            self._look_at_hooks(hooks)

    def _look_at_hooks(self, hooks: Any) -> None:
        """Rest once a script unpacks saved values itself, as checkpointing does: that is work."""
        enter = hooks.__enter__

        def enter_hooks(context: Any) -> Any:
            self._is_over = True
            return enter(context)

        hooks.__enter__ = enter_hooks

    def before(self, operation: Operation, loss: Any, *, is_looked_at: bool) -> None:
        """Explain a loss that is not finite; keep what may explain a gradient that will not be.

        Args:
            operation: A Backward.
            loss: What it differentiates.
            is_looked_at: Whether its graph may be another one than before.
        """
        site = operation.site
        if self._is_over or not getattr(loss, "is_cpu", True):  # a device would be waited for
            site.may_divide_by_zero = False
            return
        is_broken = loss.numel() == 1 and not math.isfinite(operation.loss)
        if is_broken and not bool(loss.isfinite().all()):
            self._tell(operation.target, self._of_loss(loss))
            self._is_over = True
            return
        if is_looked_at and not site.may_divide_by_zero:
            site.may_divide_by_zero = any(node.name() in _SUSPECTS for node in nodes_of(loss))
        if site.may_divide_by_zero:
            operation.kept = self._saved(loss)

    def after(self, operation: Operation) -> None:
        """Explain a gradient that is not finite, after a Backward."""
        kept, operation.kept = operation.kept, None
        found = "" if self._is_over or not kept else self._found(kept)
        if not found:
            return
        for tracked, tensor in self._agent.registry.tensors():
            gradient = tensor.grad if tracked.is_leaf else None
            if gradient is not None and not bool(gradient.isfinite().all()):
                self._tell(operation.target, found)
                self._is_over = True
                return

    def _of_loss(self, loss: Any) -> str:
        """Return where a loss that is not finite begins to be so: the deepest node of all."""
        for node in reversed(list(nodes_of(loss))):
            name = node.name()
            suspect = _OF_LOSSES.get(name)
            if name in _MEANS:
                size = _saved_by(node, _MEANS[name])
                if (size.numel() if isinstance(size, self._torch.Tensor) else size) == 0:
                    return f"node {name}: a mean of nothing"
            saved = None if suspect is None else _saved_by(node, suspect.saved)
            if suspect is None or not isinstance(saved, self._torch.Tensor):
                continue
            with self._torch.no_grad():
                if bool(suspect.is_wrong(saved).any()):
                    owner = self._module_of(node) if suspect.words == _INPUT else ""
                    return f"node {name}{owner}: {suspect.words}"
        return ""

    def _module_of(self, node: Any) -> str:
        """Return the module whose parameter a node uses, as " of model.0"; "" for none."""
        below = [one for one, _ in node.next_functions if one is not None]
        below += [one for node in below for one, _ in node.next_functions if one is not None]
        for one in below:
            known = self._agent.registry.find(getattr(one, "variable", None))
            if known is not None:
                return f" of {known.name.rpartition('.')[0] or known.name}"
        return ""

    def _saved(self, loss: Any) -> Kept:
        """Return what the nodes of these kinds have saved."""
        found = []
        for node in nodes_of(loss):
            suspect = _SUSPECTS.get(node.name())
            saved = None if suspect is None else _saved_by(node, suspect.saved)
            if isinstance(saved, self._torch.Tensor):
                found.append((node.name(), saved))
        return found

    def _found(self, kept: Iterable[tuple[str, Any]]) -> str:
        with self._torch.no_grad():
            for name, saved in kept:
                suspect = _SUSPECTS[name]
                if bool(suspect.is_wrong(saved).any()):
                    return f"node {name}: {suspect.words}"
        return ""

    def _tell(self, loss: str, origin: str) -> None:
        if origin:
            header = {"type": "noticed", "what": "origin", "name": loss, "target": origin}
            self._agent.send(header)


def _saved_by(node: Any, name: str) -> Any:
    """Return what a node has saved; None if it was freed, or changed in place."""
    try:
        return getattr(node, name, None)
    except RuntimeError:
        return None
