"""The elements of a script's tensors, as bytes in row-major order."""

from __future__ import annotations

import ctypes
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from gradstep_agent.wire import SIZE_KEPT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep_agent.ring import Buffer


class TensorReader:
    """Reads tensors, wherever they are.

    Args:
        torch: The script's own torch.

    Attributes:
        has_elements: Returns whether a tensor has elements to read.
        outside_transforms: Returns a context in which tensors are not wrapped, as they are in a
            function that `torch.func` transforms.
    """

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        inner = getattr(torch, "_C", None)
        self.outside_transforms = getattr(inner, "_DisableFuncTorch", nullcontext)
        self._readable = getattr(torch, "readable", _readable)
        self.has_elements = getattr(torch, "has_elements", _has_elements)

    def bytes_of(self, tensor: Any) -> bytes:
        """Return a tensor's elements, in row-major order."""
        with self.outside_transforms(), self._torch.no_grad():
            tensor = self._readable(tensor)
        size = tensor.numel() * tensor.element_size()
        return ctypes.string_at(tensor.data_ptr(), size) if size else b""

    def buffers_of(self, tensors: Sequence[Any]) -> tuple[list[Buffer], list[Any]]:
        """Return the elements of several tensors, and what has to live as long as they are used.

        Few bytes are copied; many are looked at where they are, and so have to be sent at once.
        """
        tensors = [shard_of(tensor) for tensor in tensors]
        sizes = [tensor.numel() * tensor.element_size() for tensor in tensors]
        if sum(sizes) <= SIZE_KEPT or any([tensor.is_sparse for tensor in tensors]):  # noqa: C419
            return [self.joined_bytes(tensors)], []
        with self.outside_transforms(), self._torch.no_grad():
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
            with self.outside_transforms(), self._torch.no_grad():
                return self.bytes_of(self._torch.cat([tensor.reshape(-1) for tensor in tensors]))
        return b"".join(map(self.bytes_of, tensors))


def layout(address: str, tensor: Any) -> list[Any]:
    """Return how the bytes of a tensor are to be read: address, element type, shape."""
    return [address, str(tensor.dtype).rpartition(".")[2], list(shard_of(tensor).shape)]


def shard_of(tensor: Any) -> Any:
    """Return what this process has of a tensor that is divided among several; others as they are.

    To read the whole of a DTensor, all processes would have to come here.
    """
    return tensor.detach().to_local() if type(tensor).__name__ == "DTensor" else tensor


def _readable(tensor: Any) -> Any:
    """Return a tensor's elements one after the other in this process's memory."""
    tensor = shard_of(tensor).detach()
    if tensor.is_sparse:
        tensor = tensor.to_dense()
    return tensor.cpu().contiguous().resolve_conj().resolve_neg()


def _has_elements(tensor: Any) -> bool:
    """Return whether a tensor has elements to read.

    It has none in a lazy module before its first call, on the meta device, if it is fake, where
    `torch.func` has wrapped another tensor in it, and while that wraps whatever is detached; nor
    where it is made of others, such as quantized ones, or FSDP has freed its memory for now, or
    uses it for those of the script's parameters.
    """
    name = type(tensor).__name__
    if tensor.is_meta or name == "FakeTensor" or name.startswith("Uninitialized"):
        return False
    if getattr(tensor, "_is_flat_param", False) and tensor._params is not None:
        return False
    if tensor.is_sparse:
        return True
    tensor = shard_of(tensor)
    if hasattr(type(tensor), "__tensor_flatten__"):
        return False
    try:
        return bool(tensor.detach().data_ptr() or not tensor.numel())
    except RuntimeError:
        return False


def _is_like(first: Any, tensor: Any) -> bool:
    return bool(
        tensor.dtype is first.dtype and not tensor.is_sparse and tensor.device == first.device
    )
