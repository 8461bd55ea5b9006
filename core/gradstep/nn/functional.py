"""Layers and losses as functions, without state; as in torch.nn.functional."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.argument_errors import refuse_in
from gradstep.autograd.ops.activation import sigmoid, tanh
from gradstep.autograd.ops.attention import scaled_dot_product_attention
from gradstep.autograd.ops.avg_pool import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
)
from gradstep.autograd.ops.bilinear import bilinear
from gradstep.autograd.ops.binary_loss import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
)
from gradstep.autograd.ops.conv import conv1d, conv2d, conv3d
from gradstep.autograd.ops.conv_transpose import (
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)
from gradstep.autograd.ops.cross_entropy import cross_entropy, nll_loss
from gradstep.autograd.ops.ctc import ctc_loss
from gradstep.autograd.ops.distance_loss import (
    cosine_embedding_loss,
    gaussian_nll_loss,
    hinge_embedding_loss,
    huber_loss,
    kl_div,
    margin_ranking_loss,
    poisson_nll_loss,
    smooth_l1_loss,
    soft_margin_loss,
    triplet_margin_loss,
)
from gradstep.autograd.ops.embedding import embedding, one_hot
from gradstep.autograd.ops.embedding_bag import embedding_bag
from gradstep.autograd.ops.fold import fold, unfold
from gradstep.autograd.ops.formulas import (
    cosine_similarity,
    glu,
    normalize,
    pairwise_distance,
    softsign,
    tanhshrink,
)
from gradstep.autograd.ops.linear import linear
from gradstep.autograd.ops.loss import l1_loss, mse_loss
from gradstep.autograd.ops.margin_loss import (
    multi_margin_loss,
    multilabel_margin_loss,
    multilabel_soft_margin_loss,
    triplet_margin_with_distance_loss,
)
from gradstep.autograd.ops.max_pool import max_pool1d, max_pool2d, max_pool3d
from gradstep.autograd.ops.multihead import multi_head_attention_forward
from gradstep.autograd.ops.normalization import batch_norm, group_norm, layer_norm
from gradstep.autograd.ops.padding import pad
from gradstep.autograd.ops.rare_pool import (
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
    lp_pool1d,
    lp_pool2d,
    lp_pool3d,
    max_unpool1d,
    max_unpool2d,
    max_unpool3d,
)
from gradstep.autograd.ops.rectifiers import gelu, logsigmoid, softplus
from gradstep.autograd.ops.sample_norm import instance_norm, local_response_norm, rms_norm
from gradstep.autograd.ops.sampling_grid import affine_grid, grid_sample
from gradstep.autograd.ops.shrink import hardshrink, prelu, softshrink
from gradstep.autograd.ops.shuffle import channel_shuffle, pixel_shuffle, pixel_unshuffle
from gradstep.missing_names import missing_from
from gradstep.nn.dropping import (
    alpha_dropout,
    dropout,
    dropout1d,
    dropout2d,
    dropout3d,
    feature_alpha_dropout,
)
from gradstep.nn.interpolation import interpolate, upsample, upsample_bilinear, upsample_nearest
from gradstep.nn.overwriting import (
    celu,
    celu_,
    elu,
    elu_,
    hardsigmoid,
    hardswish,
    hardtanh,
    hardtanh_,
    leaky_relu,
    leaky_relu_,
    mish,
    relu,
    relu6,
    relu_,
    selu,
    selu_,
    silu,
    threshold,
    threshold_,
)
from gradstep.nn.random_functions import gumbel_softmax, rrelu, rrelu_
from gradstep.nn.softmaxes import log_softmax, softmax, softmin

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "affine_grid",
    "alpha_dropout",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "bilinear",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "celu",
    "celu_",
    "channel_shuffle",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "ctc_loss",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "elu",
    "elu_",
    "embedding",
    "embedding_bag",
    "feature_alpha_dropout",
    "fold",
    "gaussian_nll_loss",
    "gelu",
    "glu",
    "grid_sample",
    "group_norm",
    "gumbel_softmax",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "hinge_embedding_loss",
    "huber_loss",
    "instance_norm",
    "interpolate",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "leaky_relu_",
    "linear",
    "local_response_norm",
    "log_softmax",
    "logsigmoid",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "margin_ranking_loss",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    "mish",
    "mse_loss",
    "multi_head_attention_forward",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "pairwise_distance",
    "pixel_shuffle",
    "pixel_unshuffle",
    "poisson_nll_loss",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "rms_norm",
    "rrelu",
    "rrelu_",
    "scaled_dot_product_attention",
    "selu",
    "selu_",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "soft_margin_loss",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "threshold_",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
    "unfold",
    "upsample",
    "upsample_bilinear",
    "upsample_nearest",
]

if not TYPE_CHECKING:  # else every name would seem to be there, and take anything
    refuse_in(globals(), __all__)
    __getattr__ = missing_from(__name__)
