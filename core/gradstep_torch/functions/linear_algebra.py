"""torch's names for linear algebra."""

from gradstep.autograd.ops.rearrange import trace
from gradstep_torch.ops.formulas import addmm, addmv, baddbmm
from gradstep_torch.ops.pseudo_inverse import matrix_power
from gradstep_torch.ops.pseudo_inverse import pinv as pinverse
from gradstep_torch.ops.solve import det, logdet, slogdet
from gradstep_torch.ops.solve import inv as inverse
from gradstep_torch.ops.svd import svd

__all__ = [
    "addmm",
    "addmv",
    "baddbmm",
    "det",
    "inverse",
    "logdet",
    "matrix_power",
    "pinverse",
    "slogdet",
    "svd",
    "trace",
]
