"""Optimizer: what all algorithms share; an algorithm adds one generator, its update."""

from __future__ import annotations

import warnings
from collections import defaultdict
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.clearing import clear_gradients
from gradstep.autograd.tensor import Tensor
from gradstep.errors import ArgumentError, ArgumentTypeError, UnsupportedError
from gradstep.optim import hooks
from gradstep.optim.batching import GroupPlan
from gradstep.optim.hooks import StepHooks, calling_hooks
from gradstep.optim.state_dict import StateDict
from gradstep.optim.storage import STATELESS, StateSpec
from gradstep.optim.term import UpdateVisit, term_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from gradstep.optim.parameter_batch import Lane, Scratch
    from gradstep.optim.per_parameter import WholeLane
    from gradstep.optim.term import Formula, Terms

__all__ = ["Optimizer", "Params", "as_number", "call_with_grad"]

Params: TypeAlias = "Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]"


class Optimizer(StateDict, StepHooks):
    """Holds parameters in groups, and updates them in place from their gradients.

    An algorithm is a subclass with an `_update` generator. `step` runs it over many parameters at
    once; `visits` walks it term by term; the arithmetic is written once.

    Args:
        params: Tensors, `(name, tensor)` pairs, or dicts with `params` and options of their own.
        defaults: The options of groups that do not set them.

    Attributes:
        TERMS: What each term that `_update` names stands for.
        takes_sparse: Whether it takes row-sparse gradients, those of `Embedding(sparse=True)`.
        needs_closure: Whether `step` cannot do without a closure, since it evaluates the loss.
        param_groups: The groups: dicts with `params` and the group's options.
        state: For each parameter, a dict of its state.
        defaults: The options of groups that do not set them.

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
        super().__init__()
        self.check_options(defaults)
        self.defaults = defaults
        self.state: defaultdict[Tensor, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        self._forget_plans()
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

    @classmethod
    def check_options(cls, options: Mapping[str, Any]) -> None:
        """Check hyper-parameters, all or some of them, by this algorithm's rules.

        Raises:
            ArgumentError: A value is out of its range.
            ArgumentTypeError: A value is not a number.
        """

    # -- what an algorithm provides ------------------------------------------------------------

    def _spec(self, group: dict[str, Any]) -> StateSpec:  # noqa: ARG002 - for subclasses
        """Return the state that is kept per parameter under a group's options."""
        return STATELESS

    def _advance(self, counters: dict[str, float], group: dict[str, Any]) -> dict[str, float]:  # noqa: ARG002 - likewise
        """Return the counters of a step from those of the one before."""
        return {"step": counters["step"] + 1}

    def _check_step(self) -> None:
        """Refuse a step that cannot be carried out to its end, before anything is updated."""

    def _update(self, block: Any, group: dict[str, Any]) -> Terms:  # noqa: ANN401, ARG002 - a Block; a WholeBlock where a parameter is needed whole
        """Update `block.data` in place, and yield each term by name as soon as it is there."""
        raise UnsupportedError(
            f"{type(self).__name__} does not say how it updates", "override step()"
        )

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

    @calling_hooks
    def step(self, closure: Callable[[], Any] | None = None) -> Any:  # noqa: ANN401 - the closure's
        """Update every parameter that has a gradient.

        Args:
            closure: Computes the loss anew and calls backward; it runs first, with grad enabled.

        Returns:
            What the closure returned; None without one.
        """
        if hooks.in_use and not self._inside_step:
            return self._between_hooks(Optimizer.step, () if closure is None else (closure,), {})
        loss = None if closure is None else call_with_grad(closure)
        self._check_step()
        self.has_stepped = True
        for group in self.param_groups:
            plan = self._plan(group)
            for lane in plan.lanes(self.state, self._spec(group)):
                for block in lane.begin(self._advance, group):
                    for _ in self._update(block, group):
                        pass
                if lane.gathered:
                    lane.put_back()
        return loss

    def visits(self, closure: Callable[[], Any] | None = None) -> Iterator[UpdateVisit]:
        """Carry out one step, parameter by parameter, and yield each term as it is computed.

        The outcome is that of `step()`, bit for bit, however far the walk is followed: a generator
        that is closed or let go of early carries out the rest of the step first, so that no
        parameter is left half updated. Close it before you give parameters or state other values.
        Hooks are called at the start and the end, as in `step()`.

        Args:
            closure: Computes the loss anew and calls backward; it runs first, with grad enabled.

        Yields:
            The term just computed; after the last term of a parameter it has its new value.

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
        self._before_step((self,), {})
        if closure is not None:
            call_with_grad(closure)
        self._check_step()
        self.has_stepped = True
        for number, group in enumerate(self.param_groups):
            for index, parameter in enumerate(group["params"]):
                if parameter._grad is not None:
                    yield from self.visits_of(number, index)
        self._after_step((self,), {})

    def visits_of(self, group: int, index: int) -> Generator[UpdateVisit, None, None]:
        """Update one parameter that has a gradient, and yield each term as it is computed.

        A generator that is closed early leaves it half updated.

        Args:
            group: Index of the parameter group.
            index: Index of the parameter in its group.
        """
        own = self.param_groups[group]
        self.has_stepped = True
        for key, value in self._walk(self._lane_of(own["params"][index], own), own):
            yield self._visit(group, index, key, value)

    def _visit(self, number: int, index: int, key: str, value: NDArray[Any] | float) -> UpdateVisit:
        """Return the visit of a term of parameter `index` of group `number`."""
        group = self.param_groups[number]
        parameter, names = group["params"][index], group.get("param_names")
        array = np.asarray(value)
        whole = array.size == parameter._array.size and array.ndim
        return UpdateVisit(
            group=number,
            index=index,
            parameter=parameter,
            name=names[index] if names else "",
            term=term_of(key),
            formula=self.TERMS[key],
            array=array.reshape(parameter._array.shape) if whole else array,
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
        """Return the shape of a state array for a parameter of some shape: most have the same."""
        return shape

    def is_state(self, entries: Mapping[str, Any]) -> bool:  # noqa: ARG002 - likewise
        """Whether entries of the right shapes can be the state of one parameter: as a rule, yes."""
        return True

    def check_gradients(self) -> None:
        """Refuse gradients that it does not take, before anything is updated.

        Raises:
            TensorError: There is a row-sparse gradient, or for SparseAdam one that is not.
        """
        for group in self.param_groups:
            self._plan(group).check(group["params"])

    # -- inside --------------------------------------------------------------------------------

    def _forget_plans(self) -> None:
        self._plans: dict[int, GroupPlan] = {}
        self._scratch: dict[np.dtype[Any], Scratch] = {}

    def _plan(self, group: dict[str, Any]) -> GroupPlan:
        plan = self._plans.get(id(group))
        if plan is None or plan.group is not group:
            plan = self._plans[id(group)] = GroupPlan(group, self._scratch)
            plan.refusing = self._refusing
        return plan

    @property
    def _refusing(self) -> str:
        """The name by which it refuses row-sparse gradients; empty when it takes them."""
        return "" if self.takes_sparse else type(self).__name__

    def _create_state(self) -> None:
        """Make the state of all parameters now, for algorithms that do not wait for a step."""
        for group in self.param_groups:
            self._plan(group).create(self.state, self._spec(group))

    def _lane_of(self, parameter: Tensor, group: dict[str, Any]) -> Lane | WholeLane:
        """Return a lane that updates one parameter as a whole."""
        return self._plan(group).single_lane(parameter, self.state, self._spec(group))

    def _walk(self, lane: Lane | WholeLane, group: dict[str, Any]) -> Terms:
        for block in lane.begin(self._advance, group):
            yield from self._update(block, group)
        if lane.gathered:
            lane.put_back()

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines += ["", f"Parameter Group {number}"] if number else ["Parameter Group 0"]
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
        return "\n".join([*lines, ")"])


def call_with_grad(closure: Callable[[], Any]) -> Any:  # noqa: ANN401 - the closure's own
    """Return what the closure returns, called with grad enabled."""
    with grad_mode.enable_grad():
        return closure()


def as_number(loss: Tensor | float) -> float:
    """Return what a closure gave as a number."""
    return float(loss.item() if isinstance(loss, Tensor) else loss)
