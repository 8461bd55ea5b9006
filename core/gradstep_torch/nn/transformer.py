"""Transformer, and its stacks of encoder and decoder layers."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd import creation, grad_mode
from gradstep.autograd.ops.multihead import additive_mask
from gradstep.autograd.ops.select import masked_fill
from gradstep.autograd.tensor import wrap
from gradstep.errors import TensorError
from gradstep.nn import init
from gradstep.nn.activations import GELU, ReLU
from gradstep.nn.module import Module
from gradstep.nn.normalization import LayerNorm
from gradstep_torch.nn import functional
from gradstep_torch.nn.container import ModuleList
from gradstep_torch.nn.transformer_layer import TransformerDecoderLayer, TransformerEncoderLayer
from gradstep_torch.ops.layout import triu

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import DTypeLike
    from gradstep.autograd.tensor import Tensor

__all__ = ["Transformer", "TransformerDecoder", "TransformerEncoder"]

_BATCHED = 3


class _Stack(Module):
    """A stack of copies of one layer, with an optional final norm."""

    norm: Module | None

    def __init__(self, layer: Module, num_layers: int, norm: Module | None) -> None:
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def _normed(self, output: Tensor) -> Tensor:
        normed: Tensor = output if self.norm is None else self.norm(output)
        return normed


class TransformerEncoder(_Stack):
    """A stack of encoder layers, initially copies of one.

    Args:
        encoder_layer: The layer to copy: a TransformerEncoderLayer, or a module with its signature.
        num_layers: The number of copies.
        norm: Applied after the last layer, if given.
        enable_nested_tensor: Whether padded positions of the output are 0 in evaluation where
            torch computes without them: no gradients, batch first, padding at the ends.
        mask_check: Whether to check that the padding is at the ends.

    Example:
        >>> import gradstep_torch as torch
        >>> encoder = TransformerEncoder(TransformerEncoderLayer(8, nhead=2), num_layers=2)
        >>> encoder(torch.ones(5, 3, 8)).shape
        gradstep.Size([5, 3, 8])
    """

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__(encoder_layer, num_layers, norm)
        self.enable_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        """Return the output of the last layer.

        Args:
            src: Of shape (length, batch, d_model), or by the layers' `batch_first`.
            mask: Of shape (length, length): True hides a position from another.
            src_key_padding_mask: Of shape (batch, length): True hides a position from all.
            is_causal: A hint that `mask` is the causal mask; None checks it.
        """
        padding = additive_mask(src_key_padding_mask, "src_key_padding_mask", src, ("mask", mask))
        added = additive_mask(mask, "mask", src)
        causal = _is_causal(added) if is_causal is None else is_causal
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=added, is_causal=causal, src_key_padding_mask=padding)
        if padding is not None and mask is None and self._leaves_out_padding(src, padding):
            hidden = wrap((padding._array != 0)[..., None])
            output = masked_fill(output, hidden, 0.0)
        return self._normed(output)

    def _leaves_out_padding(self, src: Tensor, padding: Tensor) -> bool:
        """Return whether torch skips padded positions, and outputs zeros there."""
        first = self.layers[0]
        if not self.enable_nested_tensor or not isinstance(first, TransformerEncoderLayer):
            return False
        attention, act = first.self_attn, first.activation
        recorded = grad_mode.current.enabled and (
            src.requires_grad or any(parameter.requires_grad for parameter in first.parameters())
        )
        return (
            not recorded
            and not first.training
            and src.ndim == _BATCHED
            and not first.norm_first
            and attention.batch_first
            and attention.in_proj_weight is not None
            and attention.in_proj_bias is not None
            and attention.num_heads % 2 == 0
            and (act in {functional.relu, functional.gelu} or isinstance(act, ReLU | GELU))
            and first.norm1.eps == first.norm2.eps
            and not (self.mask_check and _seen_after_padding(padding))
        )


class TransformerDecoder(_Stack):
    """A stack of decoder layers, initially copies of one.

    Args:
        decoder_layer: The layer to copy: a TransformerDecoderLayer, or a module with its signature.
        num_layers: The number of copies.
        norm: Applied after the last layer, if given.
    """

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__(decoder_layer, num_layers, norm)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Return the output of the last layer; arguments as for the layers."""
        causal = tgt_is_causal
        if causal is None:
            causal = _is_causal(additive_mask(tgt_mask, "tgt_mask", tgt))
        output = tgt
        for layer in self.layers:
            output = layer(
                output,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=causal,
                memory_is_causal=memory_is_causal,
            )
        return self._normed(output)


class Transformer(Module):
    """A transformer: an encoder, and a decoder that attends to its output.

    Args:
        d_model: The number of features of inputs and output.
        nhead: The number of heads of each attention.
        num_encoder_layers: The number of encoder layers.
        num_decoder_layers: The number of decoder layers.
        dim_feedforward: The hidden features of each feed-forward network.
        dropout: The dropout probability of all layers.
        activation: The activation of all layers: "relu", "gelu" or a function.
        custom_encoder: Used in place of the default encoder.
        custom_decoder: Likewise.
        layer_norm_eps: Added to the variances of the norms.
        batch_first: Whether inputs are (batch, length, features), not (length, batch, features).
        norm_first: Whether norms come before attentions and networks, not after the sums.
        bias: Whether Linears and norms have biases.
        device: Only the CPU.
        dtype: Of the parameters; the default type if None.

    Example:
        >>> import gradstep_torch as torch
        >>> model = Transformer(8, 2, num_encoder_layers=1, num_decoder_layers=1)
        >>> model(torch.ones(5, 3, 8), torch.ones(4, 3, 8)).shape
        gradstep.Size([4, 3, 8])

    References:
        Vaswani et al., Attention is all you need, NeurIPS 2017 (arXiv 1706.03762).
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = functional.relu,
        custom_encoder: Module | None = None,
        custom_decoder: Module | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        layer = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps)
        order = (batch_first, norm_first, bias, device, dtype)

        def norm() -> LayerNorm:
            return LayerNorm(d_model, layer_norm_eps, bias=bias, device=device, dtype=dtype)

        self.encoder = custom_encoder or TransformerEncoder(
            TransformerEncoderLayer(*layer, *order), num_encoder_layers, norm()
        )
        self.decoder = custom_decoder or TransformerDecoder(
            TransformerDecoderLayer(*layer, *order), num_decoder_layers, norm()
        )
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def _reset_parameters(self) -> None:
        for parameter in self.parameters():
            if parameter.dim() > 1:
                init.xavier_uniform_(parameter)

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Return the decoder's output for `tgt` and the encoded `src`.

        Args:
            src: Of shape (keys, batch, d_model), or by `batch_first`; or without a batch.
            tgt: Of shape (length, batch, d_model).
            src_mask: Of shape (keys, keys): True hides a position from another.
            tgt_mask: Of shape (length, length): likewise.
            memory_mask: Of shape (length, keys): likewise.
            src_key_padding_mask: Of shape (batch, keys): True hides a position from all.
            tgt_key_padding_mask: Of shape (batch, length): likewise.
            memory_key_padding_mask: Of shape (batch, keys): likewise.
            src_is_causal: A hint that `src_mask` is the causal mask; None looks whether it is.
            tgt_is_causal: Likewise for `tgt_mask`.
            memory_is_causal: A hint that `memory_mask` is.

        Raises:
            TensorError: The batches or the features differ.
        """
        place = 0 if self.batch_first else 1
        if src.ndim == _BATCHED and src.shape[place] != tgt.shape[place]:
            raise TensorError(
                "the batch number of src and tgt must be equal, they are of shapes "
                f"{list(src.shape)} and {list(tgt.shape)}",
                f"the batch is dimension {place}, as batch_first is {self.batch_first}",
            )
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise TensorError(
                "the feature number of src and tgt must be equal to d_model, which is "
                f"{self.d_model}; they are of shapes {list(src.shape)} and {list(tgt.shape)}"
            )
        memory = self.encoder(
            src,
            mask=src_mask,
            src_key_padding_mask=src_key_padding_mask,
            is_causal=src_is_causal,
        )
        output: Tensor = self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )
        return output

    @staticmethod
    def generate_square_subsequent_mask(
        sz: int, device: DeviceLike = None, dtype: DTypeLike | None = None
    ) -> Tensor:
        """Return the causal mask: -inf above the diagonal, so no position attends to later ones.

        Example:
            >>> Transformer.generate_square_subsequent_mask(2)
            tensor([[0., -inf],
                    [0., 0.]])
        """
        return triu(creation.full((sz, sz), -np.inf, dtype=dtype, device=device), 1)


def _is_causal(mask: Tensor | None) -> bool:
    """Return whether an additive mask is exactly the causal mask."""
    if mask is None or mask.ndim != 2 or mask.shape[0] != mask.shape[1]:  # noqa: PLR2004
        return False
    array = mask._array
    seen = np.tri(len(array), dtype=np.bool_)
    return bool((array == np.where(seen, 0.0, -np.inf)).all())


def _seen_after_padding(padding: Tensor) -> bool:
    hidden = padding._array != 0
    return bool((hidden[:, :-1] & ~hidden[:, 1:]).any())
