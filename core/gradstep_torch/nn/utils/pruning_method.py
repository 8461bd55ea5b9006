"""Pruning: a parameter that is multiplied by a mask of 0 and 1 before every forward."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from gradstep.autograd import creation, grad_mode
from gradstep.errors import ArgumentError, TensorIndexError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gradstep.autograd.tensor import Tensor
    from gradstep.nn.module import Module
    from gradstep.nn.module_hooks import HookHandle

__all__ = ["BasePruningMethod", "PruningContainer", "combined_mask", "pruning_of"]


class BasePruningMethod:
    """A way to choose what is pruned; subclasses define `compute_mask`, and `apply` prunes.

    Attributes:
        PRUNING_TYPE: "unstructured" for a choice among elements that are left, "structured" among
            slices along `dim`, "global" among all elements.

    Example:
        >>> from gradstep_torch import nn
        >>> class EverySecond(BasePruningMethod):
        ...     PRUNING_TYPE = "unstructured"
        ...
        ...     def compute_mask(self, t, default_mask):
        ...         mask = default_mask.clone()
        ...         mask.view(-1)[::2] = 0
        ...         return mask
        >>> layer = nn.Linear(4, 1)
        >>> _ = EverySecond.apply(layer, "weight")
        >>> layer.weight_mask
        tensor([[0., 1., 0., 1.]])
    """

    PRUNING_TYPE: ClassVar[str] = "global"
    _tensor_name: str = ""
    _handle: HookHandle | None = None

    def __call__(self, module: Module, _: Any) -> None:
        """Set the parameter to what is left of it; modules call it before their forward."""
        setattr(module, self._tensor_name, self.apply_mask(module))

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return what is left, as 1, and what is pruned, as 0.

        Args:
            t: What the choice goes by: the parameter, or scores.
            default_mask: What was left before.
        """
        raise NotImplementedError("a pruning method defines compute_mask(self, t, default_mask)")

    def apply_mask(self, module: Module) -> Tensor:
        """Return the original parameter times the mask."""
        mask = getattr(module, f"{self._tensor_name}_mask")
        original = getattr(module, f"{self._tensor_name}_orig")
        pruned: Tensor = mask.to(original.dtype) * original
        return pruned

    @classmethod
    def apply(
        cls,
        module: Module,
        name: str,
        *args: Any,
        importance_scores: Tensor | None = None,
        **kwargs: Any,
    ) -> BasePruningMethod:
        """Prune a parameter; what was pruned before stays so.

        Args:
            module: What has the parameter.
            name: Of the parameter; `name_orig` takes its place, and `name_mask` is a buffer.
            args: Go to the constructor.
            importance_scores: What the choice goes by, in place of the parameter.
            kwargs: Go to the constructor.

        Returns:
            The hook on the module: this method, or a PruningContainer of all so far.

        Raises:
            ArgumentError: There is no such parameter, or the choice is none.
        """
        method = cls(*args, **kwargs)
        method._tensor_name = name
        before = pruning_of(module, name)
        tensor = getattr(module, name, None)
        if tensor is None:
            raise ArgumentError(f"{type(module).__name__} has no parameter '{name}' to prune")
        scores = tensor if importance_scores is None else importance_scores
        if scores.shape != tensor.shape:
            raise ArgumentError(
                f"importance_scores should have the same shape as parameter {name}, got "
                f"{list(scores.shape)} vs {list(tensor.shape)}"
            )
        with grad_mode.no_grad():
            if before is None:
                mask = method.compute_mask(scores, creation.ones_like(tensor))
            else:
                mask = combined_mask(method, scores, getattr(module, f"{name}_mask").clone())
        hook = method
        if before is None:
            module.register_parameter(f"{name}_orig", tensor)
            delattr(module, name)
        else:
            earlier = list(before) if isinstance(before, PruningContainer) else [before]
            hook = PruningContainer(*earlier, method)
            before.unhook()
        module.register_buffer(f"{name}_mask", mask)
        hook(module, ())
        hook._handle = module.register_forward_pre_hook(hook)
        return hook

    def unhook(self) -> None:
        """Take the hook off its module, which keeps mask and original."""
        if self._handle is not None:
            self._handle.remove()

    def prune(
        self,
        t: Tensor,
        default_mask: Tensor | None = None,
        importance_scores: Tensor | None = None,
    ) -> Tensor:
        """Return a tensor with what is chosen set to 0; no module has to do with it."""
        mask = creation.ones_like(t) if default_mask is None else default_mask
        scores = t if importance_scores is None else importance_scores
        pruned: Tensor = t * self.compute_mask(scores, mask)
        return pruned

    def remove(self, module: Module) -> None:
        """Make what is left the parameter; what was pruned is 0 then, and can be trained again."""
        name = self._tensor_name
        original = getattr(module, f"{name}_orig")
        with grad_mode.no_grad():
            original.data = self.apply_mask(module)
        for part in ("", "_orig", "_mask"):
            delattr(module, name + part)
        setattr(module, name, original)
        self.unhook()


class PruningContainer(BasePruningMethod):
    """Several methods that have pruned one parameter, one after the other."""

    def __init__(self, *methods: BasePruningMethod) -> None:
        self._pruning_methods = methods
        if methods:
            self._tensor_name = methods[0]._tensor_name

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return what the last method leaves of what was left before."""
        return combined_mask(self._pruning_methods[-1], t, default_mask)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[BasePruningMethod]:
        return iter(self._pruning_methods)

    def __getitem__(self, place: int) -> BasePruningMethod:
        return self._pruning_methods[place]


def combined_mask(method: BasePruningMethod, t: Tensor, mask: Tensor) -> Tensor:
    """Return what a method leaves of what was left before.

    Args:
        method: The method.
        t: What its choice goes by.
        mask: What was left before.

    Raises:
        ArgumentError: Its PRUNING_TYPE is unknown.
        TensorIndexError: The tensor has no dimension `dim`.
    """
    kind = method.PRUNING_TYPE
    among: Any
    if kind == "unstructured":
        among = mask == 1
    elif kind == "structured":
        dim = getattr(method, "dim", 0)
        if not -t.ndim <= dim < t.ndim:
            raise TensorIndexError(f"Invalid index {dim} for tensor of size {list(t.shape)}")
        others = [axis for axis in range(t.ndim) if axis != dim % t.ndim]
        among = (*[slice(None)] * (dim % t.ndim), mask.sum(others) != 0)
    elif kind == "global":
        among = slice(None)
    else:
        raise ArgumentError(
            f"Unrecognized PRUNING_TYPE {kind}", 'use "unstructured", "structured" or "global"'
        )
    made = mask.to(t.dtype)
    made[among] = method.compute_mask(t[among], mask[among]).to(t.dtype)
    return made


def pruning_of(module: Module, name: str) -> BasePruningMethod | None:
    """Return the hook that prunes a parameter, None where it is not pruned."""
    for hook in module._forward_pre_hooks.values():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            return hook
    return None
