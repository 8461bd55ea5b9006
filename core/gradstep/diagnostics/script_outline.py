"""ScriptOutline: what the rules need to know of a script besides its Events."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

from gradstep.diagnostics.script_edits.optimizers import gives_parameters_of
from gradstep.diagnostics.script_edits.step_calls import step_calls
from gradstep.names import steps_of, unnumbered

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
    from typing import Self

    from gradstep.history.debuggee import Debuggee
    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.program.notice import Notice

__all__ = ["ScriptOutline"]

_Found = TypeVar("_Found")


class ScriptOutline:
    """Which optimizer of a script holds what, and what its text says.

    Copies of a rule share it: it is about the script, not about a moment.

    Args:
        script: The script.
    """

    __slots__ = (
        *("_extent", "_held", "_holders", "_left_out", "_modules", "_read", "_roots", "_script"),
    )

    def __init__(self, script: Debuggee) -> None:
        self._script = script
        self._extent = (-1, -1)
        self._held: dict[str, tuple[str, ...]] = {}
        self._holders: dict[str, tuple[str, ...]] = {}
        self._left_out: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._modules: dict[str, str] = {}
        self._roots: tuple[str, ...] = ()
        self._read: dict[tuple[object, ...], object] = {}

    def __deepcopy__(self, memo: object) -> Self:
        """Return itself."""
        return self

    @property
    def optimizers(self) -> Sequence[str]:
        """The names of the optimizers that there are at this moment."""
        unmet = self._script.unmet
        return tuple(name for name in self._script.optimizers if name not in unmet)

    @property
    def notices(self) -> Sequence[Notice]:
        """What the agent noticed, in the order of Events."""
        return self._script.notices

    @property
    def files(self) -> Mapping[str, str]:
        """The texts of the script's own files by name."""
        return self._script.sources

    def read(self, look: Callable[..., _Found], *args: Hashable) -> _Found:
        """Return what a function finds in the text of the script, where it looks only once.

        Args:
            look: The function; its first argument is `files`.
            args: The others.
        """
        files = self.files
        key = look, args, tuple(map(len, files.values()))  # files are met one after the other
        if key not in self._read:
            self._read[key] = look(files, *args)
        return cast("_Found", self._read[key])

    def held(self, optimizer: str) -> tuple[str, ...]:
        """Return the names of the tensors that an optimizer holds at this moment."""
        self._refresh()
        return self._held.get(optimizer, ())

    def holders(self, name: str) -> tuple[str, ...]:
        """Return the optimizers that hold a tensor at this moment."""
        self._refresh()
        return self._holders.get(name, ())

    def trains(self, name: str) -> bool:
        """Return whether a tensor requires gradients now."""
        tensor = self._script.tensors.get(name)
        return tensor is not None and tensor.requires_grad

    def frozen_modules(self) -> tuple[str, ...]:
        """Return the outermost modules if no tensor of the script requires gradients now.

        Returns:
            Their names; empty where a tensor requires gradients, or where there are no modules.
        """
        if any(tensor.requires_grad for tensor in self._script.tensors.values()):
            return ()
        return tuple(item.name for item in self._script.describe_modules())

    def is_known(self, optimizer: str) -> bool:
        """Return whether an optimizer is one of torch's own, whose Steps need gradients."""
        return optimizer not in self._script.abilities.inside_steps

    def has_computed_gradients(self, step: AppliedEvent) -> bool:
        """Return whether a Step has cleared and computed gradients itself, as by a closure.

        One of torch's own without a closure writes none: a GradScaler has unscaled them in it.
        """
        written = step.reads_writes
        is_own = bool(written.written_gradients) and not self.is_known(step.operation_target())
        return bool(written.written_losses) or is_own

    def kind(self, optimizer: str) -> str:
        """Return the class of an optimizer; "" for an unknown one."""
        known = self._script.optimizers.get(optimizer)
        return "" if known is None else type(known).__name__

    def ended_at(self, event: int) -> bool:
        """Return whether the script has ended, without an error, and this Event was its last."""
        return self._script.ended_at(event)

    def step_calls(self, optimizer: str) -> tuple[str, ...] | None:
        """Return the lines that call the `step` of an optimizer; None where that is not sure."""
        others = {*self._script.optimizers, *self._script.spec.schedulers} - {optimizer}
        return step_calls(self.files, optimizer, others)

    def infers(self, event: int) -> bool:
        """Return whether what an Event wrote was not recorded, but follows from earlier ones."""
        return self._script.infers(event)

    def is_nameless(self, name: str) -> bool:
        """Return whether nothing in the script but an optimizer refers to a tensor."""
        return unnumbered(name) == "tensor"

    def module_of(self, name: str) -> str:
        """Return the outermost module that has a tensor, such as "models[0]"; "" for any other."""
        module = self._modules.get(name)
        if module is None:
            if not self._root_of(name):  # the script may have made it since
                self._roots = tuple(item.name for item in self._script.describe_modules())
            module = self._modules[name] = self._root_of(name)
        return module

    def _root_of(self, name: str) -> str:
        owners = (item for item in self._roots if name.startswith(f"{item}."))
        return min(owners, key=len, default="")

    def unregistered_in(self, name: str) -> str:
        """Return the list or dictionary of a module that has a tensor, such as "model.layers".

        Returns:
            Its name; "" for a tensor that a module lists as one of its own, and for any other.
        """
        for module in self._script.describe_modules():
            if name.startswith(f"{module.name}."):
                *within, last = steps_of(name.removeprefix(f"{module.name}."))
                children = module.children
                path = module.name
                for step in within:
                    inner = next((item for item in children if item.name == f"{path}.{step}"), None)
                    if inner is None:  # else the script made it after the module was described
                        return f"{path}.{step.partition('[')[0]}" if step.endswith("]") else ""
                    path, children = inner.name, inner.children
                if last.endswith("]"):
                    return f"{path}.{last.partition('[')[0]}"
        return ""

    def modules_without_optimizer(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the modules that tensors belong to, if optimizers hold nothing of these.

        Args:
            names: Tensors of modules that no optimizer holds.

        Returns:
            The outermost such module of each; where there is none, the tensor.
        """
        self._refresh()
        key = tuple(names)
        found = self._left_out.get(key)
        if found is None:
            held = {path for name in self._holders for path in self._modules_around(name)}
            paths = (
                next((path for path in self._modules_around(name) if path not in held), name)
                for name in names
            )
            found = self._left_out[key] = tuple(dict.fromkeys(paths))
        return found

    def applied_to(self, modules: Collection[str], event: int) -> Collection[str]:
        """Return the modules that were applied to what one of these gives.

        Args:
            modules: The outermost modules.
            event: What later Events show is left out.
        """
        return {
            notice.name
            for notice in self.notices
            if notice.what == "applied" and notice.target in modules and notice.event <= event
        }

    def is_met_in_evaluation(self, module: str) -> bool:
        """Return whether a module was in evaluation mode when it was met."""
        return any(one.what == "evaluation" and one.name == module for one in self.notices)

    def gives_parameters_of(self, module: str) -> bool:
        """Return whether the script's text has the `parameters()` of a module somewhere."""
        return any(gives_parameters_of(text, module) for text in self.files.values())

    def _modules_around(self, name: str) -> Iterator[str]:
        """Yield the paths of the modules around a tensor, the outermost first."""
        path = self.module_of(name)
        if path:
            for step in steps_of(name.removeprefix(f"{path}.")):
                yield path
                path = f"{path}.{step}"

    def mode_dependent(self) -> frozenset[str]:
        """Return the modules with layers that behave differently in training and in evaluation."""
        found = set()
        for described in self._script.describe_modules():
            waiting = [described]
            for module in waiting:
                waiting += module.children
            if any(_depends_on_mode(item.kind, item.detail) for item in waiting):
                found.add(described.name)
        return frozenset(found)

    def _refresh(self) -> None:
        script = self._script
        extent = (script.structure, len(script.optimizers))
        if extent == self._extent:
            return
        self._extent, self._held = extent, {}
        self._left_out.clear()
        holders: dict[str, list[str]] = {}
        for item in script.optimizer_tensors:
            self._held[item.optimizer] = (*self._held.get(item.optimizer, ()), item.address)
            holders.setdefault(item.address, []).append(item.optimizer)
        self._holders = {name: tuple(found) for name, found in holders.items()}


def _depends_on_mode(kind: str, detail: str) -> bool:
    if kind.startswith("Dropout") or "Dropout" in kind:
        return not detail.startswith(("p=0,", "p=0.0,"))
    return "BatchNorm" in kind
