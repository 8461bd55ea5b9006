"""Ways to choose what of a parameter is pruned; as in torch.nn.utils.prune."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypeVar

from gradstep.autograd import creation, grad_mode
from gradstep.autograd.ops.extrema import sort, topk
from gradstep.errors import ArgumentError, ArgumentTypeError, TensorIndexError
from gradstep.missing_names import missing_from
from gradstep.nn.module import Module
from gradstep_torch.nn.utils.convert_parameters import parameters_to_vector
from gradstep_torch.nn.utils.pruning_method import (
    BasePruningMethod,
    PruningContainer,
    combined_mask,
    pruning_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gradstep.autograd.tensor import Tensor

__all__ = [
    "BasePruningMethod",
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "PruningContainer",
    "RandomStructured",
    "RandomUnstructured",
    "custom_from_mask",
    "global_unstructured",
    "identity",
    "is_pruned",
    "l1_unstructured",
    "ln_structured",
    "random_structured",
    "random_unstructured",
    "remove",
]

_M = TypeVar("_M", bound=Module)


class Identity(BasePruningMethod):
    """Prunes nothing, but puts mask and original in place."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return what was left before."""
        del t
        return default_mask


class _Amount(BasePruningMethod):
    """Prunes a number, or a share, of what there is."""

    def __init__(self, amount: float) -> None:
        if not isinstance(amount, Real):
            raise ArgumentTypeError(f"Invalid type for amount: {amount}. Must be int or float.")
        if amount < 0 or (not isinstance(amount, Integral) and amount > 1):
            raise ArgumentError(
                f"amount={amount} should either be a float in the range [0, 1] or a non-negative "
                "integer"
            )
        self.amount: float = amount

    def _number(self, size: int) -> int:
        """Return how many of `size` are pruned."""
        wanted = self.amount
        number = int(wanted) if isinstance(wanted, Integral) else round(wanted * size)
        if number > size:
            raise ArgumentError(
                f"amount={number} should be smaller than the number of parameters to prune={size}"
            )
        return number


class RandomUnstructured(_Amount):
    """Prunes elements at random."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask without the elements that were drawn."""
        number, mask = self._number(t.numel()), default_mask.clone()
        if number:
            drawn = topk(creation.empty(*t.shape, dtype=t.dtype).uniform_().view(-1), number)[1]
            mask.view(-1)[drawn] = 0
        return mask


class L1Unstructured(_Amount):
    """Prunes the elements that are nearest to 0."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask without the smallest elements."""
        number, mask = self._number(t.numel()), default_mask.clone()
        if number:
            mask.view(-1)[topk(t.abs().reshape(-1), number, largest=False)[1]] = 0
        return mask


class _Structured(_Amount):
    """Prunes whole slices along a dimension."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask without the slices that were chosen."""
        if t.ndim < 2:  # noqa: PLR2004 - slices of a vector are elements
            raise ArgumentError(
                "Structured pruning can only be applied to multidimensional tensors. Found tensor "
                f"of shape {list(t.shape)} with {t.ndim} dims"
            )
        if not -t.ndim <= self.dim < t.ndim:
            raise TensorIndexError(f"Invalid index {self.dim} for tensor of size {list(t.shape)}")
        number = self._number(t.shape[self.dim])
        if not number:
            return default_mask
        kept = self._kept(t, number).to(t.dtype)
        shape = [1] * t.ndim
        shape[self.dim] = t.shape[self.dim]
        mask: Tensor = default_mask.to(t.dtype) * kept.reshape(shape)
        return mask

    def _kept(self, t: Tensor, number: int) -> Tensor:
        """Return for each slice whether it is left."""
        raise NotImplementedError  # pragma: no cover - every way has its choice


class RandomStructured(_Structured):
    """Prunes slices at random."""

    def _kept(self, t: Tensor, number: int) -> Tensor:
        drawn = creation.empty(t.shape[self.dim]).uniform_()
        return drawn > sort(drawn)[0][number - 1]


class LnStructured(_Structured):
    """Prunes the slices of the smallest norm."""

    def __init__(self, amount: float, n: float, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def _kept(self, t: Tensor, number: int) -> Tensor:
        others = [axis for axis in range(t.ndim) if axis != self.dim % t.ndim]
        size = t.shape[self.dim]
        kept = creation.zeros(size)
        kept[topk(t.norm(self.n, others), size - number)[1]] = 1
        return kept


class CustomFromMask(BasePruningMethod):
    """Prunes what a mask says."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return what both masks leave."""
        del t
        if default_mask.shape != self.mask.shape:
            raise ArgumentError(
                f"the mask has shape {list(self.mask.shape)}, the parameter "
                f"{list(default_mask.shape)}"
            )
        mask: Tensor = default_mask * self.mask.to(default_mask.dtype)
        return mask


def identity(module: _M, name: str) -> _M:
    """Put a mask of ones and the original in place, and return the module."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: _M, name: str, amount: float) -> _M:
    """Prune elements of a parameter at random, and return the module.

    Args:
        module: What has the parameter.
        name: Of the parameter; `name_orig` takes its place, and `name_mask` is a buffer.
        amount: How many, or which share of those that are left.
    """
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(
    module: _M, name: str, amount: float, importance_scores: Tensor | None = None
) -> _M:
    """Prune the elements of a parameter that are nearest to 0, and return the module.

    Args:
        module: What has the parameter.
        name: Of the parameter.
        amount: How many, or which share of those that are left.
        importance_scores: What counts in place of the parameter's elements.

    Example:
        >>> import gradstep_torch as torch
        >>> layer = torch.nn.Linear(3, 1)
        >>> layer.weight.data = torch.tensor([[1.0, 0.1, 0.5]])
        >>> l1_unstructured(layer, "weight", amount=1).weight.tolist()
        [[1.0, 0.0, 0.5]]
    """
    L1Unstructured.apply(module, name, amount, importance_scores=importance_scores)
    return module


def random_structured(module: _M, name: str, amount: float, dim: int) -> _M:
    """Prune slices of a parameter along `dim` at random, and return the module."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: _M,
    name: str,
    amount: float,
    n: float,
    dim: int,
    importance_scores: Tensor | None = None,
) -> _M:
    """Prune the slices of a parameter along `dim` whose n-norm is smallest; return the module."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: _M, name: str, mask: Tensor) -> _M:
    """Prune what a mask of the parameter's shape has as 0, and return the module."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Iterable[tuple[Module, str]],
    pruning_method: type[BasePruningMethod],
    importance_scores: Mapping[tuple[Module, str], Tensor] | None = None,
    **kwargs: Any,
) -> None:
    """Prune several parameters as if they were one.

    Args:
        parameters: Modules, and names of their parameters.
        pruning_method: A way to choose among elements, such as `L1Unstructured`.
        importance_scores: What counts in place of some parameters' elements.
        kwargs: Go to the method, such as `amount`.

    Raises:
        ArgumentTypeError: The method chooses something else than elements.
    """
    chosen = list(parameters)
    scores = importance_scores or {}
    method = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise ArgumentTypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
            f"{pruning_method.__name__} of type {method.PRUNING_TYPE}"
        )
    tensors = [getattr(module, name) for module, name in chosen]
    with grad_mode.no_grad():
        flat = parameters_to_vector(
            scores.get(place, tensor) for place, tensor in zip(chosen, tensors, strict=True)
        )
        masks = (
            getattr(module, f"{name}_mask", creation.ones_like(tensor))
            for (module, name), tensor in zip(chosen, tensors, strict=True)
        )
        final = combined_mask(method, flat, parameters_to_vector(masks))
    start = 0
    for (module, name), tensor in zip(chosen, tensors, strict=True):
        stop = start + tensor.numel()
        custom_from_mask(module, name, final[start:stop].reshape(tensor.shape))
        start = stop


def remove(module: _M, name: str) -> _M:
    """Make what is left of a parameter an ordinary parameter, and return the module.

    Raises:
        ArgumentError: It is not pruned.
    """
    hook = pruning_of(module, name)
    if hook is None:
        raise ArgumentError(
            f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed"
        )
    hook.remove(module)
    return module


def is_pruned(module: Module) -> bool:
    """Tell whether any parameter of a module, or of one inside it, is pruned."""
    return any(
        isinstance(hook, BasePruningMethod)
        for inner in module.modules()
        for hook in inner._forward_pre_hooks.values()
    )


if not TYPE_CHECKING:  # else every name would seem to be there
    __getattr__ = missing_from(__name__)
