"""The tensors, modules and optimizers of a script, by weak reference, named as the script does."""

from __future__ import annotations

import ctypes
import weakref
from contextlib import nullcontext
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from gradstep_agent.object_parts import dictionary_of
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
from gradstep_agent.wire import SIZE_KEPT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from types import FrameType

    from gradstep_agent.ring import Buffer
    from gradstep_agent.wire import Wire

LARGEST_TREE = 2000
"""Modules of one tree that are described."""
LONGEST_NAME = 160
"""Characters of a name; of a longer one the end, where it differs from others."""

_PLAIN = (bool, int, float, str, type(None))
_LIBRARIES = ("torch", "torchvision", "gradstep", "gradstep_torch")


class TrackedTensor:
    """A tensor that has a name, and how the last Operation left it."""

    __slots__ = (
        "__weakref__",
        "copy",
        "form",
        "gradient",
        "gradient_version",
        "has_gradient",
        "held",
        "is_buffer",
        "is_leaf",
        "is_watched",
        "name",
        "proposed",
        "reference",
        "version",
    )

    def __init__(
        self,
        tensor: Any,
        reference: weakref.ref[Any],
        name: str,
        proposed: str,
        form: tuple[Any, ...],
        *,
        is_buffer: bool,
    ) -> None:
        self.reference: Callable[[], Any] = reference
        self.name = name
        self.proposed = proposed  # its name, if no other one had it
        self.form = form  # its shape and element type when it was met
        self.is_buffer = is_buffer
        self.is_leaf: bool = tensor.is_leaf
        self.held = False  # by an optimizer
        self.copy: Any = None
        self.has_gradient = False
        gradient = tensor.grad if self.is_leaf else None
        self.version = version_of(tensor)
        self.is_watched = not is_buffer and self.version >= 0
        self.gradient = id(gradient)
        self.gradient_version = version_of(gradient)


def version_of(tensor: Any) -> int:
    """Return how often a tensor was changed in place; -1 for none, and where torch does not count.

    It does not count the changes of tensors that were made in inference mode.
    """
    try:
        return -1 if tensor is None else int(tensor._version)
    except RuntimeError:
        return -1


class KnownOptimizer:
    """An optimizer by weak reference, and the options that were last described.

    Attributes:
        is_partial: Whether it was described without tensors that have no elements yet.
    """

    __slots__ = ("_groups", "is_partial", "is_torchs_own", "name", "reference")

    def __init__(self, optimizer: Any, name: str) -> None:
        self.reference: weakref.ref[Any] = weakref.ref(optimizer)
        self.name = name
        self.is_partial = False
        self.is_torchs_own = type(optimizer).__module__.startswith("torch.optim.")
        self._groups: list[tuple[int, Callable[[Any], Any], Any]] = []

    def note(self, groups: list[dict[str, Any]]) -> None:
        """Note the plain options of each group."""
        keys = [_plain_keys(group) for group in groups]
        getters = [itemgetter(*found) if found else _nothing for found in keys]
        self._groups = [
            (len(group), get, get(group))
            for group, get in zip(groups, getters)  # noqa: B905 - Python 3.9
        ]

    def has_changed(self, groups: list[dict[str, Any]]) -> bool:
        """Return whether a group or one of its options is another than noted."""
        if self.is_partial or len(groups) != len(self._groups):
            return True
        for group, (size, get, options) in zip(groups, self._groups):  # noqa: B905 - Python 3.9
            if len(group) != size:
                return True
            try:
                if get(group) != options:
                    return True
            except KeyError:
                return True
        return False


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
        self._readable = getattr(torch, "readable", _readable)
        self.has_elements = getattr(torch, "has_elements", _has_elements)
        self._modules = _Names()
        self._schedulers = _Names()
        self._scheduled: dict[str, str] = {}  # the optimizer of each scheduler, also of dead ones
        self._optimizers: dict[int, KnownOptimizer] = {}
        self.tensor_class = torch.Tensor
        inner = getattr(torch, "_C", None)
        self.plainly = getattr(inner, "DisableTorchFunctionSubclass", nullcontext)
        """Returns a context in which tensors of the user's own classes are plain tensors."""
        self._is_inference = getattr(torch, "is_inference_mode_enabled", bool)
        self.revision = 0
        """Grows when a tensor is tracked, dies, or comes to be held by an optimizer."""
        self.renamed = 0
        """How often tensors were given other names."""

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

    def track(self, tensor: Any, name: str, *, is_buffer: bool = False) -> TrackedTensor:
        """Return what is known of a tensor; give it this name, or one like it, if it has none."""
        tracked = self.find(tensor)
        if tracked is not None:
            return tracked
        form = tuple(tensor.shape), tensor.dtype
        proposed = _label(name) or "tensor"
        name = _unused(proposed, lambda taken: self._is_taken(taken, form))
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
            [self.bytes_of(array) for array in arrays.values()],
        )
        return tracked

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
            if (tuple(tensor.shape), tensor.dtype) != tracked.form
        ]
        for tracked, tensor in altered:
            tracked.reference = _no_tensor  # as if it had died
            tracked.copy = None
            del self._tensors[id(tensor)]
            self.track(tensor, tracked.proposed, is_buffer=tracked.is_buffer)
        if altered:
            self.renamed += 1
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

        What is made in inference mode cannot be changed outside of it.
        """
        return self._torch.inference_mode(False) if self._is_inference() else nullcontext()

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
        name = self._modules.add(module, _label(proposed))
        tree = [
            [path, type(found).__name__, _description(found), found.training]
            for path, found in list(module.named_modules())[:LARGEST_TREE]
        ]
        for path, parameter in module.named_parameters():
            if self.has_elements(parameter):
                self.track(parameter, f"{name}.{path}")
        for path, buffer in module.named_buffers():
            if self.has_elements(buffer):
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

    def name_of_module(self, module: Any) -> str:
        """Return a module's name; "" when it has none yet."""
        return self._modules.find(module)

    def module_named(self, name: str) -> Any:
        """Return the module of a name; None when there is none."""
        return next((module for found, module in self._modules.items() if found == name), None)

    # --- optimizers -----------------------------------------------------------------------

    def optimizer(self, optimizer: Any, frame: FrameType | None) -> KnownOptimizer:
        """Return what is known of an optimizer; describe it the first time."""
        return self.known_optimizer(optimizer) or self._meet_optimizer(optimizer, frame)

    def known_optimizer(self, optimizer: Any) -> KnownOptimizer | None:
        """Return what is known of an optimizer; None when it was not met yet."""
        known = self._optimizers.get(id(optimizer))
        return known if known is not None and known.reference() is optimizer else None

    def check_options(self, known: KnownOptimizer, optimizer: Any, frame: FrameType | None) -> None:
        """Describe an optimizer again if its options have changed."""
        groups = optimizer.param_groups
        if known.has_changed(groups):
            known.note(groups)
            self._describe(known, optimizer, frame)

    def optimizer_named(self, name: str) -> Any:
        """Return the optimizer of a name; None when there is none."""
        alive = [(known.name, known.reference()) for known in self._optimizers.values()]
        return next((optimizer for found, optimizer in alive if found == name), None)

    def _meet_optimizer(self, optimizer: Any, frame: FrameType | None) -> KnownOptimizer:
        proposed = lasting_name_of(optimizer, frame) or type(optimizer).__name__.lower()
        name = _unused(_label(proposed), lambda taken: self.optimizer_named(taken) is not None)
        self._optimizers[id(optimizer)] = known = KnownOptimizer(optimizer, name)
        known.note(optimizer.param_groups)
        self._describe(known, optimizer, frame)
        return known

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
        name = _unused(
            _label(lasting_name_of(scheduler, frame) or type(scheduler).__name__),
            lambda name: name in living or self._scheduled.get(name, optimizer) != optimizer,
        )
        self._scheduled[name] = optimizer
        return self._schedulers.add(scheduler, name)

    def _describe(self, known: KnownOptimizer, optimizer: Any, frame: FrameType | None) -> None:
        held = []
        known.is_partial = False
        for group in optimizer.param_groups:
            parameters = [found for found in group["params"] if self.has_elements(found)]
            known.is_partial |= len(parameters) < len(group["params"])
            tracked = [self.name_leaf(parameter, frame) for parameter in parameters]
            for found in tracked:
                if not found.held:
                    found.held = True
                    found.copy = None
                    self.revision += 1
            held.append([found.name for found in tracked])
        self._wire.send(
            {
                "type": "optimizer",
                "name": known.name,
                "kind": type(optimizer).__name__,
                "module": type(optimizer).__module__,
                "groups": [
                    {"params": names, "options": {key: group[key] for key in _plain_keys(group)}}
                    for names, group in zip(held, optimizer.param_groups)  # noqa: B905
                ],
            }
        )

    # --- bytes ----------------------------------------------------------------------------

    def bytes_of(self, tensor: Any) -> bytes:
        """Return a tensor's elements, in row-major order."""
        with self._torch.no_grad():
            tensor = self._readable(tensor)
        size = tensor.numel() * tensor.element_size()
        return ctypes.string_at(tensor.data_ptr(), size) if size else b""

    def buffers_of(self, tensors: Sequence[Any]) -> tuple[list[Buffer], list[Any]]:
        """Return the elements of several tensors, and what has to live as long as they are used.

        Few bytes are copied; many are looked at where they are, and so have to be sent at once.
        """
        sizes = [tensor.numel() * tensor.element_size() for tensor in tensors]
        if sum(sizes) <= SIZE_KEPT or any([tensor.is_sparse for tensor in tensors]):  # noqa: C419
            return [self.joined_bytes(tensors)], []
        with self._torch.no_grad():
            ready = [self._readable(tensor) for tensor in tensors]
        views: list[Buffer] = [
            memoryview((ctypes.c_char * size).from_address(tensor.data_ptr())).cast("B")
            for tensor, size in zip(ready, sizes)  # noqa: B905 - Python 3.9
            if size
        ]
        return views, ready

    def joined_bytes(self, tensors: Sequence[Any]) -> bytes:
        """Return the elements of several tensors, one after the other."""
        first = tensors[0]
        if len(tensors) > 1 and all(_is_like(first, tensor) for tensor in tensors):
            with self._torch.no_grad():
                return self.bytes_of(self._torch.cat([tensor.reshape(-1) for tensor in tensors]))
        return b"".join(map(self.bytes_of, tensors))


def layout(address: str, tensor: Any) -> list[Any]:
    """Return how the bytes of a tensor are to be read: address, element type, shape."""
    return [address, str(tensor.dtype).rpartition(".")[2], list(tensor.shape)]


def _readable(tensor: Any) -> Any:
    """Return a tensor's elements one after the other in this process's memory."""
    tensor = tensor.detach()
    if tensor.is_sparse:
        tensor = tensor.to_dense()
    return tensor.cpu().contiguous().resolve_conj().resolve_neg()


def _is_like(first: Any, tensor: Any) -> bool:
    return bool(
        tensor.dtype is first.dtype and not tensor.is_sparse and tensor.device == first.device
    )


def _is_plain(value: object) -> bool:
    if isinstance(value, (tuple, list)):
        return len(value) <= 8 and all(isinstance(item, _PLAIN) for item in value)  # noqa: PLR2004
    return isinstance(value, _PLAIN)


def _plain_keys(group: dict[str, Any]) -> tuple[str, ...]:
    return tuple(key for key, value in group.items() if _is_plain(value))


class _Names:
    """Objects by weak reference, each with a name of its own."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[Any], str]] = {}

    def find(self, thing: object) -> str:
        """Return the name of an object; "" when it has none."""
        known = self._known.get(id(thing))
        return known[1] if known is not None and known[0]() is thing else ""

    def add(self, thing: Any, name: str) -> str:
        """Give an object this name, or one like it that no living object has."""
        taken = {other for other, _ in self.items()}
        unused = _unused(name, taken.__contains__)
        self._known[id(thing)] = (weakref.ref(thing), unused)
        return unused

    def items(self) -> list[tuple[str, Any]]:
        """Return the names and objects that are alive."""
        found = [(name, reference()) for reference, name in self._known.values()]
        return [(name, thing) for name, thing in found if thing is not None]


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


def _label(name: str) -> str:
    """Return a name as addresses can have it: short, without a slash, and not a gradient's."""
    name = name.replace("/", "|")
    if name.endswith(".grad"):
        name += "_"
    return name if len(name) <= LONGEST_NAME else f"…{name[1 - LONGEST_NAME :]}"


def _unused(name: str, is_taken: Callable[[str], bool]) -> str:
    unused, number = name, 2
    while is_taken(unused):
        unused, number = f"{name} ({number})", number + 1
    return unused


def _has_elements(tensor: Any) -> bool:
    """Return whether a tensor has elements to read.

    It has none in a lazy module before its first call, on the meta device, if it is fake, where
    `torch.func` has wrapped another tensor in it, and while that wraps whatever is detached.
    """
    name = type(tensor).__name__
    if tensor.is_meta or name == "FakeTensor" or name.startswith("Uninitialized"):
        return False
    if tensor.is_sparse:
        return True
    try:
        tensor.detach().data_ptr()
    except RuntimeError:
        return False
    return True


def _nothing(_: object) -> None:
    return None


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
