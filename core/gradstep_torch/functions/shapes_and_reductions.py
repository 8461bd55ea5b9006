"""torch's names for shapes, indexing, products and reductions."""

from gradstep.autograd.ops.convert import (
    clone,
)
from gradstep.autograd.ops.extrema import amax, amin, argmax, argmin, max, min
from gradstep.autograd.ops.gather import gather
from gradstep.autograd.ops.indexing import index_select, narrow, select, take
from gradstep.autograd.ops.join import cat, chunk, split, stack, unbind
from gradstep.autograd.ops.matmul import (
    bmm,
    dot,
    matmul,
    mm,
    mv,
)
from gradstep.autograd.ops.rearrange import diag, flip, nonzero, repeat_interleave, tile
from gradstep.autograd.ops.reduce import (
    mean,
    sum,
)
from gradstep.autograd.ops.shape import (
    flatten,
    movedim,
    permute,
    ravel,
    reshape,
    squeeze,
    t,
    transpose,
    unflatten,
    unsqueeze,
)
from gradstep.autograd.ops.statistics import all, any, std, var
from gradstep_torch.ops.aliases import broadcast_to, concatenate
from gradstep_torch.ops.composed import (
    broadcast_shapes,
    broadcast_tensors,
    cdist,
    column_stack,
    diagonal,
    diff,
    fliplr,
    flipud,
    inner,
    nanmean,
    nansum,
    std_mean,
    tensordot,
    var_mean,
)
from gradstep_torch.ops.cross import (
    cross,
)
from gradstep_torch.ops.cumulative import (
    cumprod,
    cumsum,
)
from gradstep_torch.ops.einsum import (
    einsum,
)
from gradstep_torch.ops.histograms import (
    bincount,
    histc,
    histogram,
    unique,
)
from gradstep_torch.ops.layout import concat, hstack, meshgrid, outer, roll, tril, triu, vstack
from gradstep_torch.ops.median import median
from gradstep_torch.ops.norms import norm
from gradstep_torch.ops.quantiles import (
    aminmax,
    cartesian_prod,
    combinations,
    corrcoef,
    cov,
    kron,
    quantile,
)
from gradstep_torch.ops.reductions import count_nonzero, logsumexp, prod
from gradstep_torch.ops.scatter import (
    index_add,
    index_copy,
    index_fill,
    index_put,
    put,
    scatter_add,
)
from gradstep_torch.ops.searching import (
    argwhere,
    bucketize,
    isin,
    searchsorted,
    tril_indices,
    triu_indices,
)
from gradstep_torch.ops.selection import masked_select, scatter
from gradstep_torch.ops.sorting import argsort, sort, topk

__all__ = [
    "all",
    "amax",
    "amin",
    "aminmax",
    "any",
    "argmax",
    "argmin",
    "argsort",
    "argwhere",
    "bincount",
    "bmm",
    "broadcast_shapes",
    "broadcast_tensors",
    "broadcast_to",
    "bucketize",
    "cartesian_prod",
    "cat",
    "cdist",
    "chunk",
    "clone",
    "column_stack",
    "combinations",
    "concat",
    "concatenate",
    "corrcoef",
    "count_nonzero",
    "cov",
    "cross",
    "cumprod",
    "cumsum",
    "diag",
    "diagonal",
    "diff",
    "dot",
    "einsum",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "gather",
    "histc",
    "histogram",
    "hstack",
    "index_add",
    "index_copy",
    "index_fill",
    "index_put",
    "index_select",
    "inner",
    "isin",
    "kron",
    "logsumexp",
    "masked_select",
    "matmul",
    "max",
    "mean",
    "median",
    "meshgrid",
    "min",
    "mm",
    "movedim",
    "mv",
    "nanmean",
    "nansum",
    "narrow",
    "nonzero",
    "norm",
    "outer",
    "permute",
    "prod",
    "put",
    "quantile",
    "ravel",
    "repeat_interleave",
    "reshape",
    "roll",
    "scatter",
    "scatter_add",
    "searchsorted",
    "select",
    "sort",
    "split",
    "squeeze",
    "stack",
    "std",
    "std_mean",
    "sum",
    "t",
    "take",
    "tensordot",
    "tile",
    "topk",
    "transpose",
    "tril",
    "tril_indices",
    "triu",
    "triu_indices",
    "unbind",
    "unflatten",
    "unique",
    "unsqueeze",
    "var",
    "var_mean",
    "vstack",
]
