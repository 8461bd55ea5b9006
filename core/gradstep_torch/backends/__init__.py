"""The numeric libraries of torch that scripts ask about; here there is NumPy only."""

from gradstep_torch.backends import cuda, cudnn, mps

__all__ = ["cuda", "cudnn", "mps"]
