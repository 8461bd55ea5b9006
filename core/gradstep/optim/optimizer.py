"""Optimizer: what all algorithms share; an algorithm adds one generator, its update."""

from __future__ import annotations

import warnings
from collections import defaultdict
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from gradstep.autograd.tensor import Tensor
from gradstep.autograd.zero_grad import clear_gradients
from gradstep.errors import ArgumentError, ArgumentTypeError, UnsupportedError
from gradstep.optim import step_hooks
from gradstep.optim.batching import GroupBatching
from gradstep.optim.closure import call_with_grad
from gradstep.optim.per_parameter import PerParameterBatching
from gradstep.optim.state_dict import StateDictHooks, pack_state, unpack_state
from gradstep.optim.state_storage import STATELESS, StateSpec
from gradstep.optim.step_hooks import StepHooks, calls_hooks, with_hooks
from gradstep.optim.terms import UpdateVisit, term_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from gradstep.autograd.hooks import RemovableHandle
    from gradstep.optim.parameter_batch import Scratch, UpdateBatch
    from gradstep.optim.terms import Formula, Terms

__all__ = ["Optimizer", "Params", "PerParameterOptimizer"]

Params: TypeAlias = "Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]"


class Optimizer:
    """Holds parameters in groups, and updates them in place from their gradients.

    An algorithm is a subclass with an `_update` generator: `step` runs it over many parameters at
    once, and `visits` walks it term by term, so that the arithmetic is written once.

    Args:
        params: Tensors, `(name, tensor)` pairs, or dicts with `params` and options of their own.
        defaults: The options of groups that do not set them.

    Attributes:
        TERMS: The meaning of each term that `_update` names.
        takes_sparse: Whether it takes row-sparse gradients, those of `Embedding(sparse=True)`.
        needs_closure: Whether `step` needs a closure, since it evaluates the loss itself.
        param_groups: The groups: dicts with `params` and the group's options.
        state: For each parameter, a dict of its state.
        defaults: The options of groups that do not set them.
        has_stepped: Whether a step was ever carried out; schedulers warn if not.

    Raises:
        ArgumentError: No parameters, a tensor that is not a leaf, or one in two groups.
        ArgumentTypeError: Something that is not a tensor or a dict.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([1.0, 2.0], requires_grad=True)
        >>> optimizer = gradstep.optim.SGD([x], lr=0.001)
        >>> (100 * x).sum().backward()
        >>> optimizer.step()
        >>> x
        tensor([0.9000, 1.9000], requires_grad=True)
    """

    TERMS: ClassVar[Mapping[str, Formula]] = {}
    needs_closure: ClassVar[bool] = False
    takes_sparse: ClassVar[bool] = False

    def __init__(self, params: Params, defaults: dict[str, Any]) -> None:
        self._init_hooks()
        self.check_options(defaults)
        self.defaults = defaults
        self.state: defaultdict[Tensor, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        self._forget_batches()
        if isinstance(params, Tensor) or not hasattr(params, "__iter__"):
            raise ArgumentTypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, "
                f"but got {type(params).__name__}",
                "put it in a list" if isinstance(params, Tensor) else "pass model.parameters()",
            )
        groups: list[Any] = list(params)
        if not groups:
            raise ArgumentError(
                "optimizer got an empty parameter list",
                "pass model.parameters(); a generator can be used only once",
            )
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def __init_subclass__(cls) -> None:
        if "step" in cls.__dict__:
            cls.step = with_hooks(cls.__dict__["step"])  # type: ignore[method-assign]

    def _init_hooks(self) -> None:
        self._step_hooks = StepHooks()
        self._state_dict_hooks = StateDictHooks()
        self.has_stepped = False

    @classmethod
    def check_options(cls, options: Mapping[str, Any]) -> None:
        """Check hyperparameters, all or some of them, by this algorithm's rules.

        Raises:
            ArgumentError: A value is out of its range.
            ArgumentTypeError: A value is not a number.
        """

    # -- what an algorithm overrides -----------------------------------------------------------

    def _spec(self, group: dict[str, Any]) -> StateSpec:  # noqa: ARG002 - for subclasses
        """Return the state that is kept per parameter under a group's options."""
        return STATELESS

    def _advance(self, counters: dict[str, float], group: dict[str, Any]) -> dict[str, float]:  # noqa: ARG002 - likewise
        """Return the counters of a step from those of the one before."""
        return {"step": counters["step"] + 1}

    def _check_step(self) -> None:
        """Raise if a step could not be completed, before anything is updated."""

    def _update(self, block: Any, group: dict[str, Any]) -> Terms:  # noqa: ANN401, ARG002 - a Block or a ParameterBlock
        """Update `block.data` in place, and yield each term by name as it is computed."""
        raise UnsupportedError(f"{type(self).__name__} has no update", "override step()")

    # -- use -----------------------------------------------------------------------------------

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set every parameter's `.grad` to None, or to zeros where it is not None.

        Example:
            >>> import gradstep
            >>> x = gradstep.ones(2, requires_grad=True)
            >>> optimizer = gradstep.optim.SGD([x])
            >>> x.sum().backward()
            >>> optimizer.zero_grad()
            >>> x.grad is None
            True
        """
        for group in self.param_groups:
            clear_gradients(group["params"], set_to_none)

    @calls_hooks
    def step(self, closure: Callable[[], Any] | None = None) -> Any:  # noqa: ANN401 - the closure's
        """Update every parameter that has a gradient.

        Args:
            closure: Computes the loss and calls backward; it runs first, with grad enabled.

        Returns:
            What the closure returned; None without one.
        """
        if step_hooks.in_use and not self._step_hooks.running:
            arguments = () if closure is None else (closure,)
            return self._step_hooks.call(self, Optimizer.step, arguments, {})
        loss = None if closure is None else call_with_grad(closure)
        self._check_step()
        self.has_stepped = True
        for group in self.param_groups:
            batching = self._batching(group)
            for batch in batching.batches(self.state, self._spec(group)):
                for block in batch.begin(self._advance, group):
                    for _ in self._update(block, group):
                        pass
                if batch.gathered:
                    batch.put_back()
        return loss

    def visits(self, closure: Callable[[], Any] | None = None) -> Iterator[UpdateVisit]:
        """Carry out one step, parameter by parameter, and yield each term as it is computed.

        The result is that of `step()`, bit for bit. A generator that is closed or discarded early
        completes the step first, so that no parameter is left half updated; close it before you
        change parameters or state. Hooks are called at the start and the end, as in `step()`.

        Args:
            closure: Computes the loss and calls backward; it runs first, with grad enabled.

        Yields:
            The term just computed; after its last term, a parameter has its new value.

        Example:
            >>> import gradstep
            >>> x = gradstep.tensor([1.0, 2.0], requires_grad=True)
            >>> optimizer = gradstep.optim.SGD([x], lr=0.1)
            >>> (100 * x).sum().backward()
            >>> for visit in optimizer.visits():
            ...     print(visit.term, "=", visit.formula.text, "=", visit.array)
            update = lr * grad = [10. 10.]
            param = param - update = [-9. -8.]
        """
        walk = self._visits(closure)
        try:
            for visit in walk:  # noqa: UP028 - `yield from` would close the walk along with this
                yield visit
        finally:
            for _ in walk:
                pass

    def _visits(self, closure: Callable[[], Any] | None) -> Iterator[UpdateVisit]:
        self._step_hooks.before(self, (self,), {})
        if closure is not None:
            call_with_grad(closure)
        self._check_step()
        self.has_stepped = True
        for number, group in enumerate(self.param_groups):
            for index, parameter in enumerate(group["params"]):
                if parameter._grad is not None:
                    yield from self.visits_of(number, index)
        self._step_hooks.after(self, (self,), {})

    def visits_of(self, group: int, index: int) -> Generator[UpdateVisit, None, None]:
        """Update one parameter that has a gradient, and yield each term as it is computed.

        A generator that is closed early leaves the parameter half updated.

        Args:
            group: Index of the parameter group.
            index: Index of the parameter in its group.
        """
        own = self.param_groups[group]
        self.has_stepped = True
        for key, value in self._walk(self._batch_of(own["params"][index], own), own):
            yield self._visit(group, index, key, value)

    def _visit(self, number: int, index: int, key: str, value: NDArray[Any] | float) -> UpdateVisit:
        """Return the visit of a term of parameter `index` of group `number`."""
        group = self.param_groups[number]
        parameter, names = group["params"][index], group.get("param_names")
        array = np.asarray(value)
        is_flat = array.ndim == 1 and array.size == parameter._array.size
        return UpdateVisit(
            group=number,
            index=index,
            parameter=parameter,
            name=names[index] if names else "",
            term=term_of(key),
            formula=self.TERMS[key],
            array=array.reshape(parameter._array.shape) if is_flat else array,
        )

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group of parameters, with options of its own.

        Args:
            param_group: `params` (a tensor, tensors, or `(name, tensor)` pairs) and options.

        Raises:
            ArgumentError: A parameter is in another group already, or is not a leaf.
            ArgumentTypeError: Something is not a dict, a tensor, or in a definite order.

        Example:
            >>> import gradstep
            >>> x, y = gradstep.ones(2, requires_grad=True), gradstep.ones(1, requires_grad=True)
            >>> optimizer = gradstep.optim.SGD([x], lr=0.1)
            >>> optimizer.add_param_group({"params": y, "lr": 0.01})
            >>> [group["lr"] for group in optimizer.param_groups]
            [0.1, 0.01]
        """
        if not isinstance(param_group, dict):
            raise ArgumentTypeError(
                f"param_group must be a dict, but got {type(param_group).__name__}"
            )
        params = param_group["params"]
        if isinstance(params, set | frozenset):
            raise ArgumentTypeError(
                "optimizer parameters need to be organized in ordered collections, and a set has "
                "no order",
                "pass a list",
            )
        members: list[Any] = [params] if isinstance(params, Tensor) else list(params)
        named = [isinstance(member, tuple) for member in members]
        if any(named):
            if not all(named):
                raise ArgumentError(
                    "all optimizer params should be with/without names. "
                    "Some param names are missing",
                    "name all or none",
                )
            param_group["param_names"] = [name for name, _ in members]
            members = [member for _, member in members]
        for member in members:
            self._check_parameter(member)
        if len(set(members)) != len(members):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters: each is updated "
                "as often as it occurs",
                stacklevel=3,
            )
        held = {member for group in self.param_groups for member in group["params"]}
        if not held.isdisjoint(members):
            raise ArgumentError(
                "some parameters appear in more than one parameter group", "keep each in one group"
            )
        if self.param_groups and ("param_names" in param_group) != (
            "param_names" in self.param_groups[0]
        ):
            this, first = ("with", "without") if any(named) else ("without", "with")
            raise ArgumentError(
                "all optimizer param groups should be with/without names. cannot add param group "
                f"{this} names to the optimizer: its first group is {first} names",
                "name all or none",
            )
        param_group["params"] = members
        for name, default in self.defaults.items():
            param_group.setdefault(name, default)
        self.param_groups.append(param_group)

    def _check_parameter(self, member: object) -> None:
        if not isinstance(member, Tensor):
            raise ArgumentTypeError(
                "optimizer can only optimize Tensors, but one of the params is "
                f"{type(member).__name__}"
            )
        if not (self.defaults.get("differentiable") or member.is_leaf or member.retains_grad):
            raise ArgumentError(
                "can't optimize a non-leaf Tensor",
                "optimize the tensor it was computed from, or take .detach().requires_grad_()",
            )

    def state_shape(self, entry: str, shape: tuple[int, ...]) -> tuple[int, ...]:  # noqa: ARG002 - for subclasses
        """Return the shape of a state array for a parameter's shape: by default the same."""
        return shape

    def is_state(self, entries: Mapping[str, Any]) -> bool:  # noqa: ARG002 - likewise
        """Whether entries of the right shapes can be the state of one parameter."""
        return True

    def check_gradients(self) -> None:
        """Check that all gradients are of a supported kind, before anything is updated.

        Raises:
            TensorError: A gradient is row-sparse, or for SparseAdam one is dense.
        """
        for group in self.param_groups:
            self._batching(group).check(group["params"])

    # -- saving and loading --------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Return the state and the groups' options as a dict; its tensors are the optimizer's own.

        Example:
            >>> import gradstep
            >>> x = gradstep.ones(1, requires_grad=True)
            >>> gradstep.optim.SGD([x], lr=0.5).state_dict()["param_groups"][0]["params"]
            [0]
        """
        for hook in self._state_dict_hooks.before_save:
            hook(self)
        saved = pack_state(self.param_groups, self.state)
        for hook in self._state_dict_hooks.after_save:
            changed = hook(self, saved)
            saved = saved if changed is None else changed
        return saved

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Replace state and options by those of a state dict; arrays are copied.

        Args:
            state_dict: What `state_dict()` returned, of this or of another optimizer over
                parameters of the same shapes; also torch's own, with arrays or tensors.

        Raises:
            ArgumentError: It has another number of groups, or groups of other sizes.

        Example:
            >>> import gradstep
            >>> x = gradstep.ones(1, requires_grad=True)
            >>> saved = gradstep.optim.SGD([x], lr=0.5).state_dict()
            >>> optimizer = gradstep.optim.SGD([x], lr=0.1)
            >>> optimizer.load_state_dict(saved)
            >>> optimizer.param_groups[0]["lr"]
            0.5
        """
        state_dict = dict(state_dict)
        for hook in self._state_dict_hooks.before_load:
            changed = hook(self, state_dict)
            state_dict = state_dict if changed is None else changed
        groups, state = unpack_state(state_dict, self.param_groups)
        self.__setstate__({"state": state, "param_groups": groups})
        for hook in self._state_dict_hooks.after_load:
            hook(self)

    def __getstate__(self) -> dict[str, Any]:
        return {
            "defaults": self.defaults,
            "state": self.state,
            "param_groups": self.param_groups,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "_step_hooks" not in self.__dict__:  # a copy, made without the constructor
            self._init_hooks()
        self.__dict__.update(state)
        for group in self.param_groups:
            for name, default in self.defaults.items():
                group.setdefault(name, default)
        self._forget_batches()

    # -- hooks ---------------------------------------------------------------------------------

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` before each step.

        Args:
            hook: May return new `(args, kwargs)` for the step, whose first argument is the
                optimizer.
        """
        return self._step_hooks.add_pre(hook)

    def register_step_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` after each step."""
        return self._step_hooks.add_post(hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Call `hook(optimizer)` before each `state_dict()`."""
        return self._state_dict_hooks.before_save.add(hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` after each `state_dict()`; it may return another."""
        return self._state_dict_hooks.after_save.add(hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` before each load; it may return another."""
        return self._state_dict_hooks.before_load.add(hook)

    def register_load_state_dict_post_hook(self, hook: Callable[..., None]) -> RemovableHandle:
        """Call `hook(optimizer)` after each load."""
        return self._state_dict_hooks.after_load.add(hook)

    # -- batches of parameters -----------------------------------------------------------------

    def _forget_batches(self) -> None:
        """Drop everything that was derived from groups and state."""
        self._batchings: dict[int, GroupBatching] = {}
        self._scratch: dict[np.dtype[Any], Scratch] = {}

    def _batching(self, group: dict[str, Any]) -> GroupBatching:
        batching = self._batchings.get(id(group))
        if batching is None or batching.group is not group:
            dense_only = "" if self.takes_sparse else type(self).__name__
            batching = GroupBatching(group, self._scratch, dense_only)
            self._batchings[id(group)] = batching
        return batching

    def _create_state(self) -> None:
        """Create the state of all parameters now, for algorithms that do not wait for a step."""
        for group in self.param_groups:
            self._batching(group).create(self.state, self._spec(group))

    def _batch_of(self, parameter: Tensor, group: dict[str, Any]) -> UpdateBatch:
        """Return a batch of one parameter, in one block."""
        return self._batching(group).single_batch(parameter, self.state, self._spec(group))

    def _walk(self, batch: UpdateBatch, group: dict[str, Any]) -> Terms:
        for block in batch.begin(self._advance, group):
            yield from self._update(block, group)
        if batch.gathered:
            batch.put_back()

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines += ["", f"Parameter Group {number}"] if number else ["Parameter Group 0"]
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
        return "\n".join([*lines, ")"])


class PerParameterOptimizer(Optimizer):
    """An optimizer whose `_update` gets a `ParameterBlock` for each parameter."""

    def _shapes(self, shape: tuple[int, ...]) -> dict[str, tuple[int, ...]]:  # noqa: ARG002 - for subclasses
        """Return the shapes of the arrays that are kept for a parameter's shape."""
        return {}

    def state_shape(self, entry: str, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of a state array for a parameter's shape."""
        return self._shapes(shape).get(entry, shape)

    def is_state(self, entries: Mapping[str, Any]) -> bool:
        """Whether all entries are arrays, and the step count is a number."""
        return all(isinstance(kept, (np.ndarray, list)) for kept in entries.values()) and (
            np.ndim(entries.get("step", 0.0)) == 0
        )

    def _batching(self, group: dict[str, Any]) -> GroupBatching:
        dense_only = "" if self.takes_sparse else type(self).__name__
        return PerParameterBatching(group, self._scratch, dense_only, self._shapes)
