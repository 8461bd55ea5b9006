"""Tensor: an array that knows whether it requires grad, and which node recorded it.

The operations are defined in `ops`, above this module, and `gradstep.autograd.methods` installs
them as methods. They are declared here for type checkers and readers.
"""

from __future__ import annotations

import copy
import warnings
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast
from weakref import ref

import numpy as np

from gradstep.autograd import dtypes, grad_mode
from gradstep.autograd.array_holder import ArrayHolder
from gradstep.autograd.hooks import RemovableHandle, TensorHooks
from gradstep.errors import ArgumentTypeError, TensorError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Self

    from numpy.typing import NDArray

    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import Dims, DTypeLike, Number
    from gradstep.autograd.graph import Edge, Node
    from gradstep.random import Generator

__all__ = ["Tensor", "edge", "view_of", "wrap"]

# Arithmetic on tensors never warns: a diverging training shows its infinities as values. Why this
# applies to the whole thread: "NumPy's warnings" in ARCHITECTURE.md.
np.seterr(all="ignore")


class Tensor(ArrayHolder):
    """An array with a gradient.

    Args:
        data: Numbers, nested sequences or an array; or the sizes of an uninitialized tensor.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([1.0, 2.0], requires_grad=True)
        >>> (100 * x).sum().backward()
        >>> x.grad
        tensor([100., 100.])
    """

    __slots__ = (
        "__weakref__",
        "_base",
        "_grad",
        "_grad_fn",
        "_hooks",
        "_requires_grad",
        "_version_counter",
        "_views",
    )
    __array_priority__: ClassVar[int] = 1000
    __module__ = "gradstep"  # the public name, which its type prints

    _base: Tensor | None
    _grad: Tensor | None
    _grad_fn: Node | None
    _hooks: TensorHooks | None
    _requires_grad: bool
    _version_counter: list[int]
    _views: list[ref[Tensor]] | None

    def __new__(cls, *data: object, **_: object) -> Self:
        made = object.__new__(cls)
        if not data or isinstance(data[0], int):
            array = np.zeros(cast("tuple[int, ...]", data) if data else (0,), dtypes.default)
        else:
            source = data[0]
            array = source._array if isinstance(source, Tensor) else np.asarray(source)
            if not isinstance(source, Tensor):
                array = array.astype(dtypes.default)
        _fill(made, array)
        return made

    # -- state ---------------------------------------------------------------------------------

    @property
    def requires_grad(self) -> bool:
        """Whether operations on it are recorded, so that it gets a gradient."""
        return self._requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if self._grad_fn is not None:
            if value:
                return
            raise TensorError(
                "you can only change requires_grad flags of leaf variables",
                "use detach() to get a tensor that does not require grad",
            )
        if value and self._version_counter[0] < first_version:
            raise TensorError(
                "Setting requires_grad=True on inference tensor outside InferenceMode is not "
                "allowed",
                "clone() it first",
            )
        if value and self._array.dtype.kind != "f":
            raise TensorError(
                "Only Tensors of floating point and complex dtype can require gradients, "
                f"not {self._array.dtype}",
                "convert with .float() first",
            )
        self._requires_grad = bool(value)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set `requires_grad` and return the tensor itself."""
        if not isinstance(requires_grad, bool):
            raise ArgumentTypeError(
                "requires_grad_(): argument 'requires_grad' must be bool, "
                f"not {type(requires_grad).__name__}"
            )
        self.requires_grad = requires_grad
        return self

    @property
    def grad(self) -> Tensor | None:
        """The accumulated gradient; None before the first backward pass."""
        if self._grad is None and self._grad_fn is not None and not self.retains_grad:
            warnings.warn(
                "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. It "
                "is filled only if you call retain_grad() on the tensor before backward().",
                UserWarning,
                stacklevel=2,
            )
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            if not isinstance(value, Tensor):
                raise ArgumentTypeError(
                    "assigned grad expected to be a Tensor or None but got grad of type "
                    f"{type(value).__name__}"
                )
            if value._array.shape != self._array.shape:
                raise TensorError(
                    f"attempting to assign a gradient of size {list(value._array.shape)} to a "
                    f"tensor of size {list(self._array.shape)}; they must be equal"
                )
            if value._array.dtype != self._array.dtype:
                raise TensorError(
                    f"attempting to assign a gradient with dtype {value._array.dtype} to a tensor "
                    f"with dtype {self._array.dtype}; they must be equal"
                )
            if value is self:
                raise TensorError("a tensor cannot be its own gradient")
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    @property
    def grad_fn(self) -> Node | None:
        """The node of the operation that computed it; None for a leaf."""
        node = self._grad_fn
        return None if node is None else node.as_kind()

    @property
    def is_leaf(self) -> bool:
        """Whether it is not the result of a recorded operation."""
        return self._grad_fn is None

    @property
    def is_sparse(self) -> bool:
        """Whether it tracks which of its rows may be nonzero; see `row_sparse`."""
        return getattr(self._array, "rows", None) is not None

    @property
    def data(self) -> Tensor:
        """A new tensor with the same memory, detached from autograd and the version counter."""
        return wrap(self._array)

    @data.setter
    def data(self, value: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise ArgumentTypeError(
                f"Variable data has to be a tensor, but got {type(value).__name__}"
            )
        self._array = value._array

    @property
    def _version(self) -> int:
        """The number of in-place writes to its memory."""
        if self.is_inference():
            raise TensorError("Inference tensors do not track version counter", "clone() it first")
        return self._version_counter[0]

    def is_inference(self) -> bool:
        """Return whether it was created in inference mode."""
        return self._version_counter[0] < 0

    def numpy(self, *, force: bool = False) -> NDArray[Any]:
        """Return the array; it shares the memory."""
        if self._requires_grad and not force:
            raise TensorError(
                "Can't call numpy() on Tensor that requires grad",
                "use tensor.detach().numpy() instead",
            )
        return self._array

    def __array__(
        self, dtype: np.dtype[Any] | None = None, copy: bool | None = None
    ) -> NDArray[Any]:
        return np.array(self.numpy(), dtype, copy=copy)

    def __array_wrap__(
        self,
        array: NDArray[Any],
        context: object = None,
        return_scalar: bool = False,
    ) -> Tensor:
        return wrap(array)

    def __format__(self, spec: str) -> str:
        if type(self) is Tensor and not self._array.ndim:
            return format(self._array.item(), spec)
        if spec:
            raise ArgumentTypeError(
                f"unsupported format string passed to {type(self).__name__}.__format__",
                "format the .item() of a single element, or the .tolist()",
            )
        return repr(self)

    def __float__(self) -> float:
        if self._requires_grad and grad_mode.current.enabled:
            warnings.warn(
                "Converting a tensor with requires_grad=True to a scalar may lead to unexpected "
                "behavior: no gradient goes through the number. Use tensor.detach() or .item().",
                UserWarning,
                stacklevel=2,
            )
        return super().__float__()

    def __deepcopy__(self, memo: dict[int, object]) -> Tensor:
        if self._grad_fn is not None:
            raise TensorError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
                "protocol at the moment",
                "copy detach() of it, or use clone()",
            )
        made = object.__new__(type(self))
        memo[id(self)] = made
        _fill(made, self._array.copy())
        made._requires_grad = self._requires_grad
        made._grad = copy.deepcopy(self._grad, memo)
        return made

    # -- gradients -----------------------------------------------------------------------------

    def detach(self) -> Tensor:
        """Return a tensor with the same memory and no `grad_fn`; they share the version counter."""
        out = wrap(self._array)
        out._version_counter = self._version_counter
        return out

    def detach_(self) -> Self:
        """Remove this tensor from the graph, in place."""
        if self._base is not None:
            raise TensorError(
                "Can't detach views in-place", "use detach() instead, it gives a new tensor"
            )
        self._grad_fn = None
        self._requires_grad = False
        return self

    @property
    def retains_grad(self) -> bool:
        """Whether a non-leaf tensor keeps its gradient in `.grad`."""
        node = self._grad_fn
        return (
            node is not None
            and node.hooks is not None
            and node.hooks.retains is not None
            and node.hooks.retains() is self
        )

    def retain_grad(self) -> None:
        """Keep the gradient of this non-leaf tensor in `.grad`."""
        if not self._requires_grad:
            raise TensorError(
                "can't retain_grad on Tensor that has requires_grad=False",
                "set requires_grad on the leaves before computing it",
            )
        if self._grad_fn is not None:
            self._grad_fn.own_hooks().retains = ref(self)

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Call `hook(grad)` on this tensor's gradient; a returned tensor replaces the gradient."""
        if not self._requires_grad:
            raise TensorError(
                "cannot register a hook on a tensor that doesn't require gradient",
                "set requires_grad first",
            )
        if self._grad_fn is not None:
            return self._grad_fn.own_hooks().tensor.add(hook)
        return self._own_hooks().gradient.add(hook)

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Call `hook(tensor)` after a gradient was added to the `.grad` of this leaf."""
        if self._grad_fn is not None or not self._requires_grad:
            raise TensorError(
                "post accumulate grad hooks cannot be registered on non-leaf tensors",
                "register it on a leaf that requires grad",
            )
        return self._own_hooks().accumulated.add(hook)

    def _own_hooks(self) -> TensorHooks:
        if self._hooks is None:
            self._hooks = TensorHooks()
        return self._hooks

    __hash__ = object.__hash__

    # -- declarations of the operations that `methods` installs; a test compares the signatures --

    if TYPE_CHECKING:

        def add(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor: ...
        def sub(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor: ...
        def __rsub__(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor: ...
        def mul(self, other: Tensor | Number) -> Tensor: ...
        def div(self, other: Tensor | Number) -> Tensor: ...
        def __rtruediv__(self, other: Tensor | Number) -> Tensor: ...
        def pow(self, exponent: Tensor | Number) -> Tensor: ...
        def __rpow__(self, other: Tensor | Number) -> Tensor: ...
        def neg(self) -> Tensor: ...
        def __pos__(self) -> Tensor: ...
        def matmul(self, other: Tensor) -> Tensor: ...
        def __rmatmul__(self, other: Tensor) -> Tensor: ...
        def mm(self, mat2: Tensor) -> Tensor: ...
        def mv(self, vec: Tensor) -> Tensor: ...
        def dot(self, tensor: Tensor) -> Tensor: ...
        def bmm(self, mat2: Tensor) -> Tensor: ...
        def add_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor: ...
        def sub_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor: ...
        def mul_(self, other: Tensor | Number) -> Tensor: ...
        def div_(self, other: Tensor | Number) -> Tensor: ...
        def zero_(self) -> Tensor: ...
        def fill_(self, value: Tensor | float) -> Tensor: ...
        def copy_(self, src: Tensor, non_blocking: bool = False) -> Tensor: ...
        def clamp_(
            self, min: Tensor | Number | None = None, max: Tensor | Number | None = None
        ) -> Tensor: ...
        def uniform_(
            self, from_: float = 0.0, to: float = 1.0, *, generator: Generator | None = None
        ) -> Tensor: ...
        def normal_(
            self, mean: float = 0.0, std: float = 1.0, *, generator: Generator | None = None
        ) -> Tensor: ...
        def __eq__(self, other: object) -> Any: ...
        def __ne__(self, other: object) -> Any: ...
        def __lt__(self, other: Tensor | Number) -> Tensor: ...
        def __and__(self, other: Tensor | int) -> Tensor: ...
        def __invert__(self) -> Tensor: ...
        def abs(self) -> Tensor: ...
        def exp(self) -> Tensor: ...
        def log(self) -> Tensor: ...
        def log1p(self) -> Tensor: ...
        def sqrt(self) -> Tensor: ...
        def rsqrt(self) -> Tensor: ...
        def reciprocal(self) -> Tensor: ...
        def square(self) -> Tensor: ...
        def sign(self) -> Tensor: ...
        def sin(self) -> Tensor: ...
        def cos(self) -> Tensor: ...
        def tanh(self) -> Tensor: ...
        def sigmoid(self) -> Tensor: ...
        def relu(self) -> Tensor: ...
        def erf(self) -> Tensor: ...
        def softmax(self, dim: int, *, dtype: DTypeLike | None = None) -> Tensor: ...
        def log_softmax(self, dim: int, *, dtype: DTypeLike | None = None) -> Tensor: ...
        def maximum(self, other: Tensor) -> Tensor: ...
        def minimum(self, other: Tensor) -> Tensor: ...
        def clamp(
            self, min: Tensor | Number | None = None, max: Tensor | Number | None = None
        ) -> Tensor: ...
        def clamp_min(self, min: Tensor | Number) -> Tensor: ...
        def clamp_max(self, max: Tensor | Number) -> Tensor: ...
        def masked_fill(self, mask: Tensor, value: Tensor | Number) -> Tensor: ...
        def where(self, condition: Tensor, other: Tensor | Number) -> Tensor: ...
        def sum(
            self,
            dim: Dims = None,
            keepdim: bool = False,
            *,
            dtype: DTypeLike | None = None,
            axis: Dims = None,
            keepdims: bool = False,
        ) -> Tensor: ...
        def mean(
            self,
            dim: Dims = None,
            keepdim: bool = False,
            *,
            dtype: DTypeLike | None = None,
            axis: Dims = None,
            keepdims: bool = False,
        ) -> Tensor: ...
        def var(
            self,
            dim: Dims | bool = None,
            unbiased: bool = True,
            keepdim: bool = False,
            *,
            correction: float | None = None,
        ) -> Tensor: ...
        def std(
            self,
            dim: Dims | bool = None,
            unbiased: bool = True,
            keepdim: bool = False,
            *,
            correction: float | None = None,
        ) -> Tensor: ...
        def norm(
            self, p: float | str | None = 2.0, dim: Dims = None, keepdim: bool = False
        ) -> Tensor: ...
        def any(self, dim: Dims = None, keepdim: bool = False) -> Tensor: ...
        def all(self, dim: Dims = None, keepdim: bool = False) -> Tensor: ...
        def max(self, dim: int | Tensor | None = None, keepdim: bool = False) -> Any: ...
        def min(self, dim: int | Tensor | None = None, keepdim: bool = False) -> Any: ...
        def argmax(self, dim: int | None = None, keepdim: bool = False) -> Tensor: ...
        def argmin(self, dim: int | None = None, keepdim: bool = False) -> Tensor: ...
        def __getitem__(self, index: Any) -> Tensor: ...
        def __setitem__(self, index: Any, value: Tensor | float) -> None: ...
        def __iter__(self) -> Iterator[Tensor]: ...
        def __contains__(self, element: object) -> bool: ...
        def __reversed__(self) -> Tensor: ...
        def select(self, dim: int, index: int) -> Tensor: ...
        def narrow(self, dim: int, start: int, length: int) -> Tensor: ...
        def index_select(self, dim: int, index: Tensor) -> Tensor: ...
        def gather(self, dim: int, index: Tensor) -> Tensor: ...
        def take(self, index: Tensor) -> Tensor: ...
        def split(
            self, split_size_or_sections: int | Sequence[int], dim: int = 0
        ) -> tuple[Tensor, ...]: ...
        def chunk(self, chunks: int, dim: int = 0) -> tuple[Tensor, ...]: ...
        def unbind(self, dim: int = 0) -> tuple[Tensor, ...]: ...
        def view(self, *shape: int | Sequence[int]) -> Tensor: ...
        def reshape(self, *shape: int | Sequence[int]) -> Tensor: ...
        def view_as(self, other: Tensor) -> Tensor: ...
        def flatten(self, start_dim: int = 0, end_dim: int = -1) -> Tensor: ...
        def unflatten(self, dim: int, sizes: Sequence[int]) -> Tensor: ...
        def squeeze(self, dim: int | Sequence[int] | None = None) -> Tensor: ...
        def unsqueeze(self, dim: int) -> Tensor: ...
        def transpose(self, dim0: int, dim1: int) -> Tensor: ...
        def t(self) -> Tensor: ...
        def permute(self, *dims: int | Sequence[int]) -> Tensor: ...
        def movedim(
            self, source: int | Sequence[int], destination: int | Sequence[int]
        ) -> Tensor: ...
        def expand(self, *sizes: int | Sequence[int]) -> Tensor: ...
        def expand_as(self, other: Tensor) -> Tensor: ...
        def ravel(self) -> Tensor: ...
        @property
        def T(self) -> Tensor: ...
        @property
        def mT(self) -> Tensor: ...
        def repeat(self, *repeats: int | Sequence[int]) -> Tensor: ...
        def clone(self, *, memory_format: object = None) -> Tensor: ...
        def contiguous(self, memory_format: object = None) -> Tensor: ...
        def to(
            self,
            *target: DTypeLike | DeviceLike | Tensor | bool,
            dtype: DTypeLike | None = None,
            device: DeviceLike = None,
            non_blocking: bool = False,
            copy: bool = False,
            memory_format: object = None,
        ) -> Tensor: ...
        def backward(
            self,
            gradient: Tensor | None = None,
            retain_graph: bool | None = None,
            create_graph: bool = False,
            inputs: Tensor | Sequence[Tensor] | None = None,
        ) -> None: ...

        __add__ = __radd__ = add
        __sub__ = sub
        __mul__ = __rmul__ = mul
        __truediv__ = div
        __pow__ = pow
        __neg__ = neg
        __matmul__ = matmul
        __iadd__ = add_
        __isub__ = sub_
        __imul__ = mul_
        __itruediv__ = div_
        __ipow__ = pow
        __le__ = __gt__ = __ge__ = __lt__
        __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __and__
        __abs__ = abs


def _fill(made: Tensor, array: NDArray[Any]) -> None:
    made._array = array
    made._requires_grad = False
    made._grad = made._grad_fn = made._base = made._hooks = made._views = None
    made._version_counter = [first_version]


_CROWDED = frozenset(1 << power for power in range(3, 40))
"""Lengths at which dead references are removed from a list of views, at amortized O(1) cost."""

UNTRACKED: Final = -(1 << 62)
"""The first version of inference tensors: so far below 0 that counting never reaches 0."""

first_version: int = 0
"""The version of new tensors; UNTRACKED in inference mode."""

_new = object.__new__
_ndarray = np.ndarray


def wrap(array: Any) -> Tensor:
    """Return a tensor around `array`, sharing its memory.

    Example:
        >>> wrap(np.ones(2))
        tensor([1., 1.], dtype=gradstep.float64)
    """
    out = _new(Tensor)
    out._array = array if type(array) is _ndarray else np.asarray(array)
    out._requires_grad = False
    out._grad = out._grad_fn = out._base = out._hooks = out._views = None
    out._version_counter = [first_version]
    return out


def view_of(source: Tensor, array: Any) -> Tensor:
    """Return a tensor around `array`, which is a view of the memory of `source`."""
    out = wrap(array)
    base = source if source._base is None else source._base
    out._base = base
    out._version_counter = base._version_counter
    if grad_mode.current.enabled:
        views = base._views
        if views is None:
            base._views = [ref(out)]
        else:
            if len(views) in _CROWDED:
                views[:] = [view for view in views if view() is not None]
            views.append(ref(out))
    return out


def edge(tensor: Tensor) -> Edge:
    """Return where the gradient of `tensor` goes: to its node, to itself if a leaf, or nowhere."""
    if not tensor._requires_grad:
        return None
    return tensor._grad_fn or tensor
