"""DescribedObjects: what a script has, as its agent has described it.

Modules, tensors, optimizers and the graphs of losses. They come before the Events that use them,
and are kept with the recording; what only this branch of it knows is kept here.
"""

from __future__ import annotations

import math
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from gradstep.script.frames import arrays_of, wrong_frame
from gradstep.script.tape import TrackedModule, TrackedOptimizer

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from gradstep.script import frames
    from gradstep.script.tape import ScriptRun

__all__ = ["DescribedObjects", "are_equal", "leaves_of"]

_MAX_TENSORS = 100_000
_NOT_OPTIONS = frozenset(("initial_lr", "foreach", "fused", "capturable", "differentiable"))


class DescribedObjects:
    """Takes descriptions of objects, and says what belongs to what.

    Args:
        run: What all branches of the recording know.

    Attributes:
        run: Likewise.
        graphs: The number of the graph of each loss.
        lines: The lines that compute losses, by the loss, and file and line of its Backward.
        gradients: The addresses of the gradients that there are now.
        training: The mode of each module, and of those in it.
        changed: The options of optimizers that were changed since the last Event.
        renewed: What was written to names of tensors that belong to new ones since then.
        remade: The optimizers that were made again since then, and differ from those before.
    """

    def __init__(self, run: ScriptRun) -> None:
        self.run = run
        self.graphs: dict[str, int] = {}
        self._graphs_of: dict[tuple[str, frozenset[str]], int] = {}  # by loss and leaves
        self._graphs_at: dict[tuple[str, str, int], int] = {}  # by loss, and line of its Backward
        self._described_at: dict[str, tuple[str, int] | None] = {}  # the line of the last of them
        self._with_parameters: dict[str, tuple[int, bool]] = {}  # by how many tensors are known
        self.lines: dict[tuple[str, str, int], int] = {}
        self.gradients: set[str] = set()
        self.training: dict[str, bool] = {}
        self.changed: dict[str, Any] = {}
        self._before: dict[str, list[dict[str, Any]]] = {}
        self.renewed: dict[str, Any] = {}
        self.remade: dict[str, None] = {}
        self._met: set[str] = set()  # the tensors of this branch: others are shared with the run
        self._states: dict[str, dict[str, None]] = {}
        self._options: dict[str, list[dict[str, Any]]] = {}

    # -- descriptions --------------------------------------------------------------------------

    def take_module(self, frame: frames.Module) -> None:
        """Take a module, with what it consists of."""
        module, modules = TrackedModule(frame.name, tuple(frame.tree)), self.run.modules
        if module not in modules:  # else it is known from another branch
            modules.append(module)
        for path, _, _, training in frame.tree or [("", "", "", True)]:
            self.training.setdefault(_in_module(frame.name, path), training)

    def take_tensor(self, frame: frames.Tensor, body: bytes, events: int) -> None:
        """Take a tensor, with its values.

        Args:
            frame: What it is.
            body: Its values.
            events: How many Events there are before it.

        Raises:
            ScriptError: It cannot be true.
        """
        run = self.run
        arrays, end = arrays_of(frame.arrays, body)
        known = {frame.name, f"{frame.name}.grad"}
        if end != len(body) or frame.name not in arrays or not known.issuperset(arrays):
            raise wrong_frame(f"the tensor {frame.name}")
        self._check_form(frame.name, run.initial.get(frame.name, arrays[frame.name]), arrays)
        if len(run.initial) >= _MAX_TENSORS:
            raise wrong_frame(f"more than {_MAX_TENSORS:,} tensors")
        is_met, initial = frame.name in self._met, run.initial
        self._met.add(frame.name)
        if frame.name not in initial:
            initial.update(arrays)
            self._meet(frame.name, events)
        elif is_met or not all(are_equal(initial.get(key), arrays.get(key)) for key in known):
            # a new tensor, by the name of one that is gone, or of another one on another branch
            self.renewed.update({f"{frame.name}.grad": None, **arrays})
        if frame.buffer:
            run.buffers.add(frame.name)
        if frame.requires_grad and frame.leaf:
            run.trained.add(frame.name)
        self.gradients.update(name for name in arrays if name != frame.name)

    @staticmethod
    def _check_form(name: str, form: NDArray[Any], arrays: Mapping[str, Any]) -> None:
        """Check that a tensor and its gradient have the shape and element type that it began with.

        The agent gives a tensor that changes them another name.

        Raises:
            ScriptError: They have another one.
        """
        for value in arrays.values():
            if value is not None and (value.shape, value.dtype) != (form.shape, form.dtype):
                raise wrong_frame(f"the tensor {name} with another shape or element type")

    def _meet(self, name: str, events: int) -> None:
        """Note when a tensor or an optimizer was met: what it was before is not known."""
        if events:
            self.run.met[name] = events

    def take_optimizer(self, frame: frames.Optimizer, events: int) -> None:
        """Take an optimizer, with its options now.

        Args:
            frame: What it is.
            events: How many Events there are before it.

        Raises:
            ScriptError: It cannot be true.
        """
        run = self.run
        options = [_plain(group.options) for group in frame.groups]
        held = tuple(tuple(dict.fromkeys(group.params)) for group in frame.groups)
        names = [name for group in held for name in group]
        present = set(names)
        if len(names) != len(present):
            raise wrong_frame(f"{frame.name} holds a tensor in two groups")
        unknown = next((name for name in names if name not in run.initial), "")
        if unknown:
            raise wrong_frame(f"{frame.name} holds the unknown tensor {unknown}")
        known = run.optimizers.get(frame.name)
        before = self._options.get(frame.name)
        if known is not None:
            self._note_held(known, present, events, may_cease=before is not None)
            if before is None:  # it is known from another branch
                before = list(known.options[: len(options)])
            # it may have a new group, or other names of its tensors
            left = [[name for name in group if name not in present] for group in known.groups]
            pairs = zip_longest(left, held, fillvalue=())
            held = tuple((*old, *new) for old, new in pairs)
        if known is None or known.groups != held:
            first = options
            if known is not None:  # a group that was added has its own first options
                first = [*known.options, *options[len(known.options) :]][: len(held)]
            if known is None:
                self._meet(frame.name, events)
            run.optimizers[frame.name] = TrackedOptimizer(
                frame.name, frame.kind, frame.module, held, tuple(first)
            )
        self._note_options(frame, options, before, is_known=known is not None)

    def _note_options(
        self,
        frame: frames.Optimizer,
        options: list[dict[str, Any]],
        before: list[dict[str, Any]] | None,
        *,
        is_known: bool,
    ) -> None:
        """Note which options an optimizer has, and whether it was made again."""
        name, differs = frame.name, is_known and options != before
        if differs:
            self.changed[name] = options
            self._before.setdefault(name, before or [])
        if frame.new and is_known and (differs or self._has_state(name)):
            self.remade[name] = None
        self._options[name] = options

    def _note_held(
        self, known: TrackedOptimizer, present: Collection[str], events: int, *, may_cease: bool
    ) -> None:
        """Note which tensors an optimizer begins to hold, or ceases to, after so many Events."""
        holding = self.run.holding
        ever = {name for group in known.groups for name in group}
        if ever == present and not holding:
            return
        for name in ever.union(present):
            key = f"{known.name}/{name}"
            changes = holding.get(key, (0,) if name in ever else ())
            is_held, was_held = name in present, len(changes) % 2 == 1
            is_later = not changes or events >= changes[-1]  # else it is known from another branch
            if is_held != was_held and (is_held or may_cease) and is_later:
                holding[key] = (*changes, events)

    def _has_state(self, optimizer: str) -> bool:
        return any(key.startswith(f"{optimizer}/") for key in self._states)

    def take_remade(self, optimizer: str) -> tuple[dict[str, Any], dict[str, Any], tuple[str, ...]]:
        """Return what is other since an optimizer was made again, and forget that it was.

        Returns:
            The values of its state, which are gone; its options, if they are others; and the
            addresses of those that differ.
        """
        del self.remade[optimizer]
        values: dict[str, Any] = {}
        for key in [key for key in self._states if key.startswith(f"{optimizer}/")]:
            values.update(dict.fromkeys(self._states.pop(key)))
        waiting, before = self.changed, self._before
        self.changed = {key: waiting.pop(key) for key in (optimizer,) if key in waiting}
        changed, addresses, _ = self.take_changed()
        self.changed, self._before = waiting, before
        before.pop(optimizer, None)
        return values, changed, addresses

    def changes_options(self, frame: frames.Optimizer) -> bool:
        """Return whether an optimizer that is known, and is the same one, has other options now."""
        before = self._options.get(frame.name)
        if frame.new:
            return False
        return before is not None and before != [_plain(group.options) for group in frame.groups]

    def take_changed(self) -> tuple[dict[str, Any], tuple[str, ...], str]:
        """Return the options of optimizers that were changed, and forget that they were.

        Returns:
            All options of these optimizers; the addresses of those that differ; and from what to
            what.
        """
        changed, self.changed = self.changed, {}
        before, self._before = self._before, {}
        addresses: dict[str, None] = {}
        changes: dict[str, None] = {}
        nothing: dict[str, Any] = {}
        for name, groups in changed.items():
            for group, old in zip_longest(groups, before[name], fillvalue=nothing):
                for key, value in group.items():
                    if repr(value) == repr(old.get(key)):  # NaN is NaN
                        continue
                    addresses[f"{name}/{key}"] = None
                    if key in old:
                        changes[f"{key} {_shown(old[key])} -> {_shown(value)}"] = None
        return changed, tuple(addresses), "; ".join(changes)

    def take_graph(self, frame: frames.Graph) -> dict[int, int]:
        """Take the graph of a loss; return the numbers of its nodes by those that the agent uses.

        Raises:
            ScriptError: It cannot be true.
        """
        run = self.run
        count = len(frame.nodes)
        for number, (own, _, below, leaf) in enumerate(frame.nodes):
            if own != number or any(to >= count for to in below):
                raise wrong_frame(f"the graph of {frame.loss}")
            if leaf and leaf not in run.initial:
                raise wrong_frame(f"the graph of {frame.loss} ends at the unknown tensor {leaf}")
        order = _in_order([below for _, _, below, _ in frame.nodes])
        if len(order) < count:
            raise wrong_frame(f"the graph of {frame.loss}, which has a cycle")
        numbers = {own: number for number, own in enumerate(order)}
        nodes = [frame.nodes[own] for own in order]
        if frame.broadcast:
            run.broadcasts[frame.loss] = frame.broadcast
        found = tuple(
            (name.removeprefix("torch::autograd::"), tuple([numbers[to] for to in below]), leaf)
            for _, name, below, leaf in nodes
        )
        if found not in run.graphs:
            run.graphs.append(found)
        self.graphs[frame.loss] = run.graphs.index(found)
        leaves = frozenset(leaf for _, _, _, leaf in frame.nodes if leaf)
        self._graphs_of[frame.loss, leaves] = self.graphs[frame.loss]
        self._described_at[frame.loss] = (frame.file, frame.line) if frame.line else None
        self._graphs_at[frame.loss, frame.file, frame.line] = self.graphs[frame.loss]
        if frame.loss_line:
            self.lines[frame.loss, frame.file, frame.line] = frame.loss_line
        return numbers

    def choose_graph(self, place: frames.Place) -> None:
        """Choose which graph of its loss a Backward differentiates: losses may share a name.

        Raises:
            ScriptError: It ends at other leaves than all graphs that were described.
        """
        loss, line = place.target, (place.file, place.line)
        graph = None
        if leaves := leaves_of(place):
            graph = self._graphs_of.get((loss, frozenset(leaves)))
            if graph is None:
                raise wrong_frame(f"the leaves of {loss}")
        elif self._described_at.get(loss) not in {None, line}:
            graph = self._graphs_at.get((loss, *line))
        if graph is not None:
            self.graphs[loss], self._described_at[loss] = graph, line

    def note(self, address: str, value: Any) -> None:  # noqa: ANN401 - an array or None
        """Take what was written to an address.

        Raises:
            ScriptError: There is no such tensor.
        """
        run = self.run
        optimizer, slash, rest = address.partition("/")
        name = rest.rpartition("/")[0] if slash else address.removesuffix(".grad")
        if name not in run.initial or (slash and optimizer not in run.optimizers):
            raise wrong_frame(f"a value of the unknown tensor {address}")
        if not slash:
            self._check_form(name, run.initial[name], {address: value})
        if slash:
            self._states.setdefault(f"{optimizer}/{name}", {})[address] = None
        elif address.endswith(".grad"):
            (self.gradients.discard if value is None else self.gradients.add)(address)

    # -- modes ---------------------------------------------------------------------------------

    def set_mode(self, module: str, training: bool) -> None:
        """Take that a module, and all in it, was put in a mode."""
        below = f"{module}."
        for name in self.training:
            if name == module or name.startswith(below):
                self.training[name] = training

    def take_modes(self, frame: frames.Modes) -> list[tuple[bool, tuple[str, ...]]]:
        """Take the modes that a line has left a module in.

        Returns:
            What has to be done one after the other to get there: the mode, and the modules that
            are put in it with all in them. It is nothing where they are in these modes.
        """
        changes = self.mode_changes(frame)
        for training, names in changes:
            for name in names:
                self.set_mode(name, training)
        return changes

    def mode_changes(self, frame: frames.Modes) -> list[tuple[bool, tuple[str, ...]]]:
        """Return what `take_modes` would return.

        Such as that a network is put in training mode, and then each of its normalization layers
        back in evaluation mode.
        """
        told = {_in_module(frame.name, path): training for path, training in frame.modes}
        wanted: dict[str, bool] = {}
        changed: dict[str, tuple[int, bool | None]] = {}  # how often from above, and to what last
        groups: dict[tuple[int, bool], list[str]] = {}
        below = f"{frame.name}."
        for name in sorted(self.training):  # each after what it is in
            if name != frame.name and not name.startswith(below):
                continue
            outer = next((one for one in _around(name) if one in wanted), "")
            mode = wanted[name] = told.get(name, wanted.get(outer, self.training[name]))
            times, before = changed.get(outer, (0, None))
            if mode is not (self.training[name] if before is None else before):
                times, before = times + 1, mode
                groups.setdefault((times, mode), []).append(name)
            changed[name] = times, before
        return [(key[1], tuple(groups[key])) for key in sorted(groups, key=lambda key: key[0])]

    # -- what belongs to what ------------------------------------------------------------------

    def has_parameters(self, module: str) -> bool:
        """Return whether parameters are known of a module; the weights of a criterion are none."""
        known, buffers = self.run.initial, self.run.buffers
        found = self._with_parameters.get(module)
        if found is None or found[0] != len(known):
            has = any(name.startswith(f"{module}.") and name not in buffers for name in known)
            found = self._with_parameters[module] = len(known), has
        return found[1]

    def leaves_of(self, loss: str) -> list[str]:
        """Return the tensors at which the graph of a loss ends."""
        graph = self.graphs.get(loss)
        nodes = () if graph is None else self.run.graphs[graph]
        return [leaf for _, _, leaf in nodes if leaf]

    def tensors_of(self, target: str) -> list[str]:
        """Return the tensors that an optimizer holds, or those of a module."""
        known = self.run.optimizers.get(target)
        if known is not None:
            return [name for group in known.groups for name in group]
        return [name for name in self.run.trained if name.startswith(f"{target}.")]

    def is_address(self, address: str) -> bool:
        """Return whether an address is that of a known tensor, or of its gradient."""
        return address.removesuffix(".grad") in self.run.initial

    def optimizer_of(self, target: str, written: Iterable[str]) -> str:
        """Return the optimizer that a Zero Grad is of; of a module's, the one that holds it."""
        run = self.run
        if target in run.optimizers:
            return target
        wanted = {name.removesuffix(".grad") for name in written} or {
            name for name in run.trained if name.startswith(f"{target}.")
        }
        return next(
            (
                name
                for name, known in run.optimizers.items()
                if wanted and wanted.issubset(item for group in known.groups for item in group)
            ),
            "",
        )

    def read_by_step(self, optimizer: str, written: Iterable[str]) -> tuple[str, ...]:
        """Return what a Step has read that wrote these addresses."""
        known = self.run.optimizers[optimizer]
        moving = [name for group in known.groups for name in group if name in written]
        if not moving:
            return ()
        options = {key: None for group in self._options[optimizer] for key in group}
        states = [entry for name in moving for entry in self._states.get(f"{optimizer}/{name}", ())]
        return (
            *(f"{optimizer}/{key}" for key in options if key not in _NOT_OPTIONS),
            *moving,
            *states,
            *(f"{name}.grad" for name in moving),
        )


def leaves_of(place: frames.Place) -> tuple[str, ...]:
    """Return the leaves of a Backward's graph, where it says them: they are others by turns."""
    found = place.detail.get("leaves")
    return tuple(map(str, found)) if isinstance(found, list) else ()


def _in_module(name: str, path: str) -> str:
    """Return the name of what is in a module at a path; of the module itself where that is ""."""
    return f"{name}.{path}" if path else name


def _around(name: str) -> Iterator[str]:
    """Yield the names of what a module may be in, the innermost first.

    Example:
        >>> list(_around("model.body.0"))
        ['model.body', 'model']
    """
    while "." in name:
        name = name.rpartition(".")[0]
        yield name


def are_equal(one: NDArray[Any] | None, other: NDArray[Any] | None) -> bool:
    """Return whether two arrays are the same, bit for bit."""
    if one is None or other is None:
        return one is other
    return (
        one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    )


def _in_order(below: Sequence[Sequence[int]]) -> list[int]:
    """Return the nodes of a graph so that each points to later ones only.

    Args:
        below: The nodes that each node points to.

    Returns:
        The numbers of the nodes; those on a cycle, and what is below it, are absent.

    Example:
        >>> _in_order([[1, 3], [2], [], [2]])
        [0, 3, 1, 2]
    """
    waits_for = [0] * len(below)
    for targets in below:
        for to in targets:
            waits_for[to] += 1
    order = []
    ready = [number for number, waits in enumerate(waits_for) if not waits]
    while ready:
        order.append(ready.pop())
        for to in below[order[-1]]:
            waits_for[to] -= 1
            if not waits_for[to]:
                ready.append(to)
    return order


def _shown(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _plain(options: dict[str, Any]) -> dict[str, Any]:
    """Return options with numbers that JSON cannot express, and lists as tuples."""
    special = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
    return {
        key: tuple(value)
        if isinstance(value, list)
        else special.get(value, value)
        if isinstance(value, str)
        else value
        for key, value in options.items()
        if isinstance(value, (bool, int, float, str, list, type(None)))
    }
