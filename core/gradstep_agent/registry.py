"""The tensors, modules and optimizers of a script, by weak reference, named as the script does."""

from __future__ import annotations

import weakref
from contextlib import ExitStack, nullcontext
from itertools import chain
from typing import TYPE_CHECKING, Any

from gradstep_agent.names import Names, label, unused_name
from gradstep_agent.object_parts import dictionary_of
from gradstep_agent.tensor_reader import TensorReader, layout, shard_of
from gradstep_agent.tracked import KnownOptimizer, TrackedTensor, plain_keys
from gradstep_agent.user_code import (
    held_in,
    held_in_attributes,
    held_in_variables,
    is_user_code,
    lasting_name_of,
    name_of,
    place_of,
    subscript,
    variables_of_type,
)

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from types import FrameType

    from gradstep_agent.wire import Wire

LARGEST_TREE = 2000
"""Modules of one tree that are described."""
_DIVIDING = "FullyShardedDataParallel"
"""A module whose parameters are divided among processes as plain tensors."""
_LIBRARIES = ("torch", "torchvision", "gradstep", "gradstep_torch")


class Registry:
    """Knows what has a name, and describes on the wire what it meets for the first time.

    Args:
        wire: Where descriptions go.
        torch: The script's own torch.
    """

    def __init__(self, wire: Wire, torch: Any) -> None:
        self._wire = wire
        self._torch = torch
        self._tensors: dict[int, TrackedTensor] = {}
        self._by_name: dict[str, TrackedTensor] = {}
        self.reader = TensorReader(torch)
        self._modules = Names()
        self._schedulers = Names()
        self._scheduled: dict[str, str] = {}  # the optimizer of each scheduler, also of dead ones
        self._optimizers: dict[int, KnownOptimizer] = {}
        self._forms: dict[str, _Form] = {}  # of each name of optimizers, also of dead ones
        self.tensor_class = torch.Tensor
        inner = getattr(torch, "_C", None)
        self.plainly = getattr(inner, "DisableTorchFunctionSubclass", nullcontext)
        """Returns a context in which tensors of the user's own classes are plain tensors."""
        self._is_inference = getattr(torch, "is_inference_mode_enabled", bool)
        self.revision = 0
        """Grows when a tensor is tracked, dies, or comes to be held by an optimizer."""

    # --- tensors --------------------------------------------------------------------------

    def tensors(self) -> list[tuple[TrackedTensor, Any]]:
        """Return what is tracked and alive, in the order of discovery."""
        found = [(tracked, tracked.reference()) for tracked in self._tensors.values()]
        if any(tensor is None for _, tensor in found):
            dead = [key for key, tracked in self._tensors.items() if tracked.reference() is None]
            for key in dead:
                del self._tensors[key]
            found = [(tracked, tensor) for tracked, tensor in found if tensor is not None]
        return found

    def find(self, tensor: Any) -> TrackedTensor | None:
        """Return what is known of a tensor; None for one without a name."""
        tracked = self._tensors.get(id(tensor))
        return tracked if tracked is not None and tracked.reference() is tensor else None

    def named(self, name: str) -> Any:
        """Return the tensor of a name; None when there is none."""
        tracked = self._by_name.get(name)
        return None if tracked is None else tracked.reference()

    def rebound(self, frame: FrameType | None) -> list[str]:
        """Return the variables that no longer hold the leaf that has their name, but a result."""
        found = []
        for name, value in variables_of_type(self.tensor_class, frame):
            tracked = self._by_name.get(name)
            is_other = tracked is not None and tracked.reference() is not value
            if is_other and not value.requires_grad:
                found.append(name)
        return found

    def is_result(self, value: object) -> bool:
        """Return whether a value is a tensor without a name, which requires no gradient."""
        is_tensor = issubclass(type(value), self.tensor_class)
        return is_tensor and not value.requires_grad and self.find(value) is None  # type: ignore[attr-defined]

    def is_inner_result(self, value: object) -> bool:
        """Return whether a value is a tensor that requires a gradient, and gets none as its own."""
        return (
            issubclass(type(value), self.tensor_class)
            and value.requires_grad  # type: ignore[attr-defined]
            and not value.is_leaf  # type: ignore[attr-defined]
            and not getattr(value, "retains_grad", False)
        )

    def is_trained_leaf(self, value: object) -> bool:
        """Return whether a value is a tensor that gets a gradient of its own."""
        is_tensor = issubclass(type(value), self.tensor_class)
        return is_tensor and value.requires_grad and value.is_leaf  # type: ignore[attr-defined]

    def track(self, tensor: Any, name: str, *, is_buffer: bool = False) -> TrackedTensor:
        """Return what is known of a tensor; give it this name, or one like it, if it has none."""
        tracked = self.find(tensor)
        if tracked is not None:
            return tracked
        form = _form_of(tensor)
        proposed = label(name) or "tensor"
        name = unused_name(proposed, lambda taken: self._is_taken(taken, form))
        reference = weakref.ref(tensor, self._note_death)
        tracked = TrackedTensor(tensor, reference, name, proposed, form, is_buffer=is_buffer)
        self._tensors.pop(id(tensor), None)  # a dead one's: this one comes last
        self._tensors[id(tensor)] = self._by_name[name] = tracked
        self.revision += 1
        gradient = tensor.grad if tracked.is_leaf else None
        arrays = {tracked.name: tensor}
        if gradient is not None:
            arrays[f"{tracked.name}.grad"] = gradient
        self._wire.send(
            {
                "type": "tensor",
                "name": tracked.name,
                "buffer": is_buffer,
                "leaf": tracked.is_leaf,
                "requires_grad": bool(tensor.requires_grad),
                "arrays": [layout(name, array) for name, array in arrays.items()],
            },
            [self.reader.bytes_of(array) for array in arrays.values()],
        )
        if shard_of(tensor) is not tensor:
            self._note_shard(tracked)
        return tracked

    def _note_shard(self, tracked: TrackedTensor) -> None:
        """Say that a tensor is a part of one that is divided among processes."""
        header = {"type": "noticed", "what": "shard", "name": tracked.name, "target": ""}
        self._wire.send(header)

    def rename_altered(self) -> bool:
        """Give other names to tensors that have another shape or element type than before.

        Such as after `model.double()`, or `weight.data = weight.data[kept]`. What is recorded of
        one name has one form.

        Returns:
            Whether there were any.
        """
        altered = [
            (tracked, tensor)
            for tracked, tensor in self.tensors()
            if _form_of(tensor) != tracked.form
        ]
        for tracked, tensor in altered:
            tracked.reference = _no_tensor  # as if it had died
            tracked.forget_copies()
            del self._tensors[id(tensor)]
            self.track(tensor, tracked.proposed, is_buffer=tracked.is_buffer)
        if altered:
            for known in list(self._optimizers.values()):
                optimizer = known.reference()
                if optimizer is not None:
                    self._describe(known, optimizer, None)
        return bool(altered)

    def _is_taken(self, name: str, form: tuple[Any, ...]) -> bool:
        """Return whether a name means a living tensor, or meant one of another form.

        The next model of a loop over widths has tensors of other shapes: they are not the same.
        """
        known = self._by_name.get(name)
        return known is not None and (known.reference() is not None or known.form != form)

    def _note_death(self, _: object) -> None:
        self.revision += 1

    def name_leaf(self, tensor: Any, frame: FrameType | None) -> TrackedTensor:
        """Return what is known of a leaf; name it by its module, or else by its variable."""
        tracked = self.find(tensor)
        return tracked or self.track(tensor, self._name(tensor, frame))

    def _name(self, tensor: Any, frame: FrameType | None) -> str:
        for name, module in self._modules.items():
            path = _path_in(module, tensor)
            if path:
                return f"{name}.{path}"
        kind = self._torch.nn.Module
        for name, module in chain(
            variables_of_type(kind, frame),
            held_in_variables(kind, frame),
            held_in_attributes(kind, frame),
        ):
            path = _path_in(module, tensor)
            if path:
                return f"{self.module(module, frame) or name}.{path}"
        name = self._unregistered_path(tensor) or name_of(tensor, frame)
        if not name and type(tensor) is self.tensor_class:  # parameters may be a model's of before
            name = place_of(tensor, frame)
        return name

    def _unregistered_path(self, tensor: Any) -> str:
        """Return where a list, tuple or dictionary of a module has a parameter; "" if in none.

        torch does not look into these: `model.layers[0].weight` is not in `model.parameters()`.
        """
        module_class = self._torch.nn.Module
        for root_name, root in self._modules.items():
            for path, owner in root.named_modules():
                for attribute, value in list(dictionary_of(owner).items()):
                    if attribute.startswith("_"):
                        continue  # torch's own
                    for place, item in held_in(value):
                        steps = [root_name, path, f"{attribute}{subscript(place)}"]
                        if issubclass(type(item), module_class):
                            steps.append(_path_in(item, tensor))
                        elif item is not tensor:
                            continue
                        if steps[-1]:
                            return ".".join(filter(None, steps))
        return ""

    def outside_inference(self) -> AbstractContextManager[object]:
        """Return a context in which copies can be made that can be changed later.

        What is made in inference mode cannot be changed outside of it, nor what is outside of a
        function that `torch.func` transforms in it.
        """
        context = ExitStack()
        context.enter_context(self.reader.outside_transforms())
        if self._is_inference():
            context.enter_context(self._torch.inference_mode(False))
        return context

    # --- modules --------------------------------------------------------------------------

    def module(self, module: Any, frame: FrameType | None) -> str:
        """Return a module's name; describe its tree and track its tensors the first time."""
        known = self._modules.find(module)
        if known:
            return known
        proposed = (
            self._path_of(module, frame)
            or lasting_name_of(module, frame)
            or type(module).__name__.lower()
        )
        name = self._modules.add(module, label(proposed))
        tree = [
            [path, type(found).__name__, _description(found), found.training]
            for path, found in list(module.named_modules())[:LARGEST_TREE]
        ]
        is_divided = any(kind == _DIVIDING for _, kind, _, _ in tree)
        for path, parameter in module.named_parameters():
            if self.reader.has_elements(parameter):
                tracked = self.track(parameter, f"{name}.{path}")
                if is_divided:
                    self._note_shard(tracked)
        for path, buffer in module.named_buffers():
            if self.reader.has_elements(buffer):
                self.track(buffer, f"{name}.{path}", is_buffer=True)
        self._wire.send(
            {"type": "module", "name": name, "kind": type(module).__name__, "tree": tree}
        )
        return name

    def _path_of(self, module: Any, frame: FrameType | None) -> str:
        """Return where a module is in another one, such as "model.fc1"; "" if in none.

        It is called from outside of the Forward of that one where the script calls
        `model.forward(x)` instead of `model(x)`.
        """
        owner, outside = _owner(module, frame, self._torch.nn.Module)
        if owner is not None:
            self.module(owner, outside)
        for name, root in self._modules.items():
            for path, found in root.named_modules():
                if found is module:
                    return f"{name}.{path}"
        return ""

    def modules(self) -> list[tuple[str, Any]]:
        """Return the outermost modules that have a name and are alive, by name."""
        return self._modules.items()

    def module_named(self, name: str) -> Any:
        """Return the module of a name; None when there is none."""
        return next((module for found, module in self._modules.items() if found == name), None)

    # --- optimizers -----------------------------------------------------------------------

    def optimizer(self, optimizer: Any, frame: FrameType | None) -> KnownOptimizer:
        """Return what is known of an optimizer, or of the one that it wraps.

        It is described the first time.
        """
        known = self.known_optimizer(optimizer)
        if known is None:
            wrapped = self._wrapped(optimizer)
            known = self.known_optimizer(wrapped) or self._meet_optimizer(wrapped, frame)
        if known.is_partial:  # its tensors may have elements by now
            self.check_options(known, optimizer, frame)
        return known

    def known_optimizer(self, optimizer: Any) -> KnownOptimizer | None:
        """Return what is known of an optimizer; None when it was not met yet."""
        known = self._optimizers.get(id(optimizer))
        return known if known is not None and known.reference() is optimizer else None

    def check_options(self, known: KnownOptimizer, optimizer: Any, frame: FrameType | None) -> None:
        """Describe an optimizer again if its options have changed."""
        groups = optimizer.param_groups
        if known.has_changed(groups):
            known.note(groups)
            self._describe(known, known.reference() or optimizer, frame)

    def optimizer_named(self, name: str) -> Any:
        """Return the optimizer of a name; None when there is none."""
        alive = [(known.name, known.reference()) for known in self._optimizers.values()]
        return next((optimizer for found, optimizer in alive if found == name), None)

    def _meet_optimizer(self, optimizer: Any, frame: FrameType | None) -> KnownOptimizer:
        self.rename_altered()  # such as by `model.double()`, after which it is created
        proposed = self._name_of_optimizer(optimizer, frame) or type(optimizer).__name__.lower()
        form = _Form(type(optimizer), self._groups(optimizer, frame))
        name = unused_name(label(proposed), lambda taken: self._is_of_another(taken, form))
        self._optimizers[id(optimizer)] = known = KnownOptimizer(optimizer, name)
        known.note(optimizer.param_groups)
        self._describe(known, optimizer, frame, is_new=True)
        return known

    def _wrapped(self, optimizer: Any) -> Any:
        """Return the optimizer in a wrapper, such as accelerate's; any other one itself."""
        kind, passed = self._torch.optim.Optimizer, {id(optimizer)}
        while True:
            inner = next(
                (
                    value
                    for value in list(dictionary_of(optimizer).values())
                    if issubclass(type(value), kind)
                    and id(value) not in passed
                    and _wraps(optimizer, value)
                ),
                None,
            )
            if inner is None:
                return optimizer
            optimizer = inner
            passed.add(id(inner))

    def _name_of_optimizer(self, optimizer: Any, frame: FrameType | None) -> str:
        """Return what the script calls an optimizer, or else what wraps it; "" for neither."""
        kind = self._torch.optim.Optimizer
        own = lasting_name_of(optimizer, frame)
        found = variables_of_type(kind, frame)
        if not own:  # it takes long to look further
            held = held_in_variables(kind, frame), held_in_attributes(kind, frame)
            found = chain(found, *held)
        for name, wrapper in found:
            if name != "self" and wrapper is not optimizer and _wraps(wrapper, optimizer):
                lasting = lasting_name_of(wrapper, frame)
                return name if lasting in {"", "self"} else lasting
        return own

    def _is_of_another(self, name: str, form: _Form) -> bool:
        """Return whether a name means a living optimizer, or meant one that differs.

        The next optimizer by a name may be of another class, or hold other tensors: what it does
        cannot be checked by what is known of the first.
        """
        known = self._forms.get(name)
        return self.optimizer_named(name) is not None or (known is not None and known.differs(form))

    def _groups(self, optimizer: Any, frame: FrameType | None) -> list[list[TrackedTensor]]:
        """Return what an optimizer holds; give names to what has none."""
        return [
            [self.name_leaf(one, frame) for one in group["params"] if self.reader.has_elements(one)]
            for group in optimizer.param_groups
        ]

    def scheduler(self, scheduler: Any, optimizer: str, frame: FrameType | None) -> str:
        """Return a scheduler's name; name it the first time.

        Args:
            scheduler: The scheduler.
            optimizer: The name of its optimizer; no scheduler of another has the same name.
            frame: Where the script steps it.
        """
        known = self._schedulers.find(scheduler)
        if known:
            return known
        living = {name for name, _ in self._schedulers.items()}
        name = unused_name(
            label(lasting_name_of(scheduler, frame) or type(scheduler).__name__),
            lambda name: name in living or self._scheduled.get(name, optimizer) != optimizer,
        )
        self._scheduled[name] = optimizer
        return self._schedulers.add(scheduler, name)

    def _describe(
        self,
        known: KnownOptimizer,
        optimizer: Any,
        frame: FrameType | None,
        *,
        is_new: bool = False,
    ) -> None:
        groups = self._groups(optimizer, frame)
        self._forms[known.name] = _Form(type(optimizer), groups)
        known.is_partial = sum(map(len, groups)) < sum(
            len(group["params"]) for group in optimizer.param_groups
        )
        for found in chain.from_iterable(groups):
            if not found.held:
                found.held = True
                found.forget_copies()
                self.revision += 1
        held = [[found.name for found in group] for group in groups]
        self._wire.send(
            {
                "type": "optimizer",
                "name": known.name,
                "kind": type(optimizer).__name__,
                "module": type(optimizer).__module__,
                "new": is_new,
                "groups": [
                    {"params": names, "options": {key: group[key] for key in plain_keys(group)}}
                    for names, group in zip(held, optimizer.param_groups)  # noqa: B905
                ],
            }
        )


class _Form:
    """What tells two optimizers by one name apart: the class, and which tensors each group has."""

    def __init__(self, kind: type, groups: list[list[TrackedTensor]]) -> None:
        self._kind = kind
        self._held = [{found.name for found in group} for group in groups]

    def differs(self, other: _Form) -> bool:
        """Return whether the class is another one, or the tensors of a group are others."""
        return self._kind is not other._kind or self._held != other._held


def _wraps(outer: Any, inner: Any) -> bool:
    """Return whether one optimizer is another one, whose groups it has, in a wrapper.

    Where it has a state of its own, and its Steps are seen as well, it does more than that.
    """
    groups = getattr(outer, "param_groups", None)
    if groups is None or groups is not getattr(inner, "param_groups", None):
        return False
    step = getattr(type(outer), "step", None)
    is_seen = getattr(step, "hooked", not hasattr(outer, "profile_hook_step"))
    is_seen = is_seen or _inherits_zero_grad(type(outer))
    return not is_seen or getattr(outer, "state", None) is getattr(inner, "state", None)


def _inherits_zero_grad(kind: Any) -> bool:
    """Return whether a class has the `zero_grad` of torch, which has torch see its Steps.

    So does the constructor of torch, which not every wrapper calls.
    """
    torchs = next((base for base in kind.__mro__ if "profile_hook_step" in vars(base)), None)
    return torchs is not None and kind.zero_grad is torchs.zero_grad


def _owner(
    module: Any, frame: FrameType | None, module_class: type
) -> tuple[Any, FrameType | None]:
    """Return the outermost module in a method of which another one is called, and who called it.

    `hasattr` or `isinstance` would run code of what a user's `self` is.
    """
    found: Any = None
    outside = None
    while frame is not None:
        owner: Any = frame.f_locals.get("self") if is_user_code(frame.f_code) else None
        if (
            issubclass(type(owner), module_class)
            and owner is not module
            and any(part is module for _, part in owner.named_modules())
        ):
            found, outside = owner, frame.f_back
        frame = frame.f_back
    return found, outside


def _form_of(tensor: Any) -> tuple[Any, ...]:
    """Return the shape and element type of what is recorded of a tensor."""
    return tuple(shard_of(tensor).shape), tensor.dtype


def _no_tensor() -> None:
    """Return None, as the reference to a tensor that is gone does."""


def _path_in(module: Any, tensor: Any) -> str:
    return next((path for path, found in module.named_parameters() if found is tensor), "")


def _description(module: Any) -> str:
    """Return what torch says of a module of its own; a user's code is not run for it."""
    describe = getattr(type(module), "extra_repr", None)
    if str(getattr(describe, "__module__", "")).partition(".")[0] not in _LIBRARIES:
        return ""
    return str(module.extra_repr())[:200]
