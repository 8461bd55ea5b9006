"""Matrix products."""

from __future__ import annotations

from gradstep.autograd import grad_mode
from gradstep.autograd.dtypes import scalar_name
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops.generic import unbroadcast
from gradstep.autograd.ops.operands import UNVERSIONED, broadcast_error
from gradstep.autograd.tensor import Tensor, edge, wrap
from gradstep.errors import ArgumentTypeError, TensorError

__all__ = ["MmBackward0", "bmm", "dot", "matmul", "mm", "mv", "rmatmul"]


class MmBackward0(Node):
    """input @ other."""

    __slots__ = ()
    rule = "input: grad @ other.T; other: input.T @ grad"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """d(A B) = dA B^T + A^T dB."""
        first, second = self.edges
        a, b = saved
        return (
            None if first is None else grad @ b.swapaxes(-1, -2),
            None if second is None else a.swapaxes(-1, -2) @ grad,
        )


class BmmBackward0(MmBackward0):
    """input @ other for batches of matrices; batch dimensions broadcast."""

    __slots__ = ()

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """As for two matrices, summed over the broadcast dimensions."""
        by_first, by_second = MmBackward0.vjp(self, grad, saved)
        return (
            None if by_first is None else unbroadcast(by_first, self.context[0]),
            None if by_second is None else unbroadcast(by_second, self.context[1]),
        )


class MvBackward0(Node):
    """input @ other."""

    __slots__ = ()
    rule = "input: outer(grad, other); other: input.T @ grad"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """d(A v) = dA v^T + A^T dv."""
        first, second = self.edges
        a, v = saved
        column = grad.reshape((*grad.shape, 1))
        shape = self.context[1]
        return (
            None if first is None else column * v,
            None
            if second is None
            else unbroadcast(a.swapaxes(-1, -2) @ column, (*shape, 1)).reshape(shape),
        )


class VmBackward0(Node):
    """input @ other."""

    __slots__ = ()
    rule = "input: grad @ other.T; other: outer(input, grad)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """d(v B) = dv B^T + v dB."""
        first, second = self.edges
        v, b = saved
        row = grad.reshape((*grad.shape[:-1], 1, grad.shape[-1]))
        shape = self.context[0]
        return (
            None
            if first is None
            else unbroadcast(row @ b.swapaxes(-1, -2), (1, *shape)).reshape(shape),
            None if second is None else v.reshape((*shape, 1)) * row,
        )


class DotBackward0(Node):
    """dot(input, other)."""

    __slots__ = ()
    rule = "input: grad * other; other: grad * input"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """d(a . b) = b da + a db."""
        first, second = self.edges
        a, b = saved
        return (None if first is None else grad * b, None if second is None else grad * a)


def matmul(input: Tensor, other: Tensor) -> Tensor:
    """Return the matrix product of two tensors, with torch's broadcasting rules.

    Args:
        input: A vector, a matrix, or a batch of matrices.
        other: Likewise.

    Raises:
        TensorError: The inner sizes or the dtypes differ.

    Example:
        >>> import gradstep
        >>> gradstep.ones(2, 3) @ gradstep.ones(3)
        tensor([3., 3.])
    """
    if not isinstance(other, Tensor):
        raise ArgumentTypeError(
            f"matmul() needs a Tensor, got {type(other).__name__}",
            "convert it with gradstep.tensor(...) first",
        )
    a, b = input._array, other._array
    if a.dtype is not b.dtype and a.dtype != b.dtype:
        raise TensorError(
            f"mat1 and mat2 must have the same dtype, but got {scalar_name(a.dtype)} and "
            f"{scalar_name(b.dtype)}",
            "convert one of them with .to(dtype)",
        )
    try:
        out = wrap(a @ b)
    except ValueError:
        raise _shape_error(a.shape, b.shape) from None
    if grad_mode.current.enabled and (input._requires_grad or other._requires_grad):
        first, second = edge(input), edge(other)
        record(
            _NODES[min(a.ndim, 3), min(b.ndim, 3)],
            out,
            (first, second),
            (None if second is None else a, None if first is None else b),
            (
                UNVERSIONED if second is None else input._version_counter,
                UNVERSIONED if first is None else other._version_counter,
            ),
            (a.shape, b.shape),
        )
    return out


_NODES: dict[tuple[int, int], type[Node]] = {
    (1, 1): DotBackward0,
    (1, 2): VmBackward0,
    (1, 3): VmBackward0,
    (2, 1): MvBackward0,
    (2, 2): MmBackward0,
    (2, 3): BmmBackward0,
    (3, 1): MvBackward0,
    (3, 2): BmmBackward0,
    (3, 3): BmmBackward0,
}


def _shape_error(left: tuple[int, ...], right: tuple[int, ...]) -> TensorError:
    if not left or not right:
        return TensorError("both arguments to matmul need to be at least 1D")
    if left[-1] == right[-2 if len(right) > 1 else 0]:
        return broadcast_error(left[:-2], right[:-2])
    shapes = ["x".join(map(str, shape)) for shape in (left, right)]
    return TensorError(
        f"mat1 and mat2 shapes cannot be multiplied ({shapes[0]} and {shapes[1]})",
        f"the inner sizes {left[-1]} and {right[-2 if len(right) > 1 else 0]} must be equal",
    )


def rmatmul(input: Tensor, other: Tensor) -> Tensor:
    """Return other @ input."""
    return matmul(other, input)


_WRONG_RANKS = {
    "mm": ("self must be a matrix", "mat2 must be a matrix"),
    "mv": ("self must be a matrix", "vec must be a vector"),
    "bmm": ("batch1 must be a 3D tensor", "batch2 must be a 3D tensor"),
    "dot": ("1D tensors expected", "1D tensors expected"),
}


def _matmul_of_ranks(name: str, input: Tensor, other: Tensor, ranks: tuple[int, int]) -> Tensor:
    """Return the product, or raise TensorError unless both operands have the given ranks."""
    if (input._array.ndim, other._array.ndim) != ranks:
        raise TensorError(
            f"{name}(): {_WRONG_RANKS[name][input._array.ndim == ranks[0]]}, got shapes "
            f"{list(input._array.shape)} and {list(other._array.shape)}",
            "use matmul() for other dimensions",
        )
    return matmul(input, other)


def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """Return the product of two matrices."""
    return _matmul_of_ranks("mm", input, mat2, (2, 2))


def mv(input: Tensor, vec: Tensor) -> Tensor:
    """Return the product of a matrix and a vector."""
    return _matmul_of_ranks("mv", input, vec, (2, 1))


def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """Return the product of two vectors."""
    return _matmul_of_ranks("dot", input, tensor, (1, 1))


def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Return the products of two batches of matrices."""
    if input._array.shape[:1] != mat2._array.shape[:1]:
        raise broadcast_error(input._array.shape[:1], mat2._array.shape[:1])
    return _matmul_of_ranks("bmm", input, mat2, (3, 3))
