"""Walks through the inside of a script's Operations, by what the script has sent of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradstep.autograd.graph import AccumulateGrad, Node
from gradstep.autograd.graph import walk as walk_graph
from gradstep.autograd.tensor import wrap
from gradstep.formula import Formula
from gradstep.program.micro_step import MicroStep, array_copies

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from gradstep.autograd.graph import Edge
    from gradstep.autograd.tensor import Tensor
    from gradstep.program.micro_step import Walk
    from gradstep.script.inside import Inside, Part
    from gradstep.script.tape import TrackedModule

__all__ = ["BackwardWalk", "walk_modules"]

_FIRST = Formula("added", makes="after")
_ADDED = Formula("before + added", makes="after")


class BackwardWalk:
    """The nodes of a Backward, with the gradients that the script's own engine sent.

    Args:
        loss: The name of the loss.
        edges: The nodes of its graph, in the order of the tape.
        tensors: The mirrored tensors.
    """

    def __init__(self, loss: str, edges: Sequence[Edge], tensors: Mapping[str, Tensor]) -> None:
        self._path = (loss,)
        self._edges = edges
        root = edges[0] if edges else None
        self._numbers = {node: at for at, node in enumerate(walk_graph(_node_of(root)))}
        self._addresses = {tensor: name for name, tensor in tensors.items()}

    def step(self, inside: Inside, part: Part) -> MicroStep:
        """Return the micro-step of a node; that of a leaf writes its gradient."""
        edge = self._edges[inside.numbers[part.frame.number]]
        if edge is not None and not isinstance(edge, Node):
            return self._leaf_step(edge, part)
        going: list[tuple[str, Any]] = []
        targets: list[int] = []
        following = edge.edges if isinstance(edge, Node) else ()
        for place, to in enumerate(following):
            value = part.arrays.get(f"outgoing {place}")
            if to is not None and value is not None:
                going.append((self._label(to), value))
                targets.append(self._numbers[_node_of(to)])
        return MicroStep(
            "node",
            part.frame.name.removeprefix("torch::autograd::"),
            self._path,
            Formula(part.note),
            array_copies(_called(part, "incoming", "incoming")),
            outputs=array_copies(going),
            node=self._numbers[edge] if isinstance(edge, Node) else None,
            targets=tuple(targets),
        )

    def _leaf_step(self, leaf: Tensor, part: Part) -> MicroStep:
        address = f"{self._label(leaf)}.grad"
        before, after = leaf._grad, part.arrays.get("after")
        if after is not None:
            leaf._grad = wrap(after.copy())
        return MicroStep(
            "accumulate",
            address,
            self._path,
            _FIRST if before is None else _ADDED,
            array_copies(
                [
                    ("before", None if before is None else before._array),
                    ("added", part.arrays.get("incoming 0")),
                ]
            ),
            array_copies([("after", after)]),
            self._numbers.get(_node_of(leaf)),
            none=(("before",) if before is None else (), ()),
            writes=(address,),
        )

    def _label(self, edge: Edge) -> str:
        if isinstance(edge, Node):
            return f"{edge.name()} #{self._numbers[edge]}"
        return "" if edge is None else self._addresses[edge]


def walk_modules(name: str, modules: Mapping[str, TrackedModule], parts: Iterator[Part]) -> Walk:
    """Yield the modules inside the call of a module.

    One that has others inside is shown before them with what it is given, and after them with what
    it returns; another is one micro-step.

    Args:
        name: What is called: a module, or a loss.
        modules: What is known of the script's modules.
        parts: The beginnings and ends of the calls.
    """
    described = {
        f"{module.name}.{path}": (kind, detail)
        for module in modules.values()
        for path, kind, detail, _ in module.tree
        if path
    }
    has_more = {path.rpartition(".")[0] for path in described}
    path: tuple[str, ...] = (name,)
    for part in parts:
        frame = part.frame
        path = path[: frame.depth]
        if frame.when == "after":
            yield _module_step((part,), path, described)
        elif frame.name in has_more:
            yield _module_step((part,), path, described)
            path = (*path, frame.name)
        else:
            end = next(parts, None)
            yield _module_step((part,) if end is None else (part, end), path, described)


def _module_step(
    parts: Sequence[Part], path: tuple[str, ...], described: Mapping[str, tuple[str, str]]
) -> MicroStep:
    """Return the micro-step of a module from its beginning, its end, or both."""
    name = parts[0].frame.name
    kind, detail = described.get(name, (name, ""))
    notes = dict.fromkeys(part.note for part in parts if part.note)
    formula = Formula("; ".join((f"{kind}({detail})", *notes)))
    given = [pair for part in parts for pair in _called(part, "incoming", "input")]
    made = [pair for part in parts for pair in _called(part, "outgoing", "output")]
    return MicroStep("module", name, path, formula, array_copies(given), array_copies(made))


def _called(part: Part, label: str, name: str) -> list[tuple[str, NDArray[Any]]]:
    """Return the arrays of a part whose names begin with a label, under another name."""
    return [(name, array) for key, array in part.arrays.items() if key.startswith(label)]


def _node_of(edge: Edge) -> Any:  # noqa: ANN401 - a node or none
    return edge if edge is None or isinstance(edge, Node) else AccumulateGrad(edge)
