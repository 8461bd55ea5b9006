"""Which modules of a script are applied to what others give, as the graph of a loss shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.script.tape import GraphNodes

__all__ = ["applied_modules"]

_LAYERS = ("Addbmm", "Addmm", "Addmv", "Baddbmm", "Bmm", "Convolution", "Dot", "Mm", "Mv", "Native")
"""How nodes begin that apply a parameter to data; "Native" is a normalization."""

_NOTHING: frozenset[str] = frozenset()


def applied_modules(nodes: GraphNodes, modules: Sequence[str]) -> list[tuple[str, str]]:
    """Return the modules of which a parameter meets what another module has computed.

    So does the first layer of a head on an encoder, and the parameter of a criterion. A teacher
    does not: its parameters meet data, and only its output meets that of the student.

    Args:
        nodes: The graph of a loss; each node points to later ones only.
        modules: The outermost modules.

    Returns:
        Such a module, and the one whose output it takes, in order.

    Example:
        >>> nodes = (("MulBackward0", (1, 2), ""), ("MmBackward0", (3,), ""), ("", (), "head.w"))
        >>> applied_modules((*nodes, ("", (), "net.w")), ["net", "head"])
        [('head', 'net')]
    """
    prefixes = [(f"{module}.", module) for module in modules]
    owners: list[frozenset[str]] = [_NOTHING] * len(nodes)  # of all parameters below a node
    is_bare = [False] * len(nodes)  # whether it is computed from parameters alone
    found: set[tuple[str, str]] = set()
    for number in reversed(range(len(nodes))):
        name, below, leaf = nodes[number]
        if leaf:
            owner = next((module for prefix, module in prefixes if leaf.startswith(prefix)), "")
            owners[number], is_bare[number] = frozenset((owner,) if owner else ()), bool(owner)
            continue
        owners[number] = below_owners = _NOTHING.union(*(owners[to] for to in below))
        is_bare[number] = len(below_owners) == 1 and all(is_bare[to] for to in below)
        is_bare[number] &= not name.startswith(_LAYERS)
        if len(below_owners) > 1:
            bare = {owner for to in below if is_bare[to] for owner in owners[to]}
            computed = _NOTHING.union(*(owners[to] for to in below if not is_bare[to]))
            found.update((owner, other) for owner in bare for other in computed - {owner})
    return sorted(found)
