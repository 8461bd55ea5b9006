"""The table of modules: how to make each one, on gradstep and on torch alike, and its inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


@dataclass(frozen=True)
class Made:
    """One module: its maker, called with nn, and the shapes of what it is called with."""

    name: str
    make: Callable[[Any], Any]
    shapes: tuple[tuple[int, ...], ...] = ((2, 3),)
    integers: bool = False

    def arrays(self, dtype: str = "float64") -> list[NDArray[Any]]:
        """Return inputs that depend on nothing but the name."""
        random = np.random.default_rng(sum(map(ord, self.name)))
        if self.integers:
            return [random.integers(0, 3, shape) for shape in self.shapes]
        return [random.uniform(-2, 2, shape).astype(dtype) for shape in self.shapes]


SEQUENCE, IMAGE, VOLUME = ((2, 4, 6),), ((2, 4, 6, 5),), ((1, 2, 3, 4, 3),)
_MODULES: dict[str, tuple[Callable[[Any], Any], tuple[tuple[int, ...], ...]]] = {
    "Conv1d": (lambda nn: nn.Conv1d(4, 3, 3, padding="same"), SEQUENCE),
    "Conv1d_reflect": (lambda nn: nn.Conv1d(4, 3, 3, 2, 1, padding_mode="reflect"), SEQUENCE),
    "Conv2d": (lambda nn: nn.Conv2d(4, 6, (3, 2), stride=2, padding=1, groups=2), IMAGE),
    "Conv2d_plain": (lambda nn: nn.Conv2d(4, 2, 3, bias=False), ((4, 6, 5),)),
    "Conv2d_circular": (
        lambda nn: nn.Conv2d(4, 2, 3, padding="same", dilation=2, padding_mode="circular"),
        IMAGE,
    ),
    "Conv3d": (lambda nn: nn.Conv3d(2, 3, 2), VOLUME),
    "ConvTranspose1d": (lambda nn: nn.ConvTranspose1d(4, 3, 3, dilation=2), SEQUENCE),
    "ConvTranspose2d": (
        lambda nn: nn.ConvTranspose2d(4, 6, 3, 2, padding=1, output_padding=1, groups=2),
        IMAGE,
    ),
    "ConvTranspose3d": (lambda nn: nn.ConvTranspose3d(2, 3, 2), VOLUME),
    "MaxPool1d": (lambda nn: nn.MaxPool1d(2), SEQUENCE),
    "MaxPool2d": (lambda nn: nn.MaxPool2d((3, 2), 2, padding=1, ceil_mode=True), IMAGE),
    "MaxPool2d_both": (lambda nn: nn.MaxPool2d(2, return_indices=True), IMAGE),
    "MaxPool3d": (lambda nn: nn.MaxPool3d(2), VOLUME),
    "AvgPool1d": (lambda nn: nn.AvgPool1d(3, 2, 1), SEQUENCE),
    "AvgPool2d": (lambda nn: nn.AvgPool2d(2, padding=1, count_include_pad=False), IMAGE),
    "AvgPool3d": (lambda nn: nn.AvgPool3d(2), VOLUME),
    "AdaptiveAvgPool1d": (lambda nn: nn.AdaptiveAvgPool1d(4), SEQUENCE),
    "AdaptiveAvgPool2d": (lambda nn: nn.AdaptiveAvgPool2d((None, 2)), IMAGE),
    "AdaptiveAvgPool3d": (lambda nn: nn.AdaptiveAvgPool3d(2), VOLUME),
    "BatchNorm1d": (lambda nn: nn.BatchNorm1d(4), ((5, 4),)),
    "BatchNorm1d_mean": (lambda nn: nn.BatchNorm1d(4, momentum=None), SEQUENCE),
    "BatchNorm1d_eval": (lambda nn: nn.BatchNorm1d(4).eval(), SEQUENCE),
    "BatchNorm2d": (lambda nn: nn.BatchNorm2d(4, eps=1e-3, momentum=0.5), IMAGE),
    "BatchNorm2d_bare": (
        lambda nn: nn.BatchNorm2d(4, affine=False, track_running_stats=False),
        IMAGE,
    ),
    "BatchNorm2d_unbiased": (lambda nn: nn.BatchNorm2d(4, bias=False), IMAGE),
    "BatchNorm3d": (lambda nn: nn.BatchNorm3d(2), VOLUME),
    "LayerNorm": (lambda nn: nn.LayerNorm((4, 6)), SEQUENCE),
    "LayerNorm_unbiased": (lambda nn: nn.LayerNorm(6, bias=False), SEQUENCE),
    "LayerNorm_bare": (lambda nn: nn.LayerNorm(6, elementwise_affine=False), SEQUENCE),
    "GroupNorm": (lambda nn: nn.GroupNorm(2, 4), SEQUENCE),
    "RNN": (lambda nn: nn.RNN(6, 3), SEQUENCE),
    "RNN_deep": (
        lambda nn: nn.RNN(6, 3, 2, nonlinearity="relu", bias=False, batch_first=True),
        ((2, 4, 6), (2, 2, 3)),
    ),
    "LSTM": (lambda nn: nn.LSTM(6, 3, num_layers=2, bidirectional=True), SEQUENCE),
    "LSTM_unbatched": (lambda nn: nn.LSTM(6, 3, batch_first=True), ((4, 6),)),
    "GRU": (lambda nn: nn.GRU(6, 3, batch_first=True, bidirectional=True), SEQUENCE),
    "GRU_deep": (
        lambda nn: nn.GRU(6, 3, num_layers=2, dropout=0.5).eval(),
        ((4, 6), (2, 3)),
    ),
    "RNNCell": (lambda nn: nn.RNNCell(3, 4), ((2, 3), (2, 4))),
    "RNNCell_relu": (lambda nn: nn.RNNCell(3, 4, False, "relu"), ((3,),)),
    "LSTMCell": (lambda nn: nn.LSTMCell(3, 4), ((2, 3),)),
    "GRUCell": (lambda nn: nn.GRUCell(3, 4, bias=False), ((2, 3), (2, 4))),
    "Dropout1d": (lambda nn: nn.Dropout1d(0.3).eval(), SEQUENCE),
    "Dropout2d": (lambda nn: nn.Dropout2d(1.0), IMAGE),
    "Dropout3d": (lambda nn: nn.Dropout3d(0.0), VOLUME),
    "ReLU6": (lambda nn: nn.ReLU6(), ((2, 3),)),
    "Hardtanh": (lambda nn: nn.Hardtanh(-0.5, 1.5), ((2, 3),)),
    "Threshold": (lambda nn: nn.Threshold(0.1, 20), ((2, 3),)),
    "SELU": (lambda nn: nn.SELU(), ((2, 3),)),
    "CELU": (lambda nn: nn.CELU(0.5), ((2, 3),)),
    "Mish": (lambda nn: nn.Mish(), ((2, 3),)),
    "Hardsigmoid": (lambda nn: nn.Hardsigmoid(), ((2, 3),)),
    "Hardswish": (lambda nn: nn.Hardswish(), ((2, 3),)),
    "Hardshrink": (lambda nn: nn.Hardshrink(), ((2, 3),)),
    "Softshrink": (lambda nn: nn.Softshrink(0.25), ((2, 3),)),
    "LogSigmoid": (lambda nn: nn.LogSigmoid(), ((2, 3),)),
    "Softsign": (lambda nn: nn.Softsign(), ((2, 3),)),
    "Tanhshrink": (lambda nn: nn.Tanhshrink(), ((2, 3),)),
    "Softmin": (lambda nn: nn.Softmin(dim=1), ((2, 3),)),
    "GLU": (lambda nn: nn.GLU(0), ((2, 3),)),
    "PReLU": (lambda nn: nn.PReLU(3, init=0.1), ((2, 3),)),
    "SmoothL1Loss": (lambda nn: nn.SmoothL1Loss(beta=0.5), ((2, 3),) * 2),
    "HuberLoss": (lambda nn: nn.HuberLoss("sum", delta=0.5), ((2, 3),) * 2),
    "KLDivLoss": (
        lambda nn: nn.KLDivLoss(reduction="batchmean", log_target=True),
        ((2, 3),) * 2,
    ),
    "PoissonNLLLoss": (lambda nn: nn.PoissonNLLLoss(), ((2, 3),) * 2),
    "HingeEmbeddingLoss": (lambda nn: nn.HingeEmbeddingLoss(reduction="none"), ((2, 3),) * 2),
    "MarginRankingLoss": (lambda nn: nn.MarginRankingLoss(0.5), ((3,),) * 3),
    "CosineEmbeddingLoss": (lambda nn: nn.CosineEmbeddingLoss(0.5), ((2, 3), (2, 3), (2,))),
    "TripletMarginLoss": (lambda nn: nn.TripletMarginLoss(swap=True), ((2, 3),) * 3),
    "CosineSimilarity": (lambda nn: nn.CosineSimilarity(), ((2, 3),) * 2),
    "PairwiseDistance": (lambda nn: nn.PairwiseDistance(1), ((2, 3),) * 2),
    "MultiheadAttention": (
        lambda nn: nn.MultiheadAttention(6, 2, dropout=0.2, batch_first=True),
        ((2, 4, 6),) * 3,
    ),
    "MultiheadAttention_apart": (
        lambda nn: nn.MultiheadAttention(
            6, 3, add_bias_kv=True, add_zero_attn=True, kdim=4, vdim=5
        ),
        ((3, 2, 6), (4, 2, 4), (4, 2, 5)),
    ),
    "TransformerEncoder": (
        lambda nn: nn.TransformerEncoder(
            nn.TransformerEncoderLayer(4, 2, 5, activation="gelu", batch_first=True),
            2,
            nn.LayerNorm(4),
            enable_nested_tensor=False,
        ),
        ((2, 3, 4),),
    ),
    "TransformerDecoderLayer": (
        lambda nn: nn.TransformerDecoderLayer(4, 1, 6, norm_first=True, bias=False),
        ((3, 2, 4), (5, 2, 4)),
    ),
    "Transformer": (
        lambda nn: nn.Transformer(4, 2, 1, 1, 5, dropout=0.3, batch_first=True),
        ((2, 3, 4), (2, 2, 4)),
    ),
    "InstanceNorm1d": (lambda nn: nn.InstanceNorm1d(4, affine=True), SEQUENCE),
    "InstanceNorm2d": (lambda nn: nn.InstanceNorm2d(4, track_running_stats=True), IMAGE),
    "InstanceNorm2d_eval": (
        lambda nn: nn.InstanceNorm2d(4, track_running_stats=True).eval(),
        IMAGE,
    ),
    "InstanceNorm3d": (lambda nn: nn.InstanceNorm3d(2, eps=1e-3), VOLUME),
    "RMSNorm": (lambda nn: nn.RMSNorm((4, 6), eps=1e-6), SEQUENCE),
    "LocalResponseNorm": (lambda nn: nn.LocalResponseNorm(3, alpha=0.2), IMAGE),
    "ConstantPad1d": (lambda nn: nn.ConstantPad1d((2, -1), 0.5), SEQUENCE),
    "ZeroPad2d": (lambda nn: nn.ZeroPad2d(1), IMAGE),
    "ReflectionPad2d": (lambda nn: nn.ReflectionPad2d((1, 2, 0, 3)), IMAGE),
    "ReplicationPad3d": (lambda nn: nn.ReplicationPad3d(1), VOLUME),
    "CircularPad1d": (lambda nn: nn.CircularPad1d(2), SEQUENCE),
    "PixelShuffle": (lambda nn: nn.PixelShuffle(2), IMAGE),
    "PixelUnshuffle": (lambda nn: nn.PixelUnshuffle(3), ((1, 2, 6, 3),)),
    "ChannelShuffle": (lambda nn: nn.ChannelShuffle(2), IMAGE),
    "Unfold": (lambda nn: nn.Unfold((3, 2), dilation=(1, 2), padding=1, stride=2), IMAGE),
    "Fold": (lambda nn: nn.Fold((4, 5), (2, 3), padding=(1, 0)), ((2, 12, 15),)),
    "Upsample": (lambda nn: nn.Upsample(scale_factor=1.5), IMAGE),
    "Upsample_exact": (lambda nn: nn.Upsample(4, mode="nearest-exact"), SEQUENCE),
    "Upsample_linear": (lambda nn: nn.Upsample(size=9, mode="linear"), SEQUENCE),
    "Upsample_bilinear": (lambda nn: nn.Upsample(scale_factor=(2, 0.7), mode="bilinear"), IMAGE),
    "Upsample_bicubic": (
        lambda nn: nn.Upsample((9, 3), mode="bicubic", align_corners=True),
        IMAGE,
    ),
    "Upsample_trilinear": (lambda nn: nn.Upsample(scale_factor=2, mode="trilinear"), VOLUME),
    "UpsamplingBilinear2d": (lambda nn: nn.UpsamplingBilinear2d(scale_factor=2), IMAGE),
    "AdaptiveMaxPool1d": (lambda nn: nn.AdaptiveMaxPool1d(4), SEQUENCE),
    "AdaptiveMaxPool2d": (lambda nn: nn.AdaptiveMaxPool2d((None, 2), return_indices=True), IMAGE),
    "AdaptiveMaxPool3d": (lambda nn: nn.AdaptiveMaxPool3d(2), VOLUME),
    "LPPool1d": (lambda nn: nn.LPPool1d(2, 3, 2), SEQUENCE),
    "LPPool2d": (lambda nn: nn.LPPool2d(2, 2, ceil_mode=True), IMAGE),
    "Bilinear": (lambda nn: nn.Bilinear(3, 4, 2), ((5, 3), (5, 4))),
    "Softmax2d": (lambda nn: nn.Softmax2d(), IMAGE),
    "RReLU": (lambda nn: nn.RReLU(0.1, 0.4), ((2, 3),)),
    "RReLU_eval": (lambda nn: nn.RReLU().eval(), ((2, 3),)),
    "AlphaDropout": (lambda nn: nn.AlphaDropout(0.3), ((4, 3),)),
    "FeatureAlphaDropout": (lambda nn: nn.FeatureAlphaDropout(0.6), IMAGE),
    "MultiLabelSoftMarginLoss": (lambda nn: nn.MultiLabelSoftMarginLoss(), ((2, 3),) * 2),
    "TripletMarginWithDistanceLoss": (
        lambda nn: nn.TripletMarginWithDistanceLoss(margin=2.0, swap=True),
        ((2, 3),) * 3,
    ),
}
MODULES = [Made(name, make, shapes) for name, (make, shapes) in _MODULES.items()]
MODULES += [
    Made("Embedding", lambda nn: nn.Embedding(3, 5, padding_idx=-1), ((2, 4),), integers=True),
    Made("EmbeddingBag", lambda nn: nn.EmbeddingBag(3, 5, mode="max"), ((2, 4),), integers=True),
    Made("ReLU6_inplace", lambda nn: nn.Sequential(nn.Hardswish(), nn.ReLU6(inplace=True))),
]
NAMED = {made.name: made for made in MODULES}


def flat(output: Any) -> list[Any]:
    """Return the tensors of a module's output, however they are nested."""
    if isinstance(output, tuple):
        return [tensor for part in output for tensor in flat(part)]
    return [output]
