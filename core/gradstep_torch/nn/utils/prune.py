"""Pruning: parameters multiplied by masks of 0 and 1 before every forward."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from gradstep.autograd import creation, grad_mode
from gradstep.errors import ArgumentError, ArgumentTypeError, TensorIndexError
from gradstep.nn.module import Module
from gradstep_torch.missing_names import missing_from
from gradstep_torch.nn.utils.convert_parameters import parameters_to_vector
from gradstep_torch.ops.sorting import sort, topk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gradstep.autograd.tensor import Tensor
    from gradstep.nn.module_hooks import HookHandle

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


class BasePruningMethod:
    """The base class of pruning methods; subclasses define `compute_mask`, and `apply` prunes.

    Attributes:
        PRUNING_TYPE: "unstructured" prunes elements that are left, "structured" slices along `dim`,
            "global" any elements.

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
        """Set the parameter to its masked value; called before the module's forward."""
        setattr(module, self._tensor_name, self.apply_mask(module))

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return a mask with 1 for kept elements and 0 for pruned ones.

        Args:
            t: The parameter, or the importance scores.
            default_mask: The mask so far.
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
        """Prune a parameter; already pruned elements stay pruned.

        Args:
            module: The module of the parameter.
            name: The parameter's name; `name_orig` replaces it, and `name_mask` is a buffer.
            args: Passed to the constructor.
            importance_scores: Scores to use in place of the parameter.
            kwargs: Passed to the constructor.

        Returns:
            The hook on the module: this method, or a PruningContainer of all methods so far.

        Raises:
            ArgumentError: There is no such parameter, or the scores have another shape.
        """
        method = cls(*args, **kwargs)
        method._tensor_name = name
        before = _pruning_of(module, name)
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
                mask = _combined_mask(method, scores, getattr(module, f"{name}_mask").clone())
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
        """Remove the hook from its module, which keeps mask and original."""
        if self._handle is not None:
            self._handle.remove()

    def prune(
        self,
        t: Tensor,
        default_mask: Tensor | None = None,
        importance_scores: Tensor | None = None,
    ) -> Tensor:
        """Return a pruned copy of a tensor; no module is involved."""
        mask = creation.ones_like(t) if default_mask is None else default_mask
        scores = t if importance_scores is None else importance_scores
        pruned: Tensor = t * self.compute_mask(scores, mask)
        return pruned

    def remove(self, module: Module) -> None:
        """Make the masked value the parameter; pruned elements are 0 and can be trained again."""
        name = self._tensor_name
        original = getattr(module, f"{name}_orig")
        with grad_mode.no_grad():
            original.data = self.apply_mask(module)
        for part in ("", "_orig", "_mask"):
            delattr(module, name + part)
        setattr(module, name, original)
        self.unhook()


class PruningContainer(BasePruningMethod):
    """Several methods applied to one parameter, in order."""

    def __init__(self, *methods: BasePruningMethod) -> None:
        self._pruning_methods = methods
        if methods:
            self._tensor_name = methods[0]._tensor_name

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask of the last method combined with the mask so far."""
        return _combined_mask(self._pruning_methods[-1], t, default_mask)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[BasePruningMethod]:
        return iter(self._pruning_methods)

    def __getitem__(self, place: int) -> BasePruningMethod:
        return self._pruning_methods[place]


class Identity(BasePruningMethod):
    """Prunes nothing; registers a mask of ones."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask unchanged."""
        del t
        return default_mask


class _Amount(BasePruningMethod):
    """Prunes a number or a fraction of the candidates."""

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
        """Return the number to prune out of `size`."""
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
        """Return the mask with random elements zeroed."""
        number, mask = self._number(t.numel()), default_mask.clone()
        if number:
            drawn = topk(creation.empty(*t.shape, dtype=t.dtype).uniform_().view(-1), number)[1]
            mask.view(-1)[drawn] = 0
        return mask


class L1Unstructured(_Amount):
    """Prunes the elements of smallest absolute value."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask with the smallest elements zeroed."""
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
        """Return the mask with the chosen slices zeroed."""
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
        """Return for each slice whether it is kept."""
        raise NotImplementedError  # pragma: no cover - abstract


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
    """Prunes by a given mask."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the product of both masks."""
        del t
        if default_mask.shape != self.mask.shape:
            raise ArgumentError(
                f"the mask has shape {list(self.mask.shape)}, the parameter "
                f"{list(default_mask.shape)}"
            )
        mask: Tensor = default_mask * self.mask.to(default_mask.dtype)
        return mask


def identity(module: _M, name: str) -> _M:
    """Register a mask of ones, and return the module."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: _M, name: str, amount: float) -> _M:
    """Prune elements of a parameter at random, and return the module.

    Args:
        module: The module of the parameter.
        name: The parameter's name; `name_orig` replaces it, and `name_mask` is a buffer.
        amount: The number of elements to prune, or the fraction of those that are left.
    """
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(
    module: _M, name: str, amount: float, importance_scores: Tensor | None = None
) -> _M:
    """Prune the elements of a parameter of smallest absolute value, and return the module.

    Args:
        module: The module of the parameter.
        name: The parameter's name.
        amount: The number of elements to prune, or the fraction of those that are left.
        importance_scores: Scores to use in place of the parameter.

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
    """Prune where a mask of the parameter's shape is 0, and return the module."""
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
        parameters: Modules with names of their parameters.
        pruning_method: An unstructured method, such as `L1Unstructured`.
        importance_scores: Scores to use in place of some parameters.
        kwargs: Passed to the method, such as `amount`.

    Raises:
        ArgumentTypeError: The method is not unstructured.
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
        final = _combined_mask(method, flat, parameters_to_vector(masks))
    start = 0
    for (module, name), tensor in zip(chosen, tensors, strict=True):
        stop = start + tensor.numel()
        custom_from_mask(module, name, final[start:stop].reshape(tensor.shape))
        start = stop


def remove(module: _M, name: str) -> _M:
    """Make the masked value an ordinary parameter, and return the module.

    Raises:
        ArgumentError: It is not pruned.
    """
    hook = _pruning_of(module, name)
    if hook is None:
        raise ArgumentError(
            f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed"
        )
    hook.remove(module)
    return module


def is_pruned(module: Module) -> bool:
    """Return whether any parameter of the module or its descendants is pruned."""
    return any(
        isinstance(hook, BasePruningMethod)
        for inner in module.modules()
        for hook in inner._forward_pre_hooks.values()
    )


def _combined_mask(method: BasePruningMethod, t: Tensor, mask: Tensor) -> Tensor:
    """Return the mask of a method combined with the mask so far.

    Args:
        method: The method.
        t: The parameter, or the importance scores.
        mask: The mask so far.

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


def _pruning_of(module: Module, name: str) -> BasePruningMethod | None:
    """Return the hook that prunes a parameter, or None."""
    for hook in module._forward_pre_hooks.values():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            return hook
    return None


if not TYPE_CHECKING:  # type checkers must see only the real names
    __getattr__ = missing_from(__name__)
