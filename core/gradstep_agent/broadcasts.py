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
_COMPLEMENTS = frozenset(("RsubBackward1", "RsubBackward0", "NegBackward0"))
"""Nodes of what is left to a probability, 1 - p, or to a logit, -z."""
_REDUCTIONS = frozenset(("NegBackward0", "MeanBackward0", "SumBackward0"))
_DEPTH_OF_CRITERION = 4
"""Nodes from the loss to its criterion, such as a division for accumulation."""
_NODES_OF_A_LOSS = 32
"""Nodes among which a likelihood by hand is looked for."""
_DEPTH_OF_OUTPUT = 6
"""Nodes from where an output is used to the output, as of log(1 - sigmoid(output) + 1e-8)."""
_COMPARED = 32
"""Rows and columns of a difference that are looked at."""


def broadcast_of(tensor: Any) -> str:
    """Return how a loss has expanded an output, as "from [8, 1] to [8, 8]"; "" if it has not."""
    try:
        return _of_comparison(tensor.grad_fn) or _of_likelihood(tensor.grad_fn)
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


def _of_likelihood(root: Any) -> str:
    """Return how labels have expanded probabilities, in a cross-entropy that is written by hand.

    That is y * log(p) + (1 - y) * log(1 - p), or where(y == 1, p, 1 - p).
    """
    seen = [] if root is None else [root]
    for node in seen:
        name = node.name()
        if name == "WhereBackward0":
            found = _of_choice(node)
        else:
            found = _of_weighted_pair(node) if name in ("AddBackward0", _DIFFERENCE) else ""
        if found:
            return found
        for following, _ in node.next_functions:
            if following is None or following in seen or len(seen) >= _NODES_OF_A_LOSS:
                continue
            shape = _shape(following)
            if not shape or (len(shape) == 2 and shape[0] == shape[1] > 1):  # noqa: PLR2004
                seen.append(following)
    return ""


def _of_choice(node: Any) -> str:
    """Return how the labels of where(y == 1, p, 1 - p) have expanded p."""
    sources = [one for one, _ in node.next_functions]
    if len(sources) != 2 or None in sources:  # noqa: PLR2004 - as for two numbers
        return ""
    found = _expansion(node)
    is_vector = found and node._saved_condition.numel() == _shape(node)[0]
    return found if is_vector and _are_complements(*sources) else ""


def _of_weighted_pair(node: Any) -> str:
    """Return how the labels of y * log(p) + (1 - y) * log(1 - p) have expanded p."""
    terms = []
    for following, _ in node.next_functions:
        term = following
        while term is not None and term.name() in _REDUCTIONS:
            term = term.next_functions[0][0]
        if term is None or term.name() != "MulBackward0":
            return ""
        terms.append(term)
    expanded, labels, sources = [], [], []
    for term in terms:
        operands = [place for place, (one, _) in enumerate(term.next_functions) if one is not None]
        found = _expansion(term, operands[0]) if len(operands) == 1 else ""
        if not found:
            return ""
        expanded.append(found)
        labels.append(term._saved_self if operands[0] else term._saved_other)
        sources.append(term.next_functions[operands[0]][0])
    if len(terms) != 2 or expanded[0] != expanded[1]:  # noqa: PLR2004
        return ""
    size = _shape(terms[0])[0]
    if any(one is None or one.numel() != size for one in labels):
        return ""
    if not _are_complements(*sources):
        return ""
    total = labels[0].detach().reshape(-1).abs() + labels[1].detach().reshape(-1).abs()
    return expanded[0] if bool(((total - 1).abs() < 0.01).all()) else ""  # noqa: PLR2004


def _are_complements(one: Any, other: Any) -> bool:
    """Return whether two values come from p and from 1 - p, which nobody has shaped for that."""
    if _is_reshaped(one) or _is_reshaped(other):
        return False
    chains = [list(_chain(one)), list(_chain(other))]
    return any(
        node.name() in _COMPLEMENTS and node.next_functions[0][0] in chains[1 - number]
        for number, chain in enumerate(chains)
        for node in chain
    )


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
