"""torch.linalg: matrix decompositions, linear systems, norms."""

from typing import TYPE_CHECKING

from gradstep.autograd.ops.matmul import matmul
from gradstep_torch.missing_names import missing_from
from gradstep_torch.ops.eigen import eigh, eigvalsh
from gradstep_torch.ops.norms import linalg_norm as norm
from gradstep_torch.ops.norms import matrix_norm, vector_norm
from gradstep_torch.ops.pseudo_inverse import lstsq, matrix_power, matrix_rank, pinv
from gradstep_torch.ops.qr import qr
from gradstep_torch.ops.solve import cholesky, det, inv, slogdet, solve, solve_triangular
from gradstep_torch.ops.svd import linalg_svd as svd
from gradstep_torch.ops.svd import svdvals

__all__ = [
    "cholesky",
    "det",
    "eigh",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_triangular",
    "svd",
    "svdvals",
    "vector_norm",
]

if not TYPE_CHECKING:  # type checkers must see only the real names
    __getattr__ = missing_from(__name__)
