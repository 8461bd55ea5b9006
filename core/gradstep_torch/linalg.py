"""torch.linalg: factors of matrices, linear equations, norms."""

from typing import TYPE_CHECKING

from gradstep.autograd.ops.eigen import eigh, eigvalsh
from gradstep.autograd.ops.matmul import matmul
from gradstep.autograd.ops.norms import linalg_norm as norm
from gradstep.autograd.ops.norms import matrix_norm, vector_norm
from gradstep.autograd.ops.pseudo_inverse import lstsq, matrix_power, matrix_rank, pinv
from gradstep.autograd.ops.qr import qr
from gradstep.autograd.ops.solve import cholesky, det, inv, slogdet, solve, solve_triangular
from gradstep.autograd.ops.svd import linalg_svd as svd
from gradstep.autograd.ops.svd import svdvals
from gradstep.missing_names import missing_from

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

if not TYPE_CHECKING:  # else every name would seem to be there
    __getattr__ = missing_from(__name__)
