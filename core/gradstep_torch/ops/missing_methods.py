"""Names of torch's Tensor that GradStep lacks: each raises an error that names it.

A `__getattr__` would cover every name, but it would slow every attribute lookup of every tensor:
CPython caches lookups only on classes without one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gradstep.errors import MissingNameError

if TYPE_CHECKING:
    from typing import NoReturn

__all__ = ["MISSING_METHODS", "MissingMethod", "present_names"]


class MissingMethod:
    """A descriptor that raises when the attribute is read.

    Args:
        name: The attribute's name.
    """

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> NoReturn:
        raise MissingNameError(
            f"'{owner.__name__}' object has no attribute '{self._name}'",
            "GradStep has only part of torch's names",
        )


def present_names(tensor: object) -> list[str]:
    """Return the names of a tensor's attributes, without those that are missing."""
    return sorted(name for name in object.__dir__(tensor) if hasattr(type(tensor), name))


MISSING_METHODS: Final = frozenset(
    """
    H acosh_ addbmm addbmm_ addmm_ addmv_ addr addr_ adjoint angle apply_ arccosh_ arcsinh_
    arctan2_ arctanh_ as_strided as_strided_ as_strided_scatter as_subclass asinh_ atan2_ atanh_
    baddbmm_ bfloat16 bitwise_left_shift bitwise_left_shift_ bitwise_right_shift
    bitwise_right_shift_ cauchy_ ccol_indices cdouble cfloat chalf cholesky cholesky_inverse
    cholesky_solve coalesce col_indices conj conj_physical conj_physical_ const_data_ptr
    copysign copysign_ crow_indices cummax cummin deg2rad_ dense_dim dequantize diag_embed
    diagflat diagonal_scatter digamma digamma_ dim_order dist dsplit eig erfc erfc_ erfinv
    erfinv_ exponential_ fill_diagonal_ fix fix_ float_power float_power_ fmax fmin frac_ frexp
    gcd gcd_ geometric_ geqrf ger get_device grad_dtype hardshrink hash_tensor heaviside
    heaviside_ hsplit hypot_ i0 i0_ igamma igamma_ igammac igammac_ imag index index_reduce
    index_reduce_ indices int_repr ipu is_coalesced is_complex is_conj is_cpu is_distributed
    is_ipu is_maia is_meta is_mkldnn is_mps is_mtia is_neg is_nested is_nonzero is_pinned
    is_quantized is_same_size is_set_to is_shared is_signed is_sparse_csr is_vulkan is_xla
    is_xpu isneginf isposinf isreal istft kthvalue layout lcm lcm_ ldexp ldexp_ lgamma lgamma_
    log_normal_ logaddexp2 logcumsumexp logit_ lstsq lu lu_solve map2_ map_ masked_scatter
    masked_scatter_ matrix_exp mode module_load msort mtia mvlgamma mvlgamma_ name nan_to_num_
    nanmedian nanquantile narrow_copy ndimension new new_empty_strided nextafter nextafter_
    nonzero_static orgqr ormqr output_nr pin_memory polygamma polygamma_ prelu
    q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qr
    qscheme rad2deg_ real record_stream reinforce renorm renorm_ resize resize_ resize_as
    resize_as_ resize_as_sparse_ resolve_conj resolve_neg rot90 row_indices scatter_reduce
    scatter_reduce_ select_scatter set_ sgn sgn_ share_memory_ signbit sinc sinc_ slice_inverse
    slice_scatter smm solve sparse_dim sparse_mask sparse_resize_ sparse_resize_and_clear_
    split_with_sizes sspaddmm stft storage storage_type sum_to_size symeig take_along_dim
    tensor_split to_dense to_mkldnn to_padded_tensor to_sparse to_sparse_bsc to_sparse_bsr
    to_sparse_coo to_sparse_csc to_sparse_csr triangular_solve unfold unique_consecutive
    unsafe_chunk unsafe_split unsafe_split_with_sizes untyped_storage values vdot volatile
    vsplit xlogy xlogy_ xpu
    """.split()  # noqa: SIM905 - a table to read, not a column of 243 lines
)
"""The methods and attributes of torch 2.13's Tensor that are not implemented."""
