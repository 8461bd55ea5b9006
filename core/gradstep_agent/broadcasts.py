"""How a loss has expanded its outputs to match targets of another shape, by its graph.

Only a column or a row that became a square is looked for: a target of the other shape did that, as
(N) does to (N, 1), and every output is compared with every target. A square can also be meant, so
each rule needs something that tells that it was not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_CRITERIA = frozenset(("MseLossBackward0", "SmoothL1LossBackward0", "HuberLossBackward0"))
_DIFFERENCE = "SubBackward0"
_EXPANSION = "ExpandBackward0"
_MADE_TO_BROADCAST = frozenset(("UnsqueezeBackward0", "ViewBackward0", "ReshapeAliasBackward0"))
"""Nodes after which a shape is what the user has asked for."""
_DEPTH_OF_CRITERION = 4
"""Nodes from the loss to its criterion, such as a division for accumulation."""
_DEPTH_OF_OUTPUT = 6
"""Nodes from where an output is used to the output, as of log(1 - sigmoid(output) + 1e-8)."""
_COMPARED = 32
"""Rows and columns of a difference that are looked at."""


def broadcast_of(tensor: Any) -> str:
    """Return how a loss has expanded an output, as "from [8, 1] to [8, 8]"; "" if it has not."""
    try:
        return _of_comparison(tensor.grad_fn)
    except (AttributeError, IndexError, RuntimeError):
        return ""  # another version of torch, or a saved value that was freed or written in place


def _of_comparison(node: Any) -> str:
    """Return what a criterion, or a difference by hand, has expanded."""
    above = None
    for _ in range(_DEPTH_OF_CRITERION):
        if node is None or not node.next_functions:
            return ""
        if node.name() == _DIFFERENCE:
            return _of_difference(node, above)
        if node.name() in _CRITERIA:
            return _of_criterion(node)
        above, node = node, node.next_functions[0][0]
    return ""


def _of_criterion(node: Any) -> str:
    """Return how a criterion has expanded its input; "" if its target was a square already."""
    following = _before_cast(node.next_functions[0][0])
    if following is None or following.name() != _EXPANSION:
        return ""
    found = _expansion(following)
    target = getattr(node, "_saved_target", None) if found else None
    return found if target is None or 0 in target.stride() else ""


def _of_difference(node: Any, above: Any) -> str:
    """Return how a target, or what else has no gradient, has expanded what it differs from.

    Args:
        node: The node of the difference.
        above: The one that uses it, which may have saved its value.
    """
    operands = [number for number, (one, _) in enumerate(node.next_functions) if one is not None]
    if len(operands) != 1:
        return ""  # of all pairs, as in a ranking loss
    following = _before_cast(node.next_functions[operands[0]][0])
    is_expanded = following.name() == _EXPANSION
    if is_expanded:  # l1_loss() leaves the nodes of a difference by hand
        is_l1 = operands == [0] and above is not None and above.name() == "AbsBackward0"
        if not is_l1 or _is_reshaped(following.next_functions[0][0]):
            return ""
        found = _expansion(following)
    elif following.name() in _MADE_TO_BROADCAST or hasattr(following, "variable"):
        return ""
    else:
        found = _expansion(node, operands[0])
    value = getattr(above, "_saved_self", None) if found else None
    is_known = value is not None or not is_expanded
    return found if is_known and (value is None or _is_of_all_pairs(value)) else ""


def _before_cast(node: Any) -> Any:
    """Return what autocast has cast to another dtype, if that is what a node has done."""
    is_cast = node is not None and node.name() == "ToCopyBackward0"
    return node.next_functions[0][0] if is_cast else node


def _is_of_all_pairs(difference: Any) -> bool:
    """Return whether element (i, j) is a[i] - b[j], and so the target no square of its own."""
    part = difference.detach()[:_COMPARED, :_COMPARED].float()
    left = (part - part[:1]) - (part[:, :1] - part[:1, :1])
    tolerance = 1e-5 if difference.element_size() > 2 else 0.05  # noqa: PLR2004 - half precision
    return bool(left.abs().max() <= tolerance * part.abs().max())


def _is_reshaped(node: Any) -> bool:
    """Return whether a value is a parameter, or has the shape that the user asked for.

    A row of N that was flattened is none that was made to broadcast.
    """
    return any(
        hasattr(one, "variable") or (one.name() in _MADE_TO_BROADCAST and len(_shape(one)) > 1)
        for one in _chain(node)
    )


def _chain(node: Any) -> Iterator[Any]:
    """Yield the nodes from a value on that have its shape, such as those of log(sigmoid(x))."""
    shape = _shape(node)
    for _ in range(_DEPTH_OF_OUTPUT):
        if node is None or _shape(node) != shape:
            return
        yield node
        node = node.next_functions[0][0] if node.next_functions else None


def _shape(node: Any) -> list[int]:
    return list(node._input_metadata[0].shape)


def _expansion(node: Any, operand: int = 0) -> str:
    source, output = node.next_functions[operand]
    before = list(source._input_metadata[output].shape)
    after = _shape(node)
    size = max(before, default=0)
    if size < 2 or after != [size, size] or sorted(before) not in ([size], [1, size]):  # noqa: PLR2004
        return ""
    return f"from {before} to {after}"
