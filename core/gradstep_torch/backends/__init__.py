"""torch.backends: the backends that scripts ask about; NumPy is the only one."""

from gradstep_torch.backends import cuda, cudnn, mps

__all__ = ["cuda", "cudnn", "mps"]
