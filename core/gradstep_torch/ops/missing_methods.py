"""Names of torch's Tensor that ours does not have: each says so when it is used.

A `__getattr__` would do the same for every name, at the price of slowing every attribute of every
tensor down (CPython caches lookups only on classes without one).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gradstep.errors import MissingNameError

if TYPE_CHECKING:
    from typing import NoReturn

__all__ = ["NAMES", "Absent"]


class Absent:
    """Stands for an attribute that is not there."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> NoReturn:
        raise MissingNameError(
            f"'{owner.__name__}' object has no attribute '{self._name}'",
            "GradStep has only part of torch's names",
        )


NAMES: Final = frozenset(
    """
    H absolute_ acos_ acosh acosh_ addbmm addbmm_ addmm addmm_ addmv addmv_ addr addr_ adjoint
    aminmax angle apply_ arccos_ arccosh arccosh_ arcsin_ arcsinh arcsinh_ arctan2 arctan2_
    arctan_ arctanh arctanh_ argwhere as_strided as_strided_ as_strided_scatter as_subclass
    asin_ asinh asinh_ atan2 atan2_ atan_ atanh atanh_ baddbmm baddbmm_ bernoulli bfloat16
    bincount bitwise_and_ bitwise_left_shift bitwise_left_shift_ bitwise_not_ bitwise_or_
    bitwise_right_shift bitwise_right_shift_ bitwise_xor_ broadcast_to cauchy_ ccol_indices
    cdouble cfloat chalf cholesky cholesky_inverse cholesky_solve coalesce col_indices conj
    conj_physical conj_physical_ const_data_ptr copysign copysign_ corrcoef cosh_ cov cross
    crow_indices cummax cummin cumprod cumprod_ cumsum_ deg2rad deg2rad_ dense_dim dequantize
    det diag_embed diagflat diagonal diagonal_scatter diff digamma digamma_ dim_order dist
    dsplit eig element_size eq_ erf_ erfc erfc_ erfinv erfinv_ exp2_ expm1_ exponential_
    fill_diagonal_ fix fix_ fliplr flipud float_power float_power_ floor_divide_ fmax fmin
    fmod fmod_ frac frac_ frexp gcd gcd_ ge_ geometric_ geqrf ger get_device grad_dtype
    greater_ greater_equal_ gt_ hardshrink hash_tensor heaviside heaviside_ histc histogram
    hsplit hypot hypot_ i0 i0_ igamma igamma_ igammac igammac_ imag index index_add index_add_
    index_copy index_copy_ index_fill index_fill_ index_put index_put_ index_reduce
    index_reduce_ indices inner int_repr inverse ipu is_coalesced is_complex is_conj is_cpu
    is_cuda is_distributed is_inference is_ipu is_maia is_meta is_mkldnn is_mps is_mtia is_neg
    is_nested is_nonzero is_pinned is_quantized is_same_size is_set_to is_shared is_signed
    is_sparse_csr is_vulkan is_xla is_xpu isneginf isposinf isreal istft kron
    kthvalue layout lcm lcm_ ldexp ldexp_ le_ less_ less_equal_ lgamma lgamma_ log10_ log1p_
    log2_ log_normal_ logaddexp logaddexp2 logcumsumexp logdet logical_and_ logical_not_
    logical_or_ logical_xor_ logit logit_ lstsq lt_ lu lu_solve mH map2_ map_ masked_scatter
    masked_scatter_ matrix_exp matrix_power median mode module_load msort mtia multinomial
    mvlgamma mvlgamma_ name nan_to_num nan_to_num_ nanmean nanmedian nanquantile nansum
    narrow_copy nbytes ndimension ne_ negative_ new new_empty new_empty_strided nextafter
    nextafter_ nonzero_static not_equal_ orgqr ormqr output_nr pin_memory pinverse polygamma
    polygamma_ positive prelu put put_ q_per_channel_axis q_per_channel_scales
    q_per_channel_zero_points q_scale q_zero_point qr qscheme quantile rad2deg rad2deg_ real
    record_stream reinforce remainder_ renorm renorm_ repeat_interleave reshape_as resize
    resize_ resize_as resize_as_ resize_as_sparse_ resolve_conj resolve_neg rot90 row_indices
    scatter_add scatter_add_ scatter_reduce scatter_reduce_ select_scatter set_ sgn sgn_
    share_memory_ signbit sinc sinc_ sinh_ slice_inverse slice_scatter slogdet smm solve
    sparse_dim sparse_mask sparse_resize_ sparse_resize_and_clear_ split_with_sizes squeeze_
    sspaddmm stft storage storage_offset storage_type sum_to_size svd swapaxes_ swapdims_
    symeig t_ take_along_dim tan_ tensor_split to_dense to_mkldnn to_padded_tensor to_sparse
    to_sparse_bsc to_sparse_bsr to_sparse_coo to_sparse_csc to_sparse_csr trace transpose_
    triangular_solve tril_ triu_ true_divide_ trunc_ unfold unique_consecutive unsafe_chunk
    unsafe_split unsafe_split_with_sizes unsqueeze_ untyped_storage values vdot volatile
    vsplit where xlogy xlogy_ xpu
    """.split()  # noqa: SIM905 - a table to read, not a column of 370 lines
)
"""Those of torch 2.13; what has come to be there is there all the same."""
